// SPDX-License-Identifier: Apache-2.0
#include "agent/recent_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "checks/remembered.h"

namespace rdmaready {
namespace {

// Counts what is read; its runs may be put in any order of their times.
class CountingStore final : public Store {
 public:
  absl::Status PutRun(const RunRecord& record) override {
    runs.push_back(record);
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) override {
    if (!status.ok()) return status;
    ++asked;
    std::vector<RunRecord> found(runs.rbegin(), runs.rend());
    std::erase_if(found, [&](const RunRecord& run) {
      return query.before_unix_ns != 0 && run.started_unix_ns >= query.before_unix_ns;
    });
    std::ranges::stable_sort(found, std::ranges::greater(), &RunRecord::started_unix_ns);
    if (found.size() > static_cast<std::size_t>(query.limit))
      found.resize(static_cast<std::size_t>(query.limit));
    rows += found.size();
    return found;
  }
  absl::Status PutTransfer(const TransferRecord&) override { return absl::OkStatus(); }
  absl::Status PutEvent(const StoreEvent&) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery&) override {
    return std::vector<TransferRecord>();
  }
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery&) override {
    return std::vector<StoreEvent>();
  }
  absl::StatusOr<std::vector<BaselineDay>> BaselineDays(const BaselineQuery&) override {
    return std::vector<BaselineDay>();
  }
  std::string TakeNotice() override { return {}; }

  absl::Status status{};
  std::vector<RunRecord> runs{};
  int asked = 0;
  std::size_t rows = 0;
};

// Runs that find, pass and do not watch a few things at random, under one or two profiles.
class Runs {
 public:
  explicit Runs(unsigned seed) : random_(seed) {}

  RunRecord At(std::int64_t unix_ns) {
    RunRecord run{.run_id = "run-" + std::to_string(++count_), .started_unix_ns = unix_ns};
    run.report.profiles = {{"a", "00"}};
    if (Below(2) == 1) run.report.profiles.push_back({"b", "01"});
    for (const char* id : {"link.state", "cnt.sequence", "pfc.on"}) {
      for (const char* subject : {"p1", "p2"}) run.report.findings.push_back(Found(id, subject));
    }
    return run;
  }

 private:
  Finding Found(const std::string& id, const std::string& subject) {
    Finding finding;
    finding.id = id;
    finding.subject = subject;
    finding.outcome = static_cast<Outcome>(Below(static_cast<int>(Outcome::kNotApplicable) + 1));
    finding.blocking = Below(2) == 1;
    finding.observed =
        finding.outcome == Outcome::kNotApplicable ? "not watched (--watch)" : "seen " + std::to_string(count_);
    if (Below(5) == 0) finding.hidden_by = "link.carrier";
    if (Below(4) == 0) finding.profile = Below(2) == 1 ? "a" : "b";
    if (Below(6) == 0) finding.waived.emplace();
    return finding;
  }
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  std::mt19937 random_;
  int count_ = 0;
};

// As an agent does: a run is judged, kept by the store, then here.
Remembered Check(RecentRuns& recent, CountingStore& store, const RunRecord& run) {
  const Remembered remembered = recent.Before(run);
  if (store.PutRun(run).ok()) recent.Add(run);
  return remembered;
}

Remembered ByTheStore(CountingStore& store, const RunRecord& run) {
  return RememberedOf(run, *store.Runs({.kind = HistoryQuery::Kind::kRuns,
                                        .limit = kRunsRemembered,
                                        .before_unix_ns = run.started_unix_ns}));
}

TEST(RecentRuns, SayWhatTheStoredRunsSay) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    CountingStore store;
    Runs made(seed);
    for (std::int64_t time = 1; time <= 7; ++time) ASSERT_TRUE(store.PutRun(made.At(time)).ok());
    RecentRuns recent(store);
    for (std::int64_t time = 8; time < 60; ++time) {
      const RunRecord run = made.At(time);
      const Remembered wanted = ByTheStore(store, run);
      EXPECT_EQ(Check(recent, store, run), wanted) << "seed " << seed << ", run " << time;
    }
  }
}

TEST(RecentRuns, SayWhatTheStoredRunsSayAfterTheClockWasSetBack) {
  CountingStore store;
  Runs made(5);
  RecentRuns recent(store);
  std::vector<std::int64_t> times;
  for (std::int64_t time = 100; time < 140; ++time) times.push_back(time);
  for (std::int64_t time = 20; time < 40; ++time) times.push_back(time);
  for (std::int64_t time = 139; time < 170; time += 2) times.push_back(time);
  for (const std::int64_t time : times) {
    const RunRecord run = made.At(time);
    const Remembered wanted = ByTheStore(store, run);
    EXPECT_EQ(Check(recent, store, run), wanted) << "run at " << time;
  }
}

TEST(RecentRuns, ReadTheStoreOnceForAHundredChecks) {
  CountingStore store;
  Runs made(6);
  RecentRuns recent(store);
  std::int64_t time = 0;
  while (time < 2) Check(recent, store, made.At(++time));
  const int asked = store.asked;
  const std::size_t rows = store.rows;
  while (time < 100) Check(recent, store, made.At(++time));
  EXPECT_EQ(store.asked, asked);
  EXPECT_EQ(store.rows, rows);
}

TEST(RecentRuns, ReadTheStoreAgainWhenItCouldNotBeRead) {
  CountingStore store;
  Runs made(7);
  RunRecord run = made.At(1);
  run.report.findings.front().outcome = Outcome::kFail;
  run.report.findings.front().hidden_by.clear();
  run.report.findings.front().waived.reset();
  ASSERT_TRUE(store.PutRun(run).ok());
  RecentRuns recent(store);
  store.status = absl::UnavailableError("another process");
  run.started_unix_ns = 2;
  EXPECT_EQ(recent.Before(run), Remembered{});
  store.status = absl::OkStatus();
  EXPECT_THAT(recent.Before(run).standing, testing::Not(testing::IsEmpty()));
}

TEST(RecentRuns, KeepOnlyWhatTheNextCheckNeeds) {
  RunRecord run{.run_id = "run-1", .started_unix_ns = 1};
  Finding& passed = run.report.findings.emplace_back();
  passed.id = "link.state";
  passed.outcome = Outcome::kPass;
  EXPECT_THAT(ReducedRun(run, {}).report.findings, testing::IsEmpty());
  RunRecord older = run;
  older.report.findings.front().outcome = Outcome::kFail;
  const std::vector<RunRecord> before{ReducedRun(older, {})};
  EXPECT_THAT(ReducedRun(run, before).report.findings, testing::SizeIs(1));
}

}  // namespace
}  // namespace rdmaready
