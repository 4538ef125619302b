// SPDX-License-Identifier: Apache-2.0
#include "api/model/rights.h"

#include <algorithm>

namespace rdmaready {
namespace {

// By number, as linux/capability.h has them since Linux 5.9.
constexpr auto kCapabilities = std::to_array<std::string_view>({
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_DAC_READ_SEARCH",
    "CAP_FOWNER",
    "CAP_FSETID",
    "CAP_KILL",
    "CAP_SETGID",
    "CAP_SETUID",
    "CAP_SETPCAP",
    "CAP_LINUX_IMMUTABLE",
    "CAP_NET_BIND_SERVICE",
    "CAP_NET_BROADCAST",
    "CAP_NET_ADMIN",
    "CAP_NET_RAW",
    "CAP_IPC_LOCK",
    "CAP_IPC_OWNER",
    "CAP_SYS_MODULE",
    "CAP_SYS_RAWIO",
    "CAP_SYS_CHROOT",
    "CAP_SYS_PTRACE",
    "CAP_SYS_PACCT",
    "CAP_SYS_ADMIN",
    "CAP_SYS_BOOT",
    "CAP_SYS_NICE",
    "CAP_SYS_RESOURCE",
    "CAP_SYS_TIME",
    "CAP_SYS_TTY_CONFIG",
    "CAP_MKNOD",
    "CAP_LEASE",
    "CAP_AUDIT_WRITE",
    "CAP_AUDIT_CONTROL",
    "CAP_SETFCAP",
    "CAP_MAC_OVERRIDE",
    "CAP_MAC_ADMIN",
    "CAP_SYSLOG",
    "CAP_WAKE_ALARM",
    "CAP_BLOCK_SUSPEND",
    "CAP_AUDIT_READ",
    "CAP_PERFMON",
    "CAP_BPF",
    "CAP_CHECKPOINT_RESTORE",
});
static_assert(kCapabilities.size() == CAP_LAST_CAP + 1);

constexpr std::size_t kBits = 64;

}  // namespace

std::string_view NameOf(Daemon daemon) {
  switch (daemon) {
    case Daemon::kUnknown:
      return "unknown";
    case Daemon::kAgent:
      return "agent";
    case Daemon::kReader:
      return "reader";
    case Daemon::kListener:
      return "listener";
    case Daemon::kProver:
      return "prover";
    case Daemon::kApplier:
      return "applier";
    case Daemon::kPauser:
      return "pauser";
  }
  return "unknown";
}

Daemon DaemonNamed(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kDaemons, [name](Daemon daemon) { return NameOf(daemon) == name; });
  return found == kDaemons.end() ? Daemon::kUnknown : *found;
}

std::string CapabilityName(std::size_t bit) {
  return bit < kCapabilities.size() ? std::string(kCapabilities[bit]) : std::to_string(bit);
}

std::string CapabilityNames(std::uint64_t capabilities) {
  std::string text;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    if ((capabilities >> bit & 1U) == 0) continue;
    if (!text.empty()) text += ' ';
    text += CapabilityName(bit);
  }
  return text.empty() ? "none" : text;
}

}  // namespace rdmaready
