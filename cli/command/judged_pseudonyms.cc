// SPDX-License-Identifier: Apache-2.0
#include "cli/command/judged_pseudonyms.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/base/name_pattern.h"
#include "api/profile/load.h"
#include "api/profile/profile_proto.h"
#include "api/profile/waivers.h"
#include "checks/port_fit.h"
#include "checks/waiving.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLeftOut = "(left out under pseudonyms)";

bool IsBuiltIn(const Profile& profile) {
  const std::string_view text = BuiltInProfileText(profile.name);
  if (text.empty()) return false;
  const absl::StatusOr<Profile> known = ParseProfile(text, profile.name);
  return known.ok() && known->digest == profile.digest;
}

// "mlx5_0/1" under the pseudonym of its device.
std::string HiddenPort(const bundle::Pseudonyms& pseudonyms, const std::string& name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  return pseudonyms.Device(name.substr(0, slash)) + name.substr(slash);
}

// The ports of the host that the profile selects, by name. Nothing: it is not known of one.
std::optional<std::vector<Profile::PortSelector>> SelectedHere(const bundle::Pseudonyms& pseudonyms,
                                                               const Profile& profile, const Facts& facts) {
  if (!facts.ports) return std::nullopt;
  std::vector<Profile::PortSelector> selected;
  for (const Port& port : *facts.ports) {
    const PortFit fit = FitOf(port, profile);
    if (fit.answer == PortFit::Answer::kUnknown) return std::nullopt;
    if (fit.answer == PortFit::Answer::kYes)
      selected.push_back({.device = HiddenPort(pseudonyms, PortName(port))});
  }
  // An empty list would be for every port.
  if (selected.empty()) selected.push_back({.device = "no-port-of-this-host"});
  return selected;
}

// The names that a waiver can have for a port: devices, ports, netdevs.
std::set<std::string> PortNamesOf(const Facts& facts) {
  std::set<std::string> names;
  if (!facts.ports) return names;
  for (const Port& port : *facts.ports) {
    names.insert({port.device, PortName(port)});
    if (port.netdev) names.insert(port.netdev->name);
    if (port.lowers) {
      for (const Netdev& lower : *port.lowers) names.insert(lower.name);
    }
    if (port.uppers) {
      for (const UpperNetdev& upper : *port.uppers) names.insert(upper.name);
    }
  }
  return names;
}

// Those of this host, for any host then: a bundle has its profiles host by host.
std::vector<Waiver> HiddenWaivers(const bundle::Pseudonyms& pseudonyms, const std::vector<Waiver>& waivers,
                                  const SavedHost& host) {
  const std::set<std::string> names = PortNamesOf(host.facts);
  std::vector<Waiver> hidden;
  for (const Waiver& waiver : waivers) {
    if (!IsForHost(waiver, host.name) && !IsForHost(waiver, host.facts.hostname)) continue;
    Waiver one{.check = waiver.check,
               .reason = std::string(kLeftOut),
               .who = std::string(kLeftOut),
               .until = waiver.until};
    if (waiver.port.empty()) hidden.push_back(one);
    for (const std::string& name : names) {
      if (waiver.port.empty() || !MatchesPattern(waiver.port, name)) continue;
      one.port = HiddenPort(pseudonyms, name);
      hidden.push_back(one);
    }
  }
  if (hidden.size() > kMaxWaivers / 2) hidden.resize(kMaxWaivers / 2);
  return hidden;
}

}  // namespace

HiddenJudging UnderPseudonyms(const bundle::Pseudonyms& pseudonyms, const JudgedBy& judged_by,
                              const SavedHost& host) {
  HiddenJudging hidden{.left_out = !judged_by.site_file.empty() || !judged_by.waivers.empty()};
  JudgedBy kept{.chosen_by = judged_by.chosen_by, .group = pseudonyms.Word("group", judged_by.group)};
  kept.waivers = HiddenWaivers(pseudonyms, judged_by.waivers, host);
  for (Profile profile : judged_by.profiles) {
    const bool built_in = IsBuiltIn(profile);
    if (!built_in) {
      profile.name = pseudonyms.Word("profile", profile.name);
      profile.summary.clear();
    }
    hidden.left_out = hidden.left_out || !built_in || !profile.waivers.empty();
    profile.waivers = HiddenWaivers(pseudonyms, profile.waivers, host);
    if (!profile.ports.empty()) {
      std::optional<std::vector<Profile::PortSelector>> selected =
          SelectedHere(pseudonyms, profile, host.facts);
      if (!selected) return {.left_out = true};
      profile.ports = *std::move(selected);
    }
    if (const absl::StatusOr<std::string> digest = ProfileContentDigest(profile); digest.ok())
      profile.digest = *digest;
    kept.profiles.push_back(std::move(profile));
  }
  hidden.judged_by = std::move(kept);
  return hidden;
}

}  // namespace rdmaready
