// SPDX-License-Identifier: Apache-2.0
#include "hub/judge/rule_book.h"

#include <fmt/format.h>

#include <utility>

#include "api/base/build_id.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/profile/profile_proto.h"
#include "api/profile/waivers.h"

namespace rdmaready::hub {
namespace {

constexpr std::int64_t kDayNs = std::int64_t{86'400} * 1'000'000'000;

// The checks of this program. Two builds of one version may have different checks.
std::string ChecksDigest() { return fmt::format("{}|{}", kVersion, BuildId()); }

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
    : site_(std::move(site)), places_(std::move(places)) {
  Add(site_, waivers);
  if (places_ == nullptr) return;
  for (const HostPlace& place : places_->all()) {
    if (place.site != nullptr) Add(*place.site, waivers);
  }
}

void RuleBook::Add(const Site& site, const std::vector<Waiver>& waivers) {
  for (const Site::Group& group : site.groups) {
    if (groups_.contains(&group)) continue;
    GroupRules rules{.profiles = group.profiles};
    std::string text;
    for (Profile& profile : rules.profiles) {
      profile.waivers.insert(profile.waivers.end(), waivers.begin(), waivers.end());
      rules.waives = rules.waives || !profile.waivers.empty();
      const std::string written = ToProto(profile).SerializeAsString();
      text += fmt::format("{}|{}", written.size(), written);
    }
    rules.digest = Sha256(text).value_or("");
    groups_.emplace(&group, std::make_shared<const GroupRules>(std::move(rules)));
  }
}

HostRules RuleBook::RulesOf(const std::string& name, std::int64_t now_unix_ns) const {
  HostRules rules;
  const HostPlace* place = places_ != nullptr ? places_->Find(name) : nullptr;
  rules.unlisted = places_ != nullptr && place == nullptr;
  if (place != nullptr) {
    rules.group = place->group;
    rules.rack = place->rack;
  }
  const Site& site = place != nullptr && place->site != nullptr ? *place->site : site_;
  const absl::StatusOr<const Site::Group*> group = site.GroupOf(name);
  if (!group.ok()) {
    rules.trouble = Message(group.status());
  } else {
    rules.of_group = groups_.at(*group);
  }
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|", ChecksDigest(), rules.trouble, rules.group, rules.rack, rules.unlisted);
  if (rules.of_group != nullptr) text += rules.of_group->digest;
  if (rules.of_group != nullptr && rules.of_group->waives) text += fmt::format("|{}", now_unix_ns / kDayNs);
  rules.digest = Sha256(text).value_or("");
  return rules;
}

const std::vector<Profile>& HostRules::profiles() const {
  static const std::vector<Profile> kNone;
  return of_group != nullptr ? of_group->profiles : kNone;
}

}  // namespace rdmaready::hub
