// SPDX-License-Identifier: Apache-2.0
// inv.unbound-function, inv.dead-function, inv.port-mode, inv.name-stability, ib.vf-state: adapters that could
// speak RDMA and do not, and why; devices that configuration names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "api/base/text.h"
#include "checks/families.h"
#include "checks/setting/network_owner.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBusSource = "sysfs PCI";
constexpr std::uint16_t kNvidia = 0x15b3;
constexpr std::uint16_t kIonicPort = 0x1002;

// Network drivers that have an RDMA driver beside them, and what takes RDMA away from a function of theirs.
struct RdmaCapable {
  std::string_view driver;
  std::string_view why;
};
constexpr std::array<RdmaCapable, 11> kRdmaCapable{{
    {"mlx5_core", "mlx5_ib is not loaded, or the device has RoCE off (devlink enable_roce)"},
    {"mlx4_core", "mlx4_ib is not loaded, or the device has RoCE off"},
    {"ice",
     "irdma is not loaded, the port is in a bond, or the NIC has more than four ports, where it has no RDMA"},
    {"i40e", "irdma is not loaded, or the NIC is none of the X722 family"},
    {"bnxt_en", "bnxt_re is not loaded, or RDMA is off in the NVM"},
    {"qede", "qedr is not loaded, or the function's personality in the NVM is without RDMA"},
    {"cxgb4", "iw_cxgb4 is not loaded"},
    {"hns3", "hns_roce_hw_v2 is not loaded"},
    {"ionic", "ionic_rdma is not loaded"},
    {"efa", "ib_uverbs is not loaded"},
    {"erdma", "ib_uverbs is not loaded"},
}};

// Models that speak RDMA, of vendors whose other functions need no driver: one without is worth a word.
bool IsRdmaModel(const PciDevice& function) {
  constexpr std::uint16_t kChelsio = 0x1425;
  constexpr std::uint16_t kPensando = 0x1dd8;
  constexpr std::uint16_t kAmazon = 0x1d0f;
  constexpr std::uint16_t kAlibaba = 0x1ded;
  constexpr std::uint16_t kErdma = 0x107f;
  switch (function.vendor_id) {
    case kNvidia:
    case kChelsio:
      return true;
    case kPensando:
      return function.device_id == kIonicPort;
    case kAmazon:
      return function.device_id >> 4U == 0xefa;
    case kAlibaba:
      return function.device_id == kErdma;
    default:
      return false;
  }
}

// i40e drives dozens of models without RDMA. cxgb4 takes all functions of its adapter and has ports on one
// (init_one in cxgb4_main.c); ionic has one for management.
bool CouldSpeakRdma(const PciDevice& function) {
  constexpr std::uint16_t kFirstX722 = 0x37cc;
  constexpr std::uint16_t kLastX722 = 0x37d3;
  if (function.driver == "cxgb4" && function.netdevs.empty()) return false;
  if (function.driver == "ionic") return function.device_id == kIonicPort;
  const bool x722 = function.device_id >= kFirstX722 && function.device_id <= kLastX722;
  if (function.driver == "i40e") return x722;
  return std::ranges::find(kRdmaCapable, function.driver, &RdmaCapable::driver) != kRdmaCapable.end();
}

std::string_view SlotOf(std::string_view address) { return address.substr(0, address.rfind('.')); }

// mlx5 has one device for both ports of an adapter whose netdevs are in one bond (RoCE LAG).
bool IsInLag(const Facts& host, const PciDevice& function) {
  if (!host.ports) return false;
  return std::ranges::any_of(*host.ports, [&](const Port& port) {
    return port.pci && SlotOf(port.pci->address) == SlotOf(function.address) && port.netdev &&
           (!port.netdev->master.empty() || port.netdev->driver == "bonding");
  });
}

// Its driver took it and made neither an interface nor an RDMA device of it, though it did of another one. A
// management NIC has an interface. A NIC that a container uses keeps its RDMA device here.
bool IsDead(const Facts& host, const PciDevice& function) {
  const bool network = function.class_code >> 16U == 0x02;
  const bool silent = function.netdevs.empty() && function.rdma_devices.empty();
  if (!network || !silent || function.virtual_function || function.driver.empty()) return false;
  if (!CouldSpeakRdma(function) || IsInLag(host, function)) return false;
  return std::ranges::any_of(*host.pci_devices, [&function](const PciDevice& other) {
    const bool model = other.vendor_id == function.vendor_id && other.device_id == function.device_id;
    return (model || other.driver == function.driver) && !other.rdma_devices.empty();
  });
}

// Why the function has no RDMA device; empty when it has one, needs none, or somebody took it on purpose (a
// virtual function, one that a virtual machine owns).
std::string WhyWithout(const Facts& host, const PciDevice& function) {
  const bool network = function.class_code >> 16U == 0x02;
  if (!network || function.virtual_function || !function.rdma_devices.empty()) return {};
  if (function.driver.empty()) {
    if (!IsRdmaModel(function)) return {};
    return Cat(function.address, " has no driver: this kernel has none for it, or its probe failed");
  }
  if (!CouldSpeakRdma(function) || IsInLag(host, function) || IsDead(host, function)) return {};
  const auto row = std::ranges::find(kRdmaCapable, function.driver, &RdmaCapable::driver);
  return Cat(function.address, " has ", function.driver,
             " and no RDMA device: ", row == kRdmaCapable.end() ? std::string_view() : row->why);
}

// A twin of the same model has an RDMA device, or the host has too few: else such a function is a choice.
bool Matters(const HostView& view, const PciDevice& function) {
  const Facts& host = view.host;
  if (function.driver.empty() || !host.ports || host.ports->empty()) return true;
  if (view.profile.min_ports && host.ports->size() < *view.profile.min_ports) return true;
  return std::ranges::any_of(*host.pci_devices, [&](const PciDevice& other) {
    return SlotOf(other.address) == SlotOf(function.address) && !other.virtual_function &&
           !other.rdma_devices.empty();
  });
}

Verdict JudgeInvUnboundFunction(const HostView& view) {
  constexpr std::string_view kExpected = "an RDMA device of each adapter that can have one";
  if (NotOffered(view.host.pci_devices)) return NotApplicable(view.host.pci_devices.missing().detail);
  if (!view.host.pci_devices) return NoAnswer(view.host.pci_devices.missing(), kExpected, kBusSource);
  if (view.host.rdma_netns_shared && !*view.host.rdma_netns_shared)
    return NotApplicable("network namespaces have RDMA devices of their own: not all are seen here");
  std::string observed;
  std::size_t with = 0;
  std::size_t idle = 0;
  for (const PciDevice& function : *view.host.pci_devices) {
    if (!function.rdma_devices.empty()) ++with;
    const std::string why = WhyWithout(view.host, function);
    if (why.empty()) continue;
    if (Matters(view, function)) {
      observed += Cat(observed.empty() ? "" : "; ", Printable(why));
    } else {
      ++idle;
    }
  }
  if (!observed.empty() && !view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kBusSource);
  if (!observed.empty() && !view.host.rdma_netns_shared && !NotOffered(view.host.rdma_netns_shared))
    return NoAnswer(view.host.rdma_netns_shared.missing(), kExpected, kBusSource);
  if (!observed.empty()) return Judged(false, observed, kExpected, kBusSource);
  const std::string others = idle == 0 ? "" : Cat("; ", idle, " more could, and other ports do");
  return Judged(true, Cat(CountText(with, "adapter function"), with == 1 ? " has" : " have", " RDMA", others),
                kExpected, kBusSource);
}

// ---- inv.dead-function ----

Fix DeadFix(const PciDevice& function) {
  const std::string address = ShellWord(function.address);
  return Fix(Cat("dmesg | grep ", address))
      .Because("its firmware or its driver gave up: a link, a power or a firmware fault of this adapter")
      .Do(Cat("cold-start the host: a power cycle resets the adapter's firmware, a reboot does not"))
      .Do(Cat("if it stays so, reseat or replace the adapter at ", Printable(function.address)))
      .CheckBy(Cat("ls /sys/bus/pci/devices/", address, "/net /sys/bus/pci/devices/", address, "/infiniband"));
}

Verdict JudgeInvDeadFunction(const HostView& view) {
  constexpr std::string_view kExpected = "an interface or an RDMA device of each adapter function";
  if (NotOffered(view.host.pci_devices)) return NotApplicable(view.host.pci_devices.missing().detail);
  if (!view.host.pci_devices) return NoAnswer(view.host.pci_devices.missing(), kExpected, kBusSource);
  if (view.host.rdma_netns_shared && !*view.host.rdma_netns_shared)
    return NotApplicable("network namespaces have RDMA devices of their own: not all are seen here");
  const PciDevice* first = nullptr;
  std::string dead;
  for (const PciDevice& function : *view.host.pci_devices) {
    if (!IsDead(view.host, function)) continue;
    if (first == nullptr) first = &function;
    dead += Cat(dead.empty() ? "" : ", ", Printable(function.address), " (", function.driver, ")");
  }
  if (!view.host.rdma_netns_shared && !NotOffered(view.host.rdma_netns_shared))
    return NoAnswer(view.host.rdma_netns_shared.missing(), kExpected, kBusSource);
  if (first == nullptr) return Judged(true, "each has one", kExpected, kBusSource);
  if (!view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kBusSource);
  return Judged(false, Cat(dead, ": the driver has it, and there is neither an interface nor an RDMA device"),
                kExpected, kBusSource, DeadFix(*first));
}

// ---- inv.port-mode ----

// VPI ports of mlx5 are functions of their own, those of mlx4 ports of one device.
unsigned VpiNumber(const Port& port) {
  if (port.number > 1 || !port.pci || port.pci->address.empty()) return port.number;
  const char function = port.pci->address.back();
  return function >= '0' && function <= '7' ? static_cast<unsigned>(function - '0') + 1 : port.number;
}

bool IsVpi(const Port& port) { return port.pci && port.pci->vendor_id == kNvidia && !IsVirtualFunction(port); }

std::string PortModeNotApplicable(const PortView& view) {
  if (view.profile.transport == Profile::Transport::kAny) return NotAsked(view.profile, "a transport");
  if (NotOffered(view.port.pci)) return view.port.pci.missing().detail;
  return view.port.pci && !IsVpi(view.port) ? "its ports speak one protocol only" : "";
}

bool IsUp(const Port& port) { return port.state && *port.state == PortState::kActive; }

// Of some other port it is not known whether it works.
const Missing* StateGap(const Facts& host) {
  if (!host.ports) return &host.ports.missing();
  for (const Port& port : *host.ports) {
    if (!port.state) return &port.state.missing();
    if (!port.transport && !NotOffered(port.transport)) return &port.transport.missing();
  }
  return nullptr;
}

// A port in the wrong mode never gets a link, as its partner speaks the other protocol. One that has a link is
// where it should be, and inv.transport's to judge; one of Ethernet beside InfiniBand that works, a spare.
Verdict JudgeInvPortMode(const PortView& view) {
  if (std::string reason = PortModeNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  const Port& port = view.port;
  constexpr std::string_view kModeSource = "RDMA netlink";
  const bool wants_infiniband = view.profile.transport == Profile::Transport::kInfiniBand;
  const std::string expected = wants_infiniband ? "InfiniBand mode" : "Ethernet mode";
  if (!port.pci) return NoAnswer(port.pci.missing(), expected, kModeSource);
  if (!port.transport) return NoAnswer(port.transport.missing(), expected, kModeSource);
  if (!port.state) return NoAnswer(port.state.missing(), expected, kModeSource);
  const bool infiniband = IsInfiniBand(port);
  const std::string mode = infiniband ? "InfiniBand mode" : "Ethernet mode";
  if (infiniband == wants_infiniband) return Judged(true, mode, expected, kModeSource);
  if (IsUp(port)) return NotApplicable(Cat(mode, ", and its link is up: see inv.transport"));
  const bool others = view.host.ports && std::ranges::any_of(*view.host.ports, [&](const Port& other) {
                        return IsUp(other) && IsInfiniBand(other) == wants_infiniband;
                      });
  if (wants_infiniband && others) return NotApplicable("Ethernet mode, beside InfiniBand ports that work");
  if (const Missing* gap = wants_infiniband ? StateGap(view.host) : nullptr)
    return NoAnswer(*gap, expected, kModeSource);
  const unsigned number = VpiNumber(port);
  return Judged(
      false, Cat(mode, ", and no link: what it is connected to may speak the other (LINK_TYPE_P", number, ")"),
      expected, kModeSource,
      Cat("mlxconfig -d ", ShellWord(port.pci->address), " set LINK_TYPE_P", number, "=",
          wants_infiniband ? "1" : "2",
          "  # 1 InfiniBand, 2 Ethernet, after a reset: mlxfwreset or a reboot. Not where nobody uses it"));
}

// ---- inv.name-stability ----

bool NamesRdmaDevice(const NamedDevice& named) { return NetworkManagerOf(named).empty(); }

std::string NameNotApplicable(const HostView& view) {
  const Facts& host = view.host;
  if (host.named_devices && std::ranges::none_of(*host.named_devices, NamesRdmaDevice))
    return "no software here names an RDMA device";
  if (host.rdma_netns_shared && !*host.rdma_netns_shared)
    return "network namespaces have RDMA devices of their own: not all are seen here";
  return {};
}

bool IsThere(const std::vector<Port>& ports, const NamedDevice& named) {
  return std::ranges::any_of(ports, [&named](const Port& port) {
    return named.exact ? port.device == named.device : port.device.starts_with(named.device);
  });
}

std::string DevicesText(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    if (port.number <= 1) text += Cat(text.empty() ? "" : ", ", Printable(port.device));
  }
  return text;
}

// One file may be for hosts with more and with fewer devices: it is wrong where none that it names is there.
Verdict JudgeInvNameStability(const HostView& view) {
  if (std::string reason = NameNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "names of RDMA devices that are there";
  constexpr std::string_view kNamesSource = "configuration files, RDMA netlink";
  const Facts& host = view.host;
  if (!host.named_devices) return NoAnswer(host.named_devices.missing(), kExpected, kNamesSource);
  if (!host.ports) return NoAnswer(host.ports.missing(), kExpected, kNamesSource);
  std::string there;
  std::string gone;
  const auto found_in = [&](const std::string& source) {
    return std::ranges::any_of(*host.named_devices, [&](const NamedDevice& one) {
      return one.source == source && IsThere(*host.ports, one);
    });
  };
  for (const NamedDevice& named : *host.named_devices) {
    if (!NamesRdmaDevice(named)) continue;
    std::string& list = IsThere(*host.ports, named) || found_in(named.source) ? there : gone;
    list += Cat(list.empty() ? "" : ", ", Printable(named.device), " (", Printable(named.source), ")");
  }
  if (gone.empty()) return Judged(true, there, kExpected, kNamesSource);
  if (!host.rdma_netns_shared && !NotOffered(host.rdma_netns_shared))
    return NoAnswer(host.rdma_netns_shared.missing(), kExpected, kNamesSource);
  return Judged(false, Cat(gone, ": no RDMA device of that name; there are: ", DevicesText(*host.ports)),
                kExpected, kNamesSource);
}

// ---- ib.vf-state ----

std::string VfNotApplicable(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return reason;
  if (NotOffered(view.port.pci)) return view.port.pci.missing().detail;
  const bool physical = view.port.pci && !IsVirtualFunction(view.port) && NotOffered(view.port.pci->physical);
  return physical ? "a physical function" : "";
}

Verdict JudgeIbVfState(const PortView& view) {
  if (std::string reason = VfNotApplicable(view); !reason.empty()) return NotApplicable(reason);
  constexpr std::string_view kExpected = "a link, as its physical function has";
  constexpr std::string_view kStateSource = "RDMA netlink port state, sysfs PCI";
  const Port& port = view.port;
  if (!port.pci) return NoAnswer(port.pci.missing(), kExpected, kStateSource);
  if (!IsVirtualFunction(port)) return NoAnswer(port.pci->physical.missing(), kExpected, kStateSource);
  if (!port.state) return NoAnswer(port.state.missing(), kExpected, kStateSource);
  if (*port.state != PortState::kDown) return Judged(true, "its link is up", kExpected, kStateSource);
  const std::string vf = VirtualFunctionWords(port);
  const bool nameless = port.node_guid && *port.node_guid == 0;
  return Judged(false,
                Cat(VirtualFunctionText(port), " is down: its link follows a policy of the physical one",
                    nameless ? ", and it has no GUID" : ""),
                kExpected, kStateSource,
                Cat("ip link set dev ", vf, " node_guid GUID && ip link set dev ", vf,
                    " port_guid GUID && ip link set dev ", vf,
                    " state auto  # on the host; then bind the function again"));
}

}  // namespace

std::vector<Check> FunctionChecks() {
  return {
      {.id = "inv.unbound-function",
       .title = "Every adapter that can speak RDMA has an RDMA device",
       .why = "A driver that is missing, that failed or that has RDMA off leaves a network port, and no RDMA",
       .fix = "dmesg | grep -iE 'rdma|mlx|ice|bnxt|qed|cxgb|hns|ionic|efa'  # the driver says why; lspci -nnk "
              "shows "
              "which is bound",
       .judge = JudgeInvUnboundFunction},
      {.id = "inv.dead-function",
       .title = "Every adapter function that a driver took has an interface or an RDMA device",
       .why = "An adapter whose firmware or probe failed is there on the bus, and carries nothing",
       .fix = Fix("dmesg | grep -iE 'mlx|ice|i40e|bnxt|qed|hns|ionic'").Do("cold-start the host"),
       .blocks_for = &kDemandsRdma,
       .judge = JudgeInvDeadFunction},
      {.id = "inv.port-mode",
       .title = "The port is in the mode of its network, InfiniBand or Ethernet",
       .why = "A port of the other mode never finds its partner, and looks like one without a cable",
       .fix = "mlxconfig -d ADDRESS query LINK_TYPE_P1  # 1 InfiniBand, 2 Ethernet",
       .judge = JudgeInvPortMode},
      {.id = "inv.name-stability",
       .title = "RDMA devices that configuration names are there under that name",
       .why =
           "Names are by the order of probing or by place, as udev's rule says: another rule, kernel or slot "
           "renames them, and software takes TCP or another device",
       .fix = "rdma link show  # then change the file; or keep the kernel's names: NAME_KERNEL in "
              "/etc/udev/rules.d/60-rdma-persistent-naming.rules",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeInvNameStability},
      {.id = "ib.vf-state",
       .title = "The virtual function's InfiniBand port is up",
       .why = "Its link follows the physical function's policy and GUIDs: no cable brings it up",
       .fix = "ip link set dev NETDEV vf NUMBER state auto  # on the host of the physical function",
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbVfState},
  };
}

}  // namespace rdmaready
