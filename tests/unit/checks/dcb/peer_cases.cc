// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/heard_host.h"

namespace rdmaready {
namespace {

Profile StaticOnVlans() {
  Profile profile = VirtualFabricProfile();
  profile.vlan = Profile::Vlan::kTagged;
  profile.vlan_ids = std::vector<std::uint16_t>{711, 712};
  return profile;
}

Facts PeerOnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

std::vector<CheckCase> PeerSeenRows() {
  const Facts short_time = Hearing({}, GoodHost(), 5000);
  const auto lldpad_alone = [](std::uint32_t listened_ms) {
    return Lldpad([listened_ms](LldpHeard& kept) {
      kept.peers.clear();
      kept.listened_ms = listened_ms;
    });
  };
  return {Passes("peer.lldp-seen", "a switch", Good(), "sw1 port Ethernet1/1"),
          Passes("peer.lldp-seen", "by lldpad", Lldpad([](LldpHeard&) {}), "sw1 port Ethernet1/1"),
          Fails("peer.lldp-seen", "nobody", Hearing({}), "nothing heard in 35 s"),
          Fails("peer.lldp-seen", "lldpad hears nobody", lldpad_alone(60'000), "lldpad hears nobody"),
          IsUnknown("peer.lldp-seen", "lldpad was just started", lldpad_alone(5000), "only every 30 s"),
          IsUnknown("peer.lldp-seen", "too short", short_time, "only every 30 s"),
          IsUnknown("peer.lldp-seen", "denied", Deaf(), "not permitted"),
          IsUnknown("peer.lldp-seen", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }),
                    "not permitted"),
          DoesNotApply("peer.lldp-seen", "not watched", GoodHost(), "not watched (--watch SECONDS)"),
          DoesNotApply("peer.lldp-seen", "InfiniBand", PeerOnInfiniBand(), "InfiniBand")};
}

std::vector<CheckCase> PeerTlvsRows() {
  using Tlv = Profile::LldpTlv;
  Profile asks = StaticOnVlans();
  asks.lldp_tlvs =
      std::vector<Tlv>{Tlv::kPortVlan,          Tlv::kVlanName, Tlv::kLinkAggregation, Tlv::kEtsConfiguration,
                       Tlv::kEtsRecommendation, Tlv::kPfc,      Tlv::kMaxFrameSize};
  const Facts poor = Switch([](LldpNeighbour& agent) {
    agent.ets_recommended.reset();
    agent.max_frame_bytes.reset();
  });
  return {Passes("peer.required-tlvs", "all", Good(), "announces all", {.profile = asks}),
          Fails("peer.required-tlvs", "two lacking", poor,
                "sw1 port Ethernet1/1 lacks ETS recommendation (802.1 subtype A), frame size (802.3 subtype 4)",
                {.fix = "rdmaready facts --lldp 35", .profile = asks}),
          IsUnknown("peer.required-tlvs", "denied", Deaf(), "not permitted", {.profile = asks}),
          DoesNotApply("peer.required-tlvs", "nobody heard", Hearing({}), "no LLDP agent", {.profile = asks}),
          DoesNotApply("peer.required-tlvs", "not asked", Good(), "does not ask")};
}

std::vector<CheckCase> PeerVlanRows() {
  const auto carrying = [](std::vector<LldpVlan> vlans) {
    return Switch([&vlans](LldpNeighbour& agent) { agent.vlans = vlans; }, OnVlan());
  };
  Facts deaf = Hearing({}, OnVlan());
  std::vector<Port> ports = *deaf.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.lldp = Denied();
  ports.front().netdev = netdev;
  deaf.ports = ports;
  return {Passes("peer.vlan", "carried", carrying({{.id = 711}, {.id = 712}}), "VLAN 1, 711, 712"),
          Fails("peer.vlan", "not carried", carrying({{.id = 712}}), "sw1 port Ethernet1/1 has VLAN 1, 712",
                {.fix = "ip -d link show type vlan"}),
          IsUnknown("peer.vlan", "denied", deaf, "not permitted"),
          DoesNotApply("peer.vlan", "no VLAN named", carrying({}), "names no VLANs"),
          DoesNotApply("peer.vlan", "none used", Good(), "no storage VLAN")};
}

std::vector<CheckCase> PeerUniqueRows() {
  const auto second = [](std::string chassis) {
    return WithSecond(Good(), [&chassis](Port& port) {
      Netdev netdev = *port.netdev;
      LldpNeighbour agent = GoodSwitch();
      agent.chassis.text = chassis;
      netdev.lldp = LldpHeard{.listened_ms = 35'000, .peers = {agent}};
      port.netdev = netdev;
    });
  };
  Profile two = VirtualFabricProfile();
  two.min_ports = std::uint8_t{2};
  const Facts same = second("02:00:00:00:00:99");
  return {Passes("peer.port-unique", "two switches", second("02:00:00:00:00:77"), "sw1", {.profile = two}),
          Fails("peer.port-unique", "one switch", same, "dcb1 leads to the same chassis", {.profile = two}),
          DoesNotApply("peer.port-unique", "one switch, and nobody planned two", same, "does not ask"),
          IsUnknown("peer.port-unique", "denied", Deaf(), "not permitted", {.profile = two}),
          DoesNotApply("peer.port-unique", "one port", Good(), "no other RDMA port", {.profile = two})};
}

std::vector<CheckCase> PeerAppRows() {
  const auto row = [](AppSelector selector, std::uint8_t priority, std::uint16_t protocol) {
    return Switch([=](LldpNeighbour& agent) {
      agent.app = std::vector<AppEntry>{{.selector = selector, .priority = priority, .protocol = protocol}};
    });
  };
  const Facts cee = Switch([](LldpNeighbour& agent) {
    agent.app.reset();
    agent.cee = LldpCee{.app = CeeApp{.entries = {{.selector = 1, .protocol = 4791, .priorities = 1U << 4}}}};
  });
  const Facts firmware = WithDcb([](Dcb& dcb) {
    dcb.peer.app = std::vector<AppEntry>{{.selector = AppSelector::kDgram, .priority = 5, .protocol = 4791}};
  });
  return {Passes("peer.app-tlv", "priority 3", Good(), "UDP port 4791 on priority 3"),
          Fails("peer.app-tlv", "priority 4", row(AppSelector::kDgram, 4, 4791), "UDP port 4791 on priority 4",
                {.fix = "rdmaready profile show virtual-fabric --switch"}),
          Fails("peer.app-tlv", "DSCP", row(AppSelector::kDscp, 0, 26), "DSCP 26 on priority 0"),
          Fails("peer.app-tlv", "CEE", cee, "on priority 4"),
          Fails("peer.app-tlv", "by firmware", firmware, "the other end announces UDP port 4791 on priority 5"),
          IsUnknown("peer.app-tlv", "denied", Deaf(), "not permitted"),
          DoesNotApply("peer.app-tlv", "of others", row(AppSelector::kStream, 4, 3260), "no APP row for RDMA"),
          DoesNotApply("peer.app-tlv", "not watched", GoodHost(), "not watched")};
}

std::vector<CheckCase> PeerPathRows() {
  const auto taking = [](std::optional<std::uint16_t> bytes) {
    return Switch([bytes](LldpNeighbour& agent) { agent.max_frame_bytes = bytes; });
  };
  return {Passes("mtu.path", "9216", Good(), "takes frames of 9216 bytes"),
          Passes("mtu.path", "just enough", taking(9018), "takes frames of 9018 bytes"),
          Fails("mtu.path", "one byte short", taking(9017), "takes frames of 9017 bytes", {.fix = "9216"}),
          IsUnknown("mtu.path", "denied", Deaf(), "not permitted"),
          DoesNotApply("mtu.path", "not told", taking(std::nullopt), "does not announce"),
          DoesNotApply("mtu.path", "not watched", GoodHost(), "not watched")};
}

}  // namespace

std::vector<CheckCase> PeerCases() {
  return Joined(
      {PeerSeenRows(), PeerTlvsRows(), PeerVlanRows(), PeerUniqueRows(), PeerAppRows(), PeerPathRows()});
}

}  // namespace rdmaready
