// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/heard_host.h"

namespace rdmaready {
namespace {

Profile SwitchAgreesSilent() {
  Profile profile;
  profile.name = "silent";
  return profile;
}

}  // namespace

std::vector<CheckCase> SwitchAgreesCases() {
  std::vector<CheckCase> cases;
  const auto pausing = [](std::uint8_t enabled) {
    return Switch([enabled](LldpNeighbour& agent) { agent.pfc = LldpPfc{.enabled = enabled}; });
  };
  const Facts cee = Switch([](LldpNeighbour& agent) {
    agent.pfc.reset();
    agent.cee = LldpCee{.pfc = CeePfc{.enabled = 1U << 4}};
  });
  const Facts firmware = WithDcb([](Dcb& dcb) { dcb.peer.pfc = Pfc{.enabled = 1U << 5}; });
  cases.insert(cases.end(),
               {Passes("pfc.switch-agrees", "3", Good(), "sw1 port Ethernet1/1 has PFC on 3"),
                Fails("pfc.switch-agrees", "4", pausing(1U << 4), "has PFC on 4",
                      {.fix = "profile show virtual-fabric --switch"}),
                Fails("pfc.switch-agrees", "off", pausing(0), "has PFC off"),
                Fails("pfc.switch-agrees", "4 by CEE", cee, "has PFC on 4"),
                Fails("pfc.switch-agrees", "by firmware, unwatched", firmware, "the other end has PFC on 5"),
                IsUnknown("pfc.switch-agrees", "denied", Deaf(), "not permitted"),
                DoesNotApply("pfc.switch-agrees", "not announced",
                             Switch([](LldpNeighbour& agent) { agent.pfc.reset(); }), "announces no PFC"),
                DoesNotApply("pfc.switch-agrees", "not asked", Good(), "does not ask",
                             {.profile = SwitchAgreesSilent()})});
  const auto ets = [](std::uint8_t rdma_class, std::uint8_t percent, Tsa tsa) {
    return Switch([=](LldpNeighbour& agent) {
      agent.ets->prio_tc[3] = rdma_class;
      agent.ets->percent[rdma_class] = percent;
      agent.ets->tsa[rdma_class] = tsa;
    });
  };
  cases.insert(cases.end(),
               {Passes("ets.switch-agrees", "50%", Good(), "gives it 50%"),
                Passes("ets.switch-agrees", "within tolerance", ets(3, 46, Tsa::kEts), "gives it 46%"),
                Warns("ets.switch-agrees", "20%", ets(3, 20, Tsa::kEts), "gives it 20%"),
                Warns("ets.switch-agrees", "strict", ets(3, 50, Tsa::kStrict), "strict priority"),
                Fails("ets.switch-agrees", "with all others", ets(0, 50, Tsa::kEts),
                      "has priority 0, 1, 2, 4, 5, 6 and 7 in the same class"),
                IsUnknown("ets.switch-agrees", "denied", Deaf(), "not permitted"),
                DoesNotApply("ets.switch-agrees", "not announced",
                             Switch([](LldpNeighbour& agent) { agent.ets.reset(); }), "announces no ETS")});

  return cases;
}

}  // namespace rdmaready
