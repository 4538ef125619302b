// SPDX-License-Identifier: Apache-2.0
// What an NVMe-oF target's answers mean for hosts that come by RDMA.
#include <fmt/format.h>

#include <algorithm>

#include "api/model/probe_walk.h"
#include "checks/probe/answers.h"
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kNvmeFabrics = "NVMe fabrics commands";
constexpr std::string_view kNvmeLog = "NVMe discovery log page";
constexpr std::string_view kNvmeKernel = "this host's own NVMe initiator";

Fix NvmeInitiatorFix() {
  return Fix("modprobe nvme-rdma; dmesg | tail -n 30")
      .Because("the initiator of this host is missing, or the agent may not write to /dev/nvme-fabrics",
               Certainty::kPossible);
}

Fix NvmeTransportFix() {
  return OnServer("grep . /sys/kernel/config/nvmet/ports/*/addr_trtype")
      .Because("the subsystem is linked into ports of other transports only", Certainty::kCertain)
      .Do("link the subsystem into a port of rdma too");
}

Verdict JudgeNvmeConnect(const ProbeView& view) {
  return JudgeServerStep(view, kStepNvmeDiscoveryConnect,
                         fmt::format("controller {} for {}", TextOf(view.answers.nvme.controller_id),
                                     TextOf(view.answers.nvme_host.nqn)),
                         "a discovery controller", kNvmeFabrics);
}

Verdict JudgeNvmeDiscovery(const ProbeView& view) {
  if (!view.Done(kStepNvmeEnable))
    return JudgeServerStep(view, kStepNvmeEnable, "enabled", "a controller that gets ready", kNvmeFabrics);
  const NvmeAnswers& nvme = view.answers.nvme;
  return JudgeServerStep(
      view, kStepNvmeDiscoveryLog,
      fmt::format("NVMe {}, lists {} subsystems", TextOf(nvme.version), TextOf(nvme.subsystems)),
      "a list of subsystems", kNvmeLog);
}

// The first that is offered over RDMA, and where.
std::string FirstNvmeByRdma(const std::vector<NvmeSubsystem>& listed) {
  const auto first = std::ranges::find_if(
      listed, [](const NvmeSubsystem& subsystem) { return subsystem.transport == "rdma"; });
  if (first == listed.end()) return "subsystems beyond those told";
  return fmt::format("{} at {}", first->nqn.value_or("one whose NQN is not told"), PlaceOf(*first));
}

Verdict JudgeNvmeListed(const ProbeView& view) {
  constexpr std::string_view kExpected = "one subsystem or more over RDMA";
  const NvmeAnswers& nvme = view.answers.nvme;
  if (!nvme.rdma_subsystems) return NotTold(kNvmeLog, std::string(kExpected));
  const std::uint64_t by_rdma = *nvme.rdma_subsystems;
  const std::uint64_t all = nvme.subsystems.value_or(0);
  Verdict verdict{.outcome = by_rdma > 0 ? Outcome::kPass : Outcome::kFail,
                  .observed = by_rdma > 0 ? FirstNvmeByRdma(nvme.listed)
                                          : fmt::format("none over RDMA for the host {}",
                                                        TextOf(view.answers.nvme_host.nqn)),
                  .expected = std::string(kExpected),
                  .source = std::string(kNvmeLog)};
  if (by_rdma > 1) verdict.observed += fmt::format(", and {} more", by_rdma - 1);
  if (all > by_rdma) verdict.observed += fmt::format("; {} over other transports", all - by_rdma);
  if (by_rdma == 0 && all > 0) verdict.fix = NvmeTransportFix();
  return verdict;
}

// The caller asked for a proof and did not say on what; a walk that ended before tells its own reason.
bool IsSubsystemUnnamed(const ProbeView& view) {
  const ProbeStep* step = view.Step(kStepNvmeSubsystemConnect);
  return step != nullptr && step->outcome == StepOutcome::kNotReached && view.Done(kStepNvmeDiscoveryLog) &&
         !view.answers.nvme.proof_subsystem;
}

Verdict SubsystemUnnamed() {
  return {.outcome = Outcome::kUnknown,
          .observed =
              "name the subsystem: --subsystem NQN (its disk is connected to this host, so none is "
              "guessed)",
          .expected = "a subsystem that is named",
          .source = "the request",
          .fix = Fix("rdmaready probe nvme {target} --prove --subsystem NQN")
                     .Caution("name a subsystem that this host may use: its disk is connected to this host")
                     .Do("look for its NQN by the same command without --prove")};
}

Verdict JudgeNvmeSubsystem(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNvmeSubsystemConnect)) return NoProofAsked();
  if (IsSubsystemUnnamed(view)) return SubsystemUnnamed();
  Verdict verdict =
      JudgeServerStep(view, kStepNvmeSubsystemConnect,
                      fmt::format("{} admits this host", TextOf(view.answers.nvme.proof_subsystem)),
                      "a subsystem that admits this host", kNvmeFabrics);
  // The target's words name the field, not what was in it.
  const NvmeHost& host = view.answers.nvme_host;
  if (verdict.outcome == Outcome::kFail)
    verdict.observed += fmt::format(" (host {}, {})", TextOf(host.nqn), TextOf(host.nqn_from));
  return verdict;
}

Fix NvmeInitiatorFix(const ProbeView& view) {
  const std::string_view already = TextOf(view.answers.nvme.already_connected);
  if (already.empty()) return NvmeInitiatorFix();
  const std::string controller = ShellWord(already.substr(0, already.find(' ')));
  return Fix("nvme list-subsys")
      .Because(fmt::format("{} of this host has that subsystem, and was left alone", already),
               Certainty::kCertain)
      .Do("make the proof on another subsystem, or from another host")
      .Or(fmt::format("where nothing uses its disks: nvme disconnect -d {}", controller));
}

Verdict JudgeNvmeRead(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNvmeKernelConnect)) return NoProofAsked();
  if (!view.Done(kStepNvmeKernelConnect))
    return JudgeLocalStep(view, kStepNvmeKernelConnect, "connected", "a connection of this host's initiator",
                          kNvmeKernel, NvmeInitiatorFix(view));
  Verdict verdict = JudgeProofTransfer(view, kStepNvmeKernelRead, kProofNvmeRead, true, kNvmeKernel);
  const std::string_view transport = TextOf(view.answers.nvme.kernel_transport);
  if (verdict.outcome == Outcome::kPass && transport != "rdma") verdict.outcome = Outcome::kFail;
  if (!transport.empty()) verdict.observed += fmt::format(", by {}", transport);
  return verdict;
}

Verdict JudgeNvmeDisconnect(const ProbeView& view) {
  if (!IsProofAsked(view, kStepNvmeKernelDisconnect)) return NoProofAsked();
  Verdict verdict =
      JudgeStep(view, kStepNvmeKernelDisconnect, "disconnected", "nothing left connected", kNvmeKernel);
  // By the controller, never by the NQN: that would take down all connections to the subsystem.
  const std::string_view controller = TextOf(view.answers.nvme.kernel_controller);
  if (!controller.empty()) {
    verdict.fix = Fix(fmt::format("nvme list-subsys; nvme disconnect -d {}", ShellWord(controller)))
                      .Caution(fmt::format("{} is the controller of the proof: leave the others", controller))
                      .CheckBy("nvme list-subsys");
  }
  return verdict;
}

}  // namespace

std::vector<ProbeCheck> NvmeServerChecks() {
  return {
      {.id = "nvme.address",
       .title = "The target's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = ProbeAddressFix(),
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "nvme.route",
       .title = "An RDMA port of this host leads to the target",
       .why = kProbeWhyRoute,
       .fix = ProbeRouteFix(),
       .blocking = true,
       .depends_on = {"nvme.address"},
       .judge = &JudgeProbeRoute},
      {.id = "nvme.rdma-listener",
       .title = "The target accepts RDMA connections for NVMe",
       .why = "NVMe over RDMA has no other way than RDMA: without a listener there is no storage",
       .fix = OnServer("rdma resource show cm_id")
                  .Because("no port of the target listens by RDMA on {port}")
                  .Do("Linux: modprobe nvmet-rdma")
                  .Do("make a port of addr_trtype rdma under /sys/kernel/config/nvmet/ports, and link a "
                      "subsystem into it"),
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route"},
       .judge = &JudgeProbeListener},
      {.id = "nvme.discovery-connect",
       .title = "The discovery controller admits this host",
       .why = "Hosts learn from it what the target offers",
       .fix = OnServer("dmesg | grep -i nvmet").Do("look for the reason of the refusal"),
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener"},
       .judge = &JudgeNvmeConnect},
      {.id = "nvme.discovery",
       .title = "The discovery log came over RDMA",
       .why = "The target wrote it into this host's memory by RDMA: the whole way works, data included",
       .fix = OnServer("dmesg | grep -i nvmet"),
       .blocking = true,
       .proof = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect"},
       .judge = &JudgeNvmeDiscovery},
      {.id = "nvme.subsystem-listed",
       .title = "The target offers this host a subsystem",
       .why = "A target lists what the host may use: without one there is nothing to connect to",
       .fix = Fix("cat /etc/nvme/hostnqn")
                  .Because("the subsystem does not allow the name of this host")
                  .Do("on the target: mkdir /sys/kernel/config/nvmet/hosts/HOSTNQN, with this name")
                  .Do("link that directory into allowed_hosts of the subsystem"),
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery"},
       .judge = &JudgeNvmeListed},
      {.id = "nvme.subsystem-admits",
       .title = "The subsystem admits this host",
       .why = "A subsystem admits hosts by their name; whom it does not know it refuses",
       .fix = Fix("cat /etc/nvme/hostnqn")
                  .Because("the subsystem does not allow the name of this host")
                  .Do("on the target: mkdir /sys/kernel/config/nvmet/hosts/HOSTNQN, with this name")
                  .Do("link that directory into allowed_hosts of the subsystem"),
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery"},
       .judge = &JudgeNvmeSubsystem},
      {.id = "nvme.kernel-read",
       .title = "This host's own initiator reads the namespace over RDMA",
       .why = "Only the kernel's own connection shows that a workload will have its data",
       .fix = NvmeInitiatorFix(),
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits"},
       .judge = &JudgeNvmeRead},
      {.id = "nvme.kernel-disconnect",
       .title = "The proof left no connection behind",
       .why = "A connection nobody uses holds a block device and a controller of the target",
       .fix = Fix("nvme list-subsys")
                  .Caution("disconnect the controller of the proof alone: others may be in use")
                  .Run("nvme disconnect -d nvmeN")
                  .Do("nvmeN: the controller of the proof")
                  .CheckBy("nvme list-subsys"),
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits", "nvme.kernel-read"},
       .judge = &JudgeNvmeDisconnect},
  };
}

}  // namespace rdmaready
