// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kFrameBytes = 1500;

Bytes FrameOf(int to, int from, int priority, std::size_t bytes = kFrameBytes) {
  return Ipv4Frame(to, from, priority * kDscpsOfAPriority, 0, bytes);
}

TEST(PauseFrame, HasTheLayoutOfTheStandard) {
  const std::uint16_t quanta[kPriorities] = {9, 9, 9, 0xffff, 9, 9, 9, 0x0102};
  std::uint8_t frame[kPauseFrameBytes];
  PauseWrite(frame, AddressOf(2).data(), 0x88, quanta);
  // 802.1Q figure 36-4: group address, source, type, opcode, vector, eight times; padded to the shortest frame.
  Bytes expected = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, 0x52, 0x54, 0x00, 0x00, 0x01, 0x02,
                    0x88, 0x08, 0x01, 0x01, 0x00, 0x88, 0,    0,    0,    0,    0,    0,
                    0xff, 0xff, 0,    0,    0,    0,    0,    0,    0x01, 0x02};
  expected.resize(60);
  EXPECT_THAT(frame, testing::ElementsAreArray(expected));
}

// Port 1 sends to port 2 in each priority.
class PausedPort : public testing::Test {
 protected:
  void SetUp() override {
    rig_.Introduce();
    rig_.Set("2 pfc 0,1,2,3,4,5,6,7");
    rig_.Set("2 rate_mbps 10");
  }

  void QueueEach(int frames) {
    for (int i = 0; i < frames; i++) {
      for (int priority = 0; priority < kPriorities; priority++) rig_.Receive(1, FrameOf(2, 1, priority));
    }
  }

  Rig rig_{4};
};

TEST_F(PausedPort, StopsThatPriorityAfterTheFrameInFlightWhileSevenGoOn) {
  constexpr int kEach = 50;
  QueueEach(kEach);
  int sent[kPriorities] = {};
  for (int i = 0; i < 20; i++) {
    rig_.now_ns = std::max(rig_.now_ns, SwitchWakesNs(rig_.get(), 1));
    sent[PriorityOf(rig_.Transmit(2))]++;
  }
  const int before = sent[3];
  EXPECT_GT(before, 0);
  rig_.now_ns += 1;  // the last of them is on its way
  rig_.Receive(2, PauseFrame(2, 1 << 3, 0xffff));
  for (const Bytes& frame : rig_.DrainUntil(2, rig_.now_ns + kSecond)) sent[PriorityOf(frame)]++;
  for (int priority = 0; priority < kPriorities; priority++) {
    EXPECT_EQ(sent[priority], priority == 3 ? before : kEach) << priority;
  }
  EXPECT_EQ(rig_.Of(2, 3).pauses_obeyed, 1u);

  rig_.Receive(2, PauseFrame(2, 1 << 3, 0));
  EXPECT_THAT(rig_.DrainUntil(2, rig_.now_ns + kSecond), SizeIs(kEach - before));
}

TEST_F(PausedPort, GoesOnByItselfWhenTheTimeIsOver) {
  rig_.Receive(2, PauseFrame(2, 1 << 3, 1000));  // 1000 * 512 bits at 10 Mb/s
  rig_.Receive(1, FrameOf(2, 1, 3));
  const std::uint64_t end_ns = rig_.now_ns + 51'200 * kMicrosecond;
  EXPECT_EQ(SwitchWakesNs(rig_.get(), 1), end_ns);
  EXPECT_THAT(rig_.DrainUntil(2, end_ns - 1), IsEmpty());
  EXPECT_THAT(rig_.DrainUntil(2, end_ns), SizeIs(1));
}

TEST_F(PausedPort, IgnoresAPauseOfALossyPriority) {
  rig_.Set("2 pfc 4");
  rig_.Receive(2, PauseFrame(2, 1 << 3, 0xffff));
  rig_.Receive(1, FrameOf(2, 1, 3));
  EXPECT_THAT(rig_.Drain(2), SizeIs(1));
  EXPECT_EQ(rig_.Of(2, 3).pauses_ignored, 1u);
}

TEST_F(PausedPort, ForgetsThePauseWithTheLink) {
  rig_.Receive(2, PauseFrame(2, 1 << 3, 0xffff));
  SwitchLinkDown(rig_.get(), 1, rig_.now_ns);
  SwitchLinkUp(rig_.get(), 1);
  rig_.Receive(2, EthernetFrame(1, 2, 0x9999, 60));
  rig_.Receive(1, FrameOf(2, 1, 3));
  EXPECT_THAT(rig_.Drain(2), SizeIs(1));
}

TEST_F(PausedPort, CountsAndIgnoresAGlobalPause) {
  Bytes frame = PauseFrame(2, 0xff, 0xffff);
  frame[14] = 0x00;  // opcode 0x0001: the whole link, for the time that follows
  rig_.Receive(2, frame);
  QueueEach(1);
  EXPECT_THAT(rig_.DrainUntil(2, rig_.now_ns + kSecond), SizeIs(kPriorities));
  EXPECT_EQ(rig_.At(2).counters.global_pauses_received, 1u);
  EXPECT_EQ(rig_.At(2).counters.consumed.frames, 1u);
}

TEST_F(PausedPort, ConsumesWhateverIsMacControl) {
  const std::uint64_t copied = SwitchTotals(rig_.get()).copied.frames;
  Bytes unknown = PauseFrame(2, 1, 1), broadcast = PauseFrame(2, 1, 1), unicast = PauseFrame(2, 1, 1);
  unknown[15] = 0x77;
  std::fill_n(broadcast.begin(), kMacBytes, 0xff);
  std::ranges::copy(AddressOf(1), unicast.begin());
  Bytes cut = PauseFrame(2, 1, 1);
  cut.resize(30);
  for (const Bytes& frame : {unknown, broadcast, unicast, cut, Tagged(PauseFrame(2, 1, 1), 3)})
    rig_.Receive(2, frame);
  for (int port = 1; port <= 4; port++) EXPECT_THAT(rig_.Drain(port), IsEmpty()) << port;
  EXPECT_EQ(rig_.At(2).counters.consumed.frames, 5u);
  EXPECT_EQ(rig_.At(2).counters.bad_control_received, 2u);
  EXPECT_EQ(SwitchTotals(rig_.get()).copied.frames, copied);
}

TEST_F(PausedPort, PassesMacControlOnAsACable) {
  rig_.Set("all cable on");
  rig_.Set("all link_local consume");
  const Bytes pause = PauseFrame(2, 1 << 3, 0xffff);
  rig_.Receive(2, pause);
  EXPECT_THAT(rig_.Drain(2), IsEmpty());
  for (const int port : {1, 3, 4}) EXPECT_THAT(rig_.Drain(port), ElementsAre(pause)) << port;
  EXPECT_EQ(rig_.At(2).counters.consumed.frames, 0u);
  rig_.Receive(1, FrameOf(2, 1, 3));
  EXPECT_THAT(rig_.Drain(2), SizeIs(1)) << "a cable stops nothing";
  rig_.Set("all cable off");
  rig_.Receive(2, pause);
  for (int port = 1; port <= 4; port++) EXPECT_THAT(rig_.Drain(port), IsEmpty()) << port;
  EXPECT_EQ(rig_.At(2).counters.consumed.frames, 1u);
}

// Port 1 sends more to port 2 than that takes, in a lossless priority.
class PausingPort : public testing::Test {
 protected:
  void SetUp() override {
    rig_.Introduce();
    rig_.Set("1 pfc 3");
    rig_.Set("1 xoff_kb 64");
    rig_.Set("1 xon_kb 16");
    rig_.Set("2 rate_mbps 10");
  }

  void Send(std::size_t bytes) {
    for (std::size_t sent = 0; sent < bytes; sent += kFrameBytes) rig_.Receive(1, FrameOf(2, 1, 3));
  }

  Rig rig_{4};
};

TEST_F(PausingPort, StopsItsLinkPartnerAndNobodyElse) {
  Send(60 * 1024);
  EXPECT_THAT(rig_.Drain(1), IsEmpty());
  Send(10 * 1024);
  const std::vector<Bytes> frames = rig_.Drain(1);
  ASSERT_THAT(frames, SizeIs(1));
  ASSERT_TRUE(IsPause(frames[0]));
  EXPECT_EQ(PausedPriorities(frames[0]), 1 << 3);
  EXPECT_EQ(QuantaOf(frames[0], 3), 0xffff);
  for (int port = 3; port <= 4; port++) EXPECT_THAT(rig_.Drain(port), IsEmpty()) << port;
  const std::vector<Bytes> out = rig_.DrainUntil(2, rig_.now_ns + kSecond);
  EXPECT_EQ(std::ranges::count_if(out, IsPause), 0);
  for (int port = 2; port <= 4; port++) EXPECT_EQ(rig_.At(port).counters.pause_frames_sent, 0u) << port;
}

TEST_F(PausingPort, RenewsAStopBeforeItExpiresAndEndsItAtXon) {
  Send(70 * 1024);
  rig_.Drain(1);
  const std::uint64_t pause_ns = 0xffffULL * 512 * 1000 / kNominalMbps;
  const std::uint64_t begin_ns = rig_.now_ns;
  EXPECT_LE(SwitchWakesNs(rig_.get(), 0), begin_ns + pause_ns / 2);
  EXPECT_THAT(rig_.DrainUntil(1, begin_ns + pause_ns), SizeIs(2));

  // 72,000 bytes at 10 Mb/s, of which 16,384 are left after 45 ms. The first frame leaves now, as if it were 10
  // ms late.
  rig_.DrainUntil(2, begin_ns + 60 * kMillisecond);
  std::vector<Bytes> frames = rig_.Drain(1);
  for (const Bytes& frame : frames) EXPECT_EQ(QuantaOf(frame, 3), 0xffff);
  rig_.DrainUntil(2, begin_ns + 75 * kMillisecond);
  frames = rig_.Drain(1);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(PausedPriorities(frames[0]), 1 << 3);
  EXPECT_EQ(QuantaOf(frames[0], 3), 0);
  EXPECT_EQ(SwitchWakesNs(rig_.get(), 0), kNever);
  EXPECT_EQ(rig_.Of(1, 3).resumes_sent, 1u);
}

TEST_F(PausingPort, LetsItsPartnerGoOnWhenThePriorityBecomesLossy) {
  Send(70 * 1024);
  rig_.Drain(1);
  rig_.Set("1 pfc none");
  const std::vector<Bytes> frames = rig_.Drain(1);
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(QuantaOf(frames[0], 3), 0);
}

TEST_F(PausingPort, DropsWhereThePartnerGoesOnUntilTheHeadroomIsFull) {
  rig_.Set("all shared_kb 64");
  rig_.Set("1 reserve_kb 0");
  rig_.Set("1 headroom_kb 32");
  Send(200 * 1024);
  const Tally& dropped = rig_.Of(1, 3).dropped[kDropHeadroom];
  EXPECT_EQ(dropped.frames, rig_.Drops(1, 3));
  EXPECT_GT(dropped.bytes, 100u * 1024);
  EXPECT_LE(PoolUsed(&rig_.At(1).pools[3]), 96u * 1024);
  EXPECT_GT(PoolUsed(&rig_.At(1).pools[3]), 94u * 1024);
}

TEST(SharedBuffer, KeepsTheReserveOfEachPortAndPriority) {
  Rig rig(3);
  rig.Introduce();
  rig.Set("all shared_kb 64");
  rig.Set("3 rate_mbps 10");
  for (int i = 0; i < 1000; i++) rig.Receive(1, FrameOf(3, 1, 0));
  EXPECT_GT(rig.Drops(1, 0), 0u);
  for (int i = 0; i < 10; i++) rig.Receive(2, FrameOf(3, 2, 0));  // 15,000 of 16,384 bytes
  for (int i = 0; i < 10; i++) rig.Receive(1, FrameOf(3, 1, 1));
  EXPECT_EQ(rig.Drops(2, 0), 0u);
  EXPECT_EQ(rig.Drops(1, 1), 0u);
  // The next needs 116 bytes of the 920 that are shared and free, the one after it more than there are.
  for (int i = 0; i < 2; i++) rig.Receive(2, FrameOf(3, 2, 0));
  EXPECT_EQ(rig.Of(2, 0).dropped[kDropBuffer].frames, 1u);
}

// A guest that sends at a rate, half of it in a lossless priority, and obeys a pause one delay later.
class Sender {
 public:
  Sender(Rig& rig, int port, int to, std::uint32_t mbps, std::uint64_t delay_ns)
      : rig_(rig), port_(port), to_(to), mbps_(mbps), delay_ns_(delay_ns), free_ns_(rig.now_ns) {}

  void Work() {
    for (const Bytes& frame : rig_.Drain(port_)) {
      if (IsPause(frame)) heard_.emplace_back(rig_.now_ns + delay_ns_, QuantaOf(frame, 3));
    }
    while (!heard_.empty() && heard_.front().first <= rig_.now_ns) {
      until_ns_ = rig_.now_ns + heard_.front().second * 512ULL * 1000 / kNominalMbps;
      heard_.pop_front();
    }
    for (; free_ns_ <= rig_.now_ns; free_ns_ += kFrameBytes * 8 * 1000 / mbps_) {
      const int priority = rig_.now_ns < until_ns_ ? 0 : turn_++ % 2 * 3;
      rig_.Receive(port_, FrameOf(to_, port_, priority));
    }
  }

 private:
  Rig& rig_;
  const int port_, to_;
  const std::uint32_t mbps_;
  const std::uint64_t delay_ns_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> heard_;
  std::uint64_t free_ns_;
  std::uint64_t until_ns_ = 0;
  int turn_ = 0;
};

TEST(LosslessPriority, LosesNothingAtAnyLoadWhereALossyOneDrops) {
  std::mt19937 random(7);
  for (const std::uint32_t mbps : {5U, 20U, 100U, 400U}) {
    Rig rig(5);
    rig.Introduce();
    rig.Set("all pfc 3");
    rig.Set("all xoff_kb 32");
    rig.Set("all xon_kb 16");
    rig.Set("all headroom_kb 64");
    rig.Set("all queue_kb 128");
    rig.Set("all shared_kb 256");
    rig.Set("5 rate_mbps 20");
    std::vector<Sender> senders;
    for (int port = 1; port <= 4; port++) senders.emplace_back(rig, port, 5, mbps, random() % kMillisecond);
    std::size_t arrived = 0;
    const std::uint64_t end_ns = rig.now_ns + 2 * kSecond;
    while (rig.now_ns < end_ns) {
      for (Sender& sender : senders) sender.Work();
      for (const Bytes& frame : rig.Drain(5)) arrived += PriorityOf(frame) == 3;
      rig.now_ns += 20 * kMicrosecond;
    }
    std::uint64_t lossy_drops = rig.Drops(5, 0);
    for (int port = 1; port <= 5; port++) {
      EXPECT_EQ(rig.Drops(port, 3), 0u) << mbps << " Mb/s";
      lossy_drops += port < 5 ? rig.Drops(port, 0) : 0;
    }
    EXPECT_GT(arrived, 500u) << mbps << " Mb/s";
    EXPECT_EQ(lossy_drops > 0, mbps > 5) << mbps << " Mb/s";
    EXPECT_EQ(rig.Of(1, 3).pauses_sent > 0, mbps > 5) << mbps << " Mb/s";
  }
}

}  // namespace
}  // namespace fabric
