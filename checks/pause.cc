// SPDX-License-Identifier: Apache-2.0
// pause.*: link-level pause (IEEE 802.3x) beside PFC.
#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

std::string NotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!kDemandsLossless.made_by(view.profile)) return NotAsked(view.profile, "a lossless priority");
  return NotOffered(NetdevFact(view.netdev, &Netdev::pause)) ? "the driver has no link-level pause" : "";
}

Verdict JudgePause(const EthernetView& view) {
  constexpr std::string_view kSource = "ethtool pause parameters";
  constexpr std::string_view kExpected = "off both ways";
  const Fact<Pause> pause = NetdevFact(view.netdev, &Netdev::pause);
  if (!pause) return NoAnswer(pause.missing(), std::string(kExpected), kSource);
  const std::string_view text = pause->rx && pause->tx ? "on both ways"
                                : pause->rx            ? "honoured, not sent"
                                : pause->tx            ? "sent, not honoured"
                                                       : "off both ways";
  return Judged(!pause->rx && !pause->tx, Cat("link-level pause ", text), std::string(kExpected), kSource);
}

}  // namespace

Check PauseOffWithPfc() {
  return {.id = "pause.off-with-pfc",
          .title = "Link-level pause is off where priorities are paused",
          .why = "It stops all priorities at once, also those that PFC keeps apart; most NICs cannot have both",
          .fix = "ethtool -A {netdev} autoneg off rx off tx off",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"inv.netdev-mapping"},
          .rule = Rule<EthernetView>{NotApplicable, JudgePause}};
}

}  // namespace rdmaready
