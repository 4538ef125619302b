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
  // "pfc", "trust" or "dcb" (anything else of it) of a netdev, "tos" of an RDMA device, "blacklist" or
  // "install" of a kernel module, "port_type_array" of one's options; else the name of a devlink parameter:
  // "enable_roce".
  std::string setting{};
  std::string object{};  // netdev, RDMA device, devlink handle or module; empty: named by a variable
  std::string value{};   // as the command has it; of "pfc" the priorities: "3,5", or "none"

  void Fields(auto& list) {
    list.Setting("file", file, "started", started, "setting", setting, "object", object, "value", value);
  }

  bool operator==(const BootWrite&) const = default;
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
