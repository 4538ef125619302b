// SPDX-License-Identifier: Apache-2.0
// Blocking: which check keeps a host from being ready, under which profile.
//
// A check blocks only where a public requirement stands behind it and the profile makes that demand. Then fail
// and unknown keep the host from being ready. All else is advice: what would fail warns, and what is unknown is
// only said.
#pragma once

#include <string_view>

#include "api/model/profile.h"

namespace rdmaready {

struct Check;

// What a profile asks for. Each check that may block names one of these rows; one that never does names none.
struct Demand {
  std::string_view words{};                   // completes "under a profile that ..."
  bool (*made_by)(const Profile&) = nullptr;  // does this profile?
  Profile::Key key = Profile::Key::kUnknown;  // whose value it is about: it may be advice (Profile::advice)
};

// RDMA itself: a device, an interface, a link, an address. A profile that asks for nothing else asks for this.
inline constexpr Demand kDemandsRdma{"there is: every one asks for RDMA", [](const Profile&) { return true; }};

inline constexpr Demand kDemandsTransport{
    "names a transport", [](const Profile& p) { return p.transport != Profile::Transport::kAny; }};
inline constexpr Demand kDemandsRoceV2{
    "asks for RoCE v2", [](const Profile& p) { return p.transport == Profile::Transport::kRoceV2; }};
inline constexpr Demand kDemandsInfiniBand{
    "asks for InfiniBand", [](const Profile& p) { return p.transport == Profile::Transport::kInfiniBand; }};
inline constexpr Demand kDemandsSpeed{"names a minimum speed",
                                      [](const Profile& p) { return p.min_speed_mbps.has_value(); },
                                      Profile::Key::kMinSpeedMbps};
inline constexpr Demand kDemandsMtu{"names an MTU", [](const Profile& p) { return p.mtu_bytes.has_value(); },
                                    Profile::Key::kMtuBytes};
inline constexpr Demand kDemandsRoceMtu{"names a RoCE MTU",
                                        [](const Profile& p) { return p.roce_mtu_bytes.has_value(); },
                                        Profile::Key::kRoceMtuBytes};
inline constexpr Demand kDemandsMemlock{"names an amount of lockable memory",
                                        [](const Profile& p) { return p.min_memlock_bytes.has_value(); },
                                        Profile::Key::kMinMemlockBytes};
inline constexpr Demand kDemandsTos{"names a ToS or a DSCP",
                                    [](const Profile& p) { return p.tos.has_value() || p.dscp.has_value(); },
                                    Profile::Key::kTos};
inline constexpr Demand kDemandsDscp{"classifies by DSCP",
                                     [](const Profile& p) {
                                       return p.dscp.has_value() && p.rdma_priority.has_value() &&
                                              p.trust != Profile::Trust::kPcp;
                                     },
                                     Profile::Key::kTrust};
inline constexpr Demand kDemandsTrust{"names a trust mode",
                                      [](const Profile& p) { return p.trust != Profile::Trust::kAny; },
                                      Profile::Key::kTrust};
inline constexpr Demand kDemandsStaticDcbx{"asks for static DCBX",
                                           [](const Profile& p) { return p.dcbx == Profile::Dcbx::kStatic; },
                                           Profile::Key::kDcbx};
inline constexpr Demand kDemandsPfc{"says which priorities are lossless (pfc)",
                                    [](const Profile& p) { return p.pfc.has_value(); }, Profile::Key::kPfc};
inline constexpr Demand kDemandsLossless{"asks for a lossless priority (pfc)",
                                         [](const Profile& p) { return p.pfc.has_value() && !p.pfc->empty(); },
                                         Profile::Key::kPfc};
inline constexpr Demand kDemandsPfcOff{"asks for PFC to be off (an empty pfc)",
                                       [](const Profile& p) { return p.pfc.has_value() && p.pfc->empty(); },
                                       Profile::Key::kPfc};
inline constexpr Demand kDemandsSelectedPorts{"is for some ports (ports)",
                                              [](const Profile& p) { return !p.ports.empty(); }};
inline constexpr Demand kDemandsPorts{"names a number of ports",
                                      [](const Profile& p) { return p.min_ports.has_value(); },
                                      Profile::Key::kMinPorts};
inline constexpr Demand kDemandsVlan{"asks for tagged frames (vlan)",
                                     [](const Profile& p) { return p.vlan == Profile::Vlan::kTagged; },
                                     Profile::Key::kVlan};
inline constexpr Demand kDemandsPcp{"classifies by PCP", [](const Profile& p) {
                                      return p.trust == Profile::Trust::kPcp && p.rdma_priority.has_value();
                                    }};
inline constexpr Demand kDemandsCnp{"names a DSCP for congestion notifications (cnp)",
                                    [](const Profile& p) { return p.cnp.has_value(); }, Profile::Key::kCnp};
inline constexpr Demand kDemandsHeartbeat{"keeps a cluster's heartbeat apart (heartbeat)",
                                          [](const Profile& p) { return p.heartbeat.has_value(); },
                                          Profile::Key::kHeartbeat};
inline constexpr Demand kDemandsEts{
    "gives RDMA a share of the link (ets)",
    [](const Profile& p) { return p.ets_rdma_percent.has_value() && p.rdma_priority.value_or(0) != 0; },
    Profile::Key::kEts};
inline constexpr Demand kDemandsHeartbeatClass{
    "gives the heartbeat a class of its own (heartbeat, ets)",
    [](const Profile& p) { return kDemandsHeartbeat.made_by(p) && kDemandsEts.made_by(p); },
    Profile::Key::kEts};
inline constexpr Demand kDemandsHeartbeatShare{
    "gives the heartbeat a share of the link (heartbeat, ets)",
    [](const Profile& p) { return kDemandsHeartbeatClass.made_by(p) && p.heartbeat->percent.has_value(); },
    Profile::Key::kEts};
inline constexpr Demand kDemandsDcb{"asks for data centre bridging (pfc, ets, trust or dcbx)",
                                    [](const Profile& p) {
                                      return kDemandsPfc.made_by(p) || p.ets_rdma_percent.has_value() ||
                                             kDemandsStaticDcbx.made_by(p) || kDemandsTrust.made_by(p);
                                    }};

// What a profile says a host is for.
template <Profile::Role role>
bool NamesRole(const Profile& profile) {
  if (!profile.roles) return false;
  for (const Profile::Role named : *profile.roles) {
    if (named == role) return true;
  }
  return false;
}
inline constexpr Demand kDemandsSmbServer{"names the role smb-server", NamesRole<Profile::Role::kSmbServer>};
inline constexpr Demand kDemandsSmbClient{"names the role smb-client", NamesRole<Profile::Role::kSmbClient>};
inline constexpr Demand kDemandsSmb{"names the role smb-server or smb-client", [](const Profile& p) {
                                      return kDemandsSmbServer.made_by(p) || kDemandsSmbClient.made_by(p);
                                    }};
// The kernel's initiators, and SMB Direct at both ends, refuse a device that others can use.
inline constexpr Demand kDemandsKernelStorage{
    "names a role, or a priority for what RDMA-CM connects", [](const Profile& p) {
      return p.roles ? !p.roles->empty() : p.rdma_priority.has_value() && p.marking == Profile::Marking::kRdmaCm;
    }};
inline constexpr Demand kDemandsNvmeTarget{"names the role nvme-target", NamesRole<Profile::Role::kNvmeTarget>};
inline constexpr Demand kDemandsNvmeHost{"names the role nvme-host", NamesRole<Profile::Role::kNvmeHost>};
inline constexpr Demand kDemandsIserTarget{"names the role iser-target", NamesRole<Profile::Role::kIserTarget>};
inline constexpr Demand kDemandsIserInitiator{"names the role iser-initiator",
                                              NamesRole<Profile::Role::kIserInitiator>};
inline constexpr Demand kDemandsNfsServer{"names the role nfs-server", NamesRole<Profile::Role::kNfsServer>};
inline constexpr Demand kDemandsNfsClient{"names the role nfs-client", NamesRole<Profile::Role::kNfsClient>};

// Does the check block under this profile?
bool Blocks(const Check& check, const Profile& profile);

}  // namespace rdmaready
