// SPDX-License-Identifier: Apache-2.0
#include "api/base/edit_distance.h"

#include <gtest/gtest.h>

namespace rdmaready {
namespace {

TEST(EditDistance, CountsMistakes) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "tos"), 3U);
  EXPECT_EQ(EditDistance("dscp", "dscp"), 0U);
  EXPECT_EQ(EditDistance("dsp", "dscp"), 1U);
  EXPECT_EQ(EditDistance("dsccp", "dscp"), 1U);
  EXPECT_EQ(EditDistance("dscq", "dscp"), 1U);
  EXPECT_EQ(EditDistance("dcsp", "dscp"), 1U);
  EXPECT_EQ(EditDistance("scdp", "dscp"), 2U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

TEST(MistakesAllowed, IsOneWhereEitherWordIsShort) {
  EXPECT_EQ(MistakesAllowed("tos", "roles", 2), 1U);
  EXPECT_EQ(MistakesAllowed("roles", "dscp", 2), 1U);
  EXPECT_EQ(MistakesAllowed("roles", "rules", 2), 2U);
  EXPECT_EQ(MistakesAllowed("tos", "pfc", 0), 0U);
}

}  // namespace
}  // namespace rdmaready
