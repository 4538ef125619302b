// SPDX-License-Identifier: Apache-2.0
// With which status a helper leaves, by which who started it knows whether to try again.
#include "agent/helper/program.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rdmaready::helper {
namespace {

using ::testing::ExitedWithCode;

std::string UserName() {
  const ::passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "root" : entry->pw_name;
}

class ProgramTest : public ::testing::Test {
 protected:
  // Ends this process as the helper would.
  [[noreturn]] void Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program.name);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    std::exit(RunProgram(program, static_cast<int>(argv.size()), argv.data()));
  }
  std::vector<std::string> Served() const {
    const std::string path = (std::filesystem::temp_directory_path() / "program-test.sock").string();
    return {"--user", UserName(), "--listen", path + std::to_string(::getpid())};
  }

  Program program{.name = "rdmaready-test", .verbs = [] { return std::vector<Verb>{}; }};
};

TEST_F(ProgramTest, AWrongCommandLineIsNotWorthAnotherTry) {
  EXPECT_EXIT(Run({"--no-such-option"}), ExitedWithCode(2), "");
  EXPECT_EXIT(Run({"--user", "nobody-has-this-name", "--listen", "/tmp/x.sock"}), ExitedWithCode(2), "no user");
  EXPECT_EXIT(Run({"--user", UserName()}), ExitedWithCode(2), "no socket");
}

TEST_F(ProgramTest, WhatIsNotItsOwnIsNotWorthAnotherTry) {
  program.verbs = [] { return absl::FailedPreconditionError("it must be a directory of user 0"); };
  EXPECT_EXIT(Run(Served()), ExitedWithCode(2), "directory of user");
}

TEST_F(ProgramTest, WhatMayBeOverSoonIsAFailureOfItsOwn) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kUnknown, absl::StatusCode::kPermissionDenied, absl::StatusCode::kResourceExhausted,
        absl::StatusCode::kInvalidArgument, absl::StatusCode::kNotFound, absl::StatusCode::kUnavailable}) {
    program.verbs = [code] { return absl::Status(code, "Read-only file system"); };
    EXPECT_EXIT(Run(Served()), ExitedWithCode(3), "Read-only file system");
  }
}

TEST_F(ProgramTest, AHangUpEndsItAsATerminationDoes) {
  program.verbs = [] {
    ::raise(SIGHUP);
    return std::vector<Verb>{};
  };
  program.end = [] { return 7; };
  EXPECT_EXIT(Run(Served()), ExitedWithCode(7), "");
}

}  // namespace
}  // namespace rdmaready::helper
