// SPDX-License-Identifier: Apache-2.0
// sec.agent-caps: what the agent may do on this host, and need not.
#include <linux/capability.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "/proc/self/status CapEff";
constexpr std::string_view kAgent = "rdmaready-agent";

// By number, as linux/capability.h has them since Linux 5.9.
constexpr auto kNames = std::to_array<std::string_view>({
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
static_assert(kNames.size() == CAP_LAST_CAP + 1);

constexpr std::size_t kBits = 64;

constexpr std::uint64_t Bit(unsigned capability) { return std::uint64_t{1} << capability; }

// Packet filters and resources in use; LLDP frames; registered memory; PCI configuration space, and the mounts
// of a proof; a thread that goes before others, to see who writes DCB settings while that one is still there.
constexpr std::uint64_t kNeeded =
    Bit(CAP_NET_ADMIN) | Bit(CAP_NET_RAW) | Bit(CAP_IPC_LOCK) | Bit(CAP_SYS_ADMIN) | Bit(CAP_SYS_NICE);

// A kernel newer than the table may have more.
std::string NameOf(std::size_t bit) {
  return bit < kNames.size() ? std::string(kNames[bit]) : std::to_string(bit);
}

std::string NamesOf(std::uint64_t capabilities) {
  std::string text;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    if ((capabilities >> bit & 1U) != 0) text += Cat(text.empty() ? "" : " ", NameOf(bit));
  }
  return text.empty() ? "none" : text;
}

// Who types a command as root has all capabilities, and they end with the command.
std::string CapsNotApplicable(const HostView& view) {
  const Fact<std::string>& process = view.host.agent_process;
  if (!process || *process == kAgent) return {};
  return Cat("looked at by hand (", *process, "), not by an agent that stays");
}

Verdict JudgeCaps(const HostView& view) {
  const std::string expected = Cat("no more than ", NamesOf(kNeeded));
  if (!view.host.agent_process) return NoAnswer(view.host.agent_process.missing(), expected, kSource);
  if (!view.host.agent_capabilities) return NoAnswer(view.host.agent_capabilities.missing(), expected, kSource);
  const std::uint64_t held = *view.host.agent_capabilities;
  const std::uint64_t surplus = held & ~kNeeded;
  if (surplus == 0) return Judged(true, NamesOf(held), expected, kSource);
  return Judged(false, Cat("also ", NamesOf(surplus)), expected, kSource);
}

}  // namespace

// An empty assignment first: those of the unit itself are joined with ours otherwise.
Check SecAgentCaps() {
  return {.id = "sec.agent-caps",
          .title = "The agent has no more privileges than it needs",
          .why = "It listens on the network: who finds a hole in it gets whatever it may do",
          .fix =
              "mkdir -p /etc/systemd/system/rdmaready-agent.service.d && printf '%s\\n' '[Service]' "
              "CapabilityBoundingSet= 'CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK "
              "CAP_SYS_ADMIN CAP_SYS_NICE' > "
              "/etc/systemd/system/rdmaready-agent.service.d/10-capabilities.conf && systemctl "
              "daemon-reload && systemctl restart rdmaready-agent  # started otherwise: by setpriv "
              "--bounding-set=-all,+net_admin,+net_raw,+ipc_lock,+sys_admin,+sys_nice",
          .rule = Rule<HostView>{CapsNotApplicable, JudgeCaps}};
}

}  // namespace rdmaready
