// SPDX-License-Identifier: Apache-2.0
// The worker that reads the host: shared readings, questions that do not return, and an end that waits for
// none.
#include "agent/worker/host_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/genetlink.h>

#include <atomic>
#include <future>
#include <thread>

#include "agent/server/service.h"
#include "agent/worker/host_lanes.h"
#include "collectors/collect.h"
#include "rdmaready/v1/agent.grpc.pb.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/agent/server/service_rig.h"
#include "tests/unit/agent/worker/gated_host.h"
#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr WorkerLimits kImpatient{.question = milliseconds(60), .again = milliseconds(30)};

constexpr char kSlowCounter[] = "read /sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_pkts";

std::shared_ptr<GatedHost> HostWithCounter() {
  auto host = std::make_shared<GatedHost>();
  const std::string folder = "/sys/class/infiniband/rxe0/ports/1/hw_counters";
  host->fake.directories[folder] = std::vector<std::string>{"lifespan", "rcvd_pkts"};
  host->fake.files[folder + "/rcvd_pkts"] = std::string("7\n");
  return host;
}

TEST(HostWorkerTest, ReadsWhatTheHostSays) {
  auto host = std::make_shared<GatedHost>();
  HostWorker worker(host);
  FakeHost same = GoodFakeHost();
  const HostWorker::FactsOrWhy facts = worker.Collect();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(**facts, CollectFacts(same));
  EXPECT_EQ(*worker.Read<int>([](HostReader&) { return 7; }), 7);
}

TEST(HostWorkerTest, OneCounterThatSleepsIsMissingAndTheRestIsThere) {
  const auto host = HostWithCounter();
  FakeHost same = host->fake;
  Facts expected = CollectFacts(same);
  host->Hold(kSlowCounter);
  HostWorker worker(host, kImpatient);
  for (const char* why : {"no answer within 0.06 s", "not asked, because this does not answer"}) {
    const HostWorker::FactsOrWhy facts = worker.Collect();
    ASSERT_TRUE(facts.ok()) << facts.status();
    ASSERT_TRUE((*facts)->ports && !(*facts)->ports->empty());
    const Port& port = (*facts)->ports->front();
    ASSERT_FALSE(port.hw_counters);
    EXPECT_THAT(port.hw_counters.missing().detail, HasSubstr(why));
    EXPECT_EQ(port.hw_counters.missing().kind, Missing::Kind::kFailed);
    std::vector<Port> healed = *(*facts)->ports;
    healed.front().hw_counters = expected.ports->front().hw_counters;
    healed.front().hw_counters_lifespan_ms = expected.ports->front().hw_counters_lifespan_ms;
    EXPECT_EQ(healed, *expected.ports);
  }
  EXPECT_TRUE(worker.Stuck());
  EXPECT_EQ(host->times(kSlowCounter), 1);  // nobody sleeps behind it
  host->Release();
  while (worker.Stuck()) std::this_thread::yield();
  EXPECT_EQ(**worker.Collect(), expected);
}

TEST(HostWorkerTest, AMachineThatStoodStillIsNoNicThatDoes) {
  const auto host = HostWithCounter();
  host->Hold(kSlowCounter);
  FakeClock clock;
  HostWorker worker(host, {.question = milliseconds(1'000), .again = milliseconds(1'000)}, clock);
  std::future<HostWorker::FactsOrWhy> read = std::async(std::launch::async, [&] { return worker.Collect(); });
  while (host->held() == 0) std::this_thread::yield();
  for (int looks = 0; looks < 3; ++looks) clock.Advance(clock.AwaitSleeper());  // in which it is looked at
  clock.AwaitSleeper();
  clock.Advance(std::chrono::seconds(3));  // in one look, as where all threads get no processor
  clock.AwaitSleeper();
  host->Release();
  const HostWorker::FactsOrWhy facts = read.get();
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_TRUE((*facts)->ports->front().hw_counters);
}

TEST(HostWorkerTest, WhatWasAnsweredIsNotAskedAgain) {
  const auto host = HostWithCounter();
  host->Hold(kSlowCounter);
  HostWorker worker(host, kImpatient);
  static_cast<void>(worker.Collect());
  EXPECT_EQ(host->times("read /proc/sys/kernel/hostname"), 1);
  host->Release();
}

TEST(HostWorkerTest, BehindTheLockOfNetworkSettingsNothingSleeps) {
  auto host = std::make_shared<GatedHost>();
  FakeHost same = host->fake;
  const Facts expected = CollectFacts(same);
  host->Hold("ask dcbnl");  // the first of them, and what takes RTNL after it
  HostWorker worker(host, kImpatient);
  const HostWorker::FactsOrWhy facts = worker.Collect();
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_TRUE((*facts)->ports && !(*facts)->ports->empty());
  const Port& port = (*facts)->ports->front();
  ASSERT_TRUE(port.netdev);  // asked before
  EXPECT_FALSE(port.netdev->dcb.pfc);
  EXPECT_FALSE(port.netdev->dcb.ets);
  EXPECT_EQ(port.gids, expected.ports->front().gids);
  EXPECT_EQ((*facts)->kernel, expected.kernel);
  EXPECT_EQ(host->held(), 1);
  host->Release();
}

TEST(HostWorkerTest, CallersShareAReadingThatHasNotBegun) {
  auto host = std::make_shared<GatedHost>();
  host->Hold("read /proc/sys/kernel/hostname");
  HostWorker worker(host, {.question = std::chrono::minutes(1), .most_waiting = 150});
  std::atomic<int> told = 0;
  std::atomic<int> refused = 0;
  for (int i = 0; i < 200; ++i) {
    worker.CollectThen([&](const HostWorker::FactsOrWhy& facts) { ++(facts.ok() ? told : refused); });
  }
  EXPECT_EQ(refused, 50);
  host->Release();
  while (told < 150) std::this_thread::yield();
  EXPECT_LE(host->times("read /proc/sys/kernel/hostname"), 3);
}

TEST(HostWorkerTest, TheQueueOfReadingsHasAnEnd) {
  auto host = std::make_shared<GatedHost>();
  host->Hold("read /proc/sys/kernel/hostname");
  HostWorker worker(host, {.question = std::chrono::minutes(1), .most_waiting = 2});
  std::atomic<bool> collected = false;
  worker.CollectThen([&](const HostWorker::FactsOrWhy& facts) { collected = facts.ok(); });
  while (host->held() == 0) std::this_thread::yield();
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      const absl::Status status = worker.Read<int>([](HostReader&) { return 7; }).status();
      if (status.ok()) ++done;
      if (absl::IsResourceExhausted(status)) ++refused;
    });
  }
  while (refused == 0) std::this_thread::yield();
  host->Release();
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(refused, 1);
  EXPECT_TRUE(collected);
}

TEST(HostWorkerTest, EndsWhileAReadingSleeps) {
  const auto host = HostWithCounter();
  host->Hold(kSlowCounter);
  absl::Status status;
  static FakeClock clock;  // the reading that is left behind goes on with it
  std::jthread passing;
  {
    HostWorker worker(host, {.question = std::chrono::hours(1)}, clock);
    std::thread caller([&] { status = worker.Collect().status(); });
    while (host->held() == 0) std::this_thread::yield();
    worker.Stop();
    caller.join();
    EXPECT_EQ(worker.Collect().status().code(), absl::StatusCode::kUnavailable);
    EXPECT_EQ(worker.Read<int>([](HostReader&) { return 1; }).status().code(), absl::StatusCode::kUnavailable);
    // The end waits a moment for the reading.
    passing = std::jthread([] { clock.Advance(clock.AwaitSleeper()); });
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  host->Release();
}

TEST(StuckLanesTest, TheSecondLaneOfADeviceClosesTheDevice) {
  StuckLanes lanes;
  const auto asked = [&](const char* path) { return !lanes.WhyNot(FileQuestion{path}).has_value(); };
  const std::uint64_t first = lanes.Close(FileQuestion{"/sys/class/infiniband/mlx5_0/ports/1/hw_counters/a"});
  EXPECT_FALSE(asked("/sys/class/infiniband/mlx5_0/ports/1/hw_counters/b"));
  EXPECT_TRUE(asked("/sys/class/infiniband/mlx5_0/ports/1/counters/b"));
  EXPECT_TRUE(asked("/sys/class/infiniband/mlx5_0/ports/1/rate"));
  const std::uint64_t second = lanes.Close(FileQuestion{"/sys/class/infiniband/mlx5_0/ports/1/counters/b"});
  EXPECT_FALSE(asked("/sys/class/infiniband/mlx5_0/node_guid"));
  EXPECT_TRUE(asked("/sys/class/infiniband/mlx5_1/node_guid"));
  EXPECT_TRUE(asked("/proc/sys/kernel/hostname"));
  lanes.Open(second);
  EXPECT_TRUE(asked("/sys/class/infiniband/mlx5_0/node_guid"));
  lanes.Open(first);
  EXPECT_EQ(lanes.count(), 0U);
}

TEST(StuckLanesTest, FilesThatTakeTheLockWaitForIt) {
  StuckLanes lanes;
  static_cast<void>(lanes.Close(EthtoolQuestion{.netdev = "eth0"}));
  EXPECT_TRUE(lanes.WhyNot(FileQuestion{"/sys/class/net/eth1/speed"}));
  EXPECT_FALSE(lanes.WhyNot(FileQuestion{"/sys/class/net/eth1/mtu"}));
  EXPECT_TRUE(lanes.WhyNot(NetlinkRequest{.protocol = NETLINK_ROUTE, .type = RTM_GETLINK}));
  EXPECT_FALSE(lanes.WhyNot(NetlinkRequest{.protocol = NETLINK_ROUTE, .type = RTM_GETADDR}));
  EXPECT_TRUE(lanes.WhyNot(NetlinkRequest{.protocol = NETLINK_GENERIC, .type = 22}));
  EXPECT_FALSE(lanes.WhyNot(NetlinkRequest{.protocol = NETLINK_GENERIC, .type = GENL_ID_CTRL}));
}

TEST(StuckLanesTest, TooManyThatSleepCloseTheHost) {
  StuckLanes lanes;
  for (int i = 0; i < 16; ++i) static_cast<void>(lanes.Close(FileQuestion{"/sys/x" + std::to_string(i)}));
  const std::optional<absl::Status> why = lanes.WhyNot(FileQuestion{"/sys/other"});
  ASSERT_TRUE(why);
  EXPECT_THAT(Message(*why), HasSubstr("16 readings of this host do not return"));
}

// An old agent, which read in the thread that serves GetVersion too, never answered here.
TEST_F(ServiceTest, TellsItsVersionWhileTwoHundredWaitForFacts) {
  auto gated = std::make_shared<GatedHost>();
  gated->Hold("read /proc/sys/kernel/hostname");
  constexpr int kCallers = 200;
  std::array<v1::GetFactsResponse, kCallers> facts;
  std::array<grpc::ClientContext, kCallers> contexts;
  std::atomic<int> answered = 0;
  std::atomic<int> ok = 0;
  {
    ServedAgent served(BothEnds(), locks_, {}, HostNetwork(), gated, {.question = std::chrono::minutes(1)});
    const auto stub = v1::Agent::NewStub(served.Channel());
    const v1::GetFactsRequest request;
    for (std::size_t i = 0; i < kCallers; ++i) {
      stub->async()->GetFacts(&contexts[i], &request, &facts[i], [&](const grpc::Status& status) {
        if (status.ok()) ++ok;
        ++answered;
      });
    }
    while (gated->held() == 0) std::this_thread::yield();
    const auto client = served.Client("a");
    std::chrono::steady_clock::duration fastest = std::chrono::hours(1);  // the others waited for this machine
    for (int i = 0; i < 10; ++i) {
      const auto began = std::chrono::steady_clock::now();
      EXPECT_EQ(client->GetVersion()->version, "9.9.9");
      fastest = std::min(fastest, std::chrono::steady_clock::now() - began);
    }
    EXPECT_LT(fastest, milliseconds(100));
    EXPECT_EQ(answered, 0);
    gated->Release();
    while (answered < kCallers) std::this_thread::yield();
    EXPECT_EQ(ok, kCallers);
    EXPECT_LE(gated->times("read /proc/sys/kernel/hostname"), 5);
    EXPECT_EQ(facts.back().facts().hostname(), CollectFacts(gated->fake).hostname);
  }
}

}  // namespace
}  // namespace rdmaready
