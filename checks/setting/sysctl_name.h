// SPDX-License-Identifier: Apache-2.0
// The names of net.ipv4.conf.<interface, all or default>.<variable>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rdmaready {

struct Ipv4Variable {
  std::string where{};  // "all", "dcb0", "dcb0.711"
  std::string name{};   // "arp_ignore"
};

// sysctl(8) writes the dots of an interface's name as slashes; both are taken. Nothing for any other sysctl.
std::optional<Ipv4Variable> Ipv4VariableOf(std::string_view variable);

// "dcb0.100", "arp_ignore" -> "net.ipv4.conf.dcb0/100.arp_ignore".
std::string Ipv4VariableName(std::string where, std::string_view variable);

// "net.ipv4.conf.dcb0/100.arp_ignore" -> "dcb0.100"; empty: it is for every interface, or for none.
std::string InterfaceOfSysctl(std::string_view variable);

}  // namespace rdmaready
