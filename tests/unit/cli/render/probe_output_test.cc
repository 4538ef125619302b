// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checks/probe/probe.h"
#include "cli/render/json.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

using Json = nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

ProbeSummary Reached() {
  ProbeResult result{.protocol = Protocol::kSmb,
                     .target = "fs1",
                     .address = "10.0.0.9",
                     .port_number = 445,
                     .local_port = "rxe0/1",
                     .transport = "roce-v2"};
  for (const char* step : {"resolve", "route", "tcp-connect", "tcp-negotiate", "rdma-connect", "smbd-negotiate",
                           "smb2-negotiate", "smbd-minimum"}) {
    result.steps.push_back({.name = step, .outcome = StepOutcome::kDone, .duration_ns = 1'000'000});
  }
  result.answers.tcp = {.dialect = "3.1.1", .multi_channel = true};
  result.answers.rdma = {.ird = 8};
  result.answers.smb = {.dialect = "3.1.1",
                        .signing = SmbAnswers::Signing::kEnabled,
                        .io_size = 4'194'304,
                        .smbd_minimum = SmbAnswers::Minimum::kAccepted};
  ProbeSummary run{.host = "node1", .answer = {.result = result, .run_id = "r"}};
  run.answer.findings = JudgeProbe(result);
  return run;
}

ProbeSummary Closed() {
  ProbeSummary run = Reached();
  ProbeResult& result = run.answer.result;
  for (std::size_t i = 2; i < result.steps.size(); ++i) result.steps[i].outcome = StepOutcome::kNotReached;
  result.steps[2].outcome = StepOutcome::kFailed;
  result.steps[2].failure = {FailureKind::kRejected, "connect to 10.0.0.9 port 445: Connection refused"};
  result.answers = {};
  run.answer.findings = JudgeProbe(result);
  return run;
}

TEST(ProbeJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(ProbeJson(Reached()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Probe");
  EXPECT_EQ(json["verdict"], "ready");
  EXPECT_EQ(json["protocol"], "smb");
  EXPECT_EQ(json["from"], "node1");
  EXPECT_EQ(json["target"], "fs1");
  EXPECT_EQ(json["address"], "10.0.0.9");
  EXPECT_EQ(json["port_number"], 445);
  EXPECT_EQ(json["transport"], "roce-v2");
  EXPECT_EQ(json["values"]["smb2-dialect"], "3.1.1");
  EXPECT_EQ(json["steps"].size(), 8U);
  EXPECT_EQ(json["steps"][0],
            (Json{{"step", "resolve"}, {"outcome", "done"}, {"failure", ""}, {"duration_ns", 1'000'000}}));
  EXPECT_EQ(json["findings"][0]["scope"], "target");
  EXPECT_EQ(json["findings"][0]["rung"], "server");
  for (const char* key : {"run_id", "version", "local_port", "transfers", "store_error", "store_notice"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(ProbeJson, TellsTheStepThatFailed) {
  const Json json = Json::parse(ProbeJson(Closed()));
  EXPECT_EQ(json["verdict"], "not-ready");
  EXPECT_EQ(json["steps"][2]["outcome"], "failed");
  EXPECT_EQ(json["steps"][2]["failure"], "rejected: connect to 10.0.0.9 port 445: Connection refused");
  EXPECT_EQ(json["steps"][3]["outcome"], "not-reached");
}

TEST(ProbeText, ShowsTheWayTheValuesAndTheVerdict) {
  const std::string text = ProbeText(Reached(), {});
  EXPECT_THAT(text, HasSubstr("smb fs1 (10.0.0.9) from node1 - rxe0/1 - roce-v2 - port 445\n"));
  EXPECT_THAT(text, ContainsRegex("ok +smb2-over-rdma +SMB 3.1.1 over roce-v2"));
  EXPECT_THAT(text, ContainsRegex("\n  smb2-dialect +3.1.1\n"));
  EXPECT_THAT(text, HasSubstr("\nready: up to the server  (8"));
}

TEST(ProbeText, ShowsOneRedLineAndWhatToType) {
  const std::string text = ProbeText(Closed(), {});
  EXPECT_THAT(text, ContainsRegex("FAIL +tcp-445 +smb fs1: connect to 10.0.0.9 port 445: Connection refused"));
  EXPECT_THAT(text, HasSubstr("ss -ltn 'sport = :445'"));
  EXPECT_THAT(text, Not(ContainsRegex("FAIL +rdma-listener")));
  EXPECT_THAT(text, HasSubstr("\nnot ready: server.tcp-445  ("));
}

// A server may say what it likes.
TEST(ProbeText, LetsNoControlCharacterThrough) {
  ProbeSummary run = Reached();
  run.answer.result.answers.smb.capabilities = "a\x1b[31mb\n";
  const std::string text = ProbeText(run, {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a [31mb"));
}

}  // namespace
}  // namespace rdmaready
