// SPDX-License-Identifier: Apache-2.0
#include "hub/store/finding_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kMinuteNs = 60'000'000'000;

FleetFinding PfcFinding(Outcome outcome, const std::string& observed = "PFC on 4") {
  return {.check = "pfc.lossless-priority",
          .subject = "mlx5_0/1 ens1",
          .outcome = outcome,
          .blocking = true,
          .observed = observed};
}

// One host's rows, as a store would keep them.
class Rows {
 public:
  FindingChanges Report(const std::vector<FleetFinding>& findings, std::int64_t now) {
    FindingChanges changes = CompareFindings(kept_, findings, now, number_, first_);
    first_ = false;
    number_ = changes.last_number;
    for (const FleetFinding& gone : changes.removed)
      std::erase_if(kept_, [&](const KeptFinding& row) { return row.finding.check == gone.check; });
    for (const KeptFinding& put : changes.put) {
      std::erase_if(kept_, [&](const KeptFinding& row) { return row.finding.check == put.finding.check; });
      kept_.push_back(put);
    }
    return changes;
  }
  void Acknowledge() {
    for (KeptFinding& row : kept_) row.finding.acknowledged_unix_ns = 1;
  }
  const std::vector<KeptFinding>& kept() const { return kept_; }

 private:
  std::vector<KeptFinding> kept_{};
  std::uint64_t number_ = 0;
  bool first_ = true;
};

TEST(CompareFindings, WhatAHostBeginsWithIsNoChange) {
  Rows rows;
  const FindingChanges changes = rows.Report({PfcFinding(Outcome::kFail)}, 1);
  EXPECT_THAT(changes.told, IsEmpty());
  EXPECT_THAT(rows.kept(), SizeIs(1));
}

TEST(CompareFindings, TheSameReportAgainChangesNothing) {
  Rows rows;
  rows.Report({PfcFinding(Outcome::kFail)}, 1);
  const FindingChanges again = rows.Report({PfcFinding(Outcome::kFail)}, 2);
  EXPECT_THAT(again.told, IsEmpty());
  EXPECT_THAT(again.put, IsEmpty());
  EXPECT_EQ(rows.kept().front().finding.since_unix_ns, 1);
}

TEST(CompareFindings, ANewFindingAndItsEndAreTold) {
  Rows rows;
  rows.Report({}, 1);
  const FindingChanges begins = rows.Report({PfcFinding(Outcome::kFail)}, 2);
  ASSERT_THAT(begins.told, SizeIs(1));
  EXPECT_EQ(begins.told.front().before, Outcome::kPass);
  EXPECT_EQ(begins.told.front().after, Outcome::kFail);
  const FindingChanges ends = rows.Report({}, 3);
  ASSERT_THAT(ends.told, SizeIs(1));
  EXPECT_EQ(ends.told.front().after, Outcome::kPass);
  EXPECT_EQ(rows.kept().front().finding.over_unix_ns, 3) << "until somebody acknowledges it";
}

TEST(CompareFindings, WhatIsOverAndAcknowledgedIsForgotten) {
  Rows rows;
  rows.Report({PfcFinding(Outcome::kWarn)}, 1);
  rows.Acknowledge();
  EXPECT_THAT(rows.Report({}, 2).removed, SizeIs(1));
  EXPECT_THAT(rows.kept(), IsEmpty());
}

TEST(CompareFindings, WhoAcknowledgedAWarningHasNotAcknowledgedTheFailure) {
  Rows rows;
  rows.Report({PfcFinding(Outcome::kWarn)}, 1);
  rows.Acknowledge();
  rows.Report({PfcFinding(Outcome::kFail)}, 2);
  EXPECT_EQ(rows.kept().front().finding.acknowledged_unix_ns, 0);
  rows.Acknowledge();
  rows.Report({PfcFinding(Outcome::kWarn)}, 3);
  EXPECT_EQ(rows.kept().front().finding.acknowledged_unix_ns, 1) << "what got better stays known";
}

TEST(CompareFindings, OtherWordsAreKeptAndNoChange) {
  Rows rows;
  rows.Report({PfcFinding(Outcome::kFail, "PFC on 4")}, 1);
  const FindingChanges changes = rows.Report({PfcFinding(Outcome::kFail, "PFC on 4, 5")}, 2);
  EXPECT_THAT(changes.told, IsEmpty());
  EXPECT_EQ(rows.kept().front().finding.observed, "PFC on 4, 5");
}

TEST(CompareFindings, AFlappingPortCostsThreeRowsAnHour) {
  Rows rows;
  rows.Report({}, 0);
  int told = 0;
  int merged = 0;
  std::uint64_t last = 0;
  for (int minute = 1; minute <= 119; ++minute) {
    const bool bad = minute % 2 == 1;
    const FindingChanges changes = rows.Report(
        bad ? std::vector{PfcFinding(Outcome::kFail)} : std::vector<FleetFinding>{}, minute * kMinuteNs);
    told += static_cast<int>(changes.told.size());
    merged += static_cast<int>(changes.merged.size());
    for (const auto& one : changes.merged) {
      EXPECT_EQ(one.into, last) << "into the row before it";
      last = one.change.number;
    }
    for (const FleetChange& change : changes.told) last = change.number;
  }
  EXPECT_EQ(told, 6);
  EXPECT_EQ(told + merged, 119) << "none is lost";
}

TEST(CompareFindings, AClockThatWasSetBackBeginsAnotherHour) {
  Rows rows;
  rows.Report({}, 100 * kMinuteNs);
  for (int i = 0; i < 3; ++i)
    rows.Report(i % 2 == 0 ? std::vector{PfcFinding(Outcome::kFail)} : std::vector<FleetFinding>{},
                (101 + i) * kMinuteNs);
  EXPECT_THAT(rows.Report({}, 5 * kMinuteNs).told, SizeIs(1));
}

}  // namespace
}  // namespace rdmaready::hub
