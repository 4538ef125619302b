// SPDX-License-Identifier: Apache-2.0
#include "checks/dcb/ets_view.h"

#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {

std::string EtsNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
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
