// SPDX-License-Identifier: Apache-2.0
// Options: what the agent was told, by its command line and by a configuration file with the same keys. The
// command line wins.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "agent/server/server.h"
#include "api/daemon/event_log.h"

namespace rdmaready {

struct AgentOptions {
  ServerOptions server{};  // without profile, waivers and events
  std::string profile_name{};
  std::string waivers_file{};
  LogFormat log_format = LogFormat::kText;
  EventLevel log_level = EventLevel::kInfo;
};

struct AgentCommandLine {
  AgentOptions options{};
  std::map<std::string, std::string> settings{};  // what was set, by key of the configuration file; never a secret
  std::string answer{};  // of --help or --version: to be printed, and that is all
};

// Reads the file that --config names. Every error is kInvalidArgument with one clear line, which names the
// option, or file, line and key: "agent.yaml:7: unknown key `chek_interval` (did you mean `check_interval`?)".
absl::StatusOr<AgentCommandLine> ParseAgentCommandLine(int argc, const char* const* argv);

}  // namespace rdmaready
