// SPDX-License-Identifier: Apache-2.0
// A host on which everything is right under VirtualFabricProfile(). Tests break one thing of it.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "api/model/profile.h"
#include "api/model/report.h"

namespace rdmaready {

inline Profile VirtualFabricProfile() {
  Profile profile;
  profile.name = "virtual-fabric";
  profile.transport = Profile::Transport::kRoceV2;
  profile.rdma_priority = 3;
  profile.trust = Profile::Trust::kDscp;
  profile.dscp = 26;
  profile.tos = 106;
  profile.pfc = std::vector<std::uint8_t>{3};
  profile.ets_rdma_percent = 50;
  profile.dcbx = Profile::Dcbx::kStatic;
  profile.mtu_bytes = 9000;
  profile.roce_mtu_bytes = 4096;
  profile.min_speed_mbps = 25'000;
  profile.min_memlock_bytes = 64ULL * 1024 * 1024;
  return profile;
}

inline Profile PcpProfile() {
  Profile profile = VirtualFabricProfile();
  profile.name = "pcp";
  profile.trust = Profile::Trust::kPcp;
  profile.dscp.reset();
  profile.tos.reset();
  return profile;
}

inline Dcb GoodDcb() {
  Ets ets;
  ets.traffic_classes = 8;
  ets.tsa[0] = Tsa::kEts;
  ets.tsa[3] = Tsa::kEts;
  ets.tx_percent[0] = 50;
  ets.tx_percent[3] = 50;
  ets.prio_tc[3] = 3;
  Pfc pfc;
  pfc.capability = 8;
  pfc.enabled = 1U << 3;
  Dcb dcb;
  dcb.ets = ets;
  dcb.pfc = pfc;
  dcb.app = std::vector<AppEntry>{{.selector = AppSelector::kDscp, .priority = 3, .protocol = 26}};
  dcb.app_trust = Missing{.kind = Missing::Kind::kUnsupported, .detail = "driver does not report APP trust"};
  dcb.dcbx = Dcbx{.host = true, .ieee = true};
  return dcb;
}

inline Netdev GoodNetdev() {
  Netdev netdev;
  netdev.name = "dcb0";
  netdev.ifindex = 3;
  netdev.driver = "dcbnic";
  netdev.admin_up = true;
  netdev.carrier = true;
  netdev.mtu_bytes = 9000;
  netdev.speed_mbps = 25'000;
  netdev.vlan_id = Missing{.kind = Missing::Kind::kUnsupported, .detail = "not a VLAN device"};
  netdev.addresses = std::vector<IpAddress>{{.address = "10.0.0.1", .prefix_length = 24}};
  netdev.dcb = GoodDcb();
  return netdev;
}

inline Port GoodPort() {
  Port port;
  port.device = "rxe0";
  port.number = 1;
  port.transport = Transport::kRoce;
  port.software = true;
  port.state = PortState::kActive;
  port.phys_state = std::uint8_t{5};
  port.active_mtu_bytes = 4096;
  port.max_mtu_bytes = 4096;
  port.gids = std::vector<Gid>{
      {.index = 0,
       .raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
       .type = GidType::kRoceV2,
       .netdev = "dcb0"},
      {.index = 1,
       .raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1},
       .type = GidType::kRoceV2,
       .netdev = "dcb0"},
  };
  port.cm_default_mode = GidType::kRoceV2;
  port.cm_default_tos = std::uint8_t{106};
  port.netdev = GoodNetdev();
  return port;
}

inline Facts GoodHost() {
  Facts host;
  host.hostname = "a";
  host.kernel = Kernel{.release = "6.12.117+deb12-amd64"};
  host.rdma_stack = RdmaStack::kLoaded;
  host.memlock = Memlock{.limit_bytes = Memlock::kUnlimited, .cap_ipc_lock = true, .pid = 4711};
  host.ports = std::vector<Port>{GoodPort()};
  return host;
}

// The same host with its only port changed: WithPort([](Port& port) { port.state = PortState::kDown; }).
template <class Change>
Facts WithPort(Change change) {
  Facts host = GoodHost();
  std::vector<Port> ports = *host.ports;
  change(ports.front());
  host.ports = ports;
  return host;
}

template <class Change>
Facts WithNetdev(Change change) {
  return WithPort([&change](Port& port) {
    Netdev netdev = *port.netdev;
    change(netdev);
    port.netdev = netdev;
  });
}

template <class Change>
Facts WithDcb(Change change) {
  return WithNetdev([&change](Netdev& netdev) { change(netdev.dcb); });
}

template <class Change>
Facts WithEts(Change change) {
  return WithDcb([&change](Dcb& dcb) {
    Ets ets = *dcb.ets;
    change(ets);
    dcb.ets = ets;
  });
}

inline Facts WithPfc(std::uint8_t enabled) {
  return WithDcb([enabled](Dcb& dcb) {
    Pfc pfc = *dcb.pfc;
    pfc.enabled = enabled;
    dcb.pfc = pfc;
  });
}

inline Facts WithApp(std::vector<AppEntry> rows) {
  return WithDcb([&rows](Dcb& dcb) { dcb.app = rows; });
}

inline Missing Denied() { return {.kind = Missing::Kind::kDenied, .detail = "Operation not permitted"}; }

// The finding of that id, or a default one (unknown, empty id) when there is none.
inline Finding Of(std::span<const Finding> findings, std::string_view id) {
  const auto found = std::ranges::find(findings, id, &Finding::id);
  return found == findings.end() ? Finding{} : *found;
}

inline std::vector<std::string> IdsWith(std::span<const Finding> findings, Outcome outcome) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    if (finding.outcome == outcome) ids.push_back(finding.id);
  }
  return ids;
}

}  // namespace rdmaready
