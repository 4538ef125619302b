// SPDX-License-Identifier: Apache-2.0
// drv.*: the kernel's doors for RDMA in user space, and firmware that is the same at both ends.
#include <algorithm>

#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string NeverNotApplicable(const HostView&) { return {}; }

Verdict JudgeCoreModules(const HostView& view) {
  constexpr std::string_view kSource = "/dev/infiniband";
  constexpr std::string_view kExpected = "uverbs and rdma_cm";
  const Fact<std::vector<std::string>>& nodes = view.host.rdma_nodes;
  if (!nodes) return NoAnswer(nodes.missing(), std::string(kExpected), kSource);
  const bool verbs =
      std::ranges::any_of(*nodes, [](const std::string& node) { return node.starts_with("uverbs"); });
  const bool cm = std::ranges::find(*nodes, "rdma_cm") != nodes->end();
  if (verbs && cm) return Judged(true, std::string(kExpected), std::string(kExpected), kSource);
  const std::string_view lacking = verbs ? "rdma_cm" : cm ? "uverbs" : "uverbs, no rdma_cm";
  return Judged(false, Cat("no ", lacking), std::string(kExpected), kSource);
}

std::string FirmwareNotApplicable(const PairView& view) {
  if (IsSoftware(view.from_port) || IsSoftware(view.to_port)) return "a software device has no firmware";
  const Fact<std::string>& from = view.from_port.board;
  const Fact<std::string>& to = view.to_port.board;
  return from && to && *from != *to ? Cat("different boards: ", *from, " and ", *to) : std::string();
}

Verdict JudgeFirmware(const PairView& view) {
  constexpr std::string_view kSource = "RDMA netlink of both";
  constexpr std::string_view kExpected = "the same on both";
  for (const Port* port : {&view.from_port, &view.to_port}) {
    if (!port->firmware) return NoAnswer(port->firmware.missing(), std::string(kExpected), kSource);
    if (!port->board) return NoAnswer(port->board.missing(), std::string(kExpected), kSource);
  }
  const std::string& from = *view.from_port.firmware;
  const std::string& to = *view.to_port.firmware;
  if (from == to) return Judged(true, Cat("firmware ", from, " on both"), std::string(kExpected), kSource);
  return Judged(false, Cat("firmware ", from, " at ", view.from_name, ", ", to, " at ", view.to_name),
                std::string(kExpected), kSource);
}

}  // namespace

Check DrvCoreModules() {
  return {.id = "drv.core-modules",
          .title = "Programs can reach RDMA: uverbs and rdma_cm are there",
          .why = "Without these device nodes no program opens an RDMA device, and no live test can be made",
          .fix = "modprobe -a ib_uverbs rdma_ucm  # for good: a line each in /etc/modules-load.d/rdma.conf",
          .blocks_for = &kDemandsRdma,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NeverNotApplicable, JudgeCoreModules}};
}

Check DrvFwUniform() {
  return {
      .id = "drv.fw-uniform",
      .title = "NICs of one board have one firmware at both ends",
      .why = "Two firmware versions differ in pause and congestion behaviour: a fault shows on one end only",
      .fix = "devlink dev info  # on both; then bring the older one to the other's firmware",
      .depends_on = {"inv.netdev-mapping", "agree.firmware"},
      .rule = Rule<PairView>{FirmwareNotApplicable, JudgeFirmware}};
}

}  // namespace rdmaready
