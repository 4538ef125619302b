// SPDX-License-Identifier: Apache-2.0
#include "api/model/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready {
namespace {

using ::testing::ElementsAre;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(Split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(Split(",a,,", ','), ElementsAre("", "a", "", ""));
}

TEST(Split, ReturnsATextWithoutASeparatorAsOnePart) {
  EXPECT_THAT(Split("a,b", ' '), ElementsAre("a,b"));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

}  // namespace
}  // namespace rdmaready
