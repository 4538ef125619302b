// SPDX-License-Identifier: Apache-2.0
// ets.*: the classes beside RDMA's: the heartbeat's and everybody else's.
#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <vector>

#include "checks/dcb/ets_view.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kHeartbeatFix =
    "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets 7:ets tc-bw all:0 0:49 {priority}:50 7:1 "
    "prio-tc all:0 {priority}:{priority} 7:7";

Verdict JudgeEtsMinDefault(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "at least 1 %";
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), kExpected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[0];
  if (tc >= kPriorities) {
    return Unclear("the default priority is in no class", kExpected, kEtsSource);
  }
  if (ets->tsa[tc] != Tsa::kEts) {
    return Judged(true, Cat("the default class TC ", tc, " has no share: ", Name(ets->tsa[tc])), kExpected,
                  kEtsSource);
  }
  return Judged(ets->tx_percent[tc] > 0, Cat("the default class TC ", tc, ": ETS ", ets->tx_percent[tc], " %"),
                kExpected, kEtsSource, EtsFix(view, *ets));
}

std::string ContiguousNotApplicable(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return reason;
  if (!view.netdev || view.netdev->driver == "ice") return {};
  return Cat("driver ", view.netdev->driver, " takes classes of any number");
}

Verdict JudgeEtsMapContiguous(const EthernetView& view) {
  if (std::string reason = ContiguousNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "classes from 0 on, without gaps";
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), kExpected, kEtsSource);
  const auto used = [&ets](std::uint8_t tc) {
    return std::ranges::find(ets->prio_tc, tc) != ets->prio_tc.end();
  };
  std::vector<std::uint8_t> classes;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    if (used(tc)) classes.push_back(tc);
  }
  const bool whole = !classes.empty() && classes.back() + std::size_t{1} == classes.size();
  return Judged(whole, Cat("in use: TC ", ListText(classes)), kExpected, kEtsSource, EtsFix(view, *ets));
}

std::string ClassName(const Profile::EtsClass& one) {
  return Cat(one.priorities.size() == 1 ? "priority " : "priorities ", ListText(one.priorities));
}

std::string EtsClassText(const Profile::EtsClass& one) {
  return one.percent ? Cat(ClassName(one), " ", *one.percent, " %") : Cat(ClassName(one), " strict");
}

std::string ExpectedClasses(const Profile& profile) {
  std::string text;
  for (const Profile::EtsClass& one : profile.ets_classes)
    text += Cat(text.empty() ? "" : "; ", EtsClassText(one));
  return text;
}

// What is wrong with that class; empty when nothing is. How RDMA's own is served is ets.tsa's
// and ets.rdma-share's.
std::string Wrong(const Profile& profile, const Profile::EtsClass& one, const Ets& ets) {
  const std::uint8_t tc = ets.prio_tc[one.priorities.front()];
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const bool member = std::ranges::find(one.priorities, priority) != one.priorities.end();
    if (member && ets.prio_tc[priority] != tc) return Cat(ClassName(one), " are not in one class");
    if (!member && ets.prio_tc[priority] == tc)
      return Cat(ClassName(one), " in TC ", tc, ", together with ", priority);
  }
  if (tc >= kPriorities) return Cat(ClassName(one), " in no class");
  const std::string place = Cat(ClassName(one), " in TC ", tc, ": ");
  if (!one.percent) return ets.tsa[tc] == Tsa::kStrict ? "" : Cat(place, Name(ets.tsa[tc]), ", not strict");
  if (std::ranges::find(one.priorities, profile.rdma_priority.value_or(kPriorities)) != one.priorities.end())
    return {};
  if (ets.tsa[tc] != Tsa::kEts) return Cat(place, Name(ets.tsa[tc]), ", no share of its own");
  const unsigned now = ets.tx_percent[tc];
  const unsigned wanted = *one.percent;
  const unsigned tolerance = profile.ets_tolerance_percent;
  const bool near = now + tolerance >= wanted && now <= wanted + tolerance;
  return near ? "" : Cat(place, "ETS ", now, " %");
}

// Of a profile that has a class for RDMA, the heartbeat and all the rest: a share that somebody else was given
// comes off what those are promised. Where only RDMA's share is asked for, the others are free.
Verdict JudgeForeignClasses(const EthernetView& view) {
  constexpr std::string_view kNoOther = "no share of the link for any other class";
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), kNoOther, kEtsSource);
  std::string foreign;
  for (std::uint8_t priority = 1; priority < kPriorities; ++priority) {
    const std::uint8_t tc = ets->prio_tc[priority];
    if (tc >= kPriorities || HasPlannedClass(view, priority)) continue;
    const bool planned = std::ranges::any_of(std::views::iota(0U, unsigned{kPriorities}), [&](unsigned other) {
      return ets->prio_tc[other] == tc && HasPlannedClass(view, static_cast<std::uint8_t>(other));
    });
    if (planned || ets->tsa[tc] != Tsa::kEts || ets->tx_percent[tc] == 0) continue;
    foreign += Cat(foreign.empty() ? "" : ", ", "priority ", priority, " in TC ", tc, ": ETS ",
                   ets->tx_percent[tc], " %");
  }
  return Judged(foreign.empty(), foreign.empty() ? "no other class has a share" : foreign, kNoOther,
                kEtsSource);
}

Verdict JudgeEtsClasses(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  if (view.profile.ets_classes.empty() && view.profile.heartbeat) return JudgeForeignClasses(view);
  if (view.profile.ets_classes.empty()) return NotApplicable(NotAsked(view.profile, "classes one by one"));
  const std::string expected = ExpectedClasses(view.profile);
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  for (const Profile::EtsClass& one : view.profile.ets_classes) {
    const std::string wrong = Wrong(view.profile, one, *ets);
    if (!wrong.empty()) return Judged(false, wrong, expected, kEtsSource, EtsFix(view, *ets));
  }
  return Judged(true, Cat(view.profile.ets_classes.size(), " classes as the profile has them"), expected,
                kEtsSource);
}

constexpr int kMostPercent = 2;

std::string ClassNotApplicable(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return reason;
  return view.profile.heartbeat ? "" : NotAsked(view.profile, "a heartbeat");
}

Verdict JudgeEtsThreeClasses(const EthernetView& view) {
  if (std::string reason = ClassNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint8_t heartbeat = view.profile.heartbeat->priority;
  const std::uint8_t rdma = *view.profile.rdma_priority;
  const std::string expected = Cat("priority ", heartbeat, " in a class of its own");
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[heartbeat];
  const std::string observed = Cat("heartbeat's priority ", heartbeat, " is in TC ", tc);
  const std::string_view shared = tc == ets->prio_tc[rdma] ? ", with RDMA"
                                  : tc == ets->prio_tc[0]  ? ", with the default"
                                                           : "";
  return Judged(shared.empty() && tc < ClassCount(*ets), Cat(observed, shared), expected, kEtsSource,
                EtsFix(view, *ets));
}

// A little is wanted: enough to get through, and no more. One point beside it is said, up to the most that
// Microsoft reserves; more is wrong. A strict class gets through too, but has no bound.
Verdict JudgeEtsClusterShare(const EthernetView& view) {
  if (std::string reason = ClassNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.heartbeat->percent)
    return NotApplicable(NotAsked(view.profile, "a share for the heartbeat"));
  const FactRef<std::uint32_t> speed = NetdevFact(view.netdev, &Netdev::speed_mbps);
  const int wanted = *HeartbeatPercent(view.profile, speed);
  const std::string expected = Cat("ETS ", wanted, " %");
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
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

std::vector<Check> EtsOthersChecks() {
  return {
      {.id = "ets.three-classes",
       .title = "The heartbeat has a traffic class apart from RDMA and from the rest",
       .why = "In one class with storage or ordinary traffic it waits under load, and a healthy node is thrown "
              "out",
       .fix = Fix(kHeartbeatFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsHeartbeatClass,
       .depends_on = {"drv.dcb-capable", "ets.capacity", "ets.map"},
       .judge = JudgeEtsThreeClasses},
      {.id = "ets.cluster-share",
       .title = "The heartbeat has the small share that the profile gives it",
       .why = "Without a share it starves under load; with a large one storage lacks what it never uses",
       .fix = Fix(kHeartbeatFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsHeartbeatShare,
       .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.three-classes"},
       .judge = JudgeEtsClusterShare},
      {.id = "ets.min-default",
       .title = "The default class has a share of the link",
       .why = "RDMA connections are made over it, and all else runs in it: with nothing it starves under load",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum"},
       .judge = JudgeEtsMinDefault},
      {.id = "ets.map-contiguous",
       .title = "The classes in use are numbered from 0, where the NIC wants that",
       .why = "Intel E810's driver switches DCB off when there is a gap: RDMA then has neither class nor PFC",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.map"},
       .judge = JudgeEtsMapContiguous},
      {.id = "ets.classes",
       .title = "Every traffic class of the profile is there, with its priorities and its share",
       .why = "Where host and switch divide the link differently, a class is lossless or fast one way only",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.tsa", "ets.rdma-share"},
       .judge = JudgeEtsClasses},
  };
}

}  // namespace rdmaready
