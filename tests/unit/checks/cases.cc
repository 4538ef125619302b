// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"

namespace rdmaready {

// One for each family of checks/catalog.cc.
std::vector<CheckCase> InventoryCases();
std::vector<CheckCase> SelectionCases();
std::vector<CheckCase> FunctionCases();
std::vector<CheckCase> GpuCases();
std::vector<CheckCase> BondCases();
std::vector<CheckCase> BootSwitchCases();
std::vector<CheckCase> BootCases();
std::vector<CheckCase> DriverCases();
std::vector<CheckCase> InfinibandCases();
std::vector<CheckCase> LinkCases();
std::vector<CheckCase> LinkHealthCases();
std::vector<CheckCase> PcieCases();
std::vector<CheckCase> PortCountedCases();
std::vector<CheckCase> RdmaCountedCases();
std::vector<CheckCase> NicCountedCases();
std::vector<CheckCase> DeviceLimitsCases();
std::vector<CheckCase> MtuCases();
std::vector<CheckCase> MemlockCases();
std::vector<CheckCase> HostCases();
std::vector<CheckCase> SecurityCases();
std::vector<CheckCase> IpCases();
std::vector<CheckCase> ArpCases();
std::vector<CheckCase> FirewallCases();
std::vector<CheckCase> VlanCases();
std::vector<CheckCase> GidCases();
std::vector<CheckCase> GidIndexCases();
std::vector<CheckCase> MarkingCases();
std::vector<CheckCase> CongestionCases();
std::vector<CheckCase> DcbxCases();
std::vector<CheckCase> DcbAtBootCases();
std::vector<CheckCase> DriftCases();
std::vector<CheckCase> PeerCases();
std::vector<CheckCase> PauseCases();
std::vector<CheckCase> PfcCases();
std::vector<CheckCase> PfcRoomCases();
std::vector<CheckCase> PfcCountedCases();
std::vector<CheckCase> PriorityCountedCases();
std::vector<CheckCase> EtsCases();
std::vector<CheckCase> EtsOthersCases();
std::vector<CheckCase> SwitchAgreesCases();
std::vector<CheckCase> AppCases();
std::vector<CheckCase> ClassificationCases();
std::vector<CheckCase> ChainCases();
std::vector<CheckCase> SmbCases();
std::vector<CheckCase> SmbServingCases();
std::vector<CheckCase> StorageRolesCases();
std::vector<CheckCase> AgreementCases();
std::vector<CheckCase> SharedWireCases();
std::vector<CheckCase> PairCases();

const std::vector<CheckCase>& AllCheckCases() {
  static const std::vector<CheckCase> cases = Joined({
      SelectionCases(),    InventoryCases(),    BondCases(),
      BootCases(),         BootSwitchCases(),   DriverCases(),
      InfinibandCases(),   LinkCases(),         LinkHealthCases(),
      PcieCases(),         PortCountedCases(),  RdmaCountedCases(),
      NicCountedCases(),   DeviceLimitsCases(), MtuCases(),
      HostCases(),         SecurityCases(),     IpCases(),
      ArpCases(),          FirewallCases(),     VlanCases(),
      GidCases(),          MarkingCases(),      CongestionCases(),
      DcbxCases(),         DriftCases(),        PeerCases(),
      PauseCases(),        PfcCases(),          PfcRoomCases(),
      PfcCountedCases(),   EtsCases(),          EtsOthersCases(),
      SwitchAgreesCases(), AppCases(),          ClassificationCases(),
      ChainCases(),        DcbAtBootCases(),    PriorityCountedCases(),
      SmbCases(),          SmbServingCases(),   StorageRolesCases(),
      AgreementCases(),    SharedWireCases(),   PairCases(),
      FunctionCases(),     GpuCases(),          MemlockCases(),
      GidIndexCases(),
  });
  return cases;
}

}  // namespace rdmaready
