// SPDX-License-Identifier: Apache-2.0
// pfc.headroom, pfc.storm-prevention: room for what still arrives after a pause, and an end to endless ones.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "checks/counted/window.h"
#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/pfc.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/setting/dcb_commands.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool TakesCableLength(const EthernetView& view) { return view.netdev && view.netdev->driver == "mlx5_core"; }

// What arrives after a pause was sent: drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c,
// calculate_xoff(), of which mlx5 itself sizes its lossless buffers.
std::uint64_t RoomBytes(const EthernetView& view) {
  constexpr std::uint64_t kLeastMbps = 40'000;
  constexpr std::uint64_t kUsualMetres = 7;
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  const bool told = pfc && pfc->delay > 0 && TakesCableLength(view);
  const std::uint64_t metres = view.profile.cable_metres ? *view.profile.cable_metres
                               : told                    ? pfc->delay
                                                         : kUsualMetres;
  const FactRef<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  const std::uint64_t mbps = std::max<std::uint64_t>(speed ? *speed : 0, kLeastMbps);
  return (301 + 216 * metres / 100) * mbps / 1000 + 272 * std::uint64_t{view.netdev->mtu_bytes} / 100;
}

// And the frame that made the pause necessary.
std::uint64_t NeededBytes(const EthernetView& view) { return RoomBytes(view) + view.netdev->mtu_bytes; }

// Sizes and thresholds are whole cells. The device does not say of how many bytes: 128 and 144 are seen.
constexpr std::uint64_t kMostCellBytes = 256;
constexpr std::uint64_t kWholeCellsBytes = 1152;  // of either kind

// The longest frame, as update_xoff_threshold() there counts it: also what lies between xoff and xon.
std::uint64_t DriversFrameBytes(const EthernetView& view) {
  constexpr std::uint32_t kLeast = 9216;
  const Fact<std::uint32_t>& most = view.netdev->max_mtu_bytes;
  return std::max({most ? *most : 0U, view.netdev->mtu_bytes, kLeast});
}

// Of less mlx5 makes no lossless buffer (ENOMEM), though it has switched PFC on by then.
std::uint64_t DriversLeastBytes(const EthernetView& view) {
  return RoomBytes(view) + DriversFrameBytes(view) + kMostCellBytes;
}

bool HasCells(const EthernetView& view) { return view.netdev && DcbDriverOf(*view.netdev) == DcbDriver::kMlx5; }

std::uint64_t InWholeCells(std::uint64_t bytes) {
  return (bytes + kWholeCellsBytes - 1) / kWholeCellsBytes * kWholeCellsBytes;
}

std::uint64_t AcceptedBytes(const EthernetView& view) {
  return HasCells(view) ? InWholeCells(DriversLeastBytes(view)) : NeededBytes(view);
}

// The bytes that the buffers may have together. In mlx5's total are the pools that the buffers of newer NICs
// share, which dcbnl does not show. Buffers grow at the cost of these pools, and a write that leaves less than
// four cells there is refused (port_update_shared_buffer). So the buffers keep the sum that they have. They
// grow where a lossless buffer and one frame of the others need it, and leave the pools at least half.
std::uint64_t SharedOut(const EthernetView& view, const PortBuffer& buffer) {
  const std::uint64_t total = buffer.total_bytes;
  std::uint64_t used = 0;
  for (const std::uint32_t size : buffer.size_bytes) used += size;
  if (!HasCells(view) || used == 0 || used >= total) return total;
  const std::uint64_t least = AcceptedBytes(view) + InWholeCells(DriversFrameBytes(view));
  const std::uint64_t most = used + (total - used) / 2 / kWholeCellsBytes * kWholeCellsBytes;
  return std::max(used, std::min(least, most));
}

// Half of what there is for the lossless priorities, or more where they need it. mlx5 stores whole cells only
// (port_set_buffer()): both parts are whole, because their sum is.
BufferSetting RoomFor(const EthernetView& view, const PortBuffer& buffer) {
  BufferSetting wanted;
  for (const std::uint8_t priority : *view.profile.pfc) wanted.prio_buffer[priority] = 1;
  const std::uint64_t all = SharedOut(view, buffer);
  const std::uint64_t half = HasCells(view) ? all / 2 / kWholeCellsBytes * kWholeCellsBytes : all / 2;
  const std::uint64_t lossless = std::min(std::max(half, AcceptedBytes(view)), all);
  wanted.size_bytes[0] = static_cast<std::uint32_t>(all - lossless);
  wanted.size_bytes[1] = static_cast<std::uint32_t>(lossless);
  return wanted;
}

// mlx5 takes map and sizes one after the other only: BufferCommands knows the order.
Fix RoomCommands(const EthernetView& view, const PortBuffer& buffer) {
  const BufferSetting wanted = RoomFor(view, buffer);
  if (HasCells(view)) {
    const BufferSetting now{.prio_buffer = buffer.prio_buffer, .size_bytes = buffer.size_bytes};
    const SettingPlace place{.object = {.kind = SettingKind::kBuffer, .where = view.netdev->name},
                             .netdev = &*view.netdev,
                             .port = &view.port};
    Fix fix;
    for (const std::string& command : BufferCommands(place, Text(now), Text(wanted)))
      fix = std::move(fix).Run(command);
    return fix;
  }
  std::string map = "all:0";
  for (const std::uint8_t priority : *view.profile.pfc) map += Cat(" ", priority, ":1");
  return Fix(Cat("dcb buffer set dev ", NetdevWord(view.netdev), " prio-buffer ", map,
                 " buffer-size all:0 0:", wanted.size_bytes[0], " 1:", wanted.size_bytes[1]));
}

Fix RoomFix(const EthernetView& view, const PortBuffer& buffer) {
  return RoomCommands(view, buffer)
      .Caution(
          "the sizes are a beginning: the lossless buffer has room for the cable and the MTU, and no more "
          "was computed");
}

// The length of the cable that the profile names and the NIC was not told.
std::optional<std::uint16_t> LongerCable(const EthernetView& view) {
  constexpr std::uint32_t kMostMetres = 999;  // core/en_dcbnl.c: less than MLX5E_MAX_CABLE_LENGTH
  const std::optional<std::uint32_t>& metres = view.profile.cable_metres;
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!metres || !pfc || pfc->delay >= std::min(*metres, kMostMetres)) return std::nullopt;
  return static_cast<std::uint16_t>(std::min(*metres, kMostMetres));
}

// mlx5 reckons the threshold when PFC, the cable's length or the buffers are set, never when the link comes up:
// for a link that was down then, with 40 Gb/s. Setting PFC once more as it is does not disturb the link.
Fix ThresholdFix(const EthernetView& view, std::uint8_t priority) {
  const std::string command = Cat("dcb pfc set dev ", NetdevWord(view.netdev));
  const std::string shows = Cat("cat /sys/class/net/", NetdevWord(view.netdev), "/qos/buffer_size");
  if (const std::optional<std::uint16_t> metres = LongerCable(view)) {
    return Fix(Cat(command, " delay ", *metres))
        .Because("the NIC reckons with a shorter cable than the profile names", Certainty::kCertain)
        .CheckBy(shows);
  }
  return Fix(Cat(command, " prio-pfc ", priority, ":on"))
      .Because("the driver computed the threshold while the link was down; the command makes it compute anew")
      .CheckBy(shows);
}

// Else the firmware did, by a rule that nobody publishes: the driver's is no measure of it.
bool DriverReckoned(const EthernetView& view, std::uint32_t xoff, std::uint32_t xon) {
  const std::uint64_t frame = DriversFrameBytes(view);
  const std::uint64_t between = xoff > xon ? xoff - xon : 0;
  return xon != 0 && between + kMostCellBytes >= frame && between <= frame + kMostCellBytes;
}

// Nothing when the buffer asks for a pause while there is room for what it finds on its way.
std::string ThresholdFault(const EthernetView& view, std::uint32_t size, std::uint32_t xoff) {
  const std::uint64_t room = size > xoff ? size - xoff : 0;
  if (room + kMostCellBytes >= RoomBytes(view)) return "";
  return Cat(", asks for a pause from ", xoff / 1024, " KiB on: room for ", room / 1024, " KiB, of ",
             (RoomBytes(view) + 1023) / 1024, " KiB that a pause needs");
}

std::uint8_t SharingLossy(const PortBuffer& buffer, std::uint8_t own, unsigned lossless) {
  unsigned sharing = 0;
  for (std::uint8_t other = 0; other < kPriorities; ++other) {
    const bool lossy = (lossless >> other & 1U) == 0;
    if (lossy && buffer.prio_buffer[other] == own) sharing |= 1U << other;
  }
  return static_cast<std::uint8_t>(sharing);
}

constexpr std::string_view kRoomExpected = "a buffer of its own, with room for what a pause finds on its way";
constexpr std::string_view kBufferSource = "dcbnl port buffer";

// A verdict, and what would mend it.
struct RoomVerdict {
  Verdict verdict{};
  RoomWish wish{};
};

RoomVerdict SharesRoom(const EthernetView& view, const PortBuffer& buffer, std::string observed) {
  return {Judged(false, std::move(observed), kRoomExpected, kBufferSource, RoomFix(view, buffer)),
          {.buffer = RoomFor(view, buffer)}};
}

// How much room a pause needs is reckoned, with a cable whose length may be a guess: a warning.
RoomVerdict LacksRoom(const EthernetView& view, const PortBuffer& buffer, std::string observed,
                      std::string_view source = kBufferSource) {
  return {Warned(std::move(observed), kRoomExpected, source, RoomFix(view, buffer)),
          {.buffer = RoomFor(view, buffer)}};
}

// Of a buffer that is large enough.
RoomVerdict JudgeThreshold(const EthernetView& view, const PortBuffer& buffer, std::uint8_t priority,
                           const std::string& place) {
  const FactRef<PauseThresholds> thresholds = DcbFact(view.netdev, &Dcb::thresholds);
  const std::string source =
      Cat(kBufferSource, ", /sys/class/net/", NetdevWord(view.netdev), "/qos/buffer_size");
  if (!thresholds && NotOffered(thresholds)) return {Judged(true, place, kRoomExpected, kBufferSource)};
  if (!thresholds) return {NoAnswer(thresholds.missing(), "the threshold from which on it pauses", source)};
  const std::uint8_t own = buffer.prio_buffer[priority];
  const std::uint32_t xoff = thresholds->xoff_bytes[own];
  if (xoff == 0) {
    return {Warned(Cat(place, ", with no threshold from which on it asks for a pause"), kRoomExpected, source,
                   ThresholdFix(view, priority)),
            {.delay = LongerCable(view)}};
  }
  const std::string fault = ThresholdFault(view, buffer.size_bytes[own], xoff);
  if (fault.empty()) return {Judged(true, place, kRoomExpected, source)};
  if (!DriverReckoned(view, xoff, thresholds->xon_bytes[own])) {
    return {Judged(true, Cat(place, fault, " by mlx5's rule; the firmware set it by its own: not judged"),
                   kRoomExpected, source)};
  }
  if (buffer.size_bytes[own] < DriversLeastBytes(view)) return LacksRoom(view, buffer, place + fault, source);
  return {Warned(place + fault, kRoomExpected, source, ThresholdFix(view, priority)),
          {.delay = LongerCable(view)}};
}

RoomVerdict JudgeRoomOf(const EthernetView& view, const PortBuffer& buffer, std::uint8_t priority) {
  const std::uint8_t own = buffer.prio_buffer[priority];
  if (own >= kPriorities)
    return {Unclear("the driver names a buffer that is none", kRoomExpected, kBufferSource)};
  const std::string place =
      Cat("priority ", priority, " in buffer ", own, ", ", buffer.size_bytes[own] / 1024, " KiB");
  const std::uint8_t sharing = SharingLossy(buffer, own, BitmapOf(*view.profile.pfc));
  if (sharing != 0)
    return SharesRoom(view, buffer, Cat(place, ", together with ", ListText(PrioritiesOf(sharing))));
  const std::uint64_t needed = NeededBytes(view);
  if (buffer.size_bytes[own] < needed)
    return LacksRoom(view, buffer, Cat(place, ", of ", (needed + 1023) / 1024, " KiB that a pause needs"));
  return JudgeThreshold(view, buffer, priority, place);
}

// The first that is at fault, else the first.
RoomVerdict JudgeRoom(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return {NotApplicable(reason)};
  if (!kDemandsLossless.made_by(view.profile))
    return {NotApplicable(NotAsked(view.profile, "a lossless priority"))};
  if (DriverLacks(view.netdev, DcbFact(view.netdev, &Dcb::buffer)))
    return {NotApplicable("the driver divides its buffers by itself")};
  const FactRef<PortBuffer> buffer = DcbFact(view.netdev, &Dcb::buffer);
  if (!buffer) return {NoAnswer(buffer.missing(), kRoomExpected, kBufferSource)};
  // A faster link needs more room.
  const Fact<std::uint32_t>& speed = view.netdev->speed_mbps;
  if (!speed && !view.netdev->carrier) return {NotApplicable("the link is down, and has no speed")};
  if (!speed) return {NoAnswer(speed.missing(), kRoomExpected, "sysfs speed")};
  for (const std::uint8_t priority : *view.profile.pfc) {
    RoomVerdict room = JudgeRoomOf(view, *buffer, priority);
    if (room.verdict.outcome != Outcome::kPass) return room;
  }
  return JudgeRoomOf(view, *buffer, view.profile.pfc->front());
}

Verdict JudgePfcHeadroom(const EthernetView& view) { return JudgeRoom(view).verdict; }

Verdict JudgePfcStormPrevention(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsLossless.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a lossless priority"));
  if (DriverLacks(view.netdev, NetdevFact(view.netdev, &Netdev::pfc_storm_timeout_ms)))
    return NotApplicable("the driver has no PFC storm prevention");
  if (std::string elsewhere = DcbSetElsewhere(view); !elsewhere.empty()) return NotApplicable(elsewhere);
  constexpr std::string_view kSource = "ethtool tunable pfc-prevention-tout";
  if (const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc); !pfc && !NotOffered(pfc))
    return NoAnswer(pfc.missing(), "a timeout", kSource);  // it may be set elsewhere
  constexpr std::uint16_t kAuto = 0xffff;
  const FactRef<std::uint16_t> timeout = NetdevFact(view.netdev, &Netdev::pfc_storm_timeout_ms);
  if (!timeout) return NoAnswer(timeout.missing(), "a timeout", kSource);
  const std::string observed = *timeout == 0       ? std::string("off: pauses are sent without end")
                               : *timeout == kAuto ? std::string("as the driver chooses")
                                                   : Cat("after ", *timeout, " ms");
  return Judged(*timeout != 0, observed, "a timeout", kSource);
}

// Also where the statistics could not be read: the finding says so.
bool CountsDrops(const Netdev& netdev, const std::vector<std::uint8_t>& priorities) {
  if (!netdev.statistics) return !NotOffered(netdev.statistics);
  return std::ranges::any_of(*netdev.statistics, [&priorities](const NicStatistic& one) {
    return one.counter == NicCounter::kDropReceived && one.priority &&
           std::ranges::find(priorities, *one.priority) != priorities.end();
  });
}

std::string DelayNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  if (!view.netdev) return {};
  if (!view.netdev->driver.empty() && !TakesCableLength(view))
    return Cat("driver ", view.netdev->driver, " has no length of the cable to be told");
  return CountsDrops(*view.netdev, *view.profile.pfc) ? ""
                                                      : "the driver does not count what it drops by priority";
}

// Growth of all statistics of that kind and priority.
std::uint64_t GrownAt(const std::vector<StatisticChange>& changes, NicCounter counter, std::uint8_t priority) {
  std::uint64_t sum = 0;
  for (const StatisticChange& one : changes) {
    if (one.now.counter == counter && one.now.priority == priority) sum += GrowthOf(one.change);
  }
  return sum;
}

// How long the cable is nobody can read. That the room for it is too small shows: frames of a lossless priority
// are dropped here although it sent pauses. What was dropped before anybody looked may have been before PFC was
// on.
Verdict JudgePfcDelay(const EthernetView& view) {
  if (std::string reason = DelayNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kSource = "dcbnl IEEE PFC, ethtool statistics, two readings";
  constexpr std::string_view kExpected = "as long as the cable is";
  if (view.netdev && view.netdev->driver.empty())
    return NoAnswer(Missing{.detail = "which driver it has is not known"}, kExpected, kSource);
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), kExpected, kSource);
  const Fact<std::vector<StatisticChange>> changes = StatisticChanges(view);
  if (!changes) return NoAnswer(changes.missing(), kExpected, kSource);
  const std::string told = Cat("the NIC reckons with ", pfc->delay, " m of cable");
  for (const std::uint8_t priority : *view.profile.pfc) {
    const std::uint64_t dropped = GrownAt(*changes, NicCounter::kDropReceived, priority);
    const std::uint64_t pauses = GrownAt(*changes, NicCounter::kPauseSent, priority);
    if (dropped == 0 || pauses == 0) continue;
    return Judged(false,
                  Cat(told, "; priority ", priority, " lost ", dropped, " frames though it sent ", pauses,
                      " pauses", InWindow(view.port)),
                  kExpected, kSource);
  }
  return Judged(true, Cat(told, ", and nothing was lost after a pause", InWindow(view.port)), kExpected,
                kSource);
}

}  // namespace

RoomWish RoomWishOf(const EthernetView& view) { return JudgeRoom(view).wish; }

std::vector<Check> PfcRoomChecks() {
  return {
      {.id = "pfc.delay",
       .title = "The NIC reckons with the cable that is there",
       .why = "What is on its way when a pause is sent needs room: with a longer cable than told, it is lost",
       .fix = Fix("dcb pfc set dev {netdev} delay METRES")
                  .Because("the cable is longer than the length that the NIC has")
                  .Do("METRES: of the cable, 1 to 999; mlx5 begins with 7")
                  .CheckBy("dcb pfc show dev {netdev}"),
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority", "pfc.headroom"},
       .judge = JudgePfcDelay},
      {.id = "pfc.headroom",
       .title = "Lossless priorities have a receive buffer of their own",
       .why =
           "In a buffer shared with ordinary traffic, or one that asks too late, there may be no room for what "
           "arrives after a pause was sent",
       .fix = Fix("dcb buffer set dev {netdev} prio-buffer all:0 {priority}:1")
                  .Do("set sizes by buffer-size too, within the total that dcb buffer show names")
                  .CheckBy("dcb buffer show dev {netdev}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
       .judge = JudgePfcHeadroom},
      {.id = "pfc.storm-prevention",
       .title = "The NIC ends a pause storm of its own host",
       .why = "A host that hangs while its NIC goes on pausing stops the whole fabric behind it",
       .fix = Fix("ethtool --set-tunable {netdev} pfc-prevention-tout 65535")
                  .Or("name a time in milliseconds: 65535 lets the driver choose")
                  .CheckBy("ethtool --get-tunable {netdev} pfc-prevention-tout"),
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
       .judge = JudgePfcStormPrevention},
  };
}

}  // namespace rdmaready
