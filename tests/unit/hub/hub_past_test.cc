// SPDX-License-Identifier: Apache-2.0
// A whole hub in this process, and what its hosts tell of their live tests: it travels once, is judged, and is
// found again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "agent/report/pack_past.h"
#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/client/fleet_client.h"
#include "api/client/report_channel.h"
#include "api/convert/digest.h"
#include "checks/words/words.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "rdmaready/v1/ingest.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/hub/ticking.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kPastDayNs = 86'400'000'000'000;

// The good host, had it an adapter, with PFC on these priorities.
Facts AdapterHost(std::uint8_t pfc = 1U << 3) {
  Facts facts = WithPfc(pfc);
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) port.software = false;
  facts.ports = ports;
  return facts;
}

// Tests of its port: `megabytes` is what the last one showed, of 97 before.
std::vector<CaseBaseline> PastOfAdapter(std::uint64_t megabytes) {
  const std::int64_t now = UnixNs(RealClock());
  return {{.port = PortName(AdapterHost().ports->front()),
           .case_name = "write-512k",
           .role = "loopback",
           .last_bytes_per_s = megabytes * 1'000'000,
           .last_unix_ns = now,
           .days = 30,
           .p10_bytes_per_s = 96'000'000,
           .p50_bytes_per_s = 97'000'000,
           .days_kept = 91,
           .first_unix_ns = now - 90 * kPastDayNs}};
}

// A host whose client is driven by a thread of its own.
class TestedHost {
 public:
  TestedHost(const std::string& hub, int number)
      : client_(std::make_shared<report::ReportClient>(
            report::ReportOptions{.host = {.host_id = fmt::format("00000000-0000-4000-8000-{:012}", number),
                                           .hostname = fmt::format("node{}", number),
                                           .machine_id = std::to_string(number),
                                           .boot_id = "b",
                                           .run_id = MakeRunId(),
                                           .agent_version = "0.1.0"},
                                  .channel = [hub] { return ReportChannel(hub, {}); },
                                  .events =
                                      [this](const Event& event) {
                                        if (event.name == "hub-refused") ++refused_;
                                      }})) {
    ticking_.emplace(client_);
  }
  ~TestedHost() {
    ticking_.reset();
    client_->StopAndWait(std::chrono::seconds(2));
  }
  void Report(const Facts& facts = AdapterHost()) {
    const auto state = *report::PackState(facts, *Sha256(DigestedText(facts)), UnixNs(RealClock()));
    client_->Offer(state);
    EXPECT_TRUE(Eventually([&] { return client_->kept_digest() == state->digest; })) << client_->trouble();
  }
  void Tell(std::vector<CaseBaseline> tests) {
    const auto past = *report::PackPast(std::move(tests));
    client_->OfferPast(past);
    EXPECT_TRUE(Eventually([&] { return client_->kept_past() == past->digest; })) << client_->trouble();
  }
  report::ReportClient& client() { return *client_; }
  int refused() const { return refused_; }

 private:
  std::atomic<int> refused_ = 0;
  std::shared_ptr<report::ReportClient> client_;
  std::optional<Ticking> ticking_;
};

class HubPastTest : public testing::Test {
 protected:
  HubPastTest() { std::filesystem::create_directories(root_); }
  ~HubPastTest() override {
    hub_.reset();
    std::filesystem::remove_all(root_);
  }
  // Reports are far apart: what comes does not come because a period is over.
  void Start(std::chrono::seconds period = std::chrono::seconds(600)) {
    hub_.reset();
    auto store = SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
    ASSERT_TRUE(store.ok()) << store.status();
    auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                           .name = "hub-one",
                           .period = period,
                           .rules = {.profiles = {"smb-direct-roce"}},
                           .metrics_listen = "none",
                           .store = *std::move(store)});
    ASSERT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
  }
  std::string address() const { return hub_->addresses().front(); }
  std::unique_ptr<FleetClient> Client() { return *FleetClient::Connect(address(), {}); }
  std::vector<FleetPastTest> Past(const FleetClient::PastWords& words = {}) {
    auto answer = Client()->Past({}, words, 1000);
    EXPECT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->of, answer->tests.size());
    return std::move(answer->tests);
  }
  std::vector<FleetFinding> OwnPast() {
    auto findings = Client()->Findings({.checks = {"cmp.own-past"}});
    EXPECT_TRUE(findings.ok()) << findings.status();
    std::erase_if(*findings, [](const FleetFinding& finding) { return finding.over_unix_ns != 0; });
    return *std::move(findings);
  }
  FleetHost HostOne() { return Client()->Hosts({.hosts = {"node1"}})->front(); }

  const std::string root_ = testing::TempDir() + "hub past " + std::to_string(::getpid());
  std::unique_ptr<Hub> hub_;
};

TEST_F(HubPastTest, ASlowTestIsFoundAtTheHubAndKeepsNobodyFromBeingReady) {
  Start();
  TestedHost host(address(), 1);
  host.Report();
  const FleetHost before = HostOne();
  host.Tell(PastOfAdapter(13));
  const std::vector<FleetFinding> found = OwnPast();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].outcome, Outcome::kWarn);
  EXPECT_FALSE(found[0].blocking);
  EXPECT_EQ(found[0].subject, SubjectOf(AdapterHost().ports->front()));
  EXPECT_EQ(found[0].observed, "write-512k 13.0 MB/s, 97.0 MB/s in the 30 days before");
  const FleetHost after = HostOne();
  EXPECT_EQ(after.condition, before.condition);
  EXPECT_EQ(after.warned, before.warned + 1);
  EXPECT_EQ(host.client().Counts().with_facts, 1u) << "a past travels alone";
  EXPECT_EQ(host.client().Counts().with_past, 1u);
  host.Tell(PastOfAdapter(96));
  EXPECT_THAT(OwnPast(), IsEmpty());
  EXPECT_EQ(HostOne().passed, before.passed + 1);
}

TEST_F(HubPastTest, OfAHostThatTellsNothingNothingIsFound) {
  Start();
  TestedHost host(address(), 1);
  host.Report();
  EXPECT_THAT(OwnPast(), IsEmpty());
  EXPECT_THAT(Past(), IsEmpty());
  const std::uint32_t passed = HostOne().passed;
  host.client().OfferPast(*report::PackPast({}));
  host.Report(AdapterHost(0));
  host.Report();
  EXPECT_EQ(host.client().Counts().with_past, 0u) << "that it remembers no test is not worth a word";
  EXPECT_EQ(HostOne().passed, passed);
}

TEST_F(HubPastTest, WhatIsForgottenIsUnknownAndNotWell) {
  Start();
  TestedHost host(address(), 1);
  host.Report();
  host.Tell(PastOfAdapter(13));
  host.Tell({});
  EXPECT_THAT(Past(), IsEmpty());
  ASSERT_THAT(OwnPast(), SizeIs(1));
  EXPECT_EQ(OwnPast()[0].outcome, Outcome::kUnknown);
  host.Report(AdapterHost(0));
  ASSERT_THAT(OwnPast(), SizeIs(1)) << "also when the host is judged again";
  EXPECT_EQ(OwnPast()[0].outcome, Outcome::kUnknown);
}

TEST_F(HubPastTest, TravelsOnceAlsoOverARestartOfEitherSide) {
  Start(std::chrono::seconds(1));
  const std::vector<CaseBaseline> past = PastOfAdapter(13);
  {
    TestedHost host(address(), 1);
    host.client().OfferPast(*report::PackPast(past));
    host.Report();
    EXPECT_TRUE(Eventually([&] { return host.client().Counts().kept >= 4; }));
    EXPECT_EQ(host.client().Counts().with_past, 1u);
    EXPECT_EQ(host.client().Counts().with_facts, 1u) << "it went with them";
  }
  Start();
  ASSERT_THAT(OwnPast(), SizeIs(1)) << "the hub started again";
  ASSERT_THAT(Past(), SizeIs(1));
  EXPECT_EQ(Past()[0].test, past[0]);
  TestedHost host(address(), 1);
  host.Tell(past);
  host.Report();
  EXPECT_EQ(host.client().Counts().with_past, 0u);
  host.Report(AdapterHost(0));
  ASSERT_THAT(OwnPast(), SizeIs(1)) << "a report without a past is judged by the one that is kept";
  EXPECT_EQ(OwnPast()[0].outcome, Outcome::kWarn);
}

TEST_F(HubPastTest, IsShownTheSlowerOnesFirst) {
  Start();
  std::vector<std::unique_ptr<TestedHost>> hosts;
  for (int i = 1; i <= 3; ++i) {
    hosts.push_back(std::make_unique<TestedHost>(address(), i));
    hosts.back()->Report();
    std::vector<CaseBaseline> past = PastOfAdapter(i == 1 ? 97 : 40U / static_cast<unsigned>(i));
    past.push_back(past.front());
    past.back().case_name = "send-1k";
    past.back().last_bytes_per_s = 97'000'000;
    hosts.back()->Tell(past);
  }
  std::vector<std::string> shown;
  for (const FleetPastTest& row : Past()) shown.push_back(row.host + " " + row.test.case_name);
  EXPECT_THAT(shown, ElementsAre("node3 write-512k", "node2 write-512k", "node1 send-1k", "node1 write-512k",
                                 "node2 send-1k", "node3 send-1k"));
  EXPECT_THAT(Past({.states = {PastState::kSlower}}), SizeIs(2));
  EXPECT_THAT(Past({.cases = {"send-*"}}), SizeIs(3));
  EXPECT_THAT(Past({.ports = {"nothing/1"}}), IsEmpty());
  const auto two = Client()->Past({.hosts = {"node[1-2]"}}, {}, 3);
  ASSERT_TRUE(two.ok());
  EXPECT_THAT(two->tests, SizeIs(3));
  EXPECT_EQ(two->of, 4u);
}

TEST_F(HubPastTest, APastThatIsNoneIsRefusedOnceAndTheRestIsKept) {
  Start();
  TestedHost host(address(), 1);
  auto bad = std::make_shared<report::HostPast>(**report::PackPast(PastOfAdapter(13)));
  bad->bytes += 1;
  host.client().OfferPast(bad);
  host.Report();
  EXPECT_TRUE(Eventually([&] { return host.refused() == 1; }));
  EXPECT_THAT(Past(), IsEmpty());
  host.Report(AdapterHost(0));
  EXPECT_EQ(host.client().Counts().with_past, 1u);
  EXPECT_EQ(host.client().Counts().refused, 0u) << "the facts were kept";
  host.Tell(PastOfAdapter(13));
  EXPECT_THAT(OwnPast(), SizeIs(1));
}

// ---- a hub of before
// --------------------------------------------------------------------------------------------

// Knows no past: what it does not know of a message it does not see.
class OlderHub final : public v1::Ingest::Service {
 public:
  explicit OlderHub(bool says_it_takes_some) : says_(says_it_takes_some) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~OlderHub() override { server_->Shutdown(DeadlineIn({})); }
  std::string address() const { return fmt::format("127.0.0.1:{}", port_); }
  grpc::Status Attach(grpc::ServerContext*,
                      grpc::ServerReaderWriter<v1::FromHub, v1::FromAgent>* stream) override {
    v1::FromAgent in;
    while (stream->Read(&in)) {
      v1::FromHub out;
      if (in.has_hello()) {
        out.mutable_welcome()->set_period_s(600);
        out.mutable_welcome()->set_past_max_bytes(says_ ? 65'536 : 0);
      } else {
        ++reports_;
        out.mutable_ack()->set_sequence(in.report().sequence());
        out.mutable_ack()->set_result(v1::ReportAck::RESULT_KEPT);
      }
      if (!stream->Write(out)) break;
    }
    return grpc::Status::OK;
  }
  int reports() const { return reports_; }

 private:
  const bool says_;
  int port_ = 0;
  std::atomic<int> reports_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST(OlderHubs, AreToldNoPast) {
  OlderHub hub(false);
  TestedHost host(hub.address(), 1);
  host.client().OfferPast(*report::PackPast(PastOfAdapter(13)));
  host.Report();
  host.client().OfferPast(*report::PackPast(PastOfAdapter(12)));
  host.Report(GoodHost());  // the past would come before or with it
  EXPECT_EQ(hub.reports(), 2);
  EXPECT_EQ(host.client().Counts().with_past, 0u);
  EXPECT_EQ(host.refused(), 0);
}

TEST(OlderHubs, AreNotToldAgainWhatTheyDoNotAcknowledge) {
  OlderHub hub(true);
  TestedHost host(hub.address(), 1);
  host.client().OfferPast(*report::PackPast(PastOfAdapter(13)));
  host.Report();
  EXPECT_TRUE(Eventually([&] { return host.refused() == 1; }));
  host.Report(GoodHost());  // the past would come before or with it
  EXPECT_EQ(hub.reports(), 2);
  EXPECT_EQ(host.client().Counts().with_past, 1u);
  EXPECT_EQ(host.refused(), 1);
}

}  // namespace
}  // namespace rdmaready::hub
