// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "api/base/status.h"
#include "checks/blocking.h"
#include "checks/catalog.h"
#include "checks/fleet/between.h"
#include "checks/fleet/pairing.h"
#include "checks/judge.h"
#include "checks/live/effective_class.h"
#include "checks/words/addresses.h"
#include "checks/words/ethernet.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

struct End {
  std::size_t index = 0;
  const PlanHost* host = nullptr;
  const Port* port = nullptr;
  std::string address{};
};

// By subnet; where there is none, by route: the test is the connection that shows whether it leads there.
Pairing SubnetOrRoute(const Facts& a, const Facts& b, std::string_view a_name, std::string_view b_name) {
  Pairing pairing = PairPorts(a, b, a_name, b_name);
  if (!pairing.pairs.empty() || !pairing.untried) return pairing;
  std::vector<PortPair> routed = PairByRoute(a, b);
  if (routed.empty()) return pairing;
  pairing.pairs = std::move(routed);
  const auto paired = [&pairing](std::size_t PortPair::*which) {
    return [&pairing, which](const UnpairedPort& port) {
      return std::ranges::find(pairing.pairs, port.port, which) != pairing.pairs.end();
    };
  };
  std::erase_if(pairing.a_unpaired, paired(&PortPair::a_port));
  std::erase_if(pairing.b_unpaired, paired(&PortPair::b_port));
  return pairing;
}

// What keeps every port of the host from traffic; null when one of them is free.
const Finding* ObstacleToAll(const PlanHost& host) {
  if (!host.facts->ports || host.facts->ports->empty()) return ObstacleTo(host.findings, "");
  const Finding* first = nullptr;
  for (const Port& port : *host.facts->ports) {
    const Finding* obstacle = ObstacleTo(host.findings, SubjectOf(port));
    if (obstacle == nullptr) return nullptr;
    if (first == nullptr) first = obstacle;
  }
  return first;
}

// Not a "no": nobody could say.
Finding PathUnknown(const std::string& subject, const std::string& reason) {
  Finding finding = NoPath({.rung = Rung::kPeer, .subject = subject}, reason);
  finding.outcome = Outcome::kUnknown;
  return finding;
}

// The error of that host says it already, and keeps the run from being ready.
Finding Unasked(const std::string& host) {
  Finding finding = PathUnknown("", "not tested: host " + host + " could not be asked");
  finding.outcome = Outcome::kNotApplicable;
  finding.blocking = false;
  finding.expected.clear();
  finding.why.clear();
  SetFix(finding, {});
  return finding;
}

// One host has IPv4 alone, and the other IPv6: no connection can be tried.
Finding NoFamily(const PlanHost& a, const PlanHost& b, const Pairing& pairing) {
  Finding finding = NoPath({.rung = Rung::kPeer, .peer_host = b.name, .host = a.name},
                           pairing.reason + ": neither IPv4 nor IPv6 on both");
  const Port& port = b.facts->ports->front();
  const std::string netdev = NetdevWord(port.netdev);
  SetFix(finding, OnHost(Fix("ip address add ADDRESS dev " + netdev)
                             .Because("the two have no address family in common", Certainty::kCertain)
                             .Do("ADDRESS: a free one of the other host's subnet")
                             .Do("for good: in the network configuration")
                             .Or("give " + Printable(a.name) + " an address of the family that " +
                                 Printable(b.name) + " has"),
                         b.name));
  return finding;
}

bool HaveAddresses(const PlanHost& host) {
  return host.facts->ports &&
         std::ranges::any_of(*host.facts->ports, [](const Port& port) { return !AddressesOf(port).empty(); });
}

Finding NothingToTest(const PlanHost& a, const PlanHost& b, const Pairing& pairing) {
  Finding finding = NoPath({.rung = Rung::kPeer, .peer_host = b.name, .host = a.name}, pairing.reason);
  if (pairing.untried && !pairing.undetermined && HaveAddresses(a) && HaveAddresses(b)) {
    finding = NoFamily(a, b, pairing);
  } else if (pairing.undetermined || pairing.untried) {
    finding = PathUnknown("", "not tested: " + pairing.reason);
    SetFix(finding,
           "rdmaready facts " + ShellWord(a.name) + " " + ShellWord(b.name) + "  # what is not known, and why");
  }
  for (const PlanHost* host : {&a, &b}) {
    if (const Finding* obstacle = ObstacleToAll(*host)) return Explained(finding, *obstacle, host->name);
  }
  return finding;
}

// The settings of two hosts may leave them without ports that could be tested (Check::parts_hosts: one speaks
// iWARP and the other not). Then that is said, and what cannot be tested follows from it. Empty where that is
// not why.
std::vector<Finding> Foreign(const PlanHost& a, const PlanHost& b, const Pairing& pairing,
                             const Profile& profile) {
  const bool ports = a.facts->ports && b.facts->ports && !a.facts->ports->empty() && !b.facts->ports->empty();
  if (!ports || pairing.undetermined) return {};
  const Port& from = a.facts->ports->front();
  const Port& to = b.facts->ports->front();
  if (!from.transport || !to.transport || *from.transport == *to.transport) return {};
  const std::vector<Finding> settings =
      JudgePair({a.name, *a.facts, from, a.findings}, {b.name, *b.facts, to, b.findings}, profile);
  const auto found = std::ranges::find_if(settings, [](const Finding& finding) {
    const Check* check = FindCheck(finding.id);
    return check != nullptr && check->parts_hosts;
  });
  if (found == settings.end() || (found->outcome != Outcome::kFail && found->hidden_by.empty())) return {};
  Finding untested = NoPath({.rung = Rung::kPeer, .peer_host = b.name, .host = a.name}, pairing.reason);
  if (found->hidden_by.empty()) return {*found, Explained(untested, *found)};
  return {*found};
}

// Of a port that has no partner, where other ports of the host have one.
Finding Alone(const PlanHost& host, const UnpairedPort& unpaired) {
  const Port& port = (*host.facts->ports)[unpaired.port];
  const std::string subject = PortName(port) + " of " + host.name;
  const Finding finding = PathUnknown(subject, subject + ": " + unpaired.reason + ": not tested");
  const Finding* obstacle = ObstacleTo(host.findings, SubjectOf(port));
  return obstacle == nullptr ? finding : Explained(finding, *obstacle, host.name);
}

// The first of several; empty when it is not known.
std::string EthernetNameOf(const Port& port) {
  const NetdevRef first = EthernetPortsOf(port).front();
  if (first) return first->name;
  return port.netdev ? port.netdev->name : std::string();  // what is below it is not known
}

// Of the slower port; nothing where one is not known.
std::optional<std::uint32_t> LinkMbps(const Port& from, const Port& to) {
  if (!from.rate_mbps || !to.rate_mbps) return std::nullopt;
  return std::min(*from.rate_mbps, *to.rate_mbps);
}

// What hints of a failure name.
TransferPlace PlaceOf(const End& from, const End& to) {
  return {
      .rung = Rung::kPeer,
      .subject = PortName(*from.port) + " -> " + PortName(*to.port),
      .software = (from.port->software && *from.port->software) || (to.port->software && *to.port->software),
      .link_mbps = LinkMbps(*from.port, *to.port),
      .netdev = from.port->netdev ? from.port->netdev->name : std::string(),
      .ethernet = EthernetNameOf(*from.port),
      .peer_ethernet = EthernetNameOf(*to.port),
      .peer_address = to.address,
      .peer_host = to.host->name,
      .host = from.host->name};
}

PortSelection Select(const End& end) {
  return {.device = end.port->device, .number = end.port->number, .address = end.address};
}

// Why the two have no plain verbs connection; empty where they may have one.
std::string NoVerbs(const End& from, const End& to) {
  for (const End* end : {&from, &to}) {
    if (!end->port->transport) continue;
    if (*end->port->transport == Transport::kIwarp)
      return fmt::format("{}: iWARP connects by its connection manager alone", end->host->name);
    if (*end->port->transport == Transport::kInfiniBand)
      return fmt::format("{}: the paths of InfiniBand are its subnet manager's", end->host->name);
  }
  return {};
}

PairJob JobOf(std::size_t pair, const End& from, const End& to, bool routed) {
  PairJob job{.pair = pair,
              .from = from.index,
              .to = to.index,
              .from_port = Select(from),
              .to_port = Select(to),
              .place = PlaceOf(from, to),
              .back = PlaceOf(to, from),
              .no_verbs = NoVerbs(from, to)};
  job.place.routed = job.back.routed = routed;
  return job;
}

struct Ends {
  End a{};
  End b{};
};

Ends EndsOf(const PortPair& pair, std::size_t a_index, const PlanHost& a, std::size_t b_index,
            const PlanHost& b) {
  return {{a_index, &a, &(*a.facts->ports)[pair.a_port], pair.a_address},
          {b_index, &b, &(*b.facts->ports)[pair.b_port], pair.b_address}};
}

// What the devices of that pair cannot make, by case.
std::map<std::string, std::string> Impossible(const End& from, const End& to) {
  std::map<std::string, std::string> impossible;
  for (const TransferCase& test : kTransferCases) {
    for (const End* end : {&from, &to}) {
      const std::string lack = LackFor(test.name, *end->host->facts, end->port->device);
      if (!lack.empty()) impossible.try_emplace(std::string(test.name), end->host->name + ": " + lack);
    }
  }
  return impossible;
}

class Planner {
 public:
  Planner(std::span<const PlanHost> hosts, const Profile& profile) : hosts_(hosts), profile_(profile) {}

  void Add(const Edge& edge) {
    const PlanHost& a = hosts_[edge.from];
    const PlanHost& b = hosts_[edge.to];
    const std::size_t there = plan_.pairs.size();
    plan_.pairs.push_back({.from = a.name, .to = b.name});
    for (const PlanHost* host : {&a, &b}) {
      if (host->facts == nullptr) return plan_.pairs[there].findings.push_back(Unasked(host->name));
    }
    const Pairing pairing = SubnetOrRoute(*a.facts, *b.facts, a.name, b.name);
    if (pairing.pairs.empty()) {
      std::vector<Finding>& findings = plan_.pairs[there].findings;
      findings = Foreign(a, b, pairing, profile_);
      const bool said = !findings.empty() && findings.front().hidden_by.empty();
      if (!said) findings.push_back(NothingToTest(a, b, pairing));
      return;
    }
    plan_.pairs.push_back({.from = b.name, .to = a.name});
    for (const PortPair& pair : pairing.pairs) {
      const auto [left, right] = EndsOf(pair, edge.from, a, edge.to, b);
      const std::vector<Finding> settings = JudgePair({a.name, *a.facts, *left.port, a.findings},
                                                      {b.name, *b.facts, *right.port, b.findings}, profile_);
      std::vector<Finding>& findings = plan_.pairs[there].findings;
      findings.insert(findings.end(), settings.begin(), settings.end());
      Direction(there, left, right, pair.routed);
      Direction(there + 1, right, left, pair.routed);
    }
    for (const UnpairedPort& port : pairing.a_unpaired) plan_.pairs[there].findings.push_back(Alone(a, port));
    for (const UnpairedPort& port : pairing.b_unpaired) plan_.pairs[there].findings.push_back(Alone(b, port));
  }

  PairPlan Take() { return std::move(plan_); }

 private:
  void Direction(std::size_t pair, const End& from, const End& to, bool routed) {
    PairJob job = JobOf(pair, from, to, routed);
    TransferPlace& place = job.place;
    place.lossless = kDemandsLossless.made_by(profile_);
    place.rdma_priority = profile_.rdma_priority;
    place.min_throughput_mbps = profile_.min_throughput_mbps;
    place.min_worst_mbps = profile_.min_worst_mbps;
    place.max_latency_us = profile_.max_latency_us;
    for (const End* end : {&from, &to}) {
      const Finding* obstacle = ObstacleTo(end->host->findings, SubjectOf(*end->port));
      if (obstacle == nullptr) continue;
      for (const TransferCase& test : CheckedCasesOn(Rung::kPeer)) {
        plan_.pairs[pair].findings.push_back(
            Explained(NotTested(test.name, place, obstacle->observed), *obstacle, end->host->name));
      }
      plan_.pairs[pair].findings.push_back(
          Explained(ClassNotJudged(place, obstacle->observed), *obstacle, end->host->name));
      return;
    }
    job.impossible = Impossible(from, to);
    job.profile = &profile_;
    plan_.jobs.push_back(std::move(job));
  }

  std::span<const PlanHost> hosts_;
  const Profile& profile_;
  PairPlan plan_;
};

const Port* NamedPort(const PlanHost& host, const PortSelection& named) {
  const auto found = std::ranges::find_if(*host.facts->ports, [&](const Port& port) {
    return port.device == named.device && port.number == named.number;
  });
  return found == host.facts->ports->end() ? nullptr : &*found;
}

// A host that has nothing but the port of that name.
absl::StatusOr<Facts> OnlyPort(const PlanHost& host, const PortSelection& named) {
  const Port* port = NamedPort(host, named);
  if (port == nullptr) {
    return absl::NotFoundError(
        fmt::format("host {} has no RDMA port {}/{}", host.name, named.device, named.number));
  }
  Facts only;
  only.ports = std::vector<Port>{*port};
  return only;
}

}  // namespace

PairPlan PlanPairs(std::span<const PlanHost> hosts, std::span<const Edge> edges, const Profile& profile) {
  Planner planner(hosts, profile);
  for (const Edge& edge : edges) planner.Add(edge);
  return planner.Take();
}

absl::StatusOr<std::vector<PairJob>> JobsBetween(const PlanHost& from, const PlanHost& to,
                                                 std::span<const PortSelection> ports) {
  PlanHost a = from;
  PlanHost b = to;
  absl::StatusOr<Facts> a_only = Facts();
  absl::StatusOr<Facts> b_only = Facts();
  if (!ports.empty()) {
    for (const PlanHost* host : {&from, &to}) {
      if (!host->facts->ports) {
        return absl::UnknownError(fmt::format("the ports of {} are not known", host->name));
      }
    }
    a_only = OnlyPort(from, ports.front());
    if (!a_only.ok()) return a_only.status();
    b_only = OnlyPort(to, ports.back());
    if (!b_only.ok()) return b_only.status();
    a.facts = &*a_only;
    b.facts = &*b_only;
  }
  const Pairing pairing = SubnetOrRoute(*a.facts, *b.facts, a.name, b.name);
  if (pairing.pairs.empty()) {
    return pairing.undetermined ? absl::UnknownError(pairing.reason)
                                : absl::FailedPreconditionError(pairing.reason);
  }
  std::vector<PairJob> jobs;
  for (const PortPair& pair : pairing.pairs) {
    const auto [left, right] = EndsOf(pair, 0, a, 1, b);
    jobs.push_back(JobOf(0, left, right, pair.routed));
  }
  return jobs;
}

std::vector<std::vector<std::size_t>> Rounds(std::span<const PairJob> jobs) {
  using Key = std::pair<std::size_t, std::string>;
  // The ports of a host share its bus and its CPUs: whose speed is judged has the host for itself.
  const bool alone = std::ranges::any_of(jobs, [](const PairJob& job) {
    return job.place.min_throughput_mbps || job.place.min_worst_mbps || job.place.max_latency_us;
  });
  const auto key = [alone](std::size_t host, const PortSelection& port) {
    return alone ? Key{host, ""} : Key{host, fmt::format("{}/{}", port.device, port.number)};
  };
  std::vector<std::vector<std::size_t>> rounds;
  std::vector<std::set<Key>> busy;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Key from = key(jobs[i].from, jobs[i].from_port);
    const Key to = key(jobs[i].to, jobs[i].to_port);
    std::size_t round = 0;
    while (round < rounds.size() && (busy[round].contains(from) || busy[round].contains(to))) ++round;
    if (round == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[round].push_back(i);
    busy[round].insert({from, to});
  }
  return rounds;
}

}  // namespace rdmaready
