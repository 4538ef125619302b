// SPDX-License-Identifier: Apache-2.0
// cnt.rdma-priority: by the NIC's own counters RDMA's priority is used, since boot.
#include <algorithm>
#include <array>
#include <optional>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPriorityBytesSource = "ethtool statistics, sysfs hw_counters";

// Sent and received; nothing where the driver does not count them by priority.
std::optional<std::uint64_t> BytesOf(const std::vector<NicStatistic>& statistics, std::uint8_t priority) {
  std::optional<std::uint64_t> sum;
  for (const NicStatistic& one : statistics) {
    const bool bytes = one.counter == NicCounter::kBytesReceived || one.counter == NicCounter::kBytesSent;
    if (bytes && one.priority == priority) sum = sum.value_or(0) + one.value;
  }
  return sum;
}

// Requests of peers that RDMA has served: their names with mlx5 and bnxt.
std::optional<std::uint64_t> ServedRequests(const std::vector<Counter>& counters) {
  constexpr std::array<std::string_view, 4> kNames{"rx_write_req", "rx_read_req", "rx_atomic_req",
                                                   "rx_send_req"};
  std::optional<std::uint64_t> sum;
  for (const Counter& one : counters) {
    const bool request =
        std::ranges::any_of(kNames, [&one](std::string_view name) { return one.name.starts_with(name); });
    if (request) sum = sum.value_or(0) + one.value;
  }
  return sum;
}

std::string PriorityNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (view.profile.rdma_priority.value_or(0) == 0) return NotAsked(view.profile, "a priority of RDMA's own");
  if (IsSoftware(view.port)) return "a software device has no counters by priority";
  if (DriverLacks(view.netdev, NetdevFact(view.netdev, &Netdev::statistics)))
    return "the driver has no statistics";
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return counters.missing().detail;
  if (counters && !ServedRequests(*counters)) return "the driver does not count RDMA's requests";
  if (counters && *ServedRequests(*counters) == 0) return "no request of RDMA came yet";
  const bool known = view.netdev && view.netdev->statistics;
  if (known && !BytesOf(*view.netdev->statistics, *view.profile.rdma_priority))
    return "the driver counts no bytes by priority";
  return {};
}

Verdict JudgeCntRdmaPriority(const EthernetView& view) {
  if (std::string reason = PriorityNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("RDMA's bytes on priority ", priority);
  const FactRef<std::vector<NicStatistic>> statistics = NetdevFact(view.netdev, &Netdev::statistics);
  if (!statistics) return NoAnswer(statistics.missing(), expected, kPriorityBytesSource);
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (!counters) return NoAnswer(counters.missing(), expected, kPriorityBytesSource);
  const std::uint64_t own = BytesOf(*statistics, priority).value_or(0);
  const std::uint64_t unmarked = BytesOf(*statistics, 0).value_or(0);
  const std::string observed =
      own > 0 ? Cat(VolumeText(own), " on priority ", priority, " since boot")
              : Cat("priority ", priority, " has counted no byte since boot, priority 0 ", VolumeText(unmarked),
                    ", and ", CountText(*ServedRequests(*counters), "request"), " of RDMA came");
  return Judged(own > 0, observed, expected, kPriorityBytesSource);
}

}  // namespace

std::vector<Check> PriorityCountedChecks() {
  return {
      {.id = "cnt.rdma-priority",
       .title = "RDMA's traffic is found on its priority",
       .why = "Traffic without a mark is in priority 0, whatever PFC and classes are set to: nothing protects "
              "it there",
       .fix = Fix("ethtool -S {netdev}")
                  .Because("the programs that connect do not mark their traffic")
                  .Do("let them mark it: RDMA-CM's ToS, NCCL_IB_TC of jobs, --tos of tests")
                  .CheckBy("ethtool -S {netdev}"),
       .depends_on = {"link.state", "inv.transport"},
       .judge = JudgeCntRdmaPriority},
  };
}

}  // namespace rdmaready
