// SPDX-License-Identifier: Apache-2.0
// HostFlags: how a command line names hosts, the same for every command that takes many.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/fleet/hosts.h"
#include "cli/fleet/saved_hosts.h"

namespace CLI {
class App;
}

namespace rdmaready {

struct HostFlags {
  std::vector<std::string> hosts{};
  std::string inventory{};
  InventoryPart part{};

  bool FromFile() const { return !inventory.empty() || !part.groups.empty() || !part.racks.empty(); }
  bool Any() const { return !hosts.empty() || FromFile(); }
};

void AddHostFlags(CLI::App& app, HostFlags& flags);

absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const HostFlags& flags);

// Hosts that are recorded, and by what their recordings are judged later: `profiles`, or what the inventory
// says.
struct SavingHosts {
  std::vector<HostAddress> addresses{};
  SavedJudging judging{};
};
absl::StatusOr<SavingHosts> HostsToSave(const HostFlags& flags, const std::vector<std::string>& profiles);

}  // namespace rdmaready
