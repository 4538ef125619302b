// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "checks/fleet/pairing.h"
#include "checks/words/ethernet.h"

namespace rdmaready {
namespace {

// Whether the priority is lossless at each Ethernet port under the RDMA port.
std::optional<bool> HasPfc(const Port& port, std::optional<std::uint32_t> priority) {
  if (!priority) return std::nullopt;
  bool has = true;
  for (const NetdevRef netdev : EthernetPortsOf(port)) {
    if (!netdev || !netdev->dcb.pfc) return std::nullopt;
    has = has && (static_cast<std::uint32_t>(netdev->dcb.pfc->enabled) >> *priority & 1U) != 0;
  }
  return has;
}

// Of its Ethernet port, else as the RDMA stack has it. 0: not known, as of a bond: one member may receive all,
// or each of them its part.
std::uint64_t LinkBytesPerSecond(const Port& port) {
  const std::vector<NetdevRef> netdevs = EthernetPortsOf(port);
  if (netdevs.size() > 1) return 0;
  const NetdevRef netdev = netdevs.front();
  if (netdev && netdev->speed_mbps && *netdev->speed_mbps > 0) return *netdev->speed_mbps * kBytesOfMegabit;
  return port.rate_mbps ? *port.rate_mbps * kBytesOfMegabit : 0;
}

const Port* PortOf(const Facts& facts, const PortSelection& port) {
  if (!facts.ports) return nullptr;
  const auto found = std::ranges::find_if(*facts.ports, [&port](const Port& one) {
    return one.device == port.device && one.number == port.number;
  });
  return found == facts.ports->end() ? nullptr : &*found;
}

Facts FactsOf(const Port& port) {
  Facts facts;
  facts.ports = std::vector<Port>{port};
  return facts;
}

// A host that has nothing but the port that was asked for, where one was.
absl::StatusOr<Facts> Allowed(const PlanHost& host, const std::optional<PortSelection>& asked) {
  if (!asked) return *host.facts;
  if (!host.facts->ports) return absl::UnknownError(fmt::format("the ports of {} are not known", host.name));
  const Port* const port = PortOf(*host.facts, *asked);
  if (port != nullptr) return FactsOf(*port);
  return absl::NotFoundError(
      fmt::format("host {} has no RDMA port {}/{}", host.name, asked->device, asked->number));
}

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
  Chooser(std::span<const PlanHost> hosts, const IncastPlan& plan, const Profile& profile)
      : hosts_(hosts), plan_(plan), profile_(profile) {}

  absl::StatusOr<IncastPairs> Choose() {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      RR_ASSIGN_OR_RETURN(Facts facts,
                          Allowed(hosts_[i], i < plan_.ports.size() ? plan_.ports[i] : std::nullopt));
      facts_.push_back(std::move(facts));
    }
    IncastPairs pairs;
    RR_ASSIGN_OR_RETURN(pairs.senders, Senders());
    const Port& receiver = *PortOf(facts_[plan_.receiver], pairs.senders.front().job.to_port);
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

  absl::StatusOr<std::vector<PairJob>> Jobs(std::size_t from, std::size_t to, const Facts& to_facts) const {
    RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs,
                        JobsBetween({.name = hosts_[from].name, .facts = &facts_[from]},
                                    {.name = hosts_[to].name, .facts = &to_facts}, {}));
    // The jobs' own hosts are 0 and 1.
    for (PairJob& job : jobs) {
      job.from = from;
      job.to = to;
    }
    return jobs;
  }

  IncastPair PairOf(PairJob job) const {
    IncastPair pair{.job = std::move(job)};
    pair.flow = {.from = hosts_[pair.job.from].name,
                 .to = hosts_[pair.job.to].name,
                 .from_ethernet = pair.job.place.ethernet,
                 .to_ethernet = pair.job.place.peer_ethernet,
                 .software = pair.job.place.software};
    if (const Port* port = PortOf(facts_[pair.job.from], pair.job.from_port))
      pair.flow.sender_has_pfc = HasPfc(*port, profile_.rdma_priority);
    return pair;
  }

  // To that port of the receiver. Where a sender has a subnet in common with another of its ports, no route
  // counts. Empty where one of them does not reach it.
  std::vector<IncastPair> SendersTo(const Port& port, const std::vector<bool>& by_route) const {
    const Facts receiver = FactsOf(port);
    std::vector<IncastPair> senders;
    for (std::size_t i = 0; i < plan_.senders.size(); ++i) {
      absl::StatusOr<std::vector<PairJob>> jobs = Jobs(plan_.senders[i], plan_.receiver, receiver);
      if (!jobs.ok() || (jobs->front().place.routed && !by_route[i])) return {};
      senders.push_back(PairOf(std::move(jobs->front())));
    }
    return senders;
  }

  absl::StatusOr<std::vector<IncastPair>> Senders() const {
    const Facts& receiver = facts_[plan_.receiver];
    std::vector<bool> by_route;
    for (const std::size_t from : plan_.senders) {
      RR_ASSIGN_OR_RETURN(const std::vector<PairJob> jobs, Jobs(from, plan_.receiver, receiver));
      by_route.push_back(jobs.front().place.routed);
    }
    for (const Port& port : *receiver.ports) {
      std::vector<IncastPair> senders = SendersTo(port, by_route);
      if (!senders.empty()) return senders;
    }
    return absl::InvalidArgumentError(fmt::format(
        "no port of {0} is reached by all senders, so none is filled: choose ports by --port {0}=DEV/N",
        hosts_[plan_.receiver].name));
  }

  absl::StatusOr<IncastPair> Victim(const std::pair<std::size_t, std::size_t>& victim,
                                    const Port& receiver) const {
    RR_ASSIGN_OR_RETURN(std::vector<PairJob> jobs, Jobs(victim.first, victim.second, facts_[victim.second]));
    const auto near = std::ranges::find_if(jobs, [&](const PairJob& job) {
      const Port* const port = PortOf(facts_[victim.first], job.from_port);
      return !job.place.routed && port != nullptr && ShareASubnet(*port, receiver);
    });
    return PairOf(std::move(near == jobs.end() ? jobs.front() : *near));
  }

  // Why the victim may not share the switch with the senders; empty: nothing speaks against it.
  std::string WhyElsewhere(const IncastPairs& pairs, const Port& receiver) const {
    const IncastPair& victim = *pairs.victim;
    const Port& from = *PortOf(facts_[victim.job.from], victim.job.from_port);
    if (victim.job.place.routed || !ShareASubnet(from, receiver))
      return "it is not in the subnet of the receiver's port";
    std::vector<LldpId> switches = SwitchesOf(receiver);
    std::vector<const IncastPair*> all{&victim};
    for (const IncastPair& sender : pairs.senders) all.push_back(&sender);
    for (const IncastPair* pair : all) {
      for (const Port* port : {PortOf(facts_[pair->job.from], pair->job.from_port),
                               PortOf(facts_[pair->job.to], pair->job.to_port)}) {
        if (port != nullptr) std::ranges::copy(SwitchesOf(*port), std::back_inserter(switches));
      }
    }
    const bool several =
        std::ranges::any_of(switches, [&](const LldpId& one) { return !(one == switches.front()); });
    return several ? "by LLDP the ports are on several switches" : "";
  }

  // What the senders put on the wire at most; 0: not known.
  std::uint64_t Offered(const std::vector<IncastPair>& senders) const {
    std::uint64_t sum = 0;
    const std::uint64_t limit = plan_.how.max_bytes_per_s;
    for (const IncastPair& sender : senders) {
      const std::uint64_t link = LinkBytesPerSecond(*PortOf(facts_[sender.job.from], sender.job.from_port));
      if (link == 0 && limit == 0) return 0;
      sum += link == 0 ? limit : limit == 0 ? link : std::min(link, limit);
    }
    return sum;
  }

  const std::span<const PlanHost> hosts_;
  const IncastPlan& plan_;
  const Profile& profile_;
  std::vector<Facts> facts_{};  // of each host, with the ports that it may use
};

}  // namespace

absl::StatusOr<IncastPairs> ChooseIncastPairs(std::span<const PlanHost> hosts, const IncastPlan& plan,
                                              const Profile& profile) {
  return Chooser(hosts, plan, profile).Choose();
}

}  // namespace rdmaready
