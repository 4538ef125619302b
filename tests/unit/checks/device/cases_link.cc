// SPDX-License-Identifier: Apache-2.0
// link.flaps, link.crc, link.fec, link.lanes, link.rate-match, link.eee, link.module, host.irq-affinity,
// host.irqbalance, host.governor, host.nofile.
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

constexpr std::uint64_t kDayS = 86'400;

template <class Change>
Facts WithLink(Change change) {
  return WithNetdev([&change](Netdev& netdev) { change(netdev.link); });
}

Facts Up(Facts host, Fact<std::uint64_t> uptime_s) {
  host.uptime_s = uptime_s;
  return host;
}

Facts OnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

void AddFlaps(std::vector<CheckCase>& cases) {
  const auto changed = [](Fact<std::uint64_t> changes, std::uint64_t uptime_s) {
    return Up(WithHardware([&](Port& port, PciFunction&) {
                Netdev netdev = *port.netdev;
                netdev.carrier_changes = changes;
                port.netdev = netdev;
              }),
              uptime_s);
  };
  cases.insert(cases.end(),
               {{"link.flaps", "the start", changed(3, 60), kPass, "down 1 time in 1 minute since boot"},
                {"link.flaps", "seldom", changed(40, 30 * kDayS), kPass, "down 20 times in 30 days since boot"},
                {"link.flaps", "often", changed(40, 7 * 3600), kFail, "down 20 times in 7 hours since boot",
                 "ip -s -s link show dev dcb0"},
                {"link.flaps", "denied", changed(Denied(), 60), kUnknown, "not permitted"},
                {"link.flaps", "uptime denied", Up(changed(40, 60), Denied()), kUnknown, "not permitted"},
                {"link.flaps", "software device", GoodHost(), kNotApplicable, "no cable"},
                {"link.flaps", "InfiniBand", OnInfiniBand(), kNotApplicable, "InfiniBand"}});
}

void AddCrc(std::vector<CheckCase>& cases) {
  const auto errors = [](Fact<std::uint64_t> count) {
    return WithLink([&](EthernetLink& link) { link.fcs_errors = count; });
  };
  cases.insert(
      cases.end(),
      {{"link.crc", "none", errors(0), kPass, "0 damaged frames in 24 hours since boot"},
       {"link.crc", "a few", errors(10), kPass, "10 damaged frames"},
       {"link.crc", "many in a long time", Up(errors(700), 100 * kDayS), kPass, "in 100 days"},
       {"link.crc", "many", errors(700), kWarn, "700 damaged frames", "ethtool -S dcb0 --groups eth-mac"},
       {"link.crc", "denied", errors(Denied()), kUnknown, "not permitted"},
       {"link.crc", "uptime denied", Up(errors(700), Denied()), kUnknown, "not permitted"},
       {"link.crc", "not counted", GoodHost(), kNotApplicable, "not offered"}});
}

void AddFec(std::vector<CheckCase>& cases) {
  const auto fec = [](Fact<Fec> answer, std::uint32_t speed_mbps = 25'000, std::uint32_t lanes = 0) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.fec = answer;
      netdev.link.modes = LinkModes{.lanes = lanes};
    });
  };
  const Fec off{.configured = {"None"}, .active = "None"};
  const auto beyond = [&](std::uint64_t blocks) {
    return fec(
        Fec{.configured = {"RS"}, .active = "RS", .corrected_blocks = 9, .uncorrectable_blocks = blocks});
  };
  cases.insert(
      cases.end(),
      {{"link.fec", "good", GoodHost(), kPass, "RS; 0 blocks it could not correct"},
       {"link.fec", "off where it may be", fec(off), kPass, "off"},
       {"link.fec", "off at 200 Gb/s", fec(off, 200'000), kWarn, "off at 200 Gb/s",
        "ethtool --set-fec dcb0 encoding rs"},
       {"link.fec", "off on lanes of 50 Gb/s", fec(off, 100'000, 2), kWarn, "off at 100 Gb/s"},
       {"link.fec", "off on lanes of 25 Gb/s", fec(off, 100'000, 4), kPass, "off"},
       {"link.fec", "not enough", beyond(700), kWarn,
        "RS; 700 blocks it could not correct in 24 hours since boot",
        "ethtool --include-statistics --show-fec dcb0"},
       {"link.fec", "blocks of the start", beyond(10), kPass, "10 blocks"},
       {"link.fec", "not counted", fec(Fec{.active = "BASER"}), kPass, "BASER"},
       {"link.fec", "denied", fec(Denied()), kUnknown, "not permitted"},
       {"link.fec", "uptime denied", Up(beyond(700), Denied()), kUnknown, "not permitted"},
       {"link.fec", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), kUnknown,
        "not permitted"},
       {"link.fec", "active one not told", fec(Fec{.automatic = true}), kNotApplicable, "does not tell"},
       {"link.fec", "InfiniBand", OnInfiniBand(), kNotApplicable, "InfiniBand"}});
}

void AddLanes(std::vector<CheckCase>& cases) {
  const auto lanes = [](std::uint32_t count, std::uint32_t speed_mbps, std::vector<std::string> peer = {}) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes = LinkModes{
          .supported = {"Autoneg", "FIBRE", "25000baseCR/Full", "50000baseCR2/Full", "100000baseCR4/Full"},
          .peer = std::move(peer),
          .lanes = count};
    });
  };
  const Facts denied = WithLink([](EthernetLink& link) { link.modes = Denied(); });
  cases.insert(cases.end(),
               {{"link.lanes", "all", lanes(4, 100'000), kPass, "4 lanes at 100 Gb/s"},
                {"link.lanes", "one of four", lanes(1, 25'000), kFail, "1 lane at 25 Gb/s", "ethtool dcb0"},
                {"link.lanes", "the peer has no more", lanes(1, 25'000, {"25000baseCR/Full"}), kPass, "1 lane"},
                {"link.lanes", "denied", denied, kUnknown, "not permitted"},
                {"link.lanes", "not told", lanes(0, 25'000), kNotApplicable, "does not tell"},
                {"link.lanes", "InfiniBand", OnInfiniBand(), kNotApplicable, "InfiniBand"}});
}

void AddRate(std::vector<CheckCase>& cases) {
  const auto rate = [](Fact<std::uint32_t> mbps) {
    return WithPort([&mbps](Port& port) { port.rate_mbps = mbps; });
  };
  const auto bond = [](std::uint32_t mbps) {
    return WithPort([mbps](Port& port) {
      port.lowers = std::vector<Netdev>{*port.netdev, *port.netdev};
      Netdev above = *port.netdev;
      above.speed_mbps = 2 * *above.speed_mbps;
      port.netdev = above;
      port.rate_mbps = mbps;
    });
  };
  cases.insert(cases.end(),
               {{"link.rate-match", "good", GoodHost(), kPass, "25 Gb/s"},
                {"link.rate-match", "the stack's own guess", rate(1'000), kFail, "1 Gb/s", "ethtool -i dcb0"},
                {"link.rate-match", "a bond's device has the rate of one port", bond(25'000), kPass, "25 Gb/s"},
                {"link.rate-match", "of a bond, and slower than each", bond(10'000), kFail, "10 Gb/s"},
                {"link.rate-match", "denied", rate(Denied()), kUnknown, "not permitted"},
                {"link.rate-match", "no speed", WithNetdev([](Netdev& netdev) {
                   netdev.speed_mbps = Missing{.kind = Missing::Kind::kUnsupported, .detail = "unknown speed"};
                 }),
                 kNotApplicable, "no speed"},
                {"link.rate-match", "InfiniBand", OnInfiniBand(), kNotApplicable, "InfiniBand"}});
}

void AddEee(std::vector<CheckCase>& cases) {
  const auto eee = [](Fact<Eee> answer) { return WithLink([&](EthernetLink& link) { link.eee = answer; }); };
  cases.insert(cases.end(), {{"link.eee", "off", eee(Eee{}), kPass, "off"},
                             {"link.eee", "on", eee(Eee{.enabled = true, .active = true}), kFail,
                              "on, and in use", "ethtool --set-eee dcb0 eee off"},
                             {"link.eee", "on at this end", eee(Eee{.enabled = true}), kFail, "on, not in use"},
                             {"link.eee", "denied", eee(Denied()), kUnknown, "not permitted"},
                             {"link.eee", "none", GoodHost(), kNotApplicable, "not offered"}});
}

void AddModule(std::vector<CheckCase>& cases) {
  const auto heat = [](std::int32_t now_mc) {
    return WithLink([&](EthernetLink& link) {
      link.temperatures = std::vector<Temperature>{
          {.label = "asic", .now_mc = 50'000},
          {.label = "module", .now_mc = now_mc, .warn_mc = 70'000, .critical_mc = 75'000}};
    });
  };
  const auto reason = [](std::uint8_t state) {
    return WithLink([state](EthernetLink& link) { link.down_reason = DownReason{.state = state}; });
  };
  const Facts denied = WithLink([](EthernetLink& link) { link.temperatures = Denied(); });
  cases.insert(cases.end(),
               {{"link.module", "cool", heat(45'000), kPass, "asic at 50 C"},
                {"link.module", "warm", heat(70'000), kFail, "module at 70 C, its limit is 70 C", "sensors"},
                {"link.module", "hot", heat(80'000), kFail, "module at 80 C, its limit is 75 C"},
                {"link.module", "no cable", reason(4), kFail, "no cable", "ethtool -m dcb0"},
                {"link.module", "denied", denied, kUnknown, "not permitted"},
                {"link.module", "nothing told", GoodHost(), kNotApplicable, "not offered"},
                {"link.state", "down for a reason", WithNetdev([](Netdev& netdev) {
                   netdev.carrier = false;
                   netdev.link.down_reason = DownReason{.state = 4};
                 }),
                 kFail, "dcb0 has no carrier: no cable"}});
}

void AddHost(std::vector<CheckCase>& cases) {
  const auto irqs = [](std::uint32_t nodes, Fact<Interrupts> interrupts) {
    Facts host = WithHardware([&](Port&, PciFunction& pci) { pci.interrupts = interrupts; });
    host.numa_nodes = nodes;
    return host;
  };
  const Missing legacy{.kind = Missing::Kind::kUnsupported, .detail = "no message-signalled interrupts"};
  const auto balanced = [&irqs](Fact<Interrupts> interrupts) {
    Facts host = irqs(2, interrupts);
    host.irqbalance = true;
    return host;
  };
  Facts unlisted = irqs(2, Interrupts{64, 64, 32});
  unlisted.irqbalance = Denied();
  const auto clocked = [](Fact<std::vector<std::string>> governors) {
    Facts host = Hardware();
    host.cpu_governors = governors;
    return host;
  };
  const auto files = [](Fact<OpenFiles> limit) {
    Facts host = GoodHost();
    host.open_files = limit;
    return host;
  };
  cases.insert(
      cases.end(),
      {{"host.irq-affinity", "all near", irqs(2, Interrupts{64, 64, 32}), kPass,
        "64 interrupts at 32 CPUs, 64 of"},
       {"host.irq-affinity", "even over two nodes", irqs(2, Interrupts{64, 32, 64}), kPass, "32 of them"},
       {"host.irq-affinity", "all far", irqs(2, Interrupts{64, 0, 32}), kFail, "0 of them",
        "for irq in $(ls /sys/bus/pci/devices/0000:3b:00.0/msi_irqs)"},
       {"host.irq-affinity", "all at one CPU", irqs(1, Interrupts{64, 64, 1}), kFail, "at 1 CPU,"},
       {"host.irq-affinity", "denied", irqs(2, Denied()), kUnknown, "not permitted"},
       {"host.irq-affinity", "none to judge", irqs(2, legacy), kNotApplicable, "no message-signalled"},
       {"host.irq-affinity", "software device", GoodHost(), kNotApplicable, "software device"},
       {"host.irqbalance", "off", irqs(2, Interrupts{64, 64, 32}), kPass, "does not run"},
       {"host.irqbalance", "on, all near", balanced(Interrupts{64, 64, 32}), kFail,
        "may move the interrupts of rxe0/1", "systemctl disable --now irqbalance"},
       {"host.irqbalance", "on, and spread anyway", balanced(Interrupts{64, 32, 64}), kPass, "no NIC's"},
       {"host.irqbalance", "none to move", balanced(legacy), kPass, "no NIC's"},
       {"host.irqbalance", "interrupts denied", balanced(Denied()), kUnknown, "not permitted"},
       {"host.irqbalance", "denied", unlisted, kUnknown, "not permitted"},
       {"host.irqbalance", "one node", irqs(1, Interrupts{64, 64, 32}), kNotApplicable, "one NUMA node"},
       {"host.irqbalance", "software device", GoodHost(), kNotApplicable, "software devices only"},
       {"host.governor", "good", Hardware(), kPass, "performance"},
       {"host.governor", "one of them another", clocked(std::vector<std::string>{"performance", "schedutil"}),
        kFail, "performance, schedutil", "echo performance > $policy/scaling_governor"},
       {"host.governor", "denied", clocked(Denied()), kUnknown, "not permitted"},
       {"host.governor", "none", clocked(legacy), kNotApplicable, "no message-signalled"},
       {"host.governor", "software device", GoodHost(), kNotApplicable, "software devices only"},
       {"host.nofile", "good", GoodHost(), kPass, "at most 524288, now 1024"},
       {"host.nofile", "unlimited", files(OpenFiles{1024, OpenFiles::kUnlimited}), kPass, "unlimited"},
       {"host.nofile", "few", files(OpenFiles{1024, 1024}), kFail, "at most 1024",
        "prlimit --pid 4711 --nofile=65536:65536"},
       {"host.nofile", "denied", files(Denied()), kUnknown, "not permitted"}});
}

}  // namespace

void AddLinkCases(std::vector<CheckCase>& cases) {
  AddFlaps(cases);
  AddCrc(cases);
  AddFec(cases);
  AddLanes(cases);
  AddRate(cases);
  AddEee(cases);
  AddModule(cases);
  AddHost(cases);
}

}  // namespace rdmaready
