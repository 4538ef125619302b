// SPDX-License-Identifier: Apache-2.0
// A fleet that is made up and a whole hub in one process: what the hub sees of hosts that are partitioned from
// it, or of another release, and that nothing is lost or doubled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

#include "api/base/version.h"
#include "api/client/fleet_client.h"
#include "api/pki/authority.h"
#include "api/pki/file.h"
#include "api/pki/key.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/sim/made_fleet.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::sim {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using What = Happening::What;

constexpr std::size_t kAgents = 4;
constexpr std::size_t kRelayed = 2;  // the first of them
constexpr Keepalive kPatient{};
constexpr Keepalive kQuick{milliseconds(1'000), milliseconds(1'000)};

constexpr std::chrono::seconds kPeriod(1);  // three of them without a report make a host silent

// Why the hub turned agents away.
class Refusals {
 public:
  void Hear(const Event& event) {
    if (event.name != "agent-refused") return;
    const std::lock_guard lock(mutex_);
    for (const Event::Field& field : event.fields) {
      if (field.key == "reason") reasons_.push_back(std::get<std::string>(field.value));
    }
  }
  std::vector<std::string> Reasons() {
    const std::lock_guard lock(mutex_);
    return reasons_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> reasons_{};
};

class FleetTest : public testing::Test {
 protected:
  FleetTest() {
    std::filesystem::create_directories(root_);
    clock_.SetWall(RealClock().Wall());  // of certificates
  }
  ~FleetTest() override {
    fleet_.reset();
    hub_.reset();
    relay_.reset();
    std::filesystem::remove_all(root_);
  }

  void StartHub(const Keepalive& keepalive, const TlsFiles& tls = {}) {
    auto hub = hub::Hub::Start({.listen = {"127.0.0.1:0"},
                                .tls = tls,
                                .period = kPeriod,
                                .keepalive = keepalive,
                                .shortest_agent_ping = milliseconds(100),
                                .rules = {.profiles = {"smb-direct-roce"}},
                                .metrics_listen = "none",
                                .store = *hub::SqliteFleetStore::Open({.path = root_ + "/fleet.db"}),
                                .keeper = {.gather = {}},
                                .clock = &clock_,
                                .events = [this](const Event& event) { refusals_.Hear(event); }});
    ASSERT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
    relay_ = *Relay::Start(hub_->addresses().front(), kRelayed);
  }
  void StartFleet(FleetPlan plan) {
    plan.hub = hub_->addresses().front();
    plan.relay = relay_.get();
    plan.clock = &clock_;
    plan.agents = kAgents;
    plan.kinds = {GoodHost()};
    fleet_ = std::make_unique<MadeFleet>(std::move(plan));
    fleet_->Begin();
  }
  // By plain text.
  void Start(const Keepalive& keepalive, milliseconds answer_within) {
    StartHub(keepalive);
    StartFleet({.keepalive = keepalive, .answer_within = answer_within});
    client_ = *FleetClient::Connect(hub_->addresses().front(), {});
    ASSERT_TRUE(Settles());
  }
  bool Settles() {
    return Eventually([this] { return fleet_->Settled(); });
  }
  // While time passes: for hosts that call again, or find that nobody answers.
  bool InTime(const std::function<bool()>& holds) {
    return Eventually([&] {
      if (holds()) return true;
      clock_.Advance(milliseconds(2));
      return holds();
    });
  }
  bool AreConnected(std::size_t hosts) {
    return InTime([this, hosts] { return fleet_->Tally().connected == hosts; });
  }
  std::size_t Silent() { return client_->Status({}, 0)->counts.silent; }
  // A period passes as soon as all the others were heard in the one before.
  bool AreSilent(std::size_t hosts) {
    constexpr int kMostPeriods = 8;
    for (int i = 0; i < kMostPeriods && Silent() != hosts; ++i) {
      const std::uint64_t before = hub_->ingest().reports;
      clock_.Advance(milliseconds(kPeriod) * 5 / 4);
      // An agent that took the jump for a late answer calls again after a pause of its own.
      if (!InTime([&] { return hub_->ingest().reports >= before + kAgents - hosts; })) return false;
    }
    return Silent() == hosts;
  }
  bool AreKept(std::uint64_t reports) {
    return Eventually([this, reports] { return hub_->keeper().kept == reports; });
  }
  // All changed once since they came, and that is what the hub knows: each finding became another once.
  void ExpectOneChangeOfAll() {
    EXPECT_EQ(client_->Status({}, 0)->hosts, kAgents);
    EXPECT_EQ(hub_->keeper().kept, 2 * kAgents);
    const auto changes = client_->Changes({.checks = {"pfc.*"}}, 0, 1000);
    ASSERT_TRUE(changes.ok()) << changes.status();
    std::map<std::tuple<std::string, std::string, std::string, std::string>, int> times;
    std::map<std::string, int> hosts;
    for (const FleetChange& change : *changes) {
      ++hosts[change.host];
      EXPECT_EQ(change.times, 1u);
      EXPECT_EQ((times[{change.host, change.check, change.subject, change.profile}] += 1), 1) << change.check;
    }
    EXPECT_EQ(hosts.size(), kAgents);
  }

  const std::string root_ = testing::TempDir() + "made fleet " + std::to_string(::getpid());
  FakeClock clock_;
  Refusals refusals_;  // outlives the hub
  std::unique_ptr<hub::Hub> hub_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<MadeFleet> fleet_;
  std::unique_ptr<FleetClient> client_;
};

struct Direction {
  const char* name;
  bool to_hub;
  bool to_agent;
};

class PartitionTest : public FleetTest, public testing::WithParamInterface<Direction> {
 protected:
  Happening Partition(What what) const {
    return {.what = what, .hosts = kRelayed, .to_hub = GetParam().to_hub, .to_agent = GetParam().to_agent};
  }
  // The partition begins, all change, and the hub takes those for silent that it does not hear.
  void Divide() {
    // A report whose acknowledgement is held would hold up the change; one that was lost before is no such.
    EXPECT_TRUE(Eventually([this] { return fleet_->Tally().counts.kept == fleet_->Tally().counts.sent; }));
    fleet_->Do(Partition(What::kPartition));
    fleet_->Do({.what = What::kChange, .hosts = kAgents});
    EXPECT_TRUE(Settles()) << "the others";
    EXPECT_TRUE(AreSilent(kRelayed));
    // Who is heard and hears nothing sends what it has to say, and nothing more until that is acknowledged.
    EXPECT_TRUE(AreKept(GetParam().to_hub ? 2 * kAgents - kRelayed : 2 * kAgents));
    EXPECT_EQ(fleet_->Tally().settled, kAgents - kRelayed);
  }
};

TEST_P(PartitionTest, OfAShortWhileHoldsAndLosesNothing) {
  Start(kPatient, std::chrono::hours(24));
  Divide();
  fleet_->Do(Partition(What::kHeal));
  EXPECT_TRUE(Settles());
  EXPECT_TRUE(AreSilent(0));
  const FleetTally tally = fleet_->Tally();
  EXPECT_EQ(tally.counts.streams, kAgents) << "what was held went on in the same streams";
  EXPECT_EQ(tally.counts.with_facts, 2 * kAgents);
  ExpectOneChangeOfAll();
}

TEST_P(PartitionTest, ThatLastsIsFoundAndOtherStreamsAreOpened) {
  Start(kQuick, milliseconds(1'500));
  Divide();
  EXPECT_TRUE(AreConnected(kAgents - kRelayed)) << "the agents notice";
  if (GetParam().to_hub) {
    EXPECT_TRUE(InTime([this] { return hub_->ingest().streams == kAgents - kRelayed; })) << "so does the hub";
  }
  EXPECT_TRUE(AreSilent(kRelayed));
  fleet_->Do(Partition(What::kHeal));
  EXPECT_TRUE(InTime([this] { return fleet_->Settled(); }));
  EXPECT_TRUE(AreSilent(0));
  EXPECT_GE(fleet_->Tally().counts.streams, kAgents + kRelayed);
  EXPECT_TRUE(AreConnected(kAgents));
  ExpectOneChangeOfAll();
}

INSTANTIATE_TEST_SUITE_P(EachWay, PartitionTest,
                         testing::Values(Direction{"Both", true, true}, Direction{"ToHub", true, false},
                                         Direction{"ToAgent", false, true}),
                         [](const auto& of) { return of.param.name; });

TEST_F(FleetTest, IsSettledWhenThoseThatWerePartitionedReportAgain) {
  Start(kQuick, milliseconds(1'500));
  fleet_->Do({.what = What::kPartition, .hosts = kRelayed, .to_hub = true, .to_agent = true});
  EXPECT_TRUE(fleet_->Settled()) << "nobody waits for them";
  EXPECT_TRUE(AreConnected(kAgents - kRelayed));
  fleet_->Do({.what = What::kHeal, .hosts = kRelayed, .to_hub = true, .to_agent = true});
  EXPECT_TRUE(InTime([this] { return fleet_->Settled(); }));
  EXPECT_TRUE(AreConnected(kAgents));
  EXPECT_EQ(hub_->keeper().kept, kAgents) << "the hub had all that they say";
}

TEST_F(FleetTest, ADirectionIsHeldUntilEachPartitionIsOver) {
  Start(kPatient, std::chrono::hours(24));
  const auto happens = [this](What what, std::size_t hosts, bool to_hub, bool to_agent) {
    fleet_->Do({.what = what, .hosts = hosts, .to_hub = to_hub, .to_agent = to_agent});
  };
  happens(What::kPartition, 2, true, false);
  happens(What::kPartition, 1, true, true);
  happens(What::kHeal, 1, true, true);
  fleet_->Do({.what = What::kChange, .hosts = kAgents});
  EXPECT_TRUE(Eventually([this] { return fleet_->Tally().settled == kAgents - kRelayed; }));
  // A further report of each of the others, in which time what passes would have been acknowledged.
  const std::uint64_t before = hub_->ingest().reports;
  clock_.Advance(milliseconds(kPeriod) * 5 / 4);
  EXPECT_TRUE(Eventually([&] { return hub_->ingest().reports >= before + kAgents - kRelayed; }));
  EXPECT_EQ(fleet_->Tally().settled, kAgents - kRelayed);
  happens(What::kHeal, 2, true, false);
  EXPECT_TRUE(Settles());
  ExpectOneChangeOfAll();
}

class FleetByTls : public FleetTest {
 protected:
  // The hub's certificate names `address`; every host has one of its own.
  void StartNamed(const std::string& address) {
    const std::string folder = root_ + "/authority";
    ASSERT_TRUE(pki::Authority::Create(folder, "test").ok());
    const auto authority = pki::Authority::Open(folder);
    const auto key = *pki::MakeKey();
    const auto issued =
        authority->Issue({.kind = pki::Kind::kHub, .name = "hub1", .addresses = {address}}, *key);
    ASSERT_TRUE(issued.ok()) << issued.status();
    const TlsFiles tls{root_ + "/hub.pem", root_ + "/hub.key", folder + "/ca.pem"};
    ASSERT_TRUE(pki::WriteFile(tls.certificate, issued->certificate_pem, 0600, pki::Existing::kReplaced).ok());
    ASSERT_TRUE(pki::WriteKey(tls.key, *key, pki::Existing::kReplaced).ok());
    StartHub(kPatient, tls);
    certificates_.emplace(*MadeCertificates::Open(folder));
    StartFleet({.certificates = &*certificates_});
  }

  std::optional<MadeCertificates> certificates_;
};

TEST_F(FleetByTls, IsPartitionedTheSame) {
  StartNamed("127.0.0.1");
  ASSERT_TRUE(Settles());
  fleet_->Do({.what = What::kPartition, .hosts = kRelayed, .to_hub = true, .to_agent = true});
  fleet_->Do({.what = What::kChange, .hosts = kAgents});
  EXPECT_TRUE(Settles()) << "the others";
  EXPECT_EQ(fleet_->Tally().settled, kAgents - kRelayed);
  fleet_->Do({.what = What::kHeal, .hosts = kRelayed, .to_hub = true, .to_agent = true});
  EXPECT_TRUE(Settles());
  EXPECT_TRUE(AreKept(2 * kAgents)) << hub_->keeper().kept;
  EXPECT_EQ(fleet_->Tally().counts.streams, kAgents);
}

TEST_F(FleetByTls, AskWhoTheHubIsBehindARelayToo) {
  StartNamed("127.0.0.9");
  EXPECT_TRUE(InTime([this] { return fleet_->Tally().counts.streams >= 2 * kAgents; })) << "tried again";
  EXPECT_EQ(fleet_->Tally().connected, 0u);
  EXPECT_EQ(hub_->ingest().reports, 0u);
}

TEST_F(FleetTest, OfTheHubsRevisionAndThoseBesideItAreWelcomeAndOthersAreNot) {
  Start(kPatient, std::chrono::hours(24));
  const auto speaks = [this](std::size_t hosts, std::uint32_t revision) {
    fleet_->Do({.what = What::kVersion, .hosts = hosts, .version = kVersion, .revision = revision});
  };
  speaks(3, kIngestRevision + 1);
  speaks(2, kIngestRevision - 1);
  EXPECT_TRUE(Settles());
  EXPECT_TRUE(AreConnected(kAgents));
  EXPECT_EQ(hub_->ingest().refused_streams, 0u);
  speaks(1, kIngestRevision + 2);
  EXPECT_TRUE(Eventually([this] { return fleet_->Tally().counts.refused == 1; })) << "it is told";
  EXPECT_EQ(hub_->ingest().refused_streams, 1u);
  EXPECT_TRUE(AreConnected(kAgents - 1));
  EXPECT_THAT(refusals_.Reasons(),
              testing::ElementsAre(fmt::format("the agent speaks revision {} of Ingest, the hub revision {}, "
                                               "and they may differ by one: update the hub",
                                               kIngestRevision + 2, kIngestRevision)));
}

TEST_F(FleetTest, OfSeveralReleasesIsOneFleet) {
  Start(kPatient, std::chrono::hours(24));
  const std::size_t before = client_->Changes({}, 0, 1000)->size();
  fleet_->Do({.what = What::kVersion, .hosts = 3, .version = "9999.0.0"});
  EXPECT_TRUE(Settles());
  fleet_->Do({.what = What::kVersion, .hosts = 2, .version = "0.0.9"});
  EXPECT_TRUE(Settles());
  const auto hosts = client_->Hosts({});
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  std::vector<std::string> versions;
  for (const FleetHost& host : *hosts) {
    versions.push_back(host.name + " " + host.agent_version);
    EXPECT_EQ(host.condition, hosts->back().condition) << host.name << ": the same facts, the same verdict";
    EXPECT_EQ(host.passed, hosts->back().passed);
    EXPECT_THAT(host.trouble, IsEmpty());
  }
  EXPECT_THAT(versions, UnorderedElementsAre("node00001 0.0.9", "node00002 0.0.9", "node00003 9999.0.0",
                                             std::string("node00004 ") + kVersion));
  EXPECT_EQ(hub_->ingest().refused_streams, 0u);
  EXPECT_EQ(fleet_->Tally().counts.refused, 0u);
  EXPECT_EQ(hub_->keeper().kept, kAgents + 3 + 2) << "each release has other words, which travel";
  EXPECT_EQ(client_->Changes({}, 0, 1000)->size(), before) << "nothing else became another";
}

}  // namespace
}  // namespace rdmaready::sim
