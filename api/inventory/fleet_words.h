// SPDX-License-Identifier: Apache-2.0
// FleetWords: what a fleet file says, group by group, and the hosts that this makes. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/inventory/inventory.h"
#include "api/profile/site.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

// What a group or the whole file says; nothing where `line` is 0.
template <typename Value>
struct Said {
  Value value{};
  int line = 0;
};
using SaidProfiles = Said<std::vector<std::string>>;
using SaidRails = Said<std::vector<Rail>>;

struct FleetGroup {
  int line = 0;
  SaidProfiles profiles{};
  SaidRails rails{};
  std::vector<std::pair<std::string, int>> children{};
};

// A host of a list, as it stands there.
struct Mention {
  std::string name{};
  int line = 0;
  std::string group{};
  std::string rack{};
};

struct FleetWords {
  std::string file{};
  std::map<std::string, FleetGroup> groups{};  // "": the top of the file, which is always there
  std::set<std::string> racks{};
  std::vector<Mention> mentions{};  // in the order of the file
  std::vector<YamlFault> faults{};
};

// The hosts of that part. Errors as ReadFleetFile's (api/inventory/fleet_file.h).
absl::StatusOr<Inventory> HostsOf(FleetWords words, const InventoryPart& part);

}  // namespace rdmaready
