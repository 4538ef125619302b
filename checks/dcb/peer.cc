// SPDX-License-Identifier: Apache-2.0
// peer.*, mtu.path: what LLDP agents at the other end of a port's link announce, compared with what the host
// and its profile need of them.
#include <algorithm>
#include <set>

#include "api/model/well_known_ports.h"
#include "checks/dcb/neighbours.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPeerSource = "LLDP";

// Nobody there to judge: peer.lldp-seen says so.
std::string NobodyHeard(const EthernetView& view) {
  if (std::string reason = NotListened(view); !reason.empty()) return reason;
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  return agents && agents->peers.empty() ? "no LLDP agent was heard at the other end" : "";
}

Verdict JudgePeerLldpSeen(const EthernetView& view) {
  if (std::string reason = NotListened(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "an LLDP agent at the other end";
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!agents) return NoAnswer(agents.missing(), kExpected, kPeerSource);
  const std::string source = ListenedText(*agents);
  if (!agents->peers.empty()) {
    return Judged(true, AgentText(agents->peers.front()), kExpected, source);
  }
  if (!agents->Complete()) {
    return NoAnswer({Missing::Kind::kFailed, Cat("nothing heard in ", agents->listened_ms / 1000,
                                                 " s, but agents announce themselves only every 30 s")},
                    kExpected, source);
  }
  return Judged(
      false,
      agents->by_lldpad ? "lldpad hears nobody" : Cat("nothing heard in ", agents->listened_ms / 1000, " s"),
      kExpected, source);
}

// ---- peer.required-tlvs ----

struct RequiredTlv {
  Profile::LldpTlv tlv;
  std::string_view name;
  bool (*there)(const LldpNeighbour&);
};
using enum Profile::LldpTlv;
constexpr RequiredTlv kRequiredTlvs[] = {
    {kPortVlan, "port VLAN (802.1 subtype 1)",
     [](const LldpNeighbour& peer) { return peer.port_vlan_id.has_value(); }},
    {kVlanName, "VLAN name (802.1 subtype 3)", [](const LldpNeighbour& peer) { return !peer.vlans.empty(); }},
    {kLinkAggregation, "link aggregation (802.1 subtype 7)",
     [](const LldpNeighbour& peer) { return peer.aggregation.has_value(); }},
    {kEtsConfiguration, "ETS configuration (802.1 subtype 9)",
     [](const LldpNeighbour& peer) { return peer.ets.has_value(); }},
    {kEtsRecommendation, "ETS recommendation (802.1 subtype A)",
     [](const LldpNeighbour& peer) { return peer.ets_recommended.has_value(); }},
    {kPfc, "PFC (802.1 subtype B)", [](const LldpNeighbour& peer) { return peer.pfc.has_value(); }},
    {kApplication, "application priorities (802.1 subtype C)",
     [](const LldpNeighbour& peer) { return peer.app.has_value(); }},
    {kMaxFrameSize, "frame size (802.3 subtype 4)",
     [](const LldpNeighbour& peer) { return peer.max_frame_bytes.has_value(); }},
};

Verdict JudgePeerRequiredTlvs(const EthernetView& view) {
  if (!view.profile.lldp_tlvs) return NotApplicable(NotAsked(view.profile, "TLVs of the switch"));
  if (std::string reason = NobodyHeard(view); !reason.empty()) return NotApplicable(reason);
  const std::vector<Profile::LldpTlv>& wanted = *view.profile.lldp_tlvs;
  std::string expected;
  for (const RequiredTlv& tlv : kRequiredTlvs) {
    if (std::ranges::find(wanted, tlv.tlv) == wanted.end()) continue;
    expected += Cat(expected.empty() ? "" : ", ", tlv.name.substr(0, tlv.name.find(" (")));
  }
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  if (!agents) return NoAnswer(agents.missing(), expected, kPeerSource);
  std::string lacking;
  for (const RequiredTlv& tlv : kRequiredTlvs) {
    const bool asked = std::ranges::find(wanted, tlv.tlv) != wanted.end();
    if (asked && std::ranges::none_of(agents->peers, tlv.there))
      lacking += Cat(lacking.empty() ? "" : ", ", tlv.name);
  }
  const std::string who = AgentText(agents->peers.front());
  return Judged(lacking.empty(), lacking.empty() ? Cat(who, " announces all") : Cat(who, " lacks ", lacking),
                expected, ListenedText(*agents));
}

// ---- peer.vlan ----

// VLANs that the host uses on the port, of those that the profile lets carry RDMA.
std::set<std::uint16_t> VlansInUse(const EthernetView& view) {
  std::set<std::uint16_t> ids;
  const auto add = [&](const Fact<std::uint16_t>& id) {
    const auto& wanted = view.profile.vlan_ids;
    if (id && (!wanted || std::ranges::find(*wanted, *id) != wanted->end())) ids.insert(*id);
  };
  if (view.port.netdev) add(view.port.netdev->vlan_id);
  if (view.port.uppers) {
    for (const UpperNetdev& upper : *view.port.uppers) add(upper.vlan_id);
  }
  return ids;
}

std::string NumbersText(const std::set<std::uint16_t>& numbers) {
  std::string text;
  for (const std::uint16_t number : numbers) text += Cat(text.empty() ? "" : ", ", number);
  return text;
}

std::set<std::uint16_t> VlansAnnounced(const LinkAgents& agents) {
  std::set<std::uint16_t> ids;
  for (const LldpNeighbour& peer : agents.peers) {
    for (const LldpVlan& vlan : peer.vlans) ids.insert(vlan.id);
    if (peer.port_vlan_id.value_or(0) != 0) ids.insert(*peer.port_vlan_id);
  }
  return ids;
}

Verdict JudgePeerVlan(const EthernetView& view) {
  if (std::string reason = NobodyHeard(view); !reason.empty()) return NotApplicable(reason);
  if (view.port.netdev && view.port.uppers && VlansInUse(view).empty())
    return NotApplicable("no storage VLAN on this port");
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const bool named = agents && std::ranges::any_of(agents->peers, [](const LldpNeighbour& peer) {
                       return !peer.vlans.empty();
                     });
  if (agents && !named) return NotApplicable("the other end names no VLANs");
  const std::set<std::uint16_t> used = VlansInUse(view);
  const std::string expected = Cat("VLAN ", NumbersText(used));
  if (!agents) return NoAnswer(agents.missing(), expected, kPeerSource);
  if (!view.port.uppers) return NoAnswer(view.port.uppers.missing(), "the VLANs of this host", kPeerSource);
  const std::set<std::uint16_t> announced = VlansAnnounced(*agents);
  const bool all = std::ranges::includes(announced, used);
  return Judged(all, Cat(AgentText(agents->peers.front()), " has VLAN ", NumbersText(announced)), expected,
                ListenedText(*agents));
}

// ---- peer.port-unique ----

struct Recurrence {
  bool comparable = false;  // another port has heard somebody too
  std::string netdev{};     // that leads to the same switch; empty: none does
};

Recurrence SameSwitchElsewhere(const EthernetView& view, const LinkAgents& agents) {
  Recurrence result;
  if (!view.host.ports) return result;
  for (const Port& port : *view.host.ports) {
    for (NetdevRef other : EthernetPortsOf(port)) {
      if (!other || other->name == view.netdev->name) continue;
      const Fact<LinkAgents> there = AgentsOn(other);
      if (!there || there->peers.empty()) continue;
      result.comparable = true;
      for (const LldpNeighbour& peer : there->peers) {
        const bool same = std::ranges::any_of(
            agents.peers, [&peer](const LldpNeighbour& mine) { return mine.chassis == peer.chassis; });
        if (same) result.netdev = other->name;
      }
    }
  }
  return result;
}

Verdict JudgePeerPortUnique(const EthernetView& view) {
  if (view.profile.min_ports.value_or(1) < 2)
    return NotApplicable(NotAsked(view.profile, "two ports or more (min_ports)"));
  if (std::string reason = NobodyHeard(view); !reason.empty()) return NotApplicable(reason);
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const bool alone = agents && !SameSwitchElsewhere(view, *agents).comparable;
  if (alone) return NotApplicable("no other RDMA port of this host has heard its other end");
  constexpr std::string_view kExpected = "a switch of its own";
  if (!agents) return NoAnswer(agents.missing(), kExpected, kPeerSource);
  const std::string other = SameSwitchElsewhere(view, *agents).netdev;
  const std::string who = AgentText(agents->peers.front());
  return Judged(other.empty(),
                other.empty() ? Cat(who, ", and no other port leads there")
                              : Printable(Cat(who, ": ", other, " leads to the same chassis")),
                kExpected, ListenedText(*agents));
}

// ---- peer.app-tlv ----

// Rows that say where RoCE v2 of this profile belongs.
bool AboutRdma(const AppEntry& row, const Profile& profile) {
  switch (row.selector) {
    case AppSelector::kDgram:
    case AppSelector::kAny:
      return row.protocol == kRoceV2UdpPort;
    case AppSelector::kDscp:
      return profile.dscp && row.protocol == *profile.dscp;
    case AppSelector::kNone:
    case AppSelector::kEthertype:
    case AppSelector::kStream:
    case AppSelector::kPcp:
      return false;
  }
  return false;
}

std::string PeerRowText(const AppEntry& row) {
  return row.selector == AppSelector::kDscp ? Cat("DSCP ", row.protocol) : Cat("UDP port ", row.protocol);
}

Verdict JudgePeerAppTlv(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.rdma_priority) return NotApplicable(NotAsked(view.profile, "a priority for RDMA"));
  const Fact<std::optional<PeerApp>> app = AppOfPeer(view.netdev);
  if (std::string reason = NotAnnounced(view, app, "APP rows"); !reason.empty()) return NotApplicable(reason);
  const bool said = !app || std::ranges::any_of((*app)->rows, [&view](const AppEntry& row) {
    return AboutRdma(row, view.profile);
  });
  if (!said) return NotApplicable("the other end announces no APP row for RDMA");
  const std::uint8_t wanted = *view.profile.rdma_priority;
  const std::string expected = Cat("RDMA on priority ", wanted);
  if (!app) return NoAnswer(app.missing(), expected, kPeerSource);
  std::string rows;
  bool good = true;
  for (const AppEntry& row : (*app)->rows) {
    if (!AboutRdma(row, view.profile)) continue;
    good = good && row.priority == wanted;
    rows += Cat(rows.empty() ? "" : ", ", PeerRowText(row), " on priority ", row.priority);
  }
  return Judged(good, Cat((*app)->who, " announces ", rows), expected, (*app)->source);
}

// ---- mtu.path ----

// Ethernet header and FCS. Tags come on top at both ends: the TLV leaves them out, and so do agents that
// compute it from an MTU.
Verdict JudgeMtuPath(const EthernetView& view) {
  if (std::string reason = NobodyHeard(view); !reason.empty()) return NotApplicable(reason);
  const Fact<LinkAgents> agents = AgentsOn(view.netdev);
  const bool said = !agents || std::ranges::any_of(agents->peers, [](const LldpNeighbour& peer) {
    return peer.max_frame_bytes.has_value();
  });
  if (!said) return NotApplicable("the other end does not announce its largest frame");
  constexpr std::uint32_t kHeaderAndFcsBytes = 18;
  if (!agents) return NoAnswer(agents.missing(), "frames of the port's MTU", kPeerSource);
  const std::uint32_t needed = view.netdev->mtu_bytes + kHeaderAndFcsBytes;
  const std::string expected = Cat("at least ", needed, " bytes (MTU ", view.netdev->mtu_bytes, ")");
  const LldpNeighbour* smallest = nullptr;
  for (const LldpNeighbour& peer : agents->peers) {
    if (!peer.max_frame_bytes) continue;
    if (smallest == nullptr || *peer.max_frame_bytes < *smallest->max_frame_bytes) smallest = &peer;
  }
  return Judged(*smallest->max_frame_bytes >= needed,
                Cat(AgentText(*smallest), " takes frames of ", *smallest->max_frame_bytes, " bytes"), expected,
                ListenedText(*agents));
}

}  // namespace

std::vector<Check> PeerChecks() {
  return {
      {.id = "peer.lldp-seen",
       .title = "The other end of the link announces itself by LLDP",
       .why = "Without it nobody can tell from here how the switch port is set, nor which one it is",
       .fix = Fix("rdmaready facts --lldp 65")
                  .Because("LLDP is off at the switch port")
                  .Do("nothing is heard: the switch port must send LLDP", StepSite::kSwitch),
       .depends_on = {"link.state"},
       .judge = JudgePeerLldpSeen},
      {.id = "peer.required-tlvs",
       .title = "The switch announces what storage networks are validated by",
       .why = "What it does not announce cannot be compared with the host's settings",
       .fix = Fix("rdmaready facts --lldp 35")
                  .Do("let the switch port send the TLVs that are missing", StepSite::kSwitch)
                  .CheckBy("rdmaready facts --lldp 35"),
       .depends_on = {"peer.lldp-seen"},
       .judge = JudgePeerRequiredTlvs},
      {.id = "peer.vlan",
       .title = "The switch port carries the storage VLANs",
       .why = "Frames of a VLAN that the switch port is not a member of are dropped there",
       .fix = Fix("ip -d link show type vlan")
                  .Because("the switch port is not a member of the VLAN")
                  .Do("let the switch port carry the VLANs that stand on {netdev}", StepSite::kSwitch)
                  .Or("change the VLAN of the host, where the switch has the right one")
                  .CheckBy("rdmaready facts --lldp 35"),
       .depends_on = {"peer.lldp-seen"},
       .judge = JudgePeerVlan},
      {.id = "peer.port-unique",
       .title = "Each RDMA port leads to a switch of its own",
       .why = "Two ports on one switch fail together with it",
       .fix = Fix("rdmaready facts --lldp 35")
                  .Caution("the link of {netdev} goes down while its cable is moved")
                  .Do("move the cable of {netdev} to the other switch", StepSite::kPort)
                  .Or("write min_ports: 1 in the profile, where one switch is meant")
                  .CheckBy("rdmaready facts --lldp 35"),
       .depends_on = {"peer.lldp-seen"},
       .judge = JudgePeerPortUnique},
      {.id = "peer.app-tlv",
       .title = "The switch puts RDMA on the priority that the host has for it",
       .why = "The switch treats RDMA as it announces: on another priority it neither pauses nor is paused",
       .fix = Fix("rdmaready profile show {profile} --switch nxos")
                  .Do("set the switch port as the command shows; --switch sonic and --switch cumulus are known "
                      "too",
                      StepSite::kSwitch)
                  .Or("change rdma_priority of the profile on every host, where the switch is right")
                  .CheckBy("rdmaready facts --lldp 35"),
       .depends_on = {"peer.lldp-seen"},
       .judge = JudgePeerAppTlv},
      {.id = "mtu.path",
       .title = "The switch takes frames as large as the host sends",
       .why = "A switch drops larger frames without a word: small messages pass and large ones stall",
       .fix = Fix("ip link show dev {netdev}")
                  .Do("let the switch port take frames of 9216 bytes", StepSite::kSwitch)
                  .Or("lower the MTU of every host in the subnet to what the switch takes")
                  .CheckBy("rdmaready facts --lldp 35"),
       .group = "device",
       .depends_on = {"peer.lldp-seen"},
       .judge = JudgeMtuPath},
  };
}

}  // namespace rdmaready
