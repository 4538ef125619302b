// SPDX-License-Identifier: Apache-2.0
// Ethernet ports: where an RDMA port's data centre bridging is set, pauses are sent and cables end.
//
// That is the port's own netdev. Where that netdev is itself a VLAN, a bond or a bridge (a software device on
// top of one), it is each netdev below; where it is a member of a bond that shares one RDMA device (RoCE LAG),
// each such member: Port::lowers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "checks/fact_ref.h"

namespace rdmaready {

// Never empty: that there is no netdev, or that it is not known what the netdev stands on or shares its RDMA
// device with, is one missing entry. They point into `port`.
std::vector<NetdevRef> EthernetPortsOf(const Port& port);

// "rxe0/1 dcb0", or "rxe0/1 bond0 > dcb0" where the port's netdev stands on that one, or shares the RDMA device
// of bond0 with it.
std::string SubjectOf(const Port& port, NetdevRef ethernet);

// Where the port's netdev has its place among others: ", over dcb0", ", under dcb0.711 (vlan 711) and br0
// (bridge)"; empty when it stands alone or that is not known.
std::string StackText(const Port& port);

// Both are subjects of findings about one RDMA port, and not about two different Ethernet ports of it.
bool SamePlace(std::string_view a, std::string_view b);

}  // namespace rdmaready
