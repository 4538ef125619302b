// SPDX-License-Identifier: Apache-2.0
// What an agent answers over gRPC: facts, checks, what it keeps, what it refuses.
#include "agent/server/service.h"

#include <map>
#include <thread>

#include "agent/own_check.h"
#include "agent/port/port_lock.h"
#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "api/model/cases.h"
#include "collectors/collect.h"
#include "collectors/recording/recorded_host.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(ServiceTest, TellsItsVersion) {
  ServedAgent agent(BothEnds(), locks_);
  EXPECT_EQ(agent.Client("a")->GetVersion()->version, "9.9.9");
  EXPECT_EQ(agent.Client("a")->GetVersion()->instance_id, "cafe");
}

TEST_F(ServiceTest, SendsTheFactsAsTheyWereCollected) {
  ServedAgent agent(BothEnds(), locks_);
  FakeHost same = GoodFakeHost();
  Facts expected = CollectFacts(same);
  expected.apply_state = Missing{Missing::Kind::kUnsupported, "no applier is asked by this process"};
  EXPECT_EQ(*agent.Client("a")->GetFacts(), expected);
}

TEST_F(ServiceTest, SendsARecordingThatGivesTheSameFactsAgain) {
  ServedAgent agent(BothEnds(), locks_);
  FakeHost same = GoodFakeHost();
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

TEST_F(ServiceTest, ARecordingHasWhatLldpWasHeardWhenAskedTo) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.lldp["dcb0"] = LldpFrames{.listened_ms = 2000};
  const auto heard = [&](std::chrono::seconds lldp) {
    absl::StatusOr<RecordingFiles> files = agent.Client("a")->GetRecording(lldp);
    return files.ok() ? static_cast<int>(files->count("lldp.jsonl")) : -1;
  };
  EXPECT_EQ(heard(std::chrono::seconds(0)), 0);
  EXPECT_FALSE(agent.host.Asked("listen for LLDP"));
  EXPECT_EQ(heard(std::chrono::seconds(2)), 1);
  EXPECT_TRUE(agent.host.Asked("listen for LLDP on dcb0"));
  EXPECT_EQ(heard(std::chrono::seconds(301)), -1);
}

TEST_F(ServiceTest, ARecordingWithoutALinkWaitsForNobody) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.dcb_notices = DcbNotices{.listened_ms = 2000};
  const auto notices_heard = [&agent] {
    const absl::StatusOr<RecordingFiles> files = agent.Client("a")->GetRecording(std::chrono::seconds(2));
    return files.ok() ? static_cast<int>(files->count("dcb_notices.jsonl")) : -1;
  };
  EXPECT_EQ(notices_heard(), 1);
  using wire::operator+;
  const auto without_carrier =
      wire::LinkHeader(7, true, false) + wire::Text(IFLA_IFNAME, "dcb0") + wire::U32(IFLA_MTU, 9000);
  agent.host.Answer(wire::LinksRequest(), wire::One(without_carrier));
  agent.host.Answer(wire::LinkRequest(7), wire::One(without_carrier));
  EXPECT_EQ(notices_heard(), 0);
}

TEST_F(ServiceTest, ACheckWatchesThePortsFirstWhenAskedTo) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.lldp["dcb0"] = LldpFrames{.listened_ms = 1000};
  agent.Count("retry_exceeded_err", 3);
  std::vector<std::string> told;
  const auto check = [&](std::chrono::seconds watch) {
    return agent.Client("a")->Check({.watch = watch, .with_facts = true},
                                    [&](const std::string& what) { told.push_back(what); }, {});
  };
  const absl::StatusOr<CheckAnswer> unwatched = check(std::chrono::seconds(0));
  ASSERT_TRUE(unwatched.ok()) << unwatched.status();
  EXPECT_EQ(unwatched->facts->ports->front().earlier.missing().kind, Missing::Kind::kNotCollected);
  EXPECT_FALSE(agent.host.Asked("listen for LLDP"));
  const absl::StatusOr<CheckAnswer> watched = check(std::chrono::seconds(1));
  ASSERT_TRUE(watched.ok()) << watched.status();
  const Port& port = watched->facts->ports->front();
  ASSERT_TRUE(port.earlier);
  EXPECT_GE(port.earlier->before_ms, 1000);
  EXPECT_EQ(port.earlier->hw_counters, port.hw_counters);
  EXPECT_EQ(port.netdev->lldp->listened_ms, 1000);
  EXPECT_THAT(told, Contains("watching the ports for 1 s"));
  EXPECT_EQ(check(std::chrono::seconds(301)).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ServiceTest, AWatchEndsWithItsCaller) {
  const auto begin = std::chrono::steady_clock::now();
  {
    ServedAgent agent(BothEnds(), locks_);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(300));
    v1::CheckRequest request;
    request.set_level(v1::RUNG_HOST);
    request.set_watch_seconds(60);
    const auto reader = v1::Agent::NewStub(agent.Channel())->Check(&context, request);
    for (v1::CheckEvent event; reader->Read(&event);) EXPECT_FALSE(event.has_done());
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }  // waits for the call's thread
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(ServiceTest, ACheckStreamsTheFindingsThatTheReportHolds) {
  ServedAgent agent(BothEnds(), locks_);
  std::vector<Finding> streamed;
  const absl::StatusOr<CheckAnswer> answer =
      agent.Client("a")->Check({}, {}, [&](const Finding& finding) { streamed.push_back(finding); });
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(streamed.empty());
  EXPECT_EQ(streamed, answer->report.findings);
  ASSERT_EQ(answer->profiles.size(), 1U);
  EXPECT_EQ(answer->profiles[0].name, "virtual-fabric");
  EXPECT_EQ(answer->report.agent_version, "9.9.9");
  ASSERT_THAT(agent.store.runs, SizeIs(1));
  EXPECT_EQ(agent.store.runs.front().run_id, answer->run_id);
  EXPECT_EQ(agent.store.runs.front().report, answer->report);
}

TEST_F(ServiceTest, ACheckSendsEachFindingOnceAndFactsOnlyWhenAsked) {
  ServedAgent agent(BothEnds(), locks_);
  for (const bool with_facts : {false, true}) {
    grpc::ClientContext context;
    v1::CheckRequest request;
    request.set_level(v1::RUNG_HOST);
    request.set_with_facts(with_facts);
    const auto reader = v1::Agent::NewStub(agent.Channel())->Check(&context, request);
    std::map<std::string, int> sent;  // by id and subject
    std::size_t bytes = 0;
    v1::CheckDone done;
    for (v1::CheckEvent event; reader->Read(&event);) {
      bytes += event.ByteSizeLong();
      if (event.has_finding()) ++sent[event.finding().id() + " " + event.finding().subject()];
      if (event.has_done()) done = event.done();
    }
    ASSERT_TRUE(reader->Finish().ok());
    EXPECT_GT(sent.size(), 100u);
    EXPECT_EQ(done.findings(), sent.size());
    EXPECT_THAT(sent, testing::Each(testing::Pair(testing::_, 1)));
    EXPECT_EQ(done.report().findings_size(), 0);
    EXPECT_EQ(done.report().ladder_size(), 1);
    EXPECT_EQ(done.has_facts(), with_facts);
    EXPECT_TRUE(done.software_devices_only());
    // What it was when the report held the findings again and the facts were always there.
    v1::CheckEvent whole;
    *whole.mutable_done() = done;
    *whole.mutable_done()->mutable_report() = ToProto(agent.store.runs.back().report);
    FakeHost same = GoodFakeHost();
    *whole.mutable_done()->mutable_facts() = ToProto(CollectFacts(same));
    v1::CheckEvent now;
    *now.mutable_done() = done;
    const std::size_t before = bytes - now.ByteSizeLong() + whole.ByteSizeLong();
    RecordProperty(with_facts ? "bytes_with_facts" : "bytes", static_cast<int>(bytes));
    RecordProperty("bytes_sent_twice_with_facts", static_cast<int>(before));
    EXPECT_LT((with_facts ? 1 : 2) * bytes, before);
  }
}

TEST_F(ServiceTest, ACheckOfALevelThatNeedsMoreThanTheHostIsRefused) {
  ServedAgent agent(BothEnds(), locks_);
  for (const int level : {0, 3, 4, 5, 6, 77}) {
    grpc::ClientContext context;
    v1::CheckRequest request;
    request.set_level(static_cast<v1::Rung>(level));
    const auto reader = v1::Agent::NewStub(agent.Channel())->Check(&context, request);
    v1::CheckEvent event;
    EXPECT_FALSE(reader->Read(&event)) << level;
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT) << level;
  }
  EXPECT_THAT(agent.store.transfers, SizeIs(0));
}

TEST_F(ServiceTest, ACheckOfLevelLoopbackRunsEveryCase) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::size_t live = 0;
  for (const Finding& finding : answer->report.findings) {
    if (finding.rung != Rung::kLoopback || finding.id == "cmp.own-past") continue;
    ++live;
    EXPECT_EQ(finding.outcome, Outcome::kPass) << finding.id << ": " << finding.observed;
    EXPECT_GT(finding.duration_ns, 0);
  }
  EXPECT_EQ(live, CheckedCasesOn(Rung::kLoopback).size());
  EXPECT_THAT(agent.store.transfers, SizeIs(CheckedCasesOn(Rung::kLoopback).size()));
  ASSERT_THAT(answer->report.ladder, SizeIs(2));
  EXPECT_EQ(answer->report.ladder.back().outcome, RungOutcome::kPass);
}

TEST_F(ServiceTest, ABusyPortIsUnknownToACheckAndNeverReady) {
  ServedAgent agent(BothEnds(), locks_);
  const absl::StatusOr<PortLock> held = PortLock::Take(OnlyPort(), "somebody", locks_);
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

TEST_F(ServiceTest, RefusesRunIdsThatCannotBePrinted) {
  ServedAgent agent(BothEnds(), locks_);
  const auto client = agent.Client("a");
  for (const char* run_id : {"run\n1", "\x1b[31mred", "run\x7f", "\xe2\x80\xaeright to left"}) {
    EXPECT_EQ(client->Check({.run_id = run_id}, {}, {}).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(client->TestLoopback({}, {"send-1k"}, "", run_id, {}, {}).code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(client->Probe({.protocol = Protocol::kSmb, .target = "x", .run_id = run_id}, {}).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(client->ListHistory({.run_id = run_id}).status().code(), absl::StatusCode::kInvalidArgument);
    PeerTest test = Send1k();
    test.run_id = run_id;
    EXPECT_EQ(RunPeerTest(*client, *client, test).from_status.code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(agent.store.runs.empty());
  EXPECT_TRUE(agent.store.transfers.empty());
}

TEST_F(ServiceTest, PortsThatCannotBeReadAreNotNoPorts) {
  ServedAgent agent(BothEnds(), locks_);
  agent.host.Answer(wire::DevicesRequest(), ErrnoStatus(EIO, "list"));
  EXPECT_EQ(agent.Client("a")->TestLoopback({}, {}, "", "", {}, {}).code(), absl::StatusCode::kInternal);
}

TEST_F(ServiceTest, WhatBefellTheMemoryIsSaidInTheNextReportOnce) {
  ServedAgent agent(BothEnds(), locks_);
  agent.store.notice = "damaged, set aside";
  CheckByItself(agent.agent(), {}, {});  // nobody reads that one
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
  EXPECT_EQ(NamesOf(history->runs[0].report.profiles), "virtual-fabric");
  ASSERT_EQ(history->transfers.size(), agent.store.transfers.size());
  EXPECT_EQ(history->transfers[0].result, agent.store.transfers.back().result);
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
  for (int i = 0; i < kMaxHistory + 500; ++i) agent.store.transfers.push_back({.started_unix_ns = i});
  const absl::StatusOr<History> history = agent.Client("a")->ListHistory({.limit = 1'000'000'000});
  ASSERT_TRUE(history.ok());
  EXPECT_THAT(history->transfers, SizeIs(kMaxHistory));
  EXPECT_TRUE(
      absl::IsInvalidArgument(agent.Client("a")->ListHistory({.run_id = std::string(1000, 'x')}).status()));
}

TEST_F(ServiceTest, AHistoryLeavesAPageAtATimeAndNothingOfItIsMissingOrThereTwice) {
  ServedAgent agent(BothEnds(), locks_);
  // Several begin at one instant, also across the end of a page.
  for (int i = 0; i < 100; ++i)
    agent.store.transfers.push_back({.run_id = std::to_string(i), .started_unix_ns = 1 + i / 7});
  const absl::StatusOr<History> history =
      agent.Client("a")->ListHistory({.kind = HistoryQuery::Kind::kTransfers});
  ASSERT_TRUE(history.ok()) << history.status();
  ASSERT_THAT(history->transfers, SizeIs(100));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(history->transfers[static_cast<std::size_t>(i)].run_id, std::to_string(99 - i));
  EXPECT_GT(agent.store.pages.size(), 5U);
  for (const int page : agent.store.pages) EXPECT_LE(page, 16 + 7);
}

TEST_F(ServiceTest, AStoreThatIsBusyIsNotAnAgentThatIsGone) {
  ServedAgent agent(BothEnds(), locks_);
  agent.store.status = absl::UnavailableError("open store /s: in use by another process");
  const absl::Status status = agent.Client("a")->ListHistory({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("host a: open store /s: in use"));
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
  EXPECT_EQ(NamesOf(agent.store.runs.front().report.profiles), "virtual-fabric");
  EXPECT_TRUE(agent.store.transfers.empty());
}

TEST_F(ServiceTest, TheAgentsOwnCheckTellsWhatWasCountedSinceTheOneBefore) {
  ServedAgent agent(BothEnds(), locks_);
  const auto told = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // longer than the driver keeps a reading
    CheckByItself(agent.agent(), {}, {});
    std::string text;
    for (const Finding& finding : agent.store.runs.back().report.findings) {
      if (finding.observed.find("rcvd_seq_err +") != std::string::npos) {
        text += finding.id + (finding.outcome == Outcome::kPass ? " passes: " : " says: ") + finding.observed;
      }
    }
    return text;
  };
  agent.Count("rcvd_seq_err", 5);
  EXPECT_EQ(told(), "");  // since when, nobody knows
  EXPECT_EQ(told(), "");
  agent.Count("rcvd_seq_err", 9);  // it came and went between two checks
  EXPECT_THAT(told(), HasSubstr("says: rcvd_seq_err +4 in 0 s"));
  EXPECT_EQ(told(), "");
  // Who asks is not told what was, before he mended it.
  agent.Count("rcvd_seq_err", 19);
  const absl::StatusOr<CheckAnswer> asked = agent.Client("a")->Check({}, {}, {});
  ASSERT_TRUE(asked.ok());
  for (const Finding& finding : asked->report.findings) {
    EXPECT_EQ(finding.observed.find("rcvd_seq_err +"), std::string::npos) << finding.observed;
  }
  EXPECT_THAT(told(), HasSubstr("rcvd_seq_err +10"));  // which takes nothing from the schedule
}

TEST_F(ServiceTest, TheAgentsOwnCheckWaitsWhileALiveTestRuns) {
  Agent* checked = nullptr;
  std::vector<std::string> said;
  const LinkMaker ends = BothEnds();
  ServedAgent agent(
      [&](Role role, std::uint32_t number) {
        // Called in the middle of the test.
        if (role == Role::kInitiator) {
          CheckByItself(*checked, [&](const Event& event) { said.emplace_back(event.name); }, {});
        }
        return ends(role, number);
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
