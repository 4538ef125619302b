// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/netlink_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/unit/collectors/wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using wire::operator+;

wire::Bytes Datagram(std::uint16_t type, std::uint16_t flags, std::uint32_t sequence,
                     const wire::Bytes& payload) {
  wire::Bytes bytes = wire::Of(static_cast<std::uint32_t>(16 + payload.size())) + wire::Of(type) +
                      wire::Of(flags) + wire::Of(sequence) + wire::Of(std::uint32_t{4711}) + payload;
  while (bytes.size() % 4 != 0) bytes.push_back(std::byte{0});
  return bytes;
}

// struct nlmsgerr: the error, then the header of the request.
wire::Bytes Error(int error, std::uint32_t request_bytes = 40) {
  return wire::Of(error) + wire::Of(request_bytes) + wire::Bytes(12);
}

constexpr std::uint16_t kError = 2;
constexpr std::uint16_t kCapped = 0x100;
constexpr std::uint16_t kHasWords = 0x200;

NetlinkAnswer Answered(const wire::Bytes& datagram) {
  NetlinkAnswer answer;
  AddDatagram(datagram, 9, answer);
  return answer;
}

TEST(NetlinkAnswers, AReplyAndItsAcknowledgementAreOneAnswer) {
  const wire::Bytes payload = wire::U8(13, 0);
  NetlinkAnswer answer = Answered(Datagram(79, 0, 9, payload));
  EXPECT_FALSE(answer.done);
  AddDatagram(Datagram(kError, kCapped, 9, Error(0)), 9, answer);
  EXPECT_EQ(answer, (NetlinkAnswer{.messages = {{79, payload}}, .done = true}));
}

TEST(NetlinkAnswers, BothMayComeInOneDatagram) {
  const NetlinkAnswer answer =
      Answered(Datagram(79, 0, 9, {std::byte{1}}) + Datagram(kError, kCapped, 9, Error(-EBUSY)));
  EXPECT_TRUE(answer.done);
  EXPECT_EQ(answer.error_number, EBUSY);
  EXPECT_THAT(answer.messages, SizeIs(1));
}

TEST(NetlinkAnswers, WhatHasAnotherNumberIsNobodysAnswer) {
  const NetlinkAnswer answer = Answered(Datagram(79, 0, 8, {}) + Datagram(kError, kCapped, 10, Error(-EIO)));
  EXPECT_EQ(answer, NetlinkAnswer());
}

TEST(NetlinkAnswers, TheKernelsWordsAreReadWithAndWithoutTheRequestBeforeThem) {
  const wire::Bytes words = wire::Text(1, "mtu greater than device maximum");
  EXPECT_EQ(Answered(Datagram(kError, kCapped | kHasWords, 9, Error(-EINVAL) + words)).words,
            "mtu greater than device maximum");
  EXPECT_EQ(Answered(Datagram(kError, kHasWords, 9, Error(-EINVAL, 40) + wire::Bytes(24) + words)).words,
            "mtu greater than device maximum");
}

TEST(NetlinkAnswers, WordsThatMakeNoSenseAreNone) {
  for (const wire::Bytes& tail : {wire::Bytes(3), wire::Attr(1, {}), wire::Of(std::uint16_t{200})}) {
    const NetlinkAnswer answer = Answered(Datagram(kError, kCapped | kHasWords, 9, Error(-EINVAL) + tail));
    EXPECT_EQ(answer.error_number, EINVAL);
    EXPECT_EQ(answer.words, "");
  }
  EXPECT_EQ(Answered(Datagram(kError, kHasWords, 9, Error(-EINVAL, 0xffffffff))).words, "");
  EXPECT_EQ(Answered(Datagram(kError, kCapped | kHasWords, 9, Error(-EINVAL) + wire::Text(1, "a\nb"))).words,
            "a?b");
}

TEST(NetlinkAnswers, BrokenBytesAreNoSuccess) {
  for (const wire::Bytes& bytes :
       {wire::Bytes(15), wire::Of(std::uint32_t{15}) + wire::Bytes(12),
        wire::Of(std::uint32_t{64}) + wire::Bytes(12), Datagram(kError, 0, 9, wire::Bytes(4)),
        Datagram(kError, kCapped, 9, Error(5)), Datagram(kError, kCapped, 9, Error(-2'000'000'000))}) {
    EXPECT_TRUE(Answered(bytes).broken);
  }
}

TEST(NetlinkAnswers, NothingIsAddedOnceItIsDone) {
  NetlinkAnswer answer = Answered(Datagram(kError, kCapped, 9, Error(0)));
  AddDatagram(Datagram(79, 0, 9, {}) + Datagram(kError, kCapped, 9, Error(-EIO)), 9, answer);
  EXPECT_EQ(answer, NetlinkAnswer{.done = true});
}

TEST(NetlinkAnswers, AFloodIsBoundedAndBroken) {
  NetlinkAnswer answer;
  for (int i = 0; i < 1000; ++i) AddDatagram(Datagram(79, 0, 9, {}), 9, answer);
  EXPECT_LE(answer.messages.size(), 256U);
  EXPECT_TRUE(answer.broken);
}

TEST(NetlinkRequests, AreSentWithANumberAndAskForAnAcknowledgement) {
  const wire::Bytes payload = wire::U32(4, 9000);
  EXPECT_EQ(DatagramOf({NETLINK_ROUTE, 19, false, payload}, 0x01020304),
            wire::Of(std::uint32_t{24}) + wire::Of(std::uint16_t{19}) + wire::Of(std::uint16_t{5}) +
                wire::Of(std::uint32_t{0x01020304}) + wire::Of(std::uint32_t{0}) + payload);
}

}  // namespace
}  // namespace rdmaready
