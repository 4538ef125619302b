// SPDX-License-Identifier: Apache-2.0
// pfc.*: which priorities must not be paused, and how many can be.
#include <bit>

#include "checks/families.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "dcbnl IEEE PFC";

unsigned Wanted(const Profile& profile) { return profile.pfc ? BitmapOf(*profile.pfc) : 0U; }

std::string LosslessNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return kDemandsLossless.made_by(view.profile) ? "" : NotAsked(view.profile, "a lossless priority");
}

// What it pauses now, it can pause: some drivers do not fill the number in.
Verdict JudgeCapability(const EthernetView& view) {
  const int needed = std::popcount(Wanted(view.profile));
  const std::string expected = Cat(needed, " lossless ", needed == 1 ? "priority" : "priorities");
  const Fact<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), expected, kSource);
  const int now = std::popcount(static_cast<unsigned>(pfc->enabled));
  const int can = pfc->capability;
  if (can < needed && now < needed && can == 0) {
    return NoAnswer(
        {.kind = Missing::Kind::kUnsupported, .detail = "the driver does not say how many it can pause"},
        expected, kSource);
  }
  if (can >= needed || now >= needed)
    return Judged(true, can == 0 ? Cat(now, " in use") : Cat("up to ", can), expected, kSource);
  return Judged(false, Cat("up to ", can), expected, kSource);
}

std::string DefaultNotApplicable(const EthernetView& view) {
  if (std::string reason = LosslessNotApplicable(view); !reason.empty()) return reason;
  return (Wanted(view.profile) & 1U) != 0 ? Cat("profile ", view.profile.name, " pauses the default priority")
                                          : std::string();
}

// Off for all, then on for what the profile wants.
std::string SetFix(const EthernetView& view) {
  std::string command = Cat("dcb pfc set dev ", NetdevWord(view.netdev), " prio-pfc all:off");
  for (const std::uint8_t priority : PrioritiesOf(static_cast<std::uint8_t>(Wanted(view.profile))))
    command += Cat(" ", priority, ":on");
  return Cat(command, CostOfPfc(view.netdev));
}

// The priority is not paused.
Verdict JudgeUnpaused(const EthernetView& view, std::uint8_t priority) {
  const std::string expected = Cat("off for ", priority);
  const Fact<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), expected, kSource);
  const bool paused = (static_cast<unsigned>(pfc->enabled) >> priority & 1U) != 0;
  return Judged(!paused, PfcText(pfc->enabled), expected, kSource, SetFix(view));
}

Verdict JudgeDefault(const EthernetView& view) { return JudgeUnpaused(view, 0); }

std::string HeartbeatNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return view.profile.heartbeat ? "" : NotAsked(view.profile, "a heartbeat");
}

Verdict JudgeHeartbeat(const EthernetView& view) {
  return JudgeUnpaused(view, view.profile.heartbeat->priority);
}

std::string LossyNotApplicable(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return NotRoce(view.port);
  return kDemandsPfcOff.made_by(view.profile) ? "" : NotAsked(view.profile, "PFC to be off");
}

Verdict JudgeLossy(const EthernetView& view) {
  const Fact<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), "off", kSource);
  return Judged(pfc->enabled == 0, PfcText(pfc->enabled), "off", kSource, SetFix(view));
}

}  // namespace

Check PfcCapability() {
  return {.id = "pfc.capability",
          .title = "The NIC can pause as many priorities as the profile asks",
          .why = "What the NIC cannot pause it drops, whatever it was told",
          .fix = "dcb pfc show dev {netdev}  # pfc-cap: ask for fewer lossless priorities, or use another NIC",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state", "drv.dcb-capable"},
          .rule = Rule<EthernetView>{LosslessNotApplicable, JudgeCapability}};
}

Check PfcNotDefault() {
  return {.id = "pfc.not-default",
          .title = "The default priority is never paused",
          .why = "Everything without a mark is in it: one slow receiver of anything stops all ordinary traffic",
          .fix = "dcb pfc set dev {netdev} prio-pfc all:off {priority}:on",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
          .rule = Rule<EthernetView>{DefaultNotApplicable, JudgeDefault}};
}

Check PfcNotHeartbeat() {
  return {.id = "pfc.not-heartbeat",
          .title = "The heartbeat's priority is never paused",
          .why = "A node whose heartbeat waits behind a pause is taken for dead, and its storage moved away",
          .fix = "dcb pfc set dev {netdev} prio-pfc all:off {priority}:on",
          .blocks_for = &kDemandsHeartbeat,
          .depends_on = {"drv.dcb-capable", "pfc.lossless-priority", "pfc.not-default"},
          .rule = Rule<EthernetView>{HeartbeatNotApplicable, JudgeHeartbeat}};
}

Check PfcOffWhenLossy() {
  return {.id = "pfc.off-when-lossy",
          .title = "Nothing is paused where the profile does without PFC",
          .why = "A pause that nobody planned spreads congestion to hosts that have no part in it",
          .fix = "dcb pfc set dev {netdev} prio-pfc all:off",
          .blocks_for = &kDemandsPfcOff,
          .depends_on = {"link.state", "drv.dcb-capable"},
          .rule = Rule<EthernetView>{LossyNotApplicable, JudgeLossy}};
}

}  // namespace rdmaready
