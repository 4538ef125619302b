// SPDX-License-Identifier: Apache-2.0
// Options: what the hub was told, by its command line and by a configuration file with the same keys. The
// command line wins.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "api/client/tls.h"
#include "api/daemon/event_log.h"
#include "hub/access/fleet_roles.h"
#include "hub/judge/rule_book.h"

namespace rdmaready::hub {

struct DaemonOptions {
  std::string listen{};
  std::string store{};  // a path
  std::string name{};
  RuleFiles rules{};
  std::chrono::seconds period{};
  std::chrono::seconds facts_every{};
  std::chrono::hours keep_changes{};  // 0: for ever
  std::chrono::hours keep_audit{};    // 0: for ever
  bool insecure = false;
  FleetAsk plain_role = FleetAsk::kObserve;
  TlsFiles tls{};
  std::string roles{};  // a file; empty: none
  std::uint32_t most_agents = 0;
  std::string notices{};       // a path; empty: nobody is told
  std::string authority{};     // empty: none
  std::string enrol_listen{};  // empty: nowhere
  std::chrono::seconds certificate_lifetime{};
  std::string metrics_listen{};  // see metrics::DoorOptions
  LogFormat log_format = LogFormat::kText;
  EventLevel log_level = EventLevel::kInfo;
};

struct HubCommandLine {
  DaemonOptions options{};
  std::string answer{};  // of --help or --version: to be printed, and that is all
};

// Reads the file that --config names. Every error is kInvalidArgument with one clear line, which names the
// option, or file, line and key.
absl::StatusOr<HubCommandLine> ParseHubCommandLine(int argc, const char* const* argv);

}  // namespace rdmaready::hub
