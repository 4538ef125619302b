// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/fan_out.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "tests/unit/no_threads.h"

namespace rdmaready {
namespace {

[[noreturn]] void FanOutWithoutThreads() {
  EndThreads();
  std::array<std::atomic<int>, 3> done{};
  FanOut(done.size(), [&](std::size_t i) { ++done[i]; });
  std::_Exit(done[0] == 1 && done[1] == 1 && done[2] == 1 ? 0 : 1);
}

TEST(FanOut, DoesAllOfItWhereThereAreNoMoreThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(FanOutWithoutThreads(), testing::ExitedWithCode(0), "");
}

TEST(FanOut, GoesByTheNumberThatIsAllowedAtATime) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  FanOut(
      8,
      [&](std::size_t) {
        most = std::max(most.load(), ++now);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        --now;
      },
      1);
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace rdmaready
