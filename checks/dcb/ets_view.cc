// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/ets_view.h"

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

std::string EtsFix(const EthernetView& view, const Ets& ets) {
  const bool contiguous = view.netdev && view.netdev->driver == "ice";
  if (!view.profile.ets_classes.empty())
    return EtsCommand(PlanClasses(view.profile, contiguous), NetdevWord(view.netdev));
  const std::vector<EtsClaim> claims = ClaimsOf(view.profile, NetdevFact(view.netdev, &Netdev::speed_mbps));
  return EtsCommand(PlanEts(ets, claims, contiguous), NetdevWord(view.netdev));
}

}  // namespace rdmaready
