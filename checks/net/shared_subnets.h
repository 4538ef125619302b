// SPDX-License-Identifier: Apache-2.0
// Interfaces of a host that have addresses in one IPv4 subnet, and the sysctls that they need there. The kernel
// takes the larger one of a variable of `all` and of the interface, or either one (include/linux/inetdevice.h:
// IN_DEV_MAXCONF of arp_ignore, arp_announce and rp_filter, IN_DEV_ORCONF of accept_local). So the interface's
// own value is enough, and no other interface changes. Where the value of `all` is too large, only `all` helps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"

namespace rdmaready {

struct SubnetMember {
  std::string netdev{};
  Fact<Ipv4Settings> settings{};  // what takes effect on it
};

struct SharedSubnet {
  std::string subnet{};                 // "10.0.0.1/24"
  bool answers_apart = false;           // the route back goes by the interface that has the address
  std::vector<SubnetMember> members{};  // the port's own interface first
};

// The IPv4 subnets of the port that it shares with another interface of the host.
std::vector<SharedSubnet> SharedSubnetsOf(const Port& port);

// The settings in effect on an interface of the port, or on one over it.
Fact<Ipv4Settings> Ipv4SettingsOf(const Port& port, const std::string& netdev);

// Whether the interface is the port's, or stands on it.
bool HasInterface(const Port& port, const std::string& netdev);

struct SharedSubnetSysctl {
  std::string_view check;
  std::string_view variable;
  std::uint32_t value;   // that is to be set
  bool larger_is_wrong;  // a value above `value` is not good
  bool (*good)(const Ipv4Settings& settings, const SharedSubnet& subnet);
};

// ip.accept-local, arp.ignore, arp.announce, ip.rp-filter.
const std::array<SharedSubnetSysctl, 4>& SharedSubnetSysctls();

// Null for any other check.
const SharedSubnetSysctl* FindSharedSubnetSysctl(std::string_view check);

// Where the sysctl is to be set for the port's shared subnets to be good: interfaces, and "all" where its value
// is too large. Sorted, each once. Interfaces whose settings are not known are left out.
std::vector<std::string> PlacesToSet(const Facts& host, const Port& port, const SharedSubnetSysctl& wanted);

}  // namespace rdmaready
