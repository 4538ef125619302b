// SPDX-License-Identifier: Apache-2.0
// Where settings are: the netdevs and ports of a host, each once. Two RDMA ports may share a netdev, and a
// netdev may be in one port's list and another's place. What is not known is left out; pointers point into the
// facts.
#pragma once

#include <map>
#include <string>

#include "api/model/facts.h"
#include "api/model/setting.h"
#include "checks/setting/table.h"

namespace rdmaready {

// Where data centre bridging is set and pauses are sent: see checks/words/ethernet.h.
std::map<std::string, const Netdev*> EthernetPortsOf(const Facts& facts);

// Those, and the netdevs of RDMA ports that stand on them.
std::map<std::string, const Netdev*> NetdevsOf(const Facts& facts);

// What stands on either: VLANs, bonds, bridges.
std::map<std::string, const UpperNetdev*> UppersOf(const Facts& facts);

// By PortName.
std::map<std::string, const Port*> PortsOf(const Facts& facts);

// By the handle that devlink knows their PCI function by: "pci/0000:3b:00.0".
std::map<std::string, const Port*> DevlinksOf(const Facts& facts);

}  // namespace rdmaready
