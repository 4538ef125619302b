// SPDX-License-Identifier: Apache-2.0
// Commands that set a host's NICs at boot, and pods of a cluster that set them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// A command that runs at boot.
struct BootWrite {
  std::string file{};     // that holds the command: "/usr/local/sbin/roce-qos.sh"
  std::string started{};  // what starts it: "/etc/systemd/system/roce-qos.service"; often the same file
  // "pfc", "trust", "dcb" (the rest) of a netdev; "tos" of an RDMA device or of its port ("mlx5_0/1");
  // "blacklist", "install" of a module. "port_type_array" of its options; else the name of a devlink parameter:
  // "enable_roce". "unread": the file could not be read, by right where the value is "denied".
  std::string setting{};
  std::string object{};  // netdev, RDMA device or port, devlink handle or module; empty: named by a variable
  std::string value{};   // as the command has it; of "pfc" the priorities: "3,5", or "none"

  void Fields(auto& list) {
    list.Setting("file", file, "started", started, "setting", setting, "object", object, "value", value);
  }

  bool operator==(const BootWrite&) const = default;
};

// Values that the files of a boot give interfaces and variables of the kernel: commands, sysctl.d(5),
// systemd.link(5), files of systemd-networkd where it runs, netplan, interfaces(5), and ifcfg files. Where the
// later one of two files of a kind holds, the earlier one's write is left out; of .link and .network files the
// first one that matches an interface holds, and they are in that order.
struct BootSettings {
  // BootWrite::setting. "sysctl": its object may hold '*', and an empty value keeps it out of those. "cnp":
  // DSCP of congestion notifications, of a netdev, PCI address or RDMA device. "mtu", "pause" ("autoneg off"
  // and so on), "match" (a .link file that sets neither): of a netdev, its MAC or PCI address, or
  // "driver=mlx5_core"; empty: not known. "applied": the .link file that udev gave a netdev; "networkd": the
  // .network file that networkd uses for it. "connection-mtu": a default of NetworkManager for connections,
  // empty where the file could not be read. A drop-in is started by the file that it adds to.
  std::vector<BootWrite> writes{};
  std::vector<std::string> unread{};  // files and folders that could not be read: "/etc/netplan"

  void Fields(auto& list) { list.Setting("writes", writes, "unread", unread); }

  bool operator==(const BootSettings&) const = default;
};

// A process in a pod of a Kubernetes cluster that sets NICs of the node.
struct ClusterAgent {
  std::string process{};  // "nic-configurati", as /proc/PID/comm has it
  std::uint32_t pid = 0;
  std::string pod{};  // "nvidia-network-operator/nic-configuration-daemon-x7k2p"; empty: not known
  std::string by{};   // what shows it: "mlnx_qos" in its command line, or the name of the program

  void Fields(auto& list) {
    list.State("process", process, "pod", pod, "by", by);
    list.Passing("pid", pid);
  }

  bool operator==(const ClusterAgent&) const = default;
};

}  // namespace rdmaready
