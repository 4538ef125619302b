// SPDX-License-Identifier: Apache-2.0
// host.*: open files, interrupts, the CPU's clock and the time of day.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

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
  if (std::string reason = InterruptsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
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

// Why it is not known whether there is a NIC of hardware; null where it is.
const Missing* HardwareGap(const Facts& host) {
  if (!host.ports) return &host.ports.missing();
  const Missing* gap = nullptr;
  for (const Port& port : *host.ports) {
    if (port.software && !*port.software) return nullptr;
    if (!port.software) gap = &port.software.missing();
  }
  return gap;
}

// ---- host.irqbalance ----

constexpr std::string_view kBalanceSource = "/run, /proc/irq";

// Fewer of them than an even spread over the nodes would put there.
bool AreFar(const PciFunction& pci, std::uint32_t nodes) {
  return pci.interrupts && pci.numa_node && *pci.numa_node >= 0 &&
         pci.interrupts->local * nodes < pci.interrupts->count;
}

Verdict JudgeHostIrqbalance(const HostView& view) {
  if (std::string reason = NoHardware(view.host); !reason.empty()) return NotApplicable(reason);
  if (view.host.numa_nodes && *view.host.numa_nodes == 1) return NotApplicable("one NUMA node: nowhere is far");
  constexpr std::string_view kExpected = "not where interrupts are far from their NIC's node";
  const Facts& host = view.host;
  if (const Missing* gap = HardwareGap(host)) return NoAnswer(*gap, kExpected, kBalanceSource);
  if (!host.numa_nodes) return NoAnswer(host.numa_nodes.missing(), kExpected, kBalanceSource);
  if (!host.irqbalance) return NoAnswer(host.irqbalance.missing(), kExpected, kBalanceSource);
  if (!*host.irqbalance) return Judged(true, "irqbalance does not run", kExpected, kBalanceSource);
  std::string far;
  for (const Port& port : *host.ports) {
    if (!port.pci && NotOffered(port.pci)) continue;
    if (!port.pci) return NoAnswer(port.pci.missing(), kExpected, kBalanceSource);
    const Fact<Interrupts>& interrupts = port.pci->interrupts;
    if (!interrupts && !NotOffered(interrupts))
      return NoAnswer(interrupts.missing(), kExpected, kBalanceSource);
    const Fact<std::int32_t>& node = port.pci->numa_node;
    if (!node && !NotOffered(node)) return NoAnswer(node.missing(), kExpected, kBalanceSource);
    if (AreFar(*port.pci, *host.numa_nodes)) far += Cat(far.empty() ? "" : ", ", PortName(port));
  }
  if (far.empty())
    return Judged(true, "irqbalance runs, and leaves the NICs' interrupts near them", kExpected,
                  kBalanceSource);
  return Judged(false, Cat("irqbalance runs, and the interrupts of ", far, " are far from it"), kExpected,
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

// ---- host.clock ----

// A set STA_UNSYNC by itself is no fault: chronyd without rtcsync, and timesyncd where the RTC holds local
// time, set it so that the kernel leaves the RTC alone, and keep the errors true. phc2sys tells the kernel no
// estimate.
//
// The maximum error grows by 500 us a second from one correction to the next. timesyncd lets up to 2048 s pass
// (chronyd and ntpd: 1024 s), and one answer may be lost: what grows meanwhile is no error of the clock.
Verdict JudgeHostClock(const HostView& view) {
  constexpr std::uint64_t kTolerableUs = 1'000'000;
  constexpr std::uint64_t kGrownMeanwhileUs = 2 * 2048 * 500;
  constexpr std::string_view kExpected = "synchronised, to within a second";
  constexpr std::string_view kClockSource = "adjtimex";
  const Fact<KernelClock>& clock = view.host.clock;
  if (!clock) return NoAnswer(clock.missing(), kExpected, kClockSource);
  const auto wrong = [&](std::string observed) {
    return Judged(false, std::move(observed), kExpected, kClockSource);
  };
  const auto text = [](std::uint64_t us) { return DurationText(static_cast<std::int64_t>(us) * 1000); };
  const std::uint64_t estimate = clock->estimated_error_us;
  if (clock->max_error_us >= KernelClock::kNobodyKnowsUs)
    return wrong("not synchronised: nobody tells the kernel that it keeps the clock");
  if (estimate > kTolerableUs && estimate < KernelClock::kNobodyKnowsUs)
    return wrong("estimated error " + text(estimate));
  if (clock->max_error_us > kTolerableUs + kGrownMeanwhileUs)
    return wrong(fmt::format("maximum error {}: nobody corrects it often enough", text(clock->max_error_us)));
  return Judged(true,
                clock->unsynchronised ? "synchronised, and the kernel leaves the RTC alone" : "synchronised",
                kExpected, kClockSource);
}

}  // namespace

std::vector<Check> HostChecks() {
  return {
      {.id = "host.nofile",
       .title = "Enough files may be open for RDMA connections",
       .why = "Every connection of RDMA-CM and every completion channel is an open file",
       .fix = Fix("prlimit --pid {pid} --nofile=65536:65536")
                  .Do("for good: write LimitNOFILE=65536 into the unit of the service")
                  .CheckBy("grep 'open files' /proc/{pid}/limits"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostNofile},
      {.id = "host.irq-affinity",
       .title = "The NIC's interrupts arrive near it and at more than one CPU",
       .why = "An interrupt on another node, or behind all others at one CPU, adds latency to every completion",
       .fix = Fix()
                  .Do("spread the interrupts of the NIC over the CPUs of its own NUMA node")
                  .CheckBy("cat /proc/interrupts"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostIrqAffinity},
      {.id = "host.irqbalance",
       .title = "Nobody moves interrupts away from their NIC",
       .why = "irqbalance spreads them over all CPUs again, and completions wait for the far node",
       .fix = Fix("systemctl disable --now irqbalance")
                  .Caution("other devices lose the balance of their interrupts, too")
                  .Or("exclude only the NIC: --banirq in IRQBALANCE_ARGS of /etc/default/irqbalance")
                  .CheckBy("systemctl is-active irqbalance"),
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
      {.id = "host.clock",
       .title = "A time service keeps the host's clock",
       .why = "With a wrong time TLS takes good certificates for expired, Kerberos (mounts of SMB) refuses at "
              "five minutes, and the records of two hosts cannot be compared",
       .fix = Fix("timedatectl set-ntp true")
                  .Caution("some tools of hypervisors and the ntpd of busybox keep the clock without a report "
                           "to the kernel: "
                           "then nothing is to be done")
                  .Or("install chrony, if it answers that NTP is not supported")
                  .CheckBy("timedatectl timesync-status"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeHostClock},
  };
}

}  // namespace rdmaready
