// SPDX-License-Identifier: Apache-2.0
// Ansible's ranges of hosts: "node[01:50]", "rack[a:f]", "node[1:10:2]". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

// The hosts of a pattern, in Ansible's order, without the port of ssh: "node[01:03]:2222". Brackets as
// ExpandHosts has them, "node[1-3]", are taken too. kInvalidArgument with one clear line; more than
// kMostListedHosts are one.
absl::StatusOr<std::vector<std::string>> ExpandAnsibleHosts(std::string_view pattern);

}  // namespace rdmaready
