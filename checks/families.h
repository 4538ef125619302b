// SPDX-License-Identifier: Apache-2.0
// The families of checks: each is a file that returns its rows, in the order of the report. catalog.cc names
// them; nobody else calls them.
#pragma once

#include <vector>

#include "checks/check.h"

namespace rdmaready {

// device/
std::vector<Check> InventoryChecks();
std::vector<Check> BootSwitchChecks();
std::vector<Check> SelectionChecks();
std::vector<Check> BondChecks();
std::vector<Check> BootChecks();
std::vector<Check> DriverChecks();
std::vector<Check> FunctionChecks();
std::vector<Check> GpuChecks();
std::vector<Check> InfinibandChecks();
std::vector<Check> LinkChecks();
std::vector<Check> LinkHealthChecks();
std::vector<Check> PcieChecks();
std::vector<Check> DeviceLimitsChecks();
std::vector<Check> MtuChecks();
// counted/
std::vector<Check> PortCountedChecks();
std::vector<Check> RdmaCountedChecks();
std::vector<Check> NicCountedChecks();
std::vector<Check> PfcCountedChecks();
std::vector<Check> PriorityCountedChecks();
// host/
std::vector<Check> MemlockChecks();
std::vector<Check> HostChecks();
std::vector<Check> SecurityChecks();
std::vector<Check> WaiverChecks();
std::vector<Check> AppliedChecks();
// net/
std::vector<Check> IpChecks();
std::vector<Check> ArpChecks();
std::vector<Check> FirewallChecks();
std::vector<Check> VlanChecks();
// roce/
std::vector<Check> GidChecks();
std::vector<Check> GidIndexChecks();
std::vector<Check> MarkingChecks();
std::vector<Check> CongestionChecks();
// dcb/
std::vector<Check> DcbxChecks();
std::vector<Check> DcbAtBootChecks();
std::vector<Check> DriftChecks();
std::vector<Check> PeerChecks();
std::vector<Check> PauseChecks();
std::vector<Check> PfcChecks();
std::vector<Check> PfcRoomChecks();
std::vector<Check> SwitchAgreesChecks();
std::vector<Check> EtsChecks();
std::vector<Check> EtsOthersChecks();
std::vector<Check> AppChecks();
std::vector<Check> ClassificationChecks();
// chain/
std::vector<Check> ChainChecks();
// storage/
std::vector<Check> SmbChecks();
std::vector<Check> SmbServingChecks();
std::vector<Check> StorageRolesChecks();
// fleet/
std::vector<Check> AgreementChecks();
std::vector<Check> SharedWireChecks();
std::vector<Check> PairChecks();

}  // namespace rdmaready
