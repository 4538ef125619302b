// SPDX-License-Identifier: Apache-2.0
// How frames are read: priorities, marks, and what no good guest sends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr int kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3;

int EcnOf4(const Bytes& frame) { return frame[kIpAt + 1] & 3; }
int EcnOf6(const Bytes& frame) { return frame[kIpAt + 1] >> 4 & 3; }

class ClassifierTest : public testing::Test {
 protected:
  void SetUp() override { rig_.Introduce(); }

  // The priority that port 1 gives the frame.
  int PriorityOf(const Bytes& frame) {
    std::uint64_t before[kPriorities];
    for (int i = 0; i < kPriorities; i++) before[i] = rig_.Of(1, i).in.frames;
    rig_.Receive(1, frame);
    for (int i = 0; i < kPriorities; i++) {
      if (rig_.Of(1, i).in.frames != before[i]) return i;
    }
    return -1;
  }

  Rig rig_{2};
};

TEST_F(ClassifierTest, TrustsDscpOfBothIpVersionsBehindTags) {
  rig_.Set("1 dscp 26:5");
  rig_.Set("1 priority 1");
  EXPECT_EQ(PriorityOf(Ipv4Frame(2, 1, 26, 0, 100)), 5);
  EXPECT_EQ(PriorityOf(Ipv6Frame(2, 1, 26, 0, 100)), 5);
  EXPECT_EQ(PriorityOf(Ipv4Frame(2, 1, 48, 0, 100)), 6);
  EXPECT_EQ(PriorityOf(Tagged(Ipv4Frame(2, 1, 26, 0, 100), 7)), 5);
  EXPECT_EQ(PriorityOf(Tagged(Tagged(Ipv6Frame(2, 1, 26, 0, 100), 7), 2, 0x88a8)), 5);
  EXPECT_EQ(PriorityOf(EthernetFrame(2, 1, 0x0806, 60)), 1);
}

TEST_F(ClassifierTest, TrustsTheOuterTag) {
  rig_.Set("1 trust pcp");
  rig_.Set("1 pcp 4:2");
  rig_.Set("1 priority 3");
  EXPECT_EQ(PriorityOf(Tagged(Ipv4Frame(2, 1, 26, 0, 100), 7)), 7);
  EXPECT_EQ(PriorityOf(Tagged(Tagged(Ipv4Frame(2, 1, 26, 0, 100), 7), 4, 0x88a8)), 2);
  EXPECT_EQ(PriorityOf(Ipv4Frame(2, 1, 26, 0, 100)), 3);
}

TEST_F(ClassifierTest, TrustsThePortAlone) {
  rig_.Set("1 trust port");
  rig_.Set("1 priority 4");
  EXPECT_EQ(PriorityOf(Tagged(Ipv4Frame(2, 1, 26, 0, 100), 7)), 4);
}

TEST_F(ClassifierTest, GivesThePriorityOfThePortWhereAnIpHeaderLies) {
  rig_.Set("1 priority 2");
  struct Lie {
    const char* what;
    bool is_ipv6;
    std::size_t at;
    std::uint8_t value;
  };
  for (const Lie& lie : {Lie{"another version", false, 0, 0x65}, Lie{"a header of 16 bytes", false, 0, 0x44},
                         Lie{"a header of 60 bytes behind the total", false, 0, 0x4f},
                         Lie{"more than there is", false, 2, 0x7f}, Lie{"less than its header", false, 3, 19},
                         Lie{"another version", true, 0, 0x45}, Lie{"more than there is", true, 4, 0x7f}}) {
    Bytes frame = lie.is_ipv6 ? Ipv6Frame(2, 1, 26, kEct0, 60) : Ipv4Frame(2, 1, 26, kEct0, 60);
    frame[kIpAt + lie.at] = lie.value;
    if (lie.value == 19) frame[kIpAt + 2] = 0;
    const std::uint64_t before = rig_.At(1).counters.bad_ip;
    EXPECT_EQ(PriorityOf(frame), 2) << lie.what;
    EXPECT_EQ(rig_.At(1).counters.bad_ip, before + 1) << lie.what;
  }
  EXPECT_THAT(rig_.Drain(2), SizeIs(7));  // they are forwarded all the same
}

TEST_F(ClassifierTest, CountsWhatIsTooShortTooLongOrTaggedTwice) {
  const Bytes whole = Tagged(Tagged(Ipv4Frame(2, 1, 26, 0, 100), 7), 4, 0x88a8);
  for (std::size_t bytes = 0; bytes <= whole.size(); bytes++) {
    rig_.Receive(1, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)));
  }
  std::uint64_t short_frames = 0;
  for (int i = 0; i < kPriorities; i++) short_frames += rig_.Of(1, i).dropped[kDropShort].frames;
  EXPECT_EQ(short_frames, 22u);  // below the addresses, two tags and the type
  EXPECT_EQ(rig_.At(1).counters.double_tagged, whole.size() + 1 - 22);

  rig_.Drain(2);
  rig_.Receive(1, EthernetFrame(2, 1, 0x9999, 9216));
  rig_.Receive(1, EthernetFrame(2, 1, 0x9999, 9217));
  rig_.Receive(1, EthernetFrame(2, 1, 0x9999, 65536));
  EXPECT_EQ(rig_.Of(1, 0).dropped[kDropLong].frames, 2u);
  EXPECT_THAT(rig_.Drain(2), SizeIs(1));
}

TEST_F(ClassifierTest, ReadsNothingBeyondAFrameOfAnyBytes) {
  std::mt19937 random(5);
  for (int i = 0; i < 100'000; i++) {
    Bytes frame = i % 2 ? Ipv4Frame(2, 1, 26, kEct0, 120) : Ipv6Frame(2, 1, 26, kEct0, 120);
    if (i % 3 == 0) frame = Tagged(frame, 3);
    for (int changes = 0; changes < 4; changes++)
      frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    frame.resize(random() % (frame.size() + 1));
    rig_.Receive(1, frame);
    if (i % 64 == 0) rig_.Drain(2);
  }
  EXPECT_EQ(SwitchTotals(rig_.get()).in.frames, 100'002u);
}

// Port 2 takes 10 Mb/s, and marks what comes in behind more than 16 KB.
class EcnTest : public testing::Test {
 protected:
  void SetUp() override {
    rig_.Introduce();
    rig_.Set("2 rate_mbps 10");
    rig_.Set("2 ecn_kb 3:16");
  }

  Rig rig_{2};
};

TEST_F(EcnTest, MarksAboveTheThresholdAndOnlyThere) {
  for (int i = 0; i < 32; i++) rig_.Receive(1, Ipv4Frame(2, 1, 26, kEct0, 1024));
  std::vector<int> marks;
  for (const Bytes& frame : rig_.DrainUntil(2, rig_.now_ns + kSecond)) {
    marks.push_back(EcnOf4(frame));
    EXPECT_EQ(HeaderSum(frame), 0xffffu);
    EXPECT_EQ(DscpOf(frame), 26);
  }
  std::vector<int> expected(16, kEct0);
  expected.resize(32, kCe);
  EXPECT_EQ(marks, expected);
  EXPECT_EQ(rig_.Of(2, 3).marked.frames, 16u);
  EXPECT_EQ(rig_.Of(2, 3).marked.bytes, 16u * 1024);
}

TEST_F(EcnTest, MarksOnlyWhereTheTransportUnderstands) {
  for (int i = 0; i < 20; i++) rig_.Receive(1, Ipv4Frame(2, 1, 26, kNotEct, 1024));
  for (const int ecn : {kNotEct, kEct1, kEct0, kCe}) {
    rig_.Receive(1, Ipv4Frame(2, 1, 26, ecn, 1024));
    rig_.Receive(1, Ipv6Frame(2, 1, 26, ecn, 1024));
    rig_.Receive(1, Tagged(Ipv6Frame(2, 1, 26, ecn, 1024), 3));
  }
  rig_.Receive(1, Ipv4Frame(2, 1, 0, kEct0, 1024));  // priority 0 has no threshold
  std::vector<Bytes> frames = rig_.DrainUntil(2, rig_.now_ns + kSecond);
  ASSERT_THAT(frames, SizeIs(33));
  for (const Bytes& frame : frames) {
    if (frame[kTypeAt] == 0x08) {
      EXPECT_EQ(HeaderSum(frame), 0xffffu);
      if (DscpOf(frame) == 0) {
        EXPECT_EQ(EcnOf4(frame), kEct0);
      }
    }
  }
  std::erase_if(frames, [](const Bytes& frame) { return frame[kTypeAt] == 0x08 && DscpOf(frame) == 0; });
  for (int i = 0; i < 4; i++) {
    const Bytes* row = &frames[20 + static_cast<std::size_t>(i) * 3];
    const int expected = i == 0 ? kNotEct : kCe;
    EXPECT_EQ(EcnOf4(row[0]), expected) << i;
    EXPECT_EQ(EcnOf6(row[1]), expected) << i;
    EXPECT_EQ(row[2][kIpAt + 4 + 1] >> 4 & 3, expected) << i;
  }
  EXPECT_EQ(rig_.Of(2, 3).marked.frames, 6u);  // not those that came with a mark
}

TEST_F(EcnTest, KeepsEveryChecksumRight) {
  constexpr std::size_t kVaried[] = {4, 5, 12, 13, 14, 15, 16, 17, 18, 19};  // identification and addresses
  std::mt19937 random(9);
  for (int i = 0; i < 20; i++) rig_.Receive(1, Ipv4Frame(2, 1, 26, kNotEct, 1024));
  for (int i = 0; i < 2000; i++) {
    Bytes frame = Ipv4Frame(2, 1, 24 + static_cast<int>(random() % 8), 1 + static_cast<int>(random() % 2), 100);
    for (const std::size_t at : kVaried) frame[kIpAt + at] = static_cast<std::uint8_t>(random());
    frame[kIpAt + 10] = frame[kIpAt + 11] = 0;
    const std::uint32_t checksum = 0xffff - HeaderSum(frame);
    frame[kIpAt + 10] = static_cast<std::uint8_t>(checksum >> 8);
    frame[kIpAt + 11] = static_cast<std::uint8_t>(checksum);
    rig_.Receive(1, frame);
  }
  int marked = 0;
  for (const Bytes& frame : rig_.DrainUntil(2, rig_.now_ns + kSecond)) {
    marked += EcnOf4(frame) == kCe;
    ASSERT_EQ(HeaderSum(frame), 0xffffu);
  }
  EXPECT_EQ(marked, 2000);
}

// Guest 1's port takes the mark of RDMA away.
class RemarkTest : public testing::Test {
 protected:
  void SetUp() override {
    rig_.Introduce();
    rig_.Set("1 remark 26:0");
  }

  Bytes Passed(int from, int to, const Bytes& frame) {
    rig_.Receive(from, frame);
    return rig_.Transmit(to);
  }

  Rig rig_{2};
};

TEST_F(RemarkTest, ChangesTheDscpOfAllThatComesInAndKeepsTheRest) {
  for (const int ecn : {kNotEct, kEct0, kCe}) {
    const Bytes marked = Ipv4Frame(2, 1, 26, ecn, 200);
    EXPECT_EQ(Passed(1, 2, marked), Ipv4Frame(2, 1, 0, ecn, 200));
    EXPECT_EQ(Passed(1, 2, Ipv6Frame(2, 1, 26, ecn, 200)), Ipv6Frame(2, 1, 0, ecn, 200));
    EXPECT_EQ(Passed(1, 2, Tagged(Ipv4Frame(2, 1, 26, ecn, 200), 3)), Tagged(Ipv4Frame(2, 1, 0, ecn, 200), 3));
    EXPECT_EQ(Passed(2, 1, Ipv4Frame(1, 2, 26, ecn, 200)), Ipv4Frame(1, 2, 26, ecn, 200)) << "the way back";
  }
  EXPECT_EQ(Passed(1, 2, Ipv4Frame(2, 1, 27, 0, 200)), Ipv4Frame(2, 1, 27, 0, 200));
  EXPECT_EQ(Passed(1, 2, EthernetFrame(2, 1, 0x1234, 200)), EthernetFrame(2, 1, 0x1234, 200));
  EXPECT_EQ(rig_.Of(1, 3).remarked.frames, 9u) << "in the priority that they had";
  EXPECT_EQ(rig_.Of(2, 3).remarked.frames, 0u);
}

// With the headers of RoCEv2 behind that of IP.
Bytes Roce(Bytes frame, std::size_t ip_bytes, std::uint32_t queue_pair) {
  const bool v6 = ip_bytes == 40;
  std::uint8_t* const header = frame.data() + kIpAt;
  header[v6 ? 6 : 9] = 17;
  std::uint8_t* const udp = header + ip_bytes;
  udp[2] = 4791 >> 8;
  udp[3] = 4791 & 0xff;
  for (int i = 0; i < 3; i++) udp[8 + 5 + i] = static_cast<std::uint8_t>(queue_pair >> (16 - 8 * i));
  if (!v6) {
    header[10] = header[11] = 0;
    const std::uint32_t checksum = 0xffff - HeaderSum(frame);
    header[10] = static_cast<std::uint8_t>(checksum >> 8);
    header[11] = static_cast<std::uint8_t>(checksum);
  }
  return frame;
}

TEST_F(RemarkTest, IsForOddQueuePairsOnDemand) {
  rig_.Set("1 remark_of odd-qp");
  for (const std::uint32_t pair : {0u, 1u, 2u, 3u, 0x10000u, 0xffffffu}) {
    const int expected = pair % 2 == 1 && pair != 1 ? 0 : 26;
    const Bytes v4 = Passed(1, 2, Roce(Ipv4Frame(2, 1, 26, kEct0, 200), 20, pair));
    EXPECT_EQ(v4, Roce(Ipv4Frame(2, 1, expected, kEct0, 200), 20, pair)) << pair;
    EXPECT_EQ(HeaderSum(v4), 0xffffu);
    EXPECT_EQ(Passed(1, 2, Roce(Ipv6Frame(2, 1, 26, 0, 200), 40, pair)),
              Roce(Ipv6Frame(2, 1, expected, 0, 200), 40, pair));
  }
  const Bytes other = Ipv4Frame(2, 1, 26, 0, 200);
  EXPECT_EQ(Passed(1, 2, other), other) << "not RoCE";
}

TEST_F(RemarkTest, ReadsNothingBehindAFrameThatEndsEarly) {
  rig_.Set("1 remark_of odd-qp");
  // A header of 60 octets whose frame ends within the transport header.
  for (std::size_t bytes = kIpAt + 60; bytes < kIpAt + 60 + 20; bytes++) {
    Bytes frame = Ipv4Frame(2, 1, 26, 0, bytes);
    frame[kIpAt] = 0x4f;
    frame[kIpAt + 9] = 17;
    frame[kIpAt + 10] = frame[kIpAt + 11] = 0;
    const std::uint32_t checksum = 0xffff - HeaderSum(frame);
    frame[kIpAt + 10] = static_cast<std::uint8_t>(checksum >> 8);
    frame[kIpAt + 11] = static_cast<std::uint8_t>(checksum);
    EXPECT_EQ(Passed(1, 2, frame), frame) << bytes;
  }
}

TEST(Flooding, GoesToEachOtherPortAndCountsEachCopy) {
  Rig rig(4);
  Bytes frame = EthernetFrame(2, 1, 0x9999, 100);
  std::fill_n(frame.begin(), kMacBytes, 0xff);
  rig.Receive(1, frame);
  EXPECT_THAT(rig.Drain(1), IsEmpty());
  for (int port = 2; port <= 4; port++) EXPECT_THAT(rig.Drain(port), SizeIs(1));
  EXPECT_EQ(rig.Of(1, 0).copied.frames, 2u);
  EXPECT_EQ(rig.Of(1, 0).in.frames, 1u);
}

TEST(Flooding, LeavesOutLinkLocalAddressesOnDemand) {
  Rig rig(2);
  for (int last = 0; last < 0x11; last++) {
    Bytes frame = EthernetFrame(2, 1, 0x88cc, 100);
    const Bytes group = {0x01, 0x80, 0xc2, 0, 0, static_cast<std::uint8_t>(last)};
    std::ranges::copy(group, frame.begin());
    rig.Set("all link_local flood");
    rig.Receive(1, frame);
    EXPECT_THAT(rig.Drain(2), SizeIs(1)) << last;
    rig.Set("all link_local consume");
    rig.Receive(1, frame);
    EXPECT_THAT(rig.Drain(2), SizeIs(last < 0x10 ? 0 : 1)) << last;
  }
}

TEST(Cut, PassesNothingAndKeepsTheLink) {
  Rig rig(2);
  rig.Introduce();
  rig.Set("2 rate_mbps 10");
  for (int i = 0; i < 5; i++) rig.Receive(1, Ipv4Frame(2, 1, 0, 0, 1000));
  rig.Set("2 cut on");
  for (int i = 0; i < 5; i++) rig.Receive(1, Ipv4Frame(2, 1, 0, 0, 1000));
  rig.Receive(2, Ipv4Frame(1, 2, 0, 0, 1000));
  EXPECT_THAT(rig.DrainUntil(2, rig.now_ns + kSecond), IsEmpty());
  EXPECT_THAT(rig.Drain(1), IsEmpty());
  EXPECT_EQ(rig.Of(2, 0).dropped[kDropCut].frames, 11u);
  rig.Set("2 cut off");
  rig.Receive(1, Ipv4Frame(2, 1, 0, 0, 1000));
  EXPECT_THAT(rig.Drain(2), SizeIs(1));
}

}  // namespace
}  // namespace fabric
