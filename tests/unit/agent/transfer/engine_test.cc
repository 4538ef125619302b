// SPDX-License-Identifier: Apache-2.0
// The engine when all is well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

class EveryOperation : public testing::TestWithParam<Operation> {};

INSTANTIATE_TEST_SUITE_P(Engine, EveryOperation,
                         testing::Values(Operation::kSend, Operation::kWrite, Operation::kRead));

// Messages of a transfer that was capped at `capped`: send counts the answers too.
std::uint64_t MessagesOf(Operation operation, std::uint64_t capped) {
  return operation == Operation::kSend ? 2 * capped : capped;
}

TEST_P(EveryOperation, MovesAndVerifiesEveryByte) {
  MemoryFabric fabric;
  const BothEnds both = RunBoth(fabric, SmallCase(GetParam()), QuickOptions());
  const TransferResult& result = both.initiator;
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_EQ(result.messages, MessagesOf(GetParam(), kMessages));
  EXPECT_EQ(result.bytes, result.messages * kMessageBytes);
  EXPECT_EQ(result.bytes_verified, result.bytes);
  EXPECT_EQ(result.bytes_wrong, 0u);
  EXPECT_EQ(result.first_wrong_offset, std::nullopt);
  EXPECT_EQ(result.case_name, "small");
  EXPECT_EQ(result.operation, GetParam());
  EXPECT_EQ(result.transport, "memory");
  EXPECT_EQ(result.local_gid, "gid-i");
  EXPECT_EQ(result.remote_gid, "gid-r");
  EXPECT_GT(result.elapsed_ns, 0);
  EXPECT_GT(result.throughput_bytes_per_s, 0u);
  EXPECT_GT(result.operations_per_s, 0u);
  EXPECT_GT(result.latency.p50_ns, 0);
  EXPECT_LE(result.latency.p50_ns, result.latency.max_ns);
  EXPECT_GT(result.cpu_initiator_ns, 0);
  EXPECT_GT(result.cpu_responder_ns, 0);
}

TEST_P(EveryOperation, LeavesTheSameResultOnBothEnds) {
  MemoryFabric fabric;
  const BothEnds both = RunBoth(fabric, SmallCase(GetParam()), QuickOptions());
  EXPECT_EQ(both.initiator, both.responder);
}

TEST_P(EveryOperation, LeavesNoMemoryRegistered) {
  MemoryFabric fabric;
  RunBoth(fabric, SmallCase(GetParam()), QuickOptions());
  EXPECT_EQ(fabric.Registered(), 0u);
}

TEST_P(EveryOperation, WorksWithOneMessageInFlightAndWithOneMessage) {
  TransferCase test = SmallCase(GetParam());
  test.depth = 1;
  for (const std::uint64_t messages : {1u, 2u, 3u}) {
    MemoryFabric fabric;
    const TransferResult result = RunBoth(fabric, test, QuickOptions(messages)).initiator;
    EXPECT_EQ(result.failure, Failure{});
    EXPECT_EQ(result.messages, MessagesOf(GetParam(), messages));
    EXPECT_EQ(result.bytes_verified, result.bytes);
  }
}

TEST_P(EveryOperation, WorksWithOddSizesAndDepths) {
  TransferCase test = SmallCase(GetParam());
  test.depth = 7;
  test.message_bytes = 1001;
  MemoryFabric fabric;
  const TransferResult result = RunBoth(fabric, test, QuickOptions()).initiator;
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_GT(result.bytes, 0u);
  EXPECT_EQ(result.bytes_verified, result.bytes);
}

TEST_P(EveryOperation, EndsByTimeWhenNoCapDoes) {
  TransferCase test = SmallCase(GetParam());
  test.duration = std::chrono::milliseconds(250);
  TransferResult result;
  constexpr std::int64_t kFarMoreNs = 2'000'000'000;
  // A busy machine may hold up some runs for a whole tenth of a second, or for seconds.
  for (int i = 0; i < 10 && (result.worst_interval_bytes_per_s == 0 || result.elapsed_ns >= kFarMoreNs); ++i) {
    MemoryFabric fabric;
    result = RunBoth(fabric, test, QuickOptions(1'000'000'000)).initiator;
    EXPECT_EQ(result.failure, Failure{});
    EXPECT_GE(result.elapsed_ns, 240'000'000);
  }
  EXPECT_LT(result.elapsed_ns, kFarMoreNs);
  EXPECT_GT(result.worst_interval_bytes_per_s, 0u);
}

TEST_P(EveryOperation, MovesRawBytesWithoutNoticesWhenNotVerifying) {
  MemoryFabric fabric;
  RunOptions options = QuickOptions();
  options.verify = false;
  const TransferResult result = RunBoth(fabric, SmallCase(GetParam()), options).initiator;
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_EQ(result.messages, MessagesOf(GetParam(), kMessages));
  EXPECT_EQ(result.bytes_verified, 0u);
  if (GetParam() != Operation::kSend) {
    EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kSend), 0u);
    EXPECT_EQ(fabric.Posted(Role::kResponder, Work::kSend), 0u);
  }
}

TEST_P(EveryOperation, MovesEveryByteInChainsOfWhichOnlyTheLastIsSignaled) {
  for (const std::uint32_t depth : {16u, 20u, 64u, 100u}) {
    TransferCase test = SmallCase(GetParam());
    test.depth = depth;
    for (const bool verify : {true, false}) {
      MemoryFabric fabric;
      RunOptions options = QuickOptions(1001);  // ends in the middle of a chain
      options.verify = verify;
      const TransferResult result = RunBoth(fabric, test, options).initiator;
      EXPECT_EQ(result.failure, Failure{}) << depth;
      EXPECT_EQ(result.messages, MessagesOf(GetParam(), 1001));
      EXPECT_EQ(result.bytes_verified, verify ? result.bytes : 0);
    }
  }
}

TEST(Engine, SignalsOneWriteOfEachChain) {
  MemoryFabric fabric;
  TransferCase test = SmallCase(Operation::kWrite);
  test.depth = 64;
  RunOptions options = QuickOptions(80);
  options.verify = false;
  RunBoth(fabric, test, options);
  EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kWrite), 80u);
  EXPECT_EQ(fabric.Signaled(Role::kInitiator), 10u);
}

TEST(Engine, AnnouncesWritesByHalfWindowsOnly) {
  MemoryFabric fabric;
  RunBoth(fabric, SmallCase(Operation::kWrite), QuickOptions());  // 40 messages, depth 8
  EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kSend), 10u);
}

TEST(Engine, RunsALoopbackInOneCall) {
  MemoryFabric fabric;
  const LinkMaker make = [&](Role role, std::uint32_t) { return std::make_unique<MemoryLink>(fabric, role); };
  const TransferResult result = RunLoopback(SmallCase(Operation::kWrite), make, QuickOptions()).forward;
  EXPECT_EQ(result.failure, Failure{});
  EXPECT_EQ(result.bytes_verified, kMessages * kMessageBytes);
}

// Every row, of whatever kind: nothing here lists them.
TEST(Cases, HaveUniqueNamesTextsAndBoundedMemory) {
  std::set<std::string_view> names;
  for (const TransferCase& test : kTransferCases) {
    EXPECT_TRUE(names.insert(test.name).second) << test.name;
    EXPECT_FALSE(test.moves.empty()) << test.name;
    EXPECT_FALSE(test.why.empty()) << test.name;
    EXPECT_NE(test.operation, Operation::kUnknown) << test.name;
    EXPECT_NE(test.figure, Figure::kUnknown) << test.name;
    EXPECT_GT(test.message_bytes, 0u) << test.name;
    EXPECT_GT(test.depth, 0u) << test.name;
    EXPECT_LE(std::uint64_t{test.message_bytes} * SlotsOf(test), kMaxCaseBytes) << test.name;
    EXPECT_GT(test.duration.count(), 0) << test.name;
    EXPECT_GT(test.deadline, 4 * test.duration) << test.name;
    EXPECT_EQ(FindCase(test.name), &test);
  }
  EXPECT_EQ(FindCase("write-9k"), nullptr);
}

TEST(Cases, OfPlainRdmaMoveEveryByte) {
  for (TransferCase test : CasesOn(Rung::kLoopback)) {
    test.duration = std::chrono::milliseconds(20);
    MemoryFabric fabric;
    const LinkMaker make = [&](Role role, std::uint32_t) { return std::make_unique<MemoryLink>(fabric, role); };
    RunOptions options = QuickOptions();
    options.max_bytes = 16ull << 20;
    const TransferResult result = RunLoopback(test, make, options).forward;
    EXPECT_EQ(result.failure, Failure{}) << test.name << ": " << result.failure.detail;
    EXPECT_GT(result.messages, 0u) << test.name;
    EXPECT_EQ(result.bytes_verified, result.bytes) << test.name;
  }
}

TEST(Cases, StandOnTheRungsOfWhatTheySpeak) {
  for (const TransferCase& test : kTransferCases) {
    const bool plain = test.wrapping == Wrapping::kNone;
    const auto on = [&](Rung rung) {
      return std::ranges::count(CasesOn(rung), test.name, &TransferCase::name) == 1;
    };
    EXPECT_EQ(on(Rung::kLoopback), plain) << test.name;
    EXPECT_EQ(on(Rung::kPeer), plain) << test.name;
    EXPECT_EQ(on(Rung::kSmbDirect), !plain) << test.name;
    EXPECT_FALSE(on(Rung::kHost)) << test.name;
  }
}

}  // namespace
}  // namespace rdmaready
