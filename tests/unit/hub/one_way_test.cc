// SPDX-License-Identifier: Apache-2.0
// A network that lets one direction through: who notices, what an acknowledgement means, and that no report is
// lost or doubled. The times are shorter than those of a fleet, all by the same measure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/client/fleet_client.h"
#include "api/client/report_channel.h"
#include "api/convert/digest.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/sim/relay.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/hub/ticking.h"

namespace rdmaready::hub {
namespace {

using std::chrono::milliseconds;

constexpr Keepalive kQuick{milliseconds(1'000), milliseconds(1'000)};

class OneWayTest : public testing::Test {
 protected:
  OneWayTest() {
    std::filesystem::create_directories(root_);
    clock_.SetWall(RealClock().Wall());  // of the agent
    auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                           .period = std::chrono::seconds(1),
                           .keepalive = kQuick,
                           .shortest_agent_ping = milliseconds(100),
                           .rules = {.profiles = {"smb-direct-roce"}},
                           .metrics_listen = "none",
                           .store = *SqliteFleetStore::Open({.path = root_ + "/fleet.db"}),
                           .keeper = {.gather = {}},
                           .clock = &clock_});
    EXPECT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
    relay_ = *sim::Relay::Start(hub_->addresses().front(), 1);
    agent_ = std::make_shared<report::ReportClient>(
        report::ReportOptions{.host = {.host_id = "00000000-0000-4000-8000-000000000001",
                                       .hostname = "node1",
                                       .run_id = MakeRunId(),
                                       .agent_version = "0.1.0"},
                              .channel = [this] { return ReportChannel(relay_->address(0), {}, 0, kQuick); },
                              .answer_within = milliseconds(1'500)});
    ticking_.emplace(agent_);
    Offer(GoodHost());
    EXPECT_TRUE(Eventually([this] { return Acknowledged(); })) << agent_->trouble();
    // A whole period is left then until the next report. One that is under way when a direction is held would
    // hold up what is offered then.
    const std::uint64_t told = agent_->Counts().kept;
    EXPECT_TRUE(Eventually([this, told] { return agent_->Counts().kept > told; })) << agent_->trouble();
    // On a busy machine the first one may have been sent twice.
    kept_ = hub_->keeper().kept;
    with_facts_ = agent_->Counts().with_facts;
  }
  ~OneWayTest() override {
    ticking_.reset();
    agent_->StopAndWait(milliseconds(1'000));
    hub_.reset();
    relay_.reset();
    std::filesystem::remove_all(root_);
  }

  void Offer(const Facts& facts) {
    const auto state = *report::PackState(facts, *Sha256(DigestedText(facts)), UnixNs(RealClock()));
    digest_ = state->digest;
    agent_->Offer(state);
  }
  bool Acknowledged() const { return agent_->kept_digest() == digest_; }
  // Time passes for the hub alone.
  bool BecomesSilent() {
    return Eventually([this] {
      clock_.Advance(std::chrono::seconds(1));
      return Silent();
    });
  }
  bool Silent() { return (*client_)->Status({}, 0)->counts.silent == 1; }
  // Each finding became another once, and the host came once.
  void ExpectNothingTwice() {
    const auto changes = (*client_)->Changes({.checks = {"pfc.*"}}, 0, 1000);
    ASSERT_TRUE(changes.ok()) << changes.status();
    EXPECT_FALSE(changes->empty());
    std::map<std::tuple<std::string, std::string, std::string>, int> times;
    for (const FleetChange& change : *changes) {
      EXPECT_EQ(change.times, 1u);
      EXPECT_EQ((times[{change.check, change.subject, change.profile}] += 1), 1) << change.check;
    }
    EXPECT_EQ((*client_)->Status({}, 0)->hosts, 1u);
    EXPECT_EQ(hub_->keeper().kept, kept_ + 1);
  }

  const std::string root_ = testing::TempDir() + "one way " + std::to_string(::getpid());
  FakeClock clock_;
  std::unique_ptr<Hub> hub_;
  std::unique_ptr<sim::Relay> relay_;
  std::shared_ptr<report::ReportClient> agent_;
  absl::StatusOr<std::unique_ptr<FleetClient>> client_{nullptr};
  std::string digest_;
  std::uint64_t kept_ = 0;        // by the hub, of what the host was at first
  std::uint64_t with_facts_ = 0;  // sent by the agent until then
  std::optional<Ticking> ticking_;
};

TEST_F(OneWayTest, WhatTheHubAnsweredIntoTheVoidIsKeptAndNotSentAgain) {
  client_ = FleetClient::Connect(hub_->addresses().front(), {});
  relay_->Hold(0, {.to_agent = true});
  Offer(WithPfc(0));
  EXPECT_TRUE(Eventually([this] { return hub_->keeper().kept == kept_ + 1; })) << "it arrived, and is on disk";
  EXPECT_FALSE(Acknowledged());
  EXPECT_TRUE(Eventually([this] { return !agent_->trouble().empty(); })) << "the agent notices";
  EXPECT_TRUE(BecomesSilent()) << "a greeting without an answer does not count as a report";
  EXPECT_FALSE(Acknowledged());
  relay_->Hold(0, {});
  EXPECT_TRUE(Eventually([this] { return Acknowledged() && !Silent(); })) << agent_->trouble();
  EXPECT_EQ(agent_->Counts().with_facts, with_facts_ + 1) << "by its digest the hub has it";
  ExpectNothingTwice();
}

TEST_F(OneWayTest, WhatDidNotArriveIsSentAgainAndTheHubLetsGoOfTheStream) {
  client_ = FleetClient::Connect(hub_->addresses().front(), {});
  relay_->Hold(0, {.to_hub = true});
  Offer(WithPfc(0));
  EXPECT_TRUE(Eventually([this] { return !agent_->trouble().empty(); })) << "the agent notices";
  EXPECT_TRUE(Eventually([this] { return hub_->ingest().streams == 0; })) << "and so does the hub";
  EXPECT_TRUE(BecomesSilent());
  EXPECT_EQ(hub_->keeper().kept, kept_);
  EXPECT_FALSE(Acknowledged());
  relay_->Hold(0, {});
  EXPECT_TRUE(Eventually([this] { return Acknowledged() && !Silent(); })) << agent_->trouble();
  ExpectNothingTwice();
}

}  // namespace
}  // namespace rdmaready::hub
