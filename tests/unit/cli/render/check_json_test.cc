// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/render/json.h"
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
  ExpectKeys(json, {"version", "run_id", "started_unix_ns", "verdict", "profiles", "hosts", "pairs"});
  ExpectKeys(json["profiles"][0], {"name", "digest"});
  ExpectKeys(json["hosts"][0], {"host", "agent_version", "verdict", "error", "ladder", "findings"});
  ExpectKeys(json["hosts"][0]["findings"][0], {"id", "scope", "subject", "outcome", "blocking", "observed",
                                               "expected", "source", "why", "fix", "duration_ns"});
  ExpectKeys(json["pairs"][0], {"from", "to", "findings"});
  EXPECT_EQ(json["verdict"], "ready");
  const Json ladder = json["hosts"][0]["ladder"];
  ASSERT_EQ(ladder.size(), 6U);
  EXPECT_EQ(ladder[2], (Json{{"rung", "peer"}, {"outcome", "pass"}}));
  EXPECT_EQ(ladder[3], (Json{{"rung", "smb-direct"}, {"outcome", "not-run"}}));
}

TEST(CheckJson, ListsEveryRungAlsoThoseThatWereNotAskedFor) {
  for (const CheckSummary& check : {SickCheck(), HealthyCheck(), UnreachableCheck(), PeerCheck()}) {
    for (const Json& host : Json::parse(CheckJson(check))["hosts"]) {
      const Json ladder = host["ladder"];
      ASSERT_EQ(ladder.size(), 6U);
      const char* const rungs[] = {"host", "loopback", "peer", "smb-direct", "server", "share"};
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(ladder[i]["rung"], rungs[i]);
    }
  }
  const Json sick = Json::parse(CheckJson(SickCheck()))["hosts"][0]["ladder"];
  EXPECT_EQ(sick[0]["outcome"], "fail");
  EXPECT_EQ(sick[1]["outcome"], "not-run");
  EXPECT_EQ(sick[2]["outcome"], "not-run");
  const Json healthy = Json::parse(CheckJson(HealthyCheck()));
  EXPECT_EQ(healthy["hosts"][0]["ladder"][2], (Json{{"rung", "peer"}, {"outcome", "not-run"}}));
  EXPECT_EQ(healthy["verdict"], "ready");  // up to the level that was asked for
}

TEST(CheckJson, SaysHowLongWasWaitedWhereItWas) {
  CheckSummary check = HealthyCheck();
  EXPECT_FALSE(Json::parse(CheckJson(check)).contains("waited_ns"));
  check.waited = Waited{.ns = 12'000'000'000, .tries = 5};
  const Json json = Json::parse(CheckJson(check));
  EXPECT_EQ(json["waited_ns"], 12'000'000'000);
  EXPECT_EQ(json["tries"], 5);
}

TEST(CheckJson, KeepsAHostThatDidNotAnswer) {
  const Json json = Json::parse(CheckJson(UnreachableCheck()));
  ASSERT_EQ(json["hosts"].size(), 2U);
  EXPECT_EQ(json["hosts"][1]["error"], "host b: connect to 10.0.0.2:7471: Connection refused");
  EXPECT_EQ(json["hosts"][1]["verdict"], "undetermined");
  EXPECT_EQ(json["verdict"], "undetermined");
}

TEST(CheckJson, SaysGroupAndRackWhereTheyAreKnown) {
  CheckSummary check = HealthyCheck();
  EXPECT_FALSE(nlohmann::json::parse(CheckJson(check))["hosts"][0].contains("group"));
  check.notes.at(0).group = "storage";
  check.notes.at(0).rack = "r1";
  const auto host = nlohmann::json::parse(CheckJson(check))["hosts"][0];
  EXPECT_EQ(host["group"], "storage");
  EXPECT_EQ(host["rack"], "r1");
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

TEST(FactsJson, SaysFalseZeroAndNoneAloud) {
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.admin_up = false;
  netdev.carrier = false;
  netdev.dcb.ets = Ets{.willing = false};
  Port port;
  port.device = "rxe0";
  port.cm_default_tos = std::uint8_t{0};
  port.netdev = netdev;
  Facts down;
  down.ports = std::vector<Port>{port};
  Facts none;
  none.ports = std::vector<Port>{};
  const Json json =
      Json::parse(FactsJson({.hosts = {{.host = "a", .facts = down}, {.host = "b", .facts = none}}}));
  const Json first = json["hosts"][0]["facts"]["ports"]["value"]["ports"][0];
  EXPECT_EQ(first["cm_default_tos"]["value"], 0);
  const Json seen = first["netdev"]["value"];
  EXPECT_EQ(seen.value("admin_up", Json()), false) << seen.dump(2);
  EXPECT_EQ(seen["dcb"]["ets"]["value"].value("willing", Json()), false) << seen.dump(2);
  EXPECT_EQ(json["hosts"][1]["facts"]["ports"]["value"].value("ports", Json()), Json::array());
}

// What a profile does not ask for is not the same as a zero that it asks for.
TEST(ProfileJson, LeavesOutWhatIsNotAskedFor) {
  Profile profile{.name = "p"};
  profile.rdma_priority = std::uint8_t{0};
  const Json json = Json::parse(ProfileJson(profile))["profile"];
  EXPECT_EQ(json["rdma_priority"], 0);
  EXPECT_FALSE(json.contains("dscp")) << json.dump(2);
  EXPECT_FALSE(json.contains("mtu_bytes")) << json.dump(2);
}

TEST(CheckJson, SaysByWhichProfileEachHostWasJudged) {
  CheckSummary check = PeerCheck();
  check.report.hosts[0].profiles = {{"x", "1"}, {"z", "2"}};
  check.report.hosts[0].ports = {{"rxe0/1 dcb0", "x"}, {"rxe1/1 dcb1", ""}};
  check.report.hosts[1].profiles = {{"y", ""}};
  check.report.hosts[0].findings[0].profile = "z";
  const Json hosts = Json::parse(CheckJson(check))["hosts"];
  EXPECT_EQ(hosts[0]["profiles"],
            Json::array({{{"name", "x"}, {"digest", "1"}}, {{"name", "z"}, {"digest", "2"}}}));
  EXPECT_EQ(hosts[1]["profiles"], Json::array({{{"name", "y"}, {"digest", ""}}}));
  EXPECT_EQ(hosts[0]["ports"], Json::array({{{"subject", "rxe0/1 dcb0"}, {"profile", "x"}},
                                            {{"subject", "rxe1/1 dcb1"}, {"profile", ""}}}));
  EXPECT_EQ(hosts[0]["findings"][0]["profile"], "z");
}

TEST(CheckJson, IsPlainAsciiWhateverAHostSays) {
  CheckSummary check = SickCheck();
  check.report.hosts[0].error =
      "\xc2\x9b"
      "31m \xe2\x80\xae \xff";
  const std::string text = CheckJson(check);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  EXPECT_TRUE(Json::accept(text));
}

}  // namespace
}  // namespace rdmaready
