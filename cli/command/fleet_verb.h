// SPDX-License-Identifier: Apache-2.0
// FleetVerb: what `rdmaready fleet` can do. A verb is a function that defines its options, and one that asks
// the hub; what they share is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/client/fleet_client.h"
#include "cli/commands.h"

namespace rdmaready {

// Of all verbs: one is parsed, and its options are what it reads.
struct FleetOptions {
  std::string hub{};
  FleetFilterWords filter{};
  std::vector<std::string> conditions{};
  std::uint32_t odd = 20;
  std::string since{};
  std::string at{};
  std::size_t limit = 100;
  std::uint64_t count = 0;
  std::string why{};
  std::vector<std::string> subjects{};
  std::string until{};
  bool end = false;
};

struct FleetVerb {
  CLI::App* app = nullptr;
  std::function<ExitStatus(const Context&, FleetClient&, const FleetOptions&)> work{};
};

CLI::App& NewFleetVerb(CLI::App& fleet, const char* name, const char* summary, const char* footer);

// HOST, --group and --rack.
void AddFleetFilter(CLI::App& verb, FleetOptions& options);
void AddHostNames(CLI::App& verb, FleetOptions& options);
void AddCheckFilter(CLI::App& verb, FleetOptions& options);

// Says why the hub did not do it.
ExitStatus FleetCallFailed(const Context& context, const absl::Status& status);

// A point in time as a person types it, in nanoseconds since 1970. kInvalidArgument, with the option's name.
absl::StatusOr<std::int64_t> FleetTime(const std::string& option, const std::string& text);
// Of --since; 0 without it.
absl::StatusOr<std::int64_t> SinceOf(const FleetOptions& options);

}  // namespace rdmaready
