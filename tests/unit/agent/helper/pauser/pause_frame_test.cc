// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/pause_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Mac kSource{std::byte{0x02}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x01}};

std::vector<int> Numbers(const PauseFrame& frame) {
  std::vector<int> numbers;
  for (const std::byte octet : frame) numbers.push_back(std::to_integer<int>(octet));
  return numbers;
}

// IEEE 802.1Q figure 36-4, octet by octet.
TEST(PauseFrame, HasTheOctetsOfTheStandard) {
  std::vector<int> wanted{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01,         // destination: MAC control
                          0x02, 0x00, 0x00, 0x00, 0x00, 0x01,         // source
                          0x88, 0x08,                                 // MAC control
                          0x01, 0x01,                                 // priority-based flow control
                          0x00, 0x08,                                 // class-enable vector: priority 3
                          0,    0,    0,    0,    0,    0,            // times of priorities 0 to 2
                          0x12, 0x34,                                 // of priority 3
                          0,    0,    0,    0,    0,    0,    0, 0};  // of 4 to 7
  wanted.resize(60, 0);                                               // up to the least length of a frame
  EXPECT_EQ(Numbers(MakePauseFrame(kSource, 3, 0x1234)), wanted);
}

TEST(PauseFrame, EnablesOnePriorityAlone) {
  for (std::uint32_t priority = 0; priority < kPausePriorities; ++priority) {
    const std::vector<int> frame = Numbers(MakePauseFrame(kSource, priority, 0xffff));
    EXPECT_EQ(frame[16], 0);
    EXPECT_EQ(frame[17], 1 << priority);
    for (std::uint32_t other = 0; other < kPausePriorities; ++other) {
      EXPECT_EQ(frame[18 + 2 * other], other == priority ? 0xff : 0) << priority << " " << other;
      EXPECT_EQ(frame[19 + 2 * other], other == priority ? 0xff : 0) << priority << " " << other;
    }
  }
}

TEST(PauseFrame, EndsAPauseByZeroQuantaOfAnEnabledPriority) {
  const std::vector<int> frame = Numbers(MakePauseFrame(kSource, 7, 0));
  EXPECT_EQ(frame[17], 0x80);
  EXPECT_TRUE(std::all_of(frame.begin() + 18, frame.end(), [](int octet) { return octet == 0; }));
}

TEST(Quanta, CountTheTimeOf512Bits) {
  EXPECT_EQ(TimeOfQuanta(1, 1'000), nanoseconds(512));
  EXPECT_EQ(TimeOfQuanta(kMostQuanta, 10'000), nanoseconds(3'355'392));
  EXPECT_EQ(TimeOfQuanta(kMostQuanta, 100'000), nanoseconds(335'539));
  EXPECT_EQ(TimeOfQuanta(0, 10), nanoseconds(0));
}

TEST(Quanta, NeverTakeLongerThanTheTimeThatIsLeft) {
  for (const std::uint32_t speed : {1U, 10U, 100U, 1'000U, 25'000U, 100'000U, 800'000U, 10'000'000U}) {
    for (const nanoseconds time : {nanoseconds(0), nanoseconds(1), nanoseconds(51'199), nanoseconds(999'999),
                                   nanoseconds(milliseconds(20)), nanoseconds(milliseconds(100))})
      EXPECT_LE(TimeOfQuanta(QuantaWithin(time, speed), speed), time) << speed;
  }
}

TEST(Quanta, StayWithinTheirField) {
  EXPECT_EQ(QuantaWithin(milliseconds(100), 100'000), kMostQuanta);
  EXPECT_EQ(QuantaWithin(std::chrono::hours(1), 10'000'000), kMostQuanta);
  EXPECT_EQ(QuantaWithin(milliseconds(20), 1'000), 39'062);
}

TEST(Quanta, RoundATimeThatIsOverToZero) {
  EXPECT_EQ(QuantaWithin(nanoseconds(-1), 100'000), 0);
  EXPECT_EQ(QuantaWithin(nanoseconds::min(), 100'000), 0);
}

}  // namespace
}  // namespace rdmaready::helper
