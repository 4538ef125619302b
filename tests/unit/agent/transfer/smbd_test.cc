// SPDX-License-Identifier: Apache-2.0
// Every case of SMB Direct between two ends in memory, and what a broken device does to it. A missing receive
// ends such a link, so that a wrong grant of credits shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/transfer/run.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

RunOptions Options() {
  RunOptions options = QuickOptions();
  options.max_bytes = 64ull << 20;
  return options;
}

// Ends by its messages and not by time, in which a busy machine may not come to the fault.
BothEnds RunWithFaults(MemoryFabric& fabric, const char* name,
                       milliseconds stall_limit = milliseconds(50'000)) {
  TransferCase test = *FindCase(name);
  test.duration = milliseconds(20'000);
  RunOptions options = QuickOptions();
  options.max_bytes = 48ull * test.message_bytes;
  options.stall_limit = stall_limit;
  return RunBoth(fabric, test, options);
}

class SmbdCase : public testing::TestWithParam<TransferCase> {};

TEST_P(SmbdCase, MovesAndVerifiesEveryByte) {
  TransferCase test = GetParam();
  test.duration = milliseconds(20);
  MemoryFabric fabric;
  const BothEnds both = RunBoth(fabric, test, Options());
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_EQ(both.responder.failure, Failure{}) << both.responder.failure.detail;
  EXPECT_GT(both.initiator.messages, 0u);
  EXPECT_EQ(both.initiator.bytes_verified, both.initiator.bytes);
  EXPECT_EQ(both.initiator, both.responder);
  EXPECT_GT(both.initiator.latency.p50_ns, 0);
  EXPECT_EQ(fabric.Registered(), 0u);
}

TEST_P(SmbdCase, RunsUnverified) {
  TransferCase test = GetParam();
  test.duration = milliseconds(20);
  RunOptions options = Options();
  options.verify = false;
  MemoryFabric fabric;
  const BothEnds both = RunBoth(fabric, test, options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_GT(both.initiator.messages, 0u);
  EXPECT_EQ(both.initiator.bytes_verified, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, SmbdCase, testing::ValuesIn(CasesOn(Rung::kSmbDirect)), [](const auto& test) {
  std::string name(test.param.name);
  std::erase(name, '-');
  return name;
});

TEST(Smbd, FindsAWrongByteInAMessage) {
  MemoryFabric fabric;
  // Sends 0 to 2 negotiate and grant; the payload of a data message begins at byte 24.
  fabric.faults.push_back({.kind = Fault::Kind::kCorrupt,
                           .from = Role::kInitiator,
                           .work = Work::kSend,
                           .number = 9,
                           .offset = 700});
  const BothEnds both = RunWithFaults(fabric, "smbd-send-1k");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCorrupt) << both.initiator.failure.detail;
  EXPECT_EQ(both.initiator.bytes_wrong, 1u);
  EXPECT_EQ(both.responder.failure.kind, FailureKind::kCorrupt);
}

TEST(Smbd, FindsAWrongByteOfAnRdmaWrite) {
  MemoryFabric fabric;
  fabric.faults.push_back({.kind = Fault::Kind::kCorrupt,
                           .from = Role::kResponder,
                           .work = Work::kWrite,
                           .number = 3,
                           .offset = 17});
  const BothEnds both = RunWithFaults(fabric, "smbd-8k");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCorrupt) << both.initiator.failure.detail;
  EXPECT_EQ(both.initiator.bytes_wrong, 1u);
  // The third part of message 1: it is cut behind 4 KiB and 8 bytes, and 2 KiB less 1 byte further on.
  EXPECT_EQ(both.initiator.first_wrong_offset, 8'192u + 4'096 + 8 + 2'047 + 17);
}

TEST(Smbd, FindsAWrongByteOfAnRdmaRead) {
  MemoryFabric fabric;
  fabric.faults.push_back(
      {.kind = Fault::Kind::kCorrupt, .from = Role::kResponder, .work = Work::kRead, .number = 0, .offset = 5});
  const BothEnds both = RunWithFaults(fabric, "smbd-512k-read");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCorrupt) << both.initiator.failure.detail;
  EXPECT_EQ(both.initiator.first_wrong_offset, 5u);
}

// As iWARP's siw does it.
TEST(Smbd, WaitsForReadsThatMessagesOvertake) {
  MemoryFabric fabric;
  fabric.slow_reads = milliseconds(3);
  RunOptions options = Options();
  options.max_bytes = 24ull * 512 * 1'024;
  const BothEnds both = RunBoth(fabric, *FindCase("smbd-512k-read"), options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_EQ(both.initiator.bytes_wrong, 0u);
  EXPECT_GT(both.initiator.messages, 0u);
  EXPECT_EQ(both.initiator.bytes_verified, both.initiator.bytes);
}

TEST(Smbd, MissesAWriteThatNeverCame) {
  MemoryFabric fabric;
  fabric.faults.push_back(
      {.kind = Fault::Kind::kDrop, .from = Role::kResponder, .work = Work::kWrite, .number = 2});
  const BothEnds both = RunWithFaults(fabric, "smbd-8k");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCorrupt) << both.initiator.failure.detail;
}

TEST(Smbd, NamesAMessageThatNeverCame) {
  // Nothing moves then.
  const Failure failure = WithShortestStallLimit(
      [](milliseconds limit) {
        MemoryFabric fabric;
        fabric.faults.push_back(
            {.kind = Fault::Kind::kDrop, .from = Role::kResponder, .work = Work::kSend, .number = 6});
        return RunWithFaults(fabric, "smbd-send-1k", limit).initiator.failure;
      },
      [](const Failure& each, milliseconds) { return each.kind == FailureKind::kLost; });
  EXPECT_EQ(failure.kind, FailureKind::kLost) << failure.detail;
}

TEST(Smbd, NamesTheDevicesError) {
  MemoryFabric fabric;
  fabric.faults.push_back(
      {.kind = Fault::Kind::kError, .from = Role::kResponder, .work = Work::kRead, .number = 4});
  const BothEnds both = RunWithFaults(fabric, "smbd-512k-read");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCompletion) << both.initiator.failure.detail;
  EXPECT_THAT(both.initiator.failure.detail, HasSubstr("transport retry counter exceeded"));
}

TEST(Smbd, BindsAWindowAnewForEachRequest) {
  MemoryFabric fabric;
  RunOptions options = Options();
  options.max_bytes = 100ull * 64 * 1'024;
  const BothEnds both = RunBoth(fabric, *FindCase("smbd-invalidate"), options);
  EXPECT_EQ(both.initiator.failure, Failure{}) << both.initiator.failure.detail;
  EXPECT_EQ(both.initiator.messages, 100u);
  EXPECT_EQ(fabric.Posted(Role::kInitiator, Work::kBind), 100u);
}

TEST(Smbd, NamesAnAnswerThatLeftItsWindow) {
  MemoryFabric fabric;
  // Those that carry no answer, but credits, have no window to take away.
  for (std::uint64_t number = 9; number < 13; ++number) {
    fabric.faults.push_back(
        {.kind = Fault::Kind::kKeepWindow, .from = Role::kResponder, .work = Work::kSend, .number = number});
  }
  const BothEnds both = RunWithFaults(fabric, "smbd-invalidate");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kCorrupt) << both.initiator.failure.detail;
  EXPECT_THAT(both.initiator.failure.detail, HasSubstr("took no window away"));
}

TEST(Smbd, NamesADeviceThatCannotInvalidate) {
  for (const Role role : {Role::kInitiator, Role::kResponder}) {
    MemoryFabric fabric;
    fabric.cannot_invalidate = role;
    const BothEnds both = RunWithFaults(fabric, "smbd-invalidate");
    EXPECT_EQ(both.initiator.failure.kind, FailureKind::kSetup) << both.initiator.failure.detail;
    EXPECT_THAT(both.initiator.failure.detail, HasSubstr("memory windows of type 2"));
  }
}

TEST(Smbd, NamesMemoryThatCannotBePinned) {
  MemoryFabric fabric;
  fabric.cannot_register = Role::kInitiator;
  const BothEnds both = RunWithFaults(fabric, "smbd-8k");
  EXPECT_EQ(both.initiator.failure.kind, FailureKind::kSetup) << both.initiator.failure.detail;
  EXPECT_THAT(both.initiator.failure.detail, HasSubstr("register memory"));
}

}  // namespace
}  // namespace rdmaready
