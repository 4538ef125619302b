// SPDX-License-Identifier: Apache-2.0
// pfc.*: which priorities are paused instead of dropped, and which must not be.
#include "checks/dcb/pfc.h"

#include <array>
#include <bit>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/ets_view.h"
#include "checks/dcb/set_elsewhere.h"
#include "checks/families.h"
#include "checks/plan/profile_classes.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPfcSource = "dcbnl IEEE PFC";
constexpr std::string_view kShowPfc = "dcb pfc show dev {netdev}";

std::string ExpectedPfc(const Profile& profile) {
  const std::uint8_t wanted = WantedPfc(profile);
  return wanted == 0 ? "off" : Cat("on ", ListText(PrioritiesOf(wanted)), " only");
}

std::string ClassesFirst(const EthernetView& view) {
  const std::optional<EtsPlan> classes = ClassesBeforePfc(view);
  return classes ? Cat(EtsCommand(*classes, NetdevWord(view.netdev)), "; ") : "";
}

Fix PfcFix(const EthernetView& view) {
  std::string command =
      Cat(ClassesFirst(view), "dcb pfc set dev ", NetdevWord(view.netdev), " prio-pfc all:off");
  for (const std::uint8_t priority : PrioritiesOf(WantedPfc(view.profile)))
    command += Cat(" ", priority, ":on");
  return Fix(command).Caution(CostOfPfc(view.netdev));
}

std::string LosslessNotApplicable(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return reason;
  return kDemandsLossless.made_by(view.profile) ? "" : NotAsked(view.profile, "a lossless priority");
}

// Which priorities were paused, by the NIC's own counters: " (on 3 then; pauses counted on 5)".
std::string RecordText(const EthernetView& view) {
  const FactRef<Pfc> told = ToldByDriver(view.netdev, &Dcb::pfc);
  if (!told) return {};
  std::uint8_t counted = 0;
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    if (told->pauses_sent[priority] + told->pauses_received[priority] > 0)
      counted = static_cast<std::uint8_t>(counted | 1U << priority);
  }
  return Cat(" (its record: ", PfcText(told->enabled),
             counted == 0 ? "" : Cat("; pauses are counted on ", ListText(PrioritiesOf(counted))), ")");
}

Verdict JudgePfcLosslessPriority(const EthernetView& view) {
  if (std::string reason = LosslessNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) {
    Verdict verdict = NoAnswer(pfc.missing(), ExpectedPfc(view.profile), kPfcSource,
                               LookAtFirmware(view.netdev, PfcFix(view)));
    verdict.observed += RecordText(view);
    return verdict;
  }
  const std::uint8_t wanted = WantedPfc(view.profile);
  return Judged((pfc->enabled & wanted) == wanted, PfcText(pfc->enabled), ExpectedPfc(view.profile), kPfcSource,
                PfcFix(view));
}

// More than was asked for is a risk (head-of-line blocking), all eight a fault.
Verdict JudgePfcOnlyOne(const EthernetView& view) {
  if (std::string reason = LosslessNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), ExpectedPfc(view.profile), kPfcSource);
  const unsigned wanted = WantedPfc(view.profile);
  const unsigned extra = pfc->enabled & ~wanted;
  if (extra == 0 || pfc->enabled == 0xff) {
    return Judged(extra == 0, PfcText(pfc->enabled), ExpectedPfc(view.profile), kPfcSource, PfcFix(view));
  }
  return Warned(PfcText(pfc->enabled), ExpectedPfc(view.profile), kPfcSource, PfcFix(view));
}

// What it pauses now, it can pause: some drivers do not fill the number in.
Verdict JudgePfcCapability(const EthernetView& view) {
  if (std::string reason = LosslessNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const int needed = std::popcount(WantedPfc(view.profile));
  const std::string expected = Cat(needed, " lossless ", needed == 1 ? "priority" : "priorities");
  const FactRef<Pfc> pfc = ToldByDriver(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), expected, kPfcSource);
  const int now = std::popcount(static_cast<unsigned>(pfc->enabled));
  const int can = pfc->capability;
  if (can < needed && now < needed && can == 0) {
    return NoAnswer(
        {.kind = Missing::Kind::kUnsupported, .detail = "the driver does not say how many it can pause"},
        expected, kPfcSource);
  }
  if (can >= needed || now >= needed)
    return Judged(true, can == 0 ? Cat(now, " in use") : Cat("up to ", can), expected, kPfcSource);
  return Judged(false, Cat("up to ", can), expected, kPfcSource);
}

// The priority is not paused.
Verdict JudgeUnpaused(const EthernetView& view, std::uint8_t priority) {
  const std::string expected = Cat("off for ", priority);
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), expected, kPfcSource);
  const bool paused = (static_cast<unsigned>(pfc->enabled) >> priority & 1U) != 0;
  return Judged(!paused, PfcText(pfc->enabled), expected, kPfcSource, PfcFix(view));
}

Verdict JudgePfcNotDefault(const EthernetView& view) {
  if (std::string reason = LosslessNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  if ((WantedPfc(view.profile) & 1U) != 0)
    return NotApplicable(Cat("profile ", view.profile.name, " pauses the default priority"));
  return JudgeUnpaused(view, 0);
}

Verdict JudgePfcNotHeartbeat(const EthernetView& view) {
  if (std::string reason = NotSetHere(view); !reason.empty()) return NotApplicable(reason);
  if (!view.profile.heartbeat) return NotApplicable(NotAsked(view.profile, "a heartbeat"));
  return JudgeUnpaused(view, view.profile.heartbeat->priority);
}

std::string LossyNotApplicable(const EthernetView& view) {
  if (IsInfiniBand(view.port)) return NotSetHere(view);
  return kDemandsPfcOff.made_by(view.profile) ? "" : NotAsked(view.profile, "PFC to be off");
}

Verdict JudgePfcOffWhenLossy(const EthernetView& view) {
  if (std::string reason = LossyNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const FactRef<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), "off", kPfcSource);
  return Judged(pfc->enabled == 0, PfcText(pfc->enabled), "off", kPfcSource, PfcFix(view));
}

}  // namespace

std::uint8_t WantedPfc(const Profile& profile) { return BitmapOf(LosslessPriorities(profile)); }

std::vector<Check> PfcChecks() {
  return {
      {.id = "pfc.capability",
       .title = "The NIC can pause as many priorities as the profile asks",
       .why = "What the NIC cannot pause it drops, whatever it was told",
       .fix = Fix("dcb pfc show dev {netdev}")
                  .Do("pfc-cap: ask for fewer lossless priorities in the profile")
                  .Or("use a NIC that pauses more priorities"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgePfcCapability},
      {.id = "pfc.lossless-priority",
       .title = "PFC is on for the RDMA priority",
       .why = "RoCE loses frames under congestion when its class is not paused",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on").CheckBy(kShowPfc),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"drv.dcb-capable", "pfc.capability"},
       .in_summary = 1,
       .judge = JudgePfcLosslessPriority},
      {.id = "pfc.not-default",
       .title = "The default priority is never paused",
       .why = "Everything without a mark is in it: one slow receiver of anything stops all ordinary traffic",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on").CheckBy(kShowPfc),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority"},
       .judge = JudgePfcNotDefault},
      {.id = "pfc.not-heartbeat",
       .title = "The heartbeat's priority is never paused",
       .why = "A node whose heartbeat waits behind a pause is taken for dead, and its storage moved away",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on").CheckBy(kShowPfc),
       .blocks_for = &kDemandsHeartbeat,
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority", "pfc.not-default"},
       .judge = JudgePfcNotHeartbeat},
      {.id = "pfc.off-when-lossy",
       .title = "Nothing is paused where the profile does without PFC",
       .why = "A pause that nobody planned spreads congestion to hosts that have no part in it",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off").CheckBy(kShowPfc),
       .blocks_for = &kDemandsPfcOff,
       .depends_on = {"link.state", "drv.dcb-capable"},
       .judge = JudgePfcOffWhenLossy},
      {.id = "pfc.only-one",
       .title = "PFC pauses nothing but what the profile asks for",
       .why = "A paused priority holds up everything behind it: each further one spreads congestion over the "
              "fabric",
       .fix = Fix("dcb pfc set dev {netdev} prio-pfc all:off {priority}:on").CheckBy(kShowPfc),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"drv.dcb-capable", "pfc.lossless-priority", "pfc.not-default", "pfc.not-heartbeat"},
       .judge = JudgePfcOnlyOne},
  };
}

}  // namespace rdmaready
