// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

template <class Change>
Profile Asking(Change change) {
  Profile profile = VirtualFabricProfile();
  change(profile);
  return profile;
}

Profile Tagged() {
  Profile profile = PcpProfile();
  profile.name = "tagged";
  profile.vlan = Profile::Vlan::kTagged;
  return profile;
}

Profile OnlyVlan(std::uint16_t id) {
  Profile profile = Tagged();
  profile.vlan_ids = std::vector<std::uint16_t>{id};
  return profile;
}

Facts WithoutAddress() {
  return WithNetdev([](Netdev& netdev) {
    netdev.addresses = std::vector<IpAddress>{{.address = "fe80::1", .prefix_length = 64}};
  });
}

Facts AddressesDenied() {
  return WithNetdev([](Netdev& netdev) { netdev.addresses = Denied(); });
}

Facts UppersDenied() {
  return WithVlan([](Port&, UpperNetdev& vlan) { vlan.addresses = Denied(); });
}

// Management on VLAN 10 of the same port, without a row for RDMA, with an MTU of its own, and first.
template <class Change>
Facts ConvergedWith(Change change) {
  Facts host = OnVlan();
  std::vector<Port> ports = *host.ports;
  std::vector<UpperNetdev> uppers = *ports.front().uppers;
  UpperNetdev management = uppers.front();
  management.name = "dcb0.10";
  management.vlan_id = std::uint16_t{10};
  management.vlan_egress = std::vector<VlanPriority>{};
  management.mtu_bytes = 1500;
  management.addresses = std::vector<IpAddress>{{.address = "192.168.10.1", .prefix_length = 24}};
  uppers.insert(uppers.begin(), management);
  change(ports.front(), uppers);
  ports.front().uppers = uppers;
  host.ports = ports;
  return host;
}

Facts Converged() {
  return ConvergedWith([](Port&, std::vector<UpperNetdev>&) {});
}

// An E810 with two classes in use, and its storage VLAN mapped as the profile has it.
Facts OnVlanOfIce(std::vector<std::string> over) {
  return WithVlan([&over](Port& port, UpperNetdev& vlan) {
    vlan.over = over;
    Netdev netdev = *port.netdev;
    netdev.driver = "ice";
    port.netdev = netdev;
  });
}

void AddMtu(std::vector<CheckCase>& cases) {
  const auto limited = [](std::uint32_t now, Fact<std::uint32_t> most) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.mtu_bytes = now;
      netdev.max_mtu_bytes = most;
    });
  };
  const auto vlan_mtu = [](std::uint32_t mtu) {
    return WithVlan([mtu](Port&, UpperNetdev& vlan) { vlan.mtu_bytes = mtu; });
  };
  const Facts uppers_unknown = WithPort([](Port& port) { port.uppers = Denied(); });
  cases.insert(
      cases.end(),
      {{"mtu.max", "set already", limited(9000, Denied()), kPass, "MTU 9000 is set"},
       {"mtu.max", "room for it", limited(1500, 9978), kPass, "allows 9978"},
       {"mtu.max", "no limit", limited(1500, 0), kPass, "no limit"},
       {"mtu.max", "too little", limited(1500, 4000), kFail, "allows 4000 at most", "ip -d link show dev dcb0"},
       {"mtu.max", "denied", limited(1500, Denied()), kUnknown, "not permitted"},
       {"mtu.max", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown,
        "not permitted"},
       {"mtu.max", "not asked", GoodHost(), kNotApplicable, "does not ask", "",
        Asking([](Profile& profile) { profile.mtu_bytes.reset(); })},
       {"mtu.vlan", "good", OnVlan(), kPass, "dcb0.711 has MTU 9000"},
       {"mtu.vlan", "small", vlan_mtu(1500), kFail, "dcb0.711 has MTU 1500",
        "ip link set dev dcb0.711 mtu 9000"},
       {"mtu.vlan", "not filled in", vlan_mtu(0), kUnknown, "not collected"},
       {"mtu.vlan", "denied", uppers_unknown, kUnknown, "not permitted"},
       {"mtu.vlan", "small, but not for storage", vlan_mtu(1500), kNotApplicable, "no VLAN", "", OnlyVlan(712)},
       {"mtu.vlan", "small for management beside storage", Converged(), kPass, "dcb0.711 has MTU 9000", "",
        Tagged()},
       {"mtu.vlan", "which VLANs have an address is not known", UppersDenied(), kUnknown, "not permitted"},
       {"mtu.vlan", "no VLAN", GoodHost(), kNotApplicable, "no VLAN"}});
}

void AddIp(std::vector<CheckCase>& cases) {
  const auto in_subnet = [](const char* address) {
    return WithSecond(GoodHost(), [address](Port& port) {
      Netdev netdev = *port.netdev;
      netdev.addresses = std::vector<IpAddress>{{.address = address, .prefix_length = 24}};
      port.netdev = netdev;
    });
  };
  const Facts second_denied = WithSecond(GoodHost(), [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.addresses = Denied();
    port.netdev = netdev;
  });
  cases.insert(cases.end(),
               {{"ip.address", "good", GoodHost(), kPass, "10.0.0.1/24"},
                {"ip.address", "on a VLAN", OnVlan(), kPass, "10.0.0.1/24 on dcb0.711"},
                {"ip.address", "link-local only", WithoutAddress(), kFail, "link-local",
                 "ip address add ADDRESS dev dcb0"},
                {"ip.address", "denied", AddressesDenied(), kUnknown, "not permitted"},
                {"ip.address", "of a VLAN denied", UppersDenied(), kUnknown, "not permitted"},
                {"ip.address", "none, and what stands on it not known", WithPort([](Port& port) {
                   Netdev netdev = *port.netdev;
                   netdev.addresses = std::vector<IpAddress>{};
                   port.netdev = netdev;
                   port.uppers = Denied();
                 }),
                 kUnknown, "not permitted"},
                {"ip.address", "InfiniBand",
                 WithPort([](Port& port) { port.transport = Transport::kInfiniBand; }), kNotApplicable, "LID"},
                {"ip.subnets", "two subnets", in_subnet("10.0.1.9"), kPass, "10.0.1.9/24", "", {}, 1},
                {"ip.subnets",
                 "one subnet",
                 in_subnet("10.0.0.9"),
                 kFail,
                 "10.0.0.9/24 is in the subnet of rxe0/1",
                 "ip address show dev dcb1",
                 {},
                 1},
                {"ip.subnets", "one subnet, said once", in_subnet("10.0.0.9"), kPass, "10.0.0.1/24"},
                {"ip.subnets", "IPv6 beside IPv4", in_subnet("fd00::9"), kPass, "fd00::9/24", "", {}, 1},
                {"ip.subnets", "denied", second_denied, kUnknown, "not permitted", "", {}, 1},
                {"ip.subnets", "one port", GoodHost(), kNotApplicable, "nothing to compare"}});
}

void AddVlan(std::vector<CheckCase>& cases) {
  const auto egress = [](Fact<std::vector<VlanPriority>> map) {
    return WithVlan([&map](Port&, UpperNetdev& vlan) { vlan.vlan_egress = map; });
  };
  using Map = std::vector<VlanPriority>;
  cases.insert(
      cases.end(),
      {{"vlan.present", "good", OnVlan(), kPass, "10.0.0.1 on dcb0.711 (VLAN 711)", "", Tagged()},
       {"vlan.present", "untagged", GoodHost(), kFail, "10.0.0.1 on dcb0, untagged",
        "ip link add link dcb0 name dcb0.VLAN type vlan id VLAN egress-qos-map 2:3", Tagged()},
       {"vlan.present", "untagged, one id named", GoodHost(), kFail, "untagged",
        "name dcb0.712 type vlan id 712", OnlyVlan(712)},
       {"vlan.present", "the interface is a VLAN",
        WithNetdev([](Netdev& netdev) { netdev.vlan_id = std::uint16_t{711}; }), kPass, "VLAN 711", "",
        Tagged()},
       {"vlan.present", "denied", AddressesDenied(), kUnknown, "not permitted", "", Tagged()},
       {"vlan.present", "uppers denied", WithPort([](Port& port) { port.uppers = Denied(); }), kUnknown,
        "not permitted", "", Tagged()},
       {"vlan.present", "not asked", GoodHost(), kNotApplicable, "does not ask"},
       {"vlan.id", "any", OnVlan(), kPass, "VLAN 711", "", Tagged()},
       {"vlan.id", "the right one", OnVlan(), kPass, "VLAN 711", "", OnlyVlan(711)},
       {"vlan.id", "another one", OnVlan(), kFail, "VLAN 711", "type vlan id 712", OnlyVlan(712)},
       {"vlan.id", "0", WithVlan([](Port&, UpperNetdev& vlan) { vlan.vlan_id = std::uint16_t{0}; }), kFail,
        "VLAN 0", "", Tagged()},
       {"vlan.id", "denied", AddressesDenied(), kUnknown, "not permitted", "", Tagged()},
       {"vlan.id", "not asked", GoodHost(), kNotApplicable, "does not ask"},
       {"vlan.egress-map", "0 to 3", OnVlan(), kPass, "dcb0.711: RDMA-CM's priority 0 leaves with PCP 3", "",
        Tagged()},
       {"vlan.egress-map", "empty", egress(Map{}), kFail, "priority 0 leaves with PCP 0",
        "ip link set dev dcb0.711 type vlan egress-qos-map 0:3", Tagged()},
       {"vlan.egress-map", "for another ToS",
        WithVlan([](Port& port, UpperNetdev&) { port.cm_default_tos = std::uint8_t{106}; }), kFail,
        "priority 2 leaves with PCP 0", "egress-qos-map 2:3", Tagged()},
       {"vlan.egress-map", "management on another VLAN", Converged(), kPass,
        "dcb0.711: RDMA-CM's priority 0 leaves with PCP 3; not for RDMA: dcb0.10", "", Tagged()},
       {"vlan.egress-map", "none of two leaves as RDMA",
        ConvergedWith([](Port&, std::vector<UpperNetdev>& uppers) { uppers.back().vlan_egress = Map{}; }),
        kFail, "dcb0.10: RDMA-CM's priority 0 leaves with PCP 0, dcb0.711:", "egress-qos-map 0:3", Tagged()},
       {"vlan.egress-map", "one of two is not known",
        ConvergedWith([](Port&, std::vector<UpperNetdev>& uppers) { uppers.back().vlan_egress = Denied(); }),
        kUnknown, "not permitted", "", Tagged()},
       {"vlan.egress-map", "another VLAN than the named one is right", Converged(), kFail,
        "dcb0.10: RDMA-CM's priority 0 leaves with PCP 0", "ip link set dev dcb0.10", OnlyVlan(10)},
       {"vlan.egress-map", "the NIC's classes go before the map", OnVlanOfIce({"dcb0"}), kFail,
        "leaves with its traffic class, PCP 0", "dcb ets show dev dcb0", Tagged()},
       {"vlan.egress-map", "over a bond the map decides", OnVlanOfIce({"bond0"}), kPass, "leaves with PCP 3",
        "", Tagged()},
       {"vlan.egress-map", "map denied", egress(Denied()), kUnknown, "not permitted", "", Tagged()},
       {"vlan.egress-map", "ToS denied",
        WithVlan([](Port& port, UpperNetdev&) { port.cm_default_tos = Denied(); }), kUnknown, "not permitted",
        "", Tagged()},
       {"vlan.egress-map", "no VLAN", WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }),
        kUnknown, "no storage VLAN", "", Tagged()},
       {"vlan.egress-map", "not asked", GoodHost(), kNotApplicable, "does not ask"}});
}

void AddGid(std::vector<CheckCase>& cases) {
  const Facts missed = WithPort([](Port& port) { port.gids = std::vector<Gid>{port.gids->front()}; });
  cases.insert(cases.end(),
               {{"gid.ip-match", "good", GoodHost(), kPass, "every address has its GID"},
                {"gid.ip-match", "address without GID", missed, kFail, "no GID for 10.0.0.1 of dcb0",
                 "ip link set dev dcb0 down && ip link set dev dcb0 up"},
                {"gid.ip-match", "GID without address", WithoutAddress(), kWarn, "GID 1 is for 10.0.0.1"},
                {"gid.ip-match", "GIDs denied", WithPort([](Port& port) { port.gids = Denied(); }), kUnknown,
                 "not permitted"},
                {"gid.ip-match", "addresses denied", AddressesDenied(), kUnknown, "not permitted"},
                {"gid.ip-match", "uppers denied", WithPort([](Port& port) { port.uppers = Denied(); }),
                 kUnknown, "not permitted"},
                {"gid.ip-match", "iWARP", WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
                 kNotApplicable, "iWARP"},
                {"gid.vlan-match", "good", OnVlan(), kPass, "10.0.0.1 at index 1", "", Tagged()},
                {"gid.vlan-match", "none",
                 WithVlan([](Port& port, UpperNetdev&) { port.gids = std::vector<Gid>{port.gids->front()}; }),
                 kFail, "no RoCE v2 GID on dcb0.711", "ip link set dev dcb0.711 down", Tagged()},
                {"gid.vlan-match", "denied", WithVlan([](Port& port, UpperNetdev&) { port.gids = Denied(); }),
                 kUnknown, "not permitted", "", Tagged()},
                {"gid.vlan-match", "no VLAN", GoodHost(), kUnknown, "no storage VLAN", "", Tagged()},
                {"gid.vlan-match", "not asked", GoodHost(), kNotApplicable, "does not ask"}});
}

}  // namespace

void AddNetCases(std::vector<CheckCase>& cases) {
  AddMtu(cases);
  AddIp(cases);
  AddVlan(cases);
  AddGid(cases);
}

}  // namespace rdmaready
