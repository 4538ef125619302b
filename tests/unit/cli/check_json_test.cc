// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/render_json.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using Json = nlohmann::json;

void ExpectKeys(const Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) EXPECT_TRUE(object.contains(key)) << key << " in " << object.dump();
}

TEST(CheckJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(CheckJson(PeerCheck()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Check");
  ExpectKeys(json, {"version", "run_id", "started_unix_ns", "verdict", "profile", "hosts", "pairs"});
  ExpectKeys(json["profile"], {"name", "digest"});
  ExpectKeys(json["hosts"][0], {"host", "agent_version", "verdict", "error", "ladder", "findings"});
  ExpectKeys(json["hosts"][0]["findings"][0], {"id", "scope", "subject", "outcome", "blocking", "observed",
                                               "expected", "source", "why", "fix", "duration_ns"});
  ExpectKeys(json["pairs"][0], {"from", "to", "findings"});
  EXPECT_EQ(json["verdict"], "ready");
  const Json ladder = json["hosts"][0]["ladder"];
  ASSERT_EQ(ladder.size(), 3U);
  EXPECT_EQ(ladder[2], (Json{{"rung", "peer"}, {"outcome", "pass"}}));
}

TEST(CheckJson, KeepsAHostThatDidNotAnswer) {
  const Json json = Json::parse(CheckJson(UnreachableCheck()));
  ASSERT_EQ(json["hosts"].size(), 2U);
  EXPECT_EQ(json["hosts"][1]["error"], "host b: connect to 10.0.0.2:7471: Connection refused");
  EXPECT_EQ(json["hosts"][1]["verdict"], "undetermined");
  EXPECT_EQ(json["verdict"], "undetermined");
}

TEST(CheckJson, WritesTheWordsOfTheContract) {
  const Json findings = Json::parse(CheckJson(SickCheck()))["hosts"][0]["findings"];
  EXPECT_EQ(findings[1]["outcome"], "fail");
  EXPECT_EQ(findings[2]["outcome"], "not-applicable");
  EXPECT_EQ(findings[2]["hidden_by"], "link.state");
  EXPECT_EQ(findings[6]["outcome"], "unknown");
}

TEST(CheckJson, CanBeParsedWhateverAHostSays) {
  CheckSummary check = SickCheck();
  check.report.hosts[0].host = "\xff\xfe\"\n";
  check.report.hosts[0].findings[0].observed = "\xc3";
  EXPECT_TRUE(Json::accept(CheckJson(check)));
}

TEST(ErrorJson, SaysStatusHostAndError) {
  const Json json = Json::parse(ErrorJson(ExitStatus::kUnreachable, "b", "no"));
  EXPECT_EQ(json, (Json{{"schema", "rdmaready.v1.Error"}, {"status", 4}, {"host", "b"}, {"error", "no"}}));
}

TEST(FactsJson, HoldsFactsOrAnError) {
  FactsRun run;
  Facts facts;
  facts.kernel = Kernel{.release = "6.12"};
  facts.memlock = Missing{.kind = Missing::Kind::kDenied, .detail = "no"};
  run.hosts = {{.host = "a", .facts = facts},
               {.host = "b", .error = "refused", .failure = ExitStatus::kUnreachable}};
  const Json json = Json::parse(FactsJson(run));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Facts");
  EXPECT_EQ(json["hosts"][0]["facts"]["kernel"]["value"]["release"], "6.12");
  EXPECT_EQ(json["hosts"][0]["facts"]["memlock"]["missing"]["kind"], "KIND_DENIED");
  EXPECT_EQ(json["hosts"][1], (Json{{"host", "b"}, {"error", "refused"}}));
}

}  // namespace
}  // namespace rdmaready
