// SPDX-License-Identifier: Apache-2.0
// Where the kernel's storage targets listen, by their configfs: the NVMe target (nvmet) and the iSCSI target
// (LIO).
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/netdev.h"

namespace rdmaready {

// kUnsupported where the kernel shows no such target: its module is not loaded, or configfs is not here.
Fact<std::vector<NvmetPort>> ReadNvmetPorts(HostReader& host);
Fact<std::vector<IscsiPortal>> ReadIscsiPortals(HostReader& host);

// "10.0.0.5:3260", "[fd00::5]:3260": the name of a portal's folder. An address without a port has port 0.
IscsiPortal DecodePortalName(std::string_view name);

// Fills in which interface has the address of each port and portal.
void PlaceTargets(HostReader& host, const Network& network, Facts& facts);

}  // namespace rdmaready
