// SPDX-License-Identifier: Apache-2.0
// Agents over gRPC in this process, with a host, links and a store that need nothing: the client, the wire, the
// service and the relay between two agents are the real ones.
#include "agent/service.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "agent/own_check.h"
#include "agent/port_lock.h"
#include "agent/transfer/cases.h"
#include "api/client/agent_client.h"
#include "api/client/peer_test.h"
#include "api/profile/load.h"
#include "checks/transfer.h"
#include "collectors/collect.h"
#include "collectors/recording/recorded_host.h"
#include "tests/unit/agent/transfer/memory_link.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class RecordingStore final : public Store {
 public:
  absl::Status PutRun(const RunRecord& record) override {
    const std::lock_guard lock(mutex_);
    runs.push_back(record);
    return status;
  }
  absl::Status PutTransfer(const TransferRecord& record) override {
    const std::lock_guard lock(mutex_);
    transfers.push_back(record);
    return status;
  }
  absl::StatusOr<std::vector<RunRecord>> Runs(const HistoryQuery& query) override {
    asked = query;
    if (!status.ok()) return status;
    return runs;
  }
  absl::StatusOr<std::vector<TransferRecord>> Transfers(const HistoryQuery&) override { return transfers; }
  absl::StatusOr<std::vector<StoreEvent>> Events(const HistoryQuery&) override { return events; }
  std::string TakeNotice() override { return std::exchange(notice, {}); }

  absl::Status status{};
  std::vector<RunRecord> runs{};
  std::vector<TransferRecord> transfers{};
  std::vector<StoreEvent> events{};
  std::string notice{};
  HistoryQuery asked{};

 private:
  std::mutex mutex_;
};

// One host: its agent, served.
class ServedAgent {
 public:
  ServedAgent(LinkMaker make_link, const std::string& lock_directory, const CallLimits& limits = {})
      : agent_(host, store, std::move(make_link),
               {.version = "9.9.9",
                .default_profile = *LoadProfile("virtual-fabric"),
                .lock_directory = lock_directory,
                .instance_id = "cafe",
                .events =
                    [this](const Event& event) {
                      const std::lock_guard lock(events_mutex);
                      events.push_back(event);
                    },
                .on_stored = [this](const absl::Status& stored) { kept.push_back(stored.ok()); }}),
        service_(agent_, limits) {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~ServedAgent() { Kill(); }

  std::unique_ptr<AgentClient> Client(const std::string& name) {
    return std::make_unique<AgentClient>(name, server_->InProcessChannel({}), ClientOptions{});
  }

  std::unique_ptr<v1::Agent::Stub> Stub() { return v1::Agent::NewStub(server_->InProcessChannel({})); }

  // As far as a caller can tell: every call ends at once.
  void Kill() { server_->Shutdown(std::chrono::system_clock::now()); }

  Agent& agent() { return agent_; }

  // The text of a field of the last event of that name.
  std::string Told(std::string_view name, std::string_view key) {
    const std::lock_guard lock(events_mutex);
    std::string told = "no event";
    for (const Event& event : events) {
      if (event.name != name) continue;
      told = "no field";
      for (const Event::Field& field : event.fields) {
        const auto* text = std::get_if<std::string>(&field.value);
        if (field.key == key) told = text == nullptr ? "a number" : *text;
      }
    }
    return told;
  }

  FakeHost host = GoodHost();
  RecordingStore store;
  std::vector<bool> kept;
  std::mutex events_mutex;
  std::vector<Event> events;

 private:
  Agent agent_;
  AgentService service_;
  std::unique_ptr<grpc::Server> server_;
};

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { std::filesystem::create_directories(locks_); }
  ~ServiceTest() override { std::filesystem::remove_all(locks_); }

  // Both ends of a loopback test come from the same maker: responder first.
  LinkMaker BothEnds() {
    return [this] {
      const bool first = made_++ % 2 == 0;
      if (first) fabrics_.push_back(std::make_unique<MemoryFabric>());
      return std::make_unique<MemoryLink>(*fabrics_.back(), first ? Role::kResponder : Role::kInitiator);
    };
  }

  LinkMaker OneEnd(Role role) {
    return [this, role] { return std::make_unique<MemoryLink>(between_, role); };
  }

  PeerTest Send1k() const {
    return {.case_name = "send-1k",
            .from_port = {.device = "rxe0", .number = 1, .address = ""},
            .to_port = {.device = "rxe0", .number = 1, .address = ""},
            .caller = "a test",
            .run_id = "run-7"};
  }

  const std::string locks_ = testing::TempDir() + "service locks " + std::to_string(::getpid());
  MemoryFabric between_;
  std::vector<std::unique_ptr<MemoryFabric>> fabrics_;
  int made_ = 0;
};

TEST_F(ServiceTest, TellsItsVersion) {
  ServedAgent agent(BothEnds(), locks_);
  EXPECT_EQ(agent.Client("a")->GetVersion()->version, "9.9.9");
  EXPECT_EQ(agent.Client("a")->GetVersion()->instance_id, "cafe");
}

TEST_F(ServiceTest, SendsTheFactsAsTheyWereCollected) {
  ServedAgent agent(BothEnds(), locks_);
  FakeHost same = GoodHost();
  EXPECT_EQ(*agent.Client("a")->GetFacts(), CollectFacts(same));
}

TEST_F(ServiceTest, SendsARecordingThatGivesTheSameFactsAgain) {
  ServedAgent agent(BothEnds(), locks_);
  FakeHost same = GoodHost();
  const std::string large(std::size_t{3} << 20, 'x');  // of several parts
  agent.host.files["/proc/sys/kernel/hostname"] = same.files["/proc/sys/kernel/hostname"] = large;
  const absl::StatusOr<RecordingFiles> files = agent.Client("a")->GetRecording();
  ASSERT_TRUE(files.ok()) << files.status();
  absl::StatusOr<Recording> recording = DecodeRecording(*files);
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->rdmaready, "9.9.9");
  EXPECT_EQ(recording->kernel, "6.12.1");
  EXPECT_GT(recording->recorded_unix_ns, 0);
  RecordedHost again(*std::move(recording));
  EXPECT_EQ(CollectFacts(again), CollectFacts(same));
}

TEST_F(ServiceTest, ACheckStreamsTheFindingsThatTheReportHolds) {
  ServedAgent agent(BothEnds(), locks_);
  std::vector<Finding> streamed;
  const absl::StatusOr<CheckAnswer> answer =
      agent.Client("a")->Check({}, {}, [&](const Finding& finding) { streamed.push_back(finding); });
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(streamed.empty());
  EXPECT_EQ(streamed, answer->report.findings);
  EXPECT_EQ(answer->profile.name, "virtual-fabric");
  EXPECT_EQ(answer->report.agent_version, "9.9.9");
  ASSERT_THAT(agent.store.runs, SizeIs(1));
  EXPECT_EQ(agent.store.runs.front().run_id, answer->run_id);
  EXPECT_EQ(agent.store.runs.front().report, answer->report);
}

TEST_F(ServiceTest, ACheckOfLevelLoopbackRunsEveryCase) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::size_t live = 0;
  for (const Finding& finding : answer->report.findings) {
    if (finding.rung != Rung::kLoopback) continue;
    ++live;
    EXPECT_EQ(finding.outcome, Outcome::kPass) << finding.id << ": " << finding.observed;
    EXPECT_GT(finding.duration_ns, 0);
  }
  EXPECT_EQ(live, AllCases().size());
  EXPECT_THAT(agent.store.transfers, SizeIs(AllCases().size()));
  ASSERT_THAT(answer->report.ladder, SizeIs(2));
  EXPECT_EQ(answer->report.ladder.back().outcome, RungOutcome::kPass);
}

// Checks may not see the agent, so they list the cases themselves.
TEST(TransferCases, AreTheOnesThatChecksKnow) {
  for (const Rung rung : {Rung::kLoopback, Rung::kPeer}) {
    std::vector<std::string> judged;
    for (const TransferCheck& check : AllTransferChecks()) {
      if (check.rung == rung && !check.case_name.empty()) judged.emplace_back(check.case_name);
    }
    std::vector<std::string> run;
    for (const TransferCase& test : AllCases()) run.emplace_back(test.name);
    EXPECT_EQ(judged, run);
  }
}

TEST_F(ServiceTest, ABusyPortIsUnknownToACheckAndNeverReady) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<PortLock> held = PortLock::Take("rxe0/1", "somebody", locks_);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->report.findings.back().outcome, Outcome::kUnknown);
  EXPECT_THAT(answer->report.findings.back().observed, HasSubstr("somebody"));
  EXPECT_NE(answer->report.verdict, Readiness::kReady);
}

TEST_F(ServiceTest, AVerdictStandsAlthoughTheStoreIsFull) {
  ServedAgent agent(BothEnds(), locks_);
  agent.store.status = absl::ResourceExhaustedError("store: disk full");
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->store_error, "store: disk full");
}

TEST_F(ServiceTest, AProfileNameIsNeverAPath) {
  ServedAgent agent(BothEnds(), locks_);
  for (const char* name : {"/etc/passwd", "../x.yaml", "no-such"}) {
    const absl::Status status = agent.Client("a")->Check({.profile_name = name}, {}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  }
}

TEST_F(ServiceTest, ALoopbackTestNamesWhatDoesNotExist) {
  ServedAgent agent(BothEnds(), locks_);
  const auto client = agent.Client("a");
  EXPECT_EQ(client->TestLoopback({}, {"no-such-case"}, "", "", {}, {}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(client->TestLoopback({"mlx5_0", 1, ""}, {}, "", "", {}, {}).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(client->TestLoopback({"rxe0", 1, "10.9.9.9"}, {}, "", "", {}, {}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ServiceTest, RefusesNamesThatFillLocksAndCasesThatHoldAPortForDays) {
  ServedAgent agent(BothEnds(), locks_);
  const auto client = agent.Client("a");
  const std::string endless(5000, 'x');
  EXPECT_EQ(client->TestLoopback({}, {"send-1k"}, endless, "", {}, {}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->Check({.run_id = endless}, {}, {}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client->TestLoopback({}, {"send-1k", "send-1k"}, "", "", {}, {}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(agent.store.transfers.empty());
}

TEST_F(ServiceTest, PortsThatCannotBeReadAreNotNoPorts) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.Answer(wire::DevicesRequest(), ErrnoStatus(EIO, "list"));
  EXPECT_EQ(agent.Client("a")->TestLoopback({}, {}, "", "", {}, {}).code(), absl::StatusCode::kInternal);
}

TEST_F(ServiceTest, ASecondTestIsToldWhoHoldsThePort) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<PortLock> held = PortLock::Take("rxe0/1", "root@storage1", locks_);
  const absl::Status status = agent.Client("a")->TestLoopback({}, {"send-1k"}, "me", "", {}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("root@storage1"));
}

TEST_F(ServiceTest, TwoAgentsMoveBytesThroughTheRelayAndBothKeepTheResult) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), Send1k());
  EXPECT_TRUE(answer.from_status.ok()) << answer.from_status;
  EXPECT_TRUE(answer.to_status.ok()) << answer.to_status;
  EXPECT_EQ(answer.result.failure.kind, FailureKind::kNone) << answer.result.failure.detail;
  EXPECT_GT(answer.result.messages, 0u);
  EXPECT_EQ(answer.result.bytes_wrong, 0u);
  ASSERT_THAT(a.store.transfers, SizeIs(1));
  ASSERT_THAT(b.store.transfers, SizeIs(1));
  EXPECT_EQ(a.store.transfers.front().result, b.store.transfers.front().result);
  EXPECT_EQ(a.store.transfers.front().role, "initiator");
  EXPECT_EQ(b.store.transfers.front().role, "responder");
  EXPECT_EQ(b.store.transfers.front().peer, "a");
  EXPECT_EQ(b.store.transfers.front().run_id, "run-7");
}

TEST_F(ServiceTest, ABusyPeerIsNamedAndTheOtherEndDoesNotWaitForIt) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_);
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  const absl::StatusOr<PortLock> held = PortLock::Take("rxe0/1", "somebody", locks_ + "/b");
  const auto started = std::chrono::steady_clock::now();
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), Send1k());
  EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(answer.to_status.message()), HasSubstr("somebody"));
  EXPECT_NE(answer.result.failure.kind, FailureKind::kNone);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(4));
}

TEST_F(ServiceTest, AnAgentThatDiesInMidTransferIsTheCauseAndTheOtherEndEndsSoon) {
  ServedAgent a(OneEnd(Role::kInitiator), locks_);
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b(OneEnd(Role::kResponder), locks_ + "/b");
  std::jthread killer([&] {
    while (between_.Posted(Role::kInitiator, Work::kSend) < 10) std::this_thread::yield();
    b.Kill();
  });
  const auto started = std::chrono::steady_clock::now();
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), Send1k());
  EXPECT_FALSE(answer.to_status.ok());
  EXPECT_NE(answer.result.failure.kind, FailureKind::kNone);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(10));
}

TEST_F(ServiceTest, APeerTestOfNoPortIsRefused) {
  ServedAgent responder(OneEnd(Role::kResponder), locks_);
  ServedAgent initiator(OneEnd(Role::kInitiator), locks_);
  PeerTest nameless = Send1k();
  nameless.to_port = {};
  const PeerAnswer answer = RunPeerTest(*initiator.Client("a"), *responder.Client("b"), nameless);
  EXPECT_EQ(answer.to_status.code(), absl::StatusCode::kNotFound) << answer.to_status;
}

TEST_F(ServiceTest, APeerStreamThatDoesNotBeginWithAStartOfARoleIsRefused) {
  ServedAgent agent(OneEnd(Role::kResponder), locks_);
  const auto stub = agent.Stub();
  v1::PeerTestRequest message;
  message.mutable_peer()->set_case_name("send-1k");
  v1::PeerTestRequest no_role;
  no_role.mutable_start()->set_case_name("send-1k");
  for (const v1::PeerTestRequest& first : {message, no_role}) {
    grpc::ClientContext context;
    const auto stream = stub->TestPeer(&context);
    stream->Write(first);
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  }
}

TEST_F(ServiceTest, WhatBefellTheMemoryIsSaidInTheNextReportOnce) {
  ServedAgent agent(BothEnds(), locks_);
  agent.store.notice = "damaged, set aside";
  EXPECT_EQ(agent.Client("a")->Check({}, {}, {})->store_notice, "damaged, set aside");
  EXPECT_EQ(agent.Client("a")->Check({}, {}, {})->store_notice, "");
}

TEST_F(ServiceTest, RemembersWhatItStored) {
  ServedAgent agent(BothEnds(), locks_);
  const auto client = agent.Client("a");
  const absl::StatusOr<CheckAnswer> check = client->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(check.ok());
  agent.store.events.push_back({.unix_ns = 7, .text = "set aside"});
  const absl::StatusOr<History> history = client->ListHistory({.with_texts = true});
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_THAT(history->runs, SizeIs(1));
  EXPECT_EQ(history->runs[0].run_id, check->run_id);
  EXPECT_EQ(history->runs[0].report, check->report);
  EXPECT_EQ(history->runs[0].level, Rung::kLoopback);
  EXPECT_EQ(history->runs[0].profile_name, "virtual-fabric");
  ASSERT_EQ(history->transfers.size(), agent.store.transfers.size());
  EXPECT_EQ(history->transfers[0].result, agent.store.transfers[0].result);
  EXPECT_EQ(history->transfers[0].role, "loopback");
  ASSERT_THAT(history->events, SizeIs(1));
  EXPECT_EQ(history->events[0].text, "set aside");
}

TEST_F(ServiceTest, AListOfRunsLeavesTheLongTextsOut) {
  ServedAgent agent(BothEnds(), locks_);
  ASSERT_TRUE(agent.Client("a")->Check({}, {}, {}).ok());
  const absl::StatusOr<History> history = agent.Client("a")->ListHistory({});
  ASSERT_TRUE(history.ok());
  const std::vector<Finding>& brief = history->runs.at(0).report.findings;
  const std::vector<Finding>& full = agent.store.runs.at(0).report.findings;
  ASSERT_EQ(brief.size(), full.size());
  for (std::size_t i = 0; i < brief.size(); ++i) {
    EXPECT_EQ(brief[i].id, full[i].id);
    EXPECT_EQ(brief[i].subject, full[i].subject);
    EXPECT_EQ(brief[i].outcome, full[i].outcome);
    EXPECT_EQ(brief[i].observed, full[i].observed);
    EXPECT_EQ(brief[i].why + brief[i].fix + brief[i].title + brief[i].expected, "");
  }
}

TEST_F(ServiceTest, AsksTheStoreForWhatTheCallerAskedForWithinBounds) {
  ServedAgent agent(BothEnds(), locks_);
  ASSERT_TRUE(agent.Client("a")
                  ->ListHistory({.limit = 5, .since_unix_ns = 3, .before_unix_ns = 9, .run_id = "r"})
                  .ok());
  EXPECT_EQ(agent.store.asked.limit, 5);
  EXPECT_EQ(agent.store.asked.since_unix_ns, 3);
  EXPECT_EQ(agent.store.asked.before_unix_ns, 9);
  EXPECT_EQ(agent.store.asked.run_id, "r");
  ASSERT_TRUE(agent.Client("a")->ListHistory({.limit = 1'000'000'000}).ok());
  EXPECT_EQ(agent.store.asked.limit, kMaxHistory);
  EXPECT_TRUE(
      absl::IsInvalidArgument(agent.Client("a")->ListHistory({.run_id = std::string(1000, 'x')}).status()));
}

TEST_F(ServiceTest, AStoreThatIsBusyIsNotAnAgentThatIsGone) {
  ServedAgent agent(BothEnds(), locks_);
  agent.store.status = absl::UnavailableError("open store /s: in use by another process");
  const absl::Status status = agent.Client("a")->ListHistory({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("host a: open store /s: in use"));
}

TEST_F(ServiceTest, APeerTestWhoseOtherEndNeverSpeaksHoldsThePortNotForEver) {
  ServedAgent agent(OneEnd(Role::kResponder), locks_, {.peer_test = std::chrono::milliseconds(300)});
  const auto stub = agent.Stub();
  grpc::ClientContext context;
  const auto stream = stub->TestPeer(&context);
  v1::PeerTestRequest request;
  request.mutable_start()->set_role(v1::PeerTestRequest::Start::ROLE_RESPONDER);
  request.mutable_start()->set_case_name("send-1k");
  request.mutable_start()->mutable_port()->set_device("rxe0");
  request.mutable_start()->mutable_port()->set_number(1);
  const auto started = std::chrono::steady_clock::now();
  stream->Write(request);
  for (v1::TransferEvent event; stream->Read(&event);) {
  }
  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
  agent.Kill();
  EXPECT_TRUE(PortLock::Take("rxe0/1", "the next one", locks_).ok());
}

TEST_F(ServiceTest, TheLogHearsOfEveryCheckAndEveryTest) {
  ServedAgent agent(BothEnds(), locks_);
  ASSERT_TRUE(agent.Client("a")->Check({.caller = "me", .run_id = "run-1"}, {}, {}).ok());
  EXPECT_EQ(agent.Told("check", "run_id"), "run-1");
  EXPECT_EQ(agent.Told("check", "caller"), "me");
  EXPECT_EQ(agent.Told("check", "origin"), "unknown");
  EXPECT_EQ(agent.Told("check", "outcome"), "not-ready");
  EXPECT_EQ(agent.Told("check", "duration_ms"), "a number");
  agent.store.status = absl::ResourceExhaustedError("store: disk full");
  ASSERT_TRUE(agent.Client("a")->TestLoopback({}, {"send-1k"}, "me", "run-2", {}, {}).ok());
  EXPECT_EQ(agent.Told("test", "run_id"), "run-2");
  EXPECT_EQ(agent.Told("test", "role"), "loopback");
  EXPECT_EQ(agent.Told("test", "port"), "rxe0/1");
  EXPECT_EQ(agent.Told("test", "case"), "send-1k");
  EXPECT_EQ(agent.Told("test", "outcome"), "ok");
  EXPECT_EQ(agent.Told("test", "store_error"), "store: disk full");
  EXPECT_THAT(agent.kept, testing::ElementsAre(true, false));
}

TEST_F(ServiceTest, TheAgentsOwnCheckIsKeptAndChangesNothing) {
  ServedAgent agent(BothEnds(), locks_);
  CheckByItself(agent.agent(), {}, {});
  ASSERT_THAT(agent.store.runs, SizeIs(1));
  EXPECT_EQ(agent.store.runs.front().level, Rung::kHost);
  EXPECT_EQ(agent.store.runs.front().profile_name, "virtual-fabric");
  EXPECT_TRUE(agent.store.transfers.empty());
}

TEST_F(ServiceTest, TheAgentsOwnCheckWaitsWhileALiveTestRuns) {
  Agent* checked = nullptr;
  std::vector<std::string> said;
  const LinkMaker ends = BothEnds();
  ServedAgent agent(
      [&] {
        // Called in the middle of the test.
        CheckByItself(*checked, [&](const Event& event) { said.emplace_back(event.name); }, {});
        return ends();
      },
      locks_);
  checked = &agent.agent();
  ASSERT_TRUE(agent.Client("a")->TestLoopback({}, {"send-1k"}, "", "", {}, {}).ok());
  EXPECT_THAT(said, testing::Each("check-skipped"));
  EXPECT_FALSE(said.empty());
  EXPECT_TRUE(agent.store.runs.empty());
  CheckByItself(*checked, {}, {});
  EXPECT_THAT(agent.store.runs, SizeIs(1)) << "and is made when it is over";
}

}  // namespace
}  // namespace rdmaready
