// SPDX-License-Identifier: Apache-2.0
#include "cli/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using ::testing::ElementsAre;

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("one two three", 0), ElementsAre("one two three"));
  EXPECT_THAT(Wrap("averylongword b", 4), ElementsAre("averylongword", "b"));
  EXPECT_THAT(Wrap("", 4), ElementsAre(""));
}

TEST(CommandNote, NeverBreaksACommand) {
  const Style narrow{.color = false, .unicode = false, .width = 60};
  const std::string command = "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50";
  EXPECT_EQ(CommandNote(narrow, "fix", command), "                   fix      " + command + "\n");
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(Table({}, {{"case", "rate"}, {"write-512k", "1"}}, 2), "  case        rate\n  write-512k  1\n");
}

}  // namespace
}  // namespace rdmaready
