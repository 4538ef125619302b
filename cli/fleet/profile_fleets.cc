// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/profile_fleets.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "checks/fleet/agreement.h"
#include "checks/hiding.h"
#include "checks/live/transfer.h"
#include "checks/spare.h"
#include "checks/words/fix.h"
#include "cli/fleet/hosts.h"

namespace rdmaready {
namespace {

bool IsForEveryPort(const FollowingHost& host) {
  return host.profiles.size() <= 1 &&
         std::ranges::all_of(host.profiles, [](const Profile& profile) { return profile.ports.empty(); });
}

// What the host has of that profile; null where it has nothing of it, or was not asked.
const HostPart* PartOf(const FollowingHost& host, const Profile& profile) {
  if (host.parts == nullptr) return nullptr;
  // In one fleet of hosts with profiles of their own, each is looked at whole.
  if (IsForEveryPort(host)) return &host.parts->parts().front();
  return host.parts->Find(profile.name);
}

bool Belongs(const FollowingHost& host, const Profile& profile) {
  if (std::ranges::find(host.profiles, profile.name, &Profile::name) == host.profiles.end()) return false;
  if (host.parts == nullptr) return true;
  const HostPart* part = host.parts->Find(profile.name);
  return part != nullptr && part->in_use && part->judges_ports;
}

// Each host as that profile sees it. What it points to outlives it.
struct FleetView {
  std::vector<std::vector<Finding>> findings{};  // by host of the run: those that explain others
  std::vector<const Facts*> facts{};             // null: not of this fleet, or not asked
};

FleetView ViewOf(const ProfileFleet& fleet, std::span<const FollowingHost> hosts) {
  FleetView view{.findings = std::vector<std::vector<Finding>>(hosts.size()),
                 .facts = std::vector<const Facts*>(hosts.size())};
  for (const std::size_t i : fleet.members) {
    const HostPart* part = PartOf(hosts[i], *fleet.profile);
    if (part == nullptr) continue;
    view.facts[i] = part->facts;
    view.findings[i] = FindingsUnder(part->profile->name, Explaining(hosts[i].findings));
  }
  return view;
}

bool HasUntested(const Facts& host, const Profile& profile) {
  return host.ports &&
         std::ranges::any_of(*host.ports, [&](const Port& port) { return IsUntested(host, port, profile); });
}

// A port that nobody uses here needs no partner.
Facts WithoutUntested(const Facts& host, const Profile& profile) {
  std::vector<Port> ports = *host.ports;
  std::erase_if(ports, [&](const Port& port) { return IsUntested(host, port, profile); });
  Facts facts = host;
  facts.ports = std::move(ports);
  return facts;
}

std::vector<Edge> EdgesOf(const ProfileFleet& fleet, PairShape shape) {
  const std::size_t count = fleet.members.size();
  std::vector<Edge> edges = shape == PairShape::kMesh ? Mesh(count) : Ring(count);
  for (Edge& edge : edges) edge = {fleet.members[edge.from], fleet.members[edge.to]};
  return edges;
}

Finding NoPartner(const Profile& profile, const std::string& group) {
  Finding finding =
      NoPath({.rung = Rung::kPeer},
             fmt::format("not tested: no other host of {} follows profile {}",
                         group.empty() ? "this run" : "group " + group + " in this run", profile.name));
  finding.outcome = Outcome::kUnknown;
  SetFix(finding, "# check it together with another host that follows the profile");
  finding.profile = profile.name;
  return finding;
}

// Pair reports of one direction between two hosts become one.
class JoinedPairs {
 public:
  void Append(PairPlan part) {
    std::vector<std::size_t> places;
    for (PairReport& pair : part.pairs) {
      const auto [same, fresh] = places_.emplace(std::pair(pair.from, pair.to), whole_.pairs.size());
      places.push_back(same->second);
      if (fresh) {
        whole_.pairs.push_back(std::move(pair));
      } else {
        std::ranges::move(pair.findings, std::back_inserter(whole_.pairs[same->second].findings));
      }
    }
    for (PairJob& job : part.jobs) {
      job.pair = places[job.pair];
      whole_.jobs.push_back(std::move(job));
    }
  }

  PairPlan Take() { return std::move(whole_); }

 private:
  PairPlan whole_{};
  std::map<std::pair<std::string, std::string>, std::size_t> places_{};
};

// The fleets of the hosts of one group.
std::vector<ProfileFleet> FleetsAmong(std::span<const std::size_t> group,
                                      std::span<const FollowingHost> hosts) {
  std::vector<ProfileFleet> fleets;
  const bool whole = std::ranges::all_of(group, [&](std::size_t i) { return IsForEveryPort(hosts[i]); });
  for (const std::size_t member : group) {
    const FollowingHost& host = hosts[member];
    for (const Profile& profile : host.profiles) {
      const bool known = std::ranges::any_of(
          fleets, [&](const ProfileFleet& fleet) { return whole || fleet.profile->name == profile.name; });
      if (known || host.parts == nullptr) continue;
      ProfileFleet& fleet = fleets.emplace_back(ProfileFleet{.profile = &profile});
      for (const std::size_t i : group) {
        if (whole || Belongs(hosts[i], profile)) fleet.members.push_back(i);
      }
    }
  }
  std::erase_if(fleets, [](const ProfileFleet& fleet) { return fleet.members.empty(); });
  return fleets;
}

}  // namespace

std::vector<ProfileFleet> FleetsOf(std::span<const FollowingHost> hosts) {
  std::vector<std::vector<std::size_t>> groups;  // in the order in which hosts name them
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto [place, fresh] = places.emplace(hosts[i].group, groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  std::vector<ProfileFleet> fleets;
  for (const std::vector<std::size_t>& group : groups)
    std::ranges::move(FleetsAmong(group, hosts), std::back_inserter(fleets));
  return fleets;
}

Agreed CompareFleets(std::span<const FollowingHost> hosts) {
  Agreed agreed{.of_hosts = std::vector<std::vector<Finding>>(hosts.size())};
  for (const ProfileFleet& fleet : FleetsOf(hosts)) {
    const FleetView view = ViewOf(fleet, hosts);
    std::vector<ComparedHost> members;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      members.push_back({hosts[i].name, view.facts[i], view.findings[i]});
    }
    Agreed of_fleet = JudgeAgreement(members, *fleet.profile);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (Finding& finding : of_fleet.of_hosts[i]) {
        if (hosts[i].profiles.size() > 1) finding.profile = fleet.profile->name;
        agreed.of_hosts[i].push_back(std::move(finding));
      }
    }
    for (PairFinding& one : of_fleet.between) {
      if (hosts[one.from].profiles.size() > 1) one.finding.profile = fleet.profile->name;
      agreed.between.push_back(std::move(one));
    }
  }
  return agreed;
}

FleetPlan PlanFleets(std::span<const FollowingHost> hosts, PairShape shape) {
  FleetPlan plan{.alone = std::vector<std::vector<Finding>>(hosts.size())};
  JoinedPairs pairs;
  for (const ProfileFleet& fleet : FleetsOf(hosts)) {
    if (fleet.members.size() < 2) {
      plan.alone[fleet.members.front()].push_back(
          NoPartner(*fleet.profile, hosts[fleet.members.front()].group));
      continue;
    }
    const FleetView view = ViewOf(fleet, hosts);
    std::deque<Facts> tested;
    std::vector<PlanHost> members;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const Facts* facts = view.facts[i];
      if (facts != nullptr && HasUntested(*facts, *fleet.profile))
        facts = &tested.emplace_back(WithoutUntested(*facts, *fleet.profile));
      members.push_back({hosts[i].name, facts, view.findings[i]});
    }
    pairs.Append(PlanPairs(members, EdgesOf(fleet, shape), *fleet.profile));
  }
  plan.pairs = pairs.Take();
  return plan;
}

}  // namespace rdmaready
