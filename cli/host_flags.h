// SPDX-License-Identifier: Apache-2.0
// HostFlags: how a command line names hosts, the same for every command that takes many.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace rdmaready {

struct HostFlags {
  std::vector<std::string> hosts{};
  std::string inventory{};
  std::vector<std::string> groups{};

  bool FromFile() const { return !inventory.empty() || !groups.empty(); }
  bool Any() const { return !hosts.empty() || FromFile(); }
};

inline void AddHostFlags(CLI::App& app, HostFlags& flags) {
  app.add_option("HOST", flags.hosts,
                 "name-or-address[:port] of an agent, or a list like node[001-128]; none: this host");
  app.add_option("--inventory", flags.inventory,
                 "A file with one host or list per line, # for comments, or an inventory of Ansible (INI or "
                 "YAML); - for "
                 "standard input")
      ->type_name("FILE");
  app.add_option("--group", flags.groups, "Only this group of an Ansible inventory, and those below it")
      ->type_name("GROUP")
      ->allow_extra_args(false);
}

}  // namespace rdmaready
