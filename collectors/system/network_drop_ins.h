// SPDX-License-Identifier: Apache-2.0
// Drop-ins of systemd's .link, .network and .netdev files. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace rdmaready {

// A line of SettingsInFile (collectors/setting_files.h), and the file that has it.
struct SettingLine {
  std::string text{};  // "mtu eth2 9000"
  std::string file{};

  bool operator==(const SettingLine&) const = default;
};

// The lines of a file as one of its drop-ins leaves them: what the drop-in sets holds for the interfaces that
// the file matches, and replaces what the file sets of the same kind.
std::vector<SettingLine> WithDropIn(std::vector<SettingLine> lines, std::span<const SettingLine> drop_in);

}  // namespace rdmaready
