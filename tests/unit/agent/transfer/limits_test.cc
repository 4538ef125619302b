// SPDX-License-Identifier: Apache-2.0
// What a caller may ask of a live test, and what not.
#include "agent/transfer/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/transfer/data.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(Limits, LeaveEveryCaseAsItIsWithoutOptions) {
  for (const TransferCase& test : CasesOn(Rung::kPeer)) {
    const absl::StatusOr<TransferCase> custom = Customized(test, {});
    ASSERT_TRUE(custom.ok()) << custom.status();
    EXPECT_EQ(custom->depth, test.depth);
    EXPECT_EQ(custom->duration, test.duration);
    EXPECT_EQ(custom->deadline, test.deadline);
  }
}

TEST(Limits, TakeDepthAndDurationAndGiveTheDeadlineAsMuch) {
  const TransferCase& test = *FindCase("write-8k");
  const TransferCase custom = *Customized(test, {.depth = 128, .duration = milliseconds(5'500)});
  EXPECT_EQ(custom.depth, 128u);
  EXPECT_EQ(custom.duration, milliseconds(5'500));
  EXPECT_EQ(custom.deadline, test.deadline + milliseconds(5'000));
}

TEST(Limits, EndAPartOfAStressTestSoonAfterItsTime) {
  const TransferCase& test = *FindCase("write-8k");
  const TransferOptions stress{.duration = milliseconds(8'000), .stress = true};
  EXPECT_EQ(Customized(test, stress)->deadline, milliseconds(13'000));
  RunOptions run;
  Apply(stress, 1, {}, run);
  EXPECT_GT(run.set_up_limit, milliseconds(20'000)) << "the caller waits so long for all parts";
  EXPECT_GT(run.stall_limit, milliseconds(2 * 4'300)) << "a timeout does not count as a stall";
  EXPECT_TRUE(run.counts_missed_turns);
  EXPECT_TRUE(run.keep_intervals);
  EXPECT_TRUE(run.says_began);
  EXPECT_EQ(run.interval_ms, 100U);
  TransferOptions finer = stress;
  finer.interval_ms = 20;
  EXPECT_TRUE(Customized(*FindCase("write-8k"), finer).ok());
  Apply(finer, 1, {}, run);
  EXPECT_EQ(run.interval_ms, 20U);
  RunOptions plain;
  Apply({}, 1, {}, plain);
  EXPECT_EQ(plain.set_up_limit, milliseconds(0));
  EXPECT_FALSE(plain.counts_missed_turns);
  EXPECT_FALSE(plain.says_began);
}

TEST(Limits, GiveAPacketMoreTimeWhereThePortIsSlowOrItsRateIsNotKnown) {
  EXPECT_EQ(StressAckTimeout(Missing{Missing::Kind::kUnsupported, "driver reports unknown speed"}),
            kStressAckTimeout);
  EXPECT_EQ(StressAckTimeout(999), kStressAckTimeout);
  EXPECT_EQ(StressAckTimeout(1'000), kAckTimeout);
  EXPECT_EQ(StressAckTimeout(100'000), kAckTimeout);
}

TEST(Limits, KeepSendAPingPong) { EXPECT_EQ(Customized(*FindCase("send-1k"), {.depth = 64})->depth, 1u); }

TEST(Limits, RefuseWhatIsTooMuchAndSayHowMuchIsNot) {
  const TransferCase& test = *FindCase("write-8k");
  struct Absurd {
    TransferOptions options;
    const char* words;
  };
  for (const Absurd& absurd : std::vector<Absurd>{
           {{.qps = 17}, "17 queue pairs: 1 to 16"},
           {{.qps = 0}, "0 queue pairs"},
           {{.qps = ~0u}, "1 to 16 are allowed"},
           {{.depth = 1025}, "1025 messages in flight: up to 1024"},
           {{.depth = ~0u}, "up to 1024"},
           {{.duration = milliseconds(60'001)}, "up to 60 s are allowed by the agent's --test-max-time"},
           {{.duration = milliseconds(-1)}, "up to 60 s"},
           {{.interval_ms = 20}, "intervals of 20 ms: a stress test may have those of 10, 20, 50 and 100 ms"},
           {{.stress = true, .interval_ms = 7}, "intervals of 7 ms"},
           {{.stress = true, .interval_ms = 1'000}, "intervals of 1000 ms"},
           {{.qps = 16, .depth = 1024}, "of memory, up to"},
           {{.bidirectional = true, .qps = 8, .depth = 1024}, "in each direction"}}) {
    const absl::Status status = Customized(test, absurd.options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(absurd.words));
  }
}

TEST(Limits, RefuseSmbDirectOverAPlainVerbsConnection) {
  const TransferOptions plain{.connection = ConnectionKind::kVerbs};
  const absl::Status status = Customized(*FindCase("smbd-8k"), plain).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("SMB Direct connects by RDMA-CM alone"));
  EXPECT_TRUE(Customized(*FindCase("write-8k"), plain).ok());
}

TEST(Limits, HoldForTheLargestThatIsAllowed) {
  for (const TransferCase& test : CasesOn(Rung::kPeer)) {
    for (const std::uint32_t qps : {1u, 4u, 16u}) {
      const TransferOptions options{.bidirectional = true, .qps = qps, .depth = 32};
      const absl::StatusOr<TransferCase> custom = Customized(test, options);
      if (!custom.ok()) continue;
      EXPECT_LE(std::uint64_t{2} * qps * PinnedBytesOf(*custom), kMaxPinnedBytes);
    }
  }
}

TEST(Limits, CountTheReceivesOfSmbDirect) {
  EXPECT_EQ(PinnedBytesOf(*FindCase("send-1k")), 2u * kSendSlots * 1'024);
  EXPECT_EQ(PinnedBytesOf(*FindCase("write-8k")), 64u * 8'192);
  const std::uint64_t messages = PinnedBytesOf(*FindCase("smbd-send-1k"));
  EXPECT_GE(messages, 256u * 1'364 + 2 * 2 * 1'024);
  EXPECT_LE(messages, 256u * 1'364 + 2 * 2 * 1'024 + 256 * 32);
  EXPECT_GT(PinnedBytesOf(*FindCase("smbd-8k")), 32u * 8'192 + 256u * 1'364);
  const absl::Status status =
      Customized(*FindCase("smbd-fragments"), {.bidirectional = true, .qps = 16}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST(Limits, LeaveEveryCaseOfSmbDirectAsItIs) {
  for (const TransferCase& test : CasesOn(Rung::kSmbDirect)) {
    EXPECT_TRUE(Customized(test, {}).ok()) << test.name;
    EXPECT_TRUE(Customized(test, {.bidirectional = true}).ok()) << test.name;
  }
}

TEST(Limits, LetOnlyPlainCasesGoOverTcp) {
  const auto refusal = [](const char* name, const TransferOptions& options) {
    return std::string(Customized(*FindCase(name), options).status().message());
  };
  EXPECT_EQ(refusal("write-512k", {.stress = true, .over_tcp = true}), "");
  EXPECT_EQ(refusal("send-1k", {.over_tcp = true}), "");
  EXPECT_THAT(refusal("smbd-8k", {.stress = true, .over_tcp = true}), HasSubstr("SMB Direct"));
  EXPECT_THAT(refusal("write-512k", {.connection = ConnectionKind::kRdmaCm, .stress = true, .over_tcp = true}),
              HasSubstr("a connection of RDMA"));
}

TEST(Limits, RefuseAnIdleTimeBeforeAPartOfAStressTest) {
  EXPECT_TRUE(Customized(*FindCase("write-512k"), {.measure_cpu = true}).ok());
  EXPECT_EQ(Customized(*FindCase("write-512k"), {.stress = true, .measure_cpu = true}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Limits, KeepNumberedWritesSmallPlainAndAlone) {
  const auto refusal = [](const char* name, TransferOptions options) {
    options.numbered = true;
    return std::string(Customized(*FindCase(name), options).status().message());
  };
  EXPECT_EQ(refusal("write-8k", {}), "");
  EXPECT_EQ(Customized(*FindCase("write-8k"), {.numbered = true})->depth, kMostNumberedDepth);
  for (const char* name : {"write-512k", "read-8k", "send-1k", "smbd-8k"})
    EXPECT_THAT(refusal(name, {}), HasSubstr("plain RDMA writes of at most 64 KB")) << name;
  EXPECT_THAT(refusal("write-8k", {.over_tcp = true}), HasSubstr("plain RDMA writes"));
  for (const TransferOptions& beside : {TransferOptions{.verify = false},
                                        {.bidirectional = true},
                                        {.qps = 2},
                                        {.max_bytes = 1},
                                        {.max_bytes_per_s = 1},
                                        {.stress = true},
                                        {.measure_cpu = true},
                                        {.in_production = true},
                                        {.busy_poll = true}})
    EXPECT_THAT(refusal("write-8k", beside), HasSubstr("have no other option"));
  EXPECT_THAT(refusal("write-8k", {.depth = 17}), HasSubstr("17 numbered writes under way: up to 16"));
  EXPECT_THAT(refusal("write-8k", {.path_timeout_ms = 10'001}), HasSubstr("up to 10000"));
  RunOptions run;
  Apply({.numbered = true}, 1, {}, run);
  EXPECT_EQ(run.stall_limit, kPathTimeout);
  Apply({.numbered = true, .path_timeout_ms = 70}, 1, {}, run);
  EXPECT_EQ(run.stall_limit, std::chrono::milliseconds(70));
}

TEST(Limits, BoundTheAcknowledgeTimeoutAndTheRetries) {
  const auto refusal = [](const TransferOptions& options) {
    return std::string(Customized(*FindCase("write-8k"), options).status().message());
  };
  EXPECT_EQ(refusal({.ack_timeout = 8, .retries = 0}), "");
  EXPECT_EQ(refusal({.ack_timeout = 21, .retries = 6}), "");
  EXPECT_THAT(refusal({.ack_timeout = 7}), HasSubstr("an acknowledge timeout of 7: 8 to 21 are allowed"));
  EXPECT_THAT(refusal({.ack_timeout = 22}), HasSubstr("an acknowledge timeout of 22"));
  EXPECT_THAT(refusal({.retries = 7}), HasSubstr("7 retries: up to 6 are allowed"));
  RunOptions run;
  EXPECT_EQ(run.ack_timeout, kAckTimeout);
  Apply({.ack_timeout = 14, .retries = 3}, 1, {}, run);
  EXPECT_EQ(run.ack_timeout, 14);
  EXPECT_EQ(run.retries, 3);
}

TEST(Limits, BoundWhatMovesWhateverIsAsked) {
  RunOptions run;
  Apply({.qps = 4, .max_bytes = ~0ull}, 4, {}, run);
  EXPECT_EQ(run.max_bytes, (64ull << 30) / 4);
  Apply({.max_bytes = 1000}, 1, {}, run);
  EXPECT_EQ(run.max_bytes, 1000u);
  Apply({}, 1, {}, run);
  EXPECT_EQ(run.max_bytes, 64ull << 30);
  Apply({}, 1, {.moved_bytes = 256ull << 30}, run);
  EXPECT_EQ(run.max_bytes, 256ull << 30);
}

TEST(Limits, AreTheAgentsSettingsAndRefusalsNameThem) {
  const TransferCase& test = *FindCase("write-8k");
  const TransferLimits wide{.duration = std::chrono::minutes(10), .moved_bytes = 1ull << 40};
  const TransferOptions long_and_much{.duration = std::chrono::minutes(10), .max_bytes = 1ull << 40};
  EXPECT_EQ(Customized(test, long_and_much, wide)->duration, std::chrono::minutes(10));
  const auto refusal = [&](const TransferOptions& options, const TransferLimits& limits) {
    return std::string(Customized(test, options, limits).status().message());
  };
  EXPECT_THAT(refusal({.duration = std::chrono::minutes(11)}, wide),
              HasSubstr("up to 600 s are allowed by the agent's --test-max-time"));
  EXPECT_THAT(refusal({.max_bytes = (1ull << 40) + 1}, wide), HasSubstr("--test-max-bytes"));
  EXPECT_THAT(refusal({.qps = 2, .max_bytes = 33ull << 30}, {}),
              HasSubstr("on each of 2 queue pairs: up to 6"));
}

}  // namespace
}  // namespace rdmaready
