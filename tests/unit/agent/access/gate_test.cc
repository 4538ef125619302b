// SPDX-License-Identifier: Apache-2.0
#include "agent/access/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/base/status.h"
#include "tests/support/fake_clock.h"
#include "tests/support/made_certificate.h"

namespace rdmaready::access {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Identity Local(Role role) {
  const std::string path = "/run/rdmaready/" + std::string(RoleName(role)) + ".sock";
  return {.way = Way::kLocalSocket,
          .roles = RoleSet(role),
          .who = "uid 1000",
          .door = path,
          .origin = "uid 1000 pid 7 " + path};
}

Identity Certified(RoleSet roles, bool mapped) {
  return {
      .way = Way::kTls, .roles = roles, .who = "DNS:a.example", .door = "ipv4:10.0.0.7:4", .mapped = mapped};
}

TEST(Rows, EachRoleMayAskWhatItsRowsSayAndNothingElse) {
  Gate gate;
  for (const Role role : {Role::kObserve, Role::kTest, Role::kProve, Role::kApply}) {
    for (const AskRow& row : kAskRows) {
      const bool let_in = gate.Admit(Local(role), row.ask).ok();
      EXPECT_EQ(let_in, row.role <= role) << RoleName(role) << " asks " << row.rpc << " " << row.argument;
    }
  }
}

TEST(Rows, WhoHasNoRoleMayAskForTheVersionOnly) {
  Gate gate;
  for (const Identity& nobody : {Identity{}, Certified({}, true), Certified(RoleSet(Role::kAgent), true)}) {
    for (const AskRow& row : kAskRows) {
      EXPECT_EQ(gate.Admit(nobody, row.ask).ok(), row.ask == Ask::kGetVersion) << row.rpc;
    }
  }
}

TEST(Rows, WhatMovesDataOrChangesSomethingIsAudited) {
  for (const AskRow& row : kAskRows) EXPECT_EQ(row.audited, row.role >= Role::kTest) << row.rpc;
}

TEST(WhoCalls, WithoutGrpcIsKnownByAddressOrByCertificate) {
  const Gate gate(GateOptions{.plain_role = Role::kObserve});
  const Identity plain = gate.WhoCalls("ipv6:[::1]:40112", "");
  EXPECT_EQ(plain.way, Way::kPlainTcp);
  EXPECT_EQ(plain.who, "address [::1]");
  EXPECT_EQ(plain.roles, RoleSet(Role::kObserve));
  const Identity certified =
      gate.WhoCalls("ipv4:10.0.0.7:4", MadeCertificate("monitor", "DNS:mon1.example.org"));
  EXPECT_EQ(certified.way, Way::kTls);
  EXPECT_EQ(certified.who, "DNS:mon1.example.org");
  EXPECT_EQ(certified.origin, "ipv4:10.0.0.7:4 monitor DNS:mon1.example.org");
  EXPECT_EQ(certified.roles, RoleSet(Role::kObserve)) << "without a role map each certificate may observe";
  EXPECT_EQ(gate.WhoCalls("ipv4:10.0.0.7:4", MadeCertificate("monitor", "")).who, "CN=monitor");
}

TEST(WhoCalls, GivesPlainTcpOfLoopbackTheRoleObserveUnlessAnotherIsConfigured) {
  Gate gate(GateOptions{});
  const Identity caller = gate.WhoCalls("ipv4:127.0.0.1:40112", "");
  EXPECT_EQ(caller.roles, RoleSet(Role::kObserve));
  for (const AskRow& row : kAskRows)
    EXPECT_EQ(gate.Admit(caller, row.ask).ok(), row.role <= Role::kObserve) << row.rpc;
  EXPECT_EQ(Gate(GateOptions{.plain_role = Role::kTest}).WhoCalls("ipv4:127.0.0.1:40112", "").roles,
            RoleSet(Role::kTest));
}

TEST(Admitted, CountsWhoWasLetInByWhatHeAskedAndNobodyElse) {
  Gate gate;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(gate.Admit(Local(Role::kObserve), Ask::kGetMetrics).ok());
  EXPECT_FALSE(gate.Admit(Local(Role::kObserve), Ask::kTestPeer).ok());
  const auto admitted = gate.Admitted();
  EXPECT_EQ(admitted.at(static_cast<std::size_t>(Ask::kGetMetrics) - 1), 3);
  EXPECT_EQ(admitted.at(static_cast<std::size_t>(Ask::kTestPeer) - 1), 0);
}

TEST(Refusal, NamesWhatIsMissingWhatOneHasTheWayInAndWhatToDo) {
  const auto words = [](const Identity& caller, Ask ask) { return Message(Refusal(caller, RowOf(ask))); };
  EXPECT_EQ(
      words(Local(Role::kObserve), Ask::kCheckLoopback),
      "refused: Check (level loopback) needs the role test, and uid 1000 by the socket "
      "/run/rdmaready/observe.sock has the role observe; ask by the socket test.sock, as a member of the group "
      "rdmaready-test or as root");
  EXPECT_EQ(words(Local(Role::kTest), Ask::kProbeProve),
            "refused: Probe (prove) needs the role prove, and uid 1000 by the socket /run/rdmaready/test.sock "
            "has the "
            "role test; ask as root, by the socket prove.sock");
  EXPECT_EQ(
      words(Certified(RoleSet(Role::kObserve), false), Ask::kTestPeer),
      "refused: TestPeer needs the role test, and DNS:a.example by TLS has the role observe; the agent has no "
      "role map: its administrator makes one (--roles) with the line test: [\"DNS:a.example\"]");
  EXPECT_THAT(words(Certified({}, true), Ask::kGetFacts),
              AllOf(HasSubstr("needs the role observe, and DNS:a.example by TLS has no role"),
                    HasSubstr("gives a name of your certificate the role observe in the agent's role map")));
  EXPECT_THAT(words({.way = Way::kPlainTcp, .roles = RoleSet(Role::kTest), .who = "address 10.0.0.7"},
                    Ask::kProbeProve),
              HasSubstr("start that agent with --plain-role prove (`plain_role: prove` in its agent.yaml)"));
  EXPECT_THAT(words({}, Ask::kGetFacts), HasSubstr("an unknown caller by an unknown way has no role"));
}

TEST(Refusal, IsNotTakenForWhatTheHostRefusesTheAgent) {
  EXPECT_TRUE(IsRefusal(Refusal({}, RowOf(Ask::kProbe))));
  EXPECT_FALSE(IsRefusal(absl::PermissionDeniedError("open /run/lock/x: Permission denied")));
  EXPECT_FALSE(IsRefusal(absl::InternalError("refused: x")));
}

TEST(Gate, CountsWhatItRefuses) {
  Gate gate({.quota = {.calls = 1}});
  EXPECT_THAT(gate.Refusals(), IsEmpty());
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(absl::IsPermissionDenied(gate.Admit(Local(Role::kObserve), Ask::kTestPeer).status()));
  const absl::StatusOr<Pass> first = gate.Admit(Local(Role::kTest), Ask::kTestPeer);
  EXPECT_TRUE(absl::IsResourceExhausted(gate.Admit(Local(Role::kTest), Ask::kTestPeer).status()));
  const std::vector<RefusalCount> counts = gate.Refusals();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].times, 3);
  EXPECT_FALSE(counts[0].quota);
  EXPECT_EQ(counts[1].times, 1);
  EXPECT_TRUE(counts[1].quota);
}

TEST(Gate, TellsTheLogOfARefusal) {
  std::vector<Event> events;
  Gate gate({.events = [&events](const Event& event) { events.push_back(event); }});
  EXPECT_FALSE(gate.Admit(Local(Role::kObserve), Ask::kProbe).ok());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].name, kRefusedEvent);
  EXPECT_EQ(events[0].level, EventLevel::kWarning);
}

TEST(Quota, OneCallerHasSoManyCallsAtATimeAndAnotherIsNotConcerned) {
  Gate gate({.quota = {.calls = 2}});
  absl::StatusOr<Pass> first = gate.Admit(Local(Role::kTest), Ask::kGetFacts);
  const absl::StatusOr<Pass> second = gate.Admit(Local(Role::kTest), Ask::kGetFacts);
  EXPECT_THAT(Message(gate.Admit(Local(Role::kTest), Ask::kGetFacts).status()),
              HasSubstr("uid 1000 has 2 calls here already"));
  // By another socket he is the same caller.
  EXPECT_FALSE(gate.Admit(Local(Role::kObserve), Ask::kGetFacts).ok());
  EXPECT_TRUE(gate.Admit(Certified(RoleSet(Role::kObserve), true), Ask::kGetFacts).ok());
  first = absl::CancelledError("");
  EXPECT_TRUE(gate.Admit(Local(Role::kTest), Ask::kGetFacts).ok());
}

TEST(Quota, TheHoursTestsAreLimitedByTimeAndByBytesAndComeBack) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  QuotaBook book({.test_time = seconds(60), .test_bytes = 1000});
  const QuotaBook::TimePoint start = QuotaBook::TimePoint() + std::chrono::hours(100);
  EXPECT_TRUE(book.MayTest("a", start).ok());
  book.Tested("a", seconds(40), 1, start);
  EXPECT_TRUE(book.MayTest("a", start + minutes(1)).ok());
  book.Tested("a", seconds(40), 1, start + minutes(30));
  EXPECT_THAT(Message(book.MayTest("a", start + minutes(31))),
              HasSubstr("a tested for 80.0 s within an hour, of 60 s"));
  EXPECT_TRUE(book.MayTest("b", start + minutes(31)).ok());
  EXPECT_TRUE(book.MayTest("a", start + minutes(61)).ok()) << "the first test is an hour ago";
  book.Tested("b", seconds(1), 1000, start);
  EXPECT_THAT(Message(book.MayTest("b", start)), HasSubstr("b moved 1000 B within an hour"));
}

TEST(Quota, ZeroIsNoLimit) {
  QuotaBook book({.calls = 0, .test_time = {}, .test_bytes = 0});
  const QuotaBook::TimePoint now = QuotaBook::TimePoint() + std::chrono::hours(1);
  std::vector<QuotaBook::Place> places;
  for (int i = 0; i < 1000; ++i) {
    absl::StatusOr<QuotaBook::Place> place = book.Enter("a", now);
    ASSERT_TRUE(place.ok());
    places.push_back(*std::move(place));
  }
  book.Tested("a", std::chrono::hours(10), 1ULL << 60, now);
  EXPECT_TRUE(book.MayTest("a", now).ok());
}

TEST(Quota, StrangersWithManyNamesDoNotFillTheMemory) {
  QuotaBook book({});
  const QuotaBook::TimePoint now = QuotaBook::TimePoint() + std::chrono::hours(1);
  const absl::StatusOr<QuotaBook::Place> stays = book.Enter("first", now);
  for (int i = 0; i < 20'000; ++i) EXPECT_TRUE(book.Enter("address " + std::to_string(i), now).ok());
  EXPECT_LE(book.size(), 1025U);
}

class AuditFile : public testing::Test {
 protected:
  void TearDown() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".1");
  }
  std::vector<nlohmann::json> Lines(const std::string& path) const {
    std::ifstream file(path);
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  std::shared_ptr<Audit> Open() {
    auto audit = std::make_shared<Audit>(path_, EventSink(), clock_);
    const absl::Status opened = audit->Open();
    EXPECT_TRUE(opened.ok()) << opened;
    return audit;
  }
  static AuditRecord RefusalOf(const Identity& who) {
    return {.kind = AuditRecord::Kind::kRefused, .who = &who, .ask = Ask::kProbe, .result = "no"};
  }

  FakeClock clock_;
  const std::string path_ = testing::TempDir() + "audit-" + std::to_string(::getpid()) + ".jsonl";
};

TEST_F(AuditFile, SaysOfATestWhoByWhichWayWhatAndWhatCameOfIt) {
  Gate gate({.audit = Open()});
  {
    absl::StatusOr<Pass> pass = gate.Admit(Local(Role::kTest), Ask::kTestLoopback);
    ASSERT_TRUE(pass.ok());
    ASSERT_TRUE(pass->Begin({"run-1", "anna@build1\n{\"event\":\"forged\"}", "rxe0"}).ok());
    pass->Tested(std::chrono::milliseconds(500), 4096, false);
    pass->Tested(std::chrono::milliseconds(500), 4096, true);
    EXPECT_TRUE(pass->End(absl::OkStatus()).ok());
  }
  const std::vector<nlohmann::json> lines = Lines(path_);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["event"], "begun");
  EXPECT_EQ(lines[1]["event"], "ended");
  for (const nlohmann::json& line : lines) {
    EXPECT_EQ(line["rpc"], "TestLoopback");
    EXPECT_EQ(line["who"], "uid 1000");
    EXPECT_EQ(line["way"], "local socket");
    EXPECT_EQ(line["door"], "/run/rdmaready/test.sock");
    EXPECT_EQ(line["run_id"], "run-1");
    EXPECT_EQ(line["target"], "rxe0");
  }
  EXPECT_EQ(lines[1]["result"], "ok");
  EXPECT_EQ(lines[1]["tests"], 2);
  EXPECT_EQ(lines[1]["failed"], 1);
  EXPECT_EQ(lines[1]["test_ms"], 1000);
  EXPECT_EQ(lines[1]["test_bytes"], 8192);
}

TEST_F(AuditFile, HoldsRefusalsAndNothingOfWhoOnlyLooks) {
  Gate gate({.audit = Open()});
  EXPECT_TRUE(gate.Admit(Local(Role::kObserve), Ask::kGetFacts)->Begin({}).ok());
  EXPECT_FALSE(gate.Admit(Local(Role::kObserve), Ask::kProbeProve).ok());
  const std::vector<nlohmann::json> lines = Lines(path_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["event"], "refused");
  EXPECT_EQ(lines[0]["needs"], "prove");
  EXPECT_EQ(lines[0]["role"], "observe");
}

TEST_F(AuditFile, SaysThatACallBrokeOff) {
  Gate gate({.audit = Open()});
  { EXPECT_TRUE(gate.Admit(Local(Role::kTest), Ask::kProbe)->Begin({}).ok()); }
  EXPECT_EQ(Lines(path_).back()["result"], "broken off");
}

TEST_F(AuditFile, OfOneCallersRefusalsTheTenthOfAMinuteIsTheLastAndTheRestAreCounted) {
  const std::shared_ptr<Audit> audit = Open();
  const Identity noisy = Local(Role::kObserve);
  const Identity other = Certified({}, true);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(audit->Write(RefusalOf(noisy)).ok());
  EXPECT_TRUE(audit->Write(RefusalOf(other)).ok());
  EXPECT_EQ(Lines(path_).size(), 11U);
  clock_.Advance(std::chrono::seconds(61));
  EXPECT_TRUE(audit->Write(RefusalOf(noisy)).ok());
  EXPECT_EQ(Lines(path_)[11]["not_written_before"], 490);
}

TEST_F(AuditFile, ThatWasMovedAwayIsBegunAnew) {
  const std::shared_ptr<Audit> audit = Open();
  const Identity who = Local(Role::kObserve);
  EXPECT_TRUE(audit->Write(RefusalOf(who)).ok());
  std::filesystem::rename(path_, path_ + ".1");
  EXPECT_TRUE(audit->Write(RefusalOf(who)).ok());
  EXPECT_EQ(Lines(path_ + ".1").size(), 1U);
  EXPECT_EQ(Lines(path_).size(), 1U);
}

TEST_F(AuditFile, ThatWasMovedAwayIsGoneOnWithUntilThereMayBeANewOne) {
  const std::shared_ptr<Audit> audit = Open();
  const Identity who = Local(Role::kObserve);
  std::filesystem::rename(path_, path_ + ".1");
  std::filesystem::create_directory(path_);  // as little to be opened as one that only root can make
  EXPECT_TRUE(audit->Write(RefusalOf(who)).ok());
  EXPECT_EQ(Lines(path_ + ".1").size(), 1U);
  std::filesystem::remove(path_);
  EXPECT_TRUE(audit->Write(RefusalOf(who)).ok());
  EXPECT_EQ(Lines(path_).size(), 1U);
}

TEST_F(AuditFile, ThatOthersMayWriteIsRefused) {
  std::ofstream(path_) << "";
  std::filesystem::permissions(path_, std::filesystem::perms(0666));
  EXPECT_THAT(Message(Audit(path_).Open()), HasSubstr("others could write it"));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_THAT(Message(Audit(path_).Open()), HasSubstr("symbolic links"));
}

// A full disk: a test goes on and the loss is counted, a proof is not begun.
TEST(AuditOnAFullDisk, ProofsAreNotBegunAndTestsAreAndTheLossIsTold) {
  std::vector<std::string> events;
  auto audit = std::make_shared<Audit>("/nowhere/audit.jsonl",
                                       [&events](const Event& event) { events.emplace_back(event.name); });
  EXPECT_FALSE(audit->Open().ok());
  Gate gate({.audit = audit});
  EXPECT_TRUE(gate.Admit(Local(Role::kProve), Ask::kTestLoopback)->Begin({}).ok());
  EXPECT_THAT(events, testing::Contains("audit-lost"));
  const absl::Status proof = gate.Admit(Local(Role::kProve), Ask::kProbeProve)->Begin({});
  EXPECT_TRUE(absl::IsFailedPrecondition(proof));
  EXPECT_THAT(Message(proof), HasSubstr("a proof is not made that cannot be written down"));
  EXPECT_EQ(audit->lost(), 3);
  EXPECT_TRUE(absl::IsFailedPrecondition(gate.Admit(Local(Role::kApply), Ask::kApply)->Begin({})));
  EXPECT_TRUE(gate.Admit(Local(Role::kApply), Ask::kRollBack)->Begin({}).ok()) << "back is always allowed";
}

TEST_F(AuditFile, CountsTheLinesThatWereLostOnceThereIsRoomAgain) {
  const std::string folder = path_ + ".d";
  Audit audit(folder + "/audit.jsonl");
  const Identity who = Local(Role::kObserve);
  EXPECT_FALSE(audit.Write(RefusalOf(who)).ok());
  EXPECT_FALSE(audit.Write(RefusalOf(who)).ok());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(audit.Write(RefusalOf(who)).ok());
  const std::vector<nlohmann::json> lines = Lines(folder + "/audit.jsonl");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["event"], "lost");
  EXPECT_EQ(lines[0]["lines"], 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rdmaready::access
