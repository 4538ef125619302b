// SPDX-License-Identifier: Apache-2.0
// What a host says of its live tests: taken as a whole or not at all, kept, judged.
#include "hub/ingest/past.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "agent/report/pack_past.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/convert/records.h"
#include "api/model/cases.h"
#include "checks/words/words.h"
#include "hub/ingest/unpack.h"
#include "hub/judge/host_judge.h"
#include "hub/judge/own_past.h"
#include "hub/judge/rule_book.h"
#include "hub/store/sqlite_fleet_store.h"
#include "rdmaready/v1/ingest.pb.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t kOneDayNs = 86'400'000'000'000;
constexpr std::uint64_t kMegabyte = 1'000'000;

CaseBaseline ATest(const std::string& test = "write-512k", std::uint64_t megabytes = 97) {
  static const std::int64_t now = UnixNowNs();
  return {.port = "mlx5_0/1",
          .case_name = test,
          .role = "loopback",
          .last_bytes_per_s = megabytes * kMegabyte,
          .last_unix_ns = now,
          .days = 30,
          .p10_bytes_per_s = 96 * kMegabyte,
          .p50_bytes_per_s = 97 * kMegabyte,
          .latency_p99_ns = 5000,
          .days_kept = 91,
          .first_unix_ns = now - 90 * kOneDayNs};
}

std::string PlainPast(const std::vector<CaseBaseline>& tests) {
  v1::Past message;
  for (const CaseBaseline& test : tests) *message.add_tests() = ToProto(test);
  return message.SerializeAsString();
}

std::string WhyNotTaken(const std::vector<CaseBaseline>& tests) {
  return std::string(ParsePast(PlainPast(tests)).status().message());
}

TEST(Past, WhatAnAgentPacksIsReadAsItWas) {
  std::vector<CaseBaseline> tests{ATest(), ATest("send-1k", 50)};
  tests[1].role = "initiator";
  tests[1].peer = "node2";
  tests[1].last_unix_ns -= 5;
  const auto packed = report::PackPast({tests[1], tests[0]});
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ((*packed)->tests, 2u);
  const auto read = ReadPast((*packed)->zlib, (*packed)->bytes, absl::BytesToHexString((*packed)->digest));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, tests) << "the newest first";
  EXPECT_EQ((*report::PackPast(tests))->digest, (*packed)->digest) << "in whatever order";
  EXPECT_THAT(std::string(ReadPast((*packed)->zlib, (*packed)->bytes, std::string(64, 'a')).status().message()),
              HasSubstr("digest"));
}

TEST(Past, OfManyTestsTheNewestTravel) {
  std::vector<CaseBaseline> tests;
  for (int i = 0; i < 1000; ++i) {
    tests.push_back(ATest());
    tests.back().role = "responder";
    tests.back().peer = "node" + std::to_string(i);
    tests.back().last_unix_ns -= i;
  }
  const auto packed = *report::PackPast(tests);
  EXPECT_EQ(packed->tests, kMostPastTests);
  const auto read = *ReadPast(packed->zlib, packed->bytes, absl::BytesToHexString(packed->digest));
  EXPECT_EQ(read.front().peer, "node0");
  EXPECT_EQ(read.back().peer, "node255");
  // Names that callers made up: what no hub takes stays here, and nothing is larger than a hub takes.
  for (CaseBaseline& test : tests) test.peer = std::string(240, 'p') + test.peer;
  tests[0].peer = std::string(kMostPastTextBytes + 1, 'x');
  for (CaseBaseline& test : tests) test.case_name = std::string(255, 'c');
  const auto large = *report::PackPast(tests);
  EXPECT_LE(large->bytes, kMostPastBytes);
  EXPECT_LE(large->zlib.size(), kMostPackedPastBytes);
  EXPECT_GT(large->tests, 200u);
  EXPECT_TRUE(ReadPast(large->zlib, large->bytes, absl::BytesToHexString(large->digest)).ok());
}

// What a host with two ports costs that tests five cases a night through each: hubs of thousands of hosts are
// sized by it.
TEST(Past, OfAHostTakesLessThanOneKibibyte) {
  std::vector<CaseBaseline> tests;
  for (const char* port : {"mlx5_0/1", "mlx5_1/1"}) {
    std::uint64_t rate = 11'713'000'017;
    for (const TransferCase& test : CheckedCasesOn(Rung::kLoopback)) {
      CaseBaseline one = ATest(std::string(test.name));
      one.port = port;
      one.last_bytes_per_s = rate;
      one.p10_bytes_per_s = rate - rate / 37;
      one.p50_bytes_per_s = rate - rate / 91;
      one.latency_p99_ns = static_cast<std::int64_t>(rate % 100'003);
      one.last_unix_ns += static_cast<std::int64_t>(rate);
      rate = rate * 7 / 9 + 12'345;
      tests.push_back(one);
    }
  }
  const auto packed = *report::PackPast(tests);
  ASSERT_GE(packed->tests, 10u);
  RecordProperty("tests", static_cast<int>(packed->tests));
  RecordProperty("bytes", static_cast<int>(packed->bytes));
  RecordProperty("packed_bytes", static_cast<int>(packed->zlib.size()));
  EXPECT_LT(packed->zlib.size(), 1024u);
}

TEST(Past, WhatCannotBeIsNotTaken) {
  EXPECT_EQ(WhyNotTaken({ATest()}), "");
  EXPECT_EQ(WhyNotTaken({}), "");
  const auto without = [](auto change) {
    CaseBaseline test = ATest();
    change(test);
    return WhyNotTaken({test});
  };
  constexpr const char* kCannotBe = "a past with a test that cannot be";
  EXPECT_EQ(without([](CaseBaseline& test) { test.port.clear(); }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.case_name.clear(); }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.role = "spectator"; }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.peer = std::string(kMostPastTextBytes + 1, 'x'); }),
            kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.last_bytes_per_s = ~std::uint64_t{0}; }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.p10_bytes_per_s = std::uint64_t{1} << 62; }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.last_unix_ns = 0; }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.changed_unix_ns = -1; }), kCannotBe);
  EXPECT_EQ(without([](CaseBaseline& test) { test.before_days = ~0U; }), kCannotBe);
  EXPECT_EQ(WhyNotTaken({ATest(), ATest("send-1k"), ATest()}), "a past with one test twice");
  std::vector<CaseBaseline> many(kMostPastTests + 1, ATest());
  EXPECT_EQ(WhyNotTaken(many), "a past of 257 tests, 256 are taken");
  EXPECT_FALSE(ParsePast(std::string(50, '\xff')).ok());
}

TEST(Past, ABombIsRefusedBeforeItIsUnpacked) {
  EXPECT_THAT(std::string(ReadPast(std::string(kMostPackedPastBytes + 1, 'x'), 100, "").status().message()),
              HasSubstr("are taken"));
  EXPECT_THAT(std::string(ReadPast("x", kMostPastBytes + 1, "").status().message()), HasSubstr("are taken"));
  const std::string zeros(std::size_t{8} << 20, '\0');
  ::uLongf size = ::compressBound(zeros.size());
  std::string bomb(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(bomb.data()), &size, reinterpret_cast<const Bytef*>(zeros.data()),
             zeros.size());
  bomb.resize(size);
  ASSERT_LT(bomb.size(), kMostPackedPastBytes);
  EXPECT_THAT(std::string(ReadPast(bomb, kMostPastBytes, "").status().message()), HasSubstr("do not unpack"));
}

// ---- judging
// ----------------------------------------------------------------------------------------------------

// The good host, had it an adapter.
Facts HardHost(bool software = false) {
  Facts facts = GoodHost();
  std::vector<Port> ports = *facts.ports;
  ports.front().device = "mlx5_0";
  for (Port& port : ports) port.software = software;
  facts.ports = ports;
  return facts;
}

std::vector<Finding> Judged(const std::vector<CaseBaseline>& tests, const Facts& facts = HardHost(),
                            std::set<std::string> told = {}) {
  return JudgeOwnPasts(facts, {.tests = TestsOf(tests, facts), .told = std::move(told)}, UnixNowNs());
}

TEST(OwnPasts, ASlowLastTestIsFoundAtItsPort) {
  const std::vector<Finding> findings = Judged({ATest("write-512k", 13), ATest("send-1k")});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].id, "cmp.own-past");
  EXPECT_EQ(findings[0].outcome, Outcome::kWarn);
  EXPECT_FALSE(findings[0].blocking);
  EXPECT_EQ(findings[0].subject, SubjectOf(HardHost().ports->front()));
  EXPECT_EQ(findings[0].observed, "write-512k 13.0 MB/s, 97.0 MB/s in the 30 days before");
  EXPECT_EQ(Judged({ATest()})[0].outcome, Outcome::kPass);
}

TEST(OwnPasts, OfAPortThatWasNeverTestedNothingIsFound) {
  EXPECT_THAT(Judged({}), IsEmpty());
  CaseBaseline other = ATest("write-512k", 13);
  other.port = "mlx5_7/1";
  EXPECT_THAT(Judged({other}), IsEmpty()) << "a port that is gone";
  other = ATest("write-512k", 13);
  other.role = "initiator";
  other.peer = "node2";
  EXPECT_THAT(Judged({other}), IsEmpty()) << "which of the two it is nobody can tell";
}

TEST(OwnPasts, WhatIsForgottenIsNotWell) {
  const std::string port = SubjectOf(HardHost().ports->front());
  const std::vector<Finding> findings = Judged({}, HardHost(), {port, "mlx5_7/1"});
  ASSERT_THAT(findings, SizeIs(1)) << "a port that is gone is no more";
  EXPECT_EQ(findings[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(findings[0].observed, "no loopback test is remembered");
}

TEST(OwnPasts, WhatIsForgottenIsFoundByTheLongestNameThatIsTaken) {
  Facts facts = HardHost();
  std::vector<Port> ports = *facts.ports;
  Port& port = ports.front();
  port.device = std::string(kMostDeviceNameBytes, 'd');
  Netdev netdev = *port.netdev;
  netdev.name = std::string(kMostDeviceNameBytes, 'n');
  port.netdev = netdev;
  facts.ports = ports;
  CaseBaseline slow = ATest("write-512k", 13);
  slow.port = PortName(port);
  const std::shared_ptr<const RuleBook> rules = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
  const std::int64_t now = UnixNowNs();
  const auto kept =
      JudgeInFleet(facts, rules->RulesOf("node1", now), "node1", now, {}, {.tests = TestsOf({slow}, facts)})
          .host.findings;
  const auto found = std::ranges::find(kept, "cmp.own-past", &FleetFinding::check);
  ASSERT_NE(found, kept.end());
  EXPECT_THAT(Judged({}, facts, {found->subject}), SizeIs(1)) << "it is kept as it is called";
}

TEST(OwnPasts, TheSpeedOfASoftwareDeviceSaysNothing) {
  const Facts soft = HardHost(true);
  ASSERT_THAT(Judged({ATest("write-512k", 13)}, soft), SizeIs(1));
  EXPECT_EQ(Judged({ATest("write-512k", 13)}, soft)[0].outcome, Outcome::kNotApplicable);
  EXPECT_TRUE(TestsOf({ATest()}, soft)[0].software);
  EXPECT_FALSE(TestsOf({ATest()}, HardHost())[0].software);
}

// ---- the store
// --------------------------------------------------------------------------------------------------

class PastStoreTest : public testing::Test {
 protected:
  PastStoreTest() { std::filesystem::create_directories(root_); }
  ~PastStoreTest() override { std::filesystem::remove_all(root_); }
  std::unique_ptr<SqliteFleetStore> Open() {
    auto store = SqliteFleetStore::Open({.path = root_ + "/fleet.db"});
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static void Commit(FleetStore& store, const std::string& id, std::optional<KeptPast> past) {
    JudgedHost judged;
    judged.host.host_id = id;
    judged.host.name = id;
    judged.host.digest = std::string(64, 'd');
    judged.mark = {.run_id = "run", .sequence = 1};
    judged.facts_zlib = "facts";
    judged.past = std::move(past);
    const auto changes = store.Commit({&judged, 1}, 100);
    EXPECT_TRUE(changes.ok()) << changes.status();
  }
  static std::vector<KeptTest> TestsIn(FleetStore& store, const std::string& id = {}) {
    std::vector<KeptTest> tests;
    EXPECT_TRUE(store.Tests(id, [&](KeptTest&& test) { tests.push_back(std::move(test)); }).ok());
    return tests;
  }
  static std::vector<std::string> DigestsIn(FleetStore& store) {
    std::vector<std::string> all;
    EXPECT_TRUE(store
                    .Pasts([&](const std::string& id, const std::string& digest) {
                      all.push_back(id + " " + digest.substr(0, 1));
                    })
                    .ok());
    return all;
  }
  const std::string root_ = testing::TempDir() + "past store " + std::to_string(::getpid());
};

TEST_F(PastStoreTest, KeepsThePastOfEachHostAsAWhole) {
  CaseBaseline slow = ATest("write-512k", 13);
  slow.changed_unix_ns = 7;
  slow.before_bytes_per_s = 97;
  slow.before_days = 90;
  const KeptTest first{.software = true, .test = slow};
  const KeptTest second{.test = ATest("send-1k")};
  {
    const auto store = Open();
    Commit(*store, "one", KeptPast{.digest = std::string(64, 'a'), .tests = {first, second}});
    Commit(*store, "two", KeptPast{.digest = std::string(64, 'b'), .tests = {second}});
    Commit(*store, "three", std::nullopt);
  }
  const auto store = Open();
  EXPECT_THAT(DigestsIn(*store), ElementsAre("one a", "two b"));
  EXPECT_THAT(TestsIn(*store), SizeIs(3));
  const std::vector<KeptTest> of_one = TestsIn(*store, "one");
  ASSERT_THAT(of_one, SizeIs(2));
  EXPECT_EQ(of_one[1], (KeptTest{.host_id = "one", .software = true, .test = slow})) << "to the last number";
  Commit(*store, "one", std::nullopt);
  EXPECT_THAT(TestsIn(*store, "one"), SizeIs(2)) << "a report without one leaves it";
  Commit(*store, "one", KeptPast{.digest = std::string(64, 'c'), .tests = {second}});
  EXPECT_THAT(TestsIn(*store, "one"), SizeIs(1));
  Commit(*store, "one", KeptPast{.digest = std::string(64, 'e')});
  EXPECT_THAT(TestsIn(*store, "one"), IsEmpty());
  EXPECT_THAT(DigestsIn(*store), ElementsAre("one e", "two b")) << "it has told that it remembers none";
}

TEST_F(PastStoreTest, OfARevokedHostNoPastIsThereAndNoneComesBack) {
  const auto store = Open();
  const KeptPast past{.digest = std::string(64, 'a'), .tests = {{.test = ATest()}}};
  Commit(*store, "one", past);
  Commit(*store, "two", past);
  ASSERT_TRUE(store->PutRevoked({.host_id = "one", .unix_ns = 1, .who = "anna", .why = "a drill"}).ok());
  EXPECT_THAT(TestsIn(*store, "one"), IsEmpty());
  EXPECT_THAT(DigestsIn(*store), ElementsAre("two a"));
  Commit(*store, "one", past);  // its report was waiting
  EXPECT_THAT(TestsIn(*store, "one"), IsEmpty());
  EXPECT_THAT(DigestsIn(*store), ElementsAre("two a"));
  EXPECT_EQ(store->FactsOf("one")->known.mark.sequence, 1u) << "what else it reported is kept";
  Commit(*store, "two", past);
  EXPECT_THAT(TestsIn(*store, "two"), SizeIs(1));
}

}  // namespace
}  // namespace rdmaready::hub
