// SPDX-License-Identifier: Apache-2.0
#include "agent/tcp/frame.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace rdmaready {
namespace {

constexpr std::array kFrames = {
    Frame{.kind = FrameKind::kSend, .signaled = true, .id = 7, .length = 24},
    Frame{.kind = FrameKind::kWrite, .key = 3, .id = kFrameIdLimit - 1, .address = ~0ULL, .length = 4096},
    Frame{.kind = FrameKind::kRead, .key = 0xffffffff, .address = 1, .length = kMostFramePayload},
    Frame{.kind = FrameKind::kDone, .id = 9},
    Frame{.kind = FrameKind::kData, .id = 9, .length = 1},
    Frame{.kind = FrameKind::kRefused, .id = 9},
};

TEST(Frames, SurviveARoundTrip) {
  for (const Frame& frame : kFrames) {
    const FrameHeader header = EncodeFrame(frame);
    EXPECT_EQ(DecodeFrame(header), frame) << static_cast<int>(frame.kind);
  }
}

TEST(Frames, RejectBytesThatNoFrameHas) {
  constexpr std::size_t kLengthAt = 24;
  const auto with = [](std::size_t at, int value) {
    FrameHeader header = EncodeFrame(kFrames[0]);
    header[at] = static_cast<std::byte>(value);
    return DecodeFrame(header);
  };
  EXPECT_TRUE(with(0, 2));
  EXPECT_FALSE(with(0, 0)) << "kind";
  EXPECT_FALSE(with(0, 7)) << "kind";
  EXPECT_FALSE(with(1, 2)) << "flags";
  EXPECT_FALSE(with(2, 1)) << "zeros";
  EXPECT_FALSE(with(4, 1)) << "a send has no key";
  EXPECT_FALSE(with(15, 1)) << "id";
  EXPECT_FALSE(with(16, 1)) << "a send has no address";
  EXPECT_FALSE(with(kLengthAt + 3, 1)) << "length";
  EXPECT_FALSE(with(28, 1)) << "zeros";
}

TEST(Frames, RejectFieldsThatTheirKindDoesNotHave) {
  for (const Frame& frame :
       {Frame{.kind = FrameKind::kDone, .length = 1}, Frame{.kind = FrameKind::kRefused, .length = 1},
        Frame{.kind = FrameKind::kData, .signaled = true, .length = 1},
        Frame{.kind = FrameKind::kRead, .signaled = true, .length = 1},
        Frame{.kind = FrameKind::kData, .key = 1, .length = 1},
        Frame{.kind = FrameKind::kWrite, .key = 1, .length = kMostFramePayload + 1}})
    EXPECT_FALSE(DecodeFrame(EncodeFrame(frame))) << static_cast<int>(frame.kind);
}

TEST(Greetings, MatchOneNonceOnly) {
  const Nonce nonce{1, 2, 3};
  Nonce other = nonce;
  other.back() = 9;
  EXPECT_TRUE(SameGreeting(GreetingOf(nonce), nonce));
  EXPECT_FALSE(SameGreeting(GreetingOf(other), nonce));
  Greeting unmarked = GreetingOf(nonce);
  unmarked[0] = std::byte{0};
  EXPECT_FALSE(SameGreeting(unmarked, nonce));
}

}  // namespace
}  // namespace rdmaready
