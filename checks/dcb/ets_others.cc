// SPDX-License-Identifier: Apache-2.0
// ets.min-default, ets.map-contiguous, ets.classes: the classes beside RDMA's.
#include <algorithm>
#include <vector>

#include "checks/dcb/ets_view.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

Verdict JudgeDefault(const EthernetView& view) {
  constexpr std::string_view kExpected = "at least 1 %";
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), std::string(kExpected), kEtsSource);
  const std::uint8_t tc = ets->prio_tc[0];
  if (tc >= kPriorities) {
    return Unclear("the default priority is in no class", std::string(kExpected), kEtsSource);
  }
  if (ets->tsa[tc] != Tsa::kEts) {
    return Judged(true, Cat("the default class TC ", tc, " has no share: ", Name(ets->tsa[tc])),
                  std::string(kExpected), kEtsSource);
  }
  return Judged(ets->tx_percent[tc] > 0, Cat("the default class TC ", tc, ": ETS ", ets->tx_percent[tc], " %"),
                std::string(kExpected), kEtsSource, EtsFix(view, *ets));
}

std::string ContiguousNotApplicable(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return reason;
  if (!view.netdev || view.netdev->driver == "ice") return {};
  return Cat("driver ", view.netdev->driver, " takes classes of any number");
}

Verdict JudgeContiguous(const EthernetView& view) {
  constexpr std::string_view kExpected = "classes from 0 on, without gaps";
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), std::string(kExpected), kEtsSource);
  const auto used = [&ets](std::uint8_t tc) {
    return std::ranges::find(ets->prio_tc, tc) != ets->prio_tc.end();
  };
  std::vector<std::uint8_t> classes;
  for (std::uint8_t tc = 0; tc < kPriorities; ++tc) {
    if (used(tc)) classes.push_back(tc);
  }
  const bool whole = !classes.empty() && classes.back() + std::size_t{1} == classes.size();
  return Judged(whole, Cat("in use: TC ", ListText(classes)), std::string(kExpected), kEtsSource,
                EtsFix(view, *ets));
}

std::string ClassesNotApplicable(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return reason;
  return view.profile.ets_classes.empty() ? NotAsked(view.profile, "classes one by one") : "";
}

std::string ClassName(const Profile::EtsClass& one) {
  return Cat(one.priorities.size() == 1 ? "priority " : "priorities ", ListText(one.priorities));
}

std::string ClassText(const Profile::EtsClass& one) {
  return one.percent ? Cat(ClassName(one), " ", *one.percent, " %") : Cat(ClassName(one), " strict");
}

std::string ExpectedClasses(const Profile& profile) {
  std::string text;
  for (const Profile::EtsClass& one : profile.ets_classes)
    text += Cat(text.empty() ? "" : "; ", ClassText(one));
  return text;
}

// What is wrong with that class; empty when nothing is. How RDMA's own is served is ets.tsa's and
// ets.rdma-share's.
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

Verdict JudgeClasses(const EthernetView& view) {
  const std::string expected = ExpectedClasses(view.profile);
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  for (const Profile::EtsClass& one : view.profile.ets_classes) {
    const std::string wrong = Wrong(view.profile, one, *ets);
    if (!wrong.empty()) return Judged(false, wrong, expected, kEtsSource, EtsFix(view, *ets));
  }
  return Judged(true, Cat(view.profile.ets_classes.size(), " classes as the profile has them"), expected,
                kEtsSource);
}

}  // namespace

Check EtsMinDefault() {
  return {
      .id = "ets.min-default",
      .title = "The default class has a share of the link",
      .why = "RDMA connections are made over it, and all else runs in it: with nothing it starves under load",
      .fix = kEtsGenericFix,
      .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum"},
      .rule = Rule<EthernetView>{EtsNotApplicable, JudgeDefault}};
}

Check EtsMapContiguous() {
  return {
      .id = "ets.map-contiguous",
      .title = "The classes in use are numbered from 0, where the NIC wants that",
      .why = "Intel E810's driver switches DCB off when there is a gap: RDMA then has neither class nor PFC",
      .fix = kEtsGenericFix,
      .blocks_for = &kDemandsEts,
      .depends_on = {"drv.dcb-capable", "ets.map"},
      .rule = Rule<EthernetView>{ContiguousNotApplicable, JudgeContiguous}};
}

Check EtsClasses() {
  return {.id = "ets.classes",
          .title = "Every traffic class of the profile is there, with its priorities and its share",
          .why = "Where host and switch divide the link differently, a class is lossless or fast one way only",
          .fix = kEtsGenericFix,
          .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.tsa", "ets.rdma-share"},
          .rule = Rule<EthernetView>{ClassesNotApplicable, JudgeClasses}};
}

}  // namespace rdmaready
