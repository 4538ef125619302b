// SPDX-License-Identifier: Apache-2.0
#include "checks/live/ets_classes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "checks/dcb/app_rows.h"
#include "checks/words/ethernet.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr double kMostOfAFlow = 0.9;  // of the packets that the NIC sent while it was alone
constexpr double kFewestPackets = 100;
constexpr unsigned kWholePercent = 100;

// The priority in which the sender's NIC counted nearly all of what it sent.
std::optional<std::uint32_t> CountedPriority(const StressFlow& alone) {
  if (alone.counters.empty() || !alone.counters[0].packets) return std::nullopt;
  const std::array<std::uint64_t, kPriorities>& sent = alone.counters[0].packets->sent;
  const double all = std::accumulate(sent.begin(), sent.end(), 0.0);
  const auto most = std::ranges::max_element(sent);
  if (all < kFewestPackets || static_cast<double>(*most) < all * kMostOfAFlow) return std::nullopt;
  return static_cast<std::uint32_t>(most - sent.begin());
}

// The priority of the mark; `why` says why it is not known. Packets without a mark are best effort.
std::optional<std::uint32_t> MarkedPriority(const Netdev& netdev, std::optional<std::uint8_t> tos,
                                            std::string& why) {
  if (!tos) return 0;
  const auto dscp = static_cast<std::uint8_t>(*tos >> 2U);
  if (IgnoresDscpRows(netdev.driver)) {
    why = Cat("the NIC does not count its packets, and its driver gives it no map of DSCP");
    return std::nullopt;
  }
  const Fact<DscpPriorities> mapped = PrioritiesOfDscp(netdev, dscp);
  if (!mapped) {
    why = mapped.missing().detail;
    return std::nullopt;
  }
  if (mapped->priorities.empty()) return 0;
  if (mapped->priorities.size() == 1) return mapped->priorities.front();
  why = Cat("DSCP ", dscp, " has the priorities ", ListText(mapped->priorities));
  return std::nullopt;
}

std::string_view WhyNoShare(Tsa tsa) {
  switch (tsa) {
    case Tsa::kStrict:
      return "strict: it may take all";
    case Tsa::kCbShaper:
      return "shaped by credits, not by a share";
    case Tsa::kVendor:
      return "scheduled in the vendor's own way";
    case Tsa::kEts:
      break;
  }
  return "scheduled in a way that is not known";
}

// Finds the class of its priority. The text says why it has no share; empty: it has one.
std::string PutIntoClass(const Ets& ets, std::string_view name, EtsClass& one) {
  if (*one.priority >= kPriorities) return Cat(name, " has priority ", *one.priority, ", which cannot be");
  const unsigned tc = ets.prio_tc[*one.priority];
  if (tc >= kPriorities) return Cat(name, " is in traffic class ", tc, ", which cannot be");
  one.traffic_class = tc;
  one.selection = ets.tsa[tc];
  if (ets.tsa[tc] != Tsa::kEts) return Cat("traffic class ", tc, " of ", name, " is ", WhyNoShare(ets.tsa[tc]));
  const unsigned percent = ets.tx_percent[tc];
  if (percent > kWholePercent)
    return Cat("traffic class ", tc, " of ", name, " has ", percent, " %, which cannot be");
  return {};
}

std::string Configure(const Ets& ets, EtsClasses& classes) {
  const std::string of_rdma = PutIntoClass(ets, "RDMA", classes.rdma);
  const std::string of_tcp = PutIntoClass(ets, "TCP", classes.tcp);
  if (classes.rdma.traffic_class && classes.rdma.traffic_class == classes.tcp.traffic_class)
    return Cat("RDMA on priority ", *classes.rdma.priority, " and TCP on priority ", *classes.tcp.priority,
               " are both in traffic class ", *classes.rdma.traffic_class, ", which has one share");
  if (!of_rdma.empty()) return of_rdma;
  if (!of_tcp.empty()) return of_tcp;
  const unsigned rdma = ets.tx_percent[*classes.rdma.traffic_class];
  const unsigned both = rdma + ets.tx_percent[*classes.tcp.traffic_class];
  if (both == 0) return "neither class has a share";
  constexpr unsigned kPermille = 1000;
  classes.rdma.configured_permille = (rdma * kPermille + both / 2) / both;
  classes.tcp.configured_permille = kPermille - *classes.rdma.configured_permille;
  return {};
}

std::string FindPriorities(const EtsRun& run, const Netdev& netdev, const Profile& profile,
                           EtsClasses& classes) {
  classes.rdma.priority = CountedPriority(run.rdma_alone);
  classes.tcp.priority = CountedPriority(run.tcp_alone);
  classes.rdma.counted = classes.rdma.priority.has_value();
  classes.tcp.counted = classes.tcp.priority.has_value();
  if (!classes.rdma.priority && profile.rdma_priority) classes.rdma.priority = *profile.rdma_priority;
  if (!classes.rdma.priority)
    return "the priority of RDMA is not known: the NIC does not count its packets, and the profile names none";
  std::string why;
  if (!classes.tcp.priority) classes.tcp.priority = MarkedPriority(netdev, run.tcp_tos, why);
  return classes.tcp.priority ? std::string() : Cat("the priority of TCP is not known: ", why);
}

}  // namespace

EtsClasses FindEtsClasses(const EtsRun& run, const Port& sender, const Profile& profile) {
  EtsClasses classes;
  const std::vector<NetdevRef> ports = EthernetPortsOf(sender);
  if (!ports.front()) {
    classes.why_unknown = Cat("the sender's Ethernet port is not known: ", ports.front().missing().detail);
    return classes;
  }
  const Netdev& netdev = *ports.front();
  classes.netdev = netdev.name;
  if (ports.size() > 1) {
    classes.why_unknown = "RDMA and TCP may leave by different members of the bond";
    return classes;
  }
  classes.why_unknown = FindPriorities(run, netdev, profile, classes);
  if (!classes.why_unknown.empty()) return classes;
  classes.why_unknown = netdev.dcb.ets
                            ? Configure(*netdev.dcb.ets, classes)
                            : Cat("ETS of the sender is not known: ", netdev.dcb.ets.missing().detail);
  return classes;
}

}  // namespace rdmaready
