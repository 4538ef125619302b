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

// facts_network.cc
void PutAddress(const IpAddress& from, v1::IpAddress* to);
IpAddress GetAddress(const v1::IpAddress& from);
void PutIpv4(const Ipv4Settings& from, v1::Ipv4Settings* to);
Fact<Ipv4Settings> GetIpv4(const v1::Ipv4Settings& from);
void PutSubnets(const std::vector<Subnet>& from, v1::Subnets* to);
Fact<std::vector<Subnet>> GetSubnets(const v1::Subnets& from);
void PutNeighbours(const std::vector<Neighbour>& from, v1::Neighbours* to);
Fact<std::vector<Neighbour>> GetNeighbours(const v1::Neighbours& from);

// facts_device.cc
void PutPci(const PciFunction& from, v1::PciFunction* to);
Fact<PciFunction> GetPci(const v1::PciFunction& from);
void PutCounters(const std::vector<Counter>& from, v1::Counters* to);
Fact<std::vector<Counter>> GetCounters(const v1::Counters& from);
void PutResources(const RdmaResources& from, v1::RdmaResources* to);
Fact<RdmaResources> GetResources(const v1::RdmaResources& from);

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
