// SPDX-License-Identifier: Apache-2.0
// A host with one ConnectX-6 HDR adapter in InfiniBand mode, as the kernel would answer about it: files in the
// formats of Documentation/ABI/stable/sysfs-class-infiniband and of drivers/infiniband/core/sysfs.c, RDMA
// netlink as drivers/infiniband/core/nldev.c writes it. What a subnet manager gives a port, and what its
// management agents answer, is not here: that comes from a simulated fabric.
#pragma once

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <string>
#include <vector>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {

inline constexpr std::uint8_t kMtu2048 = 4;  // enum ibv_mtu: the simulator's ports can no more

inline void AddSettings(FakeHost& host) {
  host.files["/proc/sys/kernel/hostname"] = "storage1\n";
  host.files["/etc/machine-id"] = "00000000000000000000000000000001\n";
  host.files["/proc/sys/kernel/osrelease"] = "6.12.57+deb12-amd64\n";
  host.files["/proc/uptime"] = "86400.25 170000.10\n";
  host.files["/proc/self/limits"] =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1024                 524288               files     \n"
      "Max locked memory         unlimited            unlimited            bytes     \n";
  host.files["/proc/self/status"] = "Name:\trdmaready-agent\nUid:\t0\t0\t0\t0\nCapEff:\t0000000000207000\n";
  host.files["/sys/devices/system/node/online"] = "0\n";
  host.memlock = MemlockAnswer{Memlock::kUnlimited, true, 412};
  host.files["/proc/net/tcp"] =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 "
      "0\n";
  host.files["/boot/config-6.12.57+deb12-amd64"] =
      "CONFIG_CIFS=m\n# CONFIG_CIFS_SMB_DIRECT is not "
      "set\nCONFIG_SMB_SERVER=m\nCONFIG_SMB_SERVER_SMBDIRECT=y\n";
  host.files["/lib/modules/6.12.57+deb12-amd64/modules.dep"] =
      "kernel/fs/smb/server/ksmbd.ko.xz: kernel/drivers/infiniband/core/rdma_cm.ko.xz\n"
      "kernel/drivers/nvme/host/nvme-rdma.ko.xz: kernel/drivers/infiniband/core/rdma_cm.ko.xz\n"
      "kernel/drivers/infiniband/core/rdma_cm.ko.xz:\n";
  host.files["/lib/modules/6.12.57+deb12-amd64/modules.builtin"] = "";
}

// An x16 card of 16 GT/s in a slot like it.
inline void AddPci(FakeHost& host) {
  host.links["/sys/class/infiniband/mlx5_0"] =
      "../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/infiniband/mlx5_0";
  host.links["/sys/class/infiniband/mlx5_0/device"] = "../../../0000:3b:00.0";
  for (const std::string address : {"0000:3a:00.0", "0000:3b:00.0"}) {
    const std::string path = "/sys/bus/pci/devices/" + address + "/";
    for (const std::string which : {"current", "max"}) {
      host.files[path + which + "_link_speed"] = "16.0 GT/s PCIe\n";
      host.files[path + which + "_link_width"] = "16\n";
    }
  }
  const std::string path = "/sys/bus/pci/devices/0000:3b:00.0/";
  host.files[path + "vendor"] = "0x15b3\n";
  host.files[path + "device"] = "0x101b\n";
  host.files[path + "numa_node"] = "0\n";
  host.files[path + "aer_dev_fatal"] = "Undefined 0\nTOTAL_ERR_FATAL 0\n";
  host.files[path + "aer_dev_nonfatal"] = "Undefined 0\nTOTAL_ERR_NONFATAL 0\n";
  host.files[path + "aer_dev_correctable"] = "RxErr 0\nTOTAL_ERR_COR 0\n";
}

inline void AddDevice(FakeHost& host) {
  const std::string device = "/sys/class/infiniband/mlx5_0/";
  host.files[device + "board_id"] = "MT_0000000223\n";
  host.files[device + "hca_type"] = "MT4123\n";
  host.files[device + "ports/1/rate"] = "200 Gb/sec (4X HDR)\n";
  host.files[device + "ports/1/link_layer"] = "InfiniBand\n";
  host.directories[device + "ports/1/counters"] =
      std::vector<std::string>{"VL15_dropped",    "link_downed",        "link_error_recovery",
                               "port_rcv_errors", "port_xmit_discards", "symbol_error"};
  for (const std::string& name : host.directories[device + "ports/1/counters"].value())
    host.files[device + "ports/1/counters/" + name] = "0\n";
  host.directories[device + "ports/1/hw_counters"] =
      std::vector<std::string>{"lifespan", "out_of_buffer", "out_of_sequence"};
  for (const std::string& name : host.directories[device + "ports/1/hw_counters"].value())
    host.files[device + "ports/1/hw_counters/" + name] = name == "lifespan" ? "10\n" : "0\n";
  host.verbs_devices["mlx5_0"] = VerbsDeviceAnswer{.device_cap_flags = 1U << 21U,
                                                   .max_qp = 262'144,
                                                   .max_qp_wr = 32'768,
                                                   .max_sge = 30,
                                                   .max_sge_rd = 30,
                                                   .max_cqe = 4'194'303,
                                                   .max_mr = 16'777'216,
                                                   .max_mw = 16'777'216,
                                                   .max_qp_rd_atom = 16,
                                                   .max_qp_init_rd_atom = 16};
  VerbsGid gid{.port = 1, .index = 0, .type = 0};
  gid.raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x50, 0x54, 0x00, 0xff, 0xfe, 0x00, 0x00, 0x01};
  host.gid_tables["mlx5_0"] = std::vector<VerbsGid>{gid};
}

// In a state of enum ib_port_state, its link up.
inline FakeHost InfinibandHost(std::uint8_t state) {
  FakeHost host;
  AddSettings(host);
  AddPci(host);
  AddDevice(host);
  host.directories["/sys/class"] =
      std::vector<std::string>{"infiniband", "infiniband_mad", "infiniband_verbs", "net"};
  host.directories["/sys/class/infiniband"] = std::vector<std::string>{"mlx5_0"};
  host.directories["/sys/class/infiniband_verbs"] = std::vector<std::string>{"abi_version", "uverbs0"};
  host.directories["/dev/infiniband"] = std::vector<std::string>{"issm0", "rdma_cm", "umad0", "uverbs0"};
  host.directories["/sys/module"] = std::vector<std::string>{"ib_umad", "mlx5_ib", "rdma_cm", "rdma_ucm"};
  host.directories["/sys/module/rdma_cm/holders"] = std::vector<std::string>{"rdma_ucm"};
  const auto device = wire::Device(0, "mlx5_0", "ib", 1, "20.35.4030");
  host.Answer(wire::DevicesRequest(), wire::One(device));
  host.Answer(wire::DeviceRequest(0), wire::One(device));
  host.Answer(wire::PortRequest(0, 1), wire::One(wire::Port(0, "mlx5_0", 1, std::nullopt, state)));
  host.verbs_ports[{"mlx5_0", 1}] = VerbsPortAnswer{state, 5, kMtu2048, kMtu2048, 1};
  host.Answer(wire::ResourcesRequest(0), wire::One(wire::Resources(0)));
  host.Answer(wire::CmIdsRequest(0), wire::One(wire::CmIds(0, {})));
  host.Answer(wire::SystemRequest(), wire::One(wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1)));
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(1, "lo", 65536)));
  host.Answer(wire::AddressesRequest(), std::vector<NetlinkMessage>{});
  host.Answer(wire::NeighboursRequest(), std::vector<NetlinkMessage>{});
  // No generic family that anybody asks for: neither devlink nor ethtool.
  host.Answer({NETLINK_GENERIC, GENL_ID_CTRL, true, wire::Of(genlmsghdr{CTRL_CMD_GETFAMILY, 1, 0})},
              std::vector<NetlinkMessage>{});
  return host;
}

}  // namespace rdmaready
