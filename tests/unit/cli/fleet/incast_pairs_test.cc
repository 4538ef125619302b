// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/incast_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t k25Gbps = 3'125'000'000;

struct Rail {
  std::string device{};
  std::string address{};
};

Port RailPort(const Rail& rail) {
  Port port = GoodPort();
  port.device = rail.device;
  Netdev netdev = GoodNetdev();
  netdev.name = "eth-" + rail.device;
  netdev.addresses = std::vector<IpAddress>{{.address = rail.address, .prefix_length = 24}};
  port.netdev = netdev;
  return port;
}

Facts RailHost(const std::vector<Rail>& rails) {
  std::vector<Port> ports;
  for (const Rail& rail : rails) ports.push_back(RailPort(rail));
  Facts facts = GoodHost();
  facts.ports = ports;
  return facts;
}

// Hosts a, b, ...: the first two send to the third, and the next two are the victim.
struct IncastHosts {
  std::vector<Facts> facts{};
  IncastPlan plan{.senders = {0, 1}, .receiver = 2};

  absl::StatusOr<IncastPairs> Choose() {
    std::vector<PlanHost> hosts;
    for (std::size_t i = 0; i < facts.size(); ++i)
      hosts.push_back({.name = std::string(1, static_cast<char>('a' + i)), .facts = &facts[i]});
    if (hosts.size() > 4) plan.victim = {3, 4};
    return ChooseIncastPairs(hosts, plan, VirtualFabricProfile());
  }
};

IncastHosts OneRail() {
  IncastHosts hosts;
  for (const char* address : {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"})
    hosts.facts.push_back(RailHost({{"rxe0", address}}));
  return hosts;
}

void HearASwitch(const std::string& chassis, Facts& host) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports[0].netdev;
  netdev.lldp_agent = LldpHeard{
      .peers = {
          {.chassis = {.subtype = 4, .text = chassis}, .capabilities = 0x04, .capabilities_enabled = 0x04}}};
  ports[0].netdev = netdev;
  host.ports = ports;
}

TEST(IncastPairs, KeepsThePortsThatTextsName) {
  const absl::StatusOr<IncastPairs> pairs = OneRail().Choose();
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  ASSERT_EQ(pairs->senders.size(), 2U);
  const StressFlow& flow = pairs->senders[1].flow;
  EXPECT_EQ(flow.from + flow.to, "bc");
  EXPECT_EQ(flow.from_ethernet, "eth-rxe0");
  EXPECT_EQ(flow.to_ethernet, "eth-rxe0");
  EXPECT_TRUE(flow.software);
  EXPECT_EQ(flow.sender_has_pfc, true);
  EXPECT_EQ(pairs->senders[1].job.from, 1U);
  EXPECT_EQ(pairs->senders[1].job.to, 2U);
  EXPECT_EQ(pairs->run.victim_elsewhere, "");
}

TEST(IncastPairs, TakesThePortThatAllSendersReach) {
  IncastHosts hosts;
  hosts.facts = {RailHost({{"mlx5_0", "10.0.0.1"}, {"mlx5_1", "10.0.1.1"}}), RailHost({{"mlx5_3", "10.0.1.2"}}),
                 RailHost({{"mlx5_0", "10.0.0.3"}, {"mlx5_2", "10.0.1.3"}})};
  const absl::StatusOr<IncastPairs> pairs = hosts.Choose();
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(pairs->senders[0].job.from_port.device, "mlx5_1");
  EXPECT_EQ(pairs->senders[1].job.from_port.device, "mlx5_3");
  for (const StressPair& sender : pairs->senders) EXPECT_EQ(sender.job.to_port.device, "mlx5_2");
}

TEST(IncastPairs, UsesThePortThatIsNamedOfAHost) {
  IncastHosts hosts;
  hosts.facts = {RailHost({{"mlx5_0", "10.0.0.1"}, {"mlx5_1", "10.0.1.1"}}),
                 RailHost({{"mlx5_0", "10.0.0.2"}, {"mlx5_1", "10.0.1.2"}}),
                 RailHost({{"mlx5_0", "10.0.0.3"}, {"mlx5_2", "10.0.1.3"}})};
  hosts.plan.ports = {std::nullopt, std::nullopt, PortSelection{.device = "mlx5_2", .number = 1}};
  const absl::StatusOr<IncastPairs> pairs = hosts.Choose();
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  for (const StressPair& sender : pairs->senders) EXPECT_EQ(sender.job.from_port.device, "mlx5_1");
  hosts.plan.ports[0] = PortSelection{.device = "mlx5_9", .number = 1};
  EXPECT_EQ(hosts.Choose().status(), absl::NotFoundError("host a has no RDMA port mlx5_9/1"));
}

TEST(IncastPairs, RefusesSendersThatReachNoPortTogether) {
  IncastHosts hosts;
  hosts.facts = {RailHost({{"rxe0", "10.0.0.1"}}), RailHost({{"rxe0", "10.0.1.2"}}),
                 RailHost({{"rxe0", "10.0.0.3"}, {"rxe1", "10.0.1.3"}})};
  const absl::Status refused = hosts.Choose().status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("no port of c is reached by all senders"));
  hosts.facts[1] = RailHost({{"rxe0", "10.0.7.2"}});
  const absl::StatusOr<IncastPairs> routed = hosts.Choose();
  ASSERT_TRUE(routed.ok()) << routed.status();
  EXPECT_EQ(routed->senders[1].job.to_port.device, "rxe0") << "a route may lead there";
  hosts.facts[1] = RailHost({});
  EXPECT_TRUE(absl::IsFailedPrecondition(hosts.Choose().status())) << "nothing leads there";
}

TEST(IncastPairs, TakesTheVictimsPortsInTheSubnetOfTheReceivers) {
  IncastHosts hosts = OneRail();
  hosts.facts[3] = RailHost({{"rxe1", "10.0.1.4"}, {"rxe0", "10.0.0.4"}});
  hosts.facts[4] = RailHost({{"rxe1", "10.0.1.5"}, {"rxe0", "10.0.0.5"}});
  absl::StatusOr<IncastPairs> pairs = hosts.Choose();
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(pairs->victim->job.from_port.device, "rxe0");
  EXPECT_EQ(pairs->run.victim_elsewhere, "");
  hosts.facts[3] = RailHost({{"rxe1", "10.0.1.4"}});
  pairs = hosts.Choose();
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_THAT(pairs->run.victim_elsewhere, HasSubstr("not in the subnet of the receiver's port"));
}

TEST(IncastPairs, ShowsAVictimAtAnotherSwitch) {
  IncastHosts hosts = OneRail();
  for (Facts& host : hosts.facts) HearASwitch("02:00:00:00:00:01", host);
  EXPECT_EQ(hosts.Choose()->run.victim_elsewhere, "");
  HearASwitch("02:00:00:00:00:02", hosts.facts[4]);
  EXPECT_EQ(hosts.Choose()->run.victim_elsewhere, "by LLDP the ports are on several switches");
}

TEST(IncastPairs, ReckonsTheRatesOfReceiverAndSenders) {
  IncastHosts hosts = OneRail();
  EXPECT_EQ(hosts.Choose()->run.drain_bytes_per_s, k25Gbps);
  EXPECT_FALSE(hosts.Choose()->run.drain_is_given);
  EXPECT_EQ(hosts.Choose()->run.offered_bytes_per_s, 2 * k25Gbps);
  hosts.plan.how.max_bytes_per_s = 1'000'000;
  EXPECT_EQ(hosts.Choose()->run.offered_bytes_per_s, 2'000'000U);
  hosts.plan.drain_bytes_per_s = 5'000'000;
  EXPECT_EQ(hosts.Choose()->run.drain_bytes_per_s, 5'000'000U);
  EXPECT_TRUE(hosts.Choose()->run.drain_is_given);
}

TEST(IncastPairs, ReckonsALinkWithoutASpeedAsTheRdmaStackDoes) {
  IncastHosts hosts = OneRail();
  std::vector<Port> ports = *hosts.facts[2].ports;
  Netdev netdev = *ports[0].netdev;
  netdev.speed_mbps = Missing{};
  ports[0].netdev = netdev;
  ports[0].rate_mbps = 100'000;
  hosts.facts[2].ports = ports;
  EXPECT_EQ(hosts.Choose()->run.drain_bytes_per_s, 4 * k25Gbps);
  ports[0].rate_mbps = Missing{};
  hosts.facts[2].ports = ports;
  EXPECT_EQ(hosts.Choose()->run.drain_bytes_per_s, 0U);
}

}  // namespace
}  // namespace rdmaready
