// SPDX-License-Identifier: Apache-2.0
// sec.*: who may do what with RDMA on this host. The agent's own part: agent_capabilities.cc.
#include <string>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "modes of /dev/infiniband";
constexpr std::uint32_t kOthers = 0007;

std::string ModeText(std::uint32_t mode) {
  std::string text = "0000";
  for (std::size_t digit = 0; digit < text.size(); ++digit)
    text[text.size() - 1 - digit] = static_cast<char>('0' + (mode >> 3 * digit & 7U));
  return text;
}

// By these everybody could send management datagrams, or be a subnet manager.
bool IsForManagement(const std::string& name) { return name.starts_with("umad") || name.starts_with("issm"); }

std::string NodesNotApplicable(const HostView& view) {
  return view.host.device_nodes && view.host.device_nodes->empty() ? "no nodes in /dev/infiniband" : "";
}

// The nodes of verbs and RDMA-CM are open to everybody by the kernel's own choice: what a user may do there is
// limited by RLIMIT_MEMLOCK and by keys. So that is said, and no fault.
Verdict JudgeNodes(const HostView& view) {
  constexpr std::string_view kExpected = "umad and issm closed to others";
  const Fact<std::vector<DeviceNode>>& nodes = view.host.device_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), std::string(kExpected), kSource);
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
                  std::string(kExpected), kSource);
  return Judged(false, Cat("open to others: ", open), std::string(kExpected), kSource,
                Cat("chmod o-rwx", paths, "  # for good: in the udev rule that opened it"));
}

constexpr std::string_view kNetnsSource = "RDMA netlink";

// Whether containers run here can be seen, not whose they are: the profile has to say.
std::string NetnsNotApplicable(const HostView& view) {
  return view.profile.multi_tenant ? "" : NotAsked(view.profile, "tenants to be kept apart");
}

Verdict JudgeNetns(const HostView& view) {
  constexpr std::string_view kExpected = "exclusive";
  const Fact<bool>& shared = view.host.rdma_netns_shared;
  if (!shared) return NoAnswer(shared.missing(), std::string(kExpected), kNetnsSource);
  return Judged(!*shared, *shared ? "shared: every network namespace sees every RDMA device" : "exclusive",
                std::string(kExpected), kNetnsSource);
}

}  // namespace

// The kernel changes the mode only while there is no other network namespace at all (EBUSY of
// rdma_compatdev_set in drivers/infiniband/core/device.c), and what is given to the module holds from its
// loading on.
Check SecNetnsShared() {
  return {
      .id = "sec.netns-shared",
      .title = "Containers see only the RDMA devices that are given to them",
      .why =
          "In shared mode each container sees all of them, and may use the addresses of the host and of others",
      .fix =
          "echo options ib_core netns_mode=0 > /etc/modprobe.d/rdma-netns.conf; rdma system set netns "
          "exclusive  # refused (busy) while any other network namespace exists: then reboot; afterwards give "
          "devices away by rdma dev set DEVICE netns NAME",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<HostView>{NetnsNotApplicable, JudgeNetns}};
}

Check SecDeviceNodes() {
  return {.id = "sec.device-nodes",
          .title = "Only trusted users may send management datagrams",
          .why = "Who can open umad or issm can reconfigure the fabric, or pose as its subnet manager",
          .fix = "ls -l /dev/infiniband  # and close them in the udev rule that opened them",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NodesNotApplicable, JudgeNodes}};
}

}  // namespace rdmaready
