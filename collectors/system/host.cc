// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/host.h"

#include <sys/timex.h>

#include <algorithm>
#include <optional>
#include <set>

#include "api/base/number.h"
#include "api/base/number_ranges.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/lines.h"
#include "collectors/system/os_release.h"

namespace rdmaready {
namespace {

std::string TrimmedOrEmpty(HostReader& host, std::string_view path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  return text.ok() ? TrimRight(*text) : std::string();
}

// Whether the running kernel was configured without InfiniBand; unknown when its configuration is not readable.
bool ConfiguredWithout(HostReader& host, const std::string& release) {
  const absl::StatusOr<std::string> config = host.ReadFile("/boot/config-" + release);
  return config.ok() && config->find("# CONFIG_INFINIBAND is not set\n") != std::string::npos;
}

Fact<KernelClock> ReadClock(HostReader& host) {
  const absl::StatusOr<ClockAnswer> clock = host.Ask(ClockQuestion());
  if (!clock.ok()) return MissingFrom(clock.status());
  return KernelClock{.unsynchronised = clock->state == TIME_ERROR || (clock->status & STA_UNSYNC) != 0,
                     .max_error_us = clock->max_error_us,
                     .estimated_error_us = clock->estimated_error_us};
}

}  // namespace

std::string ReadHostname(HostReader& host) { return TrimmedOrEmpty(host, "/proc/sys/kernel/hostname"); }

std::string ReadMachineId(HostReader& host) { return TrimmedOrEmpty(host, "/etc/machine-id"); }

Fact<Kernel> ReadKernel(HostReader& host) {
  const absl::StatusOr<std::string> release = host.ReadFile("/proc/sys/kernel/osrelease");
  if (!release.ok()) return MissingFrom(release.status());
  return Kernel{TrimRight(*release)};
}

Fact<Memlock> ReadMemlock(HostReader& host) {
  const absl::StatusOr<MemlockAnswer> memlock = host.Ask(MemlockQuestion());
  if (!memlock.ok()) return MissingFrom(memlock.status());
  return Memlock{
      .limit_bytes = memlock->limit_bytes, .cap_ipc_lock = memlock->cap_ipc_lock, .pid = memlock->pid};
}

Fact<OpenFiles> DecodeOpenFiles(std::string_view limits) {
  constexpr std::string_view kName = "Max open files";
  const Missing nonsense{Missing::Kind::kFailed, "no line \"Max open files\" in /proc/self/limits"};
  const std::size_t line = limits.find(kName);
  if (line == std::string_view::npos) return nonsense;
  limits.remove_prefix(line + kName.size());
  OpenFiles files;
  for (std::uint64_t* value : {&files.soft, &files.hard}) {
    limits.remove_prefix(std::min(limits.size(), limits.find_first_not_of(' ')));
    const std::string_view word = limits.substr(0, limits.find(' '));
    const std::optional<std::uint64_t> number =
        word == "unlimited" ? OpenFiles::kUnlimited : ParseNumber<std::uint64_t>(word);
    if (!number) return nonsense;
    *value = *number;
    limits.remove_prefix(word.size());
  }
  return files;
}

Fact<OpenFiles> ReadOpenFiles(HostReader& host) {
  const absl::StatusOr<std::string> limits = host.ReadFile("/proc/self/limits");
  if (!limits.ok()) return MissingFrom(limits.status());
  return DecodeOpenFiles(*limits);
}

Fact<CmaMemory> DecodeCma(std::span<const std::string> lines) {
  constexpr std::uint64_t kKib = 1024;
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> free;
  for (const std::string& line : lines) {
    const std::vector<std::string_view> words = WordsOf(line);
    if (words.size() < 2) continue;
    if (words[0] == "CmaTotal:") total = ParseNumber<std::uint64_t>(words[1]);
    if (words[0] == "CmaFree:") free = ParseNumber<std::uint64_t>(words[1]);
  }
  if (total && free) return CmaMemory{.total_bytes = *total * kKib, .free_bytes = *free * kKib};
  if (lines.empty()) return Missing{Missing::Kind::kUnsupported, "a kernel without CMA"};
  return Missing{Missing::Kind::kFailed, "no numbers of CMA in /proc/meminfo"};
}

Fact<CmaMemory> ReadCma(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> lines =
      host.FindLines("/proc/meminfo", {"CmaTotal:", "CmaFree:"});
  if (!lines.ok()) return MissingFrom(lines.status());
  return DecodeCma(*lines);
}

Fact<std::uint64_t> ReadUptime(HostReader& host) {
  const absl::StatusOr<std::string> text = host.ReadFile("/proc/uptime");
  if (!text.ok()) return MissingFrom(text.status());
  std::string_view rest = *text;
  const std::optional<std::uint64_t> seconds = TakeNumber<std::uint64_t>(rest);
  if (seconds && rest.starts_with('.')) return *seconds;
  return Missing{Missing::Kind::kFailed, "\"" + TrimRight(*text) + "\" is not a time since boot"};
}

Fact<std::vector<std::string>> ReadRdmaNodes(HostReader& host) {
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory("/dev/infiniband");
  if (names.ok()) {
    std::erase_if(*names, [](const std::string& name) { return name.starts_with("by-"); });  // udev's links
    return *std::move(names);
  }
  if (names.status().code() == absl::StatusCode::kNotFound) return std::vector<std::string>{};
  return MissingFrom(names.status());
}

Fact<std::vector<DeviceNode>> ReadDeviceNodes(HostReader& host, const Fact<std::vector<std::string>>& names) {
  if (!names) return names.missing();
  std::vector<DeviceNode> nodes;
  for (const std::string& name : *names) {
    const absl::StatusOr<std::uint32_t> mode = host.FileMode("/dev/infiniband/" + name);
    if (mode.ok()) {
      nodes.push_back({name, *mode});
    } else if (mode.status().code() != absl::StatusCode::kNotFound) {
      return MissingFrom(mode.status());
    }
  }
  return nodes;
}

Fact<std::uint32_t> DecodeNodeList(std::string_view text) {
  constexpr std::uint32_t kMostNodes = 1024;  // MAX_NUMNODES of any configuration
  const std::string list = TrimRight(text);
  const std::optional<std::vector<NumberRange>> ranges = ParseNumberRanges(list, kMostNodes);
  std::uint32_t nodes = 0;
  for (const NumberRange& range : ranges.value_or(std::vector<NumberRange>()))
    nodes += range.last - range.first + 1;
  if (nodes > 0 && nodes <= kMostNodes) return nodes;
  return Missing{Missing::Kind::kFailed, "\"" + list + "\" is not a list of nodes"};
}

Fact<std::uint32_t> ReadNumaNodes(HostReader& host) {
  const absl::StatusOr<std::string> text = host.ReadFile("/sys/devices/system/node/online");
  if (text.ok()) return DecodeNodeList(*text);
  if (text.status().code() != absl::StatusCode::kNotFound) return MissingFrom(text.status());
  return Missing{Missing::Kind::kUnsupported, "kernel without NUMA"};
}

Fact<std::uint64_t> DecodeCapabilities(std::string_view status) {
  constexpr std::string_view kField = "\nCapEff:\t";
  const std::size_t found = status.find(kField);
  if (found != std::string_view::npos) {
    status.remove_prefix(found + kField.size());
    const std::optional<std::uint64_t> effective = TakeNumber<std::uint64_t>(status, 16);
    if (effective && (status.empty() || status.front() == '\n')) return *effective;
  }
  return Missing{Missing::Kind::kFailed, "no line \"CapEff\" in /proc/self/status"};
}

Fact<std::string> DecodeProcessName(std::string_view status) {
  constexpr std::string_view kField = "Name:\t";
  if (status.starts_with(kField)) {
    status.remove_prefix(kField.size());
    return std::string(status.substr(0, status.find('\n')));
  }
  return Missing{Missing::Kind::kFailed, "no line \"Name\" in /proc/self/status"};
}

Fact<std::uint32_t> DecodeEffectiveUser(std::string_view status) {
  constexpr std::string_view kField = "\nUid:\t";  // real, effective, saved, of the file system
  const std::size_t line = status.find(kField);
  if (line == std::string_view::npos)
    return Missing{Missing::Kind::kFailed, "no line \"Uid\" in /proc/self/status"};
  std::string_view rest = status.substr(line + kField.size());
  const bool real = TakeNumber<std::uint32_t>(rest).has_value() && rest.starts_with('\t');
  if (real) rest.remove_prefix(1);
  const std::optional<std::uint32_t> effective = real ? TakeNumber<std::uint32_t>(rest) : std::nullopt;
  if (effective) return *effective;
  return Missing{Missing::Kind::kFailed, "the line \"Uid\" of /proc/self/status has no two numbers"};
}

void ReadOwnProcess(HostReader& host, Facts& facts) {
  const absl::StatusOr<std::string> status = host.ReadFile("/proc/self/status");
  if (status.ok()) {
    facts.agent_capabilities = DecodeCapabilities(*status);
    facts.agent_process = DecodeProcessName(*status);
    facts.agent_user = DecodeEffectiveUser(*status);
  } else {
    facts.agent_capabilities = MissingFrom(status.status());
    facts.agent_process = MissingFrom(status.status());
    facts.agent_user = MissingFrom(status.status());
  }
}

// A policy is a group of CPUs that share a clock.
Fact<std::vector<std::string>> ReadCpuGovernors(HostReader& host) {
  const std::string folder = "/sys/devices/system/cpu/cpufreq";
  const absl::StatusOr<std::vector<std::string>> policies = host.ListDirectory(folder);
  const Missing none{Missing::Kind::kUnsupported, "nothing scales the clocks of the CPUs here"};
  if (!policies.ok()) {
    return policies.status().code() == absl::StatusCode::kNotFound ? none : MissingFrom(policies.status());
  }
  std::set<std::string> governors;
  for (const std::string& policy : *policies) {
    if (!policy.starts_with("policy")) continue;
    const absl::StatusOr<std::string> text = host.ReadFile(folder + "/" + policy + "/scaling_governor");
    if (!text.ok()) return MissingFrom(text.status());
    governors.insert(TrimRight(*text));
  }
  if (governors.empty()) return none;
  return std::vector<std::string>(governors.begin(), governors.end());
}

Fact<bool> ReadIrqbalance(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> names = host.ListDirectory("/run");
  if (!names.ok()) return MissingFrom(names.status());
  return std::ranges::any_of(*names, [](const std::string& name) { return name.starts_with("irqbalance"); });
}

bool ListsModule(std::string_view index, std::string_view module) {
  while (!index.empty()) {
    const std::string_view line = index.substr(0, index.find('\n'));
    index.remove_prefix(line.size() < index.size() ? line.size() + 1 : index.size());
    std::string_view name = line.substr(0, line.find(':'));
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos)
      name.remove_prefix(slash + 1);
    if (name.size() > module.size() && name.substr(0, module.size()) == module &&
        name.substr(module.size()).substr(0, 3) == ".ko") {
      return true;
    }
  }
  return false;
}

Fact<RdmaStack> ReadRdmaStack(HostReader& host, const Fact<Kernel>& kernel) {
  const absl::Status loaded = host.ListDirectory("/sys/class/infiniband").status();
  if (loaded.ok()) return RdmaStack::kLoaded;
  if (loaded.code() != absl::StatusCode::kNotFound) return MissingFrom(loaded);
  // Without sysfs the class is missing whether or not it is loaded.
  if (const absl::Status sysfs = host.ListDirectory("/sys/class").status(); !sysfs.ok())
    return MissingFrom(sysfs);
  if (!kernel) return kernel.missing();

  const std::string modules = "/lib/modules/" + kernel->release;
  std::optional<Missing> unreadable;
  for (const char* index : {"/modules.dep", "/modules.builtin"}) {
    const absl::StatusOr<std::string> text = host.ReadFile(modules + index);
    if (text.ok()) {
      if (ListsModule(*text, "ib_core")) return RdmaStack::kNotLoaded;
    } else if (text.status().code() != absl::StatusCode::kNotFound) {
      unreadable = MissingFrom(text.status());
    }
  }
  if (unreadable && !ConfiguredWithout(host, kernel->release)) return *unreadable;
  return RdmaStack::kAbsent;  // none installed for this kernel, or no ib_core among them
}

void ReadHostFacts(HostReader& host, Facts& facts) {
  facts.hostname = ReadHostname(host);
  facts.machine_id = ReadMachineId(host);
  facts.kernel = ReadKernel(host);
  facts.distribution = ReadDistribution(host);
  facts.memlock = ReadMemlock(host);
  facts.open_files = ReadOpenFiles(host);
  facts.cma = ReadCma(host);
  facts.uptime_s = ReadUptime(host);
  facts.numa_nodes = ReadNumaNodes(host);
  ReadOwnProcess(host, facts);
  facts.cpu_governors = ReadCpuGovernors(host);
  facts.irqbalance = ReadIrqbalance(host);
  facts.clock = ReadClock(host);
  facts.rdma_nodes = ReadRdmaNodes(host);
  facts.device_nodes = ReadDeviceNodes(host, facts.rdma_nodes);
  facts.rdma_stack = ReadRdmaStack(host, facts.kernel);
}

}  // namespace rdmaready
