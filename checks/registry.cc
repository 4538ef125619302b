// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "checks/check.h"
#include "checks/families.h"

namespace rdmaready {

const std::vector<Check>& AllChecks() {
  static const std::vector<Check> checks{
      InvRdmaPresent(),
      InvExpectedCount(),
      InvNetdevMapping(),
      InvTransport(),
      InvSymmetry(),
      InvPhysical(),
      InvNetnsMode(),
      InvBond(),
      InvBridge(),
      InvBootPath(),
      DrvCoreModules(),
      LinkState(),
      LinkPhysState(),
      LinkSpeed(),
      LinkSpeedConsistent(),
      LinkDuplex(),
      LinkLanes(),
      LinkRateMatch(),
      LinkFec(),
      LinkCrc(),
      LinkFlaps(),
      LinkEee(),
      LinkModule(),
      PcieWidth(),
      PcieSpeed(),
      PcieBandwidth(),
      PcieNuma(),
      PcieAer(),
      CntSaturated(),
      IbSymbolErrors(),
      IbLinkRecovery(),
      DevFastRegistration(),
      DevMaxQpWr(),
      DevMaxCqe(),
      DevMaxSge(),
      DevMaxMr(),
      DevRdAtom(),
      IwIrdOrd(),
      MtuMax(),
      MtuEthernet(),
      MtuRoceActive(),
      MtuVlan(),
      IpUsable(),
      IpSubnets(),
      IpRouteSymmetric(),
      IpNeighbor(),
      ArpIgnore(),
      ArpAnnounce(),
      IpRpFilter(),
      IpAcceptLocal(),
      IpFirewall(),
      VlanPresent(),
      VlanId(),
      GidV2Present(),
      GidIpMatch(),
      GidVlanMatch(),
      GidDefaultMode(),
      RoceTos(),
      RoceTosPersistent(),
      VlanEgressMap(),
      DrvDcbCapable(),
      DcbxMode(),
      DcbxWilling(),
      PauseOffWithPfc(),
      PfcCapability(),
      PfcLosslessPriority(),
      PfcNotDefault(),
      PfcNotHeartbeat(),
      PfcOffWhenLossy(),
      PfcOnlyOne(),
      PfcHeadroom(),
      PfcStormPrevention(),
      EtsCapacity(),
      EtsMap(),
      EtsSum(),
      EtsTsa(),
      EtsRdmaShare(),
      EtsThreeClasses(),
      EtsClusterShare(),
      EtsMaxrate(),
      AppRoceUdp(),
      MapDscp(),
      MapPcp(),
      MapCnpDscp(),
      MapDefaultPrio(),
      MapDuplicates(),
      TrustMode(),
      HostMemlock(),
      HostNofile(),
      HostIrqAffinity(),
      SecDeviceNodes(),
      SmbClientBuiltIn(),
      SmbServerBuiltIn(),
      SmbKernel(),
      SmbTcp(),
      IwPort5445(),
      SmbListener(),
      SmbMixedTransports(),
      SmbServerAddress(),
      SmbInterfaces(),
      SmbMultichannel(),
      SmbSigning(),
      NvmeHostModule(),
      NvmeTargetModule(),
      NvmeTargetListener(),
      IserInitiatorModule(),
      IserTargetModule(),
      IserTargetListener(),
      NfsClientModule(),
      NfsServerModule(),
      NfsServerListener(),
      IwPeerProtocol(),
      MtuPair(),
      PfcBothDirections(),
      TrustUniform(),
      DrvFwUniform(),
  };
  return checks;
}

const Check* FindCheck(std::string_view id) {
  const auto found = std::ranges::find(AllChecks(), id, &Check::id);
  return found == AllChecks().end() ? nullptr : &*found;
}

bool Blocks(const Check& check, const Profile& profile) {
  return check.blocks_for != nullptr && check.blocks_for->made_by(profile);
}

Scope ScopeOf(const Check& check) {
  if (std::holds_alternative<Rule<HostView>>(check.rule)) return Scope::kHost;
  if (std::holds_alternative<Rule<PairView>>(check.rule)) return Scope::kPair;
  return Scope::kPort;
}

std::string_view GroupOf(std::string_view id) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 40> kGroups{{
      {"mtu.pair", "pair"},
      {"pfc.both-directions", "pair"},
      {"trust.uniform", "pair"},
      {"drv.fw-uniform", "pair"},
      {"iw.peer-protocol", "pair"},
      {"iw.port-5445", "storage"},
      {"iw.", "device"},
      {"inv.", "device"},
      {"drv.core-modules", "device"},
      {"link.", "device"},
      {"dev.", "device"},
      {"pcie.", "device"},
      {"cnt.", "device"},
      {"ib.", "device"},
      {"mtu.", "device"},
      {"vlan.egress-map", "roce"},
      {"ip.", "net"},
      {"arp.", "net"},
      {"vlan.", "net"},
      {"gid.", "roce"},
      {"roce.", "roce"},
      {"drv.", "dcb"},
      {"dcbx.", "dcb"},
      {"pause.", "dcb"},
      {"pfc.", "dcb"},
      {"ets.", "dcb"},
      {"map.", "dcb"},
      {"app.", "dcb"},
      {"trust.", "dcb"},
      {"host.", "host"},
      {"sec.", "host"},
      {"smb.", "storage"},
      {"nvme.", "storage"},
      {"iser.", "storage"},
      {"nfs.", "storage"},
      {"loopback.", "loopback"},
      {"peer.", "peer"},
      {"smb-direct.", "smb-direct"},
      {"server.", "server"},
      {"share.", "share"},
  }};
  const auto found = std::ranges::find_if(kGroups, [id](const auto& row) { return id.starts_with(row.first); });
  return found == kGroups.end() ? std::string_view("other") : found->second;
}

std::string_view FamilyOf(std::string_view id) { return id.substr(0, id.find('.')); }

}  // namespace rdmaready
