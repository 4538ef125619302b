// SPDX-License-Identifier: Apache-2.0
// Loopback tests that cannot connect, as a check shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "api/model/cases.h"
#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using testing::SizeIs;

TEST_F(ServiceTest, ACheckEndsTheTestsOfAPortAtTheFirstThatCannotConnect) {
  const LinkMaker refused = [this, both = BothEnds()](Role role, std::uint32_t number) {
    std::unique_ptr<RdmaLink> link = both(role, number);
    const std::lock_guard lock(made_mutex_);
    for (const auto& fabric : fabrics_)
      fabric->refuses = Handshake{.refusal = Refusal::kNoListener, .reject_reason = 8};
    return link;
  };
  ServedAgent agent(refused, locks_);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_THAT(agent.store.transfers, SizeIs(1));
  std::size_t failed = 0;
  std::size_t waits = 0;
  for (const Finding& finding : answer->report.findings) {
    if (finding.rung != Rung::kLoopback) continue;
    failed += finding.outcome == Outcome::kFail ? 1U : 0U;
    waits += finding.hidden_by == "loopback.send-1k" ? 1U : 0U;
  }
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(waits, CheckedCasesOn(Rung::kLoopback).size() - 1);
  EXPECT_EQ(answer->report.ladder.back().outcome, RungOutcome::kFail);
}

}  // namespace
}  // namespace rdmaready
