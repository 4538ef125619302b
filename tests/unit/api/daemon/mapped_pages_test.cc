// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/mapped_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace rdmaready {
namespace {

// Pages of files that this process has mapped and never wrote to.
std::size_t MappedKilobytes() {
  std::ifstream lines("/proc/self/status");
  std::string word;
  while (lines >> word) {
    std::size_t kilobytes = 0;
    if (word == "RssFile:" && lines >> kilobytes) return kilobytes;
  }
  return 0;
}

int written_before = 7;

TEST(MappedPagesTest, GivesBackWhatIsNotNeededAndKeepsWhatWasWritten) {
  written_before = 8;
  std::string text(std::size_t{1} << 20U, 'x');
  const std::size_t before = MappedKilobytes();
  ASSERT_GT(before, 0U);
  GiveBackMappedPages();
  const std::size_t after = MappedKilobytes();
  EXPECT_LT(after, before / 2);
  EXPECT_EQ(written_before, 8);
  EXPECT_EQ(text.find_first_not_of('x'), std::string::npos);
}

TEST(MappedPagesTest, LeavesOtherThreadsAtWork) {
  std::vector<std::jthread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([](const std::stop_token& stop) {
      std::size_t sum = 0;
      while (!stop.stop_requested()) sum += std::to_string(sum).size();
    });
  }
  for (int i = 0; i < 100; ++i) GiveBackMappedPages();
}

}  // namespace
}  // namespace rdmaready
