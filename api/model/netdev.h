// SPDX-License-Identifier: Apache-2.0
// What a host tells of the Ethernet device of an RDMA port, and of the netdevs that stand on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "api/model/dcb.h"
#include "api/model/ethernet_link.h"
#include "api/model/fact.h"
#include "api/model/lldp.h"
#include "api/model/network.h"
#include "api/model/nic_statistics.h"

namespace rdmaready {

// ETHTOOL_GDRVINFO; fields the driver leaves empty are empty.
struct DriverInfo {
  std::string driver{};
  std::string version{};
  std::string firmware{};
  std::string bus{};  // "0000:3b:00.0"

  void Fields(auto& list) {
    list.Setting("driver", driver, "version", version, "firmware", firmware, "bus", bus);
  }

  bool operator==(const DriverInfo&) const = default;
};

// Link-level flow control (IEEE 802.3x), ETHTOOL_GPAUSEPARAM.
struct Pause {
  bool autoneg = false;
  bool rx = false;
  bool tx = false;

  void Fields(auto& list) { list.Setting("autoneg", autoneg, "rx", rx, "tx", tx); }

  bool operator==(const Pause&) const = default;
};

enum class Duplex { kUnknown, kHalf, kFull };

// IFLA_VLAN_EGRESS_QOS: frames of socket priority `from` leave with `pcp` in their tag.
struct VlanPriority {
  std::uint32_t from = 0;
  std::uint8_t pcp = 0;

  void Fields(auto& list) { list.Setting("from", from, "pcp", pcp); }

  bool operator==(const VlanPriority&) const = default;
};

// A netdev that stands on an RDMA port's netdev, directly or on others that do: VLAN, bond, bridge, macvlan.
struct UpperNetdev {
  std::string name{};
  std::uint32_t ifindex = 0;
  std::string kind{};               // IFLA_INFO_KIND: "vlan", "bond", "bridge"
  std::vector<std::string> over{};  // the netdevs it stands on directly and that lead to the port
  bool admin_up = false;
  bool carrier = false;
  std::uint32_t mtu_bytes = 0;
  Fact<std::uint16_t> vlan_id{};                  // of a VLAN
  Fact<std::vector<VlanPriority>> vlan_egress{};  // of a VLAN
  Fact<bool> vlan_reorder{};                      // of a VLAN: its frames are seen without their tag
  Fact<std::string> bond_mode{};                  // of a bond: "active-backup", "802.3ad"
  Fact<std::uint16_t> pkey{};                     // of IPoIB, with the bit of full membership
  Fact<std::vector<IpAddress>> addresses{};
  Fact<Ipv4Settings> ipv4{};

  void Fields(auto& list) {
    list.Setting("name", name, "kind", kind, "over", over, "admin_up", admin_up, "mtu_bytes", mtu_bytes,
                 "vlan_id", vlan_id, "vlan_egress", vlan_egress, "bond_mode", bond_mode, "pkey", pkey,
                 "addresses", addresses, "ipv4", ipv4, "vlan_reorder", vlan_reorder);
    list.State("carrier", carrier);
    list.Passing("ifindex", ifindex);
  }

  bool operator==(const UpperNetdev&) const = default;
};

// The root queueing discipline mqprio: which traffic class of the NIC a socket priority goes to. RDMA-CM takes
// the service level of RoCE from it, before it looks at a VLAN's map (drivers/infiniband/core/cma.c).
struct Mqprio {
  std::uint8_t traffic_classes = 0;
  std::array<std::uint8_t, 16> priority_class{};  // socket priority -> class
  bool offloaded = false;                         // the NIC does it

  void Fields(auto& list) {
    list.Setting("traffic_classes", traffic_classes, "priority_class", priority_class, "offloaded", offloaded);
  }

  bool operator==(const Mqprio&) const = default;
};

struct Netdev {
  std::string name{};
  std::uint32_t ifindex = 0;
  std::string driver{};   // PCI driver, or the link kind of a virtual device ("dcbnic", "vlan"); may be empty
  bool admin_up = false;  // IFF_UP
  bool carrier = false;   // IFF_LOWER_UP
  std::uint32_t mtu_bytes = 0;
  Fact<std::uint32_t> speed_mbps{};
  Fact<std::uint16_t> vlan_id{};                  // known only when the netdev is a VLAN device
  Fact<std::vector<VlanPriority>> vlan_egress{};  // the same
  Fact<std::vector<IpAddress>> addresses{};
  Dcb dcb{};
  std::string mac{};                      // "02:00:00:00:00:01"; may be empty
  std::string master{};                   // the bond or bridge it is a member of; empty: of none
  Fact<std::uint32_t> max_mtu_bytes{};    // IFLA_MAX_MTU
  Fact<std::uint64_t> carrier_changes{};  // since the netdev was made
  Fact<Duplex> duplex{};
  Fact<DriverInfo> driver_info{};
  Fact<Pause> pause{};
  // Milliseconds after which the NIC stops honouring endless pauses: 0 never, 0xffff the driver's own choice.
  Fact<std::uint16_t> pfc_storm_timeout_ms{};
  Fact<LldpHeard> lldp{};  // only when listening was asked for: it takes its time
  Fact<Ipv4Settings> ipv4{};
  EthernetLink link{};
  Fact<std::vector<NicStatistic>> statistics{};
  Fact<Mqprio> mqprio{};              // kUnsupported: another queueing discipline is in place
  Fact<LldpHeard> lldp_agent{};       // as lldpad of this host keeps it, at once and without listening
  Fact<DcbWrites> dcb_writes{};       // only when listening was asked for; kUnsupported: there is no DCB
  Fact<bool> vlan_reorder{};          // known only when the netdev is a VLAN device
  Fact<std::string> permanent_mac{};  // IFLA_PERM_ADDRESS: a bond gives its members another one

  void Fields(auto& list) {
    list.Setting("name", name, "driver", driver, "admin_up", admin_up, "mtu_bytes", mtu_bytes, "vlan_id",
                 vlan_id, "vlan_egress", vlan_egress, "addresses", addresses, "dcb", dcb, "mac", mac, "master",
                 master, "max_mtu_bytes", max_mtu_bytes, "driver_info", driver_info, "pause", pause,
                 "pfc_storm_timeout_ms", pfc_storm_timeout_ms, "ipv4", ipv4, "link", link, "mqprio", mqprio,
                 "vlan_reorder", vlan_reorder, "permanent_mac", permanent_mac);
    list.State("carrier", carrier, "speed_mbps", speed_mbps, "duplex", duplex, "lldp", lldp, "lldp_agent",
               lldp_agent);
    list.Passing("ifindex", ifindex);
    list.Reading("carrier_changes", carrier_changes, "statistics", statistics, "dcb_writes", dcb_writes);
  }

  bool operator==(const Netdev&) const = default;
};

}  // namespace rdmaready
