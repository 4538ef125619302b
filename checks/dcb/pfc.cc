// SPDX-License-Identifier: Apache-2.0
// pfc.*: which priorities are paused instead of dropped.
#include "checks/families.h"
#include "checks/words/interruption.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "dcbnl IEEE PFC";

std::uint8_t Wanted(const Profile& profile) { return BitmapOf(*profile.pfc); }

std::string Expected(const Profile& profile) {
  const std::uint8_t wanted = Wanted(profile);
  return wanted == 0 ? "off" : Cat("on ", ListText(PrioritiesOf(wanted)), " only");
}

std::string Fix(const EthernetView& view) {
  std::string command = Cat("dcb pfc set dev ", NetdevWord(view.netdev), " prio-pfc all:off");
  for (const std::uint8_t priority : PrioritiesOf(Wanted(view.profile))) command += Cat(" ", priority, ":on");
  return Cat(command, CostOfPfc(view.netdev));
}

std::string LosslessNotApplicable(const EthernetView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  return kDemandsLossless.made_by(view.profile) ? "" : NotAsked(view.profile, "a lossless priority");
}

Verdict JudgeLossless(const EthernetView& view) {
  const Fact<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), Expected(view.profile), kSource);
  const std::uint8_t wanted = Wanted(view.profile);
  return Judged((pfc->enabled & wanted) == wanted, PfcText(pfc->enabled), Expected(view.profile), kSource,
                Fix(view));
}

// More than was asked for is a risk (head-of-line blocking), all eight a fault.
Verdict JudgeOnlyOne(const EthernetView& view) {
  const Fact<Pfc> pfc = DcbFact(view.netdev, &Dcb::pfc);
  if (!pfc) return NoAnswer(pfc.missing(), Expected(view.profile), kSource);
  const unsigned wanted = Wanted(view.profile);
  const unsigned extra = pfc->enabled & ~wanted;
  if (extra == 0 || pfc->enabled == 0xff) {
    return Judged(extra == 0, PfcText(pfc->enabled), Expected(view.profile), kSource, Fix(view));
  }
  return Warned(PfcText(pfc->enabled), Expected(view.profile), kSource, Fix(view));
}

}  // namespace

Check PfcLosslessPriority() {
  return {.id = "pfc.lossless-priority",
          .title = "PFC is on for the RDMA priority",
          .why = "RoCE loses frames under congestion when its class is not paused",
          .fix = "dcb pfc set dev {netdev} prio-pfc all:off {priority}:on",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"drv.dcb-capable", "pfc.capability"},
          .rule = Rule<EthernetView>{LosslessNotApplicable, JudgeLossless}};
}

Check PfcOnlyOne() {
  return {.id = "pfc.only-one",
          .title = "PFC pauses nothing but what the profile asks for",
          .why =
              "A paused priority holds up everything behind it: each further one spreads congestion over the "
              "fabric",
          .fix = "dcb pfc set dev {netdev} prio-pfc all:off {priority}:on",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"drv.dcb-capable", "pfc.lossless-priority", "pfc.not-default", "pfc.not-heartbeat"},
          .rule = Rule<EthernetView>{LosslessNotApplicable, JudgeOnlyOne}};
}

}  // namespace rdmaready
