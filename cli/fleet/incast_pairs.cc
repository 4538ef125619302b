// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/status.h"
#include "checks/fleet/pairing.h"
#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

// Bridges that LLDP heard at a port.
std::vector<LldpId> SwitchesOf(const Port& port) {
  constexpr std::uint16_t kBridge = 0x04;
  std::vector<LldpId> switches;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev) continue;
    for (const Fact<LldpHeard>* heard : {&netdev->lldp, &netdev->lldp_agent}) {
      if (!*heard) continue;
      for (const LldpNeighbour& peer : (*heard)->peers)
        if ((peer.capabilities & kBridge) != 0) switches.push_back(peer.chassis);
    }
  }
  return switches;
}

bool ShareASubnet(const Port& a, const Port& b) { return !PairPorts(FactsOf(a), FactsOf(b)).pairs.empty(); }

class Chooser {
 public:
  Chooser(StressPairing hosts, const IncastPlan& plan) : hosts_(std::move(hosts)), plan_(plan) {}

  absl::StatusOr<IncastPairs> Choose() const {
    IncastPairs pairs;
    RR_ASSIGN_OR_RETURN(pairs.senders, Senders());
    const Port& receiver = *hosts_.PortOf(plan_.receiver, pairs.senders.front().job.to_port);
    if (plan_.victim) {
      RR_ASSIGN_OR_RETURN(pairs.victim, Victim(*plan_.victim, receiver));
      pairs.run.victim_shares_a_sender = IsSender(plan_.victim->first) || IsSender(plan_.victim->second);
      pairs.run.victim_elsewhere = WhyElsewhere(pairs, receiver);
    }
    if (plan_.second_victim) {
      RR_ASSIGN_OR_RETURN(pairs.second_victim, Victim(*plan_.second_victim, receiver));
    }
    pairs.run.drain_is_given = plan_.drain_bytes_per_s.has_value();
    pairs.run.drain_bytes_per_s = plan_.drain_bytes_per_s.value_or(LinkBytesPerSecond(receiver));
    pairs.run.offered_bytes_per_s = Offered(pairs.senders);
    return pairs;
  }

 private:
  bool IsSender(std::size_t host) const {
    return std::ranges::find(plan_.senders, host) != plan_.senders.end();
  }

  // To that port of the receiver. Where a sender has a subnet in common with another of its ports, no route
  // counts. Empty where one of them does not reach it.
  std::vector<StressPair> SendersTo(const Port& port, const std::vector<bool>& by_route) const {
    std::vector<StressPair> senders;
    for (std::size_t i = 0; i < plan_.senders.size(); ++i) {
      absl::StatusOr<std::vector<PairJob>> jobs = hosts_.JobsTo(plan_.senders[i], plan_.receiver, port);
      if (!jobs.ok() || (jobs->front().place.routed && !by_route[i])) return {};
      senders.push_back(hosts_.PairOf(std::move(jobs->front())));
    }
    return senders;
  }

  absl::StatusOr<std::vector<StressPair>> Senders() const {
    std::vector<bool> by_route;
    for (const std::size_t from : plan_.senders) {
      RR_ASSIGN_OR_RETURN(const std::vector<PairJob> jobs, hosts_.Jobs(from, plan_.receiver));
      by_route.push_back(jobs.front().place.routed);
    }
    for (const Port& port : *hosts_.facts(plan_.receiver).ports) {
      std::vector<StressPair> senders = SendersTo(port, by_route);
      if (!senders.empty()) return senders;
    }
    return absl::InvalidArgumentError(fmt::format(
        "no port of {0} is reached by all senders, so none is filled: choose ports by --port {0}=DEV/N",
        hosts_.name(plan_.receiver)));
  }

  absl::StatusOr<StressPair> Victim(const std::pair<std::size_t, std::size_t>& victim,
                                    const Port& receiver) const {
    RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs, hosts_.Jobs(victim.first, victim.second));
    const auto near = std::ranges::find_if(jobs, [&](const PairJob& job) {
      const Port* const port = hosts_.PortOf(victim.first, job.from_port);
      return !job.place.routed && port != nullptr && ShareASubnet(*port, receiver);
    });
    return hosts_.PairOf(std::move(near == jobs.end() ? jobs.front() : *near));
  }

  // Why the victim may not share the switch with the senders; empty: nothing speaks against it.
  std::string WhyElsewhere(const IncastPairs& pairs, const Port& receiver) const {
    const StressPair& victim = *pairs.victim;
    const Port& from = *hosts_.PortOf(victim.job.from, victim.job.from_port);
    if (victim.job.place.routed || !ShareASubnet(from, receiver))
      return "it is not in the subnet of the receiver's port";
    std::vector<LldpId> switches = SwitchesOf(receiver);
    std::vector<const StressPair*> all{&victim};
    for (const StressPair& sender : pairs.senders) all.push_back(&sender);
    for (const StressPair* pair : all) {
      for (const Port* port : {hosts_.PortOf(pair->job.from, pair->job.from_port),
                               hosts_.PortOf(pair->job.to, pair->job.to_port)}) {
        if (port != nullptr) std::ranges::copy(SwitchesOf(*port), std::back_inserter(switches));
      }
    }
    const bool several =
        std::ranges::any_of(switches, [&](const LldpId& one) { return !(one == switches.front()); });
    return several ? "by LLDP the ports are on several switches" : "";
  }

  // The most that the senders put on the wire; 0: not known.
  std::uint64_t Offered(const std::vector<StressPair>& senders) const {
    std::uint64_t sum = 0;
    const std::uint64_t limit = plan_.how.max_bytes_per_s;
    for (const StressPair& sender : senders) {
      const std::uint64_t link = LinkBytesPerSecond(*hosts_.PortOf(sender.job.from, sender.job.from_port));
      if (link == 0 && limit == 0) return 0;
      sum += link == 0 ? limit : limit == 0 ? link : std::min(link, limit);
    }
    return sum;
  }

  const StressPairing hosts_;
  const IncastPlan& plan_;
};

}  // namespace

absl::StatusOr<IncastPairs> ChooseIncastPairs(std::span<const PlanHost> hosts, const IncastPlan& plan,
                                              const Profile& profile) {
  RR_ASSIGN_OR_RETURN(StressPairing pairing, StressPairing::Between(hosts, plan.ports, profile));
  return Chooser(std::move(pairing), plan).Choose();
}

}  // namespace rdmaready
