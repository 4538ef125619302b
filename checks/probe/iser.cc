// SPDX-License-Identifier: Apache-2.0
// What an iSCSI target's answers mean for initiators that come by iSER.
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLogin = "iSCSI login over iSER";
constexpr std::string_view kText = "iSCSI SendTargets over iSER";
constexpr std::string_view kScsi = "SCSI commands over iSER";

Verdict DiscoveryLogin(const ProbeView& view) {
  return JudgeServerStep(view, "iser-discovery-login", Cat("admits ", view.Value("iser-initiator")),
                         "a discovery session", kLogin);
}

Verdict IserDiscovery(const ProbeView& view) {
  return JudgeServerStep(view, "iser-send-targets", Cat("lists ", view.Value("iser-targets"), " targets"),
                         "a list of targets", kText);
}

Verdict IserListed(const ProbeView& view) {
  Verdict verdict{.expected = "one target or more", .source = std::string(kText)};
  const std::optional<std::uint64_t> targets = view.Number("iser-targets");
  if (!targets) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = *targets > 0 ? Outcome::kPass : Outcome::kFail;
  verdict.observed = *targets > 0 ? Cat(view.Value("iser-target-1"), " at ", view.Value("iser-target-1-at"))
                                  : Cat("none for the initiator ", view.Value("iser-initiator"));
  if (*targets > 1) verdict.observed += Cat(", and ", *targets - 1, " more");
  return verdict;
}

std::string SessionFix(const ProbeView& view) {
  const std::string_view method = view.Value("iser-authentication");
  if (method.empty() || method == "None") return {};
  return "iscsiadm -m node -T TARGET -o update -n node.session.auth.authmethod -v CHAP  # and "
         "node.session.auth.username "
         "and .password: the target demands them; the probe itself has no secret to show";
}

Verdict Session(const ProbeView& view) {
  constexpr std::string_view kStep = "iser-session-login";
  if (!IsProofAsked(view, kStep)) return NoProofAsked();
  return JudgeServerStep(
      view, kStep,
      Cat(view.Value("iser-proof-target"), ", RDMAExtensions=", view.Value("iser-rdma-extensions")),
      "a session without a secret", kLogin, SessionFix(view));
}

Verdict IserRead(const ProbeView& view) {
  if (!IsProofAsked(view, "iser-unit")) return NoProofAsked();
  if (!view.Done("iser-unit"))
    return JudgeServerStep(view, "iser-unit", "a unit", "a logical unit to read from", kScsi);
  return JudgeProofTransfer(view, "iser-read", "iser-read", true, kScsi);
}

}  // namespace

std::vector<ProbeCheck> IserServerChecks() {
  return {
      {.id = "iser.address",
       .title = "The target's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = kProbeFixAddress,
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "iser.route",
       .title = "An RDMA port of this host leads to the target",
       .why = kProbeWhyRoute,
       .fix = kProbeFixRoute,
       .blocking = true,
       .depends_on = {"iser.address"},
       .judge = &JudgeProbeRoute},
      {.id = "iser.rdma-listener",
       .title = "The target accepts RDMA connections for iSCSI",
       .why = "A portal without iSER answers TCP only, and initiators that are told to use iSER fail",
       .fix =
           "rdma resource show cm_id  # on the target: nobody listens on {port}; Linux: modprobe ib_isert, and "
           "echo 1 > /sys/kernel/config/target/iscsi/IQN/tpgt_1/np/{address}:{port}/iser",
       .blocking = true,
       .depends_on = {"iser.address", "iser.route"},
       .judge = &JudgeProbeListener},
      {.id = "iser.discovery-login",
       .title = "The target admits this host to a discovery session",
       .why = "Initiators learn there what the target offers",
       .fix = "dmesg | grep -i -e iscsi -e isert  # on the target: it says there why it refused",
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener"},
       .judge = &DiscoveryLogin},
      {.id = "iser.discovery",
       .title = "The list of targets came over iSER",
       .why = "Login and text went through the RDMA connection: the target speaks iSCSI there",
       .fix = "dmesg | grep -i -e iscsi -e isert  # on the target",
       .blocking = true,
       .proof = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login"},
       .judge = &IserDiscovery},
      {.id = "iser.target-listed",
       .title = "The portal offers this host a target over iSER",
       .why =
           "A portal lists what is reachable by the same transport: without one there is nothing to log in to",
       .fix = "grep -r . /sys/kernel/config/target/iscsi/*/*/np/*/iser  # on the target: 1 for the portals "
              "that are "
              "meant, the group enabled, and this host's initiator name among its acls",
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery"},
       .judge = &IserListed},
      {.id = "iser.session",
       .title = "The target admits this host to a session",
       .why = "Without a session there are no disks",
       .fix = "cat /etc/iscsi/initiatorname.iscsi  # give this name an ACL on the target; dmesg there says why "
              "it refused",
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery"},
       .judge = &Session},
      {.id = "iser.read",
       .title = "Blocks of the target's disk arrive by RDMA",
       .why = "The target places what is read into this host's memory by RDMA write: that is what iSER is for",
       .fix = "dmesg | grep -i -e iscsi -e isert -e tcm  # on the target",
       .blocking = true,
       .depends_on = {"iser.address", "iser.route", "iser.rdma-listener", "iser.discovery-login",
                      "iser.discovery", "iser.session"},
       .judge = &IserRead},
  };
}

}  // namespace rdmaready
