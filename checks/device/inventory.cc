// SPDX-License-Identifier: Apache-2.0
// inv.*: which RDMA ports the host has, how many, of which make, and who may see them.
#include <algorithm>
#include <optional>
#include <utility>

#include "checks/device/adapter.h"
#include "checks/device/boot_switch.h"
#include "checks/device/bus.h"
#include "checks/device/no_devices.h"
#include "checks/families.h"
#include "checks/spare.h"
#include "checks/words/carrying_function.h"
#include "checks/words/names.h"
#include "checks/words/plane_device.h"
#include "checks/words/second_function.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDevicesSource = "RDMA netlink";

std::string_view WordsFor(const Port& port) {
  if (!port.transport) return "transport unknown";
  switch (*port.transport) {
    case Transport::kUnknown:
      return "transport unknown";
    case Transport::kInfiniBand:
      return "InfiniBand";
    case Transport::kRoce:
      return "RoCE";
    case Transport::kIwarp:
      return "iWARP";
  }
  return "transport unknown";
}

std::string PortsText(const std::vector<Port>& ports) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < ports.size() && i < kShown; ++i) {
    const bool software = ports[i].software && *ports[i].software;
    text += Cat(i == 0 ? "" : "; ", PortName(ports[i]), ": ", WordsFor(ports[i]),
                software ? ", software device" : "");
  }
  if (ports.size() > kShown) text += Cat("; and ", ports.size() - kShown, " more");
  return text;
}

Verdict JudgeInvRdmaPresent(const HostView& view) {
  const Facts& host = view.host;
  if (host.ports && !host.ports->empty()) {
    if (std::ranges::all_of(*host.ports, IsLent)) {
      return Unclear(Cat(PortsText(*host.ports), ": all lent to other network namespaces, none is used here"),
                     "at least one RDMA device", kDevicesSource);
    }
    return Judged(true, PortsText(*host.ports), "at least one RDMA device", kDevicesSource);
  }
  const bool absent = host.rdma_stack && *host.rdma_stack == RdmaStack::kAbsent;
  if (host.ports || absent) return NoDevices(host);
  return NoAnswer(host.ports.missing(), "at least one RDMA device", kDevicesSource);
}

Verdict SecondFunction(const std::string& shared, std::string_view expected) {
  return Warned(Cat("no Ethernet interface, and no link: perhaps the second function of the board of ",
                    Printable(shared), " (Socket Direct), which is the interface of both"),
                expected, kDevicesSource,
                Fix("rdma link show {device}/{port}")
                    .Do(Cat("on a board with one port and two functions: leave {device}/{port} out by `ports` "
                            "of the profile"))
                    .Or("where the interface is in another network namespace: give its port a cable")
                    .CheckBy("rdma link show {device}/{port}"));
}

// "There is none here" is an answer: a netdev without a name, or not offered for what is known to be Ethernet.
Verdict JudgeInvNetdevMapping(const PortView& view) {
  const bool infiniband = view.port.transport && *view.port.transport == Transport::kInfiniBand;
  if (infiniband) return NotApplicable("InfiniBand: a port has no Ethernet interface");
  const Port& port = view.port;
  if (IsLent(port))
    return NotApplicable(Cat(VirtualFunctionText(port), ", whose interface another network namespace has"));
  if (HasOwnProtocol(port)) return NotApplicable("neither InfiniBand, RoCE nor iWARP: it has no interface");
  constexpr std::string_view kExpected = "an Ethernet interface in this network namespace";
  const Fact<bool> lent = LentOf(port);
  if (!lent && NotOffered(port.netdev)) return NoAnswer(lent.missing(), kExpected, kDevicesSource);
  if (port.netdev && !port.netdev->name.empty()) {
    return Judged(true, port.netdev->name, kExpected, kDevicesSource);
  }
  const Fact<std::string> shared = PerhapsInterfaceOfBoth(view.host, port);
  if (shared && !shared->empty()) return SecondFunction(*shared, kExpected);
  if (!shared && NotOffered(port.netdev)) return NoAnswer(shared.missing(), kExpected, kDevicesSource);
  const bool ethernet =
      port.transport && (*port.transport == Transport::kRoce || *port.transport == Transport::kIwarp);
  const bool none = port.netdev || (ethernet && port.netdev.missing().kind == Missing::Kind::kUnsupported);
  if (none) return Judged(false, "no Ethernet interface in this network namespace", kExpected, kDevicesSource);
  Verdict verdict = NoAnswer(port.netdev.missing(), kExpected, kDevicesSource);
  if (port.netdev.missing().kind == Missing::Kind::kFailed)
    verdict.fix = {};  // the check's own tells where to look
  return verdict;
}

Transport Wanted(Profile::Transport transport) {
  switch (transport) {
    case Profile::Transport::kAny:
      return Transport::kUnknown;
    case Profile::Transport::kRoceV2:
      return Transport::kRoce;
    case Profile::Transport::kIwarp:
      return Transport::kIwarp;
    case Profile::Transport::kInfiniBand:
      return Transport::kInfiniBand;
  }
  return Transport::kUnknown;
}

// How the NIC's protocol is switched, where it can be.
Fix TransportFix(const Port& port) {
  const std::string driver = port.netdev ? port.netdev->driver : "";
  const std::string address = port.pci ? ShellWord(port.pci->address) : "ADDRESS";
  const bool mlx4 = port.device.starts_with("mlx4_") || driver == "mlx4_en" || driver == "mlx4_core";
  if (driver == "qede")
    return Fix()
        .Because("the NVM of the NIC says RoCE or iWARP", Certainty::kCertain)
        .Do("choose the other RDMA protocol of the NIC in the setup of the system, then reboot");
  if (driver == "ice")
    return Fix(Cat("devlink dev param set pci/", address, " name enable_iwarp value false cmode runtime"))
        .Because("one of RoCE and iWARP is on at a time")
        .Caution("the RDMA device is made anew: its connections end")
        .Run(Cat("devlink dev param set pci/", address, " name enable_roce value true cmode runtime"))
        .CheckBy("rdma link show");
  if (mlx4)
    return Fix(Cat("grep -H . /sys/bus/pci/devices/", address, "/mlx4_port", port.number))
        .Because("a VPI port speaks InfiniBand or Ethernet, and this one has the other mode")
        .Do("write ib or eth into that file, as the fabric speaks");
  if (driver == "mlx5_core" || IsInfiniBand(port))
    return Fix(Cat("mlxconfig -d ", address, " query LINK_TYPE_P1"))
        .Because("a VPI port speaks InfiniBand (1) or Ethernet (2), as its firmware is set")
        .Do("set the type that the fabric speaks, then reset the adapter");
  if (driver == "cxgb4" || driver == "i40e")
    return Fix()
        .Because("this NIC speaks iWARP only", Certainty::kCertain)
        .Do("use another NIC for {device}/{port}, or a profile of iWARP");
  return {};
}

Verdict JudgeInvTransport(const PortView& view) {
  if (view.profile.transport == Profile::Transport::kAny)
    return NotApplicable(NotAsked(view.profile, "a transport"));
  const Fact<Transport>& transport = view.port.transport;
  std::string expected(Name(view.profile.transport));
  if (!transport) return NoAnswer(transport.missing(), expected, kDevicesSource);
  if (*transport == Transport::kUnknown) {
    return NoAnswer(
        {.kind = Missing::Kind::kUnsupported, .detail = "the device does not say which transport it speaks"},
        expected, kDevicesSource);
  }
  if (*transport != Wanted(view.profile.transport)) {
    if (std::optional<Fix> fix = SwitchedOffFix(view))
      return Judged(false, std::string(WordsFor(view.port)), expected, kDevicesSource, *std::move(fix));
  }
  return Judged(*transport == Wanted(view.profile.transport), std::string(WordsFor(view.port)), expected,
                kDevicesSource, TransportFix(view.port));
}

Verdict JudgeInvExpectedCount(const HostView& view) {
  if (!view.profile.min_ports) return NotApplicable(NotAsked(view.profile, "a number of ports"));
  const unsigned wanted = *view.profile.min_ports;
  const std::string expected = Cat("at least ", wanted, wanted == 1 ? " port" : " ports");
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), expected, kDevicesSource);
  unsigned count = 0;
  std::optional<Missing> gap;
  const bool infiniband = view.profile.transport == Profile::Transport::kInfiniBand;
  for (const Port& port : *view.host.ports) {
    const Fact<std::string> whole = PlanesOf(view.host, port);
    if (whole && !whole->empty()) continue;
    if (!whole) gap = whole.missing();
    if (IsInfiniBand(port) || infiniband) {
      const Fact<bool> inside = ManagesSwitchesOf(port);
      if (IsInfiniBand(port) && infiniband && inside && !*inside) ++count;
      if (!inside) gap = inside.missing();
      continue;
    }
    if ((port.netdev && !port.netdev->name.empty()) || HasOwnProtocol(port)) ++count;
    if (!port.netdev && !NotOffered(port.netdev)) gap = port.netdev.missing();
  }
  if (count < wanted && gap) return NoAnswer(*gap, expected, kDevicesSource);
  const std::string_view kind = infiniband ? "InfiniBand port" : "Ethernet port";
  Verdict verdict =
      Judged(count >= wanted, Cat(CountText(count, kind), " with RDMA"), expected, kDevicesSource);
  const WithoutRdma adapter = FirstWithoutRdma(view.host);
  if (count < wanted && !adapter.why.empty()) {
    verdict.observed += Cat("; ", Printable(adapter.why));
    verdict.fix = adapter.fix;
  }
  return verdict;
}

// What two ports of one host should share. A part that is not known is empty, and not compared.
struct MakeOfPort {
  std::string board{};
  std::string firmware{};
  std::string driver{};
};

MakeOfPort MakeOf(const Port& port) {
  return {.board = port.board ? *port.board : "",
          .firmware = port.firmware ? *port.firmware : "",
          .driver = port.netdev ? port.netdev->driver : ""};
}

std::string DifferenceText(const MakeOfPort& a, const MakeOfPort& b) {
  const auto differ = [](const std::string& x, const std::string& y) {
    return !x.empty() && !y.empty() && x != y;
  };
  if (differ(a.driver, b.driver)) return Cat("drivers ", a.driver, " and ", b.driver);
  if (differ(a.board, b.board)) return Cat("boards ", a.board, " and ", b.board);
  if (differ(a.firmware, b.firmware)) return Cat("firmware ", a.firmware, " and ", b.firmware);
  return {};
}

// Those that are to carry storage together: of another transport none does. Only where the ports are known.
std::vector<Port> PortsInUse(const HostView& view) {
  std::vector<Port> ports = *view.host.ports;
  const Transport wanted = Wanted(view.profile.transport);
  std::erase_if(ports, [&](const Port& port) {
    const bool foreign = wanted != Transport::kUnknown && port.transport && *port.transport != wanted;
    return foreign || IsLent(port) || IsRepresentor(port) || ManagesSwitches(port) ||
           IsPlane(view.host, port) || IsSpare(view.host, port, view.profile);
  });
  return ports;
}

std::string SymmetryNotApplicable(const HostView& view) {
  if (!view.host.ports) return {};
  const std::vector<Port> ports = PortsInUse(view);
  if (ports.size() < 2) return "fewer than two RDMA ports: there is nothing to compare";
  const bool software = std::ranges::all_of(ports, IsSoftware);
  return software ? "software devices only: they have neither board nor firmware" : "";
}

Verdict JudgeInvSymmetry(const HostView& view) {
  if (std::string reason = SymmetryNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "the same on every port";
  constexpr std::string_view kMakeSource = "RDMA netlink, sysfs, ethtool driver";
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kMakeSource);
  for (const Port& port : *view.host.ports) {
    const Fact<bool> spare = SpareOf(view.host, port, view.profile);
    if (!spare) return NoAnswer(spare.missing(), kExpected, kMakeSource);
    const Fact<bool> lent = LentOf(port);
    if (!lent) return NoAnswer(lent.missing(), kExpected, kMakeSource);
    const Fact<bool> inside = ManagesSwitchesOf(port);
    if (!inside) return NoAnswer(inside.missing(), kExpected, kMakeSource);
    if (!port.transport && !NotOffered(port.transport))
      return NoAnswer(port.transport.missing(), kExpected, kMakeSource);
    if (const Fact<std::string> whole = PlanesOf(view.host, port); !whole)
      return NoAnswer(whole.missing(), kExpected, kMakeSource);
  }
  const std::vector<Port> ports = PortsInUse(view);
  const Port& first = ports.front();
  for (const Port& port : ports) {
    if (!port.software) return NoAnswer(port.software.missing(), kExpected, kMakeSource);
  }
  const Missing* gap = nullptr;
  for (const Port& port : ports) {
    if (IsSoftware(port) != IsSoftware(first)) {
      return Judged(false, Cat("a software device beside hardware: ", PortName(first), " and ", PortName(port)),
                    kExpected, kMakeSource);
    }
    const std::string difference = DifferenceText(MakeOf(first), MakeOf(port));
    if (!difference.empty()) {
      return Judged(false, Cat(PortName(first), " and ", PortName(port), " differ: ", difference), kExpected,
                    kMakeSource);
    }
    if (!port.board) gap = &port.board.missing();
    if (!port.firmware) gap = &port.firmware.missing();
  }
  if (gap != nullptr) return NoAnswer(*gap, kExpected, kMakeSource);
  return Judged(true,
                Cat("board ", *first.board, ", firmware ", *first.firmware, " on ", ports.size(), " ports"),
                kExpected, kMakeSource);
}

// Over hardware, for which the profile asks what hardware does: over a virtual interface there is none to use.
Fact<bool> StandsOnNic(const PortView& view) {
  const bool demanding = view.profile.min_speed_mbps || kDemandsLossless.made_by(view.profile);
  const Port& port = view.port;
  if (!demanding || NotOffered(port.netdev)) return false;
  if (!port.netdev) return port.netdev.missing();
  const Fact<DriverInfo>& info = port.netdev->driver_info;
  if (!info && !NotOffered(info)) return info.missing();
  return info && std::ranges::count(info->bus, ':') == 2;
}

Verdict JudgeInvPhysical(const PortView& view) {
  constexpr std::string_view kExpected = "a physical function";
  constexpr std::string_view kPciSource = "sysfs PCI";
  if (IsSoftware(view.port)) {
    const Fact<bool> on_nic = StandsOnNic(view);
    if (!on_nic) return NoAnswer(on_nic.missing(), kExpected, kDevicesSource);
    if (!*on_nic) return NotApplicable("a software device has no PCIe function");
    return Judged(false, "a software device (siw, rxe): the CPU does what a NIC does elsewhere", kExpected,
                  kDevicesSource,
                  Fix("rdma link show {device}/{port}")
                      .Because("somebody made a software device over this interface", Certainty::kCertain)
                      .Do("use an RDMA NIC: a software device is for tests and for clients"));
  }
  if (IsInfiniBand(view.port)) return NotApplicable("InfiniBand: no port has DCB, a virtual one misses none");
  const Fact<Transport>& transport = view.port.transport;
  if (!transport && !NotOffered(transport)) return NoAnswer(transport.missing(), kExpected, kDevicesSource);
  const Fact<PciFunction>& pci = view.port.pci;
  if (!pci) return NoAnswer(pci.missing(), kExpected, kPciSource);
  // Its physical function is on this host, and judged there.
  if (IsVirtualFunction(view.port) && pci->physical)
    return NotApplicable(Cat(VirtualFunctionText(view.port), ": what is set for both is set there"));
  if (!pci->physical && !NotOffered(pci->physical))
    return NoAnswer(pci->physical.missing(), kExpected, kPciSource);
  if (IsVirtualFunction(view.port))
    return Judged(false, Cat(pci->address, " is a virtual function"), kExpected, kPciSource);
  return Judged(true, Cat(pci->address, " is a physical function"), kExpected, kPciSource);
}

// In exclusive mode a device that stayed here, while another namespace has its interface, serves neither. The
// opposite is asked for where tenants are kept apart.
Verdict JudgeInvNetnsMode(const PortView& view) {
  if (view.profile.multi_tenant)
    return NotApplicable(Cat("profile ", view.profile.name, " keeps tenants apart: sec.netns-shared"));
  constexpr std::string_view kExpected = "shared, or device and interface in one namespace";
  const Fact<bool>& shared = view.host.rdma_netns_shared;
  if (!shared) return NoAnswer(shared.missing(), kExpected, kDevicesSource);
  if (*shared) return Judged(true, "shared", kExpected, kDevicesSource);
  const Fact<bool> lent = LentOf(view.port);
  if (!lent) return NoAnswer(lent.missing(), kExpected, kDevicesSource);
  if (!*lent) return Judged(true, "exclusive, with the interface in this namespace", kExpected, kDevicesSource);
  return Judged(false,
                Cat("exclusive, and the interface of ", Printable(view.port.device),
                    " is in another network namespace: it has no RDMA there"),
                kExpected, kDevicesSource);
}

}  // namespace

std::vector<Check> InventoryChecks() {
  return {
      {.id = "inv.rdma-present",
       .title = "The host has an RDMA device",
       .why = "Without one storage stays on TCP, often without saying so",
       .fix = Fix("rdma link show")
                  .Because("the NIC has no RDMA driver here, or there is no such NIC", Certainty::kPossible)
                  .Do("load the RDMA driver of the NIC"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"drv.module-allowed"},
       .judge = JudgeInvRdmaPresent},
      {.id = "inv.expected-count",
       .title = "The host has as many ports with RDMA as the profile asks",
       .why = "A card or a driver that is lost at a reboot leaves storage with half of its paths, silently",
       .fix =
           Fix("rdma link show")
               .Because("a card or its driver was lost at a reboot, or the profile asks for more than there is",
                        Certainty::kPossible)
               .Run("lspci -nn -d ::0200")
               .Do("reseat the card that lspci lacks; of one that it has, ask dmesg for its driver"),
       .blocks_for = &kDemandsPorts,
       .depends_on = {"inv.rdma-present", "inv.dead-function"},
       .judge = JudgeInvExpectedCount},
      {.id = "inv.netdev-mapping",
       .title = "The RDMA port belongs to an Ethernet interface of this network namespace",
       .why =
           "Addresses, MTU and priorities live on the interface: without it the port cannot be reached by IP",
       .fix = Fix("rdma link show {device}/{port}")
                  .Because("the interface is in another network namespace")
                  .Do("in a container: give it an interface of its own on that port, by a secondary network "
                      "(macvlan, or a virtual function)")
                  .CheckBy("rdma link show {device}/{port}"),
       .blocks_for = &kDemandsRdma,
       .judge = JudgeInvNetdevMapping},
      {.id = "inv.transport",
       .title = "The port speaks the transport of the profile",
       .why =
           "RoCE, iWARP and InfiniBand do not talk to each other: one odd port and storage falls back to TCP",
       .fix = Fix("rdma link show {device}/{port}")
                  .Because("the port speaks another protocol than {transport}", Certainty::kCertain)
                  .Do("switch the NIC's protocol where it has two, or use another port")
                  .Or("choose the profile of what the port speaks"),
       .blocks_for = &kDemandsTransport,
       .depends_on = {"drv.roce-enabled", "inv.port-mode"},
       .judge = JudgeInvTransport},
      {.id = "inv.symmetry",
       .title = "All RDMA ports of the host are of one make, with one firmware",
       .why = "Multichannel spreads evenly: the odd port sets the pace, and behaves in ways of its own",
       .fix = Fix("devlink dev info")
                  .Because("one card was replaced or updated, and the others were not")
                  .Do("update all to one firmware and driver")
                  .Or("take the one that differs out of the storage network")
                  .CheckBy("devlink dev info"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvSymmetry},
      {.id = "inv.physical",
       .title = "The RDMA port is a physical function",
       .why = "A virtual function has no DCB of its own: PFC and ETS are set, and shown, elsewhere",
       .fix = Fix("readlink /sys/class/infiniband/{device}/device/physfn")
                  .Because("this machine was given a virtual function", Certainty::kCertain)
                  .Do("set PFC and ETS at its physical function, and judge the host that has it as well")
                  .Or("use a physical function for storage"),
       .depends_on = {"inv.rdma-present", "inv.netdev-mapping"},
       .judge = JudgeInvPhysical},
      {.id = "inv.netns-mode",
       .title = "An RDMA device is where its interface is",
       .why = "In exclusive mode a device is seen in one network namespace only: an interface that was moved "
              "without it has no RDMA",
       .fix = Fix("rdma dev set {device} netns NAMESPACE")
                  .Because("only the interface was moved, and nobody shares the device")
                  .Caution("NAMESPACE: the one that has the interface, as ip netns names it, or a PID in it")
                  .Or("let the plugin of the container move both (rdma-cni), and start the pod again")
                  .CheckBy("rdma link show"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvNetnsMode},
  };
}

}  // namespace rdmaready
