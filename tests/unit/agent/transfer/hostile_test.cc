// SPDX-License-Identifier: Apache-2.0
// The engine against an end that lies, dies or breaks the protocol: a clear failure, in time, and no
// byte outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "agent/link/failure.h"
#include "agent/transfer/data.h"
#include "tests/unit/agent/transfer/rig.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr Nonce kNonce = {1, 2, 3};

PeerMessage Offer(const TransferCase& test) {
  return {.kind = PeerMessageKind::kOffer,
          .case_name = std::string(test.name),
          .message_bytes = test.message_bytes,
          .depth = test.depth,
          .endpoint = {.address = "there", .port = 4711},
          .nonce = kNonce};
}

// Plays the responder up to the point where its memory is due.
void AdmitInitiator(MemoryLink& link, PeerChannel& peer, const TransferCase& test) {
  ASSERT_TRUE(link.Listen("there", {}).ok());
  ASSERT_TRUE(peer.Send(Offer(test)).ok());
  ASSERT_TRUE(link.Accept(kNonce, {.deadline = Soon()}).ok());
}

// Plays the initiator up to the point where it may send; returns the responder's memory and its nonce.
std::pair<RemoteMemory, Nonce> Enter(MemoryLink& link, PeerChannel& peer) {
  const PeerMessage offer = Next(peer);
  EXPECT_EQ(offer.kind, PeerMessageKind::kOffer);
  EXPECT_TRUE(link.Connect(offer.endpoint, offer.nonce, "here", {}, {.deadline = Soon()}).ok());
  const PeerMessage ready = Next(peer);
  EXPECT_EQ(ready.kind, PeerMessageKind::kReady);
  return {ready.memory, offer.nonce};
}

// Sends `words` as a notice; the memory lives as long as the test.
class HandMadeNotices {
 public:
  explicit HandMadeNotices(MemoryLink& link) : link_(link) {
    memory_ = *link.Register(std::as_writable_bytes(std::span(words_)), Access::kSendSource);
  }
  ~HandMadeNotices() { link_.Unregister(memory_); }
  void Send(const std::array<std::uint64_t, 3>& words, std::uint32_t bytes = 24) {
    std::ranges::copy(words, words_.begin());
    ASSERT_TRUE(link_.PostSend(0, {.memory = memory_, .offset = 0, .length = bytes}).ok());
    std::array<Completion, 1> completion;
    ASSERT_TRUE(link_.Wait(completion, Soon()).ok());
  }

 private:
  MemoryLink& link_;
  MemoryId memory_{};
  std::array<std::uint64_t, 4> words_{};
};

TEST(HostileResponder, ThatOffersAnotherTestIsRefused) {
  const TransferCase test = SmallCase(Operation::kWrite);
  std::vector<PeerMessage> offers(4, Offer(test));
  offers[0].case_name = "other";
  offers[1].message_bytes = 0xffffffff;
  offers[2].depth = 0;
  offers[3].verify = false;
  for (const PeerMessage& offer : offers) {
    MemoryFabric fabric;
    const TransferResult result =
        RunInitiatorAgainst(fabric, test, QuickOptions(), [&](MemoryLink&, PeerChannel& peer) {
          ASSERT_TRUE(peer.Send(offer).ok());
          Next(peer);
        });
    EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
    EXPECT_THAT(result.failure.detail, HasSubstr("do not agree"));
  }
}

TEST(HostileResponder, ThatOffersAPlaceWhereThisEndMayNotConnectIsNotConnectedTo) {
  MemoryFabric fabric;
  RunOptions options = QuickOptions();
  std::string asked;
  options.may_connect = [&asked](const std::string& address) {
    asked = address;
    return MakeFailure(FailureKind::kSetup, "not there");
  };
  const TransferResult result = RunInitiatorAgainst(
      fabric, SmallCase(Operation::kWrite), options, [&](MemoryLink& link, PeerChannel& peer) {
        ASSERT_TRUE(link.Listen("there", {}).ok());
        ASSERT_TRUE(peer.Send(Offer(SmallCase(Operation::kWrite))).ok());
        Next(peer);
      });
  EXPECT_EQ(asked, "there");
  EXPECT_EQ(result.failure.detail, "not there");
  EXPECT_FALSE(fabric.request) << "it tried";
}

TEST(HostileResponder, ThatSpeaksOutOfTurnIsRefused) {
  for (const int kind : {0, 2, 3, 5, 77}) {
    MemoryFabric fabric;
    const TransferResult result = RunInitiatorAgainst(
        fabric, SmallCase(Operation::kWrite), QuickOptions(), [&](MemoryLink&, PeerChannel& peer) {
          ASSERT_TRUE(peer.Send({.kind = static_cast<PeerMessageKind>(kind)}).ok());
          Next(peer);
        });
    EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
    EXPECT_THAT(result.failure.detail, HasSubstr("broke the protocol"));
  }
}

TEST(HostileResponder, ThatOffersImpossibleMemoryIsRefused) {
  const TransferCase test = SmallCase(Operation::kWrite);
  const std::uint64_t right = std::uint64_t{kMessageBytes} * test.depth;
  for (const RemoteMemory memory :
       {RemoteMemory{}, RemoteMemory{.address = 4096, .length_bytes = right - 1},
        RemoteMemory{.length_bytes = ~0ull},
        RemoteMemory{.address = std::numeric_limits<std::uint64_t>::max() - 8, .length_bytes = right}}) {
    for (const Operation operation : {Operation::kWrite, Operation::kRead}) {
      MemoryFabric fabric;
      const TransferResult result = RunInitiatorAgainst(
          fabric, SmallCase(operation), QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
            AdmitInitiator(link, peer, SmallCase(operation));
            ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = memory}).ok());
            Next(peer);
          });
      EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
      EXPECT_THAT(result.failure.detail, HasSubstr("its memory is"));
      EXPECT_EQ(fabric.Registered(), 0u);
    }
  }
}

TEST(HostileResponder, ThatGivesAForeignKeyEndsInACompletionError) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
        AdmitInitiator(link, peer, test);
        const std::uint64_t bytes = std::uint64_t{kMessageBytes} * test.depth;
        const RemoteMemory memory{.address = 4096, .length_bytes = bytes, .rkey = 99};
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = memory}).ok());
        Next(peer);
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kView}).ok());
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kCompletion);
  EXPECT_THAT(result.failure.detail, HasSubstr("remote access error"));
}

TEST(HostileResponder, ThatDiesInMidTransferIsGone) {
  const TransferCase test = SmallCase(Operation::kSend);
  MemoryFabric fabric;
  TransferResult result;
  const auto run = [&] {
    result = RunInitiatorAgainst(fabric, test, QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
      AdmitInitiator(link, peer, test);
      ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady}).ok());
    });
  };
  EXPECT_LT(TimeOf(run), kAtOnce);
  EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
}

TEST(HostileResponder, ThatNeverOffersIsGoneByTheDeadline) {
  TransferCase test = SmallCase(Operation::kSend);
  test.deadline = std::chrono::milliseconds(200);
  MemoryFabric fabric;
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, QuickOptions(), [](MemoryLink&, PeerChannel& peer) { Next(peer); });
  EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
  EXPECT_THAT(result.failure.detail, HasSubstr("did not send an offer in time"));
}

// The view of a responder that saw all of a read test, then changed by `lie`.
TransferResult RunAgainstView(const std::function<void(PeerMessage&)>& lie) {
  const TransferCase test = SmallCase(Operation::kRead);
  MemoryFabric fabric;
  RunOptions options = QuickOptions();
  return RunInitiatorAgainst(fabric, test, options, [&](MemoryLink& link, PeerChannel& peer) {
    AdmitInitiator(link, peer, test);
    const Pattern pattern(kNonce);
    const auto source = *Buffer::Make(link, test.message_bytes, SlotsOf(test), Access::kRemoteRead);
    for (std::uint64_t slot = 0; slot < source->slots(); ++slot) pattern.Fill(source->bytes(slot), slot);
    ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = source->remote()}).ok());
    ASSERT_EQ(Next(peer).kind, PeerMessageKind::kDone);
    PeerMessage view{.kind = PeerMessageKind::kView};
    lie(view);
    ASSERT_TRUE(peer.Send(view).ok());
    Next(peer);
  });
}

TEST(HostileResponder, MayPlayByTheRules) {
  EXPECT_EQ(RunAgainstView([](PeerMessage&) {}).failure, Failure{});
}

TEST(HostileResponder, WithAnImpossibleViewIsNotBelieved) {
  for (const std::function<void(PeerMessage&)>& lie : std::vector<std::function<void(PeerMessage&)>>{
           [](PeerMessage& view) { view.result.bytes_verified = ~0ull; },
           [](PeerMessage& view) { view.result.bytes_wrong = 1; },
           [](PeerMessage& view) { view.counts.received = ~0ull; },
           [](PeerMessage& view) { view.counts.missing = ~0ull; },
           [](PeerMessage& view) { view.result.first_wrong_offset = 1; }}) {
    const TransferResult result = RunAgainstView(lie);
    EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
    EXPECT_THAT(result.failure.detail, HasSubstr("impossible"));
    EXPECT_EQ(result.bytes_verified, kMessages * kMessageBytes);
  }
}

TEST(HostileResponder, CannotPutControlCharactersIntoTheResult) {
  const TransferResult result = RunAgainstView([](PeerMessage& view) {
    view.result.failure = {.kind = FailureKind::kCompletion, .detail = "\x1b[2J" + std::string(100'000, 'x')};
  });
  EXPECT_EQ(result.failure.kind, FailureKind::kCompletion);
  EXPECT_THAT(result.failure.detail, testing::StartsWith("?[2Jxxx"));
  EXPECT_LE(result.failure.detail.size(), 512u);
}

TEST(HostileResponder, ThatVerifiesLessThanWasSentIsNotBelieved) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  RunOptions options = QuickOptions(4);
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, options, [&](MemoryLink& link, PeerChannel& peer) {
        AdmitInitiator(link, peer, test);
        const Pattern pattern(kNonce);
        const auto target = *Buffer::Make(link, test.message_bytes, SlotsOf(test), Access::kRemoteWrite);
        NoticeRing ring(Role::kResponder, link, pattern);
        ASSERT_TRUE(ring.Prepare().ok());
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = target->remote()}).ok());
        std::array<Completion, 1> completion;
        ASSERT_TRUE(link.Wait(completion, Soon()).ok());
        ASSERT_TRUE(ring.Post(4).ok());
        Next(peer);
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kView, .counts = {.received = 4}}).ok());
        Next(peer);
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
  EXPECT_THAT(result.failure.detail, HasSubstr("only 0 of 16384 bytes were compared"));
}

TEST(HostileResponder, ThatCreditsMessagesNeverAnnouncedIsCaught) {
  const TransferCase test = SmallCase(Operation::kWrite);
  MemoryFabric fabric;
  const TransferResult result =
      RunInitiatorAgainst(fabric, test, QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
        AdmitInitiator(link, peer, test);
        const Pattern pattern(kNonce);
        const auto target = *Buffer::Make(link, test.message_bytes, SlotsOf(test), Access::kRemoteWrite);
        NoticeRing ring(Role::kResponder, link, pattern);
        ASSERT_TRUE(ring.Prepare().ok());
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kReady, .memory = target->remote()}).ok());
        ASSERT_TRUE(ring.Post(1'000'000).ok());
        std::array<Completion, 1> completion;
        ASSERT_TRUE(link.Wait(completion, Soon()).ok());
        Next(peer);
        ASSERT_TRUE(peer.Send({.kind = PeerMessageKind::kView}).ok());
        Next(peer);
      });
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_THAT(result.failure.detail, HasSubstr("credit 0 is impossible"));
}

TEST(HostileInitiator, ThatNamesImpossibleMessagesIsCaught) {
  for (const std::uint64_t messages : {std::uint64_t{9}, ~std::uint64_t{0}}) {
    MemoryFabric fabric;
    const TransferResult result = RunResponderAgainst(
        fabric, SmallCase(Operation::kWrite), QuickOptions(), [&](MemoryLink& link, PeerChannel& peer) {
          const Nonce nonce = Enter(link, peer).second;
          HandMadeNotices notices(link);
          notices.Send({0, messages, Pattern(nonce).Tag(0, messages)});
          EXPECT_EQ(Next(peer).result.failure.kind, FailureKind::kCorrupt);
        });
    EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
    EXPECT_THAT(result.failure.detail, HasSubstr("notice 0 is impossible"));
    EXPECT_EQ(fabric.Registered(), 0u);
  }
}

TEST(HostileInitiator, ThatForgesANoticeIsCaught) {
  MemoryFabric fabric;
  const TransferResult result = RunResponderAgainst(fabric, SmallCase(Operation::kWrite), QuickOptions(),
                                                    [&](MemoryLink& link, PeerChannel& peer) {
                                                      Enter(link, peer);
                                                      HandMadeNotices notices(link);
                                                      notices.Send({0, 1, 0});
                                                      Next(peer);
                                                    });
  EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
  EXPECT_THAT(result.failure.detail, HasSubstr("damaged"));
}

TEST(HostileInitiator, ThatSendsTheWrongLengthIsCaught) {
  for (const Operation operation : {Operation::kSend, Operation::kWrite}) {
    MemoryFabric fabric;
    const TransferResult result = RunResponderAgainst(fabric, SmallCase(operation), QuickOptions(),
                                                      [&](MemoryLink& link, PeerChannel& peer) {
                                                        Enter(link, peer);
                                                        HandMadeNotices notices(link);
                                                        notices.Send({0, 1, 0}, 8);
                                                        Next(peer);
                                                      });
    EXPECT_EQ(result.failure.kind, FailureKind::kCorrupt);
    EXPECT_THAT(result.failure.detail, HasSubstr("arrived with 8 bytes instead of"));
  }
}

TEST(HostileInitiator, ThatAnnouncesAbsurdCountsDoesNotHoldTheResponder) {
  const PeerMessage absurd{.kind = PeerMessageKind::kDone, .counts = {.posted = ~0ull, .announced = ~0ull}};
  const auto play = [&](MemoryLink& link, PeerChannel& peer) {
    Enter(link, peer);
    ASSERT_TRUE(peer.Send(absurd).ok());
    EXPECT_EQ(Next(peer).kind, PeerMessageKind::kView);
  };
  MemoryFabric fabric;
  TransferResult result;
  const auto run = [&] {
    result = RunResponderAgainst(fabric, SmallCase(Operation::kWrite), QuickOptions(), play);
  };
  EXPECT_LT(TimeOf(run), kAtOnce);
  EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
}

TEST(HostileInitiator, ThatSpeaksOutOfTurnIsRefused) {
  for (const int kind : {0, 1, 2, 4, 77}) {
    MemoryFabric fabric;
    const TransferResult result = RunResponderAgainst(
        fabric, SmallCase(Operation::kWrite), QuickOptions(), [&](MemoryLink&, PeerChannel& peer) {
          Next(peer);
          ASSERT_TRUE(peer.Send({.kind = static_cast<PeerMessageKind>(kind)}).ok());
          Next(peer);
        });
    EXPECT_EQ(result.failure.kind, FailureKind::kPeerGone);
    EXPECT_THAT(result.failure.detail, HasSubstr("broke the protocol"));
  }
}

TEST(HostileInitiator, ThatNeverComesIsUnreachableByTheDeadline) {
  TransferCase test = SmallCase(Operation::kWrite);
  test.deadline = std::chrono::milliseconds(100);
  RunOptions options = QuickOptions();
  options.farewell = std::chrono::milliseconds(100);
  MemoryFabric fabric;
  const TransferResult result = RunResponderAgainst(fabric, test, options, [&](MemoryLink&, PeerChannel& peer) {
    EXPECT_EQ(Next(peer).kind, PeerMessageKind::kOffer);
    EXPECT_EQ(Next(peer).result.failure.kind, FailureKind::kUnreachable);
  });
  EXPECT_EQ(result.failure.kind, FailureKind::kUnreachable);
}

}  // namespace
}  // namespace rdmaready
