// SPDX-License-Identifier: Apache-2.0
// The least of each 100 ms of a transfer that a profile asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "checks/live/transfer.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

TransferResult Written(std::string_view name = "write-512k") {
  return {.case_name = std::string(name),
          .operation = Operation::kWrite,
          .message_bytes = 512 * 1024,
          .messages = 80,
          .bytes = 80ULL * 512 * 1024,
          .bytes_verified = 80ULL * 512 * 1024,
          .elapsed_ns = 500'000'000,
          .throughput_bytes_per_s = 61'200'000,
          .worst_interval_bytes_per_s = 58'900'000};
}

TransferPlace Demanding() {
  return {.rung = Rung::kPeer,
          .subject = "mlx5_0/1 -> mlx5_0/1",
          .min_throughput_mbps = 400,
          .peer_host = "b",
          .host = "a"};
}

TEST(WorstInterval, FailsBelowWhatTheProfileAsksFor) {
  TransferPlace place = Demanding();
  place.min_worst_mbps = 471;  // 58.9 MB/s are 471.2
  EXPECT_EQ(JudgeTransfer(Written(), place).outcome, Outcome::kPass);
  place.min_worst_mbps = 472;
  const Finding slow = JudgeTransfer(Written(), place);
  EXPECT_EQ(slow.outcome, Outcome::kFail);
  EXPECT_THAT(slow.expected, HasSubstr("at 472 Mb/s or more in each 100 ms"));
  EXPECT_THAT(slow.observed, HasSubstr("that is 471 Mb/s in the worst 100 ms"));
  EXPECT_THAT(WhatToDo(slow), HasSubstr("rdmaready test peer a b --case write-512k --duration 10s"));
  EXPECT_EQ(JudgeTransfer(Written("read-8k"), place).outcome, Outcome::kPass);
  place.min_throughput_mbps.reset();
  TransferResult stalled = Written();
  stalled.worst_interval_bytes_per_s = 0;
  EXPECT_EQ(JudgeTransfer(stalled, place).outcome, Outcome::kFail);
  place.software = true;
  EXPECT_EQ(JudgeTransfer(stalled, place).outcome, Outcome::kPass);
}

TEST(WorstInterval, IsNotKnownOfAShortTransfer) {
  TransferPlace place = Demanding();
  place.min_worst_mbps = 10;
  TransferResult brief = Written();
  brief.elapsed_ns = 99'999'999;
  brief.worst_interval_bytes_per_s = 0;
  EXPECT_EQ(JudgeTransfer(brief, place).outcome, Outcome::kUnknown);
  place.min_throughput_mbps = 10'000;
  EXPECT_EQ(JudgeTransfer(brief, place).outcome, Outcome::kFail)
      << "it is too slow, whatever its worst interval";
}

}  // namespace
}  // namespace rdmaready
