// SPDX-License-Identifier: Apache-2.0
// Services that own a part of the fabric or of storage, as their configuration says: where storage targets
// listen, and which ports a fabric manager of this host manages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// A port of the kernel's NVMe target: /sys/kernel/config/nvmet/ports/ID.
struct NvmetPort {
  std::string id{};                       // "1"
  std::string transport{};                // addr_trtype: "rdma", "tcp"; empty: not set
  std::string address{};                  // addr_traddr
  std::string service{};                  // addr_trsvcid: "4420"
  std::vector<std::string> subsystems{};  // that are linked to it; empty: the port is not enabled
  // The interface of this network namespace that has the address; empty: no interface has it. kUnsupported: the
  // address names no single interface ("0.0.0.0"), or is not an IP address.
  Fact<std::string> netdev{};

  void Fields(auto& list) {
    list.Setting("id", id, "transport", transport, "address", address, "service", service, "subsystems",
                 subsystems, "netdev", netdev);
  }

  bool operator==(const NvmetPort&) const = default;
};

// A portal of the kernel's iSCSI target: /sys/kernel/config/target/iscsi/TARGET/GROUP/np/PORTAL.
struct IscsiPortal {
  std::string target{};   // "iqn.2003-01.org.linux-iscsi.filer:sn.1"
  std::string group{};    // "tpgt_1"
  std::string address{};  // "10.0.0.5"
  std::uint16_t port = 0;
  bool iser = false;           // it takes connections by RDMA
  Fact<std::string> netdev{};  // as of NvmetPort

  void Fields(auto& list) {
    list.Setting("target", target, "group", group, "address", address, "port", port, "iser", iser, "netdev",
                 netdev);
  }

  bool operator==(const IscsiPortal&) const = default;
};

// A port that the configuration of a fabric manager names.
struct ManagedPort {
  std::string source{};    // the file that says so
  std::uint64_t guid = 0;  // 0: the manager chooses a port

  void Fields(auto& list) { list.Setting("source", source, "guid", guid); }

  bool operator==(const ManagedPort&) const = default;
};

// A subnet manager of InfiniBand (opensm), or the fabric manager of Omni-Path (opafm), that is installed here.
struct FabricManager {
  std::string name{};                // "opensm", "opafm"
  std::string unit{};                // "opensm.service"
  Fact<bool> starts{};               // the unit is enabled
  std::vector<std::string> files{};  // of its configuration, those that are there
  std::vector<ManagedPort> ports{};  // in the order of the files; empty: no file names one
  bool all_ports = false;            // its unit starts one manager for each port of the host

  void Fields(auto& list) {
    list.Setting("name", name, "unit", unit, "starts", starts, "files", files, "ports", ports, "all_ports",
                 all_ports);
  }

  bool operator==(const FabricManager&) const = default;
};

}  // namespace rdmaready
