// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/interrupts.h"

#include <algorithm>
#include <vector>

#include "api/base/number_ranges.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMostCpus = 8192;  // CONFIG_NR_CPUS of x86 at most

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The CPUs at which one interrupt arrives. smp_affinity is where it may; architectures without the other file
// have no better answer.
Fact<std::set<std::uint32_t>> ReadCpus(HostReader& host, const std::string& irq) {
  absl::StatusOr<std::string> text = host.ReadFile("/proc/irq/" + irq + "/effective_affinity_list");
  if (text.status().code() == absl::StatusCode::kNotFound)
    text = host.ReadFile("/proc/irq/" + irq + "/smp_affinity_list");
  if (!text.ok()) return MissingFrom(text.status());
  return DecodeCpuList(*text);
}

}  // namespace

Fact<std::set<std::uint32_t>> DecodeCpuList(std::string_view text) {
  const std::string list = TrimRight(text);
  std::set<std::uint32_t> cpus;
  if (list.empty()) return cpus;
  const std::optional<std::vector<NumberRange>> ranges = ParseNumberRanges(list, kMostCpus);
  if (!ranges) return Missing{Missing::Kind::kFailed, "\"" + SafeLine(list, 80) + "\" is not a list of CPUs"};
  for (const NumberRange& range : *ranges) {
    for (std::uint32_t cpu = range.first; cpu <= range.last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

Fact<Interrupts> ReadInterrupts(HostReader& host, const std::string& folder) {
  const absl::StatusOr<std::vector<std::string>> irqs = host.ListDirectory(folder + "msi_irqs");
  if (irqs.status().code() == absl::StatusCode::kNotFound) {
    return Missing{Missing::Kind::kUnsupported, "the device has no message-signalled interrupts"};
  }
  if (!irqs.ok()) return MissingFrom(irqs.status());
  const absl::StatusOr<std::string> text = host.ReadFile(folder + "local_cpulist");
  if (!text.ok()) return MissingFrom(text.status());
  const Fact<std::set<std::uint32_t>> near = DecodeCpuList(*text);
  if (!near) return near.missing();
  Interrupts interrupts;
  std::set<std::uint32_t> all;
  for (const std::string& irq : *irqs) {
    if (!IsNumber(irq)) continue;
    const Fact<std::set<std::uint32_t>> cpus = ReadCpus(host, irq);
    if (!cpus) return cpus.missing();
    if (cpus->empty()) continue;
    ++interrupts.count;
    if (std::ranges::includes(*near, *cpus)) ++interrupts.local;
    all.insert(cpus->begin(), cpus->end());
  }
  interrupts.cpus = static_cast<std::uint32_t>(all.size());
  return interrupts;
}

}  // namespace rdmaready
