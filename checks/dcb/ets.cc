// SPDX-License-Identifier: Apache-2.0
// ets.*: the class of the RDMA priority, and its share of the link.
#include "checks/dcb/ets_view.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = kEtsSource;

Verdict JudgeMap(const EthernetView& view) {
  const std::uint8_t priority = *view.profile.rdma_priority;
  const std::string expected = Cat("priority ", priority, " in a class of its own");
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kSource);
  const std::uint8_t tc = ets->prio_tc[priority];
  if (tc >= ClassCount(*ets)) {
    return Judged(false,
                  Cat("priority ", priority, " is in TC ", tc, ", the NIC has ", ClassCount(*ets), " classes"),
                  expected, kSource, EtsFix(view, *ets));
  }
  if (tc == ets->prio_tc[0]) {
    return Judged(false, Cat("priority ", priority, " shares TC ", tc, " with the default priority 0"),
                  expected, kSource, EtsFix(view, *ets));
  }
  unsigned sharing = 0;
  for (std::uint8_t other = 1; other < kPriorities; ++other) {
    if (other != priority && ets->prio_tc[other] == tc) sharing |= 1U << other;
  }
  if (view.profile.pfc) sharing &= ~static_cast<unsigned>(BitmapOf(*view.profile.pfc));
  const std::string observed = Cat("priority ", priority, " is in TC ", tc);
  if (sharing == 0) return Judged(true, observed, expected, kSource);
  EtsPlan plan{.tsa = ets->tsa, .tx_percent = ets->tx_percent, .prio_tc = ets->prio_tc};
  for (std::uint8_t other = 1; other < kPriorities; ++other) {
    if ((sharing >> other & 1U) != 0) plan.prio_tc[other] = plan.prio_tc[0];
  }
  return Warned(Cat(observed, ", together with ", ListText(PrioritiesOf(static_cast<std::uint8_t>(sharing)))),
                expected, kSource, EtsCommand(plan, NetdevWord(view.netdev)));
}

// A vendor's scheduling gives no share at all. Nor does a strict class, but it has all that it asks for: what
// it does to the others is ets.tsa's.
Verdict JudgeShare(const EthernetView& view) {
  const Profile& profile = view.profile;
  const std::uint8_t priority = *profile.rdma_priority;
  const unsigned wanted = *profile.ets_rdma_percent;
  const unsigned tolerance = profile.ets_tolerance_percent;
  const std::string expected = Cat("ETS ", profile.ets_at_least ? "at least " : "", wanted, " %");
  const Fact<Ets> ets = DcbFact(view.netdev, &Dcb::ets);
  if (!ets) return NoAnswer(ets.missing(), expected, kSource);
  const std::uint8_t tc = ets->prio_tc[priority];
  if (tc >= kPriorities) return Judged(false, Cat("priority ", priority, " is in no class"), expected, kSource);
  const Tsa tsa = ets->tsa[tc];
  const std::string place = Cat("priority ", priority, " in TC ", tc, ": ");
  if (tsa == Tsa::kStrict)
    return {.outcome = Outcome::kNotApplicable, .observed = Cat(place, "strict, see ets.tsa")};
  if (tsa != Tsa::kEts) {
    return Judged(false, Cat(place, Name(tsa), ", no share of its own"), expected, kSource, EtsFix(view, *ets));
  }
  const unsigned share = ets->tx_percent[tc];
  const std::string observed = Cat(place, "ETS ", share, " %");
  if (share > wanted + tolerance && !profile.ets_at_least)
    return Warned(observed, expected, kSource, EtsFix(view, *ets));
  return Judged(share + tolerance >= wanted, observed, expected, kSource, EtsFix(view, *ets));
}

}  // namespace

Check EtsMap() {
  return {.id = "ets.map",
          .title = "The RDMA priority has a traffic class of its own",
          .why =
              "In one class with ordinary traffic RDMA has no share of its own, and its pauses stop that "
              "traffic too",
          .fix =
              "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets tc-bw all:0 0:50 {priority}:50 "
              "prio-tc all:0 "
              "{priority}:{priority}",
          .blocks_for = &kDemandsEts,
          .depends_on = {"drv.dcb-capable", "ets.capacity"},
          .rule = Rule<EthernetView>{EtsNotApplicable, JudgeMap}};
}

Check EtsRdmaShare() {
  return {.id = "ets.rdma-share",
          .title = "The class of RDMA has its share of the link",
          .why = "Under load ordinary traffic takes the bandwidth that storage counts on",
          .fix =
              "dcb ets set dev {netdev} tc-tsa all:strict 0:ets {priority}:ets tc-bw all:0 0:50 {priority}:50 "
              "prio-tc all:0 "
              "{priority}:{priority}",
          .blocks_for = &kDemandsEts,
          .depends_on = {"drv.dcb-capable", "ets.map", "ets.sum", "ets.tsa"},
          .rule = Rule<EthernetView>{EtsNotApplicable, JudgeShare}};
}

}  // namespace rdmaready
