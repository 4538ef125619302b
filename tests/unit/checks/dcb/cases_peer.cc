// SPDX-License-Identifier: Apache-2.0
// peer.*, mtu.path, dcbx.one-agent, dcbx.dialect, pfc.switch-agrees, ets.switch-agrees; dcbx.willing of an
// agent.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

LldpNeighbour GoodSwitch() {
  LldpNeighbour agent{.source_mac = "02:00:00:00:00:99",
                      .destination_mac = "01:80:c2:00:00:0e",
                      .frames = 2,
                      .first_ms = 1000,
                      .last_ms = 31'000,
                      .chassis = {.subtype = 4, .text = "02:00:00:00:00:99"},
                      .port = {.subtype = 5, .text = "Ethernet1/1"},
                      .ttl_s = 120,
                      .system_name = "sw1"};
  agent.port_vlan_id = std::uint16_t{1};
  agent.vlans = {{.id = 711, .name = "storage1"}, {.id = 712, .name = "storage2"}};
  agent.aggregation = LldpAggregation{};
  agent.max_frame_bytes = std::uint16_t{9216};
  agent.dialects.ieee = true;
  LldpEts ets{.traffic_classes = 8};
  ets.prio_tc[3] = 3;
  ets.percent = {50, 0, 0, 50};
  ets.tsa[0] = Tsa::kEts;
  ets.tsa[3] = Tsa::kEts;
  agent.ets = ets;
  agent.ets_recommended = ets;
  agent.pfc = LldpPfc{.capability = 8, .enabled = 1U << 3};
  agent.app = std::vector<AppEntry>{{.selector = AppSelector::kDgram, .priority = 3, .protocol = 4791}};
  return agent;
}

Facts Hearing(std::vector<LldpNeighbour> peers, Facts host = GoodHost(), std::uint32_t listened_ms = 35'000) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.lldp = LldpHeard{.listened_ms = listened_ms, .peers = std::move(peers)};
  ports.front().netdev = netdev;
  host.ports = ports;
  return host;
}

template <class Change>
Facts Switch(Change change, Facts host = GoodHost()) {
  LldpNeighbour agent = GoodSwitch();
  change(agent);
  return Hearing({agent}, std::move(host));
}

Facts Good() {
  return Switch([](LldpNeighbour&) {});
}

Facts Deaf() {
  return WithNetdev([](Netdev& netdev) { netdev.lldp = Denied(); });
}

// As lldpad keeps it.
template <class Change>
Facts Lldpad(Change change) {
  return WithNetdev([&change](Netdev& netdev) {
    LldpHeard kept{.listened_ms = 600'000, .peers = {GoodSwitch()}, .own = {GoodSwitch()}};
    change(kept);
    netdev.lldp_agent = kept;
  });
}

Profile StaticOnVlans() {
  Profile profile = VirtualFabricProfile();
  profile.vlan = Profile::Vlan::kTagged;
  profile.vlan_ids = std::vector<std::uint16_t>{711, 712};
  return profile;
}

Profile Silent() {
  Profile profile;
  profile.name = "silent";
  return profile;
}

Facts OnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

void AddSeen(std::vector<CheckCase>& cases) {
  const Facts short_time = Hearing({}, GoodHost(), 5000);
  const auto lldpad_alone = [](std::uint32_t listened_ms) {
    return Lldpad([listened_ms](LldpHeard& kept) {
      kept.peers.clear();
      kept.listened_ms = listened_ms;
    });
  };
  cases.insert(cases.end(),
               {{"peer.lldp-seen", "a switch", Good(), kPass, "sw1 port Ethernet1/1"},
                {"peer.lldp-seen", "by lldpad", Lldpad([](LldpHeard&) {}), kPass, "sw1 port Ethernet1/1"},
                {"peer.lldp-seen", "nobody", Hearing({}), kFail, "nothing heard in 35 s"},
                {"peer.lldp-seen", "lldpad hears nobody", lldpad_alone(60'000), kFail, "lldpad hears nobody"},
                {"peer.lldp-seen", "lldpad was just started", lldpad_alone(5000), kUnknown, "only every 30 s"},
                {"peer.lldp-seen", "too short", short_time, kUnknown, "only every 30 s"},
                {"peer.lldp-seen", "denied", Deaf(), kUnknown, "not permitted"},
                {"peer.lldp-seen", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown,
                 "not permitted"},
                {"peer.lldp-seen", "not watched", GoodHost(), kNotApplicable, "not watched (--watch SECONDS)"},
                {"peer.lldp-seen", "InfiniBand", OnInfiniBand(), kNotApplicable, "InfiniBand"}});
}

void AddTlvs(std::vector<CheckCase>& cases) {
  using Tlv = Profile::LldpTlv;
  Profile asks = StaticOnVlans();
  asks.lldp_tlvs =
      std::vector<Tlv>{Tlv::kPortVlan,          Tlv::kVlanName, Tlv::kLinkAggregation, Tlv::kEtsConfiguration,
                       Tlv::kEtsRecommendation, Tlv::kPfc,      Tlv::kMaxFrameSize};
  const Facts poor = Switch([](LldpNeighbour& agent) {
    agent.ets_recommended.reset();
    agent.max_frame_bytes.reset();
  });
  cases.insert(
      cases.end(),
      {{"peer.required-tlvs", "all", Good(), kPass, "announces all", "", asks},
       {"peer.required-tlvs", "two lacking", poor, kFail,
        "sw1 port Ethernet1/1 lacks ETS recommendation (802.1 subtype A), frame size (802.3 subtype 4)",
        "rdmaready facts --lldp 35", asks},
       {"peer.required-tlvs", "denied", Deaf(), kUnknown, "not permitted", "", asks},
       {"peer.required-tlvs", "nobody heard", Hearing({}), kNotApplicable, "no LLDP agent", "", asks},
       {"peer.required-tlvs", "not asked", Good(), kNotApplicable, "does not ask"}});
}

void AddVlan(std::vector<CheckCase>& cases) {
  const auto carrying = [](std::vector<LldpVlan> vlans) {
    return Switch([&vlans](LldpNeighbour& agent) { agent.vlans = vlans; }, OnVlan());
  };
  Facts deaf = Hearing({}, OnVlan());
  std::vector<Port> ports = *deaf.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.lldp = Denied();
  ports.front().netdev = netdev;
  deaf.ports = ports;
  cases.insert(cases.end(),
               {{"peer.vlan", "carried", carrying({{.id = 711}, {.id = 712}}), kPass, "VLAN 1, 711, 712"},
                {"peer.vlan", "not carried", carrying({{.id = 712}}), kFail,
                 "sw1 port Ethernet1/1 has VLAN 1, 712", "ip -d link show type vlan"},
                {"peer.vlan", "denied", deaf, kUnknown, "not permitted"},
                {"peer.vlan", "no VLAN named", carrying({}), kNotApplicable, "names no VLANs"},
                {"peer.vlan", "none used", Good(), kNotApplicable, "no storage VLAN"}});
}

void AddUnique(std::vector<CheckCase>& cases) {
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
  cases.insert(
      cases.end(),
      {{"peer.port-unique", "two switches", second("02:00:00:00:00:77"), kPass, "sw1", "", two},
       {"peer.port-unique", "one switch", same, kFail, "dcb1 leads to the same chassis", "", two},
       {"peer.port-unique", "one switch, and nobody planned two", same, kNotApplicable, "does not ask"},
       {"peer.port-unique", "denied", Deaf(), kUnknown, "not permitted", "", two},
       {"peer.port-unique", "one port", Good(), kNotApplicable, "no other RDMA port", "", two}});
}

void AddApp(std::vector<CheckCase>& cases) {
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
  cases.insert(
      cases.end(),
      {{"peer.app-tlv", "priority 3", Good(), kPass, "UDP port 4791 on priority 3"},
       {"peer.app-tlv", "priority 4", row(AppSelector::kDgram, 4, 4791), kFail, "UDP port 4791 on priority 4",
        "rdmaready profile show virtual-fabric --switch"},
       {"peer.app-tlv", "DSCP", row(AppSelector::kDscp, 0, 26), kFail, "DSCP 26 on priority 0"},
       {"peer.app-tlv", "CEE", cee, kFail, "on priority 4"},
       {"peer.app-tlv", "by firmware", firmware, kFail, "the other end announces UDP port 4791 on priority 5"},
       {"peer.app-tlv", "denied", Deaf(), kUnknown, "not permitted"},
       {"peer.app-tlv", "of others", row(AppSelector::kStream, 4, 3260), kNotApplicable, "no APP row for RDMA"},
       {"peer.app-tlv", "not watched", GoodHost(), kNotApplicable, "not watched"}});
}

void AddPath(std::vector<CheckCase>& cases) {
  const auto taking = [](std::optional<std::uint16_t> bytes) {
    return Switch([bytes](LldpNeighbour& agent) { agent.max_frame_bytes = bytes; });
  };
  cases.insert(cases.end(),
               {{"mtu.path", "9216", Good(), kPass, "takes frames of 9216 bytes"},
                {"mtu.path", "just enough", taking(9018), kPass, "takes frames of 9018 bytes"},
                {"mtu.path", "one byte short", taking(9017), kFail, "takes frames of 9017 bytes", "9216"},
                {"mtu.path", "denied", Deaf(), kUnknown, "not permitted"},
                {"mtu.path", "not told", taking(std::nullopt), kNotApplicable, "does not announce"},
                {"mtu.path", "not watched", GoodHost(), kNotApplicable, "not watched"}});
}

// A second agent at the other end, and what is different about it.
template <class Change>
Facts TwoPeers(Change change) {
  LldpNeighbour other = GoodSwitch();
  change(other);
  return Hearing({GoodSwitch(), other});
}

void AddOneAgent(std::vector<CheckCase>& cases) {
  const Facts firmware = TwoPeers([](LldpNeighbour& other) {
    other.source_mac = "02:00:00:00:00:55";
    other.chassis.text = "02:00:00:00:00:55";
    other.dialects = {.cee = true};
  });
  const auto dialect = [](std::uint32_t first_ms, std::uint32_t last_ms) {
    return TwoPeers([=](LldpNeighbour& other) {
      other.dialects = {.cee = true};
      other.first_ms = first_ms;
      other.last_ms = last_ms;
    });
  };
  const Facts groups = TwoPeers([](LldpNeighbour& other) { other.destination_mac = "01:80:c2:00:00:00"; });
  const auto own_firmware = [](bool lldpad, bool here = false, bool ice = true) {
    Facts host = WithNetdev([=](Netdev& netdev) {
      if (ice) netdev.link.private_flags = std::vector<PrivateFlag>{{.name = "fw-lldp-agent", .on = true}};
      if (!ice) netdev.dcb.dcbx = Dcbx{.lld_managed = true, .ieee = true};
      if (here) netdev.lldp_agent = LldpHeard{};
    });
    if (lldpad) host.lldp_agents = std::vector<std::string>{"lldpad"};
    return host;
  };
  const Facts own_two = Lldpad([](LldpHeard& kept) {
    kept.own.push_back(GoodSwitch());
    kept.own.back().chassis.text = "guest1";
  });
  cases.insert(
      cases.end(),
      {{"dcbx.one-agent", "one", Good(), kPass, "one at the other end, none here"},
       {"dcbx.one-agent", "one to several groups", groups, kPass, "one at the other end"},
       {"dcbx.one-agent", "it changed its dialect", dialect(31'000, 34'000), kPass, "one at the other end"},
       {"dcbx.one-agent", "two at the other end", firmware, kFail,
        "at the other end: sw1 port Ethernet1/1 from 02:00:00:00:00:99 (IEEE) and sw1 port Ethernet1/1 from "
        "02:00:00:00:00:55 (CEE)",
        "rdmaready facts --lldp 35"},
       {"dcbx.one-agent", "two of one address", dialect(5000, 34'000), kFail, "at the other end"},
       {"dcbx.one-agent", "as lldpad has it", Lldpad([](LldpHeard&) {}), kNotApplicable, "that it heard last"},
       {"dcbx.one-agent", "two here", own_two, kFail, "here: sw1", "systemctl disable"},
       {"dcbx.one-agent", "firmware here, and lldpad somewhere", own_firmware(true), kWarn,
        "lldpad runs, and may serve this port too", "ethtool --set-priv-flags dcb0 fw-lldp-agent off"},
       {"dcbx.one-agent", "lldpad and another firmware here", own_firmware(true, true, false), kFail,
        "here: lldpad, and the NIC's firmware", "systemctl disable --now lldpad"},
       {"dcbx.one-agent", "lldpad and firmware here", own_firmware(true, true), kFail,
        "here: lldpad, and the NIC's firmware", "ethtool --set-priv-flags dcb0 fw-lldp-agent off"},
       {"dcbx.one-agent", "firmware alone", own_firmware(false), kNotApplicable, "not watched"},
       {"dcbx.one-agent", "too short", Hearing({GoodSwitch()}, GoodHost(), 5000), kNotApplicable, "30 s"},
       {"dcbx.one-agent", "denied", Deaf(), kUnknown, "not permitted"}});
}

void AddDialect(std::vector<CheckCase>& cases) {
  const auto speaking = [](LldpDialects dialects) {
    return Switch([dialects](LldpNeighbour& agent) { agent.dialects = dialects; });
  };
  cases.insert(cases.end(),
               {{"dcbx.dialect", "IEEE", Good(), kPass, "the other end speaks IEEE"},
                {"dcbx.dialect", "CEE", speaking({.cee = true}), kFail, "the other end speaks CEE"},
                {"dcbx.dialect", "CIN", speaking({.cin = true}), kFail, "the other end speaks CIN"},
                {"dcbx.dialect", "denied", Deaf(), kUnknown, "not permitted"},
                {"dcbx.dialect", "none", speaking({}), kNotApplicable, "speaks no DCBX"}});
}

void AddSwitch(std::vector<CheckCase>& cases) {
  const auto pausing = [](std::uint8_t enabled) {
    return Switch([enabled](LldpNeighbour& agent) { agent.pfc = LldpPfc{.enabled = enabled}; });
  };
  const Facts cee = Switch([](LldpNeighbour& agent) {
    agent.pfc.reset();
    agent.cee = LldpCee{.pfc = CeePfc{.enabled = 1U << 4}};
  });
  const Facts firmware = WithDcb([](Dcb& dcb) { dcb.peer.pfc = Pfc{.enabled = 1U << 5}; });
  cases.insert(cases.end(),
               {{"pfc.switch-agrees", "3", Good(), kPass, "sw1 port Ethernet1/1 has PFC on 3"},
                {"pfc.switch-agrees", "4", pausing(1U << 4), kFail, "has PFC on 4",
                 "profile show virtual-fabric --switch"},
                {"pfc.switch-agrees", "off", pausing(0), kFail, "has PFC off"},
                {"pfc.switch-agrees", "4 by CEE", cee, kFail, "has PFC on 4"},
                {"pfc.switch-agrees", "by firmware, unwatched", firmware, kFail, "the other end has PFC on 5"},
                {"pfc.switch-agrees", "denied", Deaf(), kUnknown, "not permitted"},
                {"pfc.switch-agrees", "not announced", Switch([](LldpNeighbour& agent) { agent.pfc.reset(); }),
                 kNotApplicable, "announces no PFC"},
                {"pfc.switch-agrees", "not asked", Good(), kNotApplicable, "does not ask", "", Silent()}});
  const auto ets = [](std::uint8_t rdma_class, std::uint8_t percent, Tsa tsa) {
    return Switch([=](LldpNeighbour& agent) {
      agent.ets->prio_tc[3] = rdma_class;
      agent.ets->percent[rdma_class] = percent;
      agent.ets->tsa[rdma_class] = tsa;
    });
  };
  cases.insert(cases.end(),
               {{"ets.switch-agrees", "50%", Good(), kPass, "gives it 50%"},
                {"ets.switch-agrees", "within tolerance", ets(3, 46, Tsa::kEts), kPass, "gives it 46%"},
                {"ets.switch-agrees", "20%", ets(3, 20, Tsa::kEts), kWarn, "gives it 20%"},
                {"ets.switch-agrees", "strict", ets(3, 50, Tsa::kStrict), kWarn, "strict priority"},
                {"ets.switch-agrees", "with all others", ets(0, 50, Tsa::kEts), kFail,
                 "has priority 0, 1, 2, 4, 5, 6 and 7 in the same class"},
                {"ets.switch-agrees", "denied", Deaf(), kUnknown, "not permitted"},
                {"ets.switch-agrees", "not announced", Switch([](LldpNeighbour& agent) { agent.ets.reset(); }),
                 kNotApplicable, "announces no ETS"}});
}

void AddWilling(std::vector<CheckCase>& cases) {
  const Facts willing = Lldpad([](LldpHeard& kept) { kept.own.front().pfc->willing = true; });
  const Facts steady = Lldpad([](LldpHeard&) {});
  cases.insert(cases.end(), {{"dcbx.willing", "lldpad is", willing, kFail, "announces it on",
                              "lldptool set-tlv -i dcb0 -V PFC willing=no"},
                             {"dcbx.willing", "lldpad is not", steady, kPass, "willing off"}});
}

}  // namespace

void AddPeerCases(std::vector<CheckCase>& cases) {
  AddSeen(cases);
  AddTlvs(cases);
  AddVlan(cases);
  AddUnique(cases);
  AddApp(cases);
  AddPath(cases);
  AddOneAgent(cases);
  AddDialect(cases);
  AddSwitch(cases);
  AddWilling(cases);
}

}  // namespace rdmaready
