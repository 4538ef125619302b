// SPDX-License-Identifier: Apache-2.0
// What hosts remember, as it is compared and shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fleet/history_run.h"
#include "cli/render/baseline.h"
#include "cli/render/json.h"
#include "cli/render/text.h"
#include "tests/unit/cli/golden.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::int64_t kNow = 1'795'200'000'000'000'000;  // 2026-11-20 18:40:00 UTC

// The run `number` minutes before the newest.
RunRecord RunOf(int number, std::vector<Finding> findings) {
  RunRecord run{.run_id = "20261120T184000Z-4f1c09a" + std::to_string(number),
                .started_unix_ns = kNow - number * kMinute,
                .duration_ns = 45'000'000,
                .level = number == 0 ? Rung::kLoopback : Rung::kHost};
  run.report.profiles = {{"virtual-fabric", "00ff"}};
  run.report.kernel_release = "6.12.117";
  run.report.verdict = Readiness::kReady;
  for (const Finding& finding : findings) {
    if (finding.outcome == Outcome::kFail) run.report.verdict = Readiness::kNotReady;
    if (finding.outcome == Outcome::kUnknown) run.report.verdict = Readiness::kUndetermined;
  }
  run.report.ladder = {{Rung::kHost, RungOutcome::kPass}};
  run.report.findings = std::move(findings);
  return run;
}

Finding Failing(const std::string& id) { return Fail(id, "PFC on 4", "3 only", "dcb pfc set ..."); }

Finding Unknown(const std::string& id) {
  Finding finding = Failing(id);
  finding.outcome = Outcome::kUnknown;
  return finding;
}

std::vector<std::string> Ids(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

TransferRecord TransferOf(const std::string& role, const std::string& peer) {
  TransferRecord record{.run_id = "20261120T184000Z-4f1c09a0",
                        .started_unix_ns = kNow,
                        .port = "rxe0/1",
                        .role = role,
                        .peer = peer,
                        .result = GoodTransfer().result};
  return record;
}

HostHistory HistoryOf(const std::string& host, std::vector<RunRecord> runs) {
  HostHistory history{.host = host};
  history.changes = ChangesOf(runs);
  history.history.runs = std::move(runs);
  return history;
}

HistoryRun Example() {
  HostHistory host = HistoryOf(
      "node1",
      {RunOf(0, {Pass("link.state", "up"), Failing("pfc.lossless-priority"), Failing("ets.map")}),
       RunOf(1,
             {Failing("link.state"), HiddenBehind("pfc.lossless-priority", "link.state"), Failing("ets.map")}),
       RunOf(2, {Pass("link.state", "up"), Pass("pfc.lossless-priority", "PFC on 3"), Failing("ets.map")}),
       RunOf(3, {Pass("link.state", "up"), Pass("pfc.lossless-priority", "PFC on 3"),
                 Pass("ets.map", "3 in 3")})});
  host.history.transfers = {TransferOf("loopback", ""), TransferOf("initiator", "node2"),
                            TransferOf("responder", "node2")};
  host.history.transfers[2].result.failure = {FailureKind::kStalled, "nothing for 5 s"};
  host.history.events = {
      {.unix_ns = kNow - 5 * kMinute, .text = "the store was damaged (...): set aside as FILE"}};
  return {
      .hosts = {host, {.host = "node2", .error = "host node2: connection refused"}, HistoryOf("node3", {})}};
}

TEST(Changes, AreAgainstWhatWasKnownLast) {
  const HistoryRun run = Example();
  const std::vector<RunChanges>& changes = run.hosts[0].changes;
  EXPECT_THAT(Ids(changes[3].newly_failing), IsEmpty()) << "nothing was known before";
  EXPECT_THAT(Ids(changes[2].newly_failing), ElementsAre("ets.map"));
  EXPECT_THAT(Ids(changes[1].newly_failing), ElementsAre("link.state"));
  EXPECT_THAT(Ids(changes[1].newly_passing), IsEmpty());
  EXPECT_THAT(Ids(changes[0].newly_failing), ElementsAre("pfc.lossless-priority"))
      << "as it was before it was hidden";
  EXPECT_THAT(Ids(changes[0].newly_passing), ElementsAre("link.state"));
}

TEST(Changes, TellSinceWhenSomethingStandsInTheWay) {
  const std::vector<RunRecord> runs{
      RunOf(0, {Failing("ets.map"), Failing("link.state")}), RunOf(1, {Unknown("ets.map")}),
      RunOf(2, {HiddenBehind("ets.map", "link.state"), Failing("link.state")}),  // says nothing of it
      RunOf(3, {Failing("ets.map"), Pass("link.state", "up")}), RunOf(4, {Pass("ets.map", "3 in 3")})};
  const std::vector<RunChanges> changes = ChangesOf(runs);
  const std::string subject = Failing("ets.map").subject;
  EXPECT_THAT(changes[0].standing, ElementsAre(Standing{"ets.map", subject, kNow - 3 * kMinute, 3},
                                               Standing{"link.state", subject, kNow - 2 * kMinute, 2}));
  EXPECT_THAT(changes[3].standing, IsEmpty()) << "it is new there";
  EXPECT_THAT(changes[4].standing, IsEmpty());
}

TEST(Changes, WhatCanNoLongerBeDeterminedIsOne) {
  const std::vector<RunRecord> runs{RunOf(0, {Unknown("pfc.lossless-priority")}),
                                    RunOf(1, {Pass("pfc.lossless-priority", "PFC on 3")})};
  EXPECT_THAT(Ids(ChangesOf(runs)[0].newly_failing), ElementsAre("pfc.lossless-priority"));
}

TEST(Changes, AreNoneBetweenProfilesPortsOrLevels) {
  RunRecord other_profile = RunOf(0, {Failing("ets.map")});
  other_profile.report.profiles = {{"mine", "00ff"}};
  Finding other_port = Failing("ets.map");
  other_port.subject = "rxe1/1";
  const std::vector<RunRecord> runs{
      other_profile, RunOf(0, {other_port}),
      RunOf(1, {Pass("ets.map", "3 in 3"), Pass("loopback.send-1k", "p50 46 us")})};
  for (const RunChanges& changes : ChangesOf(runs)) {
    EXPECT_THAT(Ids(changes.newly_failing), IsEmpty());
    EXPECT_THAT(Ids(changes.newly_passing), IsEmpty());
  }
}

TEST(HistoryText, IsALineForEachRunAndEachTransfer) {
  const std::string text = HistoryText(Example(), {.unicode = true});
  EXPECT_EQ(text, Golden("history.txt", text));
}

TEST(HistoryText, PutsTheStoryBelowWhereThereIsNoRoom) {
  const std::string text = HistoryText(Example(), {.unicode = true, .width = 80});
  EXPECT_EQ(text, Golden("history_80_columns.txt", text));
}

TEST(HistoryText, NamesAFewOfManyEachOnce) {
  std::vector<Finding> findings;
  for (const char* id : {"a.a", "a.a", "b.b", "c.c", "d.d", "e.e", "f.f"}) findings.push_back(Failing(id));
  const std::string text = HistoryText({.hosts = {HistoryOf("a", {RunOf(0, findings)})}}, {});
  EXPECT_THAT(text, HasSubstr("a.a, b.b, c.c, d.d and 2 more\n"));
}

TEST(HistoryText, SaysWhenARunCannotBeReadAndKeepsTerminalsSafe) {
  RunRecord damaged{.run_id = "mine\x1b[2J", .started_unix_ns = kNow, .level = Rung::kHost};
  damaged.report.error = "the stored result is damaged";
  const std::string text = HistoryText({.hosts = {HistoryOf("a", {damaged})}}, {});
  EXPECT_THAT(text, HasSubstr("undetermined  host"));
  EXPECT_THAT(text, HasSubstr("the stored result is damaged\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(RememberedText, IsTheReportOfTheCheckAndItsTransfers) {
  HistoryRun run{.with_texts = true};
  HostHistory a = HistoryOf("node1", {RunOf(0, {Failing("pfc.lossless-priority")})});
  a.history.transfers = {TransferOf("initiator", "node2")};
  run.hosts = {a, HistoryOf("node2", {RunOf(0, {Pass("pfc.lossless-priority", "PFC on 3")})})};
  const std::string text = RememberedText(run, {.unicode = true});
  EXPECT_EQ(text, Golden("history_of_one_run.txt", text));
}

TEST(RememberedText, TellsWhatTheHostCountedDuringItsTransfers) {
  HostHistory a = HistoryOf("node1", {});
  a.history.transfers = {TransferOf("initiator", "node2"), TransferOf("loopback", "")};
  a.history.transfers[0].result.error_counters =
      std::vector<CounterChange>{{"rcvd_seq_err", CounterChange::Kind::kGrew, 4}};
  a.history.transfers[1].result.error_counters =
      std::vector<CounterChange>{{"rcvd_seq_err", CounterChange::Kind::kUnchanged, 0}};
  const std::string text = RememberedText({.with_texts = true, .hosts = {a}}, {});
  EXPECT_THAT(text, HasSubstr("\n  2026-11-20 18:40:00  write-512k, to node2: rcvd_seq_err +4 on rxe0/1\n"));
  EXPECT_EQ(text.find("rcvd_seq_err"), text.rfind("rcvd_seq_err"));
}

TEST(RememberedText, SaysWhoseReportItIsWhereTheRunsOwnWasNotKept) {
  RunRecord run = RunOf(0, {Failing("ets.map")});
  run.as_in_run_id = "20261119T180000Z-0000aaaa";
  run.as_in_unix_ns = kNow - 60 * kMinute;
  run.kind = "check host by 9.9.9";
  run.digest = "d1";
  const HistoryRun history{.with_texts = true,
                           .hosts = {HistoryOf("node1", {run, RunOf(1, {Failing("ets.map")})})}};
  const std::string text = RememberedText(history, {});
  const std::string words =
      "\nnode1: as in run 20261119T180000Z-0000aaaa of 2026-11-20 17:40:00 UTC: nothing differed; own "
      "counters, "
      "figures and times were not kept\n";
  EXPECT_THAT(text, HasSubstr(words));
  EXPECT_EQ(text.find("as in run"), text.rfind("as in run")) << "the other one's is its own";
  const Json runs = Json::parse(HistoryJson(history))["hosts"][0]["runs"];
  EXPECT_EQ(runs[0]["as_in_run_id"], "20261119T180000Z-0000aaaa");
  EXPECT_EQ(runs[0]["as_in_unix_ns"], kNow - 60 * kMinute);
  EXPECT_EQ(runs[0]["kind"], "check host by 9.9.9");
  EXPECT_EQ(runs[0]["digest"], "d1");
  EXPECT_EQ(runs[1]["as_in_run_id"], "");
}

BaselineRun PastOfTwoHosts() {
  const CaseBaseline slow{.port = "mlx5_0/1",
                          .case_name = "write-512k",
                          .role = "loopback",
                          .last_bytes_per_s = 13'000'000,
                          .last_unix_ns = kNow,
                          .days = 30,
                          .p10_bytes_per_s = 95'000'000,
                          .p50_bytes_per_s = 97'000'000,
                          .latency_p99_ns = 5000,
                          .days_kept = 91,
                          .first_unix_ns = kNow - 90 * 1440 * kMinute,
                          .changed_unix_ns = kNow - 1440 * kMinute,
                          .before_bytes_per_s = 97'000'000,
                          .before_days = 90};
  const CaseBaseline young{.port = "mlx5_0/1",
                           .case_name = "send-1k",
                           .role = "initiator",
                           .peer = "node2\x1b[31m",
                           .last_bytes_per_s = 9'000'000,
                           .last_unix_ns = kNow,
                           .days_kept = 1,
                           .first_unix_ns = kNow};
  return {.hosts = {{.host = "node1", .baselines = {slow, young}},
                    {.host = "node2", .error = "host node2: connection refused"},
                    {.host = "node3"}}};
}

TEST(BaselineText, PutsTheLastTestBesideThoseBeforeAndSaysSinceWhen) {
  const std::string text = BaselineText(PastOfTwoHosts(), {});
  EXPECT_THAT(text, HasSubstr("write-512k  loopback"));
  EXPECT_THAT(text,
              HasSubstr("13.0 MB/s  2026-11-20  97.0 MB/s  95.0 MB/s  30    since 2026-11-19; 97.0 MB/s for 90 "
                        "days before\n"));
  EXPECT_THAT(text, testing::ContainsRegex("send-1k .*9.00 MB/s +2026-11-20  - +- +0 +since 2026-11-20\n"));
  EXPECT_THAT(text, HasSubstr("node3\n  no live test is remembered\n"));
  EXPECT_THAT(text, Not(HasSubstr("node2\n")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(BaselineJson, HoldsEveryHostAndEveryFigure) {
  const Json json = Json::parse(BaselineJson(PastOfTwoHosts()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Baseline");
  ASSERT_EQ(json["hosts"].size(), 3u);
  const Json slow = json["hosts"][0]["baselines"][0];
  EXPECT_EQ(slow["case"], "write-512k");
  EXPECT_EQ(slow["last_bytes_per_s"], 13'000'000);
  EXPECT_EQ(slow["p10_bytes_per_s"], 95'000'000);
  EXPECT_EQ(slow["before_days"], 90);
  EXPECT_EQ(slow["changed_unix_ns"], kNow - 1440 * kMinute);
  EXPECT_EQ(slow.size(), 15u) << "a field of CaseBaseline each";
  EXPECT_EQ(json["hosts"][1]["error"], "host node2: connection refused");
  EXPECT_EQ(json["hosts"][2]["baselines"], Json::array());
}

TEST(HistoryJson, TellsWhatTheHostCountedDuringATransfer) {
  HostHistory a = HistoryOf("node1", {});
  a.history.transfers = {TransferOf("initiator", "node2")};
  a.history.transfers[0].result.error_counters =
      std::vector<CounterChange>{{"rcvd_seq_err", CounterChange::Kind::kGrew, 4}};
  const Json transfer = Json::parse(HistoryJson({.hosts = {a}}))["hosts"][0]["transfers"][0];
  EXPECT_EQ(transfer["error_counters"],
            Json::array({{{"watched", 1},
                          {"unknown", ""},
                          {"foreign_permille", nullptr},
                          {"priority_packets", nullptr},
                          {"counted_ns", nullptr},
                          {"idle_packets", nullptr},
                          {"idle_ns", nullptr},
                          {"path_mtu_bytes", nullptr},
                          {"nic_changes", nullptr},
                          {"changes", {{{"name", "rcvd_seq_err"}, {"kind", "grew"}, {"by", 4}}}}}}));
}

TEST(HistoryJson, HoldsRunsTransfersAndWhatBefellTheStore) {
  const Json json = Json::parse(HistoryJson(Example()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.History");
  ASSERT_EQ(json["hosts"].size(), 3u);
  const Json host = json["hosts"][0];
  EXPECT_EQ(host["host"], "node1");
  EXPECT_EQ(host["error"], "");
  const Json run = host["runs"][0];
  EXPECT_EQ(run["run_id"], "20261120T184000Z-4f1c09a0");
  EXPECT_EQ(run["started_unix_ns"], kNow);
  EXPECT_EQ(run["verdict"], "not-ready");
  EXPECT_EQ(run["level"], "loopback");
  EXPECT_EQ(run["profiles"][0]["name"], "virtual-fabric");
  EXPECT_EQ(run["newly_failing"], Json::array({{{"id", "pfc.lossless-priority"}, {"subject", "rxe0/1 dcb0"}}}));
  EXPECT_EQ(run["newly_passing"][0]["id"], "link.state");
  EXPECT_EQ(run["findings"][0]["observed"], "up");
  EXPECT_FALSE(run["findings"][0].contains("fix")) << "not asked for";
  const Json transfer = host["transfers"][1];
  EXPECT_EQ(transfer["role"], "initiator");
  EXPECT_EQ(transfer["peer"], "node2");
  EXPECT_EQ(transfer["case"], "write-512k");
  EXPECT_EQ(transfer["latency_ns"]["p99"], GoodTransfer().result.latency.p99_ns);
  EXPECT_EQ(host["transfers"][2]["failure"], "stalled: nothing for 5 s");
  EXPECT_EQ(host["store_events"][0]["unix_ns"], kNow - 5 * kMinute);
  EXPECT_EQ(json["hosts"][1]["error"], "host node2: connection refused");
}

TEST(HistoryJson, HoldsOneRunInFull) {
  HistoryRun run{.with_texts = true, .hosts = {HistoryOf("a", {RunOf(0, {Failing("ets.map")})})}};
  EXPECT_EQ(Json::parse(HistoryJson(run))["hosts"][0]["runs"][0]["findings"][0]["fix"], "dcb pfc set ...");
}

TEST(StoreNotice, IsSaidBesideTheReportAndChangesNoStatus) {
  CheckSummary check = HealthyCheck();
  check.notes[0].store_notice = "the store was damaged: set aside as FILE";
  EXPECT_THAT(Complaints(check), ElementsAre(HasSubstr("the store was damaged: set aside as FILE")));
  EXPECT_EQ(StatusOf(check), ExitStatus::kOk);
  EXPECT_EQ(Json::parse(CheckJson(check))["hosts"][0]["store_notice"],
            "the store was damaged: set aside as FILE");
}

TEST(StoreError, IsOurOwnFailureUnlessSomethingWorseIsKnown) {
  CheckSummary check = HealthyCheck();
  check.notes[0].store_error = "write store /s/rdmaready.db: database or disk is full";
  EXPECT_EQ(StatusOf(check), ExitStatus::kOwnFailure);
  EXPECT_THAT(Complaints(check), ElementsAre(HasSubstr("was not stored: write store")));
  CheckSummary sick = SickCheck();
  sick.notes[0].store_error = check.notes[0].store_error;
  EXPECT_EQ(StatusOf(sick), ExitStatus::kNotReady);
}

TEST(HistoryText, SaysInWhichLineTheAuditOfChangesEnds) {
  const HistoryRun run{.hosts = {{.host = "node1", .audit_head = "3f9c"}, {.host = "node2"}}};
  EXPECT_EQ(HistoryText(run, {}),
            "node1\n  nothing is remembered\n  audit of changes     ends in the line of SHA-256 3f9c\n\n"
            "node2\n  nothing is remembered\n");
  const auto json = nlohmann::json::parse(HistoryJson(run));
  EXPECT_EQ(json["hosts"][0]["audit_head"], "3f9c");
  EXPECT_EQ(json["hosts"][1]["audit_head"], "");
}

}  // namespace
}  // namespace rdmaready
