// SPDX-License-Identifier: Apache-2.0
// The larger parts of Facts to and from the wire, for facts.cc alone. Each Get is total: what cannot be right
// becomes Missing, or the number that no check takes for health.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {

// facts_dcb.cc
void PutDcb(const Dcb& from, v1::Dcb* to);
Dcb GetDcb(const v1::Dcb& from);

void PutPfc(const Pfc& from, v1::Pfc* to);
Fact<Pfc> GetPfc(const v1::Pfc& from);

void PutDcbWrites(const DcbWrites& from, v1::DcbWrites* to);
Fact<DcbWrites> GetDcbWrites(const v1::DcbWrites& from);

// facts_lldp.cc
void PutLldp(const LldpHeard& from, v1::LldpHeard* to);
Fact<LldpHeard> GetLldp(const v1::LldpHeard& from);

// facts_netdev.cc
void PutNetdev(const Netdev& from, v1::Netdev* to);
Netdev GetNetdev(const v1::Netdev& from);
void PutNetdevs(const std::vector<Netdev>& from, v1::Netdevs* to);
Fact<std::vector<Netdev>> GetNetdevs(const v1::Netdevs& from);
void PutUppers(const std::vector<UpperNetdev>& from, v1::UpperNetdevs* to);
Fact<std::vector<UpperNetdev>> GetUppers(const v1::UpperNetdevs& from);

// facts_ethernet.cc
void PutEthernetLink(const EthernetLink& from, v1::EthernetLink* to);
EthernetLink GetEthernetLink(const v1::EthernetLink& from);

void PutPauseFrames(const PauseFrames& from, v1::PauseFrames* to);
Fact<PauseFrames> GetPauseFrames(const v1::PauseFrames& from);
void PutFec(const Fec& from, v1::Fec* to);
Fact<Fec> GetFec(const v1::Fec& from);

// facts_nic.cc
void PutStatistics(const std::vector<NicStatistic>& from, v1::NicStatistics* to);
Fact<std::vector<NicStatistic>> GetStatistics(const v1::NicStatistics& from);
void PutMqprio(const Mqprio& from, v1::Mqprio* to);
Fact<Mqprio> GetMqprio(const v1::Mqprio& from);
void PutDevlink(const Devlink& from, v1::Devlink* to);
Devlink GetDevlink(const v1::Devlink& from);
void PutCongestion(const CongestionControl& from, v1::CongestionControl* to);
Fact<CongestionControl> GetCongestion(const v1::CongestionControl& from);

// facts_network.cc
void PutAddress(const IpAddress& from, v1::IpAddress* to);
IpAddress GetAddress(const v1::IpAddress& from);
void PutIpv4(const Ipv4Settings& from, v1::Ipv4Settings* to);
Fact<Ipv4Settings> GetIpv4(const v1::Ipv4Settings& from);
void PutSubnets(const std::vector<Subnet>& from, v1::Subnets* to);
Fact<std::vector<Subnet>> GetSubnets(const v1::Subnets& from);
void PutNeighbours(const std::vector<Neighbour>& from, v1::Neighbours* to);
Fact<std::vector<Neighbour>> GetNeighbours(const v1::Neighbours& from);
void PutRoutingRules(const std::vector<RoutingRule>& from, v1::RoutingRules* to);
Fact<std::vector<RoutingRule>> GetRoutingRules(const v1::RoutingRules& from);

// facts_device.cc
void PutPci(const PciFunction& from, v1::PciFunction* to);
Fact<PciFunction> GetPci(const v1::PciFunction& from);
void PutCounters(const std::vector<Counter>& from, v1::Counters* to);
Fact<std::vector<Counter>> GetCounters(const v1::Counters& from);
void PutResources(const RdmaResources& from, v1::RdmaResources* to);
Fact<RdmaResources> GetResources(const v1::RdmaResources& from);

// facts_port.cc
void PutInfiniband(const Infiniband& from, v1::Infiniband* to);
Infiniband GetInfiniband(const v1::Infiniband& from);
void PutEarlier(const EarlierReading& from, v1::EarlierReading* to);
Fact<EarlierReading> GetEarlier(const v1::EarlierReading& from);

// facts_host.cc
void PutFirewall(const Firewall& from, v1::Firewall* to);
Fact<Firewall> GetFirewall(const v1::Firewall& from);
void PutDeviceNodes(const std::vector<DeviceNode>& from, v1::DeviceNodes* to);
Fact<std::vector<DeviceNode>> GetDeviceNodes(const v1::DeviceNodes& from);
void PutBootTargets(const std::vector<BootTarget>& from, v1::BootTargets* to);
Fact<std::vector<BootTarget>> GetBootTargets(const v1::BootTargets& from);
void PutMarkings(const std::vector<ConsumerMarking>& from, v1::ConsumerMarkings* to);
Fact<std::vector<ConsumerMarking>> GetMarkings(const v1::ConsumerMarkings& from);

// facts_storage.cc
void PutLimits(const DeviceLimits& from, v1::DeviceLimits* to);
Fact<DeviceLimits> GetLimits(const v1::DeviceLimits& from);
void PutListeners(const std::vector<RdmaListener>& from, v1::RdmaListeners* to);
Fact<std::vector<RdmaListener>> GetListeners(const v1::RdmaListeners& from);
void PutModules(const std::vector<KernelModule>& from, v1::KernelModules* to);
Fact<std::vector<KernelModule>> GetModules(const v1::KernelModules& from);
void PutOptions(const std::vector<KernelOption>& from, v1::KernelOptions* to);
Fact<std::vector<KernelOption>> GetOptions(const v1::KernelOptions& from);
void PutKsmbd(const KsmbdConfig& from, v1::KsmbdConfig* to);
Fact<KsmbdConfig> GetKsmbd(const v1::KsmbdConfig& from);
void PutTcpPorts(const std::vector<std::uint16_t>& from, v1::TcpPorts* to);
Fact<std::vector<std::uint16_t>> GetTcpPorts(const v1::TcpPorts& from);

}  // namespace rdmaready::convert
