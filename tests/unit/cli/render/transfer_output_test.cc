// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/model/cases.h"
#include "checks/live/transfer.h"
#include "cli/render/json.h"
#include "cli/render/text.h"
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
                          "tester_cpu",
                          "tester_numa_node",
                          "limit_bytes_per_s",
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

// With the proof of its class, by a plain verbs connection.
TransferRow ProvenTransfer() {
  TransferRow row = GoodTransfer();
  row.connection = ConnectionKind::kVerbs;
  row.result.connection = ConnectionKind::kVerbs;
  Finding of_class = row.findings.front();
  of_class.id = "tx.effective-class";
  of_class.observed = "a sent 99 of 100 packets on priority 3 (99.0 %)";
  of_class.class_proof = ClassProof{
      .shares = {{.host = "a", .counter = "sent", .priority = 3, .packets = 99, .all = 100, .permille = 990}}};
  row.findings.push_back(of_class);
  row.counters = {
      {.host = "a",
       .port = "rxe0/1",
       .packets = PriorityPackets{.sent = {1, 0, 0, 99}},
       .counted_ns = 700,
       .idle_packets = Missing{Missing::Kind::kFailed, "x"},
       .idle_ns = 500,
       .path_mtu_bytes = 4096,
       .nic = std::vector<NicChange>{
           {"dcb0", NicCounter::kDropReceived, 3, {"rx_prio3_discards", CounterChange::Kind::kGrew, 7}},
           {"dcb0", NicCounter::kPauseSent, 3, {"tx_prio3_pause", CounterChange::Kind::kUnchanged, 0}}}}};
  return row;
}

TEST(TransfersJson, HasTheSharesOfTheClassAndWhatWasCounted) {
  const Json results =
      Json::parse(TransfersJson({.run_id = "r", .rows = {ProvenTransfer(), GoodTransfer()}}))["results"];
  EXPECT_FALSE(results[1]["findings"][0].contains("class_proof"));
  const Json share = results[0]["findings"][1]["class_proof"]["shares"][0];
  EXPECT_EQ(share["counter"], "sent");
  EXPECT_EQ(share["permille"], 990);
  EXPECT_EQ(share["packets"], 99);
  EXPECT_TRUE(share["foreign_permille"].is_null());
  EXPECT_EQ(results[0]["connection"], "verbs");
  EXPECT_TRUE(results[1]["connection"].is_null()) << "an older agent";
  const Json end = results[0]["error_counters"][0];
  EXPECT_EQ(end["priority_packets"]["sent"], Json({1, 0, 0, 99, 0, 0, 0, 0}));
  EXPECT_EQ(end["counted_ns"], 700);
  EXPECT_TRUE(end["idle_packets"].is_null());
  EXPECT_EQ(end["path_mtu_bytes"], 4096);
  const Json discards{
      {"netdev", "dcb0"}, {"priority", 3}, {"name", "rx_prio3_discards"}, {"kind", "grew"}, {"by", 7}};
  EXPECT_EQ(end["nic_changes"], Json::array({discards}));
}

TEST(TransfersText, ShowsTheSharesOfTheClassAndTheGidsOfAPlainConnection) {
  const std::string text = TransfersText({.run_id = "r", .rows = {GoodTransfer(), ProvenTransfer()}}, {});
  EXPECT_THAT(text, ::testing::HasSubstr("a sent 99 of 100 packets on priority 3 (99.0 %)"));
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "a -> b (rxe0/1 -> rxe0/1), plain verbs connection of GID ::ffff:10.0.0.1 with "
                        "::ffff:10.0.0.2"));
}

TEST(TransfersText, ShowsTheWorstIntervalAndTheTailWithinAHundredColumns) {
  TransferRow large = GoodTransfer();
  TransferRow small = GoodTransfer();
  small.result.case_name = "read-8k";
  small.result.message_bytes = 8192;
  small.result.throughput_bytes_per_s = 819'200'000;
  small.result.operations_per_s = 100'000;
  small.result.worst_interval_bytes_per_s = 737'280'000;
  TransferRow brief = small;
  brief.result.worst_interval_bytes_per_s = 0;
  brief.result.elapsed_ns = 99'000'000;  // shorter than one interval
  const std::string text = TransfersText({.run_id = "r", .rows = {large, small, brief}}, {});
  for (const char* part : {"worst 100 ms", "p99.9", "58.9 MB/s", "151.0 ms", "100000 op/s", "90000 op/s"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(part));
  }
  EXPECT_THAT(text, ::testing::ContainsRegex("100000 op/s  -  "));
  EXPECT_THAT(text, ::testing::HasSubstr("ok: 3 of 3 tests, 126 MB, every byte verified\n"));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    EXPECT_LE(text.find('\n', begin) - begin, 100U) << text;
  }
}

// By the case's row, as a finding does.
TEST(TransfersText, ShowsTheFigureThatTheCaseIsLookedAtFor) {
  for (const TransferCase& test : kTransferCases) {
    TransferRow row = GoodTransfer();
    row.result.case_name = test.name;
    row.result.message_bytes = test.message_bytes;
    const std::string text = TransfersText({.run_id = "r", .rows = {row}}, {});
    const std::string rate = fmt::format("{}  61.2 MB/s", test.name);
    const bool bandwidth = text.find(rate) != std::string::npos;
    EXPECT_EQ(bandwidth, test.figure == Figure::kRate) << text;
    EXPECT_NE(bandwidth, text.find(" op/s") != std::string::npos) << text;
    const std::string observed = JudgeTransfer(row.result, {.rung = PairRungOf(test.name)}).observed;
    EXPECT_EQ(observed.starts_with("61.2 MB/s"), test.figure == Figure::kRate) << observed;
    EXPECT_EQ(observed.find("operations/s") != std::string::npos, test.figure == Figure::kOperations)
        << observed;
  }
}

TEST(TransfersText, ShowsAnIntervalInWhichNothingMoved) {
  TransferRow stalled = GoodTransfer();
  stalled.result.worst_interval_bytes_per_s = 0;
  EXPECT_THAT(TransfersText({.run_id = "r", .rows = {stalled}}, {}),
              ::testing::ContainsRegex("61.2 MB/s  0 (B|MB)/s"));
}

TEST(TransfersText, ShowsNoFiguresOfATestThatMovedNothing) {
  TransferRow row = GoodTransfer();
  row.result.messages = 0;
  const std::string text = TransfersText({.run_id = "r", .rows = {row}}, {});
  EXPECT_THAT(text, ::testing::ContainsRegex("write-512k  -( +-)+\n"));
  for (const char* figure : {"MB/s", "137.0 ms", "120.0 ms"}) {
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(figure)));
  }
}

TransferRow RawTransfer() {
  TransferRow row = GoodTransfer();
  row.result.unverified = true;
  row.result.bytes_verified = 0;
  row.result.busy_poll = true;
  row.result.qps = 4;
  row.result.depth = 16;
  row.result.bidirectional = true;
  row.result.marking = {.tos = 106, .traffic_class = 107, .service_level = 3};
  return row;
}

TEST(TransfersJson, SaysHowTheTestWasRunAndMarked) {
  const Json raw = Json::parse(TransfersJson({.run_id = "r", .rows = {RawTransfer()}}))["results"][0];
  EXPECT_EQ(raw["verified"], false);
  EXPECT_EQ(raw["busy_poll"], true);
  EXPECT_EQ(raw["bidirectional"], true);
  EXPECT_EQ(raw["qps"], 4);
  EXPECT_EQ(raw["depth"], 16);
  EXPECT_EQ(raw["marking"], Json({{"tos", 106}, {"traffic_class", 107}, {"service_level", 3}}));
  const Json plain = Json::parse(TransfersJson({.run_id = "r", .rows = {GoodTransfer()}}))["results"][0];
  EXPECT_EQ(plain["verified"], true);
  EXPECT_TRUE(plain["marking"]["tos"].is_null());
}

TEST(TransfersText, NeverCallsAnUnverifiedTestVerified) {
  const std::string text = TransfersText({.run_id = "r", .rows = {GoodTransfer(), RawTransfer()}}, {});
  EXPECT_THAT(text, ::testing::HasSubstr("ok: 2 of 2 tests, 1 unverified: no byte of it was looked at\n"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("every byte verified")));
  const std::string raw = TransfersText({.run_id = "r", .rows = {RawTransfer()}}, {});
  for (const char* part : {"4 queue pairs", "both directions at once", "busy polling", "unverified"}) {
    EXPECT_THAT(raw, ::testing::HasSubstr(part));
  }
}

TEST(TransfersText, NamesTheLimitOfATestInProduction) {
  TransferRow limited = GoodTransfer();
  limited.result.limit_bytes_per_s = 6'250'000;
  const std::string text = TransfersText({.run_id = "r", .rows = {limited}}, {});
  EXPECT_THAT(text, ::testing::HasSubstr("in production, at most 6.25 MB/s"));
  EXPECT_THAT(TransfersText({.run_id = "r", .rows = {GoodTransfer()}}, {}),
              ::testing::Not(::testing::HasSubstr("in production")));
}

TEST(TransfersText, GathersTheTwoDirections) {
  TransferRow back = GoodTransfer();
  std::swap(back.from, back.to);
  const std::string text =
      TransfersText({.run_id = "r", .rows = {GoodTransfer(), back, GoodTransfer(), back}}, {});
  EXPECT_EQ(text.find("a -> b"), text.rfind("a -> b"));
  EXPECT_EQ(text.find("b -> a"), text.rfind("b -> a"));
  EXPECT_THAT(text, ::testing::HasSubstr("ok: 4 of 4 tests"));
}

TEST(MarkingText, SaysWhatWasAskedWhatTheQueuePairHasAndWhatASoftDeviceIgnores) {
  TransferResult result = RawTransfer().result;
  EXPECT_EQ(MarkingText(result, false), "ToS 106, traffic class 107, service level 3");
  EXPECT_EQ(MarkingText(result, true), "ToS 106, traffic class 107 (rxe has no service level)");
  result.transport = "iwarp";
  result.marking = {.tos = 106};
  EXPECT_EQ(MarkingText(result, true), "ToS 106 (siw sends unmarked whatever is asked)");
  result.marking = {};
  EXPECT_EQ(MarkingText(result, false), "ToS left to RDMA-CM");
  result.depth = 0;
  EXPECT_EQ(MarkingText(result, false), "") << "of an agent that does not tell";
}

using Kind = CounterChange::Kind;

std::vector<EndCounters> Counted() {
  return {{"a", "rxe0/1",
           std::vector<CounterChange>{{"duplicate_request", Kind::kGrew, 3},
                                      {"rcvd_seq_err", Kind::kUnchanged, 0}}},
          {"b", "rxe0/1", Missing{Missing::Kind::kDenied, "read x: Permission denied"}}};
}

TEST(TransfersText, ShowsBelowTheTableWhatASoftwareDeviceCounted) {
  TransferRow row = GoodTransfer();
  EXPECT_THAT(TransfersText({.run_id = "r", .rows = {row}}, {}),
              ::testing::Not(::testing::HasSubstr("duplicate_request")));
  row.counters = Counted();
  const std::string text = TransfersText({.run_id = "r", .rows = {row}}, {});
  EXPECT_THAT(text, ::testing::HasSubstr(
                        "  write-512k  duplicate_request +3 on a rxe0/1 (software device: not judged)\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("ok: 1 of 1 tests, 41.9 MB, every byte verified"));
}

TEST(TransfersText, AWarningIsSaidOnceAndIsNoFailure) {
  TransferRow row = GoodTransfer();
  row.software = false;
  row.counters = Counted();
  row.findings = {JudgeTransfer(row.result, {.rung = Rung::kPeer}, row.counters)};
  ASSERT_EQ(row.findings[0].outcome, Outcome::kWarn);
  const TransferRun run{.run_id = "r", .rows = {GoodTransfer(), row}};
  const std::string text = TransfersText(run, {});
  EXPECT_EQ(text.find("duplicate_request +3"), text.rfind("duplicate_request +3"));
  EXPECT_THAT(text, ::testing::HasSubstr("ok: 2 of 2 tests, 1 with a warning, 83.9 MB, every byte verified"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("failed")));
  EXPECT_EQ(StatusOf(run), ExitStatus::kOk);
}

TEST(TransfersJson, TellsWhatChangedHowManyWereWatchedAndWhatIsNotKnown) {
  TransferRow row = GoodTransfer();
  EXPECT_EQ(Json::parse(TransfersJson({.run_id = "r", .rows = {row}}))["results"][0]["error_counters"],
            Json::array());
  row.counters = Counted();
  const Json ends = Json::parse(TransfersJson({.run_id = "r", .rows = {row}}))["results"][0]["error_counters"];
  EXPECT_EQ(ends[0], Json({{"host", "a"},
                           {"port", "rxe0/1"},
                           {"watched", 2},
                           {"unknown", ""},
                           {"foreign_permille", nullptr},
                           {"priority_packets", nullptr},
                           {"counted_ns", nullptr},
                           {"idle_packets", nullptr},
                           {"idle_ns", nullptr},
                           {"path_mtu_bytes", nullptr},
                           {"nic_changes", nullptr},
                           {"changes", {{{"name", "duplicate_request"}, {"kind", "grew"}, {"by", 3}}}}}));
  EXPECT_TRUE(ends[1]["watched"].is_null());
  EXPECT_EQ(ends[1]["unknown"], "denied: read x: Permission denied");
  EXPECT_EQ(ends[1]["changes"], Json::array());
}

TEST(TransfersJson, SaysWhoseResultsWereNotStored) {
  EXPECT_EQ(Json::parse(TransfersJson({.run_id = "r", .rows = {GoodTransfer()}}))["store_errors"],
            Json::array());
  const TransferRun run{.run_id = "r", .rows = {GoodTransfer()}, .store_errors = {"host a: disk full"}};
  EXPECT_EQ(Json::parse(TransfersJson(run))["store_errors"], Json::array({"host a: disk full"}));
  EXPECT_EQ(StatusOf(run), ExitStatus::kOwnFailure);
}

}  // namespace
}  // namespace rdmaready
