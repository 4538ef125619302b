// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/enrol_command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <string>

#include "agent/enrol/enrol.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr int kEnrolUsage = 2;
constexpr int kEnrolOwnFailure = 3;
constexpr int kEnrolNotThere = 4;
constexpr std::int64_t kNanosecondsInSecond = 1'000'000'000;
constexpr char kDefaultStateDirectory[] = "/var/lib/rdmaready";

struct EnrolFlags {
  std::string hub{};
  std::string token_file{};
  std::string state_directory = kDefaultStateDirectory;
  bool again = false;
};

int StatusOfEnrol(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
      return kEnrolUsage;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
      return kEnrolOwnFailure;
    default:
      return kEnrolNotThere;
  }
}

// Never more than a token: nobody hands us the whole of something else.
absl::StatusOr<std::string> TokenText(const std::string& path) {
  if (path != "-") return ReadSmallFile(path, pki::kMaxTokenBytes + 1);
  std::string text(pki::kMaxTokenBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stdin));
  return text;
}

// The agent has to be able to read what is written.
absl::Status CheckOwner(const std::string& directory) {
  struct ::stat info {};
  if (::stat(directory.c_str(), &info) != 0 || info.st_uid == ::geteuid()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{} is of another user (uid {}): become that one first, as in `runuser -u rdmaready -- "
                  "rdmaready-agent enrol ...`",
                  directory, info.st_uid));
}

absl::StatusOr<enrol::Enrolled> EnrolBy(const EnrolFlags& flags) {
  RR_RETURN_IF_ERROR(CheckOwner(flags.state_directory));
  RR_ASSIGN_OR_RETURN(const std::string text, TokenText(flags.token_file));
  RR_ASSIGN_OR_RETURN(pki::EnrolmentToken token, pki::ParseToken(TrimRight(text)));
  return enrol::Enrol({.hub = flags.hub.empty() ? token.hub_address : flags.hub,
                       .token = std::move(token),
                       .state_directory = flags.state_directory,
                       .again = flags.again});
}

int FailEnrol(const absl::Status& status) {
  std::fprintf(stderr, "rdmaready-agent: %s\n", Message(status).c_str());
  return StatusOfEnrol(status);
}

}  // namespace

std::optional<int> RunEnrolCommand(int argc, const char* const* argv) {
  if (argc < 2 || std::strcmp(argv[1], "enrol") != 0) return std::nullopt;
  EnrolFlags flags;
  CLI::App app{"Makes this host one of a fleet, by a token of `rdmaready fleet token`: once.",
               "rdmaready-agent enrol"};
  app.add_option(
         "--hub", flags.hub,
         fmt::format("Where the hub enrols hosts; the port is {} unless said", enrol::kDefaultEnrolPort))
      ->type_name("HOST[:PORT]")
      ->required();
  app.add_option("--token-file", flags.token_file, "A file that holds the token, or - for standard input")
      ->type_name("FILE")
      ->required();
  app.add_option("--state-dir", flags.state_directory, "Of the agent: its identity is written there")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--again", flags.again,
               "Although this host is enrolled already: it becomes another one for the hub");
  app.footer(
      "\nExit status: 0 enrolled, 2 usage or enrolled already, 3 own failure, 4 the hub is not there or "
      "refuses");
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::CallForHelp&) {
    return std::fputs(app.help().c_str(), stdout) < 0 ? kEnrolOwnFailure : 0;
  } catch (const CLI::ParseError& error) {
    return FailEnrol(
        absl::InvalidArgumentError(std::string(error.what()) + " (see rdmaready-agent enrol --help)"));
  }
  const absl::StatusOr<enrol::Enrolled> enrolled = EnrolBy(flags);
  if (!enrolled.ok()) return FailEnrol(enrolled.status());
  std::printf("enrolled as host %s, until %s; renewed by the agent before\n", enrolled->host_id.c_str(),
              TimeText(enrolled->until_unix_s * kNanosecondsInSecond).c_str());
  return 0;
}

}  // namespace rdmaready
