// SPDX-License-Identifier: Apache-2.0
// Inventory: the hosts of a file. Pure. Four forms are told apart by what stands in them:
//
//   lines    one host or list of hosts a line, # for comments
//   INI      Ansible's: a line is "[GROUP]", "[GROUP:children]" or "[GROUP:vars]"
//   YAML     Ansible's: the first line that says something is "---", "WORD:" or "WORD: ...", or
//            begins with "{"; the blank after the colon tells it from "name:port"
//   YAML     our own (api/inventory/fleet_file.h), in a file whose name ends in .yaml or .yml, or on standard
//   input:
//            not what Ansible has there, and with a key of ours
//
// Of Ansible's hosts the address is `ansible_host`, else the name; all else of their variables is theirs, and
// so are ports, which are those of ssh. Ranges are written "node[01:50]" there, "rack[a:f]" or "node[1:10:2]".
// Nothing is run, evaluated or decrypted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/profile/site.h"

namespace rdmaready {

// No inventory has more hosts, whatever its form, and none is larger.
inline constexpr std::size_t kMostInventoryHosts = 20'000;
inline constexpr std::size_t kMostInventoryBytes = 4UL << 20;

// By what hosts are judged, as an inventory of our own form says it.
struct InventoryJudging {
  std::vector<std::string> profiles{};  // as --profile takes them, seen from where the command runs; not empty
  std::vector<Rail> rails{};
  std::string place{};        // where the profiles stand: "fleet.yaml:3: "
  std::string rails_place{};  // and the rails
};

// A host of an inventory, and where it stands there: "hosts.txt:3: ".
struct ListedHost {
  std::string name{};
  std::string place{};
  // Of our own form.
  std::string group{};                   // that lists it, the first of those that were asked for; empty: none
  std::string rack{};                    // empty: not said
  std::optional<std::size_t> judging{};  // index into Inventory::judgings; nothing: not said
  bool operator==(const ListedHost&) const = default;
};

struct Inventory {
  std::vector<ListedHost> hosts{};
  std::vector<InventoryJudging> judgings{};
};

// Which hosts of an inventory are meant: all, without any. Of these groups and those below them; of these
// racks.
struct InventoryPart {
  std::vector<std::string> groups{};
  std::vector<std::string> racks{};
};

// In the order of the file, each host of YAML or INI once. kInvalidArgument in one line that names the file and
// what is wrong there: an unknown group or rack (with those there are), a child that nothing defines, groups or
// racks asked of a form that has none, too many hosts, a program, a file of ansible-vault, and all that
// api/inventory/fleet_file.h refuses.
absl::StatusOr<Inventory> ParseInventory(std::string_view text, std::string_view file_name,
                                         const InventoryPart& part = {});

}  // namespace rdmaready
