// SPDX-License-Identifier: Apache-2.0
// Managers of an InfiniBand or Omni-Path fabric that are installed here, and the ports that they are given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The ports that a file gives opensm: "guid 0x..." of opensm.conf, GUIDS of /etc/sysconfig/opensm, PORTS of
// /etc/default/opensm.
struct OpensmPorts {
  std::vector<ManagedPort> ports{};
  bool all = false;   // "ALL": one manager for each port
  bool none = false;  // "NONE": no manager starts
};
OpensmPorts DecodeOpensmLines(std::span<const std::string> lines, const std::string& source);

// The GUID of a unit that starts a manager for one port, "opensm@0xb83fd20300c21a40.service"; 0: it is not one.
std::uint64_t GuidOfUnit(std::string_view link);

// Empty: none is installed.
Fact<std::vector<FabricManager>> ReadFabricManagers(HostReader& host);

}  // namespace rdmaready
