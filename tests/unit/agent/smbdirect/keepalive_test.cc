// SPDX-License-Identifier: Apache-2.0
// The idle time and the keepalive, [MS-SMBD] 3.1.2.2 and 3.1.5.1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/smbdirect/hand.h"

namespace rdmaready::smbdirect {
namespace {

using namespace std::chrono_literals;

HandMade Empty(std::uint16_t granted, std::uint16_t flags = 0) {
  HandMade made = HandMade::Of({});
  made.header.credits_granted = granted;
  made.header.flags = flags;
  return made;
}

TEST(Keepalive_, AfterTwoMinutesAsksAndAfterFiveSecondsMoreEnds) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Empty(5).Message(), kStart + 10s));
  EXPECT_EQ(responder.timer, kStart + 120s) << "not armed anew with each message";
  responder.Timer(kStart + 120s);
  EXPECT_TRUE(responder.wire.empty());
  EXPECT_EQ(responder.timer, kStart + 130s);
  responder.Timer(kStart + 130s);
  const DataMessage message = Decoded(Take(responder));
  EXPECT_EQ(message.header.flags, kFlagResponseRequested);
  EXPECT_EQ(message.header.data_bytes, 0u);
  EXPECT_EQ(responder.timer, kStart + 135s);
  EXPECT_FALSE(responder.end);
  responder.Timer(kStart + 135s);
  ASSERT_TRUE(responder.end);
  EXPECT_EQ(responder.end->reason, EndReason::kKeepaliveTimeout);
}

TEST(Keepalive_, AnyMessageIsAnAnswer) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Empty(5).Message(), kStart));
  responder.Timer(kStart + 120s);
  Take(responder);
  ASSERT_TRUE(responder.Arrive(HandMade::Of(Fill(10)).Message(), kStart + 124s));
  responder.Timer(kStart + 125s);
  EXPECT_FALSE(responder.end);
  EXPECT_EQ(responder.timer, kStart + 244s);
  responder.Timer(kStart + 244s);
  EXPECT_EQ(Decoded(Take(responder)).header.flags, kFlagResponseRequested) << "and asks again";
}

TEST(Keepalive_, TravelsWithPayloadWhenThereIsSome) {
  Driver responder(Role::kResponder, {.max_sends_in_flight = 1});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Empty(5).Message(), kStart));
  const std::vector<std::byte> words = Fill(10);
  ASSERT_TRUE(responder.Submit({.bytes = words, .cookie = 1}).ok());
  ASSERT_TRUE(responder.Submit({.bytes = words, .cookie = 2}).ok());
  responder.Timer(kStart + 120s);
  EXPECT_EQ(Decoded(Take(responder)).header.flags, 0);
  const DataMessage second = Decoded(Take(responder));
  EXPECT_EQ(second.header.flags, kFlagResponseRequested);
  EXPECT_EQ(second.payload.size(), 10u);
  EXPECT_TRUE(responder.wire.empty());
}

TEST(Keepalive_, WithoutACreditEndsAllTheSame) {
  Driver responder(Role::kResponder, {});
  Agree(responder);  // and no grant, ever
  responder.Timer(kStart + 120s);
  EXPECT_TRUE(responder.wire.empty());
  responder.Timer(kStart + 125s);
  ASSERT_TRUE(responder.end);
  EXPECT_EQ(responder.end->reason, EndReason::kKeepaliveTimeout);
}

TEST(Keepalive_, OfThePeerIsAnsweredAtOnceAndOnce) {
  Driver responder(Role::kResponder, {});
  Agree(responder);
  ASSERT_TRUE(responder.Arrive(Empty(5, kFlagResponseRequested).Message(), kStart));
  ASSERT_EQ(responder.wire.size(), 1u);
  EXPECT_EQ(Decoded(Take(responder)).header.flags, 0) << "an answer asks for none";
  EXPECT_EQ(responder.connection().counters().keepalives_received, 1u);
}

TEST(Keepalive_, IsAnsweredWithTheLastCreditToo) {
  Driver responder(Role::kResponder, {.receive_credit_max = 10});
  Agree(responder);
  // The peer holds more than it asks for by now, so nothing must be granted except for the last credit.
  HandMade keepalive = Empty(1, kFlagResponseRequested);
  keepalive.header.credits_requested = 5;
  ASSERT_TRUE(responder.Arrive(keepalive.Message(), kStart));
  const DataMessage answer = Decoded(Take(responder));
  EXPECT_GE(answer.header.credits_granted, 1);
}

TEST(Keepalive_, BetweenTwoIdleEndsKeepsThemAlive) {
  for (const std::uint16_t credits : std::initializer_list<std::uint16_t>{1, 2, 255}) {
    const Settings settings{.receive_credit_max = credits, .send_credit_target = credits};
    Driver a(Role::kInitiator, settings);
    Driver b(Role::kResponder, settings);
    Join(a, b);
    TimePoint now = kStart;
    for (int i = 0; i < 100; ++i) {
      now = std::min(*a.timer, *b.timer);
      if (a.timer == now) a.Timer(now);
      if (b.timer == now) b.Timer(now);
      ASSERT_TRUE(Settle(a, b, now, 20));
      ASSERT_FALSE(a.end || b.end) << credits;
    }
    EXPECT_GE(now, kStart + 40min);
    EXPECT_GT(a.connection().counters().keepalives_sent + b.connection().counters().keepalives_sent, 10u);
  }
}

TEST(Keepalive_, CanBeTurnedOff) {
  Driver responder(Role::kResponder, {.timers = {.negotiate_passive = 0s, .idle = 0s}});
  responder.Connect(kStart);
  EXPECT_FALSE(responder.timer);
  ASSERT_TRUE(responder.Arrive(Raw(Encode(GoodRequest())), kStart + 1h));
  Take(responder);
  EXPECT_FALSE(responder.timer);
  responder.Timer(kStart + 2h);
  EXPECT_FALSE(responder.timer || responder.end);
}

}  // namespace
}  // namespace rdmaready::smbdirect
