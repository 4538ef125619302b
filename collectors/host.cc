// SPDX-License-Identifier: Apache-2.0
#include "collectors/host.h"

#include <optional>

#include "api/base/status.h"
#include "api/base/text.h"

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

}  // namespace

std::string ReadHostname(HostReader& host) { return TrimmedOrEmpty(host, "/proc/sys/kernel/hostname"); }

std::string ReadMachineId(HostReader& host) { return TrimmedOrEmpty(host, "/etc/machine-id"); }

Fact<Kernel> ReadKernel(HostReader& host) {
  const absl::StatusOr<std::string> release = host.ReadFile("/proc/sys/kernel/osrelease");
  if (!release.ok()) return MissingFrom(release.status());
  return Kernel{TrimRight(*release)};
}

Fact<Memlock> ReadMemlock(HostReader& host) {
  const absl::StatusOr<Memlock> memlock = host.MemlockLimit();
  if (!memlock.ok()) return MissingFrom(memlock.status());
  return *memlock;
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

}  // namespace rdmaready
