// SPDX-License-Identifier: Apache-2.0
#include "tests/fabric/hub/mac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Bytes From(const Bytes& source, int to) {
  Bytes frame = EthernetFrame(to, 1, 0x9999, 60);
  std::ranges::copy(source, frame.begin() + kMacBytes);
  return frame;
}

TEST(MacTable, IsBoundUnderAMillionAddresses) {
  Rig rig(3);
  rig.Introduce();
  std::mt19937 random(3);
  std::uint32_t most = 0;
  for (int i = 0; i < 1'000'000; i++) {
    Bytes source(kMacBytes);
    for (std::uint8_t& byte : source) byte = static_cast<std::uint8_t>(random());
    rig.Receive(1, From(source, 2));
    rig.now_ns += kMicrosecond;
    if (i % 1024 == 0) {
      most = std::max(most, MacCount(&rig->macs, rig.now_ns));
      rig.Drain(2);
      rig.Drain(3);
    }
  }
  EXPECT_EQ(most, static_cast<std::uint32_t>(kMostMacs));
  EXPECT_GT(rig->macs.evicted, 400'000u);
  // The switch learns as before.
  rig.Drain(2);
  rig.Receive(2, EthernetFrame(3, 2, 0x9999, 60));
  rig.Drain(3);
  rig.Drain(1);
  rig.Receive(3, EthernetFrame(2, 3, 0x9999, 60));
  EXPECT_THAT(rig.Drain(1), IsEmpty());
  EXPECT_THAT(rig.Drain(2), SizeIs(1));
}

TEST(MacTable, LearnsNoGroupAddress) {
  Rig rig(3);
  const Bytes group = {0x33, 0x33, 0, 0, 0, 1};
  rig.Receive(1, From(group, 2));
  EXPECT_EQ(MacCount(&rig->macs, rig.now_ns), 0u);
}

TEST(MacTable, ForgetsAnAddressThatIsSilentTooLong) {
  Rig rig(3);
  rig.Introduce();
  rig.Set("all ageing_s 10");
  rig.now_ns += 6 * kSecond;  // nine since the guests were introduced
  rig.Receive(2, EthernetFrame(1, 2, 0x9999, 60));
  EXPECT_THAT(rig.Drain(3), IsEmpty());
  rig.now_ns += 10 * kSecond;
  rig.Receive(2, EthernetFrame(1, 2, 0x9999, 60));
  EXPECT_THAT(rig.Drain(3), SizeIs(1));
  rig.Set("all ageing_s 0");
  rig.Receive(1, EthernetFrame(2, 1, 0x9999, 60));
  rig.Drain(2);
  rig.now_ns += 1'000'000 * kSecond;
  rig.Receive(3, EthernetFrame(1, 3, 0x9999, 60));
  EXPECT_THAT(rig.Drain(2), IsEmpty());
}

TEST(MacTable, FollowsAnAddressToAnotherPort) {
  Rig rig(3);
  rig.Introduce();
  rig.Receive(3, From(AddressOf(2), 1));
  rig.Drain(1);
  rig.Receive(1, EthernetFrame(2, 1, 0x9999, 60));
  EXPECT_THAT(rig.Drain(2), IsEmpty());
  EXPECT_THAT(rig.Drain(3), SizeIs(1));
  EXPECT_EQ(rig->macs.moved, 1u);
}

TEST(MacTable, SendsNothingBackToItsPort) {
  Rig rig(3);
  rig.Introduce();
  rig.Receive(2, From(AddressOf(9), 2));
  for (int port = 1; port <= 3; port++) EXPECT_THAT(rig.Drain(port), IsEmpty());
  EXPECT_EQ(rig.Of(2, 0).dropped[kDropNowhere].frames, 1u);
}

TEST(MacTable, FloodsWhereThePortLostItsLink) {
  Rig rig(3);
  rig.Introduce();
  rig.Set("2 rate_mbps 1");
  for (int i = 0; i < 3; i++) rig.Receive(1, EthernetFrame(2, 1, 0x9999, 6000));
  SwitchLinkDown(rig.get(), 1, rig.now_ns);
  EXPECT_EQ(rig.Of(2, 0).dropped[kDropNoLink].frames, 3u);
  rig.Receive(1, EthernetFrame(2, 1, 0x9999, 60));
  EXPECT_THAT(rig.Drain(2), IsEmpty());
  EXPECT_THAT(rig.Drain(3), SizeIs(1));
  SwitchLinkDown(rig.get(), 2, rig.now_ns);
  rig.Receive(1, EthernetFrame(2, 1, 0x9999, 60));
  EXPECT_EQ(rig.Of(1, 0).dropped[kDropNowhere].frames, 1u);
}

}  // namespace
}  // namespace fabric
