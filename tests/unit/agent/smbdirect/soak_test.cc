// SPDX-License-Identifier: Apache-2.0
// A slice of the credit soak; soak_main.cc runs the whole.
#include "tests/unit/agent/smbdirect/soak.h"

#include <gtest/gtest.h>

namespace rdmaready::smbdirect {
namespace {

TEST(CreditSoak, ASliceArrivesWholeInOrderAndOnce) {
  const SoakOutcome outcome = RunSoak(1, 20'000);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.messages, 20'000u);
  EXPECT_GT(outcome.wire_messages, outcome.messages) << "some in several fragments";
  EXPECT_GT(outcome.empty_messages, 0u);
  EXPECT_GT(outcome.keepalives, 0u);
  EXPECT_GT(outcome.silences, outcome.sessions);
}

}  // namespace
}  // namespace rdmaready::smbdirect
