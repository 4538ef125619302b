// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
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

template <class Change>
Facts WithHost(Change change) {
  Facts host = GoodHost();
  change(host);
  return host;
}

Facts Same() { return GoodHost(); }
Facts OtherHardware() { return Hardware(); }
Facts OlderFirmware() {
  return WithHardware([](Port& port, PciFunction&) { port.firmware = std::string("16.30.1004"); });
}
Facts OtherBoard() {
  return WithHardware([](Port& port, PciFunction&) { port.board = std::string("MT_0000000090"); });
}

// The port's netdev as a member of a bond or a bridge.
template <class Change>
Facts Member(std::string_view kind, Change change) {
  return WithPort([&](Port& port) {
    UpperNetdev master{
        .name = kind == "bond" ? "bond0" : "br0", .ifindex = 9, .kind = std::string(kind), .over = {"dcb0"}};
    if (kind == "bond") master.bond_mode = std::string("active-backup");
    master.addresses = std::vector<IpAddress>{};
    Netdev netdev = *port.netdev;
    netdev.master = master.name;
    change(netdev, master);
    port.netdev = netdev;
    port.uppers = std::vector<UpperNetdev>{master};
  });
}

void AddInventory(std::vector<CheckCase>& cases) {
  const Profile two = Asking([](Profile& profile) { profile.min_ports = std::uint8_t{2}; });
  const auto like = [](Port&) {};
  cases.insert(
      cases.end(),
      {{"inv.expected-count", "two of two", WithSecond(GoodHost(), like), kPass, "2 Ethernet ports", "", two},
       {"inv.expected-count", "one of two", GoodHost(), kFail, "1 Ethernet port with RDMA", "rdma link show",
        two},
       {"inv.expected-count", "the other's interface is not known",
        WithSecond(GoodHost(), [](Port& port) { port.netdev = Denied(); }), kUnknown, "not permitted", "", two},
       {"inv.expected-count", "the other has no interface",
        WithSecond(GoodHost(), [](Port& port) { port.netdev = kUnsupported; }), kFail, "1 Ethernet port", "",
        two},
       {"inv.expected-count", "InfiniBand does not count",
        WithSecond(GoodHost(), [](Port& port) { port.transport = Transport::kInfiniBand; }), kFail,
        "1 Ethernet port", "", two},
       {"inv.expected-count", "ports not known", WithHost([](Facts& host) { host.ports = Denied(); }), kUnknown,
        "not permitted", "", two},
       {"inv.expected-count", "not asked", GoodHost(), kNotApplicable, "does not ask"},
       {"inv.symmetry", "two alike", WithSecond(Hardware(), like), kPass, "firmware 16.35.4030 on 2 ports"},
       {"inv.symmetry", "other firmware",
        WithSecond(Hardware(), [](Port& port) { port.firmware = std::string("16.30.1004"); }), kFail,
        "rxe0/1 and rxe1/1 differ: firmware", "devlink dev info"},
       {"inv.symmetry", "other board",
        WithSecond(Hardware(), [](Port& port) { port.board = std::string("MT_1"); }), kFail, "boards"},
       {"inv.symmetry", "other driver",
        WithSecond(Hardware(),
                   [](Port& port) {
                     Netdev netdev = *port.netdev;
                     netdev.driver = "ice";
                     port.netdev = netdev;
                   }),
        kFail, "drivers dcbnic and ice"},
       {"inv.symmetry", "software beside hardware",
        WithSecond(Hardware(), [](Port& port) { port.software = true; }), kFail,
        "a software device beside hardware"},
       {"inv.symmetry", "firmware not known",
        WithSecond(Hardware(), [](Port& port) { port.firmware = Denied(); }), kUnknown, "not permitted"},
       {"inv.symmetry", "whether it is software is not known",
        WithSecond(GoodHost(), [](Port& port) { port.software = Denied(); }), kUnknown, "not permitted"},
       {"inv.symmetry", "one port", Hardware(), kNotApplicable, "nothing to compare"},
       {"inv.symmetry", "software", WithSecond(GoodHost(), like), kNotApplicable, "software devices only"},
       {"inv.physical", "physical", Hardware(), kPass, "0000:3b:00.0 is a physical function"},
       {"inv.physical", "virtual", WithHardware([](Port&, PciFunction& pci) { pci.virtual_function = true; }),
        kFail, "virtual function", "/sys/class/infiniband/rxe0/device/physfn"},
       {"inv.physical", "not known", WithPort([](Port& port) {
          port.software = false;
          port.pci = Denied();
        }),
        kUnknown, "not permitted"},
       {"inv.physical", "software", GoodHost(), kNotApplicable, "software device"},
       {"inv.netns-mode", "shared", GoodHost(), kPass, "shared"},
       {"inv.netns-mode", "exclusive", WithHost([](Facts& host) { host.rdma_netns_shared = false; }), kFail,
        "exclusive", "rdma system set netns shared"},
       {"inv.netns-mode", "not known", WithHost([](Facts& host) { host.rdma_netns_shared = Denied(); }),
        kUnknown, "not permitted"}});
}

void AddStacks(std::vector<CheckCase>& cases) {
  const auto as_it_is = [](Netdev&, UpperNetdev&) {};
  const Facts bond = Member("bond", as_it_is);
  const Facts bridge = Member("bridge", as_it_is);
  Facts hard_bridge = Member("bridge", [](Netdev&, UpperNetdev& master) {
    master.addresses = std::vector<IpAddress>{{.address = "10.8.0.1", .prefix_length = 24}};
  });
  std::vector<Port> ports = *hard_bridge.ports;
  ports.front().software = false;
  hard_bridge.ports = ports;
  Facts nameless = bond;
  ports = *nameless.ports;
  ports.front().uppers = Denied();
  nameless.ports = ports;
  cases.insert(
      cases.end(),
      {{"inv.bond", "active-backup", bond, kPass, "dcb0 is in bond0 (active-backup); judged here, at dcb0"},
       {"inv.bond", "round robin",
        Member("bond", [](Netdev&, UpperNetdev& master) { master.bond_mode = std::string("balance-rr"); }),
        kFail, "over several links", "type bond mode active-backup"},
       {"inv.bond", "ice", Member("bond", [](Netdev& netdev, UpperNetdev&) { netdev.driver = "ice"; }), kFail,
        "refuses DCB settings", "ip link set dev dcb0 nomaster"},
       {"inv.bond", "two ports in it", WithSecond(bond, [](Port&) {}), kFail, "together with rxe1/1",
        "ip link set dev dcb0 nomaster"},
       {"inv.bond", "whether the other port is in it is not known",
        WithSecond(bond, [](Port& port) { port.netdev = Denied(); }), kUnknown, "not permitted"},
       {"inv.bond", "mode not known",
        Member("bond", [](Netdev&, UpperNetdev& master) { master.bond_mode = Denied(); }), kUnknown,
        "not permitted"},
       {"inv.bond", "what the master is, is not known", nameless, kUnknown, "not permitted"},
       {"inv.bond", "in a bridge", bridge, kNotApplicable, "dcb0 is in br0, a bridge"},
       {"inv.bond", "in nothing", GoodHost(), kNotApplicable, "dcb0 is in no bond"},
       {"inv.bridge", "software below a bridge", bridge, kFail, "dcb0 is a port of the bridge br0",
        "ip link set dev dcb0 nomaster"},
       {"inv.bridge", "hardware below a bridge with an address", hard_bridge, kPass, "br0"},
       {"inv.bridge", "what the master is, is not known", nameless, kUnknown, "not permitted"},
       {"inv.bridge", "in a bond", bond, kNotApplicable, "dcb0 is in bond0, a bond"},
       {"inv.bridge", "in nothing", GoodHost(), kNotApplicable, "dcb0 is in no bridge"}});
}

void AddDriver(std::vector<CheckCase>& cases) {
  using Nodes = std::vector<std::string>;
  cases.insert(
      cases.end(),
      {{"drv.core-modules", "both", GoodHost(), kPass, "uverbs and rdma_cm"},
       {"drv.core-modules", "no rdma_cm", WithHost([](Facts& host) { host.rdma_nodes = Nodes{"uverbs0"}; }),
        kFail, "no rdma_cm", "modprobe -a ib_uverbs rdma_ucm"},
       {"drv.core-modules", "no uverbs", WithHost([](Facts& host) { host.rdma_nodes = Nodes{"rdma_cm"}; }),
        kFail, "no uverbs"},
       {"drv.core-modules", "neither", WithHost([](Facts& host) { host.rdma_nodes = Nodes{}; }), kFail,
        "no uverbs, no rdma_cm"},
       {"drv.core-modules", "not known", WithHost([](Facts& host) { host.rdma_nodes = Denied(); }), kUnknown,
        "not permitted"},
       {"drv.fw-uniform",
        "the same",
        Hardware(),
        kPass,
        "firmware 16.35.4030 on both",
        "",
        {},
        0,
        OtherHardware},
       {"drv.fw-uniform",
        "older",
        Hardware(),
        kFail,
        "16.35.4030 at a, 16.30.1004 at b",
        "devlink dev info",
        {},
        0,
        OlderFirmware},
       {"drv.fw-uniform",
        "not known",
        WithHardware([](Port& port, PciFunction&) { port.firmware = Denied(); }),
        kUnknown,
        "not permitted",
        "",
        {},
        0,
        OtherHardware},
       {"drv.fw-uniform", "other board", Hardware(), kNotApplicable, "different boards", "", {}, 0, OtherBoard},
       {"drv.fw-uniform", "software", GoodHost(), kNotApplicable, "no firmware", "", {}, 0, Same},
       {"iw.peer-protocol", "iWARP on one end",
        WithPort([](Port& port) { port.transport = Transport::kIwarp; }), kFail,
        "a speaks iWARP, b RoCE: nothing is tested", "rdma link show"},
       {"iw.peer-protocol",
        "iWARP on both",
        WithPort([](Port& port) { port.transport = Transport::kIwarp; }),
        kPass,
        "iWARP on both",
        "",
        {},
        0,
        [] { return WithPort([](Port& port) { port.transport = Transport::kIwarp; }); }},
       {"iw.peer-protocol", "one not known", WithPort([](Port& port) { port.transport = Denied(); }), kUnknown,
        "not permitted"},
       {"iw.peer-protocol", "one does not say",
        WithPort([](Port& port) { port.transport = Transport::kUnknown; }), kUnknown, "does not say"},
       {"iw.peer-protocol", "RoCE on both", GoodHost(), kNotApplicable, "neither port is iWARP"}});
}

}  // namespace

void AddEquipmentCases(std::vector<CheckCase>& cases) {
  AddInventory(cases);
  AddStacks(cases);
  AddDriver(cases);
}

}  // namespace rdmaready
