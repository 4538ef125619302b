// SPDX-License-Identifier: Apache-2.0
// A million frames under settings that change: each one is somewhere, to the byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/unit/fabric/rig.h"

namespace fabric {
namespace {

constexpr int kPortCount = 5;
constexpr int kFrames = 1'000'000;
constexpr int kStepsBetweenLooks = 1000;
constexpr int kStepsBetweenSettings = 200;
constexpr std::uint32_t kSeed = 32;

class Traffic {
 public:
  Traffic() : rig_(kPortCount) { rig_.Set("all shared_kb 512"); }

  void Run() {
    for (int step = 1; received_ < kFrames; step++) {
      if (step % kStepsBetweenSettings == 0) Change();
      Step();
      if (step % kStepsBetweenLooks == 0) Look(step);
      if (testing::Test::HasFatalFailure()) return;
    }
    Look(0);
    const Totals totals = SwitchTotals(rig_.get());
    EXPECT_GT(totals.out.frames, 100'000u);
    EXPECT_GT(totals.dropped.frames, 100'000u);
    EXPECT_GT(totals.copied.frames, 10'000u);
    EXPECT_GT(totals.consumed.frames, 1'000u);
  }

 private:
  std::size_t Below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  int AnyPort() { return static_cast<int>(Below(kPortCount)) + 1; }
  bool Chance(std::size_t of) { return Below(of) == 0; }

  void Step() {
    rig_.now_ns += Below(200 * kMicrosecond);
    const int port = AnyPort();
    if (Chance(20'000)) Replug(port);
    if (Chance(3)) {
      Transmit(port);
      return;
    }
    const Bytes frame = AnyFrame(port);
    received_++;
    if (rig_.At(port).has_link) {
      in_frames_++;
      in_bytes_ += frame.size();
    }
    rig_.Receive(port, frame);
  }

  void Transmit(int port) {
    for (std::size_t i = Below(8); i > 0; i--) {
      const Bytes frame = rig_.Transmit(port);
      if (frame.empty()) return;
      out_frames_++;
      out_bytes_ += frame.size();
    }
  }

  void Replug(int port) {
    if (rig_.At(port).has_link) {
      SwitchLinkDown(rig_.get(), port - 1, rig_.now_ns);
    } else {
      SwitchLinkUp(rig_.get(), port - 1);
    }
  }

  std::size_t AnySize() {
    switch (Below(6)) {
      case 0:
        return Below(20);
      case 1:
        return 9210 + Below(12);
      case 2:
        return 60 + Below(9000);
      default:
        return 60 + Below(200);
    }
  }

  Bytes AnyFrame(int from) {
    const int to = AnyPort(), dscp = static_cast<int>(Below(64)), ecn = static_cast<int>(Below(4));
    Bytes frame;
    switch (Below(8)) {
      case 0:
        frame = EthernetFrame(to, from, static_cast<std::uint16_t>(Below(0x10000)), AnySize());
        break;
      case 1:
        frame = Ipv6Frame(to, from, dscp, ecn, AnySize());
        break;
      case 2:
        if (Chance(4))
          return PauseFrame(from, static_cast<std::uint8_t>(Below(256)), static_cast<std::uint16_t>(Below(4)));
        [[fallthrough]];
      default:
        frame = Ipv4Frame(to, from, dscp, ecn, AnySize());
    }
    if (Chance(4)) frame = Tagged(frame, static_cast<int>(Below(8)));
    if (Chance(8)) frame = Tagged(frame, static_cast<int>(Below(8)), 0x88a8);
    if (Chance(10)) std::fill_n(frame.begin(), kMacBytes, 0xff);
    if (Chance(40)) frame[Below(frame.size())] = static_cast<std::uint8_t>(Below(256));
    if (Chance(20)) frame.resize(Below(frame.size() + 1));
    return frame;
  }

  std::string AnyNumber(std::size_t limit) { return std::to_string(Below(limit)); }

  void Change() {
    const std::string port = Chance(6) ? "all" : std::to_string(AnyPort());
    const std::string priority = AnyNumber(8);
    const std::string choices[] = {
        "rate_mbps " + (Chance(2) ? "0" : AnyNumber(2000)),
        "trust " + std::string(Chance(3)   ? "port"
                               : Chance(2) ? "pcp"
                                           : "dscp"),
        "priority " + priority,
        "pcp " + priority + ":" + AnyNumber(8),
        "dscp " + AnyNumber(64) + ":" + priority,
        "class " + priority + ":" + AnyNumber(8),
        "ets " + priority + ":strict,0:" + AnyNumber(101) + ",3:" + AnyNumber(101),
        "pfc " + (Chance(3) ? "none" : priority + "," + AnyNumber(8)),
        "xoff_kb " + std::to_string(1 + Below(200)),
        "xon_kb " + AnyNumber(200),
        "headroom_kb " + priority + ":" + AnyNumber(100),
        "reserve_kb " + priority + ":" + AnyNumber(50),
        "queue_kb " + priority + ":" + AnyNumber(300),
        "ecn_kb " + priority + ":" + AnyNumber(50),
        "cut " + std::string(Chance(10) ? "on" : "off"),
        "lldp_ms " + AnyNumber(100),
    };
    rig_.Set(port + " " + choices[Below(std::size(choices))]);
    if (Chance(10)) rig_.Set("all shared_kb " + AnyNumber(512));
    if (Chance(10)) rig_.Set("all link_local " + std::string(Chance(2) ? "flood" : "consume"));
    if (Chance(30)) rig_.Set("all most_frame " + std::to_string(1518 + Below(9000)));
    if (Chance(50)) rig_.Ask("reset " + std::to_string(AnyPort()));
  }

  void Look(int step) {
    const Totals totals = SwitchTotals(rig_.get());
    ASSERT_EQ(totals.in.frames, in_frames_) << "step " << step;
    ASSERT_EQ(totals.in.bytes, in_bytes_) << "step " << step;
    ASSERT_EQ(totals.in.frames + totals.copied.frames,
              totals.out.frames + totals.dropped.frames + totals.consumed.frames + totals.queued.frames)
        << "step " << step;
    ASSERT_EQ(totals.in.bytes + totals.copied.bytes,
              totals.out.bytes + totals.dropped.bytes + totals.consumed.bytes + totals.queued.bytes)
        << "step " << step;
    Tally made = {};
    for (int port = 1; port <= kPortCount; port++) {
      made.frames += rig_.At(port).counters.made.frames;
      made.bytes += rig_.At(port).counters.made.bytes;
    }
    ASSERT_EQ(totals.out.frames + made.frames, out_frames_) << "step " << step;
    ASSERT_EQ(totals.out.bytes + made.bytes, out_bytes_) << "step " << step;
    LookAtMemory(step);
  }

  // The pools hold as much as the queues.
  void LookAtMemory(int step) {
    std::uint64_t waiting[kPortCount][kPriorities] = {};
    for (int port = 1; port <= kPortCount; port++) {
      for (int priority = 0; priority < kPriorities; priority++) {
        for (const Frame* frame = rig_.At(port).queues[priority].head; frame; frame = frame->next) {
          waiting[frame->in_port][priority] += frame->bytes;
        }
      }
    }
    std::uint64_t shared = 0;
    for (int port = 1; port <= kPortCount; port++) {
      for (int priority = 0; priority < kPriorities; priority++) {
        const Pool& pool = rig_.At(port).pools[priority];
        ASSERT_EQ(PoolUsed(&pool), waiting[port - 1][priority]) << "step " << step;
        shared += pool.in_shared;
      }
    }
    ASSERT_EQ(rig_->shared.used, shared) << "step " << step;
  }

  Rig rig_;
  std::mt19937 random_{kSeed};
  int received_ = 0;
  std::uint64_t in_frames_ = 0, in_bytes_ = 0, out_frames_ = 0, out_bytes_ = 0;
};

TEST(RandomTraffic, IsAccountedForToTheByte) { Traffic().Run(); }

}  // namespace
}  // namespace fabric
