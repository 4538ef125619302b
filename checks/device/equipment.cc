// SPDX-License-Identifier: Apache-2.0
// inv.*: how many RDMA ports there are, of which make, and who may see them.
#include <algorithm>

#include "checks/families.h"
#include "checks/spare.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "RDMA netlink";

std::string CountNotApplicable(const HostView& view) {
  return view.profile.min_ports ? "" : NotAsked(view.profile, "a number of ports");
}

Verdict JudgeCount(const HostView& view) {
  const unsigned wanted = *view.profile.min_ports;
  const std::string expected = Cat("at least ", wanted, wanted == 1 ? " port" : " ports");
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), expected, kSource);
  unsigned count = 0;
  const Missing* gap = nullptr;
  for (const Port& port : *view.host.ports) {
    if (IsInfiniBand(port)) continue;
    if (port.netdev && !port.netdev->name.empty()) ++count;
    if (!port.netdev && !NotOffered(port.netdev)) gap = &port.netdev.missing();
  }
  if (count < wanted && gap != nullptr) return NoAnswer(*gap, expected, kSource);
  return Judged(count >= wanted, Cat(count, " Ethernet port", count == 1 ? "" : "s", " with RDMA"), expected,
                kSource);
}

// What two ports of one host should share. A part that is not known is empty, and not compared.
struct Make {
  std::string board{};
  std::string firmware{};
  std::string driver{};
};

Make MakeOf(const Port& port) {
  return {.board = port.board ? *port.board : "",
          .firmware = port.firmware ? *port.firmware : "",
          .driver = port.netdev ? port.netdev->driver : ""};
}

std::string Difference(const Make& a, const Make& b) {
  const auto differ = [](const std::string& x, const std::string& y) {
    return !x.empty() && !y.empty() && x != y;
  };
  if (differ(a.driver, b.driver)) return Cat("drivers ", a.driver, " and ", b.driver);
  if (differ(a.board, b.board)) return Cat("boards ", a.board, " and ", b.board);
  if (differ(a.firmware, b.firmware)) return Cat("firmware ", a.firmware, " and ", b.firmware);
  return {};
}

// Those that are to carry storage together. Only where the ports are known.
std::vector<Port> PortsInUse(const HostView& view) {
  std::vector<Port> ports = *view.host.ports;
  std::erase_if(ports, [&view](const Port& port) { return IsSpare(view.host, port, view.profile); });
  return ports;
}

std::string SymmetryNotApplicable(const HostView& view) {
  if (!view.host.ports) return {};
  const std::vector<Port> ports = PortsInUse(view);
  if (ports.size() < 2) return "fewer than two RDMA ports: there is nothing to compare";
  const bool software = std::ranges::all_of(ports, IsSoftware);
  return software ? "software devices only: they have neither board nor firmware" : "";
}

Verdict JudgeSymmetry(const HostView& view) {
  constexpr std::string_view kExpected = "the same on every port";
  constexpr std::string_view kMakeSource = "RDMA netlink, sysfs, ethtool driver";
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), std::string(kExpected), kMakeSource);
  const std::vector<Port> ports = PortsInUse(view);
  const Port& first = ports.front();
  for (const Port& port : ports) {
    if (!port.software) return NoAnswer(port.software.missing(), std::string(kExpected), kMakeSource);
  }
  const Missing* gap = nullptr;
  for (const Port& port : ports) {
    if (IsSoftware(port) != IsSoftware(first)) {
      return Judged(false, Cat("a software device beside hardware: ", PortName(first), " and ", PortName(port)),
                    std::string(kExpected), kMakeSource);
    }
    const std::string difference = Difference(MakeOf(first), MakeOf(port));
    if (!difference.empty()) {
      return Judged(false, Cat(PortName(first), " and ", PortName(port), " differ: ", difference),
                    std::string(kExpected), kMakeSource);
    }
    if (!port.board) gap = &port.board.missing();
    if (!port.firmware) gap = &port.firmware.missing();
  }
  if (gap != nullptr) return NoAnswer(*gap, std::string(kExpected), kMakeSource);
  return Judged(true,
                Cat("board ", *first.board, ", firmware ", *first.firmware, " on ", ports.size(), " ports"),
                std::string(kExpected), kMakeSource);
}

std::string PhysicalNotApplicable(const PortView& view) {
  return IsSoftware(view.port) ? "a software device has no PCIe function" : "";
}

Verdict JudgePhysical(const PortView& view) {
  constexpr std::string_view kExpected = "a physical function";
  constexpr std::string_view kPciSource = "sysfs PCI";
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci) return NoAnswer(pci.missing(), std::string(kExpected), kPciSource);
  return Judged(!pci->virtual_function,
                Cat(pci->address, pci->virtual_function ? " is a virtual function" : " is a physical function"),
                std::string(kExpected), kPciSource);
}

// The opposite is asked for there.
std::string NetnsNotApplicable(const HostView& view) {
  return view.profile.multi_tenant
             ? Cat("profile ", view.profile.name, " keeps tenants apart: sec.netns-shared")
             : "";
}

Verdict JudgeNetns(const HostView& view) {
  const Fact<bool>& shared = view.host.rdma_netns_shared;
  if (!shared) return NoAnswer(shared.missing(), "shared", kSource);
  return Judged(*shared, *shared ? "shared" : "exclusive: a device is seen in one namespace only", "shared",
                kSource);
}

}  // namespace

Check InvExpectedCount() {
  return {.id = "inv.expected-count",
          .title = "The host has as many Ethernet ports with RDMA as the profile asks",
          .why = "A card or a driver that is lost at a reboot leaves storage with half of its paths, silently",
          .fix =
              "rdma link show  # which one is missing? then: lspci, dmesg, and the driver of that NIC (reseat "
              "the card when lspci lacks it)",
          .blocks_for = &kDemandsPorts,
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{CountNotApplicable, JudgeCount}};
}

Check InvSymmetry() {
  return {.id = "inv.symmetry",
          .title = "All RDMA ports of the host are of one make, with one firmware",
          .why = "Multichannel spreads evenly: the odd port sets the pace, and behaves in ways of its own",
          .fix =
              "devlink dev info  # bring the odd one to the others' firmware and driver, or take it out of the "
              "storage network",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{SymmetryNotApplicable, JudgeSymmetry}};
}

Check InvPhysical() {
  return {
      .id = "inv.physical",
      .title = "The RDMA port is a physical function",
      .why = "A virtual function has no DCB of its own: PFC and ETS are set, and shown, elsewhere",
      .fix =
          "readlink /sys/class/infiniband/{device}/device/physfn  # use that function for storage, or judge "
          "its host as well",
      .depends_on = {"inv.rdma-present"},
      .rule = Rule<PortView>{PhysicalNotApplicable, JudgePhysical}};
}

Check InvNetnsMode() {
  return {.id = "inv.netns-mode",
          .title = "Network namespaces share the RDMA devices",
          .why =
              "In exclusive mode a device is seen in one namespace only: services in containers find none, and "
              "this report may lack one",
          .fix = "rdma system set netns shared  # refused while other network namespaces exist",
          .depends_on = {"inv.rdma-present"},
          .rule = Rule<HostView>{NetnsNotApplicable, JudgeNetns}};
}

}  // namespace rdmaready
