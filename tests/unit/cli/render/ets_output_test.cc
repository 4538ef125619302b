// SPDX-License-Identifier: Apache-2.0
#include "cli/render/ets_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

JudgedEts NotKept() {
  JudgedEts ets{.run = {.run_id = "r", .tcp_tos = 32, .sender_bytes_per_s = 125'000'000}};
  ets.run.rdma = {.from = "a", .to = "b"};
  ets.run.rdma.result.case_name = "write-8k";
  ets.run.rdma.result.interval_bytes = {7, 8};
  ets.run.rdma.counters = {
      {.host = "a", .pressure = {{.begin_ms = 250, .length_ms = 260, .idle_permille = 900}}}};
  ets.judged = {.verdict = EtsVerdict::kNotKept,
                .text = "not kept: RDMA got 10.0 %",
                .culprit = "the switch port to b",
                .fix = "dcb ets show dev dcb0",
                .rdma = {.priority = 3,
                         .counted = true,
                         .traffic_class = 3,
                         .selection = Tsa::kEts,
                         .configured_permille = 500,
                         .alone_bytes_per_s = 100'000'000,
                         .beside_bytes_per_s = 10'000'000,
                         .share_permille = 101},
                .tcp = {.share_permille = 899, .bounded_by_demand = true},
                .place = EtsPlace::kSwitchPort};
  return ets;
}

TEST(EtsJson, HasEachClassBesideItsConfiguredShare) {
  const nlohmann::json json = nlohmann::json::parse(EtsJson(NotKept()));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Ets");
  EXPECT_EQ(json["verdict"], "not-kept");
  EXPECT_EQ(json["place"], "switch-port");
  EXPECT_EQ(json["rdma"]["priority"], 3);
  EXPECT_EQ(json["rdma"]["selection"], "ets");
  EXPECT_EQ(json["rdma"]["configured_permille"], 500);
  EXPECT_EQ(json["rdma"]["share_permille"], 101);
  EXPECT_TRUE(json["tcp"]["priority"].is_null());
  EXPECT_TRUE(json["tcp"]["configured_permille"].is_null());
  EXPECT_EQ(json["tcp"]["selection"], "");
  EXPECT_EQ(json["tcp"]["bounded_by_demand"], true);
  EXPECT_EQ(json["tcp_tos"], 32);
  EXPECT_EQ(json["rdma_beside"]["from"], "a");
  EXPECT_EQ(json["rdma_beside"]["interval_bytes"][1], 8);
  const nlohmann::json& sample = json["rdma_beside"]["ends"][0]["pressure"][0];
  EXPECT_EQ(sample["begin_ms"], 250);
  EXPECT_EQ(sample["length_ms"], 260);
  EXPECT_EQ(sample["idle_permille"], 900);
  EXPECT_TRUE(sample["pauses"].is_null()) << "nothing counts them";
  EXPECT_EQ(json["remedy"]["steps"][0]["command"], "dcb ets show dev dcb0");
}

TEST(EtsText, BeginsWithTheVerdictAndItsCulpritBeforeTheShares) {
  const std::string text = EtsResultText(NotKept(), Style());
  EXPECT_THAT(text, StartsWith("not kept: RDMA got 10.0 %\n  the switch port to b\n"));
  for (const char* part : {"a -> b", "configured", "50.0 %", "10.1 %", "89.9 %", "3 (ets)", "bounded by demand",
                           "dcb ets show dev dcb0"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(EtsText, CarriesNoControlCharacterOfAHost) {
  JudgedEts ets = NotKept();
  ets.run.rdma.from = "a\x1b[2J";
  EXPECT_THAT(EtsResultText(ets, Style()), Not(HasSubstr("\x1b")));
}

TEST(EtsStatus, IsOkOnlyWhereTheSharesAreKept) {
  JudgedEts ets = NotKept();
  EXPECT_EQ(StatusOf(ets), ExitStatus::kNotReady);
  ets.judged.verdict = EtsVerdict::kKept;
  EXPECT_EQ(StatusOf(ets), ExitStatus::kOk);
  ets.judged.verdict = EtsVerdict::kBoundedByDemand;
  EXPECT_EQ(StatusOf(ets), ExitStatus::kOwnFailure);
  ets.judged.verdict = EtsVerdict::kUnknown;
  EXPECT_EQ(StatusOf(ets), ExitStatus::kOwnFailure);
}

}  // namespace
}  // namespace rdmaready
