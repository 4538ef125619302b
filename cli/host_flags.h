// SPDX-License-Identifier: Apache-2.0
// HostFlags: how a command line names hosts, the same for every command that takes many.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/fleet/hosts.h"

namespace rdmaready {

struct HostFlags {
  std::vector<std::string> hosts{};
  std::string inventory{};
  InventoryPart part{};

  bool FromFile() const { return !inventory.empty() || !part.groups.empty() || !part.racks.empty(); }
  bool Any() const { return !hosts.empty() || FromFile(); }
};

inline void AddHostFlags(CLI::App& app, HostFlags& flags) {
  app.add_option("HOST", flags.hosts,
                 "name-or-address[:port] of an agent, or a list like node[001-128]; none: this host");
  app.add_option(
         "--inventory", flags.inventory,
         "A file with one host or list per line, # for comments; YAML with groups, racks, rails and "
         "profiles, when its name ends in .yaml or .yml; or an inventory of Ansible (INI or YAML); - for "
         "standard input")
      ->type_name("FILE");
  app.add_option("--group", flags.part.groups, "Only this group of the inventory, and those below it")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  app.add_option("--rack", flags.part.racks, "Only this rack of the inventory; with --group, of that group")
      ->type_name("RACK")
      ->allow_extra_args(false);
}

inline absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const HostFlags& flags) {
  return ChooseHosts(flags.hosts, flags.inventory, flags.part);
}

}  // namespace rdmaready
