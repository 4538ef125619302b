// SPDX-License-Identifier: Apache-2.0
// `rdmaready apply` in this process, with agents in this process that it calls over loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "api/base/plan_digest.h"
#include "cli/command/apply_flags.h"
#include "cli/commands.h"
#include "tests/unit/cli/fleet/applying_agent.h"

namespace rdmaready {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;

int RunApplyLine(const std::string& command, std::vector<std::string> words, std::FILE* out, std::FILE* err,
                 Interrupt& interrupt) {
  words.insert(words.begin(), {"rdmaready", command});
  std::vector<const char*> line;
  for (const std::string& word : words) line.push_back(word.c_str());
  Console console(out, err);
  return RunCommandLine(static_cast<int>(line.size()), line.data(), console, interrupt);
}

std::string SaidSoFar(std::FILE* file) {
  std::array<char, 65536> text{};
  const ::ssize_t size = ::pread(::fileno(file), text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<::ssize_t>(size, 0))};
}

struct ApplyAnswer {
  int status = 0;
  std::string out{};
  std::string err{};
};

// `out`: where it may be looked at meanwhile.
ApplyAnswer SaySo(const std::string& command, std::vector<std::string> words, std::FILE* out = std::tmpfile()) {
  std::FILE* err = std::tmpfile();
  ApplyAnswer answer;
  {
    Interrupt interrupt;
    words.emplace_back("--insecure");
    answer.status = RunApplyLine(command, std::move(words), out, err, interrupt);
  }
  std::fflush(err);
  answer.out = SaidSoFar(out);
  answer.err = SaidSoFar(err);
  std::fclose(out);
  std::fclose(err);
  return answer;
}

ApplyAnswer ApplyTo(std::vector<std::string> words, std::FILE* out = std::tmpfile()) {
  return SaySo("apply", std::move(words), out);
}

// Ctrl-C, and then nothing more.
void InterruptAndWait() {
  ::kill(::getpid(), SIGINT);
  while (true) ::pause();  // the process ends
}

// The first host is armed when the second is interrupted in the middle of it; the third is never begun.
void ApplyAndInterrupt(std::vector<std::string> options, std::FILE* out, std::FILE* err) {
  Interrupt interrupt;  // before any thread
  ApplyingAgent armed(ChangeState::kAwaitingConfirm);
  ApplyingAgent begun(ChangeState::kWriting);
  ApplyingAgent later(ChangeState::kAwaitingConfirm);
  begun.told = InterruptAndWait;
  options.insert(options.begin(), {armed.address(), begun.address(), later.address(), "--yes", "--insecure"});
  std::_Exit(RunApplyLine("apply", std::move(options), out, err, interrupt));
}

class InterruptedApply : public testing::Test {
 protected:
  InterruptedApply() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(InterruptedApply, NamesEachHostThatIsArmedUntilWhenAndWhatSettlesIt) {
  EXPECT_EXIT(ApplyAndInterrupt({}, stdout, stderr), ExitedWithCode(130),
              AllOf(HasSubstr("change 1a2b3c4d is armed and goes back by itself at 20"),
                    HasSubstr("to keep it: rdmaready confirm 127.0.0.1:"),
                    HasSubstr("to take it back now: rdmaready rollback 127.0.0.1:"), HasSubstr(" --insecure"),
                    HasSubstr("rdmaready forget 127.0.0.1:"), HasSubstr("interrupted")));
}

TEST_F(InterruptedApply, IsAnObjectOfWhatIsKnownWhereOneIsAskedFor) {
  const auto hosts = [](const std::string& said) {
    const auto run = nlohmann::json::parse(said, nullptr, false);
    if (run.is_discarded()) return "no object: " + said;
    std::string words;
    for (const auto& host : run["hosts"]) {
      words += host["not_begun"]   ? "not begun; "
               : host["under_way"] ? "under way; "
                                   : host["change"]["state"].get<std::string>() + "; ";
    }
    return words;
  };
  EXPECT_EXIT(ApplyAndInterrupt({"--output", "json"}, stderr, std::tmpfile()), ExitedWithCode(130),
              testing::ResultOf(hosts, "awaiting-confirm; under way; not begun; "));
}

TEST(StatusCommand, EndsWithOneWhereAChangeAwaitsItsConfirmation) {
  ApplyingAgent quiet(ChangeState::kNothingToDo);
  ApplyingAgent armed(ChangeState::kAwaitingConfirm);
  armed.applier.changes = {{.id = kChange,
                            .requester = "alice",
                            .begun_unix_ns = 1'795'200'000'000'000'000,
                            .state = ChangeState::kAwaitingConfirm,
                            .deadline_in_ms = 42'000}};
  EXPECT_EQ(SaySo("status", {quiet.address()}).status, 0);
  const ApplyAnswer answer = SaySo("status", {quiet.address(), armed.address()});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("NEEDS A PERSON: a change awaits its confirmation"),
                                HasSubstr("1a2b3c4d by alice"),
                                HasSubstr("rdmaready confirm " + armed.address() + " --insecure\n"),
                                HasSubstr(quiet.address() + "  nothing is open")));
  const auto run = nlohmann::json::parse(SaySo("status", {armed.address(), "--output", "json"}).out);
  EXPECT_EQ(run["hosts"][0]["changes"][0]["requester"], "alice");
}

TEST(StatusCommand, IsNotOkWhereTheApplierDoesNotAnswer) {
  ApplyingAgent agent(ChangeState::kNothingToDo);
  agent.applier_status = {grpc::StatusCode::INTERNAL, "its journal cannot be read"};
  const ApplyAnswer answer = SaySo("status", {agent.address()});
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.out, HasSubstr("UNKNOWN whether a change is open: host " + agent.address()));
}

TEST(ApplyCommand, AgreesToThePlanThatWasShownAndToNoOther) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  ASSERT_EQ(ApplyTo({agent.address(), "--yes"}).status, 0);
  EXPECT_EQ(agent.asked_for().plan_sha256(), *PlanDigest({.steps = {agent.step}}));
  agent.refused = {grpc::StatusCode::FAILED_PRECONDITION, "the plan is not the one that was shown any more"};
  const ApplyAnswer refused = ApplyTo({agent.address(), "--yes"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("not the one that was shown"));
}

TEST(ApplyCommand, SaysOfAHostWhatItsApplierSaysAtTheEnd) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  agent.applier.changes = {{.id = kChange, .state = ChangeState::kRolledBack, .reason = "nobody confirmed it"}};
  const ApplyAnswer answer = ApplyTo({agent.address(), "--yes"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out,
              AllOf(HasSubstr("taken back (change 1a2b3c4d): nobody confirmed it"), Not(HasSubstr("armed"))));
}

TEST(ApplyCommand, DoesNotSayThatAHostIsArmedThatCannotBeAskedAgain) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  agent.applier_status = {grpc::StatusCode::UNAVAILABLE, "the link did not come back"};
  const ApplyAnswer answer = ApplyTo({agent.address(), "--yes"});
  EXPECT_EQ(answer.status, 4);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("how it stands now is not known"), HasSubstr("heard last: armed"),
                                Not(HasSubstr("proven and armed"))));
  const auto run = nlohmann::json::parse(ApplyTo({agent.address(), "--yes", "--output", "json"}).out);
  EXPECT_TRUE(run["hosts"][0]["heard_last"]);
}

TEST(ApplyCommand, TellsWhatBecameOfAHostBeforeTheNextBegins) {
  ApplyingAgent first(ChangeState::kAwaitingConfirm);
  ApplyingAgent second(ChangeState::kRolledBack);
  ApplyingAgent third(ChangeState::kAwaitingConfirm);
  for (const bool at_once : {false, true}) {
    std::FILE* out = std::tmpfile();
    std::string meanwhile;
    second.told = [&] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(at_once ? 20 : 0);
      // At once it is another thread that says it.
      for (meanwhile = SaidSoFar(out); meanwhile.find("# within 60 s") == std::string::npos;
           meanwhile = SaidSoFar(out)) {
        if (std::chrono::steady_clock::now() >= end) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    };
    std::vector<std::string> words{first.address(), second.address(), third.address(), "--yes"};
    if (at_once) words.insert(words.end(), {"--rolling", "--max-unavailable", "2"});
    const ApplyAnswer answer = ApplyTo(words, out);
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(meanwhile,
                AllOf(HasSubstr("proven and armed (change 1a2b3c4d)"),
                      HasSubstr("rdmaready confirm " + first.address() + " --insecure  # within 60 s")));
    EXPECT_THAT(answer.out,
                AllOf(HasSubstr(second.address() + "  taken back"),
                      HasSubstr("rdmaready confirm " + first.address()), HasSubstr("# keeps what is armed")))
        << at_once;
  }
  second.told = {};
  EXPECT_THAT(ApplyTo({first.address(), second.address(), third.address(), "--yes"}).out,
              HasSubstr(third.address() + "  not begun"));
}

TEST(ApplyCommand, WithYesAndJsonIsOneObjectOfAllHosts) {
  ApplyingAgent first(ChangeState::kAwaitingConfirm);
  ApplyingAgent second(ChangeState::kRolledBack);
  const ApplyAnswer answer =
      ApplyTo({first.address(), second.address(), "127.0.0.1:1", "--yes", "--output", "json"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_EQ(answer.err, "");
  const auto run = nlohmann::json::parse(answer.out, nullptr, false);
  ASSERT_FALSE(run.is_discarded()) << answer.out;
  EXPECT_EQ(run["schema"], "rdmaready.v1.Apply");
  ASSERT_EQ(run["hosts"].size(), 3U);
  EXPECT_EQ(run["hosts"][0]["change"]["state"], "awaiting-confirm");
  EXPECT_EQ(run["hosts"][0]["plan"]["steps"].size(), 1U);
  EXPECT_EQ(run["hosts"][1]["change"]["state"], "rolled-back");
  EXPECT_NE(run["hosts"][2]["error"], "");
}

TEST(ApplyCommand, RefusesAPeerThatIsTheHostItself) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  ApplyingAgent same(ChangeState::kAwaitingConfirm);
  same.instance = agent.address();  // one agent by another address
  for (const std::string& peer : {agent.address(), same.address()}) {
    const ApplyAnswer answer = ApplyTo({agent.address(), "--yes", "--peer", peer});
    EXPECT_EQ(answer.status, 2) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("is host " + agent.address() + " itself"));
  }
  EXPECT_EQ(agent.applied + same.applied, 0);
}

TEST(ApplyCommand, CallsNoPeerThatNobodyNamed) {
  ApplyingAgent agent(ChangeState::kRolledBack, true);  // for the peer "b"
  const ApplyAnswer answer = ApplyTo({agent.address(), "--yes"});
  EXPECT_EQ(answer.status, 1) << "it was written, and taken back";
  EXPECT_THAT(answer.err, AllOf(HasSubstr("no proof with b"), HasSubstr("--peer b allows it")));
  EXPECT_EQ(agent.asked(), 1) << "its agent need not wait for tests";
}

TEST(ApplyCommand, GivesAHostTheTimeThatItsDriversNeed) {
  ApplyingAgent agent(ChangeState::kAwaitingConfirm);
  agent.step.disturbance.estimate_ms = 100'000;
  ASSERT_EQ(ApplyTo({agent.address(), "--yes", "--confirm-within", "30s", "--timeout", "20s"}).status, 0);
  EXPECT_GT(agent.time_left(), std::chrono::seconds(340));
  EXPECT_LE(agent.time_left(), std::chrono::seconds(352));
  agent.step.disturbance.estimate_ms = ~std::uint32_t{0};
  ASSERT_EQ(ApplyTo({agent.address(), "--yes"}).status, 0);
  EXPECT_LT(agent.time_left(), std::chrono::hours(1)) << "an estimate is the agent's word";
}

TEST(ForgetCommand, SaysSoWhereNothingThatIsKeptMatches) {
  ApplyingAgent agent(ChangeState::kNothingToDo);
  agent.applier = {.kept = {{{.kind = SettingKind::kMtu, .where = "dcb0"}, "9000"}},
                   .audit_head = std::string(64, 'a')};
  const ApplyAnswer missed = SaySo("forget", {agent.address(), "--setting", "pfc"});
  EXPECT_EQ(missed.status, 1);
  EXPECT_THAT(missed.err, HasSubstr("nothing that is kept matches: `rdmaready forget --list` shows what is"));
  EXPECT_EQ(SaySo("forget", {agent.address(), "--of", "dcb1"}).status, 1);
  EXPECT_EQ(agent.forgotten, 0) << "and nothing else was ended";
  const ApplyAnswer list = SaySo("forget", {agent.address(), "--list"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, AllOf(HasSubstr("kept     mtu of dcb0: 9000"), HasSubstr(std::string(64, 'a'))));
  EXPECT_EQ(SaySo("forget", {agent.address(), "--setting", "mtu"}).status, 0);
  EXPECT_EQ(agent.forgotten, 1);
}

TEST(SameWay, AreTheOptionsByWhichTheHostsWereReached) {
  EXPECT_EQ(SameWay({}), "");
  EXPECT_EQ(SameWay({.insecure = true}), " --insecure");
  GlobalOptions tls;
  tls.tls = {.certificate = "c.pem", .key = "k.pem", .ca = "my ca.pem"};
  tls.tls_name = "node1";
  EXPECT_EQ(SameWay(tls), " --tls-ca 'my ca.pem' --tls-cert c.pem --tls-key k.pem --tls-name node1");
}

}  // namespace
}  // namespace rdmaready
