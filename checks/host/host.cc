// SPDX-License-Identifier: Apache-2.0
// host.*: memory that RDMA may lock, open files, interrupts and the CPU's clock.
#include <algorithm>
#include <string>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// What a storage service needs at least when the profile is silent: its buffers are registered, and so locked.
constexpr std::uint64_t kDefaultMinimumBytes = 64ULL * 1024 * 1024;

// The agent's own limit stands for those of services in user space, which were started like it. A finite one
// that is large enough passes: the profile names the number, and "unlimited" would be a matter of taste. A
// small one fails also where CAP_IPC_LOCK makes the kernel ignore it for us: the storage service may not
// have it.
Verdict JudgeHostMemlock(const HostView& view) {
  constexpr std::string_view kSource = "getrlimit RLIMIT_MEMLOCK";
  const std::uint64_t wanted = view.profile.min_memlock_bytes.value_or(kDefaultMinimumBytes);
  const std::string expected =
      wanted == Memlock::kUnlimited ? std::string("unlimited") : "at least " + BytesText(wanted);
  const Fact<Memlock>& memlock = view.host.memlock;
  if (!memlock) return NoAnswer(memlock.missing(), expected, kSource);
  if (memlock->limit_bytes == Memlock::kUnlimited) return Judged(true, "unlimited", expected, kSource);
  std::string observed = Cat(BytesText(memlock->limit_bytes), " for the agent");
  const bool enough = memlock->limit_bytes >= wanted;
  if (!enough && memlock->cap_ipc_lock) {
    observed += ", not enforced as it has CAP_IPC_LOCK; a storage service may not have it";
  }
  return Judged(enough, observed, expected, kSource);
}

// A process may raise its soft limit up to the hard one, and storage services do.
Verdict JudgeHostNofile(const HostView& view) {
  constexpr std::string_view kSource = "/proc/self/limits";
  constexpr std::string_view kExpected = "at least 4096";
  constexpr std::uint64_t kEnough = 4096;  // by experience; no standard has a number
  const Fact<OpenFiles>& files = view.host.open_files;
  if (!files) return NoAnswer(files.missing(), kExpected, kSource);
  if (files->hard == OpenFiles::kUnlimited) return Judged(true, "unlimited", kExpected, kSource);
  return Judged(files->hard >= kEnough, Cat("at most ", files->hard, ", now ", files->soft), kExpected,
                kSource);
}

constexpr std::string_view kInterruptsSource = "sysfs msi_irqs, /proc/irq";

std::string InterruptsNotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return "software device: it has no interrupts of its own";
  const Fact<PciFunction>& pci = view.port.pci;
  if (NotOffered(pci)) return pci.missing().detail;
  return pci && NotOffered(pci->interrupts) ? pci->interrupts.missing().detail : "";
}

// Drivers spread their interrupts over all CPUs, so that on two nodes half of them are far away by design: bad
// is what is worse than that: by experience, no standard has a number.
Verdict JudgeHostIrqAffinity(const PortView& view) {
  if (std::string reason = InterruptsNotApplicable(view); !reason.empty())
    return NotApplicable(reason);
  constexpr std::string_view kExpected = "spread, and at least evenly over the nodes";
  constexpr std::uint32_t kMany = 8;
  if (!view.port.pci) return NoAnswer(view.port.pci.missing(), kExpected, kInterruptsSource);
  const PciFunction& pci = *view.port.pci;
  if (!pci.interrupts) return NoAnswer(pci.interrupts.missing(), kExpected, kInterruptsSource);
  if (!view.host.numa_nodes) return NoAnswer(view.host.numa_nodes.missing(), kExpected, kInterruptsSource);
  const Interrupts& irqs = *pci.interrupts;
  const std::uint32_t nodes = pci.numa_node && *pci.numa_node >= 0 ? *view.host.numa_nodes : 1;
  const std::string observed =
      Cat(irqs.count, " interrupts at ", irqs.cpus, irqs.cpus == 1 ? " CPU, " : " CPUs, ", irqs.local,
          " of them on the NIC's own node");
  const bool near = nodes <= 1 || irqs.local * nodes >= irqs.count;
  const bool spread = irqs.count < kMany || irqs.cpus > 1;
  const std::string folder = ShellWord("/sys/bus/pci/devices/" + pci.address);
  return Judged(near && spread, observed, kExpected, kInterruptsSource,
                Cat("for irq in $(ls ", folder, "/msi_irqs); do cat ", folder,
                    "/local_cpulist > /proc/irq/$irq/smp_affinity_list; done  # and keep irqbalance from "
                    "undoing it"));
}

// Where no NIC of hardware is, nobody counts on its interrupts and on the CPUs' clocks.
std::string NoHardware(const Facts& host) {
  const bool all = host.ports && !host.ports->empty() && std::ranges::all_of(*host.ports, IsSoftware);
  return all ? "software devices only: functional verdict only" : "";
}

// ---- host.irqbalance ----

constexpr std::string_view kBalanceSource = "/run, /proc/irq";

// All of them are on the NIC's own node, as the fix of host.irq-affinity has them.
bool AreKeptNear(const PciFunction& pci) {
  return pci.interrupts && pci.interrupts->count > 0 && pci.interrupts->local == pci.interrupts->count;
}

Verdict JudgeHostIrqbalance(const HostView& view) {
  if (std::string reason = NoHardware(view.host); !reason.empty()) return NotApplicable(reason);
  if (view.host.numa_nodes && *view.host.numa_nodes == 1)
    return NotApplicable("one NUMA node: nowhere is far");
  constexpr std::string_view kExpected = "not where interrupts are kept on their NIC's node";
  const Facts& host = view.host;
  if (!host.irqbalance) return NoAnswer(host.irqbalance.missing(), kExpected, kBalanceSource);
  if (!*host.irqbalance) return Judged(true, "irqbalance does not run", kExpected, kBalanceSource);
  if (!host.ports) return NoAnswer(host.ports.missing(), kExpected, kBalanceSource);
  std::string kept;
  for (const Port& port : *host.ports) {
    if (!port.pci) continue;
    const Fact<Interrupts>& interrupts = port.pci->interrupts;
    if (!interrupts && !NotOffered(interrupts))
      return NoAnswer(interrupts.missing(), kExpected, kBalanceSource);
    if (AreKeptNear(*port.pci)) kept += Cat(kept.empty() ? "" : ", ", PortName(port));
  }
  if (kept.empty()) {
    return Judged(true, "irqbalance runs, and no NIC's interrupts are kept on its node", kExpected,
                  kBalanceSource);
  }
  return Judged(false, Cat("irqbalance runs, and may move the interrupts of ", kept), kExpected,
                kBalanceSource);
}

// ---- host.governor ----

// By experience: vendors' tuning guides ask for it, no standard does.
Verdict JudgeHostGovernor(const HostView& view) {
  if (std::string reason = NoHardware(view.host); !reason.empty()) return NotApplicable(reason);
  if (NotOffered(view.host.cpu_governors)) {
    if (std::string reason = view.host.cpu_governors.missing().detail; !reason.empty())
      return NotApplicable(reason);
  }
  constexpr std::string_view kExpected = "performance";
  constexpr std::string_view kGovernorSource = "sysfs cpufreq";
  const Fact<std::vector<std::string>>& governors = view.host.cpu_governors;
  if (!governors) return NoAnswer(governors.missing(), kExpected, kGovernorSource);
  std::string all;
  for (const std::string& governor : *governors) all += Cat(all.empty() ? "" : ", ", governor);
  const bool good = std::ranges::all_of(
      *governors, [kExpected](const std::string& governor) { return governor == kExpected; });
  return Judged(good, all, kExpected, kGovernorSource);
}

}  // namespace

std::vector<Check> HostChecks() {
  return {
      {.id = "host.memlock",
       .title = "The agent, which makes the live tests, may lock enough memory for RDMA",
       .why = "RDMA registers, hence locks, its buffers: beyond the limit registration fails. Storage services "
              "have limits of their own, the kernel has none",
       .fix = "prlimit --pid {pid} --memlock=unlimited:unlimited  # the agent's; for good: "
              "LimitMEMLOCK=infinity in its unit, and in that of every storage service in user space",
       .blocks_for = &kDemandsMemlock,
       .depends_on = {"inv.rdma-present"},
       .telling = 1,
       .judge = JudgeHostMemlock},
      {.id = "host.nofile",
       .title = "Enough files may be open for RDMA connections",
       .why = "Every connection of RDMA-CM and every completion channel is an open file",
       .fix = "prlimit --pid {pid} --nofile=65536:65536  # for good: LimitNOFILE=65536 in the service's unit",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostNofile},
      {.id = "host.irq-affinity",
       .title = "The NIC's interrupts arrive near it and at more than one CPU",
       .why = "An interrupt on another node, or behind all others at one CPU, adds latency to every completion",
       .fix = "cat /proc/interrupts  # spread the NIC's over the CPUs of its own NUMA node",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostIrqAffinity},
      {.id = "host.irqbalance",
       .title = "Nobody moves interrupts that are kept near their NIC",
       .why = "irqbalance spreads them over all CPUs again, and completions wait for the far node",
       .fix = "systemctl disable --now irqbalance  # or let it leave the NIC's alone: IRQBALANCE_ARGS with "
              "--banirq in /etc/default/irqbalance",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostIrqbalance},
      {.id = "host.governor",
       .title = "The CPUs run at their full clock",
       .why = "A CPU that has slowed down between two completions makes the next one wait for its clock",
       .fix =
           "for policy in /sys/devices/system/cpu/cpufreq/policy*; do echo performance > "
           "$policy/scaling_governor; done  # until the next boot; for good: cpupower or tuned. It costs power",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostGovernor},
  };
}

}  // namespace rdmaready
