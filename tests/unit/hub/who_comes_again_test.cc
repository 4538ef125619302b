// SPDX-License-Identifier: Apache-2.0
// An agent that comes again, and a host that is as it was: what it says of itself is what the hub shows and
// keeps, and no facts travel for that.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/client/fleet_client.h"
#include "api/convert/digest.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "rdmaready/v1/ingest.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

using testing::SizeIs;

constexpr char kIdOfAgain[] = "00000000-0000-4000-8000-000000000001";

struct WordsOfAgain {
  std::string run_id = "run-1";
  std::string version = "0.1.0";
  std::string boot_id = "boot-1";
  std::string hostname = "node1";
  std::string machine_id = "machine-1";
};

// A stream, said word for word.
class SpokenStream {
 public:
  SpokenStream(const std::string& hub, const WordsOfAgain& words)
      : stub_(v1::Ingest::NewStub(grpc::CreateChannel(hub, grpc::InsecureChannelCredentials()))),
        stream_(stub_->Attach(&context_)) {
    v1::FromAgent message;
    v1::AgentHello& hello = *message.mutable_hello();
    hello.set_host_id(kIdOfAgain);
    hello.set_run_id(words.run_id);
    hello.set_agent_version(words.version);
    hello.set_boot_id(words.boot_id);
    hello.set_hostname(words.hostname);
    hello.set_machine_id(words.machine_id);
    EXPECT_TRUE(stream_->Write(message));
    EXPECT_TRUE(stream_->Read(&answer_) && answer_.has_welcome());
  }
  ~SpokenStream() { context_.TryCancel(); }

  v1::ReportAck::Result Report(const report::HostState& state, bool with_facts) {
    v1::FromAgent message;
    v1::StateReport& report = *message.mutable_report();
    report.set_sequence(++sequence_);
    report.set_digest(state.digest);
    report.set_sent_unix_ns(UnixNs(RealClock()));
    if (with_facts) {
      report.set_facts_zlib(state.facts_zlib);
      report.set_facts_bytes(state.facts_bytes);
    }
    EXPECT_TRUE(stream_->Write(message));
    EXPECT_TRUE(stream_->Read(&answer_));
    return answer_.ack().result();
  }

 private:
  std::unique_ptr<v1::Ingest::Stub> stub_;
  grpc::ClientContext context_{};
  std::unique_ptr<grpc::ClientReaderWriter<v1::FromAgent, v1::FromHub>> stream_;
  v1::FromHub answer_{};
  std::uint64_t sequence_ = 0;
};

class AgentAgainTest : public testing::Test {
 protected:
  AgentAgainTest() {
    std::filesystem::create_directories(root_);
    clock_.SetWall(RealClock().Wall());  // of the agent
    Start();
    SpokenStream first(address(), {});
    EXPECT_EQ(first.Report(*state_, true), v1::ReportAck::RESULT_KEPT);
  }
  ~AgentAgainTest() override {
    hub_.reset();
    std::filesystem::remove_all(root_);
  }

  void Start() {
    hub_.reset();
    auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                           .rules = {.profiles = {"smb-direct-roce"}},
                           .metrics_listen = "none",
                           .store = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"}),
                           .keeper = {.gather = {}},
                           .clock = &clock_});
    ASSERT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
  }
  std::string address() const { return hub_->addresses().front(); }
  void ComesAgain(const WordsOfAgain& words) {
    clock_.Advance(std::chrono::seconds(1));  // as no two reports come at once
    SpokenStream again(address(), words);
    EXPECT_EQ(again.Report(*state_, false), v1::ReportAck::RESULT_KEPT) << "the hub has its facts";
  }
  FleetHost Shown() {
    const auto hosts = (*FleetClient::Connect(address(), {}))->Hosts({});
    EXPECT_TRUE(hosts.ok()) << hosts.status();
    EXPECT_THAT(*hosts, SizeIs(1));
    return hosts->front();
  }
  std::vector<std::string> NotesOf() {
    std::vector<std::string> notes;
    const auto changes = (*FleetClient::Connect(address(), {}))->Changes({}, 0, 1000);
    EXPECT_TRUE(changes.ok()) << changes.status();
    for (const FleetChange& change : *changes) {
      if (change.check.empty()) notes.push_back(change.observed);
    }
    return notes;
  }

  // Notes are written each second of the hub's.
  bool AreNoted(std::size_t count) {
    return Eventually([&] {
      clock_.Advance(std::chrono::seconds(1));
      return NotesOf().size() >= count;
    });
  }

  const std::string root_ = testing::TempDir() + "agent again " + std::to_string(::getpid());
  const std::shared_ptr<const report::HostState> state_ =
      *report::PackState(GoodHost(), *Sha256(DigestedText(GoodHost())), UnixNs(RealClock()));
  FakeClock clock_;
  std::unique_ptr<Hub> hub_;
};

TEST_F(AgentAgainTest, IsShownAsItSaysAtOnceAndAfterARestartOfTheHub) {
  ComesAgain({.run_id = "run-2", .version = "0.2.0", .boot_id = "boot-2"});
  EXPECT_EQ(Shown().agent_version, "0.2.0");
  EXPECT_EQ(Shown().boot_id, "boot-2");
  EXPECT_EQ(hub_->keeper().commits, 1u) << "what it says is written with when it was heard";
  Start();
  EXPECT_EQ(Shown().agent_version, "0.2.0");
  EXPECT_EQ(Shown().boot_id, "boot-2");
}

// The store has a report of a time that is now in the future.
TEST_F(AgentAgainTest, IsKeptAsItSaysAlsoWhileTheDateOfTheHubIsSetBack) {
  clock_.SetWall(clock_.Wall() - std::chrono::hours(1));
  ComesAgain({.run_id = "run-2", .version = "0.2.0", .boot_id = "boot-2"});
  EXPECT_EQ(Shown().agent_version, "0.2.0");
  EXPECT_EQ(hub_->keeper().commits, 1u);
  Start();
  const FleetHost shown = Shown();
  EXPECT_EQ(shown.agent_version, "0.2.0");
  EXPECT_EQ(shown.boot_id, "boot-2");
  clock_.Advance(std::chrono::minutes(10));
  Start();
  EXPECT_EQ(Shown().seen_unix_ns, shown.seen_unix_ns) << "when it was heard is kept too";
}

TEST_F(AgentAgainTest, WhatIsJudgedAgainBringsNoEarlierRunBack) {
  ComesAgain({.run_id = "run-2", .version = "0.2.0", .boot_id = "boot-2"});
  const auto reloaded = hub_->Reload({.profiles = {"nvme-roce"}}, "", std::nullopt);
  ASSERT_TRUE(reloaded.ok()) << reloaded;
  ASSERT_TRUE(Eventually([this] { return hub_->keeper().judged >= 2; }));
  ASSERT_EQ(hub_->keeper().judged, 2u);
  EXPECT_EQ(Shown().agent_version, "0.2.0");
  Start();
  EXPECT_EQ(Shown().agent_version, "0.2.0");
  EXPECT_EQ(Shown().boot_id, "boot-2");
}

TEST_F(AgentAgainTest, HasTheNameThatItSays) {
  ComesAgain({.run_id = "run-2", .hostname = "node2"});
  EXPECT_EQ(Shown().name, "node2");
  EXPECT_EQ(hub_->keeper().commits, 2u) << "by its name a host is judged";
  ComesAgain({.run_id = "run-3", .hostname = "node2"});
  EXPECT_EQ(hub_->keeper().commits, 2u);
  Start();
  EXPECT_EQ(Shown().name, "node2");
}

TEST_F(AgentAgainTest, AnotherMachineIsNotedOnce) {
  const WordsOfAgain moved{.run_id = "run-2", .machine_id = "machine-2"};
  ComesAgain(moved);
  ASSERT_TRUE(AreNoted(2));
  ASSERT_THAT(NotesOf(), SizeIs(2)) << "that it joined, and this";
  Start();
  ComesAgain(moved);
  // Notes are written in their order: what the hub wrote of the machine that it knows came before this one.
  ComesAgain({.run_id = "run-3", .machine_id = "machine-3"});
  ASSERT_TRUE(AreNoted(3));
  EXPECT_THAT(NotesOf(), SizeIs(3));
}

}  // namespace
}  // namespace rdmaready::hub
