// SPDX-License-Identifier: Apache-2.0
// pause.*: link-level pause (IEEE 802.3x) beside PFC.
#include "checks/dcb/pause.h"

#include <algorithm>

#include "checks/families.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPauseSource = "ethtool pause parameters";

std::string PauseNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  return DriverLacks(view.netdev, NetdevFact(view.netdev, &Netdev::pause))
             ? "the driver has no link-level pause"
             : "";
}

// ", 132004113 frames received and 41200 sent since boot"; empty where that is not known, or there were none.
std::string FramesText(const EthernetView& view) {
  const FactRef<PauseFrames> frames = LinkFact(view.netdev, &EthernetLink::pause_frames);
  if (!frames || frames->received + frames->sent == 0) return {};
  return Cat(", ", frames->received, " frames of it received and ", frames->sent, " sent since boot");
}

Verdict JudgePauseOffWithPfc(const EthernetView& view) {
  if (std::string reason = PauseNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "off both ways";
  const FactRef<Pause> pause = NetdevFact(view.netdev, &Netdev::pause);
  if (!pause) return NoAnswer(pause.missing(), kExpected, kPauseSource);
  const std::string_view text = pause->rx && pause->tx ? "on both ways"
                                : pause->rx            ? "honoured, not sent"
                                : pause->tx            ? "sent, not honoured"
                                                       : "off both ways";
  return Judged(
      !pause->rx && !pause->tx, Cat("link-level pause ", text, FramesText(view)), kExpected, kPauseSource,
      Fix(PauseOffFix(view.netdev)).Do("the switch port needs link-level pause off too", StepSite::kSwitch));
}

// Where PFC is not asked for it may be the flow control that is meant: irdma asks for one of the two.
std::string StopsAllNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (kDemandsLossless.made_by(view.profile)) return "a lossless priority is asked for: see pause.off-with-pfc";
  if (DriverLacks(view.netdev, NetdevFact(view.netdev, &Netdev::pause)))
    return "the driver has no link-level pause";
  if (view.netdev && view.netdev->driver == "ice")
    return "driver ice: it is the flow control that Intel advises for RoCE";
  return {};
}

// That it is on harms nobody until somebody pauses.
Verdict JudgePauseStopsAll(const EthernetView& view) {
  if (std::string reason = StopsAllNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "link-level pause off, or no frame of it";
  constexpr std::string_view kCountSource = "ethtool pause parameters and statistics";
  const FactRef<Pause> pause = NetdevFact(view.netdev, &Netdev::pause);
  if (!pause) return NoAnswer(pause.missing(), kExpected, kCountSource);
  if (!pause->rx && !pause->tx) return Judged(true, "link-level pause is off", kExpected, kCountSource);
  const FactRef<PauseFrames> frames = LinkFact(view.netdev, &EthernetLink::pause_frames);
  if (!frames && NotOffered(frames))
    return NotApplicable("link-level pause is on; the driver counts no frames of it");
  if (!frames) return NoAnswer(frames.missing(), kExpected, kCountSource);
  const std::string_view from =
      frames->received > 0 ? "the switch pauses the port: it is congested, or a receiver behind it is slow"
                           : "this host takes frames too slowly, and pauses the switch";
  return Judged(
      frames->received + frames->sent == 0, Cat("link-level pause is on", FramesText(view)), kExpected,
      kCountSource,
      Fix(PauseOffFix(view.netdev))
          .Because(from)
          .Do("the switch port needs link-level pause off too", StepSite::kSwitch)
          .Or("leave it on where this network has no other flow control, and find the slow receiver"));
}

// Under a profile that leaves flow control open the site has chosen to go without. Intel advises some of it for
// RoCE of irdma (document 635330).
std::string NoneNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (view.netdev && NotOffered(view.netdev->dcb.pfc) && NotOffered(view.netdev->pause))
    return Cat("driver ", view.netdev->driver, " has neither PFC nor link-level pause for the host to set");
  if (kDemandsLossless.made_by(view.profile)) return {};
  if (view.profile.pfc) return Cat("profile ", view.profile.name, " wants PFC to be off");
  return NotAsked(view.profile, "flow control");
}

// One of the two is enough; that it is PFC which the profile wants is pfc.lossless-priority's.
Verdict JudgePauseNone(const EthernetView& view) {
  if (std::string reason = NoneNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kBoth = "dcbnl IEEE PFC, ethtool pause parameters";
  constexpr std::string_view kExpected = "PFC, or link-level pause";
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (pfc && pfc->enabled != 0) return Judged(true, PfcText(pfc->enabled), kExpected, kBoth);
  const FactRef<Pause> pause = NetdevFact(view.netdev, &Netdev::pause);
  if (pause && (pause->rx || pause->tx)) return Judged(true, "link-level pause is on", kExpected, kBoth);
  if (!view.netdev) return NoAnswer(view.netdev.missing(), kExpected, kBoth);
  if (!pfc && !NotOffered(view.netdev->dcb.pfc)) return NoAnswer(pfc.missing(), kExpected, kBoth);
  if (!pause && !NotOffered(pause)) return NoAnswer(pause.missing(), kExpected, kBoth);
  if (!pfc && view.netdev->dcb.pfc) return NoAnswer(pfc.missing(), kExpected, kBoth);
  const unsigned priority = view.profile.rdma_priority.value_or(3);
  return Judged(false, "neither PFC nor link-level pause", kExpected, kBoth,
                Fix(Cat("dcb pfc set dev ", NetdevWord(view.netdev), " prio-pfc all:off ", priority, ":on"))
                    .Caution(CostOfPfc(view.netdev))
                    .Do(Cat("the switch port needs PFC on priority ", priority, " too"), StepSite::kSwitch));
}

std::string AutonegNotApplicable(const EthernetView& view) {
  if (std::string reason = PauseNotApplicable(view); !reason.empty()) return reason;
  if (!view.netdev) return {};
  const std::string& driver = view.netdev->driver;
  if (driver == "mlx5_core") return "driver mlx5_core negotiates no pause";
  return PauseFollowsLink(view.netdev) ? Cat("driver ", driver, " shows the link's autonegotiation here") : "";
}

Verdict JudgePauseAutoneg(const EthernetView& view) {
  if (std::string reason = AutonegNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<Pause> pause = NetdevFact(view.netdev, &Netdev::pause);
  if (!pause) return NoAnswer(pause.missing(), "not negotiated", kPauseSource);
  return Judged(!pause->autoneg,
                pause->autoneg ? "link-level pause is negotiated" : "link-level pause is not negotiated",
                "not negotiated", kPauseSource);
}

}  // namespace

bool PauseFollowsLink(NetdevRef netdev) { return PauseFollowsLink(netdev ? &*netdev : nullptr); }

Pause PauseOff(NetdevRef netdev, const Pause& now) {
  return {.autoneg = PauseFollowsLink(netdev) && now.autoneg, .rx = false, .tx = false};
}

std::string PauseOffFix(NetdevRef netdev) {
  return Cat("ethtool -A ", NetdevWord(netdev), PauseFollowsLink(netdev) ? "" : " autoneg off",
             " rx off tx off");
}

std::vector<Check> PauseChecks() {
  return {
      {.id = "pause.stops-all",
       .title = "Link-level pause does not stop the port",
       .why = "It stops all priorities at once, RDMA among them: a slow receiver of anything takes bandwidth "
              "away, and no "
              "counter of drops tells of it",
       .fix = Fix("ethtool -A {netdev} autoneg off rx off tx off")
                  .Do("the switch port needs link-level pause off too", StepSite::kSwitch)
                  .CheckBy("ethtool -a {netdev}"),
       .depends_on = {"inv.netdev-mapping", "inv.transport", "link.state"},
       .judge = JudgePauseStopsAll},
      {.id = "pause.none",
       .title = "Some flow control is on where RoCE counts on it",
       .why = "Without any the switch and the NIC drop what does not fit, and some drivers slow RoCE down",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on")
                  .Do("the switch port needs PFC on priority {priority} too", StepSite::kSwitch)
                  .CheckBy("dcb pfc show dev {netdev}"),
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
       .judge = JudgePauseNone},
      {.id = "pause.autoneg",
       .title = "The other end cannot switch link-level pause on",
       .why = "Negotiated, it comes back with the next link up, and stops what PFC keeps apart",
       .fix = Fix("ethtool -A {netdev} autoneg off rx off tx off").CheckBy("ethtool -a {netdev}"),
       .depends_on = {"inv.netdev-mapping", "pause.off-with-pfc"},
       .judge = JudgePauseAutoneg},
      {.id = "pause.off-with-pfc",
       .title = "Link-level pause is off where priorities are paused",
       .why = "It stops all priorities at once, also those that PFC keeps apart; most NICs cannot have both",
       .fix = Fix("ethtool -A {netdev} autoneg off rx off tx off")
                  .Do("the switch port needs link-level pause off too", StepSite::kSwitch)
                  .CheckBy("ethtool -a {netdev}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgePauseOffWithPfc},
  };
}

}  // namespace rdmaready
