// SPDX-License-Identifier: Apache-2.0
// What `plan` and `apply` have in common: which hosts, by which profiles, of which ports.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/client/agent_calls.h"
#include "cli/commands.h"
#include "cli/fleet/host_clients.h"
#include "cli/host_flags.h"

namespace rdmaready {

struct ConfigureFlags {
  HostFlags named{};
  std::vector<std::string> profiles{};
  std::vector<std::string> ports{};
};

void AddConfigureFlags(CLI::App& app, ConfigureFlags& flags);

// The hosts, named but not called; kInvalidArgument.
absl::StatusOr<std::vector<HostClient>> ClientsOf(const HostFlags& named, const Context& context);

// The same, and by which profiles their inventory sets them: by none where the flags name some.
struct ConfiguredHosts {
  std::vector<HostClient> clients{};
  std::vector<HostOrigin> origins{};
};
absl::StatusOr<ConfiguredHosts> HostsToConfigure(const ConfigureFlags& flags, const Context& context);

// With the profiles, read. kInvalidArgument: one that cannot be, or a site file: it says which hosts follow
// which, and these take the same.
absl::StatusOr<ApplyOptions> OrderOf(const ConfigureFlags& flags);

// The options by which the same hosts are reached again, each behind a blank: " --insecure".
std::string SameWay(const GlobalOptions& global);

// What could not be asked, on standard error where it does not stand in an object.
void Complain(const Context& context, const std::string& host, const std::string& error);

}  // namespace rdmaready
