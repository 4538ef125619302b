// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;

std::vector<NicStatistic> BytesBy(std::uint64_t unmarked, std::uint64_t marked) {
  return {{.counter = NicCounter::kBytesReceived, .priority = 0, .name = "rx_prio0_bytes", .value = unmarked},
          {.counter = NicCounter::kBytesSent, .priority = 0, .name = "tx_prio0_bytes", .value = unmarked},
          {.counter = NicCounter::kBytesReceived, .priority = 3, .name = "rx_prio3_bytes", .value = marked},
          {.counter = NicCounter::kBytesSent, .priority = 3, .name = "tx_prio3_bytes", .value = marked}};
}

Facts Served(Fact<std::vector<NicStatistic>> statistics, Fact<std::vector<Counter>> counters) {
  return WithHardware([&](Port& port, PciFunction&) {
    Netdev netdev = *port.netdev;
    netdev.statistics = statistics;
    port.netdev = netdev;
    port.hw_counters = counters;
  });
}

}  // namespace

std::vector<CheckCase> PriorityCountedCases() {
  using Counters = std::vector<Counter>;
  const char* id = "cnt.rdma-priority";
  const Counters some{{"rx_write_requests", 88'120}, {"rx_read_requests", 3'000}};
  return {
      Passes(id, "on its priority", Served(BytesBy(0, kGigabyte), some), "2.00 GB on priority 3 since boot"),
      Fails(id, "all unmarked", Served(BytesBy(kGigabyte, 0), some),
            "priority 3 has counted no byte since boot, priority 0 2.00 GB, and 91120 requests of RDMA came"),
      IsUnknown(id, "statistics denied", Served(Denied(), some), "not permitted"),
      IsUnknown(id, "counters denied", Served(BytesBy(kGigabyte, 0), Denied()), "not permitted"),
      DoesNotApply(id, "nobody asked yet", Served(BytesBy(kGigabyte, 0), Counters{{"rx_write_requests", 0}}),
                   "no request of RDMA came yet"),
      DoesNotApply(id, "requests not counted", Served(BytesBy(kGigabyte, 0), Counters{}),
                   "does not count RDMA's requests"),
      DoesNotApply(id, "bytes not counted", Served(std::vector<NicStatistic>{}, some), "no bytes by priority"),
      DoesNotApply(id, "a software device", GoodHost(), "a software device"),
      DoesNotApply(id, "no priority", Served(BytesBy(kGigabyte, 0), some), "does not ask",
                   {.profile = Profile{.name = "any"}})};
}

}  // namespace rdmaready
