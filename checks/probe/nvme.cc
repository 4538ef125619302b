// SPDX-License-Identifier: Apache-2.0
// What an NVMe-oF target's answers mean for hosts that come by RDMA.
#include "checks/probe/families.h"
#include "checks/probe/storage.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFabrics = "NVMe fabrics commands";
constexpr std::string_view kLog = "NVMe discovery log page";
constexpr std::string_view kKernel = "this host's own NVMe initiator";
constexpr std::string_view kFixInitiator =
    "modprobe nvme-rdma; dmesg | tail -n 30  # on this host: the agent needs the right to write to "
    "/dev/nvme-fabrics";
constexpr std::string_view kFixOtherTransport =
    "grep . /sys/kernel/config/nvmet/ports/*/addr_trtype  # on the target: link the subsystem into a port of "
    "rdma too";

Verdict Connect(const ProbeView& view) {
  return JudgeServerStep(
      view, "nvme-discovery-connect",
      Cat("controller ", view.Value("nvme-controller-id"), " for ", view.Value("nvme-host-nqn")),
      "a discovery controller", kFabrics);
}

Verdict NvmeDiscovery(const ProbeView& view) {
  if (!view.Done("nvme-enable"))
    return JudgeServerStep(view, "nvme-enable", "enabled", "a controller that gets ready", kFabrics);
  return JudgeServerStep(
      view, "nvme-discovery-log",
      Cat("NVMe ", view.Value("nvme-version"), ", lists ", view.Value("nvme-subsystems"), " subsystems"),
      "a list of subsystems", kLog);
}

constexpr std::uint64_t kMostTold = 32;  // subsystems whose names are told

// The first that is offered over RDMA, and where; empty when its name is not among those told.
std::string FirstByRdma(const ProbeView& view) {
  for (std::uint64_t i = 1; i <= kMostTold; ++i) {
    const std::string name = Cat("nvme-subsystem-", i);
    const std::string_view place = view.Value(name + "-at");
    if (place.starts_with("rdma ")) return Cat(view.Value(name), " at ", place);
  }
  return "subsystems beyond those told";
}

Verdict NvmeListed(const ProbeView& view) {
  Verdict verdict{.expected = "one subsystem or more over RDMA", .source = std::string(kLog)};
  const std::optional<std::uint64_t> by_rdma = view.Number("nvme-rdma-subsystems");
  const std::uint64_t all = view.Number("nvme-subsystems").value_or(0);
  if (!by_rdma) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = *by_rdma > 0 ? Outcome::kPass : Outcome::kFail;
  verdict.observed =
      *by_rdma > 0 ? FirstByRdma(view) : Cat("none over RDMA for the host ", view.Value("nvme-host-nqn"));
  if (*by_rdma > 1) verdict.observed += Cat(", and ", *by_rdma - 1, " more");
  if (all > *by_rdma) verdict.observed += Cat("; ", all - *by_rdma, " over other transports");
  if (*by_rdma == 0 && all > 0) verdict.fix = kFixOtherTransport;
  return verdict;
}

// The caller asked for a proof and did not say on what; a walk that ended before tells its own reason.
bool IsUnnamed(const ProbeView& view) {
  const ProbeStep* step = view.Step("nvme-subsystem-connect");
  return step != nullptr && step->outcome == StepOutcome::kNotReached && view.Done("nvme-discovery-log") &&
         view.Value("nvme-proof-subsystem").empty();
}

Verdict Unnamed() {
  return {.outcome = Outcome::kUnknown,
          .observed =
              "name the subsystem: --subsystem NQN (its disk is connected to this host, so none is "
              "guessed)",
          .expected = "a subsystem that is named",
          .source = "the request",
          .fix =
              "rdmaready probe nvme {target} --prove --subsystem NQN  # a subsystem that this host may use; "
              "without --prove the probe tells which are listed"};
}

Verdict Subsystem(const ProbeView& view) {
  constexpr std::string_view kStep = "nvme-subsystem-connect";
  if (!IsProofAsked(view, kStep)) return NoProofAsked();
  if (IsUnnamed(view)) return Unnamed();
  Verdict verdict = JudgeServerStep(view, kStep, Cat(view.Value("nvme-proof-subsystem"), " admits this host"),
                                    "a subsystem that admits this host", kFabrics);
  // The target's words name the field, not what was in it.
  if (verdict.outcome == Outcome::kFail)
    verdict.observed +=
        Cat(" (host ", view.Value("nvme-host-nqn"), ", ", view.Value("nvme-host-nqn-from"), ")");
  return verdict;
}

std::string LocalFix(const ProbeView& view) {
  const std::string_view already = view.Value("nvme-already-connected");
  if (already.empty()) return std::string(kFixInitiator);
  return Cat(
      "nvme list-subsys  # ", already,
      " of this host has that subsystem, and was left alone: make the proof on another subsystem or from "
      "another host; or, when nobody uses it: nvme disconnect -d ",
      already.substr(0, already.find(' ')));
}

Verdict KernelRead(const ProbeView& view) {
  constexpr std::string_view kConnectStep = "nvme-kernel-connect";
  if (!IsProofAsked(view, kConnectStep)) return NoProofAsked();
  if (!view.Done(kConnectStep))
    return JudgeLocalStep(view, kConnectStep, "connected", "a connection of this host's initiator", kKernel,
                          LocalFix(view));
  Verdict verdict = JudgeProofTransfer(view, "nvme-kernel-read", "nvme-read", true, kKernel);
  const std::string_view transport = view.Value("nvme-kernel-transport");
  if (verdict.outcome == Outcome::kPass && transport != "rdma") verdict.outcome = Outcome::kFail;
  if (!transport.empty()) verdict.observed += Cat(", by ", transport);
  return verdict;
}

Verdict NvmeLeftNothing(const ProbeView& view) {
  if (!IsProofAsked(view, "nvme-kernel-disconnect")) return NoProofAsked();
  Verdict verdict =
      JudgeStep(view, "nvme-kernel-disconnect", "disconnected", "nothing left connected", kKernel);
  // By the controller, never by the NQN: that would take down all connections to the subsystem.
  const std::string_view controller = view.Value("nvme-kernel-controller");
  if (!controller.empty())
    verdict.fix = Cat("nvme list-subsys; nvme disconnect -d ", controller, "  # the controller of the proof");
  return verdict;
}

}  // namespace

std::vector<ProbeCheck> NvmeServerChecks() {
  return {
      {.id = "nvme.address",
       .title = "The target's name leads to an address",
       .why = kProbeWhyAddress,
       .fix = kProbeFixAddress,
       .blocking = true,
       .judge = &JudgeProbeAddress},
      {.id = "nvme.route",
       .title = "An RDMA port of this host leads to the target",
       .why = kProbeWhyRoute,
       .fix = kProbeFixRoute,
       .blocking = true,
       .depends_on = {"nvme.address"},
       .judge = &JudgeProbeRoute},
      {.id = "nvme.rdma-listener",
       .title = "The target accepts RDMA connections for NVMe",
       .why = "NVMe over RDMA has no other way than RDMA: without a listener there is no storage",
       .fix = "rdma resource show cm_id  # on the target: nobody listens on {port}; Linux: modprobe "
              "nvmet-rdma, and a "
              "port of addr_trtype rdma under /sys/kernel/config/nvmet/ports with a subsystem linked",
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route"},
       .judge = &JudgeProbeListener},
      {.id = "nvme.discovery-connect",
       .title = "The discovery controller admits this host",
       .why = "Hosts learn from it what the target offers",
       .fix = "dmesg | grep -i nvmet  # on the target: it says there why it refused",
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener"},
       .judge = &Connect},
      {.id = "nvme.discovery",
       .title = "The discovery log came over RDMA",
       .why = "The target wrote it into this host's memory by RDMA: the whole way works, data included",
       .fix = "dmesg | grep -i nvmet  # on the target",
       .blocking = true,
       .proof = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect"},
       .judge = &NvmeDiscovery},
      {.id = "nvme.subsystem-listed",
       .title = "The target offers this host a subsystem",
       .why = "A target lists what the host may use: without one there is nothing to connect to",
       .fix = "cat /etc/nvme/hostnqn  # allow this name on the target: mkdir "
              "/sys/kernel/config/nvmet/hosts/HOSTNQN and "
              "link it into the subsystem's allowed_hosts",
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery"},
       .judge = &NvmeListed},
      {.id = "nvme.subsystem-admits",
       .title = "The subsystem admits this host",
       .why = "A subsystem admits hosts by their name; whom it does not know it refuses",
       .fix = "cat /etc/nvme/hostnqn  # allow this name on the target: mkdir "
              "/sys/kernel/config/nvmet/hosts/HOSTNQN and "
              "link it into the subsystem's allowed_hosts",
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery"},
       .judge = &Subsystem},
      {.id = "nvme.kernel-read",
       .title = "This host's own initiator reads the namespace over RDMA",
       .why = "Only the kernel's own connection shows that a workload will have its data",
       .fix = kFixInitiator,
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits"},
       .judge = &KernelRead},
      {.id = "nvme.kernel-disconnect",
       .title = "The proof left no connection behind",
       .why = "A connection nobody uses holds a block device and a controller of the target",
       .fix = "nvme list-subsys; nvme disconnect -d nvmeN  # nvmeN: the controller of the proof",
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits", "nvme.kernel-read"},
       .judge = &NvmeLeftNothing},
  };
}

}  // namespace rdmaready
