// SPDX-License-Identifier: Apache-2.0
// Numbered writes over two paths: what is under way on a lost path is written again on the other one, once, and
// a write that comes late is found.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "agent/link/failure.h"
#include "agent/transfer/data_numbered.h"
#include "agent/transfer/local_channel.h"
#include "agent/transfer/numbered_log.h"
#include "agent/transfer/numbered_writes.h"
#include "agent/transfer/run.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/link/memory_link.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kBytes = 512;
constexpr Nonce kKey{1, 2, 3};
constexpr std::uint64_t kMany = 1'000'000;

std::unique_ptr<NumberedLog> LogBy(Clock& clock) {
  absl::StatusOr<std::unique_ptr<NumberedLog>> log = NumberedLog::Make(kKey, kBytes, clock);
  return log.ok() ? *std::move(log) : nullptr;
}

std::span<std::byte> SlotOf(const NumberedLog& log, std::uint32_t slot) {
  return log.memory().subspan(std::size_t{slot} * kBytes, kBytes);
}

// The write lands, and its message comes.
absl::StatusOr<bool> Land(NumberedLog& log, const NumberedMessage& message) {
  if (message.number != kNoNumber)
    log.pattern().Fill(SlotOf(log, message.slot), PayloadOf(message.number, message.generation));
  return log.Take(message);
}

TEST(NumberedMessages, RefuseWhatIsDamagedOrOfAnotherRun) {
  const Pattern pattern(kKey);
  const NumberedMessage message{.number = 1ULL << 40, .lowest = 7, .generation = 255, .slot = 63, .look_at = 5};
  std::array<std::byte, kNumberedMessageBytes> bytes{};
  EncodeNumbered(message, Role::kInitiator, pattern, bytes);
  const absl::StatusOr<NumberedMessage> read = DecodeNumbered(bytes, Role::kInitiator, pattern);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, message);
  EXPECT_FALSE(DecodeNumbered(bytes, Role::kResponder, pattern).ok()) << "an echo is no answer";
  EXPECT_FALSE(DecodeNumbered(bytes, Role::kInitiator, Pattern(Nonce{9})).ok()) << "of another run";
  EXPECT_FALSE(DecodeNumbered(std::span(bytes).first(39), Role::kInitiator, pattern).ok());
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_FALSE(DecodeNumbered(bytes, Role::kInitiator, pattern).ok());
    byte ^= std::byte{1};
  }
}

TEST(NumberedLogs, MeasureHowLongTheOldestWriteWasMissing) {
  FakeClock clock;
  const std::unique_ptr<NumberedLog> log = LogBy(clock);
  ASSERT_TRUE(Land(*log, {.number = 0, .slot = 0}).value_or(false));
  clock.Advance(milliseconds(10));
  ASSERT_TRUE(Land(*log, {.number = 2, .slot = 2}).value_or(false)) << "on another path";
  clock.Advance(milliseconds(700));
  ASSERT_TRUE(Land(*log, {.number = 3, .slot = 3}).value_or(false));
  EXPECT_EQ(log->View().worst_stall_ns, 0) << "number 1 is missing still";
  ASSERT_TRUE(Land(*log, {.number = 1, .generation = 1, .slot = 1}).value_or(false));
  const NumberedLogView view = log->View();
  EXPECT_EQ(view.arrived, 4);
  EXPECT_EQ(view.doubled, 0);
  EXPECT_EQ(view.worst_stall_ns, 710'000'000);
  ASSERT_EQ(view.stalls.size(), 1);
  EXPECT_EQ(view.stalls[0], (LogStall{.begin_ns = 0, .length_ns = 710'000'000}));
}

TEST(NumberedLogs, GoOnBehindAWriteThatNeverComes) {
  FakeClock clock;
  const std::unique_ptr<NumberedLog> log = LogBy(clock);
  ASSERT_TRUE(Land(*log, {.number = 0, .slot = 0}).ok());
  ASSERT_TRUE(Land(*log, {.number = 2, .slot = 2}).ok());
  clock.Advance(milliseconds(300));
  ASSERT_TRUE(Land(*log, {.number = 3, .lowest = 2, .slot = 3}).ok()) << "1 was not confirmed";
  clock.Advance(milliseconds(20));
  ASSERT_TRUE(Land(*log, {.number = 4, .lowest = 4, .slot = 4}).ok());
  EXPECT_EQ(log->View().worst_stall_ns, 300'000'000);
}

TEST(NumberedLogs, FindWhatComesLateTwiceOrDamaged) {
  FakeClock clock;
  const std::unique_ptr<NumberedLog> log = LogBy(clock);
  const NumberedMessage again{.number = 5, .generation = 1, .slot = 9};
  ASSERT_TRUE(Land(*log, again).value_or(false));
  EXPECT_TRUE(log->Take({.look_at = 9}).value_or(false));
  EXPECT_EQ(log->View().looked, 1);
  EXPECT_EQ(log->View().late, 0);

  ASSERT_TRUE(Land(*log, {.number = 6, .generation = 1, .slot = 9}).value_or(false));
  log->pattern().Fill(SlotOf(*log, 9), PayloadOf(6, 0));  // the first attempt, of a path that was lost
  EXPECT_TRUE(log->Take({.look_at = 9}).ok());
  EXPECT_EQ(log->View().late, 1);

  ASSERT_TRUE(Land(*log, {.number = 6, .generation = 2, .slot = 9}).ok());
  EXPECT_EQ(log->View().doubled, 1);

  log->pattern().Fill(SlotOf(*log, 9), PayloadOf(7, 0));
  SlotOf(*log, 9)[kBytes - 1] ^= std::byte{1};
  EXPECT_FALSE(log->Take({.number = 7, .slot = 9}).value_or(true));
  EXPECT_EQ(log->View().wrong, 1);
}

TEST(NumberedLogs, RefuseSlotsThatDoNotExistAndEndlessGaps) {
  FakeClock clock;
  const std::unique_ptr<NumberedLog> log = LogBy(clock);
  EXPECT_FALSE(log->Take({.number = 0, .slot = kNumberedSlots}).ok());
  EXPECT_FALSE(log->Take({.look_at = kNumberedSlots}).ok());
  absl::Status refused;
  for (std::uint64_t number = 0; number < 20'000 && refused.ok(); number += 2)
    refused = Land(*log, {.number = number + 1, .slot = 0}).status();
  EXPECT_FALSE(refused.ok()) << "a list of gaps without end";
}

TEST(NumberedWritesGiven, UseASlotAgainAfterASecondLook) {
  FakeClock clock;
  NumberedWrites writes(milliseconds(1000), kMany, clock);
  writes.Begin();
  std::array<bool, kNumberedSlots> used{};
  std::uint64_t looks = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::optional<NumberedMessage> next = writes.Next();
    ASSERT_TRUE(next);
    if (next->look_at != kNoSlot) {
      EXPECT_TRUE(used.at(next->look_at));
      used.at(next->look_at) = false;
      ++looks;
    }
    if (next->number != kNoNumber) {
      EXPECT_FALSE(used.at(next->slot)) << "nobody looked at it again";
      used.at(next->slot) = true;
    }
    writes.Answered(*next);
  }
  EXPECT_GT(looks, 900);
  EXPECT_FALSE(writes.Finished());
  clock.Advance(milliseconds(1000));
  while (const std::optional<NumberedMessage> next = writes.Next()) {
    EXPECT_EQ(next->number, kNoNumber) << "its time is over";
    writes.Answered(*next);
  }
  EXPECT_TRUE(writes.Finished());
  EXPECT_TRUE(writes.View().complete);
  EXPECT_EQ(writes.View().issued, writes.View().answered);
}

TEST(NumberedWritesGiven, EndAtTheLimitOfTheAgent) {
  FakeClock clock;
  NumberedWrites writes(milliseconds(1000), 5, clock);
  writes.Begin();
  std::uint64_t numbers = 0;
  while (const std::optional<NumberedMessage> next = writes.Next()) {
    if (next->number != kNoNumber) ++numbers;
    writes.Answered(*next);
  }
  EXPECT_EQ(numbers, 5U);
  EXPECT_TRUE(writes.Finished()) << "before its time";
  EXPECT_TRUE(writes.View().complete);
}

TEST(NumberedWritesGiven, RepeatAWriteThatIsNotLogged) {
  FakeClock clock;
  NumberedWrites writes(milliseconds(1000), kMany, clock);
  writes.Begin();
  const NumberedMessage logged = writes.Next().value_or(NumberedMessage{});
  const NumberedMessage lost = writes.Next().value_or(NumberedMessage{});
  const NumberedMessage unsure = writes.Next().value_or(NumberedMessage{});
  clock.Advance(milliseconds(100));
  writes.GiveBack(logged, true);
  writes.GiveBack(lost, false);
  writes.NotConfirmed(unsure);
  const std::optional<NumberedMessage> again = writes.Next();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->number, lost.number);
  EXPECT_EQ(again->slot, lost.slot);
  EXPECT_EQ(again->generation, 1);
  EXPECT_EQ(again->lowest, lost.number);
  for (int i = 0; i < 500; ++i) {
    const std::optional<NumberedMessage> next = writes.Next();
    ASSERT_TRUE(next);
    EXPECT_NE(next->slot, unsure.slot) << "a late write may come there";
    writes.Answered(*next);
  }
  EXPECT_EQ(writes.View().unconfirmed, 1);
  EXPECT_EQ(writes.View().reissued, 1);
  EXPECT_EQ(writes.View().worst_answer_ns, 100'000'000) << "of the one that was logged";
  clock.Advance(milliseconds(1001));
  while (const std::optional<NumberedMessage> next = writes.Next()) writes.Answered(*next);
  EXPECT_FALSE(writes.View().complete) << "one is under way";
  EXPECT_FALSE(writes.Finished());
  clock.Advance(milliseconds(10'000));
  EXPECT_TRUE(writes.Finished()) << "not for ever";
}

// --- both ends, over two paths ---

struct TwoPaths {
  explicit TwoPaths(milliseconds duration) {
    options.stall_limit = milliseconds(20'000);
    RunOptions::Numbered numbered{.key = kKey, .writes = std::make_shared<NumberedWrites>(duration)};
    numbered.log = LogBy(RealClock());
    options.numbered = numbered;
  }

  // One path, from its connection to the end of the run or of the path.
  BothEnds Path(MemoryFabric& fabric) const {
    TransferCase test = SmallCase(Operation::kWrite);
    test.message_bytes = kBytes;
    return RunBoth(fabric, test, options);
  }

  NumberedLog& log() const { return *options.numbered->log; }

  RunOptions options = QuickOptions();
};

TEST(NumberedRuns, ShareTheirNumbersOverTwoPaths) {
  const TwoPaths paths(milliseconds(300));
  std::array<MemoryFabric, 2> fabrics;
  BothEnds other;
  BothEnds one;
  {
    const std::jthread beside([&] { other = paths.Path(fabrics[1]); });
    one = paths.Path(fabrics[0]);
  }
  EXPECT_EQ(one.initiator.failure, Failure{});
  EXPECT_EQ(other.initiator.failure, Failure{});
  ASSERT_TRUE(one.initiator.numbered && other.initiator.numbered);
  const NumberedIo io = one.initiator.numbered->log.arrived > other.initiator.numbered->log.arrived
                            ? *one.initiator.numbered
                            : *other.initiator.numbered;
  EXPECT_TRUE(io.complete);
  EXPECT_GT(io.issued, kNumberedSlots);
  EXPECT_EQ(io.answered, io.issued);
  EXPECT_EQ(io.log.arrived, io.issued);
  EXPECT_EQ(io.log.looked, io.issued) << "each of them a second time";
  EXPECT_EQ(io.log.late + io.log.doubled + io.log.wrong + io.reissued + io.unconfirmed, 0);
  EXPECT_EQ(one.initiator.messages + other.initiator.messages, io.issued);
  EXPECT_EQ(one.initiator.bytes_verified, one.initiator.messages * kBytes);
  EXPECT_EQ(fabrics[0].Registered() + fabrics[1].Registered(), 0);
}

TEST(NumberedRuns, WriteAgainWhatALostPathHadUnderWay) {
  const TwoPaths paths(milliseconds(800));
  std::array<MemoryFabric, 2> fabrics;
  fabrics[1].faults.push_back({.kind = Fault::Kind::kError, .work = Work::kWrite, .number = 40});
  BothEnds lost;
  BothEnds kept;
  {
    const std::jthread beside([&] { lost = paths.Path(fabrics[1]); });
    kept = paths.Path(fabrics[0]);
  }
  EXPECT_EQ(lost.initiator.failure.kind, FailureKind::kCompletion) << lost.initiator.failure.detail;
  EXPECT_EQ(kept.initiator.failure, Failure{});
  ASSERT_TRUE(kept.initiator.numbered);
  const NumberedIo io = *kept.initiator.numbered;
  EXPECT_TRUE(io.complete);
  EXPECT_GT(io.reissued, 0);
  EXPECT_EQ(io.unconfirmed, 0);
  EXPECT_EQ(io.log.arrived, io.issued);
  EXPECT_EQ(io.log.late + io.log.doubled + io.log.wrong, 0);
}

// It answers nothing and reports nothing: the limit of time ends it.
TEST(NumberedRuns, LoseAPathThatAnswersNothing) {
  TwoPaths paths(milliseconds(1'500));
  paths.options.stall_limit = milliseconds(300);
  std::array<MemoryFabric, 2> fabrics;
  fabrics[1].faults.push_back(
      {.kind = Fault::Kind::kDelay, .work = Work::kWrite, .number = 20, .delay = milliseconds(60'000)});
  BothEnds lost;
  BothEnds kept;
  {
    const std::jthread beside([&] { lost = paths.Path(fabrics[1]); });
    kept = paths.Path(fabrics[0]);
  }
  EXPECT_EQ(lost.initiator.failure.kind, FailureKind::kStalled) << lost.initiator.failure.detail;
  ASSERT_TRUE(kept.initiator.numbered);
  const NumberedIo io = *kept.initiator.numbered;
  EXPECT_TRUE(io.complete);
  EXPECT_GT(io.reissued, 0);
  EXPECT_EQ(io.log.arrived, io.issued);
  EXPECT_GE(io.log.worst_stall_ns, 300'000'000) << "the log waits for the oldest write";
  EXPECT_EQ(io.log.late + io.log.doubled + io.log.wrong, 0);
}

// As where the responder confirms that the path is closed, and leaves it open.
TEST(NumberedRuns, FindTheLateWriteOfAPathThatWasNotClosed) {
  const TwoPaths paths(milliseconds(1'000));
  std::array<MemoryFabric, 2> fabrics;
  fabrics[1].faults.push_back({.kind = Fault::Kind::kError, .work = Work::kWrite, .number = 40});
  BothEnds kept;
  {
    const std::jthread beside([&] {
      paths.Path(fabrics[1]);
      for (std::uint32_t slot = 0; slot < kNumberedSlots; ++slot)
        paths.log().pattern().Fill(SlotOf(paths.log(), slot), PayloadOf(slot, 0));
    });
    kept = paths.Path(fabrics[0]);
  }
  ASSERT_TRUE(kept.initiator.numbered);
  EXPECT_GT(kept.initiator.numbered->log.late + kept.initiator.numbered->log.wrong, 0);
}

TEST(NumberedRuns, WriteNothingAgainThatNobodyConfirms) {
  TwoPaths paths(milliseconds(500));
  paths.options.stall_limit = paths.options.farewell = milliseconds(200);
  MemoryFabric fabric;
  TransferCase test = SmallCase(Operation::kWrite);
  test.message_bytes = kBytes;
  // It receives, and says nothing more.
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, paths.options, [&](MemoryLink& link, PeerChannel& peer) {
        const Nonce nonce{5};
        ASSERT_TRUE(link.Listen("here", {.sends = 32, .receives = 64}).ok());
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kOffer,
                               .case_name = std::string(test.name),
                               .message_bytes = kBytes,
                               .depth = test.depth,
                               .endpoint = {.address = "here", .port = 4711},
                               .nonce = nonce})
                        .ok());
        ASSERT_TRUE(link.Accept(nonce, {.deadline = Soon()}).ok());
        const absl::StatusOr<MemoryId> memory = link.Register(paths.log().memory(), Access::kRemoteWrite);
        ASSERT_TRUE(memory.ok());
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = link.Remote(*memory)}).ok());
        while (Next(peer).kind != PeerMessageKind::kResult) continue;
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kStalled) << result.failure.detail;
  EXPECT_FALSE(result.numbered) << "the log comes with the view of the responder";
  EXPECT_EQ(paths.options.numbered->writes->View().unconfirmed, test.depth);
  EXPECT_EQ(paths.options.numbered->writes->View().reissued, 0);
}

}  // namespace
}  // namespace rdmaready
