// SPDX-License-Identifier: Apache-2.0
// Inventory: the hosts of a file. Pure. Three forms are told apart by what stands in them, not by the file's
// name:
//
//   lines    one host or list of hosts a line, # for comments
//   INI      Ansible's: a line is "[GROUP]", "[GROUP:children]" or "[GROUP:vars]"
//   YAML     Ansible's: the first line that says something is "---", "WORD:" or "WORD: ...", or
//            begins with "{"; the blank after the colon tells it from "name:port"
//
// Of Ansible's hosts the address is `ansible_host`, else the name; all else of their variables is theirs, and
// so are ports, which are those of ssh. Ranges are written "node[01:50]" there, "rack[a:f]" or "node[1:10:2]".
// Nothing is run, evaluated or decrypted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace rdmaready {

// A host of an inventory, and where it stands there: "hosts.txt:3: ".
struct ListedHost {
  std::string name{};
  std::string place{};
  bool operator==(const ListedHost&) const = default;
};

// Of these groups and those below them; of all without any. In the order of the file, each host of Ansible's
// once. kInvalidArgument in one line that names the file and what is wrong there: an unknown group (with those
// there are), a child in INI that no section defines, groups asked of a file of lines, a program, a file of
// ansible-vault.
absl::StatusOr<std::vector<ListedHost>> ParseInventory(std::string_view text, std::string_view file_name,
                                                       const std::vector<std::string>& groups = {});

}  // namespace rdmaready
