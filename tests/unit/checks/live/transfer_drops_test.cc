// SPDX-License-Identifier: Apache-2.0
// A transfer whose bytes all arrived, beside what the NICs of its ends counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "checks/live/transfer.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using Kind = CounterChange::Kind;

TransferResult WholeWrite() {
  return {.case_name = "write-512k",
          .operation = Operation::kWrite,
          .message_bytes = 512 * 1024,
          .transport = "roce-v2",
          .messages = 80,
          .bytes = 80ULL * 512 * 1024,
          .bytes_verified = 80ULL * 512 * 1024,
          .elapsed_ns = 500'000'000,
          .throughput_bytes_per_s = 61'200'000,
          .worst_interval_bytes_per_s = 58'900'000};
}

TransferPlace BetweenNics() {
  return {.rung = Rung::kPeer,
          .subject = "mlx5_0/1 -> mlx5_0/1",
          .netdev = "eth0",
          .ethernet = "eth0",
          .peer_ethernet = "eth1",
          .peer_host = "node2",
          .host = "node1"};
}

// A NIC of the responder dropped frames of that priority.
Finding JudgedDrops(std::optional<std::uint32_t> priority, std::optional<std::uint32_t> foreign_permille,
                    bool lossless = true) {
  TransferPlace place = BetweenNics();
  place.lossless = lossless;
  place.rdma_priority = 3;
  const TransferResult result = WholeWrite();
  std::vector<EndCounters> ends{{"node1", "mlx5_0/1", std::vector<CounterChange>{}},
                                {"node2", "mlx5_0/1", std::vector<CounterChange>{}, {}, foreign_permille}};
  ends[1].nic = std::vector<NicChange>{{.netdev = "eth1",
                                        .counter = NicCounter::kDropReceived,
                                        .priority = priority,
                                        .change = {"rx_discards", Kind::kGrew, 5}}};
  return JudgeTransfer(result, place, ends);
}

TEST(JudgeTransfer, FailsForFramesThatANicDroppedInTheLosslessPriority) {
  const Finding finding = JudgedDrops(3, 0);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(finding.observed, HasSubstr("rx_discards +5 on node2 eth1"));
  EXPECT_THAT(finding.observed, HasSubstr("first lost in node2's NIC eth1"));
  EXPECT_EQ(JudgedDrops(3, 200).outcome, Outcome::kUnknown) << "others may have lost them";
  EXPECT_EQ(JudgedDrops(3, std::nullopt).outcome, Outcome::kWarn);
  EXPECT_EQ(JudgedDrops(3, 0, false).outcome, Outcome::kPass) << "the profile wants no lossless path";
  EXPECT_EQ(JudgedDrops(0, 0).outcome, Outcome::kPass) << "another priority";
}

TEST(JudgeTransfer, RepairsTheLossThatMadeATransferFail) {
  TransferPlace place = BetweenNics();
  place.lossless = true;
  place.rdma_priority = 3;
  TransferResult result = WholeWrite();
  result.failure = {FailureKind::kCompletion, "transport retry counter exceeded"};
  std::vector<EndCounters> ends{{"node1", "mlx5_0/1", std::vector<CounterChange>{}},
                                {"node2", "mlx5_0/1", std::vector<CounterChange>{}}};
  EXPECT_EQ(JudgeTransfer(result, place, ends).fix.find("dcb pfc"), std::string::npos);
  ends[1].nic = std::vector<NicChange>{{.netdev = "eth1",
                                        .counter = NicCounter::kDropReceived,
                                        .priority = 3,
                                        .change = {"rx_prio3_discards", Kind::kGrew, 5}}};
  const Finding finding = JudgeTransfer(result, place, ends);
  EXPECT_EQ(finding.outcome, Outcome::kFail);
  EXPECT_THAT(finding.fix, HasSubstr("dcb pfc show dev eth1"));
}

TEST(JudgeTransfer, WarnsOfDropsWithoutAPriorityOnAQuietPort) {
  EXPECT_EQ(JudgedDrops(std::nullopt, 100).outcome, Outcome::kWarn);
  EXPECT_EQ(JudgedDrops(std::nullopt, 101).outcome, Outcome::kPass);
  EXPECT_EQ(JudgedDrops(std::nullopt, std::nullopt).outcome, Outcome::kPass);
}

TEST(JudgeTransfer, WarnsOfFramesThatTheSenderDroppedWhileItsLinkWasUp) {
  TransferPlace place = BetweenNics();
  place.lossless = true;
  place.rdma_priority = 3;
  std::vector<EndCounters> ends{{"node1", "mlx5_0/1", std::vector<CounterChange>{}, {}, 0},
                                {"node2", "mlx5_0/1", std::vector<CounterChange>{}}};
  std::vector<NicChange> changes{
      {.netdev = "eth0", .counter = NicCounter::kDropSent, .change = {"tx_discards_phy", Kind::kGrew, 5}}};
  ends[0].nic = changes;
  const Finding finding = JudgeTransfer(WholeWrite(), place, ends);
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_THAT(finding.observed, HasSubstr("first lost in node1's NIC eth0"));
  changes.push_back(
      {.netdev = "eth0", .counter = NicCounter::kLinkDown, .change = {"link_down_events_phy", Kind::kGrew, 1}});
  ends[0].nic = changes;
  const Finding flapped = JudgeTransfer(WholeWrite(), place, ends);
  EXPECT_EQ(flapped.outcome, Outcome::kPass) << flapped.observed;
  EXPECT_THAT(flapped.observed, HasSubstr("tx_discards_phy +5, link_down_events_phy +1 on node1 eth0"));
}

TEST(JudgeTransfer, WarnsOfFlowControlThatFailed) {
  TransferPlace place = BetweenNics();
  const TransferResult result = WholeWrite();
  std::vector<EndCounters> ends{{"node1", "mlx5_0/1", std::vector<CounterChange>{}},
                                {"node2", "mlx5_0/1", std::vector<CounterChange>{}}};
  ends[1].nic = std::vector<NicChange>{
      {.netdev = "eth1", .counter = NicCounter::kPauseStormError, .change = {"storm", Kind::kGrew, 1}}};
  const Finding finding = JudgeTransfer(result, place, ends);
  EXPECT_EQ(finding.outcome, Outcome::kWarn);
  EXPECT_THAT(finding.observed, HasSubstr("paused its partner for too long: storm +1"));
}

}  // namespace
}  // namespace rdmaready
