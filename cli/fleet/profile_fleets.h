// SPDX-License-Identifier: Apache-2.0
// Profile fleets: the hosts of a run, and of one group of its inventory, that follow one profile. They are
// compared and tested with each other on the ports of that profile; a port that no profile is for has no part
// in it, and needs no partner. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/model/profile.h"
#include "api/model/report.h"
#include "checks/fleet/agreement.h"
#include "checks/host_parts.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/pair_plan.h"

namespace rdmaready {

// One host of a run.
struct FollowingHost {
  std::string name{};
  std::span<const Profile> profiles{};  // that it follows; empty: nobody knows, it could not be asked
  const HostParts* parts = nullptr;     // null: it could not be asked
  std::span<const Finding> findings{};
  std::string group{};  // of an inventory; empty: of none
};

struct ProfileFleet {
  const Profile* profile = nullptr;    // as the first of its hosts has it
  std::vector<std::size_t> members{};  // indices of hosts, ascending
};

// Hosts of different groups are never in one fleet. Of each group: one of all its hosts where no profile is for
// certain ports only. Else one for each profile, by its name, of
// the hosts that have a port of it, or that may have one: they could not be asked. In the order in which hosts
// name them. None where no host was asked.
std::vector<ProfileFleet> FleetsOf(std::span<const FollowingHost> hosts);

// The findings of JudgeAgreement for each fleet, by the indices of `hosts`.
Agreed CompareFleets(std::span<const FollowingHost> hosts);

struct FleetPlan {
  PairPlan pairs{};  // of all fleets; one pair report for one direction between two hosts
  std::vector<std::vector<Finding>> alone{};  // of each host: profiles that no other host of the run follows
};

// A ring through each fleet, or all pairs of it.
FleetPlan PlanFleets(std::span<const FollowingHost> hosts, PairShape shape = PairShape::kRing);

}  // namespace rdmaready
