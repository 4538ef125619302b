// SPDX-License-Identifier: Apache-2.0
// link.*: what a link that is up makes of what it has, and what its counters say of its cable. A growth during
// a watch is a fault. Else a count is compared with the time since boot, and small ones, as the start of a link
// makes them, pass.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/base/text.h"
#include "checks/counted/counters.h"
#include "checks/counted/window.h"
#include "checks/device/link_modes.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCarrierSource = "rtnetlink carrier changes, /proc/uptime";
constexpr std::string_view kCountSource = "ethtool standard counters, /proc/uptime";
constexpr std::string_view kFecSource = "ethtool FEC";

constexpr std::uint64_t kHourS = 3600;
constexpr std::uint64_t kDayS = 24 * kHourS;
constexpr std::uint32_t kPam4LaneMbps = 50'000;   // from there on a lane does not work without FEC
constexpr std::uint32_t kPam4LinkMbps = 200'000;  // from there on no link has slower lanes

// More than `pass`, and more than once every `every_s` on average since boot.
bool TooOften(std::uint64_t count, std::uint64_t pass, std::uint64_t uptime_s, std::uint64_t every_s) {
  return count > pass && count > uptime_s / every_s;
}

std::string SinceBoot(std::uint64_t uptime_s) {
  if (uptime_s >= 2 * kDayS) return Cat(" in ", CountText(uptime_s / kDayS, "day"), " since boot");
  if (uptime_s >= 2 * kHourS) return Cat(" in ", CountText(uptime_s / kHourS, "hour"), " since boot");
  return Cat(" in ", CountText(uptime_s / 60, "minute"), " since boot");
}

// How much it grew during the watch; nothing when nobody watched it.
std::optional<std::uint64_t> GrownBy(const EthernetView& view, const Fact<std::uint64_t>& now,
                                     Fact<std::uint64_t> NetdevReading::*part) {
  const Fact<NetdevReading> earlier = EarlierOf(view);
  if (!now || !earlier || !((*earlier).*part)) return std::nullopt;
  return GrowthOf(Difference({"", *((*earlier).*part)}, {"", *now}, std::nullopt));
}

// ", none of them in 35 s" of what did not grow; empty when nobody watched it.
std::string QuietText(const EthernetView& view, std::optional<std::uint64_t> grown) {
  return grown ? Cat(", none", InWindow(view.port)) : "";
}

std::string NotCountedByEthtool(const EthernetView& view) {
  if (HasOwnProtocol(view.port)) return "neither InfiniBand, RoCE nor iWARP: it has no interface";
  return IsInfiniBand(view.port) ? "InfiniBand: see ib.symbol-errors" : "";
}

// A count since boot is a hint only: when it grew nobody knows.
Verdict Often(bool too_often, std::string observed, std::string_view expected, std::string_view source,
              Fix fix = {}) {
  if (too_often) return Warned(std::move(observed), std::string(expected), source, std::move(fix));
  return Judged(true, std::move(observed), std::string(expected), source);
}

// By experience: maintenance and drivers take a link down now and then; once a day and more is a fault.
Verdict JudgeLinkFlaps(const EthernetView& view) {
  if (std::string reason = NotCountedByEthtool(view); !reason.empty()) return NotApplicable(reason);
  if (IsSoftware(view.port)) return NotApplicable("software device: its carrier is no cable's");
  if (DriverLacks(view.netdev, NetdevFact(view.netdev, &Netdev::carrier_changes)))
    return NotApplicable("the kernel does not count them");
  constexpr std::string_view kExpected = "down less than once a day";
  constexpr std::uint64_t kStart = 5;
  if (!view.port.software) return NoAnswer(view.port.software.missing(), kExpected, kCarrierSource);
  const FactRef<std::uint64_t> changes = NetdevFact(view.netdev, &Netdev::carrier_changes);
  if (!changes) return NoAnswer(changes.missing(), kExpected, kCarrierSource);
  // Every second change is one to down; what is down at the end of the watch went down in it.
  const std::optional<std::uint64_t> grown = GrownBy(view, changes, &NetdevReading::carrier_changes);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat("down ", CountText((*grown + 1) / 2, "time"), InWindow(view.port)), kExpected,
                  kCarrierSource);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), kExpected, kCarrierSource);
  const std::uint64_t downs = *changes / 2;
  return Judged(!TooOften(downs, kStart, *uptime, kDayS),
                Cat("down ", CountText(downs, "time"), SinceBoot(*uptime), QuietText(view, grown)), kExpected,
                kCarrierSource);
}

// By experience; no standard has a number.
Verdict JudgeLinkCrc(const EthernetView& view) {
  if (std::string reason = NotCountedByEthtool(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<std::uint64_t> errors = LinkFact(view.netdev, &EthernetLink::fcs_errors);
  if (NotOffered(errors)) return NotApplicable(errors.missing().detail);
  constexpr std::string_view kExpected = "at most one damaged frame an hour";
  constexpr std::uint64_t kStart = 10;
  if (!errors) return NoAnswer(errors.missing(), kExpected, kCountSource);
  const std::optional<std::uint64_t> grown = GrownBy(view, errors, &NetdevReading::fcs_errors);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat(CountText(*grown, "damaged frame"), InWindow(view.port)), kExpected, kCountSource);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), kExpected, kCountSource);
  const std::string observed =
      Cat(CountText(*errors, "damaged frame"), SinceBoot(*uptime), QuietText(view, grown));
  return Often(TooOften(*errors, kStart, *uptime, kHourS), observed, kExpected, kCountSource);
}

bool NeedsFec(const Netdev& netdev) {
  if (!netdev.speed_mbps) return false;
  const std::uint32_t lanes = netdev.link.modes ? netdev.link.modes->lanes : 0;
  return lanes > 0 ? *netdev.speed_mbps / lanes >= kPam4LaneMbps : *netdev.speed_mbps >= kPam4LinkMbps;
}

std::optional<std::uint64_t> BlocksGrownBy(const EthernetView& view, std::uint64_t now) {
  const Fact<NetdevReading> earlier = EarlierOf(view);
  if (!earlier || !earlier->fec || !earlier->fec->uncorrectable_blocks) return std::nullopt;
  return GrowthOf(Difference({"", *earlier->fec->uncorrectable_blocks}, {"", now}, std::nullopt));
}

std::string BlocksText(std::uint64_t count) { return Cat(CountText(count, "block"), " it could not correct"); }

// The number of blocks is by experience; no standard has one.
Verdict JudgeLinkFec(const EthernetView& view) {
  if (std::string reason = NotCountedByEthtool(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<Fec> fec = LinkFact(view.netdev, &EthernetLink::fec);
  if (NotOffered(fec)) return NotApplicable(fec.missing().detail);
  if (fec && fec->active.empty()) return NotApplicable("the driver does not tell which FEC is active");
  constexpr std::string_view kExpected = "on where the link needs it, and enough";
  constexpr std::uint64_t kStart = 10;
  if (!fec) return NoAnswer(fec.missing(), kExpected, kFecSource);
  if (fec->active == "None" && NeedsFec(*view.netdev)) {
    return Warned(Cat("off at ", SpeedText(*view.netdev->speed_mbps)), kExpected, kFecSource);
  }
  const std::string active = fec->active == "None" ? "off" : fec->active;
  if (!fec->uncorrectable_blocks) return Judged(true, active, kExpected, kFecSource);
  const std::uint64_t blocks = *fec->uncorrectable_blocks;
  const Fix fix =
      Fix(Cat("ethtool --include-statistics --show-fec ", NetdevWord(view.netdev)))
          .Because("the cable or the transceiver damages more bits than FEC corrects")
          .Do("where the count grows: replace the cable or the transceiver of {netdev}", StepSite::kPort)
          .CheckBy(Cat("ethtool --include-statistics --show-fec ", NetdevWord(view.netdev)));
  const std::optional<std::uint64_t> grown = BlocksGrownBy(view, blocks);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat(active, "; ", BlocksText(*grown), InWindow(view.port)), kExpected, kFecSource,
                  fix);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime && blocks > kStart) return NoAnswer(uptime.missing(), kExpected, kFecSource);
  const std::string since = blocks > kStart ? SinceBoot(*uptime) : "";
  const std::string observed = Cat(active, "; ", BlocksText(blocks), since, QuietText(view, grown));
  return Often(blocks > kStart && TooOften(blocks, kStart, *uptime, kHourS), observed, kExpected, kFecSource,
               fix);
}

constexpr std::string_view kModesSource = "ethtool link modes";
constexpr std::string_view kRateSource = "sysfs rate, ethtool link modes";
constexpr std::string_view kEeeSource = "ethtool EEE";
constexpr std::string_view kModuleSource = "hwmon temperatures, ethtool link state";

std::string NotEthernet(const Port& port) {
  if (HasOwnProtocol(port)) return "neither InfiniBand, RoCE nor iWARP: it has no interface";
  return IsInfiniBand(port) ? "InfiniBand: its links are not read by ethtool" : "";
}

std::string LanesText(std::uint32_t lanes) { return Cat(lanes, lanes == 1 ? " lane" : " lanes"); }

std::string LanesNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  const FactRef<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
  if (NotOffered(modes)) return modes.missing().detail;
  if (!modes) return {};
  if (modes->lanes == 0) return "the driver does not tell how many lanes are in use";
  return FastestMode(*modes) ? "" : "the driver names no mode to compare with";
}

// Fewer lanes at the full speed are a choice of the modules; fewer of them and slower, a loss.
Verdict JudgeLinkLanes(const EthernetView& view) {
  if (std::string reason = LanesNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<LinkModes> modes = LinkFact(view.netdev, &EthernetLink::modes);
  if (!modes) return NoAnswer(modes.missing(), "all that both ends have", kModesSource);
  const Fact<std::uint32_t>& speed = view.netdev->speed_mbps;
  if (!speed) return NoAnswer(speed.missing(), "all that both ends have", kModesSource);
  const LinkMode best = FastestMode(*modes).value_or(LinkMode{});
  const bool lost = modes->lanes < best.lanes && *speed < best.speed_mbps;
  return Judged(!lost, Cat(LanesText(modes->lanes), " at ", SpeedText(*speed)),
                Cat(LanesText(best.lanes), " at ", SpeedText(best.speed_mbps)), kModesSource);
}

// That of the slowest Ethernet port below: the device of a bond names the rate of one port, not of all (mlx5,
// by mlx5_query_port_roce of 6.12). A member that is down has no speed.
Fact<std::uint32_t> SlowestSpeed(const Port& port) {
  Fact<std::uint32_t> slowest;
  for (NetdevRef netdev : EthernetPortsOf(port)) {
    const FactRef<std::uint32_t> speed = NetdevFact(netdev, &Netdev::speed_mbps);
    if (!slowest || (speed && *speed < *slowest)) slowest = speed;
  }
  return slowest;
}

std::string RateNotApplicable(const PortView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return reason;
  if (NotOffered(view.port.rate_mbps)) return view.port.rate_mbps.missing().detail;
  return view.port.netdev && NotOffered(SlowestSpeed(view.port))
             ? "the interface names no speed to compare with"
             : "";
}

Verdict JudgeLinkRateMatch(const PortView& view) {
  if (std::string reason = RateNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const Fact<std::uint32_t> speed = SlowestSpeed(view.port);
  const std::string expected = speed ? "at least " + SpeedText(*speed) : "as fast as the interface";
  if (!view.port.rate_mbps) return NoAnswer(view.port.rate_mbps.missing(), expected, kRateSource);
  if (!speed) return NoAnswer(speed.missing(), expected, kRateSource);
  return Judged(*view.port.rate_mbps >= *speed, SpeedText(*view.port.rate_mbps), expected, kRateSource);
}

Verdict JudgeLinkEee(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return NotApplicable(reason);
  const FactRef<Eee> eee = LinkFact(view.netdev, &EthernetLink::eee);
  if (NotOffered(eee)) return NotApplicable(eee.missing().detail);
  if (!eee) return NoAnswer(eee.missing(), "off", kEeeSource);
  const std::string observed = !eee->enabled ? "off" : eee->active ? "on, and in use" : "on, not in use";
  return Judged(!eee->enabled, observed, "off", kEeeSource);
}

std::string Degrees(std::int32_t thousandths) { return Cat(thousandths / 1000, " C"); }

Verdict JudgeLinkModule(const EthernetView& view) {
  if (std::string reason = NotEthernet(view.port); !reason.empty()) return NotApplicable(reason);
  const FactRef<std::vector<Temperature>> heat = LinkFact(view.netdev, &EthernetLink::temperatures);
  const FactRef<DownReason> reason = LinkFact(view.netdev, &EthernetLink::down_reason);
  if (NotOffered(heat) && NotOffered(reason)) return NotApplicable(heat.missing().detail);
  constexpr std::string_view kExpected = "there, and not too hot";
  if (reason && IsModuleFault(*reason)) {
    return Judged(false, DownReasonText(*reason), kExpected, kModuleSource,
                  Fix(Cat("ethtool -m ", NetdevWord(view.netdev)))
                      .Because("the NIC refuses the transceiver or the cable")
                      .Do("reseat the module or cable of {netdev}, then replace it", StepSite::kPort)
                      .CheckBy(Cat("ethtool ", NetdevWord(view.netdev))));
  }
  if (!heat) return NoAnswer(heat.missing(), kExpected, kModuleSource);
  std::string warmest;
  std::int32_t most = 0;
  for (const Temperature& one : *heat) {
    const std::string name = one.label.empty() ? "sensor" : Printable(one.label);
    for (const auto& limit : {one.critical_mc, one.warn_mc}) {
      if (!limit || *limit <= 0 || one.now_mc < *limit) continue;
      Verdict hot = Judged(false, Cat(name, " at ", Degrees(one.now_mc), ", its limit is ", Degrees(*limit)),
                           kExpected, kModuleSource);
      hot.independent = true;  // it may be why the link is down
      return hot;
    }
    if (warmest.empty() || one.now_mc > most) warmest = Cat(name, " at ", Degrees(one.now_mc));
    most = std::max(most, one.now_mc);
  }
  return Judged(true, warmest, kExpected, kModuleSource);
}

}  // namespace

std::vector<Check> LinkHealthChecks() {
  return {
      {.id = "link.lanes",
       .title = "The link uses all its lanes",
       .why = "A link that lost lanes goes on at a part of its speed, and says nothing",
       .fix = Fix("ethtool {netdev}")
                  .Because("a lane is lost in the cable, its contacts or the transceiver")
                  .Do("reseat the cable of {netdev} at both ends, then replace it", StepSite::kPort)
                  .CheckBy("ethtool {netdev}"),
       .depends_on = {"link.state", "link.speed"},
       .judge = JudgeLinkLanes},
      {.id = "link.rate-match",
       .title = "The RDMA stack reckons with the link's real speed",
       .why = "Who paces by the rate, or picks a path by it, takes the driver's: 1 Gb/s where it does not know",
       .fix = Fix("ethtool -i {netdev}")
                  .Because("this driver does not know the speed of its link")
                  .Do("update the driver of {netdev}")
                  .CheckBy("cat /sys/class/infiniband/{device}/ports/{port}/rate"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkRateMatch},
      {.id = "link.fec",
       .title = "Forward error correction is on where the link needs it, and enough",
       .why = "What it does not correct is a lost frame; lanes of 50 Gb/s and more do not work without it",
       .fix = Fix("ethtool --set-fec {netdev} encoding rs")
                  .Because("somebody switched FEC off, or the far end has another one")
                  .Caution("the link goes down for a moment, and stays down until both ends have the same")
                  .Do("set the same FEC at the switch port of {netdev}", StepSite::kSwitch)
                  .CheckBy("ethtool --show-fec {netdev}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeLinkFec},
      {.id = "link.crc",
       .title = "Frames arrive undamaged",
       .why = "Each damaged frame is a lost one, and on RoCE a retransmission from there on",
       .fix = Fix("ethtool -S {netdev} --groups eth-mac")
                  .Because("a bad cable or transceiver, or a dirty connector")
                  .Do("where the count grows: clean or replace the cable and the transceiver of {netdev}",
                      StepSite::kPort)
                  .Do("look at the errors of the switch port too", StepSite::kSwitch)
                  .CheckBy("ethtool -S {netdev} --groups eth-mac"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeLinkCrc},
      {.id = "link.flaps",
       .title = "The link stays up",
       .why = "Every time it goes down the RDMA connections over it break",
       .fix =
           Fix("ip -s -s link show dev {netdev}")
               .Because("a bad cable or transceiver, or a port at the far end that goes down")
               .Do("look at the log of the switch port of {netdev}", StepSite::kSwitch)
               .Do("where the changes go on: replace the cable or the transceiver of {netdev}", StepSite::kPort)
               .CheckBy("ip -s -s link show dev {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkFlaps},
      {.id = "link.eee",
       .title = "Energy-efficient Ethernet is off",
       .why = "A link that sleeps between frames wakes too late for RDMA's latency",
       .fix = Fix("ethtool --set-eee {netdev} eee off")
                  .Because("the driver switches it on by default")
                  .Caution("the link goes down for a moment")
                  .CheckBy("ethtool --show-eee {netdev}"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkEee},
      {.id = "link.module",
       .title = "The NIC and its transceiver are in order and not too hot",
       .why = "Heat damages bits, then the link; a transceiver at its limit switches itself off",
       .fix = Fix("sensors")
                  .Because("too little air passes the card, or the module is worn")
                  .Do("improve the air flow at the card of {netdev}")
                  .Do("replace a module that alone is hot", StepSite::kPort)
                  .CheckBy("sensors"),
       .depends_on = {"link.state"},
       .judge = JudgeLinkModule},
  };
}

}  // namespace rdmaready
