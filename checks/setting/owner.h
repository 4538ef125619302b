// SPDX-License-Identifier: Apache-2.0
// SettingOwner: the program that keeps a setting on this host, and how a person changes it there. Remedies,
// plans and the files for the next boot ask the same function, so that none of them writes beside a program
// that writes again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/remedy.h"
#include "api/model/setting.h"

namespace rdmaready {

struct SettingOwner {
  std::string name{};                      // "lldpad"; empty: the kernel alone keeps it
  std::string why{};                       // "lldpad runs and writes its own PFC, ETS and APP rows to dcb0"
  std::string file{};                      // its configuration, where a file of this host holds it
  bool writes_again = false;               // what is set beside it does not stay
  bool at_boot = false;                    // it sets the value at the next boot: its steps come last
  Remedy way{};                            // the steps there, and what a person may decide instead
  std::optional<RemedyStep> takes_over{};  // after it the host has the setting; none: see `way`

  bool empty() const { return name.empty(); }
};

// Pure. The first that is found: a pod of the cluster, an LLDP agent that writes, the NIC's firmware, a node
// that gave a function to a container, a network manager, a file that sets it at boot. `to` is canonical;
// without it the steps name no value.
SettingOwner OwnerOf(const Facts& facts, const SettingObject& object, std::string_view to = {});

// The remedy with the owner's steps first, or last where they concern the next boot. Where the owner writes
// again, they replace the commands that would set it beside the owner; where the remedy goes by the owner
// already, only the name is added.
Remedy WithOwner(Remedy remedy, const SettingOwner& owner);

// For a profile by which the host decides: the step that takes the setting over, then the remedy.
Remedy TakenOver(Remedy remedy, const SettingOwner& owner);

// In one line, for the advice of a plan: "COMMAND; COMMAND; or ALTERNATIVE".
std::string AdviceOf(const SettingOwner& owner);

}  // namespace rdmaready
