// SPDX-License-Identifier: Apache-2.0
// ets.*: are there enough classes, do their shares add up, and is none served before RDMA's.
#include <algorithm>

#include "checks/dcb/ets_view.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/unclear.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// The default class, RDMA's, and the heartbeat's where one is asked for.
unsigned NeededClasses(const Profile& profile) { return profile.heartbeat ? 3 : 2; }

Verdict JudgeCapacity(const EthernetView& view) {
  const unsigned needed = NeededClasses(view.profile);
  const std::string expected = Cat("at least ", needed);
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const unsigned classes = ClassCount(*ets);
  return Judged(classes >= needed, Cat(classes, classes == 1 ? " class" : " classes"), expected, kEtsSource);
}

Verdict JudgeSum(const EthernetView& view) {
  constexpr std::string_view kExpected = "100 %";
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), std::string(kExpected), kEtsSource);
  unsigned sum = 0;
  unsigned sharing = 0;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (ets->tsa[tc] != Tsa::kEts) continue;
    sum += ets->tx_percent[tc];
    ++sharing;
  }
  if (sharing == 0) return Judged(true, "no class shares by ETS", std::string(kExpected), kEtsSource);
  return Judged(sum == 100,
                Cat("the shares of ", sharing, sharing == 1 ? " class" : " classes", " add up to ", sum, " %"),
                std::string(kExpected), kEtsSource, EtsFix(view, *ets));
}

// May be served before the others: what is small and must never wait, or what the profile has so.
bool IsUrgent(const Profile& profile, std::uint8_t priority) {
  if (profile.heartbeat && profile.heartbeat->priority == priority) return true;
  for (const Profile::EtsClass& one : profile.ets_classes) {
    const bool member = std::ranges::find(one.priorities, priority) != one.priorities.end();
    if (member && !one.percent) return true;
  }
  return profile.cnp && profile.cnp->priority == priority;
}

// RDMA's own class shares by ETS: a vendor's way promises nothing. Strict, it goes before the others, as a
// strict class of other traffic goes before it: a warning.
Verdict JudgeTsa(const EthernetView& view) {
  constexpr std::string_view kExpected = "ets, and no strict class before it";
  const Profile& profile = view.profile;
  const std::uint8_t rdma = *profile.rdma_priority;
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), std::string(kExpected), kEtsSource);
  const std::uint8_t own = ets->prio_tc[rdma];
  if (own >= kPriorities)
    return Unclear(Cat("priority ", rdma, " is in no class"), std::string(kExpected), kEtsSource);
  if (ets->tsa[own] == Tsa::kStrict) {
    return Warned(Cat("priority ", rdma, " in TC ", own, ": strict, served before all shares"),
                  std::string(kExpected), kEtsSource, EtsFix(view, *ets));
  }
  if (ets->tsa[own] != Tsa::kEts) {
    return Judged(false, Cat("priority ", rdma, " in TC ", own, ": ", Name(ets->tsa[own])),
                  std::string(kExpected), kEtsSource, EtsFix(view, *ets));
  }
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const std::uint8_t tc = ets->prio_tc[priority];
    if (tc >= kPriorities || tc == own || ets->tsa[tc] == Tsa::kEts || IsUrgent(profile, priority)) continue;
    return Warned(
        Cat("priority ", priority, " in TC ", tc, ": ", Name(ets->tsa[tc]), ", served before RDMA's share"),
        std::string(kExpected), kEtsSource);
  }
  return Judged(true, Cat("priority ", rdma, " in TC ", own, ": ets"), std::string(kExpected), kEtsSource);
}

std::string RateNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  if (!view.profile.rdma_priority) return NotAsked(view.profile, "a priority");
  return NotOffered(DcbFact(view.netdev, &Dcb::max_rate_kbps)) ? "the driver has no rate limits" : "";
}

// NICs limit in steps: mlx5 of 100 Mb/s, or of 1 Gb/s above 25.5 Gb/s (mlx5e_dcbnl_ieee_setmaxrate).
bool IsRate(std::uint64_t kbps, std::uint64_t wanted_kbps) {
  if (kbps == 0 || wanted_kbps == 0) return kbps == wanted_kbps;
  const std::uint64_t step_kbps = wanted_kbps > 25'500'000 ? 1'000'000 : 100'000;
  return kbps < wanted_kbps + step_kbps && wanted_kbps < kbps + step_kbps;
}

Verdict JudgeRate(const EthernetView& view) {
  constexpr std::string_view kSource = "dcbnl maximum rate, IEEE ETS";
  const std::uint64_t wanted_kbps = std::uint64_t{1000} * view.profile.rdma_max_rate_mbps.value_or(0);
  const std::string expected =
      wanted_kbps == 0 ? "no limit" : Cat(wanted_kbps / 1000, " Mb/s, as the profile wants");
  const Fact<MaxRatesKbps> rates = DcbFact(view.netdev, &Dcb::max_rate_kbps);
  if (!rates) return NoAnswer(rates.missing(), expected, kSource);
  const bool none = std::ranges::all_of(*rates, [](std::uint64_t rate) { return rate == 0; });
  if (none && wanted_kbps == 0) return Judged(true, "no class is limited", expected, kSource);
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kSource);
  const std::uint8_t tc = ets->prio_tc[*view.profile.rdma_priority];
  if (tc >= kPriorities) return Unclear("the RDMA priority is in no class", expected, kSource);
  const std::uint64_t rate = (*rates)[tc];
  const std::string observed =
      rate == 0 ? Cat("TC ", tc, " has no limit") : Cat("TC ", tc, " is limited to ", rate / 1000, " Mb/s");
  return Judged(IsRate(rate, wanted_kbps), observed, expected, kSource,
                Cat("dcb maxrate set dev ", NetdevWord(view.netdev), " tc-maxrate ", tc, ":",
                    wanted_kbps / 1000, wanted_kbps == 0 ? "" : "mbit"));
}

}  // namespace

Check EtsCapacity() {
  return {.id = "ets.capacity",
          .title = "The NIC has as many traffic classes as the profile needs",
          .why = "Without a class of its own RDMA shares queue and pauses with ordinary traffic",
          .fix = "dcb ets show dev {netdev}  # ets-cap: this NIC or its firmware offers too few, use another",
          .blocks_for = &kDemandsEts,
          .depends_on = {"link.state", "drv.dcb-capable"},
          .rule = Rule<EthernetView>{EtsNotApplicable, JudgeCapacity}};
}

Check EtsSum() {
  return {.id = "ets.sum",
          .title = "The shares of all classes add up to the whole link",
          .why = "The standard asks for 100 %; what a NIC makes of another sum nobody knows",
          .fix = kEtsGenericFix,
          .blocks_for = &kDemandsEts,
          .depends_on = {"drv.dcb-capable", "ets.map"},
          .rule = Rule<EthernetView>{EtsNotApplicable, JudgeSum}};
}

Check EtsTsa() {
  return {.id = "ets.tsa",
          .title = "RDMA's class shares by ETS, and none goes before it",
          .why = "A strict class starves those below it; a vendor's own way keeps no promise at all",
          .fix = kEtsGenericFix,
          .blocks_for = &kDemandsEts,
          .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum"},
          .rule = Rule<EthernetView>{EtsNotApplicable, JudgeTsa}};
}

Check EtsMaxrate() {
  return {.id = "ets.maxrate",
          .title = "RDMA's class has no rate limit",
          .why = "A limit that somebody left behind caps storage, and no counter tells of it",
          .fix = "dcb maxrate set dev {netdev} tc-maxrate all:0",
          .depends_on = {"drv.dcb-capable", "ets.map"},
          .rule = Rule<EthernetView>{RateNotApplicable, JudgeRate}};
}

}  // namespace rdmaready
