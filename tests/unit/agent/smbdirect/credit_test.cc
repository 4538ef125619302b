// SPDX-License-Identifier: Apache-2.0
// Credits: the last one, what is granted when, and that two ends neither fall silent nor chatter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

Settings WithCredits(std::uint16_t receive, std::uint16_t send) {
  return {.receive_credit_max = receive, .send_credit_target = send};
}

HandMade Granting(std::uint16_t granted, std::uint16_t requested = 10, std::size_t payload = 0) {
  HandMade made = HandMade::Of(Fill(payload));
  made.header.credits_granted = granted;
  made.header.credits_requested = requested;
  return made;
}

TEST(Credits_, TheLastOneIsOnlySpentOnAGrant) {
  Credits credits(10);
  credits.Start(1, 3, 3);
  EXPECT_FALSE(credits.MaySend(0));
  EXPECT_TRUE(credits.MaySend(1));
  credits.Start(2, 3, 3);
  EXPECT_TRUE(credits.MaySend(0));
  credits.Start(0, 0, 3);
  EXPECT_FALSE(credits.MaySend(3));
}

TEST(Credits_, GrantsUpToTheTargetAndTheMaximum) {
  Credits credits(10);
  credits.Start(5, 2, 6);
  EXPECT_EQ(credits.ToGrant(true), 4);
  credits.Start(5, 2, 200);
  EXPECT_EQ(credits.ToGrant(true), 8);
  credits.Start(5, 6, 6);
  EXPECT_EQ(credits.ToGrant(true), 0);
}

TEST(Credits_, ForTheLastOneAReceiveIsKeptBack) {
  Credits credits(10);
  credits.Start(1, 10, 200);
  EXPECT_EQ(credits.ToGrant(true), 1);
  EXPECT_EQ(credits.ToGrant(false), 0) << "a grant for its own sake does not need it";
  credits.Sent(1);
  EXPECT_EQ(credits.posted(), 11u);
}

// A peer that keeps no receive back and has nothing to grant cannot spend its last credit by itself.
TEST(Credits_, APeerDownToItsLastOneIsGrantedAfterPayloadOnly) {
  Credits credits(10);
  credits.Start(5, 3, 3);
  credits.Received(3, 0, true);
  EXPECT_FALSE(credits.due());
  credits.Received(3, 0, false);
  EXPECT_FALSE(credits.due()) << "an empty message is not answered for its own sake";
  credits.Start(5, 2, 3);
  credits.Received(3, 0, true);
  EXPECT_TRUE(credits.due());
}

TEST(CreditFlow, ARunOfMessagesStopsAtTheLastCreditUntilThereIsAGrant) {
  Driver responder(Role::kResponder, WithCredits(4, 255));
  NegotiateRequest request = GoodRequest();
  request.credits_requested = 4;
  Agree(responder, request);
  ASSERT_TRUE(responder.Arrive(Granting(3, 4).Message(), kStart));
  const std::vector<std::byte> words = Fill(10);
  for (std::uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(responder.Submit({.bytes = words, .cookie = i}).ok());
  // The first carries what the peer's message cost; the second nothing; the third spends the last credit and
  // must grant, so it takes the receive kept back.
  ASSERT_EQ(responder.wire.size(), 3u);
  EXPECT_EQ(Decoded(Take(responder)).header.credits_granted, 1);
  EXPECT_EQ(Decoded(Take(responder)).header.credits_granted, 0);
  EXPECT_EQ(Decoded(Take(responder)).header.credits_granted, 1);
  EXPECT_EQ(responder.connection().send_credits(), 0u);
  EXPECT_EQ(responder.connection().waiting_messages(), 7u);
  EXPECT_EQ(responder.posted(), 5u);
  ASSERT_TRUE(responder.Arrive(Granting(100, 4).Message(), kStart));
  EXPECT_EQ(responder.wire.size(), 7u);
}

TEST(CreditFlow, APeerThatSpentAllIsGrantedAtOnce) {
  Driver responder(Role::kResponder, {});
  Agree(responder);  // 10 credits
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(responder.Arrive(Granting(i == 0 ? 1 : 0, 10, 5).Message(), kStart));
  ASSERT_FALSE(responder.wire.empty());
  std::uint32_t granted = 0;
  while (!responder.wire.empty()) {
    const DataMessage message = Decoded(Take(responder));
    EXPECT_EQ(message.header.data_bytes, 0u);
    EXPECT_EQ(message.header.data_offset, 0u);
    EXPECT_EQ(message.header.remaining_data_bytes, 0u);
    EXPECT_EQ(message.header.flags, 0);
    EXPECT_GE(message.header.credits_requested, 1);
    granted += message.header.credits_granted;
  }
  EXPECT_GT(granted, 0u);
}

TEST(CreditFlow, AnEmptyMessageOf20Bytes) {
  Driver initiator(Role::kInitiator, {});
  initiator.Connect(kStart);
  Take(initiator);
  ASSERT_TRUE(initiator.Arrive(Raw(Encode(GoodResponse())), kStart));
  EXPECT_EQ(Take(initiator).bytes.size(), 20u);
}

TEST(CreditFlow, GrantsWaitForAQuarterOfTheTarget) {
  Driver responder(Role::kResponder, {});
  NegotiateRequest request = GoodRequest();
  request.credits_requested = 200;
  Agree(responder, request);
  ASSERT_TRUE(responder.Arrive(Granting(50, 200).Message(), kStart));
  EXPECT_TRUE(responder.wire.empty()) << "one credit is not worth a message";
  int messages = 1;
  while (responder.wire.empty() && messages < 200) {
    ASSERT_TRUE(responder.Arrive(Granting(0, 200, 5).Message(), kStart));
    ++messages;
  }
  EXPECT_EQ(messages, 150);
  EXPECT_EQ(Decoded(Take(responder)).header.credits_granted, 150);
}

TEST(CreditFlow, ATargetThatGrewIsAnsweredAndOneThatShrankIsKeptTo) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Granting(50, 100).Message(), kStart));
  EXPECT_EQ(Decoded(Take(responder)).header.credits_granted, 91) << "100, less the 9 that are left";
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(responder.Arrive(Granting(0, 40, 5).Message(), kStart));
  EXPECT_TRUE(responder.wire.empty()) << "40 are still there";
}

TEST(CreditFlow, WhatIsGrantedBeyondReasonIsNotCountedFurther) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(responder.Arrive(Granting(0xffff).Message(), kStart));
  EXPECT_LE(responder.connection().send_credits(), 65'535u);
}

TEST(CreditFlow, SendsInFlightAreBounded) {
  Driver responder(Role::kResponder, {.max_sends_in_flight = 3});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Granting(100).Message(), kStart));
  const std::vector<std::byte> words = Fill(10);
  for (std::uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(responder.Submit({.bytes = words, .cookie = i}).ok());
  EXPECT_EQ(responder.wire.size(), 3u);
  responder.CompleteSends(2);
  EXPECT_EQ(responder.wire.size(), 5u);
  EXPECT_THAT(responder.submitted, testing::ElementsAre(0u, 1u));
}

TEST(CreditFlow, WaitingMessagesAreBounded) {
  Driver responder(Role::kResponder, {.max_queued_messages = 2});
  Agree(responder);
  const std::vector<std::byte> words = Fill(10);
  EXPECT_TRUE(responder.Submit({.bytes = words}).ok());
  EXPECT_TRUE(responder.Submit({.bytes = words}).ok());
  EXPECT_EQ(responder.Submit({.bytes = words}).code(), absl::StatusCode::kResourceExhausted);
}

// Every pair of small limits, both directions at once: everything arrives, and then there is silence.
TEST(CreditFlow, NoPairOfLimitsFallsSilentOrChatters) {
  const std::uint16_t limits[] = {1, 2, 3, 4, 5, 8, 255};
  const std::vector<std::byte> words = Fill(5000);
  for (const std::uint16_t mine : limits) {
    for (const std::uint16_t wanted : limits) {
      for (const std::uint16_t theirs : limits) {
        SCOPED_TRACE(testing::Message() << mine << ' ' << wanted << ' ' << theirs);
        Driver a(Role::kInitiator, WithCredits(mine, wanted));
        Driver b(Role::kResponder, WithCredits(theirs, mine));
        Join(a, b);
        for (std::uint64_t i = 0; i < 6; ++i) {
          ASSERT_TRUE(a.Submit({.bytes = words, .cookie = i}).ok());
          if (i < 3) {
            ASSERT_TRUE(b.Submit({.bytes = words, .cookie = i}).ok());
          }
        }
        ASSERT_TRUE(Settle(a, b, kStart, 500));
        EXPECT_EQ(b.delivered.size(), 6u);
        EXPECT_EQ(a.delivered.size(), 3u);
        EXPECT_EQ(a.connection().send_credits(), b.connection().receive_credits());
        EXPECT_EQ(b.connection().send_credits(), a.connection().receive_credits());
        EXPECT_EQ(a.breach() + b.breach(), "");
      }
    }
  }
}

TEST(CreditFlow, NothingOfOursComesBetweenOurFragments) {
  Driver a(Role::kInitiator, WithCredits(4, 4));
  Driver b(Role::kResponder, WithCredits(4, 4));
  Join(a, b);
  const std::vector<std::byte> words = Fill(50'000);
  ASSERT_TRUE(a.Submit({.bytes = words, .cookie = 1}).ok());
  HandMade keepalive = Granting(3, 4);
  keepalive.header.flags = kFlagResponseRequested;
  bool in_message = false;
  for (int i = 0; b.delivered.empty() && i < 1000; ++i) {
    while (!a.wire.empty()) {
      const DataMessage message = Decoded(a.wire.front());
      EXPECT_FALSE(in_message && message.payload.empty()) << "an empty message between fragments";
      in_message = message.header.remaining_data_bytes > 0;
      const WireMessage taken = Take(a);
      ASSERT_TRUE(b.Arrive(taken, kStart));
    }
    ASSERT_TRUE(Exchange(b, a, kStart));
  }
  EXPECT_THAT(b.delivered, testing::ElementsAre(words));
}

}  // namespace
}  // namespace rdmaready::smbdirect
