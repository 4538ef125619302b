// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/stress_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "checks/words/ethernet.h"
#include "cli/fleet/test_runner.h"

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

const Port* FindPort(const Facts& facts, const PortSelection& port) {
  if (!facts.ports) return nullptr;
  const auto found = std::ranges::find_if(*facts.ports, [&port](const Port& one) {
    return one.device == port.device && one.number == port.number;
  });
  return found == facts.ports->end() ? nullptr : &*found;
}

// A host that has nothing but the port that was asked for, where one was.
absl::StatusOr<Facts> Allowed(const PlanHost& host, const std::optional<PortSelection>& asked) {
  if (!asked) return *host.facts;
  if (!host.facts->ports) return absl::UnknownError(fmt::format("the ports of {} are not known", host.name));
  const Port* const port = FindPort(*host.facts, *asked);
  if (port != nullptr) return FactsOf(*port);
  return absl::NotFoundError(
      fmt::format("host {} has no RDMA port {}/{}", host.name, asked->device, asked->number));
}

}  // namespace

absl::StatusOr<StressPortChoice> ChoosePorts(std::span<const std::string> options,
                                             std::span<const std::string> names) {
  std::optional<PortSelection> of_all;
  StressPortChoice ports(names.size());
  for (const std::string& text : options) {
    const std::size_t sign = text.find('=');
    RR_ASSIGN_OR_RETURN(const PortSelection port,
                        ParsePort(sign == std::string::npos ? text : text.substr(sign + 1)));
    const auto found = std::ranges::find(names, text.substr(0, sign));
    if (sign != std::string::npos && found == names.end())
      return absl::InvalidArgumentError(fmt::format("--port {}: no host of this test has that name", text));
    std::optional<PortSelection>& place =
        sign == std::string::npos ? of_all : ports[static_cast<std::size_t>(found - names.begin())];
    if (place)
      return absl::InvalidArgumentError(fmt::format("--port {}: a second port of the same host", text));
    place = port;
  }
  for (std::optional<PortSelection>& port : ports)
    if (!port) port = of_all;
  return ports;
}

Facts FactsOf(const Port& port) {
  Facts facts;
  facts.ports = std::vector<Port>{port};
  return facts;
}

std::uint64_t LinkBytesPerSecond(const Port& port) {
  const std::vector<NetdevRef> netdevs = EthernetPortsOf(port);
  if (netdevs.size() > 1) return 0;
  const NetdevRef netdev = netdevs.front();
  if (netdev && netdev->speed_mbps && *netdev->speed_mbps > 0) return *netdev->speed_mbps * kBytesOfMegabit;
  return port.rate_mbps ? *port.rate_mbps * kBytesOfMegabit : 0;
}

absl::StatusOr<StressPairing> StressPairing::Between(std::span<const PlanHost> hosts,
                                                     const StressPortChoice& ports, const Profile& profile) {
  StressPairing pairing(hosts, profile);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    RR_ASSIGN_OR_RETURN(Facts facts, Allowed(hosts[i], i < ports.size() ? ports[i] : std::nullopt));
    pairing.facts_.push_back(std::move(facts));
  }
  return pairing;
}

const Port* StressPairing::PortOf(std::size_t host, const PortSelection& port) const {
  return FindPort(facts_[host], port);
}

absl::StatusOr<std::vector<PairJob>> StressPairing::JobsWith(std::size_t from, std::size_t to,
                                                             const Facts& to_facts) const {
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

absl::StatusOr<std::vector<PairJob>> StressPairing::Jobs(std::size_t from, std::size_t to) const {
  return JobsWith(from, to, facts_[to]);
}

absl::StatusOr<std::vector<PairJob>> StressPairing::JobsTo(std::size_t from, std::size_t to,
                                                           const Port& port) const {
  return JobsWith(from, to, FactsOf(port));
}

StressPair StressPairing::PairOf(PairJob job) const {
  StressPair pair{.job = std::move(job)};
  pair.flow = {.from = hosts_[pair.job.from].name,
               .to = hosts_[pair.job.to].name,
               .from_ethernet = pair.job.place.ethernet,
               .to_ethernet = pair.job.place.peer_ethernet,
               .software = pair.job.place.software};
  if (const Port* port = PortOf(pair.job.from, pair.job.from_port))
    pair.flow.sender_has_pfc = HasPfc(*port, profile_->rdma_priority);
  return pair;
}

}  // namespace rdmaready
