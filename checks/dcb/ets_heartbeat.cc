// SPDX-License-Identifier: Apache-2.0
// ets.three-classes, ets.cluster-share: what the cluster's heartbeat has of the link.
#include <algorithm>
#include <cstdlib>

#include "checks/dcb/ets_view.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr int kMostPercent = 2;

std::string ClassNotApplicable(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return reason;
  return view.profile.heartbeat ? "" : NotAsked(view.profile, "a heartbeat");
}

Verdict JudgeClasses(const EthernetView& view) {
  const std::uint8_t heartbeat = view.profile.heartbeat->priority;
  const std::uint8_t rdma = *view.profile.rdma_priority;
  const std::string expected = Cat("priority ", heartbeat, " in a class of its own");
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[heartbeat];
  const std::string observed = Cat("heartbeat's priority ", heartbeat, " is in TC ", tc);
  const std::string_view shared = tc == ets->prio_tc[rdma] ? ", with RDMA"
                                  : tc == ets->prio_tc[0]  ? ", with the default"
                                                           : "";
  return Judged(shared.empty() && tc < ClassCount(*ets), Cat(observed, shared), expected, kEtsSource,
                EtsFix(view, *ets));
}

std::string ShareNotApplicable(const EthernetView& view) {
  if (std::string reason = ClassNotApplicable(view); !reason.empty()) return reason;
  return view.profile.heartbeat->percent ? "" : NotAsked(view.profile, "a share for the heartbeat");
}

// A little is wanted: enough to get through, and no more. One point beside it is said, up to the most that
// Microsoft reserves; more is wrong. A strict class gets through too, but has no bound.
Verdict JudgeShare(const EthernetView& view) {
  const Fact<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  const int wanted = *HeartbeatPercent(view.profile, speed);
  const std::string expected = Cat("ETS ", wanted, " %");
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[view.profile.heartbeat->priority];
  if (tc >= kPriorities) return Unclear("the heartbeat's priority is in no class", expected, kEtsSource);
  const std::string fix = EtsFix(view, *ets);
  if (ets->tsa[tc] == Tsa::kStrict)
    return Warned(Cat("TC ", tc, ": strict, without a bound"), expected, kEtsSource, fix);
  if (ets->tsa[tc] != Tsa::kEts)
    return Judged(false, Cat("TC ", tc, ": ", Name(ets->tsa[tc]), ", no share of its own"), expected,
                  kEtsSource, fix);
  const int share = ets->tx_percent[tc];
  const std::string observed = Cat("TC ", tc, ": ETS ", share, " %");
  const bool near = std::abs(share - wanted) <= 1 && share <= std::max(wanted, kMostPercent);
  if (share != wanted && share != 0 && near) return Warned(observed, expected, kEtsSource, fix);
  return Judged(share == wanted, observed, expected, kEtsSource, fix);
}

}  // namespace

Check EtsThreeClasses() {
  return {
      .id = "ets.three-classes",
      .title = "The heartbeat has a traffic class apart from RDMA and from the rest",
      .why =
          "In one class with storage or ordinary traffic it waits under load, and a healthy node is thrown out",
      .fix =
          "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets 7:ets tc-bw all:0 0:49 "
          "{priority}:50 "
          "7:1 prio-tc all:0 {priority}:{priority} 7:7",
      .blocks_for = &kDemandsHeartbeatClass,
      .depends_on = {"drv.dcb-capable", "ets.capacity", "ets.map"},
      .rule = Rule<EthernetView>{ClassNotApplicable, JudgeClasses}};
}

Check EtsClusterShare() {
  return {.id = "ets.cluster-share",
          .title = "The heartbeat has the small share that the profile gives it",
          .why = "Without a share it starves under load; with a large one storage lacks what it never uses",
          .fix =
              "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets 7:ets tc-bw all:0 0:49 "
              "{priority}:50 "
              "7:1 prio-tc all:0 {priority}:{priority} 7:7",
          .blocks_for = &kDemandsHeartbeatShare,
          .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.three-classes"},
          .rule = Rule<EthernetView>{ShareNotApplicable, JudgeShare}};
}

}  // namespace rdmaready
