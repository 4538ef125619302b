// SPDX-License-Identifier: Apache-2.0
// ets.*: a class of its own for RDMA, and its share of the link.
#include <algorithm>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_view.h"
#include "checks/dcb/max_rate.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

Verdict JudgeEtsMap(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("priority ", priority, " in a class of its own");
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[priority];
  if (tc >= ClassCount(*ets)) {
    return Judged(false,
                  Cat("priority ", priority, " is in TC ", tc, ", the NIC has ", ClassCount(*ets), " classes"),
                  expected, kEtsSource, EtsFix(view, *ets));
  }
  if (tc == ets->prio_tc[0]) {
    return Judged(false, Cat("priority ", priority, " shares TC ", tc, " with the default priority 0"),
                  expected, kEtsSource, EtsFix(view, *ets));
  }
  unsigned sharing = 0;
  for (std::uint8_t other = 1; other < kPriorities; ++other) {
    if (other != priority && ets->prio_tc[other] == tc) sharing |= 1U << other;
  }
  if (view.profile.pfc) sharing &= ~static_cast<unsigned>(BitmapOf(*view.profile.pfc));
  const std::string observed = Cat("priority ", priority, " is in TC ", tc);
  if (sharing == 0) return Judged(true, observed, expected, kEtsSource);
  EtsPlan plan{.tsa = ets->tsa, .tx_percent = SettingOf(*ets).tx_percent, .prio_tc = ets->prio_tc};
  for (std::uint8_t other = 1; other < kPriorities; ++other) {
    if ((sharing >> other & 1U) != 0) plan.prio_tc[other] = plan.prio_tc[0];
  }
  return Warned(Cat(observed, ", together with ", ListText(PrioritiesOf(static_cast<std::uint8_t>(sharing)))),
                expected, kEtsSource, EtsCommand(plan, NetdevWord(view.netdev)));
}

// A vendor's scheduling gives no share at all. Nor does a strict class, but it has all that it asks for: what
// it does to the others is ets.tsa's.
Verdict JudgeEtsRdmaShare(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const Profile& profile = view.profile;
  const std::uint8_t priority = *profile.rdma_priority;
  const unsigned wanted = *profile.ets_rdma_percent;
  const unsigned tolerance = profile.ets_tolerance_percent;
  const std::string expected = Cat("ETS ", profile.ets_at_least ? "at least " : "", wanted, " %");
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const std::uint8_t tc = ets->prio_tc[priority];
  if (tc >= kPriorities)
    return Judged(false, Cat("priority ", priority, " is in no class"), expected, kEtsSource);
  const Tsa tsa = ets->tsa[tc];
  const std::string place = Cat("priority ", priority, " in TC ", tc, ": ");
  if (tsa == Tsa::kStrict)
    return {.outcome = Outcome::kNotApplicable, .observed = Cat(place, "strict, see ets.tsa")};
  if (tsa != Tsa::kEts) {
    return Judged(false, Cat(place, Name(tsa), ", no share of its own"), expected, kEtsSource,
                  EtsFix(view, *ets));
  }
  const unsigned share = ets->tx_percent[tc];
  const std::string observed = Cat(place, "ETS ", share, " %");
  if (share > wanted + tolerance && !profile.ets_at_least)
    return Warned(observed, expected, kEtsSource, EtsFix(view, *ets));
  return Judged(share + tolerance >= wanted, observed, expected, kEtsSource, EtsFix(view, *ets));
}

Verdict JudgeEtsCapacity(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const unsigned needed = NeededClasses(view.profile);
  const std::string expected = Cat("at least ", needed);
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kEtsSource);
  const unsigned classes = ClassCount(*ets);
  return Judged(classes >= needed, Cat(classes, classes == 1 ? " class" : " classes"), expected, kEtsSource);
}

Verdict JudgeEtsSum(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "100 %";
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), kExpected, kEtsSource);
  unsigned sum = 0;
  unsigned sharing = 0;
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (ets->tsa[tc] != Tsa::kEts) continue;
    sum += ets->tx_percent[tc];
    ++sharing;
  }
  if (sharing == 0) return Judged(true, "no class shares by ETS", kExpected, kEtsSource);
  return Judged(sum == 100,
                Cat("the shares of ", sharing, sharing == 1 ? " class" : " classes", " add up to ", sum, " %"),
                kExpected, kEtsSource, EtsFix(view, *ets));
}

// RDMA's own class shares by ETS: a vendor's way promises nothing. Strict, it goes before the others, as a
// strict class of other traffic goes before it: a warning.
Verdict JudgeEtsTsa(const EthernetView& view) {
  if (std::string reason = EtsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "ets, and no strict class before it";
  const Profile& profile = view.profile;
  const std::uint8_t rdma = *profile.rdma_priority;
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), kExpected, kEtsSource);
  const std::uint8_t own = ets->prio_tc[rdma];
  if (own >= kPriorities) return Unclear(Cat("priority ", rdma, " is in no class"), kExpected, kEtsSource);
  if (ets->tsa[own] == Tsa::kStrict) {
    return Warned(Cat("priority ", rdma, " in TC ", own, ": strict, served before all shares"), kExpected,
                  kEtsSource, EtsFix(view, *ets));
  }
  if (ets->tsa[own] != Tsa::kEts) {
    return Judged(false, Cat("priority ", rdma, " in TC ", own, ": ", Name(ets->tsa[own])), kExpected,
                  kEtsSource, EtsFix(view, *ets));
  }
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const std::uint8_t tc = ets->prio_tc[priority];
    if (tc >= kPriorities || tc == own || ets->tsa[tc] == Tsa::kEts || IsUrgent(view, priority)) continue;
    // Perhaps that of congestion notifications.
    if (const auto& control = view.port.congestion; !control && !NotOffered(control))
      return NoAnswer(control.missing(), kExpected, kEtsSource);
    return Warned(
        Cat("priority ", priority, " in TC ", tc, ": ", Name(ets->tsa[tc]), ", served before RDMA's share"),
        kExpected, kEtsSource);
  }
  return Judged(true, Cat("priority ", rdma, " in TC ", own, ": ets"), kExpected, kEtsSource);
}

// NICs limit in steps: mlx5 of 100 Mb/s, or of 1 Gb/s above 25.5 Gb/s (mlx5e_dcbnl_ieee_setmaxrate).
bool IsRate(std::uint64_t kbps, std::uint64_t wanted_kbps) {
  if (kbps == 0 || wanted_kbps == 0) return kbps == wanted_kbps;
  const std::uint64_t step_kbps = wanted_kbps > 25'500'000 ? 1'000'000 : 100'000;
  return kbps < wanted_kbps + step_kbps && wanted_kbps < kbps + step_kbps;
}

Verdict JudgeEtsMaxrate(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.rdma_priority) return NotApplicable(NotAsked(view.profile, "a priority"));
  if (DriverLacks(view.netdev, DcbFact(view.netdev, &Dcb::max_rate_kbps)))
    return NotApplicable("the driver has no rate limits");
  constexpr std::string_view kSource = "dcbnl maximum rate, IEEE ETS";
  const std::uint64_t wanted_kbps = std::uint64_t{1000} * view.profile.rdma_max_rate_mbps.value_or(0);
  const std::string expected =
      wanted_kbps == 0 ? "no limit" : Cat(wanted_kbps / 1000, " Mb/s, as the profile wants");
  const FactRef<MaxRatesKbps> rates = DcbFact(view.netdev, &Dcb::max_rate_kbps);
  if (!rates) return NoAnswer(rates.missing(), expected, kSource);
  const bool none = std::ranges::all_of(*rates, [](std::uint64_t rate) { return rate == 0; });
  if (none && wanted_kbps == 0) return Judged(true, "no class is limited", expected, kSource);
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kSource);
  const std::uint8_t tc = ets->prio_tc[*view.profile.rdma_priority];
  if (tc >= kPriorities) return Unclear("the RDMA priority is in no class", expected, kSource);
  const std::uint64_t rate = (*rates)[tc];
  const std::string observed =
      rate == 0 ? Cat("TC ", tc, " has no limit") : Cat("TC ", tc, " is limited to ", rate / 1000, " Mb/s");
  return Judged(
      IsRate(rate, wanted_kbps), observed, expected, kSource,
      Cat("dcb maxrate set dev ", NetdevWord(view.netdev), " tc-maxrate ", MaxRateWords({{tc, wanted_kbps}})));
}

}  // namespace

std::string MaxRateWords(const std::vector<std::pair<std::size_t, std::uint64_t>>& limits) {
  const auto words = [&limits](std::string_view unit) {
    std::string text;
    for (const auto& [tc, kbps] : limits)
      text += Cat(text.empty() ? "" : " ", tc, ":", kbps, kbps == 0 ? "" : unit);
    return text;
  };
  const auto unlimited = [](const auto& limit) { return limit.second == 0; };
  if (std::ranges::all_of(limits, unlimited)) return words("");
  return Cat("$(dcb -V | grep -Eq 'iproute2-([0-5]|6[.]([0-9]|1[0-7])([.-]|$))' && echo ", words("bps"),
             " || echo ", words("kbit"), ")");
}

unsigned NeededClasses(const Profile& profile) { return profile.heartbeat ? 3 : 2; }

std::optional<MaxRatesKbps> WantedMaxRates(const EthernetView& view, const MaxRatesKbps& now) {
  const FactRef<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets || !view.profile.rdma_priority) return std::nullopt;
  const std::uint8_t tc = ets->prio_tc[*view.profile.rdma_priority];
  if (tc >= kPriorities) return std::nullopt;
  std::uint64_t kbps = std::uint64_t{1000} * view.profile.rdma_max_rate_mbps.value_or(0);
  const DcbDriver driver = DcbDriverOf(*view.netdev);
  const bool steps = driver == DcbDriver::kMlx5 || driver == DcbDriver::kMlx4;
  if (kbps != 0 && steps) {
    const bool large = driver == DcbDriver::kMlx5 && kbps > 25'500'000;
    const std::uint64_t step = large ? 1'000'000 : 100'000;
    kbps = std::max(kbps / step, std::uint64_t{1}) * step;
  }
  MaxRatesKbps wanted = now;
  wanted[tc] = kbps;
  return wanted;
}

std::vector<Check> EtsChecks() {
  return {
      {.id = "ets.capacity",
       .title = "The NIC has as many traffic classes as the profile needs",
       .why = "Without a class of its own RDMA shares queue and pauses with ordinary traffic",
       .fix = Fix("dcb ets show dev {netdev}")
                  .Because("this NIC or its firmware offers too few classes")
                  .Do("ets-cap: look for a firmware setting that gives more classes")
                  .Or("use another NIC"),
       .blocks_for = &kDemandsEts,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgeEtsCapacity},
      {.id = "ets.map",
       .title = "The RDMA priority has a traffic class of its own",
       .why = "In one class with ordinary traffic RDMA has no share of its own, and its pauses stop that "
              "traffic too",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.capacity"},
       .judge = JudgeEtsMap},
      {.id = "ets.sum",
       .title = "The shares of all classes add up to the whole link",
       .why = "The standard asks for 100 %; what a NIC makes of another sum nobody knows",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.map"},
       .judge = JudgeEtsSum},
      {.id = "ets.tsa",
       .title = "RDMA's class shares by ETS, and none goes before it",
       .why = "A strict class starves those below it; a vendor's own way keeps no promise at all",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum"},
       .judge = JudgeEtsTsa},
      {.id = "ets.rdma-share",
       .title = "The class of RDMA has its share of the link",
       .why = "Under load ordinary traffic takes the bandwidth that storage counts on",
       .fix = Fix(kEtsGenericFix).CheckBy(kShowEts),
       .blocks_for = &kDemandsEts,
       .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.tsa"},
       .in_summary = 2,
       .judge = JudgeEtsRdmaShare},
      {.id = "ets.maxrate",
       .title = "RDMA's class has no rate limit",
       .why = "A limit that somebody left behind caps storage, and no counter tells of it",
       .fix = Fix("dcb maxrate set dev {netdev} tc-maxrate all:0").CheckBy("dcb maxrate show dev {netdev}"),
       .depends_on = {"drv.dcb-capable", "ets.map"},
       .judge = JudgeEtsMaxrate},
  };
}

}  // namespace rdmaready
