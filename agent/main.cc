// SPDX-License-Identifier: Apache-2.0
// rdmaready-agent: answers for one host until it is told to stop.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "agent/server.h"
#include "agent/store/limits_text.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/client/tcp_probe.h"
#include "api/profile/load.h"

namespace rdmaready {
namespace {

// Exit statuses of the command line's contract.
constexpr int kExitUsage = 2;
constexpr int kExitOwnFailure = 3;

constexpr auto kGrace = std::chrono::milliseconds(500);

int Fail(const std::string& why, int status) {
  std::fprintf(stderr, "rdmaready-agent: %s\n", why.c_str());
  return status;
}

// An option that does not exist explains more than one that is missing.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  return unknown.empty() ? error.what() : "unknown option " + unknown.front();
}

// Callers on this host need no address: root's agent also answers on a socket that only root can reach. Whoever
// has it already keeps it.
bool MayTake(const std::string& socket) {
  if (::geteuid() != 0) return false;
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::path(socket).parent_path();
  if (std::filesystem::create_directories(directory, error)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  if (error) return false;
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  return !ProbeTcp("unix:" + socket, soon).ok();
}

int ExitStatus(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kNotFound:
      return kExitUsage;
    default:
      return kExitOwnFailure;
  }
}

absl::StatusOr<std::unique_ptr<HostedAgent>> Start(const ServerOptions& options) {
  const std::string socket = LocalSocketPath();
  if (!MayTake(socket)) return HostedAgent::Start(options);
  ServerOptions with_socket = options;
  with_socket.listen.push_back("unix:" + socket);
  absl::StatusOr<std::unique_ptr<HostedAgent>> agent = HostedAgent::Start(with_socket);
  // Another agent may have taken the socket meanwhile; without it this one is as good to everybody else.
  return absl::IsUnavailable(agent.status()) ? HostedAgent::Start(options) : std::move(agent);
}

int Serve(const ServerOptions& options, const ::sigset_t& signals) {
  const absl::StatusOr<std::unique_ptr<HostedAgent>> agent = Start(options);
  if (!agent.ok()) return Fail(Message(agent.status()), ExitStatus(agent.status()));
  if (options.insecure)
    spdlog::warn("plain text, without authentication: every caller that reaches the port may test");
  for (const std::string& address : (*agent)->addresses())
    spdlog::info("rdmaready-agent {} on {}", kVersion, address);
  int signal = 0;
  ::sigwait(&signals, &signal);
  spdlog::info("stopping ({})", ::strsignal(signal));
  (*agent)->Shutdown(kGrace);
  return 0;
}

// How much is remembered. CLI11 refuses by exceptions.
void AddHistoryOptions(CLI::App& app, StoreLimits& limits) {
  const auto add = [&app](const char* name, const char* type, const char* help, auto parse, auto& target) {
    app.add_option_function<std::string>(
           name,
           [name, parse, &target](const std::string& text) {
             const auto value = parse(text);
             if (!value.ok()) throw CLI::ValidationError(name, Message(value.status()));
             target = *value;
           },
           help)
        ->type_name(type);
  };
  add("--history-max-bytes", "SIZE", "How large the store may grow; the oldest results go first (default 256M)",
      ParseMaxBytes, limits.max_bytes);
  add("--history-max-age", "TIME", "How long results are kept: 90d; 0: as long as there is room (default)",
      ParseMaxAge, limits.max_age);
}

int Main(int argc, char** argv) {
  CLI::App app("Answers for this host: facts, checks and live RDMA tests over gRPC.", "rdmaready-agent");
  ServerOptions options;
  std::string listen = "127.0.0.1:7471";
  std::string profile_name(kDefaultProfileName);
  app.add_option("--listen", listen, "Address and port to answer on")->capture_default_str();
  app.add_option("--state-dir", options.state_directory, "Where results are kept")->required();
  app.add_option("--profile", profile_name, "Profile for callers who name none: built in, or a file")
      ->capture_default_str();
  AddHistoryOptions(app, options.store.limits);
  app.add_flag("--insecure", options.insecure, "Allow plain text off loopback");
  app.set_version_flag("--version", std::string("rdmaready-agent ") + kVersion);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Fail(UsageError(app, error), kExitUsage);
  }
  const absl::StatusOr<Profile> profile = LoadProfile(profile_name);
  if (!profile.ok()) return Fail(Message(profile.status()), kExitUsage);
  options.default_profile = *profile;
  // Before any thread exists, so that all inherit the mask and sigwait gets the signals.
  ::sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a store at the file size limit is a full disk, not the end
  spdlog::set_default_logger(spdlog::stderr_logger_mt("agent"));
  spdlog::flush_on(spdlog::level::info);

  options.store.log = [](const std::string& line) { spdlog::error(line); };
  options.listen = {listen};
  return Serve(options, signals);
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
