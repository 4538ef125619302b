// SPDX-License-Identifier: Apache-2.0
// Hosts of one wire: the good host with a name, an address, and the VLAN that the address is on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "tests/unit/checks/good_host.h"

namespace rdmaready {

struct Wired {
  std::string name{};
  std::string address{};
  std::uint8_t prefix = 24;
  std::uint16_t vlan = 0;  // 0: untagged
};

// A GID of RoCE v2 for the address is there; the address is the only one of the host.
inline Facts WiredHost(const Wired& wired) {
  Facts host = WithPort([&wired](Port& port) {
    const std::vector<IpAddress> addresses{{.address = wired.address, .prefix_length = wired.prefix}};
    Netdev netdev = *port.netdev;
    netdev.addresses = wired.vlan == 0 ? addresses : std::vector<IpAddress>{};
    port.netdev = netdev;
    if (wired.vlan != 0) {
      const std::string name = "dcb0." + std::to_string(wired.vlan);
      port.uppers = std::vector<UpperNetdev>{{.name = name,
                                              .ifindex = 9,
                                              .kind = "vlan",
                                              .over = {"dcb0"},
                                              .admin_up = true,
                                              .carrier = true,
                                              .mtu_bytes = 9000,
                                              .vlan_id = wired.vlan,
                                              .vlan_egress = std::vector<VlanPriority>{{.from = 4, .pcp = 3}},
                                              .vlan_reorder = true,
                                              .addresses = addresses,
                                              .ipv4 = Ipv4Settings{}}};
    }
    std::vector<Gid> gids = *port.gids;
    unsigned bytes[4] = {};
    std::sscanf(wired.address.c_str(), "%u.%u.%u.%u", &bytes[0], &bytes[1], &bytes[2], &bytes[3]);
    for (std::size_t i = 0; i < 4; ++i) gids.back().raw[12 + i] = static_cast<std::uint8_t>(bytes[i]);
    port.gids = gids;
  });
  host.hostname = wired.name;
  return host;
}

}  // namespace rdmaready
