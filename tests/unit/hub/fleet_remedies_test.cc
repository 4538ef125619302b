// SPDX-License-Identifier: Apache-2.0
// Remedies of one host: made of its kept facts where a reader asks, and the same that a check of it has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/convert/digest.h"
#include "checks/host_parts.h"
#include "checks/judge.h"
#include "hub/fleet/fleet_view.h"
#include "hub/judge/host_judge.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t kNow = 1'790'000'000'000'000'000;

const auto kHasNoRemedy = Field(&FleetFinding::remedy, std::nullopt);

class FleetRemediesTest : public testing::Test {
 protected:
  ~FleetRemediesTest() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  void Report(const std::string& host_id, const Facts& facts, bool with_facts = true) {
    JudgedHost judged = JudgeFacts(facts, rules_->RulesOf(host_id, kNow), host_id, kNow);
    judged.host.host_id = host_id;
    judged.host.name = host_id;
    judged.mark = {.run_id = "run", .sequence = ++reports_};
    const auto packed = *report::PackState(facts, *Sha256(DigestedText(facts)), kNow);
    judged.facts_zlib = with_facts ? packed->facts_zlib : std::string();
    judged.facts_bytes = static_cast<std::uint32_t>(packed->facts_bytes);
    ASSERT_TRUE(store_->Commit({&judged, 1}, kNow).ok());
    book_.Kept(judged);
  }

  std::vector<FleetFinding> RowsOf(const FleetFilter& filter) { return *view_.Findings(filter, kNow); }
  std::vector<FleetFinding> WithRemedies(const FleetFilter& filter) {
    std::vector<FleetFinding> rows = RowsOf(filter);
    const absl::Status status = view_.AddRemedies(rows, kNow);
    EXPECT_TRUE(status.ok()) << status;
    return rows;
  }

  // The remedies of a check of the host, by check and subject.
  std::map<std::pair<std::string, std::string>, std::optional<Remedy>> Checked(const Facts& facts) {
    const HostRules rules = rules_->RulesOf("", kNow);
    std::map<std::pair<std::string, std::string>, std::optional<Remedy>> remedies;
    for (Finding& finding : JudgeHost(*HostParts::Divide(facts, rules.profiles()), {}, kNow))
      remedies[{finding.id, finding.subject}] = finding.remedy;
    return remedies;
  }

  const std::string root_ = testing::TempDir() + "fleet remedies " + std::to_string(::getpid());
  std::uint64_t reports_ = 0;
  std::unique_ptr<SqliteFleetStore> store_ = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
  HostBook book_{};
  FleetAgreement agreement_{};
  std::shared_ptr<const RuleBook> rules_ = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  FleetView view_{*store_, book_, agreement_, std::chrono::seconds(300), [this] { return rules_; }};
};

TEST_F(FleetRemediesTest, EqualThoseOfACheckOfTheHost) {
  const Facts facts = WithPfc(0);
  Report("node1", facts);
  const auto checked = Checked(facts);
  const std::vector<FleetFinding> rows = WithRemedies({.hosts = {"node1"}});
  ASSERT_THAT(rows, Not(IsEmpty()));
  std::size_t with_steps = 0;
  for (const FleetFinding& row : rows) {
    EXPECT_EQ(row.remedy, checked.at({row.check, row.subject})) << row.check;
    if (!row.remedy) continue;
    EXPECT_EQ(row.fix, FirstCommand(*row.remedy)) << row.check;
    ++with_steps;
  }
  EXPECT_GT(with_steps, 0u);
}

TEST_F(FleetRemediesTest, LeaveNoTraceInTheStore) {
  Report("node1", WithPfc(0));
  const std::vector<FleetFinding> rows = RowsOf({.hosts = {"node1"}});
  EXPECT_THAT(rows, Not(IsEmpty()));
  EXPECT_THAT(rows, Each(kHasNoRemedy));
}

TEST_F(FleetRemediesTest, LeaveTheFixWhereNoFactsAreKept) {
  Report("node1", WithPfc(0), false);
  const std::vector<FleetFinding> rows = WithRemedies({.hosts = {"node1"}});
  EXPECT_THAT(rows, Each(kHasNoRemedy));
  EXPECT_TRUE(std::ranges::any_of(rows, [](const FleetFinding& row) { return !row.fix.empty(); }));
}

TEST_F(FleetRemediesTest, ComeForOneHostAlone) {
  Report("node1", WithPfc(0));
  Report("node2", WithPfc(0));
  EXPECT_THAT(WithRemedies({}), Each(kHasNoRemedy));
}

TEST_F(FleetRemediesTest, SkipAFindingThatIsOverOrDiffersNow) {
  Report("node1", WithPfc(0));
  std::vector<FleetFinding> rows = WithRemedies({.hosts = {"node1"}});
  const auto found = std::ranges::find_if(rows, [](const FleetFinding& row) { return row.remedy.has_value(); });
  ASSERT_NE(found, rows.end());
  FleetFinding over = *found;
  over.remedy.reset();
  over.over_unix_ns = kNow;
  FleetFinding other = *found;
  other.remedy.reset();
  other.outcome = Outcome::kUnknown;
  FleetFinding unheard = *found;
  unheard.remedy.reset();
  unheard.subject = "mlx5_99/1";
  std::vector<FleetFinding> asked{over, other, unheard, *found};
  asked.back().remedy.reset();
  ASSERT_TRUE(view_.AddRemedies(asked, kNow).ok());
  EXPECT_EQ(asked[0].remedy, std::nullopt);
  EXPECT_EQ(asked[1].remedy, std::nullopt);
  EXPECT_EQ(asked[2].remedy, std::nullopt);
  EXPECT_EQ(asked[3].remedy, found->remedy);
}

}  // namespace
}  // namespace rdmaready::hub
