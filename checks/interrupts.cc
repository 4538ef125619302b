// SPDX-License-Identifier: Apache-2.0
// host.irq-affinity: whether a NIC's interrupts arrive near it.
#include <string>

#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

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
// is what is worse than that. [E]
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

}  // namespace

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
