// SPDX-License-Identifier: Apache-2.0
// Writing a sysctl: net.ipv4.conf.<netdev, all or default>.<variable>, of a closed list of variables.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace rdmaready {

struct Ipv4ConfName {
  std::string directory{};  // "all", "dcb0.711"
  std::string variable{};   // "arp_ignore"

  bool operator==(const Ipv4ConfName&) const = default;
};

// What "net.ipv4.conf.dcb0/711.arp_ignore" names. A dot of a netdev's name may be written as a slash, as
// sysctl(8) has it, or as it is: no variable has one. Nothing for any other sysctl.
std::optional<Ipv4ConfName> Ipv4ConfOf(std::string_view sysctl);

// `folder` is where the kernel shows them, "/proc/sys/net/ipv4/conf".
absl::Status WriteSysctl(const std::string& folder, const std::string& sysctl, std::string_view to);

}  // namespace rdmaready
