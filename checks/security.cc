// SPDX-License-Identifier: Apache-2.0
// sec.*: who may do what with RDMA on this host.
#include <string>

#include "checks/families.h"
#include "checks/verdicts.h"
#include "checks/words.h"

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

}  // namespace

Check SecDeviceNodes() {
  return {.id = "sec.device-nodes",
          .title = "Only trusted users may send management datagrams",
          .why = "Who can open umad or issm can reconfigure the fabric, or pose as its subnet manager",
          .fix = "ls -l /dev/infiniband  # and close them in the udev rule that opened them",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NodesNotApplicable, JudgeNodes}};
}

}  // namespace rdmaready
