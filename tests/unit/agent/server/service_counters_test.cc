// SPDX-License-Identifier: Apache-2.0
// What an agent tells of its port's error counters, read before and after a live test.
#include <filesystem>

#include "tests/unit/agent/server/service_rig.h"

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kErrors = "out_of_seq_request";

// Their live tests take longer than a driver keeps a reading of its counters.
class CountersTest : public ServiceTest {
 protected:
  // Links whose initiator is made in the middle of the test, when `meanwhile` happens to the host.
  LinkMaker Meanwhile(std::function<void()> meanwhile) {
    return [ends = BothEnds(), meanwhile = std::move(meanwhile)](Role role, std::uint32_t number) {
      if (role == Role::kInitiator) meanwhile();
      return ends(role, number);
    };
  }

  // The one transfer that a loopback test tells.
  static PortTransfer Loopback(ServedAgent& agent) {
    std::vector<PortTransfer> told;
    const auto add = [&](const PortTransfer& transfer) { told.push_back(transfer); };
    EXPECT_TRUE(agent.Client("a")->TestLoopback({}, {"send-1k"}, "", "", {}, add).ok());
    EXPECT_THAT(told, SizeIs(1));
    return told.empty() ? PortTransfer{} : told.front();
  }
};

TEST_F(CountersTest, ATestTellsAndKeepsWhatGrewMeanwhile) {
  ServedAgent* host = nullptr;
  ServedAgent agent = Unbounded(Meanwhile([&] { host->Count(kErrors, 12); }), locks_);
  host = &agent;
  agent.Count(kErrors, 5);
  const PortTransfer transfer = Loopback(agent);
  ASSERT_TRUE(transfer.result.error_counters);
  EXPECT_THAT(*transfer.result.error_counters, ElementsAre(CounterChange{kErrors, Kind::kGrew, 7}));
  EXPECT_EQ(transfer.result.failure.kind, FailureKind::kNone);
  ASSERT_THAT(agent.store.transfers, SizeIs(1));
  EXPECT_EQ(agent.store.transfers[0].result, transfer.result);
}

TEST_F(CountersTest, EachCaseOfACheckHasReadingsOfItsOwn) {
  ServedAgent* host = nullptr;
  std::uint64_t value = 0;
  ServedAgent agent = Unbounded(Meanwhile([&] { host->Count(kErrors, ++value); }), locks_);
  host = &agent;
  agent.Count(kErrors, 0);
  const absl::StatusOr<CheckAnswer> answer = agent.Client("a")->Check({.level = Rung::kLoopback}, {}, {});
  ASSERT_TRUE(answer.ok()) << answer.status();
  for (const Finding& finding : answer->report.findings) {
    if (finding.rung != Rung::kLoopback || finding.id == "cmp.own-past") continue;
    EXPECT_EQ(finding.outcome, Outcome::kWarn) << "rxe0 is a software device";
    EXPECT_THAT(finding.observed, HasSubstr("; out_of_seq_request +1 on rxe0/1"));
  }
  EXPECT_EQ(value, agent.store.transfers.size());
}

TEST_F(CountersTest, CountersThatCannotBeReadFailNothingAndAreNotZero) {
  ServedAgent* host = nullptr;
  ServedAgent agent = Unbounded(Meanwhile([&] {
                                  host->host.directories["/sys/class/infiniband/rxe0/ports/1/hw_counters"] =
                                      ErrnoStatus(EIO, "list");
                                }),
                                locks_);
  host = &agent;
  const PortTransfer transfer = Loopback(agent);
  EXPECT_EQ(transfer.result.failure.kind, FailureKind::kNone);
  ASSERT_FALSE(transfer.result.error_counters);
  EXPECT_EQ(transfer.result.error_counters.missing().kind, Missing::Kind::kFailed);
}

TEST_F(CountersTest, EachEndOfAPeerTestTellsAndKeepsItsOwn) {
  ServedAgent* second = nullptr;
  ServedAgent a = Unbounded(OneEnd(Role::kInitiator), locks_ + "/");
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent b = Unbounded(
      [&](Role role, std::uint32_t number) {
        second->Count(kErrors, 9);
        return OneEnd(Role::kResponder)(role, number);
      },
      locks_ + "/b");
  second = &b;
  a.Count(kErrors, 5);
  b.Count(kErrors, 5);
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), Send1k());
  const std::vector<CounterChange> quiet{{kErrors, Kind::kUnchanged, 0}};
  const std::vector<CounterChange> grown{{kErrors, Kind::kGrew, 4}};
  ASSERT_THAT(answer.counters, SizeIs(2));
  EXPECT_EQ(answer.counters[0].host + " " + answer.counters[0].port, "a rxe0/1");
  EXPECT_EQ(answer.counters[1].host + " " + answer.counters[1].port, "b rxe0/1");
  EXPECT_EQ(answer.counters[0].changes, CounterChanges(quiet));
  EXPECT_FALSE(answer.counters[0].host_cpu) << "nobody asks for it";
  EXPECT_EQ(answer.counters[1].changes, CounterChanges(grown));
  ASSERT_THAT(a.store.transfers, SizeIs(1));
  ASSERT_THAT(b.store.transfers, SizeIs(1));
  EXPECT_EQ(a.store.transfers[0].result.error_counters, CounterChanges(quiet));
  EXPECT_EQ(b.store.transfers[0].result.error_counters, CounterChanges(grown));
}

TEST_F(CountersTest, MeasuresTheCpusOfEachEndWhereTheCallerAsks) {
  std::filesystem::create_directories(locks_ + "/b");
  ServedAgent a = Unbounded(OneEnd(Role::kInitiator), locks_ + "/");
  ServedAgent b = Unbounded(OneEnd(Role::kResponder), locks_ + "/b");
  a.host.files["/proc/stat"] = "cpu  10 1 20 300 40 5 6 7 0 0\n";  // that of b cannot be read
  PeerTest test = Send1k();
  test.options.measure_cpu = true;
  test.options.duration = std::chrono::milliseconds(20);
  const PeerAnswer answer = RunPeerTest(*a.Client("a"), *b.Client("b"), test);
  ASSERT_THAT(answer.counters, SizeIs(2));
  ASSERT_TRUE(answer.counters[0].host_cpu);
  EXPECT_EQ(answer.counters[0].host_cpu->busy_ns, 0);
  EXPECT_GT(answer.counters[0].host_cpu->measured_ns, 0);
  EXPECT_GE(answer.counters[0].host_cpu->idle_ns, 20'000'000);
  EXPECT_FALSE(answer.counters[1].host_cpu);
}

TEST_F(CountersTest, TwoDirectionsAreCountedOnce) {
  ServedAgent agent = Unbounded(BothEnds(), locks_);
  agent.Count(kErrors, 5);
  const TransferOptions options{.bidirectional = true};
  ASSERT_TRUE(agent.Client("a")->TestLoopback({}, {"write-8k"}, "", "", {}, {}, options).ok());
  ASSERT_THAT(agent.store.transfers, SizeIs(2));
  EXPECT_TRUE(agent.store.transfers[0].result.error_counters);
  EXPECT_EQ(agent.store.transfers[1].result.error_counters, CounterChanges{});
}

}  // namespace
}  // namespace rdmaready
