// SPDX-License-Identifier: Apache-2.0
// What an iSCSI target's answers mean for initiators that come by iSER.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/model/probe_walk.h"
#include "checks/probe/answers.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"

namespace rdmaready {
namespace {

constexpr std::string_view kIserLogin = "iSCSI login over iSER";
constexpr std::string_view kIserText = "iSCSI SendTargets over iSER";
constexpr std::string_view kIserScsi = "SCSI commands over iSER";

Verdict JudgeIserLogin(const ProbeView& view) {
  return JudgeServerStep(view, kStepIserDiscoveryLogin,
                         fmt::format("admits {}", TextOf(view.answers.iser_initiator.name)),
                         "a discovery session", kIserLogin);
}

Verdict JudgeIserDiscovery(const ProbeView& view) {
  return JudgeServerStep(view, kStepIserSendTargets,
                         fmt::format("lists {} targets", TextOf(view.answers.iser.targets)),
                         "a list of targets", kIserText);
}

std::string FirstIserTarget(const std::vector<IserTarget>& listed) {
  if (listed.empty()) return "targets beyond those told";
  const IserTarget& first = listed.front();
  return fmt::format("{} at {}", first.name.value_or("one whose name is not told"),
                     fmt::join(first.portals, " "));
}

Verdict JudgeIserListed(const ProbeView& view) {
  constexpr std::string_view kExpected = "one target or more";
  const IserAnswers& iser = view.answers.iser;
  if (!iser.targets) return NotTold(kIserText, std::string(kExpected));
  Verdict verdict{.outcome = *iser.targets > 0 ? Outcome::kPass : Outcome::kFail,
                  .observed = *iser.targets > 0 ? FirstIserTarget(iser.listed)
                                                : fmt::format("none for the initiator {}",
                                                              TextOf(view.answers.iser_initiator.name)),
                  .expected = std::string(kExpected),
                  .source = std::string(kIserText)};
  if (*iser.targets > 1) verdict.observed += fmt::format(", and {} more", *iser.targets - 1);
  return verdict;
}

Fix IserSessionFix(const ProbeView& view) {
  const std::string_view method = TextOf(view.answers.iser.authentication);
  if (method.empty() || method == "None") return {};
  return Fix("iscsiadm -m node -T TARGET -o update -n node.session.auth.authmethod -v CHAP")
      .Because("the target demands a name and a password", Certainty::kCertain)
      .Caution("the probe itself has no secret to show: it fails again, and a session of iscsid does not")
      .Do("set node.session.auth.username and node.session.auth.password in the same way");
}

Verdict JudgeIserSession(const ProbeView& view) {
  if (!IsProofAsked(view, kStepIserSessionLogin)) return NoProofAsked();
  const IserAnswers& iser = view.answers.iser;
  return JudgeServerStep(
      view, kStepIserSessionLogin,
      fmt::format("{}, RDMAExtensions={}", TextOf(iser.proof_target), TextOf(iser.rdma_extensions)),
      "a session without a secret", kIserLogin, IserSessionFix(view));
}

Verdict JudgeIserRead(const ProbeView& view) {
  if (!IsProofAsked(view, kStepIserUnit)) return NoProofAsked();
  if (!view.Done(kStepIserUnit))
    return JudgeServerStep(view, kStepIserUnit, "a unit", "a logical unit to read from", kIserScsi);
  return JudgeProofTransfer(view, kStepIserRead, kProofIserRead, true, kIserScsi);
}

}  // namespace

std::vector<ProbeCheck> IserServerChecks() {
  return {
      {.id = "iser.address",
       .title = "The target's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = ProbeAddressFix(),
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "iser.route",
       .title = "An RDMA port of this host leads to the target",
       .why = kProbeWhyRoute,
       .fix = ProbeRouteFix(),
       .blocking = true,
       .depends_on = {"iser.address"},
       .judge = &JudgeProbeRoute},
      {.id = "iser.rdma-listener",
       .title = "The target accepts RDMA connections for iSCSI",
       .why = "A portal without iSER answers TCP only, and initiators that are told to use iSER fail",
       .fix = OnServer("rdma resource show cm_id")
                  .Because("no portal of the target listens by RDMA on {port}")
                  .Do("Linux: modprobe ib_isert")
                  .Do("echo 1 > /sys/kernel/config/target/iscsi/IQN/tpgt_1/np/{address}:{port}/iser"),
       .blocking = true,
       .depends_on = {"iser.address", "iser.route"},
       .judge = &JudgeProbeListener},
      {.id = "iser.discovery-login",
       .title = "The target admits this host to a discovery session",
       .why = "Initiators learn there what the target offers",
       .fix = OnServer("dmesg | grep -i -e iscsi -e isert").Do("look for the reason of the refusal"),
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener"},
       .judge = &JudgeIserLogin},
      {.id = "iser.discovery",
       .title = "The list of targets came over iSER",
       .why = "Login and text went through the RDMA connection: the target speaks iSCSI there",
       .fix = OnServer("dmesg | grep -i -e iscsi -e isert"),
       .blocking = true,
       .proof = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login"},
       .judge = &JudgeIserDiscovery},
      {.id = "iser.target-listed",
       .title = "The portal offers this host a target over iSER",
       .why =
           "A portal lists what is reachable by the same transport: without one there is nothing to log in to",
       .fix = OnServer("grep -r . /sys/kernel/config/target/iscsi/*/*/np/*/iser")
                  .Because("a portal without iSER, a group that is off, or no ACL for this host",
                           Certainty::kPossible)
                  .Do("it must be 1 for the portals that are meant, and the group must be enabled")
                  .Do("add this host's initiator name to the ACLs of the group"),
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery"},
       .judge = &JudgeIserListed},
      {.id = "iser.session",
       .title = "The target admits this host to a session",
       .why = "Without a session there are no disks",
       .fix = Fix("cat /etc/iscsi/initiatorname.iscsi")
                  .Because("the target has no ACL for the initiator name of this host")
                  .Do("give this name an ACL on the target; dmesg there says why it refused"),
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery"},
       .judge = &JudgeIserSession},
      {.id = "iser.read",
       .title = "Blocks of the target's disk arrive by RDMA",
       .why = "The target places what is read into this host's memory by RDMA write: that is what iSER is for",
       .fix = OnServer("dmesg | grep -i -e iscsi -e isert -e tcm")
                  .Do("look for errors of the disk and of the connection"),
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery", "iser.session"},
       .judge = &JudgeIserRead},
  };
}

}  // namespace rdmaready
