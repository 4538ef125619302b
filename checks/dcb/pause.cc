// SPDX-License-Identifier: Apache-2.0
// pause.*: link-level pause (IEEE 802.3x) beside PFC.
#include "checks/dcb/pause.h"

#include <algorithm>
#include <array>

#include "checks/families.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPauseSource = "ethtool pause parameters";

std::string PauseNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  return NotOffered(NetdevFact(view.netdev, &Netdev::pause)) ? "the driver has no link-level pause" : "";
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
  return Judged(!pause->rx && !pause->tx, Cat("link-level pause ", text), kExpected, kPauseSource,
                PauseOffFix(view.netdev));
}

// Under a profile that leaves flow control open only irdma asks for some of it: without any it slows its own
// RoCE down (Intel document 635330).
std::string NoneNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (kDemandsLossless.made_by(view.profile)) return {};
  if (view.profile.pfc) return Cat("profile ", view.profile.name, " wants PFC to be off");
  if (!view.netdev || view.netdev->driver == "ice") return {};
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
  if (!pfc && !NotOffered(pfc)) return NoAnswer(pfc.missing(), kExpected, kBoth);
  if (!pause && !NotOffered(pause)) return NoAnswer(pause.missing(), kExpected, kBoth);
  const unsigned priority = view.profile.rdma_priority.value_or(3);
  return Judged(false, "neither PFC nor link-level pause", kExpected, kBoth,
                Cat("dcb pfc set dev ", NetdevWord(view.netdev), " prio-pfc all:off ", priority, ":on",
                    CostOfPfc(view.netdev)));
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

// ice_set_pauseparam, i40e_set_pauseparam and hclge_set_pauseparam of Linux: EOPNOTSUPP where it differs.
bool PauseFollowsLink(NetdevRef netdev) {
  constexpr std::array<std::string_view, 3> kDrivers{"ice", "i40e", "hns3"};
  return netdev && std::ranges::find(kDrivers, netdev->driver) != kDrivers.end();
}

std::string PauseOffFix(NetdevRef netdev) {
  return Cat("ethtool -A ", NetdevWord(netdev), PauseFollowsLink(netdev) ? "" : " autoneg off",
             " rx off tx off");
}

std::vector<Check> PauseChecks() {
  return {
      {.id = "pause.none",
       .title = "Some flow control is on where RoCE counts on it",
       .why = "Without any the switch and the NIC drop what does not fit, and some drivers slow RoCE down",
       .fix = "dcb pfc set dev {netdev} prio-pfc all:off {priority}:on",
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
       .judge = JudgePauseNone},
      {.id = "pause.autoneg",
       .title = "The other end cannot switch link-level pause on",
       .why = "Negotiated, it comes back with the next link up, and stops what PFC keeps apart",
       .fix = "ethtool -A {netdev} autoneg off rx off tx off",
       .depends_on = {"inv.netdev-mapping", "pause.off-with-pfc"},
       .judge = JudgePauseAutoneg},
      {.id = "pause.off-with-pfc",
       .title = "Link-level pause is off where priorities are paused",
       .why = "It stops all priorities at once, also those that PFC keeps apart; most NICs cannot have both",
       .fix = "ethtool -A {netdev} autoneg off rx off tx off",
       .blocks_for = &kDemandsLossless,
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgePauseOffWithPfc},
  };
}

}  // namespace rdmaready
