// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
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

template <class Change>
Facts WithPath(Change change) {
  return WithHardware([&change](Port&, PciFunction& pci) {
    std::vector<PciHop> path = *pci.path;
    change(path);
    pci.path = path;
  });
}

Facts VirtualFunction() {
  return WithHardware([](Port&, PciFunction& pci) { pci.virtual_function = true; });
}

Facts NoPath() {
  return WithHardware([](Port&, PciFunction& pci) { pci.path = Denied(); });
}

void AddLink(std::vector<CheckCase>& cases) {
  const auto slow = [](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.speed_mbps = 10'000;
    port.netdev = netdev;
  };
  // Of two InfiniBand ports, one at 200 Gb/s.
  const auto two_rates = [](Fact<std::uint32_t> rate_mbps) {
    Facts host = OnInfiniband();
    std::vector<Port> ports = *host.ports;
    ports.push_back(ports.front());
    ports.back().device = "mlx5_1";
    ports.front().rate_mbps = rate_mbps;
    host.ports = ports;
    return host;
  };
  cases.insert(
      cases.end(),
      {{"link.phys-state", "up", GoodHost(), kPass, "link up"},
       {"link.phys-state", "polling", WithPort([](Port& port) { port.phys_state = std::uint8_t{2}; }), kFail,
        "polling", "ip -s link show dev dcb0"},
       {"link.phys-state", "of a newer kernel", WithPort([](Port& port) { port.phys_state = std::uint8_t{9}; }),
        kFail, "in state 9"},
       {"link.phys-state", "denied", WithPort([](Port& port) { port.phys_state = Denied(); }), kUnknown,
        "not permitted"},
       {"link.duplex", "full", GoodHost(), kPass, "full duplex"},
       {"link.duplex", "half", WithNetdev([](Netdev& netdev) { netdev.duplex = Duplex::kHalf; }), kFail,
        "half duplex", "ethtool -s dcb0 duplex full"},
       {"link.duplex", "half, and it negotiates", WithNetdev([](Netdev& netdev) {
          netdev.duplex = Duplex::kHalf;
          netdev.link.modes = LinkModes{.autoneg = true};
        }),
        kFail, "half duplex", "ethtool -s dcb0 autoneg on"},
       {"link.duplex", "driver does not say",
        WithNetdev([](Netdev& netdev) { netdev.duplex = Duplex::kUnknown; }), kUnknown, "does not say"},
       {"link.duplex", "denied", WithNetdev([](Netdev& netdev) { netdev.duplex = Denied(); }), kUnknown,
        "not permitted"},
       {"link.duplex", "software without one", WithNetdev([](Netdev& netdev) { netdev.duplex = kUnsupported; }),
        kNotApplicable, "no duplex"},
       {"link.speed-consistent", "two alike", WithSecond(GoodHost(), [](Port&) {}), kPass, "25 Gb/s"},
       {"link.speed-consistent",
        "the slower one",
        WithSecond(GoodHost(), slow),
        kFail,
        "10 Gb/s, another port has 25 Gb/s",
        "ethtool -s dcb1 speed 25000",
        {},
        1},
       {"link.speed-consistent", "the faster one", WithSecond(GoodHost(), slow), kPass, "25 Gb/s"},
       {"link.speed-consistent",
        "not known",
        WithSecond(GoodHost(),
                   [](Port& port) {
                     Netdev netdev = *port.netdev;
                     netdev.speed_mbps = Denied();
                     port.netdev = netdev;
                   }),
        kUnknown,
        "not permitted",
        "",
        {},
        1},
       {"link.speed-consistent", "InfiniBand ports alike", two_rates(200'000), kPass, "200 Gb/s"},
       {"link.speed-consistent", "the slower InfiniBand port", two_rates(100'000), kFail,
        "100 Gb/s, another port has 200 Gb/s", "iblinkinfo -l"},
       {"link.speed-consistent", "InfiniBand, rate denied", two_rates(Denied()), kUnknown, "not permitted"},
       {"link.speed-consistent", "one port", GoodHost(), kNotApplicable, "nothing to compare"}});
}

void AddPcie(std::vector<CheckCase>& cases) {
  const Facts half =
      WithPath([](std::vector<PciHop>& path) { path[0].current.width = path[1].current.width = 4; });
  const Facts small_slot = WithPath([](std::vector<PciHop>& path) {
    path[0].current.width = 4;
    path[1].current.width = path[1].max.width = 4;
  });
  const Facts old = WithPath([](std::vector<PciHop>& path) { path[0].current.speed_mtps = 8'000; });
  const Facts blank = WithPath([](std::vector<PciHop>& path) { path[0].current = {}; });
  const Facts narrow = WithPath([](std::vector<PciHop>& path) {
    for (PciHop& hop : path) hop.current = {.speed_mtps = 2'500, .width = 4};
  });
  const auto two_nodes = [](Facts host, Fact<std::int32_t> node) {
    host.numa_nodes = 2;
    std::vector<Port> ports = *host.ports;
    PciFunction pci = *ports.front().pci;
    pci.numa_node = node;
    ports.front().pci = pci;
    host.ports = ports;
    return host;
  };
  Facts nodes_denied = Hardware();
  nodes_denied.numa_nodes = Denied();
  const auto aer = [](Fact<std::uint64_t> fatal) {
    return WithHardware([&fatal](Port&, PciFunction& pci) { pci.aer_fatal = fatal; });
  };
  const auto corrected = [](Fact<std::uint64_t> count) {
    return WithHardware([&count](Port&, PciFunction& pci) { pci.aer_correctable = count; });
  };
  // Eight lanes for 200 Gb/s.
  const Facts hdr = [] {
    Facts host = Hardware();
    std::vector<Port> ports = *OnInfiniband().ports;
    ports.front().pci = host.ports->front().pci;
    host.ports = ports;
    return host;
  }();
  cases.insert(cases.end(),
               {{"pcie.width", "good", Hardware(), kPass, "0000:3b:00.0 runs at x8"},
                {"pcie.width", "half", half, kFail, "0000:3b:00.0 runs at x4 of x8", "lspci -vv"},
                {"pcie.width", "small slot", small_slot, kWarn, "its slot has no more; the card has x8"},
                {"pcie.width", "zero", blank, kUnknown, "does not say"},
                {"pcie.width", "denied", NoPath(), kUnknown, "not permitted"},
                {"pcie.width", "virtual function", VirtualFunction(), kNotApplicable, "no link of its own"},
                {"pcie.width", "software", GoodHost(), kNotApplicable, "no PCIe"},
                {"pcie.speed", "good", Hardware(), kPass, "16 GT/s"},
                {"pcie.speed", "older generation", old, kFail, "8 GT/s of 16 GT/s", "lspci -vv"},
                {"pcie.speed", "denied", NoPath(), kUnknown, "not permitted"},
                {"pcie.speed", "software", GoodHost(), kNotApplicable, "no PCIe"},
                {"pcie.bandwidth", "good", Hardware(), kPass, "126 Gb/s through PCIe"},
                {"pcie.bandwidth", "8 Gb/s for 25", narrow, kFail, "8 Gb/s through PCIe", "lspci -vv"},
                {"pcie.bandwidth", "zero", blank, kUnknown, "does not say"},
                {"pcie.bandwidth", "denied", NoPath(), kUnknown, "not permitted"},
                {"pcie.bandwidth", "software", GoodHost(), kNotApplicable, "no PCIe"},
                {"pcie.numa", "one node", Hardware(), kPass, "one NUMA node"},
                {"pcie.numa", "second of two", two_nodes(Hardware(), 1), kPass, "node 1 of 2"},
                {"pcie.numa", "none named", two_nodes(Hardware(), -1), kFail, "none named, of 2 nodes",
                 "/sys/class/infiniband/rxe0/device/numa_node"},
                {"pcie.numa", "node denied", two_nodes(Hardware(), Denied()), kUnknown, "not permitted"},
                {"pcie.numa", "nodes denied", nodes_denied, kUnknown, "not permitted"},
                {"pcie.numa", "one node, but of what is not known", WithPort([](Port& port) {
                   port.software = Denied();
                   port.pci = Denied();
                 }),
                 kUnknown, "not permitted"},
                {"pcie.numa", "software", GoodHost(), kNotApplicable, "no PCIe"},
                {"pcie.bandwidth", "InfiniBand", OnInfiniband(), kPass, "252 Gb/s through PCIe"},
                {"pcie.bandwidth", "less than InfiniBand brings", hdr, kFail, "126 Gb/s through PCIe"},
                {"pcie.bandwidth", "InfiniBand, rate denied",
                 OnInfiniband([](Port& port) { port.rate_mbps = Denied(); }), kUnknown, "not permitted"},
                {"pcie.aer", "clean", Hardware(), kPass, "none uncorrected, 0 corrected"},
                {"pcie.aer", "ten corrected an hour", corrected(240), kPass, "240 corrected since boot"},
                {"pcie.aer", "more of them", corrected(241), kWarn, "241 corrected since boot", "dmesg"},
                {"pcie.aer", "corrected ones not reported", corrected(kUnsupported), kPass, "no uncorrected"},
                {"pcie.aer", "corrected ones denied", corrected(Denied()), kUnknown, "not permitted"},
                {"pcie.aer", "fatal", aer(std::uint64_t{2}), kFail, "2 fatal and 0 non-fatal", "dmesg"},
                {"pcie.aer", "denied", aer(Denied()), kUnknown, "not permitted"},
                {"pcie.aer", "not reported", WithHardware([](Port&, PciFunction& pci) {
                   pci.aer_fatal = kUnsupported;
                   pci.aer_nonfatal = kUnsupported;
                 }),
                 kNotApplicable, "reports no bus errors"},
                {"pcie.aer", "software", GoodHost(), kNotApplicable, "no PCIe"}});
}

void AddCounted(std::vector<CheckCase>& cases) {
  const auto counted = [](std::vector<Counter> counters) {
    return WithHardware([&counters](Port& port, PciFunction&) {
      port.transport = Transport::kInfiniBand;
      port.port_counters = counters;
    });
  };
  const Facts good = counted({{"symbol_error", 3}, {"link_error_recovery", 0}, {"link_downed", 1}});
  const Facts denied = WithHardware([](Port& port, PciFunction&) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = Denied();
  });
  cases.insert(cases.end(),
               {{"cnt.saturated", "good", good, kPass, "3 counters, all below"},
                {"cnt.saturated", "link_downed at 255", counted({{"symbol_error", 3}, {"link_downed", 255}}),
                 kFail, "at its maximum: link_downed 255", "perfquery -C rxe0 -P 1 -R"},
                {"cnt.saturated", "denied", denied, kUnknown, "not permitted"},
                {"cnt.saturated", "none", GoodHost(), kNotApplicable, "no IBTA port counters"},
                {"ib.symbol-errors", "few", good, kPass, "symbol_error 3"},
                {"ib.symbol-errors", "many", counted({{"symbol_error", 11}}), kFail, "symbol_error 11",
                 "perfquery -C rxe0 -P 1 -R"},
                {"ib.symbol-errors", "not counted", counted({}), kUnknown, "no counter symbol_error"},
                {"ib.symbol-errors", "denied", denied, kUnknown, "not permitted"},
                {"ib.symbol-errors", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"},
                {"ib.link-recovery", "seldom", good, kPass, "link_error_recovery 0, link_downed 1"},
                {"ib.link-recovery", "often", counted({{"link_error_recovery", 0}, {"link_downed", 11}}), kFail,
                 "link_downed 11"},
                {"ib.link-recovery", "denied", denied, kUnknown, "not permitted"},
                {"ib.link-recovery", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"}});
}

}  // namespace

void AddBusCases(std::vector<CheckCase>& cases) {
  AddLink(cases);
  AddPcie(cases);
  AddCounted(cases);
}

}  // namespace rdmaready
