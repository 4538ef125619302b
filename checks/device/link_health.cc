// SPDX-License-Identifier: Apache-2.0
// link.flaps, link.crc, link.fec: what a link's counters say of its cable. What grew during a watch is a fault.
// Else a count is held against the time since boot, and small ones, as a link's start makes them, are let pass.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/base/text.h"
#include "checks/counted/counters.h"
#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
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

std::string NotEthernet(const EthernetView& view) {
  return IsInfiniBand(view.port) ? "InfiniBand: see ib.symbol-errors" : "";
}

// A count since boot is a hint only: when it grew nobody knows.
Verdict Often(bool too_often, std::string observed, std::string_view expected, std::string_view source,
              std::string fix = {}) {
  if (too_often) return Warned(std::move(observed), std::string(expected), source, std::move(fix));
  return Judged(true, std::move(observed), std::string(expected), source);
}

std::string FlapsNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view); !reason.empty()) return reason;
  if (IsSoftware(view.port)) return "software device: its carrier is no cable's";
  return NotOffered(NetdevFact(view.netdev, &Netdev::carrier_changes)) ? "the kernel does not count them" : "";
}

// By experience: maintenance and drivers take a link down now and then; once a day and more is a fault.
Verdict JudgeFlaps(const EthernetView& view) {
  constexpr std::string_view kExpected = "down less than once a day";
  constexpr std::uint64_t kStart = 5;
  if (!view.port.software)
    return NoAnswer(view.port.software.missing(), std::string(kExpected), kCarrierSource);
  const Fact<std::uint64_t> changes = NetdevFact(view.netdev, &Netdev::carrier_changes);
  if (!changes) return NoAnswer(changes.missing(), std::string(kExpected), kCarrierSource);
  // Every second change is one to down; what is down at the end of the watch went down in it.
  const std::optional<std::uint64_t> grown = GrownBy(view, changes, &NetdevReading::carrier_changes);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat("down ", CountText((*grown + 1) / 2, "time"), InWindow(view.port)),
                  std::string(kExpected), kCarrierSource);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), std::string(kExpected), kCarrierSource);
  const std::uint64_t downs = *changes / 2;
  return Judged(!TooOften(downs, kStart, *uptime, kDayS),
                Cat("down ", CountText(downs, "time"), SinceBoot(*uptime), QuietText(view, grown)),
                std::string(kExpected), kCarrierSource);
}

std::string CrcNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view); !reason.empty()) return reason;
  const Fact<std::uint64_t> errors = LinkFact(view.netdev, &EthernetLink::fcs_errors);
  return NotOffered(errors) ? errors.missing().detail : "";
}

// By experience; no standard has a number.
Verdict JudgeCrc(const EthernetView& view) {
  constexpr std::string_view kExpected = "at most one damaged frame an hour";
  constexpr std::uint64_t kStart = 10;
  const Fact<std::uint64_t> errors = LinkFact(view.netdev, &EthernetLink::fcs_errors);
  if (!errors) return NoAnswer(errors.missing(), std::string(kExpected), kCountSource);
  const std::optional<std::uint64_t> grown = GrownBy(view, errors, &NetdevReading::fcs_errors);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat(CountText(*grown, "damaged frame"), InWindow(view.port)), std::string(kExpected),
                  kCountSource);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime) return NoAnswer(uptime.missing(), std::string(kExpected), kCountSource);
  const std::string observed =
      Cat(CountText(*errors, "damaged frame"), SinceBoot(*uptime), QuietText(view, grown));
  return Often(TooOften(*errors, kStart, *uptime, kHourS), observed, kExpected, kCountSource);
}

std::string FecNotApplicable(const EthernetView& view) {
  if (std::string reason = NotEthernet(view); !reason.empty()) return reason;
  const Fact<Fec> fec = LinkFact(view.netdev, &EthernetLink::fec);
  if (NotOffered(fec)) return fec.missing().detail;
  return fec && fec->active.empty() ? "the driver does not tell which FEC is active" : "";
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
Verdict JudgeFec(const EthernetView& view) {
  constexpr std::string_view kExpected = "on where the link needs it, and enough";
  constexpr std::uint64_t kStart = 10;
  const Fact<Fec> fec = LinkFact(view.netdev, &EthernetLink::fec);
  if (!fec) return NoAnswer(fec.missing(), std::string(kExpected), kFecSource);
  if (fec->active == "None" && NeedsFec(*view.netdev)) {
    return Warned(Cat("off at ", SpeedText(*view.netdev->speed_mbps)), std::string(kExpected), kFecSource);
  }
  const std::string active = fec->active == "None" ? "off" : fec->active;
  if (!fec->uncorrectable_blocks) return Judged(true, active, std::string(kExpected), kFecSource);
  const std::uint64_t blocks = *fec->uncorrectable_blocks;
  const std::string fix = Cat("ethtool --include-statistics --show-fec ", NetdevWord(view.netdev),
                              "  # they grow: replace the cable or the transceiver");
  const std::optional<std::uint64_t> grown = BlocksGrownBy(view, blocks);
  if (grown.value_or(0) > 0) {
    return Judged(false, Cat(active, "; ", BlocksText(*grown), InWindow(view.port)), std::string(kExpected),
                  kFecSource, fix);
  }
  const Fact<std::uint64_t>& uptime = view.host.uptime_s;
  if (!uptime && blocks > kStart) return NoAnswer(uptime.missing(), std::string(kExpected), kFecSource);
  const std::string since = blocks > kStart ? SinceBoot(*uptime) : "";
  const std::string observed = Cat(active, "; ", BlocksText(blocks), since, QuietText(view, grown));
  return Often(blocks > kStart && TooOften(blocks, kStart, *uptime, kHourS), observed, kExpected, kFecSource,
               fix);
}

}  // namespace

Check LinkFlaps() {
  return {.id = "link.flaps",
          .title = "The link stays up",
          .why = "Every time it goes down the RDMA connections over it break",
          .fix =
              "ip -s -s link show dev {netdev}  # carrier changes that grow: the cable, the transceiver, the "
              "switch port",
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{FlapsNotApplicable, JudgeFlaps}};
}

Check LinkCrc() {
  return {
      .id = "link.crc",
      .title = "Frames arrive undamaged",
      .why = "Each damaged frame is a lost one, and on RoCE a retransmission from there on",
      .fix = "ethtool -S {netdev} --groups eth-mac  # they grow: the cable, the transceiver, the switch port",
      .blocks_for = &kDemandsLossless,
      .depends_on = {"link.state"},
      .rule = Rule<EthernetView>{CrcNotApplicable, JudgeCrc}};
}

Check LinkFec() {
  return {.id = "link.fec",
          .title = "Forward error correction is on where the link needs it, and enough",
          .why = "What it does not correct is a lost frame; lanes of 50 Gb/s and more do not work without it",
          .fix = "ethtool --set-fec {netdev} encoding rs  # and the same at the switch port",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<EthernetView>{FecNotApplicable, JudgeFec}};
}

}  // namespace rdmaready
