// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/render_json.h"
#include "cli/render_text.h"
#include "tests/unit/cli/golden.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using Json = nlohmann::json;

TEST(TransfersJson, HasTheKeysOfTheContract) {
  const Json json = Json::parse(TransfersJson({.run_id = "r", .rows = {GoodTransfer()}}));
  EXPECT_EQ(json["schema"], "rdmaready.v1.Transfer");
  EXPECT_EQ(json["run_id"], "r");
  const Json result = json["results"][0];
  for (const char* key : {"case",
                          "operation",
                          "message_bytes",
                          "from",
                          "to",
                          "transport",
                          "local_gid",
                          "remote_gid",
                          "messages",
                          "bytes",
                          "bytes_wrong",
                          "first_wrong_offset",
                          "failure",
                          "elapsed_ns",
                          "throughput_bytes_per_s",
                          "worst_interval_bytes_per_s",
                          "operations_per_s",
                          "latency_ns",
                          "cpu_ns_initiator",
                          "cpu_ns_responder",
                          "findings"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  for (const char* key : {"p50", "p99", "p999", "max"}) EXPECT_TRUE(result["latency_ns"].contains(key)) << key;
  EXPECT_TRUE(result["first_wrong_offset"].is_null());
  EXPECT_EQ(result["failure"], "");
  EXPECT_EQ(result["latency_is"], "completion");
}

TEST(TransfersJson, SaysWhereTheFirstWrongByteWas) {
  const Json result = Json::parse(TransfersJson({.run_id = "r", .rows = {CorruptTransfer()}}))["results"][0];
  EXPECT_EQ(result["first_wrong_offset"], 4096);
  EXPECT_EQ(result["failure"], "corrupt: message 1");
}

TEST(TransfersJson, SaysWhichLatencyItIs) {
  TransferRow row = GoodTransfer();
  row.result.operation = Operation::kSend;
  const Json result = Json::parse(TransfersJson({.run_id = "r", .rows = {row}}))["results"][0];
  EXPECT_EQ(result["latency_is"], "half-round-trip");
}

TEST(TransfersText, IsATableWithTheFailuresBelow) {
  const std::string text = TransfersText({.run_id = "r", .rows = {GoodTransfer(), CorruptTransfer()}}, {});
  EXPECT_EQ(text, Golden("transfers.txt", text));
}

TEST(TransfersText, ShowsNoFiguresOfATestThatMovedNothing) {
  TransferRow row = GoodTransfer();
  row.result.messages = 0;
  EXPECT_THAT(TransfersText({.run_id = "r", .rows = {row}}, {}),
              ::testing::HasSubstr("write-512k  512 KiB  -"));
}

}  // namespace
}  // namespace rdmaready
