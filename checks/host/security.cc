// SPDX-License-Identifier: Apache-2.0
// sec.*: who may use the RDMA devices, and what the agent may do.
#include <linux/capability.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/rights.h"
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
                Fix(Cat("chmod o-rwx", paths))
                    .Because("a udev rule opened the nodes: the kernel makes them for root only")
                    .Do("for good: remove the mode from the udev rule")
                    .CheckBy("ls -l /dev/infiniband"));
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

constexpr std::uint64_t Bit(unsigned capability) { return std::uint64_t{1} << capability; }

// Every capability up to the last one that the kernel has, which is CAP_AUDIT_READ or a later one.
bool IsAllOfRoots(std::uint64_t capabilities) {
  constexpr std::uint64_t kLeast = (Bit(CAP_AUDIT_READ) << 1U) - 1;
  return capabilities >= kLeast && (capabilities & (capabilities + 1)) == 0;
}

constexpr std::string_view kGroupSource = "/proc/self/cgroup";

// The default set of Docker and containerd, of which CRI-O gives a part, and CAP_IPC_LOCK for RDMA. Outside of
// a container an agent needs none of it.
constexpr std::uint64_t kContainers =
    Bit(CAP_CHOWN) | Bit(CAP_DAC_OVERRIDE) | Bit(CAP_FOWNER) | Bit(CAP_FSETID) | Bit(CAP_KILL) |
    Bit(CAP_SETGID) | Bit(CAP_SETUID) | Bit(CAP_SETPCAP) | Bit(CAP_NET_BIND_SERVICE) | Bit(CAP_NET_RAW) |
    Bit(CAP_SYS_CHROOT) | Bit(CAP_MKNOD) | Bit(CAP_AUDIT_WRITE) | Bit(CAP_SETFCAP) | Bit(CAP_IPC_LOCK);
constexpr std::uint64_t kOfEachContainer = Bit(CAP_DAC_OVERRIDE) | Bit(CAP_FOWNER) | Bit(CAP_FSETID) |
                                           Bit(CAP_KILL) | Bit(CAP_SETGID) | Bit(CAP_SETUID) |
                                           Bit(CAP_SETPCAP) | Bit(CAP_NET_BIND_SERVICE);

bool IsContainers(std::uint64_t held) {
  return (held & ~kContainers) == 0 && (held & kOfEachContainer) == kOfEachContainer;
}

// What it may have: nothing, and root's own agent what its helpers would have, because it may run without them,
// and to register memory without a limit, as root always could. An agent whose user is not known is judged as
// root's: what both may not have is too much for either.
std::uint64_t Allowed(const HostView& view) {
  const Fact<std::uint32_t>& user = view.host.agent_user;
  return user && *user != 0 ? CapabilitiesOf(Daemon::kAgent) : HelpersCapabilities() | Bit(CAP_IPC_LOCK);
}

// Who types a command as root has all capabilities, and they end with the command.
std::string CapsNotApplicable(const HostView& view) {
  const Fact<std::string>& process = view.host.agent_process;
  if (!process || *process == kAgent) return {};
  return Cat("looked at by hand (", *process, "), not by an agent that stays");
}

Verdict JudgeSecAgentCaps(const HostView& view) {
  if (std::string reason = CapsNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const std::uint64_t allowed = Allowed(view);
  const std::string expected =
      allowed == 0 ? "none" : Cat("none, or root's agent without helpers: ", CapabilityNames(allowed));
  if (!view.host.agent_process)
    return NoAnswer(view.host.agent_process.missing(), expected, kCapabilitiesSource);
  if (!view.host.agent_capabilities)
    return NoAnswer(view.host.agent_capabilities.missing(), expected, kCapabilitiesSource);
  const std::uint64_t held = *view.host.agent_capabilities;
  const std::uint64_t surplus = held & ~allowed;
  if (IsAllOfRoots(held)) return Judged(false, "everything that root may do", expected, kCapabilitiesSource);
  if (IsContainers(held)) {
    const Fact<ControlGroup>& group = view.host.agent_group;
    if (!group) return NoAnswer(group.missing(), expected, kGroupSource);
    if (!group->container.empty())
      return Judged(true, "what a container runtime gives each container", expected, kCapabilitiesSource);
  }
  if (surplus != 0) return Judged(false, Cat("also ", CapabilityNames(surplus)), expected, kCapabilitiesSource);
  if (held != 0 && !view.host.agent_user)
    return NoAnswer(view.host.agent_user.missing(), expected, kCapabilitiesSource);
  return Judged(true, held == 0 ? "none" : Cat(CapabilityNames(held), ", of root's agent"), expected,
                kCapabilitiesSource);
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
       .fix = Fix()
                  .Do("remove the mode from the udev rule that opened the nodes")
                  .CheckBy("ls -l /dev/infiniband"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecDeviceNodes},
      {.id = "sec.netns-shared",
       .title = "Containers see only the RDMA devices that are given to them",
       .why = "In shared mode each container sees all of them, and may use the addresses of the host and of "
              "others",
       .fix = Fix("echo options ib_core netns_mode=0 > /etc/modprobe.d/rdma-netns.conf")
                  .Run("rdma system set netns exclusive")
                  .Caution("the kernel refuses it (busy) while another network namespace exists: then reboot")
                  .Do("give the devices to their namespaces: rdma dev set DEVICE netns NAME")
                  .CheckBy("rdma system show"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecNetnsShared},
      {.id = "sec.privileged-qkey",
       .title = "Controlled Q_Keys are for privileged programs only",
       .why = "With one a tenant may send datagrams to queue pairs of the kernel and of others",
       .fix = Fix("rdma system set privileged-qkey off").CheckBy("rdma system show"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeSecPrivilegedQkey},
      {.id = "sec.agent-caps",
       .title = "The agent has no more privileges than it needs",
       .why = "It listens on the network: who finds a hole in it gets whatever it may do",
       .fix = Fix("mkdir -p /etc/systemd/system/rdmaready-agent.service.d && printf '%s\\n' '[Service]' "
                  "User=rdmaready CapabilityBoundingSet= AmbientCapabilities= > "
                  "/etc/systemd/system/rdmaready-agent.service.d/10-capabilities.conf && systemctl "
                  "daemon-reload && "
                  "systemctl restart rdmaready-agent")
                  .Or("without systemd start it by setpriv --reuid=rdmaready --regid=rdmaready --init-groups "
                      "--inh-caps=-all --bounding-set=-all, with rdmaready-reader and rdmaready-listener "
                      "beside it")
                  .Or("in a container take out of its securityContext what is too much")
                  .CheckBy("systemctl show -p CapabilityBoundingSet rdmaready-agent"),
       .judge = JudgeSecAgentCaps},
  };
}

}  // namespace rdmaready
