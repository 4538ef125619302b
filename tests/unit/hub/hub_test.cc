// SPDX-License-Identifier: Apache-2.0
// A whole hub in this process, with real clients of it: what agents report is judged, kept, told and found
// again.
#include "hub/hub.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "absl/strings/escaping.h"
#include "agent/report/pack_state.h"
#include "agent/report/report_client.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/client/fleet_client.h"
#include "api/client/report_channel.h"
#include "api/convert/digest.h"
#include "hub/ingest/unpack.h"
#include "hub/store/sqlite_fleet_store.h"
#include "rdmaready/v1/fleet.grpc.pb.h"
#include "rdmaready/v1/ingest.grpc.pb.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/hub/ticking.h"

namespace rdmaready::hub {
namespace {

using report::HostState;
using report::ReportClient;
using report::TimePoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::chrono::seconds kPeriod(30);  // three of them without a report make a host silent

std::string Id(int number) { return fmt::format("00000000-0000-4000-8000-{:012}", number); }

std::shared_ptr<const HostState> StateOf(const Facts& facts) {
  return *report::PackState(facts, *Sha256(DigestedText(facts)), UnixNowNs());
}

// A host that reports, driven by a thread of its own.
class ReportingRig {
 public:
  ReportingRig(const std::string& hub, const std::string& id, const std::string& name,
               Clock& clock = RealClock()) {
    client_ = std::make_shared<ReportClient>(
        report::ReportOptions{.host = {.host_id = id,
                                       .hostname = name,
                                       .machine_id = "m",
                                       .boot_id = "b",
                                       .run_id = MakeRunId(),
                                       .agent_version = "0.1.0"},
                              .channel = [hub] { return ReportChannel(hub, {}); },
                              .clock = &clock});
    ticking_.emplace(client_, clock);
  }
  ~ReportingRig() {
    ticking_.reset();
    client_->Stop();
  }
  void Report(const Facts& facts) {
    const auto state = StateOf(facts);
    client_->Offer(state);
    EXPECT_TRUE(Eventually([&] { return client_->kept_digest() == state->digest; })) << client_->trouble();
  }
  ReportClient& client() { return *client_; }

 private:
  std::shared_ptr<ReportClient> client_;
  std::optional<Ticking> ticking_;
};

class HubTest : public testing::Test {
 protected:
  HubTest() {
    clock_.SetWall(RealClock().Wall());  // of the hosts that report
    std::filesystem::create_directories(root_);
    WriteProfile("rdma_priority: 3\n");
  }
  ~HubTest() override {
    hub_.reset();
    std::filesystem::remove_all(root_);
  }

  void WriteProfile(const std::string& more) {
    std::ofstream(profile_) << "name: of-the-fleet\nextends: smb-direct-roce\n" << more;
  }

  void Start() {
    auto store = SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
    ASSERT_TRUE(store.ok()) << store.status();
    auto hub = Hub::Start({.listen = {"127.0.0.1:0"},
                           .name = "hub-one",
                           .period = kPeriod,
                           .rules = {.profiles = {profile_}},
                           .metrics_listen = "none",
                           .store = *std::move(store),
                           .keeper = {.gather = {}},
                           .clock = &clock_});
    ASSERT_TRUE(hub.ok()) << hub.status();
    hub_ = *std::move(hub);
  }
  std::string address() const { return hub_->addresses().front(); }
  std::unique_ptr<FleetClient> Client() {
    auto client = FleetClient::Connect(address(), {});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }
  // The same while time passes for the hub, a second at a time.
  bool InTime(const std::function<bool()>& holds) {
    return Eventually([&] {
      clock_.Advance(std::chrono::seconds(1));
      return holds();
    });
  }
  FleetStatus Status() {
    auto status = Client()->Status({}, 0);
    EXPECT_TRUE(status.ok()) << status.status();
    return *std::move(status);
  }

  const std::string root_ = testing::TempDir() + "hub " + std::to_string(::getpid());
  const std::string profile_ = root_ + "/fleet.yaml";
  FakeClock clock_;
  std::unique_ptr<Hub> hub_;
};

Facts HostWithPfcOff() { return WithPfc(0); }

TEST_F(HubTest, AHostThatReportsIsJudgedAndKept) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  const FleetStatus status = Status();
  EXPECT_EQ(status.hub, "hub-one");
  EXPECT_EQ(status.hosts, 1u);
  const auto hosts = Client()->Hosts({.hosts = {"node*"}});
  ASSERT_TRUE(hosts.ok());
  ASSERT_THAT(*hosts, SizeIs(1));
  EXPECT_EQ(hosts->front().name, "node1");
  EXPECT_THAT(hosts->front().profiles, ElementsAre("of-the-fleet"));
  EXPECT_THAT(*Client()->Hosts({.hosts = {"other"}}), IsEmpty());
}

TEST_F(HubTest, WhatIsKeptAlreadyTravelsOnce) {
  Start();
  ReportingRig host(address(), Id(1), "node1", clock_);
  host.Report(GoodHost());
  EXPECT_TRUE(Eventually([&] {
    const auto counts = host.client().Counts();
    if (counts.kept == counts.sent) clock_.Advance(std::chrono::seconds(1));
    return counts.kept >= 3;
  })) << "a report each period";
  EXPECT_EQ(host.client().Counts().with_facts, 1u);
  EXPECT_EQ(hub_->keeper().kept, 1u);
}

TEST_F(HubTest, AHubThatStartsAgainKnowsItsHosts) {
  Start();
  {
    ReportingRig host(address(), Id(1), "node1");
    host.Report(GoodHost());
  }
  hub_.reset();
  Start();
  EXPECT_EQ(Status().hosts, 1u);
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  EXPECT_EQ(host.client().Counts().with_facts, 0u) << "the digest was enough";
}

TEST_F(HubTest, AChangeOfASettingIsTold) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  std::vector<FleetChange> changes;
  const auto watcher = Client();
  std::jthread watching([&] {
    EXPECT_TRUE(watcher
                    ->Watch(
                        {.checks = {"pfc.*"}}, 1,
                        [&](const FleetChange& change) {
                          changes.push_back(change);
                          return false;
                        },
                        [](const std::string&) {})
                    .ok());
  });
  host.Report(HostWithPfcOff());
  watching.join();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes.front().host, "node1");
  EXPECT_EQ(changes.front().before, Outcome::kPass);
  EXPECT_EQ(changes.front().after, Outcome::kFail);
  const auto diff = Client()->Diff({.checks = {"pfc.*"}}, 1);
  ASSERT_TRUE(diff.ok());
  EXPECT_FALSE(diff->differences.empty());
}

TEST_F(HubTest, WhatOneReportChangedIsToldWhole) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  Facts facts = WithPfc(0);
  facts.kernel = Missing{.kind = Missing::Kind::kFailed, .detail = "gone"};
  facts.agent_capabilities = Missing{.kind = Missing::Kind::kFailed, .detail = "gone"};
  host.Report(facts);
  const auto all = Client()->Changes({}, 0, 1000);
  ASSERT_TRUE(all.ok());
  ASSERT_GE(all->size(), 3u) << "several of one report, which have one time";
  std::vector<std::uint64_t> numbers;
  ASSERT_TRUE(Client()
                  ->Watch(
                      {}, 1,
                      [&](const FleetChange& change) {
                        numbers.push_back(change.number);
                        return numbers.size() < all->size();
                      },
                      [](const std::string&) {})
                  .ok());
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i + 1);
}

TEST_F(HubTest, AWatchThatIsCutGoesOnWithoutAGap) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  const std::string where = address();
  std::vector<FleetChange> changes;
  std::mutex mutex;
  const auto watcher = Client();
  std::jthread watching([&] {
    static_cast<void>(watcher->Watch(
        {}, 1,
        [&](const FleetChange& change) {
          const std::lock_guard lock(mutex);
          changes.push_back(change);
          return true;
        },
        [](const std::string&) {}));
  });
  const auto seen = [&] {
    const std::lock_guard lock(mutex);
    return changes.size();
  };
  EXPECT_TRUE(Eventually([&] { return seen() >= 1; }));
  host.Report(HostWithPfcOff());
  // The hub goes away, and comes back at the same address.
  hub_.reset();
  auto store = SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
  auto again = Hub::Start({.listen = {where},
                           .name = "hub-one",
                           .period = kPeriod,
                           .rules = {.profiles = {profile_}},
                           .metrics_listen = "none",
                           .store = *std::move(store),
                           .keeper = {.gather = {}},
                           .clock = &clock_});
  ASSERT_TRUE(again.ok()) << again.status();
  hub_ = *std::move(again);
  host.Report(GoodHost());
  const auto all = Client()->Changes({}, 0, 1000);
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(Eventually([&] { return seen() >= all->size(); }));
  watcher->Cancel();
  watching.join();
  std::set<std::uint64_t> numbers;
  for (const FleetChange& change : changes) EXPECT_TRUE(numbers.insert(change.number).second) << "told once";
  EXPECT_EQ(numbers.size(), all->size());
}

TEST_F(HubTest, AnotherProfileJudgesAgainWhatIsKept) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  const std::uint32_t before = Client()->Hosts({})->front().failed;
  WriteProfile("rdma_priority: 4\npfc: [4]\n");
  const absl::Status reloaded = hub_->Reload({.profiles = {profile_}}, "", std::nullopt);
  ASSERT_TRUE(reloaded.ok()) << reloaded;
  EXPECT_TRUE(Eventually([&] { return Client()->Hosts({})->front().failed > before; }));
  EXPECT_EQ(host.client().Counts().with_facts, 1u) << "nobody was asked for facts again";
  WriteProfile("rdma_prioritie: 5\n");
  EXPECT_TRUE(absl::IsInvalidArgument(hub_->Reload({.profiles = {profile_}}, "", std::nullopt)));
}

TEST_F(HubTest, AHostThatIsSilentIsThatAndNotItsLastVerdict) {
  Start();
  {
    ReportingRig host(address(), Id(1), "node1");
    host.Report(GoodHost());
  }
  EXPECT_TRUE(InTime([&] { return Status().counts.silent == 1; }));
  const auto hosts = Client()->Hosts({});
  EXPECT_EQ(hosts->front().condition, HostCondition::kSilent);
  EXPECT_EQ(hosts->front().since_unix_ns, hosts->front().seen_unix_ns);
  EXPECT_TRUE(InTime([&] {
    const auto changes = Client()->Changes({}, 0, 10);
    return changes.ok() && !changes->empty() && changes->front().observed == "silent";
  }));
}

TEST_F(HubTest, ACloneIsNamedAndNeitherOfTheTwoIsBelieved) {
  Start();
  ReportingRig first(address(), Id(1), "node1");
  first.Report(GoodHost());
  ReportingRig second(address(), Id(1), "node2");
  second.Report(GoodHost());
  const auto host = [&] { return Client()->Hosts({})->front(); };
  EXPECT_TRUE(Eventually([&] { return host().trouble.find("two agents report") != std::string::npos; }));
  EXPECT_EQ(host().condition, HostCondition::kUndetermined);
  EXPECT_EQ(Status().counts.ready, 0u);
  EXPECT_TRUE(InTime([&] {
    const auto changes = Client()->Changes({}, 0, 100);
    return changes.ok() && std::ranges::any_of(*changes, [](const FleetChange& change) {
             return change.observed.find("node1 (127.0.0.1) and node2 (127.0.0.1)") != std::string::npos;
           });
  }));
  EXPECT_TRUE(Eventually([&] { return hub_->ingest().streams == 0; }));
}

TEST_F(HubTest, FactsThatAreNoneAreRefusedForGoodAndTheStreamStays) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  auto bad = std::make_shared<HostState>(*StateOf(GoodHost()));
  bad->facts_bytes += 1;
  host.client().Offer(bad);
  EXPECT_TRUE(Eventually([&] { return host.client().Counts().refused == 1; }));
  host.Report(HostWithPfcOff());
  EXPECT_EQ(host.client().Counts().streams, 1u);
}

TEST_F(HubTest, AMessageThatIsTooLargeEndsItsStreamAndNothingElse) {
  Start();
  ReportingRig host(address(), Id(1), "node1");
  host.Report(GoodHost());
  auto large = std::make_shared<HostState>(*StateOf(HostWithPfcOff()));
  large->facts_zlib.resize(4 << 20);
  ReportingRig honest(address(), Id(2), "node2");
  honest.client().Offer(large);
  EXPECT_TRUE(Eventually([&] { return honest.client().Counts().refused == 1; }))
      << "it knows what the hub takes";
  const auto stub = v1::Ingest::NewStub(grpc::CreateChannel(address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->Attach(&context);
  v1::FromAgent message;
  message.mutable_hello()->set_host_id(Id(3));
  message.mutable_hello()->set_hostname("node3");
  message.mutable_hello()->set_run_id("run");
  ASSERT_TRUE(stream->Write(message));
  v1::FromHub answer;
  ASSERT_TRUE(stream->Read(&answer));
  message.mutable_report()->set_facts_zlib(large->facts_zlib);
  static_cast<void>(stream->Write(message));
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  host.Report(HostWithPfcOff());
  EXPECT_EQ(Status().hosts, 1u);
}

TEST_F(HubTest, PagesAreOfOneQuestion) {
  Start();
  std::vector<std::unique_ptr<ReportingRig>> hosts;
  for (int i = 1; i <= 5; ++i) {
    hosts.push_back(std::make_unique<ReportingRig>(address(), Id(i), "node" + std::to_string(i)));
    hosts.back()->Report(GoodHost());
  }
  const auto stub = v1::Fleet::NewStub(grpc::CreateChannel(address(), grpc::InsecureChannelCredentials()));
  v1::ListHostsRequest request;
  request.set_page_size(2);
  request.mutable_fields()->add_paths("name");
  std::vector<std::string> names;
  do {
    grpc::ClientContext context;
    v1::ListHostsResponse page;
    ASSERT_TRUE(stub->ListHosts(&context, request, &page).ok());
    for (const v1::FleetHost& host : page.hosts()) {
      names.push_back(host.name());
      EXPECT_TRUE(host.host_id().empty()) << "it was not asked for";
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(names, ElementsAre("node1", "node2", "node3", "node4", "node5"));
  const auto refused = [&](v1::ListHostsRequest bad) {
    grpc::ClientContext context;
    v1::ListHostsResponse page;
    return stub->ListHosts(&context, bad, &page).error_code();
  };
  v1::ListHostsRequest bad;
  bad.set_page_token("0123456789abcdef-2");
  EXPECT_EQ(refused(bad), grpc::StatusCode::INVALID_ARGUMENT);
  bad.clear_page_token();
  bad.mutable_fields()->add_paths("nothing");
  EXPECT_EQ(refused(bad), grpc::StatusCode::INVALID_ARGUMENT);
  bad.clear_fields();
  bad.set_page_size(100'000);
  EXPECT_EQ(refused(bad), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rdmaready::hub
