// SPDX-License-Identifier: Apache-2.0
// BundleRun: the bundle that was made, and what is not in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/client/agent_calls.h"
#include "cli/exit_status.h"

namespace rdmaready {

struct HostBundling {
  std::string host{};       // as the caller named it
  std::string pseudonym{};  // what it is called in the bundle; empty: by its name
  std::string error{};      // why nothing of it is there, or not all; empty when all is
  ExitStatus failure = ExitStatus::kOk;
};

struct PartLeftOut {
  std::string host{};
  std::string what{};
  std::string why{};
};

struct BundleRun {
  std::string file{};
  std::uint64_t bytes = 0;  // of the file
  bool pseudonyms = false;
  std::vector<HostBundling> hosts{};
  std::vector<PartLeftOut> left_out{};
};

// One line for the file, one for each thing that is not in it.
std::string BundleText(const BundleRun& run);
std::string BundleJson(const BundleRun& run);

// {"schema": "rdmaready.v1.Events", "host": ..., "events": [{"unix_ns": ..., "level": ..., "event": ...,
// "fields": {...}}]}
std::string EventsJson(const std::string& host, const std::vector<AgentEvent>& events);

}  // namespace rdmaready
