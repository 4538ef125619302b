// SPDX-License-Identifier: Apache-2.0
#include "cli/host_flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "api/base/status.h"
#include "cli/fleet/site_choice.h"

namespace rdmaready {

void AddHostFlags(CLI::App& app, HostFlags& flags) {
  app.add_option("HOST", flags.hosts,
                 "name-or-address[:port] of an agent, or a list like node[001-128]; none: this host");
  app.add_option(
         "--inventory", flags.inventory,
         "A file with one host or list per line, # for comments; YAML with groups, racks, rails and "
         "profiles, when its name ends in .yaml or .yml; or an inventory of Ansible (INI or YAML); - for "
         "standard input; without a FILE that of RDMAREADY_INVENTORY or of the context, as for --group and "
         "--rack")
      ->expected(0, 1)
      ->type_name("FILE");
  app.add_option("--group", flags.part.groups, "Only this group of the inventory, and those below it")
      ->type_name("GROUP")
      ->allow_extra_args(false);
  app.add_option("--rack", flags.part.racks, "Only this rack of the inventory; with --group, of that group")
      ->type_name("RACK")
      ->allow_extra_args(false);
}

absl::StatusOr<std::vector<HostAddress>> ChooseHosts(const HostFlags& flags) {
  return ChooseHosts(flags.hosts, flags.inventory, flags.part);
}

absl::StatusOr<SavingHosts> HostsToSave(const HostFlags& flags, const std::vector<std::string>& profiles) {
  RR_ASSIGN_OR_RETURN(ChosenHosts chosen,
                      ChooseWithOrigins(flags.hosts, flags.inventory, flags.part, profiles.empty()));
  SavingHosts hosts{.addresses = std::move(chosen.addresses),
                    .judging = {.origins = std::move(chosen.origins)}};
  if (!profiles.empty()) {
    RR_ASSIGN_OR_RETURN(hosts.judging.named, ChooseSite(profiles));
  }
  return hosts;
}

}  // namespace rdmaready
