// SPDX-License-Identifier: Apache-2.0
// host.irq-affinity, host.irqbalance, host.governor: whether a NIC's interrupts arrive near it, stay there, and
// find a CPU at its full clock.
#include <algorithm>
#include <string>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "sysfs msi_irqs, /proc/irq";

std::string NotApplicable(const PortView& view) {
  if (IsSoftware(view.port)) return "software device: it has no interrupts of its own";
  const Fact<PciFunction>& pci = view.port.pci;
  if (NotOffered(pci)) return pci.missing().detail;
  return pci && NotOffered(pci->interrupts) ? pci->interrupts.missing().detail : "";
}

// Drivers spread their interrupts over all CPUs, so that on two nodes half of them are far away by design: bad
// is what is worse than that: by experience, no standard has a number.
Verdict JudgeAffinity(const PortView& view) {
  constexpr std::string_view kExpected = "spread, and at least evenly over the nodes";
  constexpr std::uint32_t kMany = 8;
  if (!view.port.pci) return NoAnswer(view.port.pci.missing(), std::string(kExpected), kSource);
  const PciFunction& pci = *view.port.pci;
  if (!pci.interrupts) return NoAnswer(pci.interrupts.missing(), std::string(kExpected), kSource);
  if (!view.host.numa_nodes) return NoAnswer(view.host.numa_nodes.missing(), std::string(kExpected), kSource);
  const Interrupts& irqs = *pci.interrupts;
  const std::uint32_t nodes = pci.numa_node && *pci.numa_node >= 0 ? *view.host.numa_nodes : 1;
  const std::string observed =
      Cat(irqs.count, " interrupts at ", irqs.cpus, irqs.cpus == 1 ? " CPU, " : " CPUs, ", irqs.local,
          " of them on the NIC's own node");
  const bool near = nodes <= 1 || irqs.local * nodes >= irqs.count;
  const bool spread = irqs.count < kMany || irqs.cpus > 1;
  const std::string folder = ShellWord("/sys/bus/pci/devices/" + pci.address);
  return Judged(near && spread, observed, std::string(kExpected), kSource,
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

std::string BalanceNotApplicable(const HostView& view) {
  if (std::string reason = NoHardware(view.host); !reason.empty()) return reason;
  return view.host.numa_nodes && *view.host.numa_nodes == 1 ? "one NUMA node: nowhere is far" : "";
}

// All of them are on the NIC's own node, as the fix of host.irq-affinity has them.
bool AreKeptNear(const PciFunction& pci) {
  return pci.interrupts && pci.interrupts->count > 0 && pci.interrupts->local == pci.interrupts->count;
}

Verdict JudgeBalance(const HostView& view) {
  constexpr std::string_view kExpected = "not where interrupts are kept on their NIC's node";
  const Facts& host = view.host;
  if (!host.irqbalance) return NoAnswer(host.irqbalance.missing(), std::string(kExpected), kBalanceSource);
  if (!*host.irqbalance) return Judged(true, "irqbalance does not run", std::string(kExpected), kBalanceSource);
  if (!host.ports) return NoAnswer(host.ports.missing(), std::string(kExpected), kBalanceSource);
  std::string kept;
  for (const Port& port : *host.ports) {
    if (!port.pci) continue;
    const Fact<Interrupts>& interrupts = port.pci->interrupts;
    if (!interrupts && !NotOffered(interrupts))
      return NoAnswer(interrupts.missing(), std::string(kExpected), kBalanceSource);
    if (AreKeptNear(*port.pci)) kept += Cat(kept.empty() ? "" : ", ", PortName(port));
  }
  if (kept.empty()) {
    return Judged(true, "irqbalance runs, and no NIC's interrupts are kept on its node", std::string(kExpected),
                  kBalanceSource);
  }
  return Judged(false, Cat("irqbalance runs, and may move the interrupts of ", kept), std::string(kExpected),
                kBalanceSource);
}

// ---- host.governor ----

std::string GovernorNotApplicable(const HostView& view) {
  if (std::string reason = NoHardware(view.host); !reason.empty()) return reason;
  return NotOffered(view.host.cpu_governors) ? view.host.cpu_governors.missing().detail : "";
}

// By experience: vendors' tuning guides ask for it, no standard does.
Verdict JudgeGovernor(const HostView& view) {
  constexpr std::string_view kExpected = "performance";
  constexpr std::string_view kGovernorSource = "sysfs cpufreq";
  const Fact<std::vector<std::string>>& governors = view.host.cpu_governors;
  if (!governors) return NoAnswer(governors.missing(), std::string(kExpected), kGovernorSource);
  std::string all;
  for (const std::string& governor : *governors) all += Cat(all.empty() ? "" : ", ", governor);
  const bool good = std::ranges::all_of(
      *governors, [kExpected](const std::string& governor) { return governor == kExpected; });
  return Judged(good, all, std::string(kExpected), kGovernorSource);
}

}  // namespace

Check HostIrqbalance() {
  return {.id = "host.irqbalance",
          .title = "Nobody moves interrupts that are kept near their NIC",
          .why = "irqbalance spreads them over all CPUs again, and completions wait for the far node",
          .fix =
              "systemctl disable --now irqbalance  # or let it leave the NIC's alone: IRQBALANCE_ARGS with "
              "--banirq in /etc/default/irqbalance",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{BalanceNotApplicable, JudgeBalance}};
}

Check HostGovernor() {
  return {
      .id = "host.governor",
      .title = "The CPUs run at their full clock",
      .why = "A CPU that has slowed down between two completions makes the next one wait for its clock",
      .fix =
          "for policy in /sys/devices/system/cpu/cpufreq/policy*; do echo performance > "
          "$policy/scaling_governor; done  # until the next boot; for good: cpupower or tuned. It costs power",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<HostView>{GovernorNotApplicable, JudgeGovernor}};
}

Check HostIrqAffinity() {
  return {
      .id = "host.irq-affinity",
      .title = "The NIC's interrupts arrive near it and at more than one CPU",
      .why = "An interrupt on another node, or behind all others at one CPU, adds latency to every completion",
      .fix = "cat /proc/interrupts  # spread the NIC's over the CPUs of its own NUMA node",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{NotApplicable, JudgeAffinity}};
}

}  // namespace rdmaready
