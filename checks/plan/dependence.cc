// SPDX-License-Identifier: Apache-2.0
#include "checks/plan/dependence.h"

#include <cstddef>

#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Kind = SettingKind;

// A lossless priority whose class another priority has, too: a pause of the one stops the other.
bool SharesClass(const Dcb& dcb) {
  if (!dcb.ets || !dcb.pfc) return false;
  const auto lossless = [&dcb](std::size_t priority) {
    return (unsigned{dcb.pfc->enabled} >> priority & 1U) != 0;
  };
  for (std::size_t a = 0; a < kPriorities; ++a) {
    for (std::size_t b = 0; b < kPriorities; ++b) {
      if (lossless(a) && !lossless(b) && dcb.ets->prio_tc[a] == dcb.ets->prio_tc[b]) return true;
    }
  }
  return false;
}

// Why a step of one kind needs the refused setting of the other; empty: it does not.
std::string Without(Kind refused, Kind step, const Netdev& netdev) {
  if (step == Kind::kPfc && refused == Kind::kEts && SharesClass(netdev.dcb))
    return "a lossless priority would share its class with others";
  if (step == Kind::kPfc && refused == Kind::kPause && netdev.pause && (netdev.pause->rx || netdev.pause->tx))
    return "link-level pause would stay on, which stops all priorities";
  if (step == Kind::kBuffer && refused == Kind::kPfc && netdev.dcb.pfc && netdev.dcb.pfc->enabled == 0)
    return "no priority would be lossless";
  return {};
}

const Netdev* NetdevAfter(std::span<const PlannedPart> parts, const SettingObject& object) {
  for (const PlannedPart& part : parts) {
    if (const SettingPlace place = PlaceOf(part.now, object); place.netdev != nullptr) return place.netdev;
  }
  return nullptr;
}

}  // namespace

std::map<SettingObject, std::string> NeedingRefused(std::span<const PlannedPart> parts, const Plan& plan) {
  std::map<SettingObject, std::string> needing;
  for (const PlanRefusal& refusal : plan.refusals) {
    for (const PlanStep& step : plan.steps) {
      if (step.object.where != refusal.object.where || step.object.kind == refusal.object.kind) continue;
      const Netdev* netdev = NetdevAfter(parts, step.object);
      if (netdev == nullptr) continue;
      const std::string why = Without(refusal.object.kind, step.object.kind, *netdev);
      if (!why.empty()) {
        needing.emplace(step.object, Cat("it needs ", TextOf(refusal.object), ", which is refused: ", why));
      }
    }
  }
  return needing;
}

}  // namespace rdmaready
