// SPDX-License-Identifier: Apache-2.0
#include "api/base/name_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmaready {
namespace {

TEST(NamePattern, KnowsStarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("ens*np0", "ens1f0np0"));
  EXPECT_TRUE(MatchesPattern("ens?f0", "ens1f0"));
  EXPECT_TRUE(MatchesPattern("a**b", "ab"));
  EXPECT_FALSE(MatchesPattern("ens?f0", "ensf0"));
  EXPECT_FALSE(MatchesPattern("ens", "ens1"));
  EXPECT_FALSE(MatchesPattern("", "x"));
  EXPECT_TRUE(MatchesPattern("", ""));
}

TEST(NamePattern, KnowsRangesOfNumbers) {
  EXPECT_TRUE(MatchesPattern("node[001-128]", "node001"));
  EXPECT_TRUE(MatchesPattern("node[001-128]", "node128"));
  EXPECT_FALSE(MatchesPattern("node[001-128]", "node129"));
  EXPECT_FALSE(MatchesPattern("node[001-128]", "node1"));
  EXPECT_FALSE(MatchesPattern("node[001-128]", "node0001"));
  EXPECT_TRUE(MatchesPattern("node[1-128]", "node7"));
  EXPECT_FALSE(MatchesPattern("node[1-128]", "node07"));
  EXPECT_TRUE(MatchesPattern("ens[1-4]f[0-1]*", "ens3f1np1"));
  EXPECT_FALSE(MatchesPattern("ens[1-4]f0", "ens12f0"));
}

TEST(NamePattern, TakesABracketWithoutARangeAsItIs) {
  for (const std::string text : {"a[1]", "a[x-y]", "a[3-1]", "a[-]", "a[1-", "[", "]-["})
    EXPECT_TRUE(MatchesPattern(text, text)) << text;
  EXPECT_FALSE(MatchesPattern("a[3-1]", "a2"));
}

TEST(NamePattern, IsNotSlowOnHostileNames) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  std::string name(5000, 'a');
  name.push_back('b');
  EXPECT_FALSE(MatchesPattern(pattern, name));
}

}  // namespace
}  // namespace rdmaready
