// SPDX-License-Identifier: Apache-2.0
// inv.*: which RDMA ports the host has, how many, of which make, and who may see them.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "checks/device/boot_switch.h"
#include "checks/families.h"
#include "checks/spare.h"
#include "checks/words/names.h"
#include "checks/words/packages.h"
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

// Debian names its kernels "6.12.117+deb12-amd64", or "...-cloud-amd64"; the package is the flavour's. Empty of
// another kernel.
std::string_view DebianFlavour(const Fact<Kernel>& kernel) {
  for (const std::string_view flavour : {"-amd64", "-arm64"}) {
    if (kernel && kernel->release.ends_with(flavour)) return flavour.substr(1);
  }
  return {};
}

// By the running kernel's name first: the agent may be in a container, whose distribution is another one.
std::string OtherKernel(const Facts& host) {
  PackageManager manager = host.kernel ? PackageManagerOf(*host.kernel) : PackageManager::kUnknown;
  if (manager == PackageManager::kUnknown) manager = PackageManagerOf(host);
  const std::string_view flavour = DebianFlavour(host.kernel);
  const bool ubuntu = (host.kernel && host.kernel->release.ends_with("-generic")) ||
                      (host.distribution && host.distribution->id == "ubuntu");
  switch (manager) {
    case PackageManager::kUnknown:
      return "grep CONFIG_INFINIBAND= /boot/config-*  # boot a kernel that has it; none: install the "
             "distribution's full kernel, as those for clouds have none";
    case PackageManager::kApt:
      if (flavour.empty() && ubuntu)
        return "apt-get install linux-generic && reboot  # a kernel with InfiniBand; some for clouds have none";
      return fmt::format(
          "apt-get install linux-image-{} && reboot  # a kernel with InfiniBand; the cloud kernels have none",
          flavour.empty() ? "$(dpkg --print-architecture)" : flavour);
    case PackageManager::kDnf:
      return "dnf install kernel && reboot  # a kernel with InfiniBand; kernel-core alone lacks modules";
    case PackageManager::kZypper:
      return "zypper install kernel-default && reboot  # a kernel with InfiniBand; kernel-default-base has few "
             "modules";
  }
  return {};
}

Verdict NoDevices(const Facts& host) {
  const std::string release = host.kernel ? " (" + host.kernel->release + ")" : "";
  Verdict verdict = Judged(false, "no RDMA device", "at least one RDMA device", kDevicesSource);
  switch (host.rdma_stack ? *host.rdma_stack : RdmaStack::kUnknown) {
    case RdmaStack::kUnknown:
      break;
    case RdmaStack::kAbsent:
      verdict.observed = Cat("no RDMA device: this kernel", release, " is without InfiniBand (no ib_core)");
      verdict.fix = OtherKernel(host);
      break;
    case RdmaStack::kNotLoaded:
      verdict.observed = "no RDMA device: ib_core is there, but not loaded";
      verdict.fix =
          "modprobe -a ib_uverbs rdma_ucm  # then the NIC's RDMA driver (mlx5_ib, irdma, bnxt_re, qedr, "
          "iw_cxgb4), or "
          "without such a NIC: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev NETDEV";
      break;
    case RdmaStack::kLoaded:
      verdict.observed = "no RDMA device: the RDMA stack is loaded, but no driver made a device";
      verdict.fix =
          "rdma link show  # empty: load the NIC's RDMA driver (mlx5_ib, irdma, bnxt_re, qedr, iw_cxgb4), or "
          "without "
          "such a NIC: modprobe rdma_rxe && rdma link add rxe0 type rxe netdev NETDEV";
      break;
  }
  return verdict;
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
std::string TransportFix(const Port& port) {
  const std::string driver = port.netdev ? port.netdev->driver : "";
  const std::string address = port.pci ? ShellWord(port.pci->address) : "ADDRESS";
  if (driver == "qede")
    return Cat(
        "ethtool -i ", NetdevWord(port.netdev),
        "  # its NVM says RoCE or iWARP: the setting \"RDMA protocol\" of the NIC, in the setup of the system");
  if (driver == "ice")
    return Cat("devlink dev param set pci/", address,
               " name enable_roce value true cmode runtime  # and enable_iwarp "
               "false before it");
  if (driver == "mlx5_core" || driver == "mlx4_en" || driver == "mlx4_core" || IsInfiniBand(port))
    return Cat("mlxconfig -d ", address,
               " query LINK_TYPE_P1  # a VPI port speaks InfiniBand (1) or Ethernet (2)");
  if (driver == "cxgb4" || driver == "i40e")
    return Cat("ethtool -i ", NetdevWord(port.netdev),
               "  # this NIC speaks iWARP only: use another port or profile");
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
  const Missing* gap = nullptr;
  for (const Port& port : *view.host.ports) {
    if (IsInfiniBand(port)) continue;
    if (port.netdev && !port.netdev->name.empty()) ++count;
    if (!port.netdev && !NotOffered(port.netdev)) gap = &port.netdev.missing();
  }
  if (count < wanted && gap != nullptr) return NoAnswer(*gap, expected, kDevicesSource);
  return Judged(count >= wanted, Cat(count, " Ethernet port", count == 1 ? "" : "s", " with RDMA"), expected,
                kDevicesSource);
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
    return foreign || IsLent(port) || IsSpare(view.host, port, view.profile);
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
    if (!port.transport && !NotOffered(port.transport))
      return NoAnswer(port.transport.missing(), kExpected, kMakeSource);
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
                  "rdma link show {device}/{port}  # for tests and for clients; use an RDMA NIC");
  }
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

// The opposite is asked for there.
Verdict JudgeInvNetnsMode(const HostView& view) {
  if (view.profile.multi_tenant)
    return NotApplicable(Cat("profile ", view.profile.name, " keeps tenants apart: sec.netns-shared"));
  const Fact<bool>& shared = view.host.rdma_netns_shared;
  if (!shared) return NoAnswer(shared.missing(), "shared", kDevicesSource);
  return Judged(*shared, *shared ? "shared" : "exclusive: a device is seen in one namespace only", "shared",
                kDevicesSource);
}

}  // namespace

std::vector<Check> InventoryChecks() {
  return {
      {.id = "inv.rdma-present",
       .title = "The host has an RDMA device",
       .why = "Without one storage stays on TCP, often without saying so",
       .fix = "rdma link show  # empty: load the NIC's RDMA driver, or for a software device: modprobe "
              "rdma_rxe && rdma "
              "link add rxe0 type rxe netdev NETDEV",
       .blocks_for = &kDemandsRdma,
       .judge = JudgeInvRdmaPresent},
      {.id = "inv.expected-count",
       .title = "The host has as many Ethernet ports with RDMA as the profile asks",
       .why = "A card or a driver that is lost at a reboot leaves storage with half of its paths, silently",
       .fix = "rdma link show  # which one is missing? then: lspci, dmesg, and the driver of that NIC (reseat "
              "the card when lspci lacks it)",
       .blocks_for = &kDemandsPorts,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvExpectedCount},
      {.id = "inv.netdev-mapping",
       .title = "The RDMA port belongs to an Ethernet interface of this network namespace",
       .why =
           "Addresses, MTU and priorities live on the interface: without it the port cannot be reached by IP",
       .fix =
           "rdma link show {device}/{port}  # on the host itself it names the interface. A container wants one "
           "of its own on that port, by a secondary network (macvlan, or a virtual function); the host's "
           "stays where it is",
       .blocks_for = &kDemandsRdma,
       .judge = JudgeInvNetdevMapping},
      {.id = "inv.transport",
       .title = "The port speaks the transport of the profile",
       .why =
           "RoCE, iWARP and InfiniBand do not talk to each other: one odd port and storage falls back to TCP",
       .fix =
           "rdma link show {device}/{port}  # another transport than {transport}: use another port, switch the "
           "NIC's protocol where it has two, or choose another profile",
       .blocks_for = &kDemandsTransport,
       .depends_on = {"drv.roce-enabled", "inv.port-mode"},
       .judge = JudgeInvTransport},
      {.id = "inv.symmetry",
       .title = "All RDMA ports of the host are of one make, with one firmware",
       .why = "Multichannel spreads evenly: the odd port sets the pace, and behaves in ways of its own",
       .fix = "devlink dev info  # bring the odd one to the others' firmware and driver, or take it out of the "
              "storage network",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvSymmetry},
      {.id = "inv.physical",
       .title = "The RDMA port is a physical function",
       .why = "A virtual function has no DCB of its own: PFC and ETS are set, and shown, elsewhere",
       .fix =
           "readlink /sys/class/infiniband/{device}/device/physfn  # use that function for storage, or judge "
           "its host as well",
       .depends_on = {"inv.rdma-present", "inv.netdev-mapping"},
       .judge = JudgeInvPhysical},
      {.id = "inv.netns-mode",
       .title = "Network namespaces share the RDMA devices",
       .why = "In exclusive mode a device is seen in one namespace only: services in containers find none, and "
              "this report may lack one",
       .fix = "rdma system set netns shared  # refused while other network namespaces exist",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvNetnsMode},
  };
}

}  // namespace rdmaready
