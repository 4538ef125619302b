// SPDX-License-Identifier: Apache-2.0
// FleetFile: an inventory in our own form of YAML. Pure. All of it is optional but the hosts:
//
//   profile: smb-direct-roce         # by what hosts are judged whose group says nothing else: a name, a file,
//   or
//                                    # a list of them, as --profile takes them; or
//   site: site.yaml                  # a site file, which says it by the names of hosts
//   hosts: [gw1, "gw[2-3]:7472"]     # of no group
//   racks: {r9: [gw1]}               # hosts by rack; who stands here need not stand in `hosts` too
//   rails: {a: [{subnet: 10.1.0.0/16}], b: [{netdev: "rail-b*"}]}  # ports, as `ports` of a site file names
//   them groups:
//     storage:
//       hosts: ["node[001-128]"]
//       racks: {r1: ["node[001-064]"], r2: ["node[065-128]"]}
//       profile: nvidia-lossless     # profile and rails are the group's own, else those of the group above it,
//       rails: {...}                 # else those at the top
//       children: [archive]          # groups below: --group storage means them too
//     archive: {hosts: [old1]}
//
// Files are seen from the folder of the inventory. With `rails` the one profile is judged on each rail by
// itself (OnRails, api/profile/site.h). A host may stand in several groups, but not in two racks, nor where two
// profiles or rails hold for it. Hosts are compared and tested within the group that lists them.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/inventory/inventory.h"
#include "api/profile/yaml_tree.h"

namespace rdmaready {

// Whether a document of YAML is meant as one: it is not what Ansible has, groups of `hosts`, `vars` and
// `children`, and has one of the keys above, or nearly.
bool IsFleetFile(const YamlNode& root);

// kInvalidArgument: the first fault by line, with how many more there are: an unknown key (with the one that
// was perhaps meant), a value of another kind, a group that is missing or below itself, a host that is named
// twice in one group, or in two with different profiles, rails or racks: both places are named then.
absl::StatusOr<Inventory> ReadFleetFile(const YamlNode& root, std::string_view file_name,
                                        const InventoryPart& part);

}  // namespace rdmaready
