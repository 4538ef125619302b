// SPDX-License-Identifier: Apache-2.0
// pfc.switch-agrees, ets.switch-agrees: what the other end says it does, against what the profile asks of both.
#include <algorithm>

#include "checks/dcb/neighbours.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSwitchSource = "LLDP";

Verdict JudgePfcSwitchAgrees(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsPfc.made_by(view.profile)) return NotApplicable(NotAsked(view.profile, "PFC"));
  if (std::string reason = NotAnnounced(view, PfcOfPeer(view.netdev), "PFC"); !reason.empty())
    return NotApplicable(reason);
  const std::uint8_t wanted = BitmapOf(*view.profile.pfc);
  const Fact<std::optional<PeerPfc>> pfc = PfcOfPeer(view.netdev);
  if (!pfc) return NoAnswer(pfc.missing(), PfcText(wanted), kSwitchSource);
  const PeerPfc& peer = **pfc;
  return Judged(peer.enabled == wanted, Cat(peer.who, " has ", PfcText(peer.enabled)), PfcText(wanted),
                peer.source);
}

// Priorities that share the class of RDMA without being lossless as it is.
std::vector<std::uint8_t> StrangersIn(const PeerEts& ets, const Profile& profile) {
  std::vector<std::uint8_t> strangers;
  const std::uint8_t rdma = *profile.rdma_priority;
  for (std::uint8_t priority = 0; priority < kPriorities; ++priority) {
    const bool lossless = profile.pfc && std::ranges::find(*profile.pfc, priority) != profile.pfc->end();
    if (priority != rdma && !lossless && ets.prio_class[priority] == ets.prio_class[rdma])
      strangers.push_back(priority);
  }
  return strangers;
}

Verdict JudgeEtsSwitchAgrees(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return NotApplicable(reason);
  if (!kDemandsEts.made_by(view.profile))
    return NotApplicable(NotAsked(view.profile, "a share of the link for RDMA"));
  if (std::string reason = NotAnnounced(view, EtsOfPeer(view.netdev), "ETS"); !reason.empty())
    return NotApplicable(reason);
  const Profile& profile = view.profile;
  const int wanted = *profile.ets_rdma_percent;
  const std::string expected =
      Cat("priority ", *profile.rdma_priority, " in a class of its own with ", wanted, "% of the link");
  const Fact<std::optional<PeerEts>> ets = EtsOfPeer(view.netdev);
  if (!ets) return NoAnswer(ets.missing(), expected, kSwitchSource);
  const PeerEts& peer = **ets;
  if (const std::vector<std::uint8_t> strangers = StrangersIn(peer, profile); !strangers.empty()) {
    return Judged(false, Cat(peer.who, " has priority ", ListText(strangers), " in the same class"), expected,
                  peer.source);
  }
  const std::uint8_t rdma_class = peer.prio_class[*profile.rdma_priority] % kPriorities;
  if (peer.tsa[rdma_class] == Tsa::kStrict) {
    return Warned(Cat(peer.who, " serves it by strict priority"), expected, peer.source);
  }
  const int percent = peer.percent[rdma_class];
  const std::string observed = Cat(peer.who, " gives it ", percent, "%");
  const int off = percent > wanted ? percent - wanted : wanted - percent;
  if (off <= profile.ets_tolerance_percent) return Judged(true, observed, expected, peer.source);
  return Warned(observed, expected, peer.source);
}

Fix SwitchPortFix() {
  return Fix("rdmaready profile show {profile} --switch nxos")
      .Do("set the switch port as the command shows; --switch sonic and --switch cumulus are known too",
          StepSite::kSwitch)
      .Or("change the profile and every host, where the switch has what this network is to have")
      .CheckBy("rdmaready facts --lldp 35");
}

}  // namespace

std::vector<Check> SwitchAgreesChecks() {
  return {
      {.id = "pfc.switch-agrees",
       .title = "The switch pauses the priorities that the profile wants lossless, and no others",
       .why = "Where one end of a link does not pause a priority, frames of it are lost in that direction",
       .fix = SwitchPortFix(),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgePfcSwitchAgrees},
      {.id = "ets.switch-agrees",
       .title = "The switch gives RDMA the share of the link that the profile asks for",
       .why = "Links are full where they leave the switch: there the shares are decided",
       .fix = SwitchPortFix(),
       .depends_on = {"link.state"},
       .judge = JudgeEtsSwitchAgrees},
  };
}

}  // namespace rdmaready
