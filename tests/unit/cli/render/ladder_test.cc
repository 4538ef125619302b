// SPDX-License-Identifier: Apache-2.0
#include "cli/render/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "checks/live/transfer_hints.h"
#include "checks/readiness.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> NamesOf(const std::vector<Layer>& layers) {
  std::vector<std::string> names;
  for (const Layer& layer : layers) names.emplace_back(layer.name);
  return names;
}

TEST(Ladder, HasTheLayersUpToTheLevel) {
  Report report = PeerCheck().report;
  EXPECT_THAT(NamesOf(LayersOf(report)),
              ElementsAre("agent", "host", "loopback", "agreement", "connection", "transfer"));
  report.level = Rung::kShare;
  EXPECT_THAT(NamesOf(LayersOf(report)), ElementsAre("agent", "host", "loopback", "agreement", "connection",
                                                     "transfer", "smb-direct", "server", "share"));
  EXPECT_THAT(NamesOf(LayersOf(HealthyCheck().report)), ElementsAre("agent", "host", "loopback"));
}

TEST(Ladder, ShowsEachLayerOnceAsItPasses) {
  Report report = HealthyCheck().report;
  Ladder ladder;
  EXPECT_THAT(ladder.Climbed(report),
              ElementsAre("  agent       ok      1 host answered", "  host        ok      18 checks passed",
                          "  loopback    ok      5 checks passed"));
  EXPECT_THAT(ladder.Climbed(report), IsEmpty());
  EXPECT_EQ(Ladder::NotRun(report), "");
}

TEST(Ladder, StopsAtTheFirstLayerThatFails) {
  CheckSummary check = PeerCheck();
  Finding failed = Fail("link.state", "down", "active", "ip link set dcb0 up");
  check.report.hosts[0].findings[0] = failed;
  Conclude(check.report);
  Ladder ladder;
  EXPECT_THAT(
      ladder.Climbed(check.report),
      ElementsAre(StartsWith("  agent       ok"), "  host        FAIL    127.0.0.1:9001: link.state: down"));
  EXPECT_THAT(ladder.Climbed(check.report), IsEmpty());
}

TEST(Ladder, TellsAConnectionThatFailsFromATransferThatFails) {
  CheckSummary check = PeerCheck();
  for (PairReport& pair : check.report.pairs) {
    for (Finding& finding : pair.findings) {
      finding.outcome = Outcome::kFail;
      finding.observed = std::string(FailurePhrase(FailureKind::kUnreachable)) + ": timed out";
    }
  }
  const auto outcome = [&](std::string_view name) {
    for (const Layer& layer : LayersOf(check.report)) {
      if (layer.name == name) return layer.outcome;
    }
    return RungOutcome::kUnknown;
  };
  EXPECT_EQ(outcome("connection"), RungOutcome::kFail);
  for (PairReport& pair : check.report.pairs) {
    for (Finding& finding : pair.findings)
      finding.observed = std::string(FailurePhrase(FailureKind::kStalled)) + ": no message was completed";
  }
  EXPECT_EQ(outcome("connection"), RungOutcome::kPass);
  EXPECT_EQ(outcome("transfer"), RungOutcome::kFail);
}

TEST(Ladder, NamesTheLayersThatWereNotRun) {
  CheckSummary check = UnreachableCheck();
  check.report.level = Rung::kPeer;
  Conclude(check.report);
  Ladder ladder;
  EXPECT_THAT(ladder.Climbed(check.report), ElementsAre("  agent       FAIL    no answer from b"));
  EXPECT_THAT(Ladder::NotRun(check.report), HasSubstr("connection, transfer"));
}

}  // namespace
}  // namespace rdmaready
