// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/ets_view.h"

#include <algorithm>
#include <array>
#include <vector>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {

std::optional<std::uint8_t> CnpPriorityOf(const EthernetView& view) {
  constexpr std::uint8_t kOfConnectX = 6;
  if (view.profile.cnp && view.profile.cnp->priority) return view.profile.cnp->priority;
  const Fact<CongestionControl>& control = view.port.congestion;
  if (control && control->cnp_priority) return control->cnp_priority;
  const bool told = control || NotOffered(control);
  if (told && view.netdev && view.netdev->driver == "mlx5_core") return kOfConnectX;
  return std::nullopt;
}

std::string EtsNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  const Profile& profile = view.profile;
  if (!profile.ets_rdma_percent || !profile.rdma_priority) return NotAsked(profile, "an ETS share");
  if (*profile.rdma_priority == 0) return Cat("profile ", profile.name, " keeps RDMA in the default priority");
  return {};
}

bool IsUrgent(const EthernetView& view, std::uint8_t priority) {
  const Profile& profile = view.profile;
  if (profile.heartbeat && profile.heartbeat->priority == priority) return true;
  for (const Profile::EtsClass& one : profile.ets_classes) {
    const bool member = std::ranges::find(one.priorities, priority) != one.priorities.end();
    if (member && !one.percent) return true;
  }
  return CnpPriorityOf(view) == priority;
}

bool HasPlannedClass(const EthernetView& view, std::uint8_t priority) {
  const Profile& profile = view.profile;
  return priority == 0 || priority == *profile.rdma_priority || CnpPriorityOf(view) == priority ||
         (profile.heartbeat && profile.heartbeat->priority == priority);
}

namespace {

std::uint8_t DefaultClass(const Ets& ets) {
  return ets.prio_tc[0] < ClassCount(ets) ? ets.prio_tc[0] : std::uint8_t{0};
}

// In RDMA's class without being lossless as it is: see ets.map.
bool SharesWithRdma(const EthernetView& view, const Ets& ets, std::uint8_t priority) {
  const std::uint8_t rdma = *view.profile.rdma_priority;
  const bool lossless = view.profile.pfc && (unsigned{BitmapOf(*view.profile.pfc)} >> priority & 1U) != 0;
  return priority != rdma && !lossless && ets.prio_tc[priority] == ets.prio_tc[rdma];
}

// Served before RDMA's share: see ets.tsa. Of a NIC that nobody could ask it may be notifications of
// congestion.
bool GoesBefore(const EthernetView& view, const Ets& ets, std::uint8_t priority) {
  const Fact<CongestionControl>& control = view.port.congestion;
  const std::uint8_t tc = ets.prio_tc[priority];
  return (control || NotOffered(control)) && tc < kPriorities &&
         tc != ets.prio_tc[*view.profile.rdma_priority] && ets.tsa[tc] != Tsa::kEts &&
         !IsUrgent(view, priority);
}

// Has a share that somebody else was given: see ets.classes.
bool IsForeign(const EthernetView& view, const Ets& ets, std::uint8_t priority) {
  const std::uint8_t tc = ets.prio_tc[priority];
  if (!view.profile.heartbeat || tc >= kPriorities || HasPlannedClass(view, priority)) return false;
  for (std::uint8_t other = 0; other < kPriorities; ++other) {
    if (ets.prio_tc[other] == tc && HasPlannedClass(view, other)) return false;
  }
  return ets.tsa[tc] == Tsa::kEts && ets.tx_percent[tc] > 0;
}

// With what is in RDMA's way in the default class; where the map is fixed it stays in its own, without a share.
Ets OutOfTheWay(const EthernetView& view, const Ets& ets, bool fixed_map) {
  Ets changed = ets;
  changed.tx_percent = SettingOf(ets).tx_percent;
  const std::uint8_t fallback = DefaultClass(ets);
  for (std::uint8_t priority = 1; priority < kPriorities; ++priority) {
    const bool before = GoesBefore(view, ets, priority);
    const bool foreign = IsForeign(view, ets, priority);
    if (fixed_map && (before || foreign)) {
      changed.tsa[ets.prio_tc[priority]] = Tsa::kEts;
      changed.tx_percent[ets.prio_tc[priority]] = 0;
    }
    if (!fixed_map && (before || foreign || SharesWithRdma(view, ets, priority)))
      changed.prio_tc[priority] = fallback;
  }
  if (GoesBefore(view, ets, 0)) changed.tsa[fallback] = Tsa::kEts;
  if (changed.tsa[fallback] == Tsa::kEts && changed.tx_percent[fallback] == 0) changed.tx_percent[fallback] = 1;
  return changed;
}

bool EachItsOwn(const Ets& ets) {
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    if (ets.prio_tc[priority] != priority) return false;
  }
  return true;
}

// A heartbeat of which the profile names no share still has a class of its own.
std::vector<EtsClaim> AllClaims(const EthernetView& view) {
  const Profile& profile = view.profile;
  std::vector<EtsClaim> claims = ClaimsOf(profile, NetdevFact(view.netdev, &Netdev::speed_mbps));
  if (profile.heartbeat && profile.heartbeat->priority != 0 && !profile.heartbeat->percent)
    claims.push_back({profile.heartbeat->priority, 1});
  return claims;
}

}  // namespace

EtsPlan WantedEts(const EthernetView& view, const Ets& ets) {
  const bool contiguous = view.netdev && DcbDriverOf(*view.netdev) == DcbDriver::kIce;
  const bool fixed_map = view.netdev && ClassMapIsFixed(*view.netdev) && EachItsOwn(ets);
  if (!view.profile.ets_classes.empty() && !fixed_map) return PlanClasses(view.profile, contiguous);
  return PlanEts(OutOfTheWay(view, ets, fixed_map), AllClaims(view), contiguous && !fixed_map);
}

std::string EtsFix(const EthernetView& view, const Ets& ets) {
  return EtsCommand(WantedEts(view, ets), NetdevWord(view.netdev));
}

std::optional<EtsPlan> ClassesBeforePfc(const EthernetView& view) {
  const FactRef<Ets> told = ToldByDriver(view.netdev, &Dcb::ets);
  const bool lossless = view.profile.pfc && !view.profile.pfc->empty();
  const bool unset = told && !DcbFact(view.netdev, &Dcb::ets) && view.netdev->driver == "bnxt_en";
  if (!unset || !lossless) return std::nullopt;
  if (EtsNotApplicable(view).empty()) return WantedEts(view, *told);
  if (view.profile.rdma_priority.value_or(0) == 0) return PlanEts(*told, {}, false);
  const EtsClaim claim{.priority = *view.profile.rdma_priority,
                       .percent = view.profile.ets_rdma_percent.value_or(50)};
  return PlanEts(*told, std::array{claim}, false);
}

}  // namespace rdmaready
