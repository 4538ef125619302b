// SPDX-License-Identifier: Apache-2.0
// Who needs which right, and for what: the one table from which the units, the AppArmor profiles, the fabric's
// agents, sec.agent-caps and packaging/RIGHTS.md come (packaging/rights makes them).
//
// The agent, which listens on the network, is in no row: it has no capability. What takes one, or what only
// root may open, is asked by a helper. Measured on Linux 6.12, with and without each right:
// tests/fabric/suite/rights_test.py.
#pragma once

#include <linux/capability.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rdmaready {

// The programs of a host, one process each.
enum class Daemon : std::uint8_t { kUnknown = 0, kAgent, kReader, kListener, kProver, kApplier, kPauser };

inline constexpr std::array<Daemon, 6> kDaemons{Daemon::kAgent,  Daemon::kReader,  Daemon::kListener,
                                                Daemon::kProver, Daemon::kApplier, Daemon::kPauser};

// Root's user id is enough: the kernel looks at the owner of a file, and asks for no capability.
inline constexpr int kRootsFile = -1;

struct Right {
  std::string_view feature{};  // its name, for ever: "packet-filter"
  Daemon daemon = Daemon::kUnknown;
  int capability = kRootsFile;  // CAP_* of linux/capability.h
  std::string_view asked{};     // what is asked or opened with it
  std::string_view without{};   // what is unknown without it, or not done
  std::string_view kernel{};    // where the kernel looks for it
};

// Rows of one process stand together.
inline constexpr auto kRights = std::to_array<Right>({
    {"packet-filter", Daemon::kReader, CAP_NET_ADMIN, "tables, chains, rules and sets of nf_tables, by netlink",
     "whether the packet filter lets RoCE and the storage ports in",
     "nfnetlink_rcv in net/netfilter/nfnetlink.c"},
    {"legacy-packet-filter", Daemon::kReader, kRootsFile, "/proc/net/ip_tables_names and ip6_tables_names",
     "whether iptables' own tables filter beside those of nf_tables", "xt_proto_init: 0440 of root"},
    {"devlink-switch", Daemon::kReader, CAP_NET_ADMIN, "devlink: the mode of a function's switch (eswitch)",
     "whether a NIC's switch is in switchdev mode",
     "GENL_ADMIN_PERM of DEVLINK_CMD_ESWITCH_GET in net/devlink"},
    {"pci-configuration", Daemon::kReader, CAP_SYS_ADMIN, "PCI configuration space beyond its first 64 octets",
     "the largest PCIe payload and read request, and access control services (ACS)",
     "pci_read_config in drivers/pci/pci-sysfs.c"},
    {"rdma-cm-defaults", Daemon::kReader, kRootsFile,
     "a directory of /sys/kernel/config/rdma_cm, made for a moment: its only write",
     "RDMA-CM's default RoCE mode and type of service", "configfs: 0755 of root"},
    {"infiniband-management", Daemon::kReader, kRootsFile,
     "PortInfo and counters, asked of the port by /dev/infiniband/umad*",
     "InfiniBand's widths, speeds, keys and performance counters", "the device node: 0600 of root"},
    {"congestion-control", Daemon::kReader, kRootsFile, "/sys/kernel/debug/mlx5/ADDRESS/cc_params",
     "how mlx5 of the kernel tells of congestion, and reacts to it", "debugfs: 0700 of root"},
    {"lldpad", Daemon::kReader, kRootsFile, "lldpad's socket and /var/run/lldpad.pid",
     "what lldpad has heard and sent, and who of two LLDP agents it is", "lldpad itself: it answers root only"},
    {"roots-settings", Daemon::kReader, kRootsFile,
     "the lines that matter of files that are root's: settings of lldpad, ksmbd, nvme, NetworkManager, boot "
     "scripts",
     "whether DCB and marking come back at boot, and how ksmbd is set, where those files are closed",
     "modes of the files"},
    {"lldp", Daemon::kListener, CAP_NET_RAW, "LLDP frames, by packet sockets",
     "what switches announce: DCBX, VLANs, ports", "packet_create in net/packet/af_packet.c"},
    {"dcb-writers", Daemon::kListener, CAP_SYS_NICE,
     "to run before others (SCHED_FIFO) when DCB settings are written",
     "the name of a program that writes DCB settings and is gone at once",
     "user_check_sched_setscheduler in kernel/sched/syscalls.c"},
    {"share-proof", Daemon::kProver, CAP_SYS_ADMIN, "mounts of NFS and SMB shares, for itself alone",
     "whether a file on a share moves by RDMA", "may_mount in fs/namespace.c"},
    {"disk-proof", Daemon::kProver, kRootsFile, "/dev/nvme-fabrics, and the disk that appears",
     "whether an NVMe disk is read by RDMA", "the device nodes: of root"},
    {"dcb-settings", Daemon::kApplier, CAP_NET_ADMIN,
     "writes of DCB by netlink: DCBX, ETS, PFC, buffers, rates, APP, trust",
     "no DCB setting is changed, kept or taken back", "dcb_doit in net/dcb/dcbnl.c"},
    {"link-settings", Daemon::kApplier, CAP_NET_ADMIN,
     "writes of pause, private flags, MTU, the egress map and reorder_hdr of VLANs, and devlink parameters",
     "none of those is changed, kept or taken back",
     "rtnetlink_rcv_msg in net/core/rtnetlink.c, GENL_UNS_ADMIN_PERM of ethtool, GENL_ADMIN_PERM of devlink"},
    {"sysctl-settings", Daemon::kApplier, kRootsFile, "files of /proc/sys/net/ipv4/conf",
     "no sysctl of ARP and routing is changed, kept or taken back", "net_ctl_permissions: 0644 of root"},
    {"rdma-cm-settings", Daemon::kApplier, kRootsFile,
     "a directory of /sys/kernel/config/rdma_cm, made for a moment, and the files in it",
     "RDMA-CM's default RoCE mode and type of service are not changed, kept or taken back",
     "configfs: 0755 of root"},
    {"boot-files", Daemon::kApplier, kRootsFile,
     "files of this program's own names in /etc/systemd/network, /etc/systemd/system, /etc/netplan, "
     "/etc/NetworkManager/conf.d, /etc/sysctl.d and /etc/udev/rules.d, where its file says `files: true`",
     "no file brings a setting back at the next boot, and a plan shows the files as the agent makes them",
     "modes of the folders: 0755 of root"},
    {"partner-pause", Daemon::kPauser, CAP_NET_RAW,
     "pauses of one priority, sent on interfaces that its own file names, at most a second an hour on each",
     "whether the NIC at the other end of a cable obeys PFC", "packet_create in net/packet/af_packet.c"},
});

// Every capability that a row of `daemon` names: bit N is CAP_ number N. A process outside of the table has 0.
constexpr std::uint64_t CapabilitiesOf(Daemon daemon) {
  std::uint64_t capabilities = 0;
  for (const Right& right : kRights) {
    if (right.daemon == daemon && right.capability != kRootsFile)
      capabilities |= std::uint64_t{1} << right.capability;
  }
  return capabilities;
}
static_assert(CapabilitiesOf(Daemon::kAgent) == 0, "the agent listens on the network");

// The capabilities of all helpers but the applier and the pauser. An agent of root does their work itself where
// no helper runs; without the applier nobody changes settings, and without the pauser nobody sends pauses.
constexpr std::uint64_t HelpersCapabilities() {
  std::uint64_t capabilities = 0;
  for (const Daemon daemon : kDaemons)
    if (daemon != Daemon::kApplier && daemon != Daemon::kPauser) capabilities |= CapabilitiesOf(daemon);
  return capabilities;
}

// "agent", "reader", ...; the program is "rdmaready-" and that.
std::string_view NameOf(Daemon daemon);
// kUnknown for what is none.
Daemon DaemonNamed(std::string_view name);

// "CAP_NET_ADMIN"; the number of one that is newer than the table.
std::string CapabilityName(std::size_t bit);

// "CAP_NET_ADMIN CAP_SYS_ADMIN"; "none".
std::string CapabilityNames(std::uint64_t capabilities);

}  // namespace rdmaready
