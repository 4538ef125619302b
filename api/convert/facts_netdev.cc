// SPDX-License-Identifier: Apache-2.0
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutAddresses(const std::vector<IpAddress>& from, v1::IpAddresses* to) {
  PutList(from, to->mutable_addresses(), PutAddress);
}

Fact<std::vector<IpAddress>> GetAddresses(const v1::IpAddresses& from) {
  return GetList<IpAddress>(from.addresses(), GetAddress);
}

void PutVlanPriorities(const std::vector<VlanPriority>& from, v1::VlanPriorities* to) {
  PutList(from, to->mutable_priorities(), [](const VlanPriority& row, v1::VlanPriority* out) {
    out->set_from(row.from);
    out->set_pcp(row.pcp);
  });
}

Fact<std::vector<VlanPriority>> GetVlanPriorities(const v1::VlanPriorities& from) {
  return GetList<VlanPriority>(from.priorities(), [](const v1::VlanPriority& row) {
    return VlanPriority{row.from(), Narrow<std::uint8_t>(row.pcp())};
  });
}

void PutDriverInfo(const DriverInfo& from, v1::DriverInfo* to) {
  to->set_driver(from.driver);
  to->set_version(from.version);
  to->set_firmware(from.firmware);
  to->set_bus(from.bus);
}

Fact<DriverInfo> GetDriverInfo(const v1::DriverInfo& from) {
  return DriverInfo{from.driver(), from.version(), from.firmware(), from.bus()};
}

void PutPause(const Pause& from, v1::Pause* to) {
  to->set_autoneg(from.autoneg);
  to->set_rx(from.rx);
  to->set_tx(from.tx);
}

Fact<Pause> GetPause(const v1::Pause& from) { return Pause{from.autoneg(), from.rx(), from.tx()}; }

void PutUpper(const UpperNetdev& from, v1::UpperNetdev* to) {
  to->set_name(from.name);
  to->set_ifindex(from.ifindex);
  to->set_kind(from.kind);
  for (const std::string& name : from.over) to->add_over(name);
  to->set_admin_up(from.admin_up);
  to->set_carrier(from.carrier);
  to->set_mtu_bytes(from.mtu_bytes);
  Put(from.vlan_id, to->mutable_vlan_id());
  Put(from.vlan_egress, to->mutable_vlan_egress(), PutVlanPriorities);
  Put(from.bond_mode, to->mutable_bond_mode());
  Put(from.addresses, to->mutable_addresses(), PutAddresses);
  Put(from.ipv4, to->mutable_ipv4(), PutIpv4);
}

UpperNetdev GetUpper(const v1::UpperNetdev& from) {
  UpperNetdev to;
  to.name = from.name();
  to.ifindex = from.ifindex();
  to.kind = from.kind();
  to.over.assign(from.over().begin(), from.over().end());
  to.admin_up = from.admin_up();
  to.carrier = from.carrier();
  to.mtu_bytes = from.mtu_bytes();
  to.vlan_id = Get<std::uint16_t>(from.vlan_id());
  to.vlan_egress = Get<std::vector<VlanPriority>>(from.vlan_egress(), GetVlanPriorities);
  to.bond_mode = Get<std::string>(from.bond_mode());
  to.addresses = Get<std::vector<IpAddress>>(from.addresses(), GetAddresses);
  to.ipv4 = Get<Ipv4Settings>(from.ipv4(), GetIpv4);
  return to;
}

}  // namespace

void PutNetdev(const Netdev& from, v1::Netdev* to) {
  to->set_name(from.name);
  to->set_ifindex(from.ifindex);
  to->set_driver(from.driver);
  to->set_admin_up(from.admin_up);
  to->set_carrier(from.carrier);
  to->set_mtu_bytes(from.mtu_bytes);
  Put(from.speed_mbps, to->mutable_speed_mbps());
  Put(from.vlan_id, to->mutable_vlan_id());
  Put(from.addresses, to->mutable_addresses(), PutAddresses);
  PutDcb(from.dcb, to->mutable_dcb());
  to->set_mac(from.mac);
  to->set_master(from.master);
  Put(from.max_mtu_bytes, to->mutable_max_mtu_bytes());
  Put(from.carrier_changes, to->mutable_carrier_changes());
  Put(from.duplex, to->mutable_duplex());
  Put(from.driver_info, to->mutable_driver_info(), PutDriverInfo);
  Put(from.pause, to->mutable_pause(), PutPause);
  Put(from.pfc_storm_timeout_ms, to->mutable_pfc_storm_timeout_ms());
  Put(from.vlan_egress, to->mutable_vlan_egress(), PutVlanPriorities);
  Put(from.lldp, to->mutable_lldp(), PutLldp);
  Put(from.ipv4, to->mutable_ipv4(), PutIpv4);
  PutEthernetLink(from.link, to->mutable_link());
  Put(from.statistics, to->mutable_statistics(), PutStatistics);
  Put(from.mqprio, to->mutable_mqprio(), PutMqprio);
  Put(from.lldp_agent, to->mutable_lldp_agent(), PutLldp);
  Put(from.dcb_writes, to->mutable_dcb_writes(), PutDcbWrites);
}

Netdev GetNetdev(const v1::Netdev& from) {
  Netdev to;
  to.name = from.name();
  to.ifindex = from.ifindex();
  to.driver = from.driver();
  to.admin_up = from.admin_up();
  to.carrier = from.carrier();
  to.mtu_bytes = from.mtu_bytes();
  to.speed_mbps = Get<std::uint32_t>(from.speed_mbps());
  to.vlan_id = Get<std::uint16_t>(from.vlan_id());
  to.addresses = Get<std::vector<IpAddress>>(from.addresses(), GetAddresses);
  to.dcb = GetDcb(from.dcb());
  to.mac = from.mac();
  to.master = from.master();
  to.max_mtu_bytes = Get<std::uint32_t>(from.max_mtu_bytes());
  to.carrier_changes = Get<std::uint64_t>(from.carrier_changes());
  to.duplex = GetEnum(from.duplex(), Duplex::kFull);
  to.driver_info = Get<DriverInfo>(from.driver_info(), GetDriverInfo);
  to.pause = Get<Pause>(from.pause(), GetPause);
  to.pfc_storm_timeout_ms = Get<std::uint16_t>(from.pfc_storm_timeout_ms());
  to.vlan_egress = Get<std::vector<VlanPriority>>(from.vlan_egress(), GetVlanPriorities);
  to.lldp = Get<LldpHeard>(from.lldp(), GetLldp);
  to.ipv4 = Get<Ipv4Settings>(from.ipv4(), GetIpv4);
  to.link = GetEthernetLink(from.link());
  to.statistics = Get<std::vector<NicStatistic>>(from.statistics(), GetStatistics);
  to.mqprio = Get<Mqprio>(from.mqprio(), GetMqprio);
  to.lldp_agent = Get<LldpHeard>(from.lldp_agent(), GetLldp);
  to.dcb_writes = Get<DcbWrites>(from.dcb_writes(), GetDcbWrites);
  return to;
}

void PutNetdevs(const std::vector<Netdev>& from, v1::Netdevs* to) {
  PutList(from, to->mutable_netdevs(), PutNetdev);
}

Fact<std::vector<Netdev>> GetNetdevs(const v1::Netdevs& from) {
  return GetList<Netdev>(from.netdevs(), GetNetdev);
}

void PutUppers(const std::vector<UpperNetdev>& from, v1::UpperNetdevs* to) {
  PutList(from, to->mutable_netdevs(), PutUpper);
}

Fact<std::vector<UpperNetdev>> GetUppers(const v1::UpperNetdevs& from) {
  return GetList<UpperNetdev>(from.netdevs(), GetUpper);
}

}  // namespace rdmaready::convert
