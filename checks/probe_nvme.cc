// SPDX-License-Identifier: Apache-2.0
// What an NVMe-oF target's answers mean for hosts that come by RDMA.
#include "checks/probe_families.h"
#include "checks/probe_storage.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFabrics = "NVMe fabrics commands";
constexpr std::string_view kLog = "NVMe discovery log page";
constexpr std::string_view kKernel = "this host's own NVMe initiator";

Verdict Connect(const ProbeView& view) {
  return JudgeStep(view, "nvme-discovery-connect",
                   Cat("controller ", view.Value("nvme-controller-id"), " for ", view.Value("nvme-host-nqn")),
                   "a discovery controller", kFabrics);
}

Verdict Discovery(const ProbeView& view) {
  if (!view.Done("nvme-enable"))
    return JudgeStep(view, "nvme-enable", "enabled", "a controller that gets ready", kFabrics);
  return JudgeStep(
      view, "nvme-discovery-log",
      Cat("NVMe ", view.Value("nvme-version"), ", lists ", view.Value("nvme-subsystems"), " subsystems"),
      "a list of subsystems", kLog);
}

Verdict Listed(const ProbeView& view) {
  Verdict verdict{.expected = "one subsystem or more", .source = std::string(kLog)};
  const std::optional<std::uint64_t> subsystems = view.Number("nvme-subsystems");
  if (!subsystems) {
    verdict.observed = "not told";
    return verdict;
  }
  verdict.outcome = *subsystems > 0 ? Outcome::kPass : Outcome::kFail;
  verdict.observed = *subsystems > 0
                         ? Cat(view.Value("nvme-subsystem-1"), " at ", view.Value("nvme-subsystem-1-at"))
                         : Cat("none for the host ", view.Value("nvme-host-nqn"));
  if (*subsystems > 1) verdict.observed += Cat(", and ", *subsystems - 1, " more");
  return verdict;
}

Verdict Subsystem(const ProbeView& view) {
  constexpr std::string_view kStep = "nvme-subsystem-connect";
  if (!IsProofAsked(view, kStep)) return NoProofAsked();
  Verdict verdict = JudgeStep(view, kStep, Cat(view.Value("nvme-proof-subsystem"), " admits this host"),
                              "a subsystem that admits this host", kFabrics);
  // The target's words name the field, not what was in it.
  if (verdict.outcome == Outcome::kFail)
    verdict.observed +=
        Cat(" (host ", view.Value("nvme-host-nqn"), ", ", view.Value("nvme-host-nqn-from"), ")");
  return verdict;
}

Verdict KernelRead(const ProbeView& view) {
  constexpr std::string_view kConnectStep = "nvme-kernel-connect";
  if (!IsProofAsked(view, kConnectStep)) return NoProofAsked();
  if (!view.Done(kConnectStep))
    return JudgeStep(view, kConnectStep, "connected", "a connection of this host's initiator", kKernel);
  Verdict verdict = JudgeProofTransfer(view, "nvme-kernel-read", "nvme-read", true, kKernel);
  const std::string_view transport = view.Value("nvme-kernel-transport");
  if (verdict.outcome == Outcome::kPass && transport != "rdma") verdict.outcome = Outcome::kFail;
  if (!transport.empty()) verdict.observed += Cat(", by ", transport);
  return verdict;
}

Verdict LeftNothing(const ProbeView& view) {
  if (!IsProofAsked(view, "nvme-kernel-disconnect")) return NoProofAsked();
  return JudgeStep(view, "nvme-kernel-disconnect", "disconnected", "nothing left connected", kKernel);
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
       .judge = &Discovery},
      {.id = "nvme.subsystem-listed",
       .title = "The target offers this host a subsystem",
       .why = "A target lists what the host may use: without one there is nothing to connect to",
       .fix = "cat /etc/nvme/hostnqn  # allow this name on the target: mkdir "
              "/sys/kernel/config/nvmet/hosts/HOSTNQN and "
              "link it into the subsystem's allowed_hosts",
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery"},
       .judge = &Listed},
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
       .fix =
           "modprobe nvme-rdma; dmesg | tail -n 30  # the agent needs the right to write to /dev/nvme-fabrics",
       .blocking = true,
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits"},
       .judge = &KernelRead},
      {.id = "nvme.kernel-disconnect",
       .title = "The proof left no connection behind",
       .why = "A connection nobody uses holds a block device and a controller of the target",
       .fix = "nvme list-subsys; nvme disconnect --nqn NQN  # NQN: the subsystem of the proof",
       .depends_on = {"nvme.address", "nvme.route", "nvme.rdma-listener", "nvme.discovery-connect",
                      "nvme.discovery", "nvme.subsystem-admits", "nvme.kernel-read"},
       .judge = &LeftNothing},
  };
}

}  // namespace rdmaready
