// SPDX-License-Identifier: Apache-2.0
// Profiles made by chance.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/profile/load.h"
#include "api/profile/profile_problems.h"
#include "api/profile/profile_proto.h"
#include "tests/property/plan_hosts.h"

namespace rdmaready::property {
namespace {

void ChangeByChance(Profile& profile, Chance& chance) {
  const auto priority = [&chance] { return static_cast<std::uint8_t>(Upto(chance, 7)); };
  const std::vector<std::function<void()>> changes{
      [&] { profile.rdma_priority = priority(); },
      [&] { profile.pfc = std::vector<std::uint8_t>{*profile.rdma_priority}; },
      [&] { profile.pfc = std::vector<std::uint8_t>{}; },
      [&] {
        profile.pfc = std::vector<std::uint8_t>{*profile.rdma_priority, priority()};
      },
      [&] { profile.pfc.reset(); },
      [&] { profile.ets_rdma_percent = static_cast<std::uint8_t>(1 + Upto(chance, 98)); },
      [&] { profile.ets_rdma_percent.reset(); },
      [&] { profile.dcbx = Profile::Dcbx::kAny; },
      [&] {
        profile.trust = Any(chance, {Profile::Trust::kAny, Profile::Trust::kPcp, Profile::Trust::kDscp});
      },
      [&] { profile.cnp = Profile::Cnp{.dscp = 48, .priority = priority()}; },
      [&] { profile.cnp = Profile::Cnp{.dscp = 48}; },
      [&] { profile.heartbeat = Profile::Heartbeat{.priority = priority(), .percent = std::uint8_t{1}}; },
      [&] { profile.vlan = Profile::Vlan::kTagged; },
      [&] {
        profile.mtu_bytes = Any<std::uint32_t>(chance, {1500, 4200, 9000, 9600});
      },
      [&] {
        profile.roce_mtu_bytes = Any<std::uint32_t>(chance, {1024, 2048, 4096});
      },
      [&] { profile.rdma_max_rate_mbps = static_cast<std::uint32_t>(1000 + Upto(chance, 40'000)); },
      [&] { profile.cable_metres = static_cast<std::uint32_t>(1 + Upto(chance, 1200)); },
      [&] { profile.ecn = Profile::Ecn{}; },
      [&] { profile.tos.reset(); },
      [&] { profile.marking = Profile::Marking::kConsumers; },
      [&] { profile.roles = std::vector<Profile::Role>{Profile::Role::kSmbServer}; }};
  const std::uint64_t count = 1 + Upto(chance, 4);
  for (std::uint64_t i = 0; i < count && profile.rdma_priority; ++i)
    changes[Upto(chance, changes.size() - 1)]();
}

// A line of YAML of a site's own.
std::string AnyKey(Chance& chance) {
  const std::string number = std::to_string(Upto(chance, 7));
  const std::string other = std::to_string(Upto(chance, 7));
  const std::string dscp = std::to_string(Upto(chance, 63));
  const std::string percent = std::to_string(1 + Upto(chance, 98));
  return Any<std::string>(
      chance,
      {"rdma_priority: " + number + "\npfc: [" + number + "]\n",
       "rdma_priority: " + number + "\npfc: []\n",
       "rdma_priority: " + number + "\n",
       "pfc: [" + number + ", " + other + "]\n",
       "dscp: " + dscp + "\ntos: " + std::to_string(4 * Upto(chance, 63) + 2) + "\n",
       "dscp: 32\ntos: 130\n",
       "trust: " + Any<std::string>(chance, {"any", "pcp", "dscp"}) + "\n",
       "ets: {rdma_percent: " + percent + "}\n",
       "ets: {at_least: true}\n",
       "ets: {rdma_percent: 40, classes: [{priorities: [0, 1, 2, 5, 6, 7], percent: 60}, {priorities: [3, 4], "
       "percent: 40}]}\n",
       "cnp: {dscp: " + dscp + ", priority: " + number + "}\n",
       "heartbeat: {priority: " + number + ", percent: 1, percent_up_to_10g: 2}\n",
       "heartbeat: {priority: " + number + "}\n",
       "dcbx: any\n",
       "vlan: tagged\n",
       "mtu_bytes: " + Any<std::string>(chance, {"1500", "4200", "9000"}) + "\n",
       "roce_mtu_bytes: " + Any<std::string>(chance, {"1024", "2048", "4096"}) + "\n",
       "rdma_max_rate_mbps: 20000\n",
       "marking: consumers\n",
       "dcb_set_by: elsewhere\n",
       "transport: roce-v2\n"});
}

}  // namespace

Profile MakePlanProfile(Chance& chance) {
  const std::vector<std::string> names = BuiltInProfileNames();
  while (true) {
    Profile profile = *LoadProfile(names[Upto(chance, names.size() - 1)]);
    if (OneIn(chance, 2)) ChangeByChance(profile, chance);
    if (!FindProblem(ToProto(profile))) return profile;
  }
}

Profile MakeDerivedProfile(Chance& chance) {
  const std::vector<std::string> names = BuiltInProfileNames();
  while (true) {
    std::string yaml = "extends: " + names[Upto(chance, names.size() - 1)] + "\nname: derived\n";
    const std::string without = Any<std::string>(chance, {"", "", "ets.classes", "tos", "ets", "cnp"});
    if (!without.empty()) yaml += "without: [" + without + "]\n";
    for (std::uint64_t i = 1 + Upto(chance, 2); i > 0; --i) yaml += AnyKey(chance);
    // A key twice, or one that contradicts another, is refused: then the next one is tried.
    const absl::StatusOr<Profile> profile = ParseProfile(yaml, "derived.yaml");
    if (profile.ok()) return *profile;
  }
}

}  // namespace rdmaready::property
