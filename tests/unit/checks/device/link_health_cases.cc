// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

// A link of hardware that counted this much before the watch, and grew by `by` in it.
Facts Link(std::uint64_t before, std::uint64_t by) {
  return Watched([=](Port& port, Netdev& netdev, EarlierReading&, NetdevReading& reading) {
    port.software = false;
    const auto fec = [](std::uint64_t blocks) { return Fec{.active = "RS", .uncorrectable_blocks = blocks}; };
    reading.carrier_changes = reading.fcs_errors = before;
    reading.fec = fec(before);
    netdev.carrier_changes = netdev.link.fcs_errors = before + by;
    netdev.link.fec = fec(before + by);
  });
}

constexpr std::uint64_t kDayS = 86'400;

Facts Up(Facts host, Fact<std::uint64_t> uptime_s) {
  host.uptime_s = uptime_s;
  return host;
}

Facts LinkHealthOnInfiniBand() {
  return WithPort([](Port& port) { port.transport = Transport::kInfiniBand; });
}

std::vector<CheckCase> LinkHealthLinkRows() {
  return {
      Passes("link.flaps", "none in the watch", Link(2, 0), "down 1 time in 24 hours since boot, none in 10 s"),
      Fails("link.flaps", "one in the watch", Link(2, 2), "down 1 time in 10 s"),
      Fails("link.flaps", "still down", Link(2, 3), "down 2 times in 10 s"),
      Fails("link.flaps", "often, not in the watch", Link(40, 0), "down 20 times in 24 hours since boot, none"),
      Passes("link.crc", "none in the watch", Link(2, 0),
             "2 damaged frames in 24 hours since boot, none in 10 s"),
      Fails("link.crc", "one in the watch", Link(0, 1), "1 damaged frame in 10 s", {.fix = "ethtool -S dcb0"}),
      Warns("link.crc", "many, not in the watch", Link(700, 0), "since boot, none in 10 s"),
      Passes("link.crc", "watch denied", EarlierDenied(Link(2, 1)), "3 damaged frames in 24 hours since boot"),
      Passes("link.fec", "none in the watch", Link(2, 0), "RS; 2 blocks it could not correct, none in 10 s"),
      Fails("link.fec", "some in the watch", Link(0, 3), "RS; 3 blocks it could not correct in 10 s",
            {.fix = "--show-fec dcb0"})};
}

std::vector<CheckCase> LinkHealthFlapsRows() {
  const auto changed = [](Fact<std::uint64_t> changes, std::uint64_t uptime_s) {
    return Up(WithHardware([&](Port& port, PciFunction&) {
                Netdev netdev = *port.netdev;
                netdev.carrier_changes = changes;
                port.netdev = netdev;
              }),
              uptime_s);
  };
  return {Passes("link.flaps", "the start", changed(3, 60), "down 1 time in 1 minute since boot"),
          Passes("link.flaps", "seldom", changed(40, 30 * kDayS), "down 20 times in 30 days since boot"),
          Fails("link.flaps", "often", changed(40, 7 * 3600), "down 20 times in 7 hours since boot",
                {.fix = "ip -s -s link show dev dcb0"}),
          IsUnknown("link.flaps", "denied", changed(Denied(), 60), "not permitted"),
          IsUnknown("link.flaps", "uptime denied", Up(changed(40, 60), Denied()), "not permitted"),
          DoesNotApply("link.flaps", "software device", GoodHost(), "no cable"),
          DoesNotApply("link.flaps", "InfiniBand", LinkHealthOnInfiniBand(), "InfiniBand")};
}

std::vector<CheckCase> LinkHealthCrcRows() {
  const auto errors = [](Fact<std::uint64_t> count) {
    return LinkWithLink([&](EthernetLink& link) { link.fcs_errors = count; });
  };
  return {
      Passes("link.crc", "none", errors(0), "0 damaged frames in 24 hours since boot"),
      Passes("link.crc", "a few", errors(10), "10 damaged frames"),
      Passes("link.crc", "many in a long time", Up(errors(700), 100 * kDayS), "in 100 days"),
      Warns("link.crc", "many", errors(700), "700 damaged frames", {.fix = "ethtool -S dcb0 --groups eth-mac"}),
      IsUnknown("link.crc", "denied", errors(Denied()), "not permitted"),
      IsUnknown("link.crc", "uptime denied", Up(errors(700), Denied()), "not permitted"),
      DoesNotApply("link.crc", "not counted", GoodHost(), "not offered")};
}

std::vector<CheckCase> LinkHealthFecRows() {
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
  return {
      Passes("link.fec", "good", GoodHost(), "RS; 0 blocks it could not correct"),
      Passes("link.fec", "off where it may be", fec(off), "off"),
      Warns("link.fec", "off at 200 Gb/s", fec(off, 200'000), "off at 200 Gb/s",
            {.fix = "ethtool --set-fec dcb0 encoding rs"}),
      Warns("link.fec", "off on lanes of 50 Gb/s", fec(off, 100'000, 2), "off at 100 Gb/s"),
      Passes("link.fec", "off on lanes of 25 Gb/s", fec(off, 100'000, 4), "off"),
      Warns("link.fec", "not enough", beyond(700), "RS; 700 blocks it could not correct in 24 hours since boot",
            {.fix = "ethtool --include-statistics --show-fec dcb0"}),
      Passes("link.fec", "blocks of the start", beyond(10), "10 blocks"),
      Passes("link.fec", "not counted", fec(Fec{.active = "BASER"}), "BASER"),
      IsUnknown("link.fec", "denied", fec(Denied()), "not permitted"),
      IsUnknown("link.fec", "uptime denied", Up(beyond(700), Denied()), "not permitted"),
      IsUnknown("link.fec", "no netdev", WithPort([](Port& port) { port.netdev = Denied(); }), "not permitted"),
      DoesNotApply("link.fec", "active one not told", fec(Fec{.automatic = true}), "does not tell"),
      DoesNotApply("link.fec", "InfiniBand", LinkHealthOnInfiniBand(), "InfiniBand")};
}

std::vector<CheckCase> LinkHealthLanesRows() {
  const auto lanes = [](std::uint32_t count, std::uint32_t speed_mbps, std::vector<std::string> peer = {}) {
    return WithNetdev([&](Netdev& netdev) {
      netdev.speed_mbps = speed_mbps;
      netdev.link.modes = LinkModes{
          .supported = {"Autoneg", "FIBRE", "25000baseCR/Full", "50000baseCR2/Full", "100000baseCR4/Full"},
          .peer = std::move(peer),
          .lanes = count};
    });
  };
  const Facts denied = LinkWithLink([](EthernetLink& link) { link.modes = Denied(); });
  return {Passes("link.lanes", "all", lanes(4, 100'000), "4 lanes at 100 Gb/s"),
          Fails("link.lanes", "one of four", lanes(1, 25'000), "1 lane at 25 Gb/s", {.fix = "ethtool dcb0"}),
          Passes("link.lanes", "the peer has no more", lanes(1, 25'000, {"25000baseCR/Full"}), "1 lane"),
          IsUnknown("link.lanes", "denied", denied, "not permitted"),
          DoesNotApply("link.lanes", "not told", lanes(0, 25'000), "does not tell"),
          DoesNotApply("link.lanes", "InfiniBand", LinkHealthOnInfiniBand(), "InfiniBand")};
}

std::vector<CheckCase> LinkHealthRateRows() {
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
  return {Passes("link.rate-match", "good", GoodHost(), "25 Gb/s"),
          Fails("link.rate-match", "the stack's own guess", rate(1'000), "1 Gb/s", {.fix = "ethtool -i dcb0"}),
          Passes("link.rate-match", "a bond's device has the rate of one port", bond(25'000), "25 Gb/s"),
          Fails("link.rate-match", "of a bond, and slower than each", bond(10'000), "10 Gb/s"),
          IsUnknown("link.rate-match", "denied", rate(Denied()), "not permitted"),
          DoesNotApply("link.rate-match", "no speed", WithNetdev([](Netdev& netdev) {
                         netdev.speed_mbps =
                             Missing{.kind = Missing::Kind::kUnsupported, .detail = "unknown speed"};
                       }),
                       "no speed"),
          DoesNotApply("link.rate-match", "InfiniBand", LinkHealthOnInfiniBand(), "InfiniBand")};
}

std::vector<CheckCase> LinkHealthEeeRows() {
  const auto eee = [](Fact<Eee> answer) {
    return LinkWithLink([&](EthernetLink& link) { link.eee = answer; });
  };
  return {Passes("link.eee", "off", eee(Eee{}), "off"),
          Fails("link.eee", "on", eee(Eee{.enabled = true, .active = true}), "on, and in use",
                {.fix = "ethtool --set-eee dcb0 eee off"}),
          Fails("link.eee", "on at this end", eee(Eee{.enabled = true}), "on, not in use"),
          IsUnknown("link.eee", "denied", eee(Denied()), "not permitted"),
          DoesNotApply("link.eee", "none", GoodHost(), "not offered")};
}

std::vector<CheckCase> LinkHealthModuleRows() {
  const auto heat = [](std::int32_t now_mc) {
    return LinkWithLink([&](EthernetLink& link) {
      link.temperatures = std::vector<Temperature>{
          {.label = "asic", .now_mc = 50'000},
          {.label = "module", .now_mc = now_mc, .warn_mc = 70'000, .critical_mc = 75'000}};
    });
  };
  const auto reason = [](std::uint8_t state) {
    return LinkWithLink([state](EthernetLink& link) { link.down_reason = DownReason{.state = state}; });
  };
  const Facts denied = LinkWithLink([](EthernetLink& link) { link.temperatures = Denied(); });
  return {Passes("link.module", "cool", heat(45'000), "asic at 50 C"),
          Fails("link.module", "warm", heat(70'000), "module at 70 C, its limit is 70 C", {.fix = "sensors"}),
          Fails("link.module", "hot", heat(80'000), "module at 80 C, its limit is 75 C"),
          Fails("link.module", "no cable", reason(4), "no cable", {.fix = "ethtool -m dcb0"}),
          IsUnknown("link.module", "denied", denied, "not permitted"),
          DoesNotApply("link.module", "nothing told", GoodHost(), "not offered")};
}

}  // namespace

std::vector<CheckCase> LinkHealthCases() {
  return Joined({LinkHealthLinkRows(), LinkHealthFlapsRows(), LinkHealthCrcRows(), LinkHealthFecRows(),
                 LinkHealthLanesRows(), LinkHealthRateRows(), LinkHealthEeeRows(), LinkHealthModuleRows()});
}

}  // namespace rdmaready
