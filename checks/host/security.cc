// SPDX-License-Identifier: Apache-2.0
// sec.*: who may use the RDMA devices, and what the agent may do.
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

constexpr std::string_view kNodesSource = "modes of /dev/infiniband";
constexpr std::uint32_t kOthers = 0007;

std::string ModeText(std::uint32_t mode) {
  std::string text = "0000";
  for (std::size_t digit = 0; digit < text.size(); ++digit)
    text[text.size() - 1 - digit] = static_cast<char>('0' + (mode >> 3 * digit & 7U));
  return text;
}

// By these everybody could send management datagrams, or be a subnet manager.
bool IsForManagement(const std::string& name) { return name.starts_with("umad") || name.starts_with("issm"); }

// The nodes of verbs and RDMA-CM are open to everybody by the kernel's own choice: what a user may do there is
// limited by RLIMIT_MEMLOCK and by keys. So that is said, and no fault.
Verdict JudgeSecDeviceNodes(const HostView& view) {
  if (view.host.device_nodes && view.host.device_nodes->empty())
    return NotApplicable("no nodes in /dev/infiniband");
  constexpr std::string_view kExpected = "umad and issm closed to others";
  const Fact<std::vector<DeviceNode>>& nodes = view.host.device_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), kExpected, kNodesSource);
  std::string open;
  std::string paths;
  std::size_t verbs = 0;
  for (const DeviceNode& node : *nodes) {
    if ((node.mode & kOthers) == 0) continue;
    if (!IsForManagement(node.name)) {
      ++verbs;
      continue;
    }
    open += Cat(open.empty() ? "" : ", ", node.name, " ", ModeText(node.mode));
    paths += " " + ShellWord("/dev/infiniband/" + node.name);
  }
  const std::string all = Cat(nodes->size(), nodes->size() == 1 ? " node" : " nodes");
  if (open.empty())
    return Judged(true,
                  verbs == 0 ? Cat(all, ", none open to others") : Cat(all, ", those of verbs open to all"),
                  kExpected, kNodesSource);
  return Judged(false, Cat("open to others: ", open), kExpected, kNodesSource,
                Cat("chmod o-rwx", paths, "  # for good: in the udev rule that opened it"));
}

constexpr std::string_view kNetnsSource = "RDMA netlink";

// Whether containers run here can be seen, not whose they are: the profile has to say.
Verdict JudgeSecNetnsShared(const HostView& view) {
  if (!view.profile.multi_tenant) return NotApplicable(NotAsked(view.profile, "tenants to be kept apart"));
  constexpr std::string_view kExpected = "exclusive";
  const Fact<bool>& shared = view.host.rdma_netns_shared;
  if (!shared) return NoAnswer(shared.missing(), kExpected, kNetnsSource);
  return Judged(!*shared, *shared ? "shared: every network namespace sees every RDMA device" : "exclusive",
                kExpected, kNetnsSource);
}

constexpr std::string_view kCapabilitiesSource = "/proc/self/status CapEff";
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

// Every capability up to the last one that the kernel has, which is CAP_AUDIT_READ or a later one.
bool IsAllOfRoots(std::uint64_t capabilities) {
  constexpr std::uint64_t kLeast = (Bit(CAP_AUDIT_READ) << 1U) - 1;
  return capabilities >= kLeast && (capabilities & (capabilities + 1)) == 0;
}

// Who types a command as root has all capabilities, and they end with the command.
std::string CapsNotApplicable(const HostView& view) {
  const Fact<std::string>& process = view.host.agent_process;
  if (!process || *process == kAgent) return {};
  return Cat("looked at by hand (", *process, "), not by an agent that stays");
}

Verdict JudgeSecAgentCaps(const HostView& view) {
  if (std::string reason = CapsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::string expected = Cat("no more than ", NamesOf(kNeeded));
  if (!view.host.agent_process)
    return NoAnswer(view.host.agent_process.missing(), expected, kCapabilitiesSource);
  if (!view.host.agent_capabilities)
    return NoAnswer(view.host.agent_capabilities.missing(), expected, kCapabilitiesSource);
  const std::uint64_t held = *view.host.agent_capabilities;
  const std::uint64_t surplus = held & ~kNeeded;
  if (surplus == 0) return Judged(true, NamesOf(held), expected, kCapabilitiesSource);
  if (IsAllOfRoots(held)) return Judged(false, "everything that root may do", expected, kCapabilitiesSource);
  return Judged(false, Cat("also ", NamesOf(surplus)), expected, kCapabilitiesSource);
}

Verdict JudgeSecPrivilegedQkey(const HostView& view) {
  if (!view.profile.multi_tenant) return NotApplicable(NotAsked(view.profile, "several tenants"));
  if (NotOffered(view.host.privileged_qkey)) return NotApplicable(view.host.privileged_qkey.missing().detail);
  constexpr std::string_view kExpected = "off: controlled Q_Keys are for CAP_NET_RAW";
  const Fact<bool>& on = view.host.privileged_qkey;
  if (!on) return NoAnswer(on.missing(), kExpected, "RDMA netlink");
  return Judged(!*on, *on ? "on: everybody may use them" : "off", kExpected, "RDMA netlink");
}

}  // namespace

std::vector<Check> SecurityChecks() {
  return {
      {.id = "sec.device-nodes",
       .title = "Only trusted users may send management datagrams",
       .why = "Who can open umad or issm can reconfigure the fabric, or pose as its subnet manager",
       .fix = "ls -l /dev/infiniband  # and close them in the udev rule that opened them",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecDeviceNodes},
      {.id = "sec.netns-shared",
       .title = "Containers see only the RDMA devices that are given to them",
       .why = "In shared mode each container sees all of them, and may use the addresses of the host and of "
              "others",
       .fix =
           "echo options ib_core netns_mode=0 > /etc/modprobe.d/rdma-netns.conf; rdma system set netns "
           "exclusive  # refused (busy) while any other network namespace exists: then reboot; afterwards give "
           "devices away by rdma dev set DEVICE netns NAME",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecNetnsShared},
      {.id = "sec.privileged-qkey",
       .title = "Controlled Q_Keys are for privileged programs only",
       .why = "With one a tenant may send datagrams to queue pairs of the kernel and of others",
       .fix = "rdma system set privileged-qkey off",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecPrivilegedQkey},
      {.id = "sec.agent-caps",
       .title = "The agent has no more privileges than it needs",
       .why = "It listens on the network: who finds a hole in it gets whatever it may do",
       .fix = "mkdir -p /etc/systemd/system/rdmaready-agent.service.d && printf '%s\\n' '[Service]' "
              "CapabilityBoundingSet= 'CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK "
              "CAP_SYS_ADMIN CAP_SYS_NICE' > "
              "/etc/systemd/system/rdmaready-agent.service.d/10-capabilities.conf && systemctl "
              "daemon-reload && systemctl restart rdmaready-agent  # started otherwise: by setpriv "
              "--bounding-set=-all,+net_admin,+net_raw,+ipc_lock,+sys_admin,+sys_nice",
       .judge = JudgeSecAgentCaps},
  };
}

}  // namespace rdmaready
