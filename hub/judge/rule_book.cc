// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/rule_book.h"

#include <fmt/format.h>

#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/profile/profile_proto.h"
#include "api/profile/waivers.h"

namespace rdmaready::hub {
namespace {

constexpr std::int64_t kDayNs = std::int64_t{86'400} * 1'000'000'000;

}  // namespace

absl::StatusOr<std::shared_ptr<const RuleBook>> RuleBook::Load(const RuleFiles& files) {
  RR_ASSIGN_OR_RETURN(Site site, LoadSite(files.profiles));
  std::vector<Waiver> waivers;
  if (!files.waivers.empty()) {
    RR_ASSIGN_OR_RETURN(waivers, LoadWaivers(files.waivers));
  }
  std::shared_ptr<const HostPlaces> places;
  if (!files.inventory.empty()) {
    RR_ASSIGN_OR_RETURN(places, HostPlaces::Load(files.inventory));
  }
  return std::make_shared<const RuleBook>(std::move(site), std::move(waivers), std::move(places));
}

RuleBook::RuleBook(Site site, std::vector<Waiver> waivers, std::shared_ptr<const HostPlaces> places)
    : site_(std::move(site)), waivers_(std::move(waivers)), places_(std::move(places)) {}

HostRules RuleBook::RulesOf(const std::string& name, std::int64_t now_unix_ns) const {
  HostRules rules;
  const HostPlace* place = places_ != nullptr ? places_->Find(name) : nullptr;
  rules.unlisted = places_ != nullptr && place == nullptr;
  if (place != nullptr) {
    rules.group = place->group;
    rules.rack = place->rack;
  }
  const Site& site = place != nullptr && place->site != nullptr ? *place->site : site_;
  absl::StatusOr<std::vector<Profile>> profiles = site.ProfilesOf(name);
  if (!profiles.ok()) {
    rules.trouble = Message(profiles.status());
  } else {
    rules.profiles = *std::move(profiles);
  }
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|", kVersion, rules.trouble, rules.group, rules.rack, rules.unlisted);
  for (Profile& profile : rules.profiles) {
    profile.waivers.insert(profile.waivers.end(), waivers_.begin(), waivers_.end());
    text += ToProto(profile).SerializeAsString();
    if (!profile.waivers.empty()) text += fmt::format("|{}|", now_unix_ns / kDayNs);
  }
  rules.digest = Sha256(text).value_or("");
  return rules;
}

}  // namespace rdmaready::hub
