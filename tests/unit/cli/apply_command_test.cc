// SPDX-License-Identifier: Apache-2.0
// `rdmaready apply` in this process, with agents in this process that it calls over loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "tests/unit/cli/fleet/applying_agent.h"

namespace rdmaready {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

int RunApplyLine(std::vector<std::string> words, std::FILE* out, std::FILE* err, Interrupt& interrupt) {
  words.insert(words.begin(), {"rdmaready", "apply"});
  std::vector<const char*> line;
  for (const std::string& word : words) line.push_back(word.c_str());
  Console console(out, err);
  return RunCommandLine(static_cast<int>(line.size()), line.data(), console, interrupt);
}

// Ctrl-C, and then nothing more.
void InterruptAndWait() {
  ::kill(::getpid(), SIGINT);
  std::this_thread::sleep_for(std::chrono::seconds(20));
}

// The first host is armed when the second is interrupted in the middle of it; the third is never begun.
void ApplyAndInterrupt(std::vector<std::string> options, std::FILE* out, std::FILE* err) {
  Interrupt interrupt;  // before any thread
  ApplyingAgent armed(ChangeState::kAwaitingConfirm);
  ApplyingAgent begun(ChangeState::kWriting);
  ApplyingAgent later(ChangeState::kAwaitingConfirm);
  begun.told = InterruptAndWait;
  options.insert(options.begin(), {armed.address(), begun.address(), later.address(), "--yes", "--insecure"});
  std::_Exit(RunApplyLine(std::move(options), out, err, interrupt));
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

}  // namespace
}  // namespace rdmaready
