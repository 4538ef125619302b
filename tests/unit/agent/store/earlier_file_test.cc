// SPDX-License-Identifier: Apache-2.0
// A file that an earlier release wrote stays readable, whatever becomes of the messages of the wire, which its
// rows hold: golden/474dcf6.db is of interface revision 1, written by the code at that commit.
#include <filesystem>

#include "tests/support/source_tree.h"
#include "tests/unit/agent/store/store_test.h"

namespace rdmaready {
namespace {

// What golden/474dcf6.db holds: two runs, two transfers and an event that say something in every field.
Finding Plain(const char* id, Outcome outcome) {
  return {.id = id, .scope = Scope::kHost, .rung = Rung::kHost, .subject = "mlx5_0/1", .outcome = outcome};
}

RunRecord EarlierRun() {
  RunRecord run{
      .run_id = "run-2", .started_unix_ns = 1'790'000'002'000'000'000, .duration_ns = 5, .level = Rung::kPeer};
  run.report.profiles = {{"smb-direct-roce", "3c94"}};
  run.report.host = "storage1";
  run.report.agent_version = "0.1.0";
  run.report.kernel_release = "6.1.0-18-amd64";
  run.report.verdict = Readiness::kNotReady;
  run.report.ladder = {{Rung::kHost, RungOutcome::kPass}, {Rung::kPeer, RungOutcome::kFail}};
  run.report.findings = {{.id = "pfc.lossless-priority",
                          .title = "PFC is on for the RDMA priority, and for no other",
                          .scope = Scope::kPort,
                          .rung = Rung::kHost,
                          .subject = "mlx5_0/1 eth2",
                          .outcome = Outcome::kFail,
                          .blocking = true,
                          .observed = "off",
                          .expected = "3",
                          .source = "dcbnl",
                          .why = "frames are lost",
                          .fix = "dcb pfc set dev eth2 prio-pfc 3:on",
                          .duration_ns = 7,
                          .remedy = RemedyOfFix("dcb pfc set dev eth2 prio-pfc 3:on")},
                         {.id = "pfc.peer-agrees",
                          .scope = Scope::kPort,
                          .rung = Rung::kHost,
                          .subject = "mlx5_0/1 eth2",
                          .outcome = Outcome::kNotApplicable,
                          .observed = "not judged: pfc.lossless-priority fails",
                          .hidden_by = "pfc.lossless-priority"},
                         Plain("link.state", Outcome::kPass),
                         Plain("mtu.path", Outcome::kWarn),
                         Plain("gid.stable", Outcome::kUnknown)};
  return run;
}

RunRecord EarlierFailure() {
  RunRecord run{.run_id = "run-1", .started_unix_ns = 1'790'000'001'000'000'000, .level = Rung::kHost};
  run.report.error = "gone";
  return run;
}

TransferRecord EarlierTransfer() {
  TransferRecord transfer{.run_id = "run-2",
                          .started_unix_ns = 1'790'000'002'000'000'001,
                          .port = "mlx5_0/1",
                          .role = "initiator",
                          .peer = "storage2"};
  TransferResult& result = transfer.result;
  result.case_name = "write-8k";
  result.operation = Operation::kRead;
  result.message_bytes = 8192;
  result.local_gid = "::ffff:10.0.0.1";
  result.remote_gid = "::ffff:10.0.0.2";
  result.transport = "roce-v2";
  result.messages = 1;
  result.bytes = 2;
  result.bytes_verified = 3;
  result.bytes_wrong = 4;
  result.first_wrong_offset = 0;
  result.elapsed_ns = 5;
  result.throughput_bytes_per_s = 6;
  result.worst_interval_bytes_per_s = 7;
  result.operations_per_s = 8;
  result.latency = {9, 10, 11, 12};
  result.cpu_initiator_ns = 13;
  result.cpu_responder_ns = 14;
  result.failure = {FailureKind::kCancelled, "x"};
  result.marking = {.tos = 106, .traffic_class = 107, .service_level = 0};
  result.depth = 15;
  result.qps = 16;
  result.busy_poll = true;
  result.unverified = true;
  result.bidirectional = true;
  result.error_counters = std::vector<CounterChange>{{"out_of_sequence", CounterChange::Kind::kGrew, 7},
                                                     {"link_downed", CounterChange::Kind::kGone, 0}};
  result.priority_packets =
      PriorityPackets{.sent = {0, 1, 2, 3, 4, 5, 6, 7}, .received = {7, 6, 5, 4, 3, 2, 1, 0}};
  return transfer;
}

TransferRecord EarlierStall() {
  TransferRecord transfer{.run_id = "run-1",
                          .started_unix_ns = 1'790'000'001'000'000'001,
                          .port = "mlx5_0/1",
                          .role = "responder",
                          .peer = "storage2"};
  transfer.result.case_name = "send-1k";
  transfer.result.failure = {FailureKind::kStalled, "nothing for 5 s"};
  transfer.result.error_counters = Missing{Missing::Kind::kDenied, "no rights"};
  return transfer;
}

constexpr char kEarlierEvent[] = "opened";

class EarlierFile : public StoreTest {};

TEST_F(EarlierFile, IsReadWhole) {
  std::filesystem::create_directories(directory_);
  std::filesystem::copy_file(test::SourceTree() + "/tests/unit/agent/store/golden/474dcf6.db", path_);
  const auto store = Open();
  const auto runs = store->Runs({});
  ASSERT_TRUE(runs.ok() && runs->size() == 2) << runs.status();
  for (const auto& [read, written] :
       {std::pair(runs->at(0), EarlierRun()), std::pair(runs->at(1), EarlierFailure())}) {
    EXPECT_EQ(read.run_id, written.run_id);
    EXPECT_EQ(read.started_unix_ns, written.started_unix_ns);
    EXPECT_EQ(read.duration_ns, written.duration_ns);
    EXPECT_EQ(read.level, written.level);
    EXPECT_EQ(read.report, written.report) << written.run_id;
  }
  const auto transfers = store->Transfers({});
  ASSERT_TRUE(transfers.ok() && transfers->size() == 2) << transfers.status();
  EXPECT_EQ(transfers->at(0).result, EarlierTransfer().result);
  EXPECT_EQ(transfers->at(0).peer, "storage2");
  EXPECT_EQ(transfers->at(0).role, "initiator");
  EXPECT_EQ(transfers->at(1).result, EarlierStall().result);
  const auto events = store->Events({});
  ASSERT_TRUE(events.ok() && events->size() == 1) << events.status();
  EXPECT_EQ(events->at(0).text, kEarlierEvent);
  EXPECT_THAT(log_, testing::IsEmpty()) << "nothing was damaged, set aside or left out";
}

TEST_F(EarlierFile, TakesNewRunsBesideTheOldOnes) {
  std::filesystem::create_directories(directory_);
  std::filesystem::copy_file(test::SourceTree() + "/tests/unit/agent/store/golden/474dcf6.db", path_);
  const auto store = Open();
  ASSERT_TRUE(store->PutRun(MakeRun("run-3", 1'790'000'003'000'000'000)).ok());
  EXPECT_THAT(Ids(*store), testing::ElementsAre("run-3", "run-2", "run-1"));
}

}  // namespace
}  // namespace rdmaready
