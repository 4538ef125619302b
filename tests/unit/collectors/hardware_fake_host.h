// SPDX-License-Identifier: Apache-2.0
// A host with hardware: what GoodFakeHost has, but the device is a NIC in a slot that tells everything.
#pragma once

#include <linux/genetlink.h>

#include "tests/support/lldpad_wire.h"
#include "tests/unit/collectors/good_fake_host.h"
#include "tests/unit/collectors/nic/devlink_wire.h"
#include "tests/unit/collectors/nic/pci_wire.h"

namespace rdmaready {

inline constexpr const char* kNicAddress = "0000:3b:00.0";

inline void AddSlot(FakeHost* host) {
  const std::string pci = "/sys/bus/pci/devices/" + std::string(kNicAddress) + "/";
  host->files[pci + "vendor"] = "0x15b3\n";
  host->files[pci + "device"] = "0x1017\n";
  host->files[pci + "numa_node"] = "0\n";
  host->files[pci + "current_link_speed"] = "8.0 GT/s PCIe\n";
  host->files[pci + "current_link_width"] = "16\n";
  host->files[pci + "max_link_speed"] = "16.0 GT/s PCIe\n";
  host->files[pci + "max_link_width"] = "16\n";
  host->files[pci + "aer_dev_fatal"] = "TOTAL_ERR_FATAL 0\n";
  host->files[pci + "config"] = wire::PciConfig(0x5810, 0x05);
  host->links[pci + "driver/module"] = "../../../../module/mlx5_core";
  host->links[pci + "iommu_group"] = "../../../kernel/iommu_groups/12";
  host->files["/sys/kernel/iommu_groups/12/type"] = "DMA-FQ\n";
  host->files["/sys/module/mlx5_core/taint"] = "OE\n";
}

inline void AddDevlink(FakeHost* host) {
  using wire::operator+;
  host->Answer({NETLINK_GENERIC, GENL_ID_CTRL, true, wire::Of(genlmsghdr{CTRL_CMD_GETFAMILY, 1, 0})},
               wire::One(wire::Of(genlmsghdr{CTRL_CMD_NEWFAMILY, 1, 0}) +
                         wire::Text(CTRL_ATTR_FAMILY_NAME, DEVLINK_GENL_NAME) +
                         wire::U16(CTRL_ATTR_FAMILY_ID, wire::kDevlinkFamily)));
  host->Answer(wire::DevlinkList(DEVLINK_CMD_INFO_GET), wire::One(wire::DevlinkInfo(kNicAddress)));
  host->Answer(wire::DevlinkList(DEVLINK_CMD_PARAM_GET),
               wire::One(wire::DevlinkFlag(kNicAddress, "enable_roce", true)));
  host->Answer(wire::DevlinkList(DEVLINK_CMD_HEALTH_REPORTER_GET),
               wire::One(wire::DevlinkHealth(kNicAddress, "fw", 0, 0)));
  host->Answer(wire::DevlinkEswitchRequest(kNicAddress), wire::One(wire::DevlinkEswitch(kNicAddress, 0)));
}

inline void AddCongestion(FakeHost* host) {
  const std::string folder = "/sys/kernel/debug/mlx5/" + std::string(kNicAddress) + "/cc_params";
  host->directories[folder] = std::vector<std::string>{"np_cnp_dscp", "np_cnp_prio", "rp_ai_rate"};
  host->files[folder + "/np_cnp_dscp"] = "48\n";
  host->files[folder + "/np_cnp_prio"] = "6\n";
  host->files[folder + "/rp_ai_rate"] = "5\n";
  host->files["/sys/class/infiniband/rxe0/tc/1/traffic_class"] = "Global tclass=106\n";
}

// lldpad runs, and has heard the switch.
inline void AddLldpad(FakeHost* host) {
  const lldp_wire::Bytes unit = lldpad_wire::UnitOf(lldp_wire::FullFrame());
  host->files["/proc/net/unix"] =
      "0000000000000000: 00000002 00000000 00000000 0002 01 17 @/com/intel/lldpad\n";
  host->files["/var/run/lldpad.pid"] = "4711\n";
  host->files["/proc/4711/stat"] =
      "4711 (lldpad) S 1 4711 4711 0 -1 4194368 100 0 0 0 1 2 0 0 20 0 1 0 1000 0\n";
  host->modes["/proc/net/vlan"] = 0555U;
  host->lldpad[lldpad_wire::ModeQuestion("dcb0")] = lldpad_wire::Mode("dcb0", "0004rxtx");
  host->lldpad[lldpad_wire::NeighbourQuestion("dcb0")] = lldpad_wire::Neighbour("dcb0", unit);
  host->lldpad[lldpad_wire::OwnQuestion("dcb0")] =
      lldpad_wire::Own("dcb0", lldpad_wire::UnitOf(lldp_wire::LldpadFrame()));
}

// The device keeps its name, rxe0, though it is none.
inline FakeHost HardwareFakeHost() {
  FakeHost host = GoodFakeHost();
  host.files.erase("/sys/class/infiniband/rxe0/parent");
  host.links["/sys/class/infiniband/rxe0/device"] = "../../../" + std::string(kNicAddress);
  host.links["/sys/class/infiniband/rxe0"] =
      "../../devices/pci0000:3a/" + std::string(kNicAddress) + "/infiniband/rxe0";
  AddSlot(&host);
  AddDevlink(&host);
  AddCongestion(&host);
  AddLldpad(&host);
  host.Answer(wire::DcbRequest("dcb0"), wire::One(wire::PeerDcb("dcb0", 0x0d)));
  host.Answer(wire::CeeRequest("dcb0"), wire::One(wire::FullCee("dcb0")));
  return host;
}

}  // namespace rdmaready
