// SPDX-License-Identifier: Apache-2.0
// inv.unbound-function, inv.dead-function, inv.port-mode, inv.name-stability, ib.vf-state: adapters that could
// speak RDMA and do not, and why; devices that configuration names.
#include <algorithm>

#include "api/base/text.h"
#include "api/model/rdma_drivers.h"
#include "checks/device/adapter.h"
#include "checks/device/device_names.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBusSource = "sysfs PCI";
constexpr std::uint16_t kNvidia = 0x15b3;

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
  constexpr std::string_view kExpected = "an RDMA device for each adapter that supports RDMA";
  if (NotOffered(view.host.pci_devices)) return NotApplicable(view.host.pci_devices.missing().detail);
  if (!view.host.pci_devices) return NoAnswer(view.host.pci_devices.missing(), kExpected, kBusSource);
  std::string observed;
  std::size_t with = 0;
  std::size_t idle = 0;
  Fix fix;
  for (const PciDevice& function : *view.host.pci_devices) {
    if (!function.rdma_devices.empty()) ++with;
    const WithoutRdma without = WithoutRdmaOf(view.host, function);
    if (without.why.empty()) continue;
    if (Matters(view, function)) {
      if (observed.empty()) fix = without.fix;
      observed += Cat(observed.empty() ? "" : "; ", Printable(without.why));
    } else {
      ++idle;
    }
  }
  if (!observed.empty() && view.host.rdma_netns_shared && !*view.host.rdma_netns_shared)
    return NotApplicable("network namespaces have RDMA devices of their own: not all are seen here");
  if (!observed.empty() && !view.host.ports) return NoAnswer(view.host.ports.missing(), kExpected, kBusSource);
  if (!observed.empty() && !view.host.rdma_netns_shared && !NotOffered(view.host.rdma_netns_shared))
    return NoAnswer(view.host.rdma_netns_shared.missing(), kExpected, kBusSource);
  if (!observed.empty()) return Judged(false, observed, kExpected, kBusSource, fix);
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

// A subnet manager may still have to begin with it.
bool HasLink(const Port& port) {
  return IsUp(port) || (port.state && (*port.state == PortState::kInit || *port.state == PortState::kArmed));
}

// Of some other port it is not known whether it works.
const Missing* StateGap(const Facts& host) {
  if (!host.ports) return &host.ports.missing();
  for (const Port& port : *host.ports) {
    if (!port.state) return &port.state.missing();
    if (!port.transport && !NotOffered(port.transport)) return &port.transport.missing();
  }
  return nullptr;
}

// mlx4_core changes the mode of a port by sysfs, or by its option at load (mlx4_port1 in main.c of mlx4).
bool IsMlx4(const Port& port) {
  return port.device.starts_with("mlx4_") ||
         DriverOfModel(port.pci->vendor_id, port.pci->device_id) == std::string_view("mlx4_core");
}

std::string ModeSwitch(const Port& port) {
  return IsMlx4(port) ? Cat("mlx4_port", port.number) : Cat("LINK_TYPE_P", VpiNumber(port));
}

// mlx4_core's own option decides at each load, before the firmware's setting and what the port senses.
std::string ModeAtBoot(const Facts& host) {
  const std::vector<BootWrite> writes = host.boot_writes ? *host.boot_writes : std::vector<BootWrite>{};
  const auto write = std::ranges::find_if(writes, [](const BootWrite& one) {
    return one.setting == "port_type_array" && one.object == "mlx4_core";
  });
  constexpr std::string_view kCodes =
      " (1 InfiniBand, 2 Ethernet, one number a port), and make the initramfs again";
  if (write == writes.end())
    return Cat("for the next boot: set port_type_array of mlx4_core in /etc/modprobe.d", kCodes);
  return Cat("for the next boot: change port_type_array=", write->value, " of mlx4_core in ",
             ShellWord(write->file), kCodes);
}

Fix ModeFix(const Facts& host, const Port& port, bool infiniband) {
  const std::string address = ShellWord(port.pci->address);
  if (IsMlx4(port)) {
    return Fix(Cat("echo ", infiniband ? "ib" : "eth", " > /sys/bus/pci/devices/", address, "/",
                   ModeSwitch(port)))
        .Because("mlx4_core gave the port this mode, by its option port_type_array or by what it sensed")
        .Caution("both ports of the adapter lose their RDMA devices and interfaces for a moment")
        .Do(ModeAtBoot(host))
        .CheckBy("rdma link show");
  }
  return Fix(Cat("mlxconfig -d ", address, " set ", ModeSwitch(port), "=", infiniband ? "1" : "2"))
      .Because("the firmware of the adapter gives the port this mode")
      .Caution("the new mode needs a reset of the adapter: its links drop")
      .Run(Cat("mlxfwreset -d ", address, " reset"))
      .Or("leave it as it is where nobody is to use the port")
      .CheckBy("rdma link show");
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
  if (HasLink(port)) return NotApplicable(Cat(mode, ", and its link is up: see inv.transport"));
  const bool others = view.host.ports && std::ranges::any_of(*view.host.ports, [&](const Port& other) {
                        return IsUp(other) && other.transport && IsInfiniBand(other) == wants_infiniband;
                      });
  if (wants_infiniband && others) return NotApplicable("Ethernet mode, beside InfiniBand ports that work");
  if (const Missing* gap = others ? nullptr : StateGap(view.host)) return NoAnswer(*gap, expected, kModeSource);
  const std::string observed =
      Cat(mode, ", and no link: the far end may speak ", wants_infiniband ? "InfiniBand" : "Ethernet");
  const Fix fix = ModeFix(view.host, port, wants_infiniband);
  return others ? Warned(observed, expected, kModeSource, fix)
                : Judged(false, observed, expected, kModeSource, fix);
}

// ---- ib.vf-state ----

std::string VfNotApplicable(const Port& port) {
  if (NotOffered(port.pci)) return port.pci.missing().detail;
  const bool physical = port.pci && !IsVirtualFunction(port) && NotOffered(port.pci->physical);
  return physical ? "a physical function" : "";
}

Fix VfFix(const std::string& vf, bool nameless) {
  Fix fix = Fix()
                .Because(nameless ? "nobody gave the function its GUIDs, and its link follows a policy"
                                  : "its link follows the policy of the physical function")
                .Caution("typed on the host of the physical function; GUID: one of its own for each function");
  if (nameless) {
    fix = std::move(fix)
              .Run(Cat("ip link set dev ", vf, " node_guid GUID"))
              .Run(Cat("ip link set dev ", vf, " port_guid GUID"));
  }
  fix = std::move(fix).Run(Cat("ip link set dev ", vf, " state auto"));
  if (nameless) fix = std::move(fix).Do("bind the function to its driver again");
  return std::move(fix).CheckBy("rdma link show {device}/{port}");
}

Verdict JudgeIbVfState(const PortView& view) {
  constexpr std::string_view kExpected = "a link, as its physical function has";
  constexpr std::string_view kStateSource = "RDMA netlink port state, sysfs PCI";
  const Port& port = view.port;
  if (std::string reason = NotInfiniBand(port); !reason.empty()) return NotApplicable(reason);
  if (!IsInfiniBand(port))
    return NoAnswer(port.transport ? Missing{} : port.transport.missing(), kExpected, kStateSource);
  // With a link it does not matter which function it is, or whether that is known.
  if (!port.state) return NoAnswer(port.state.missing(), kExpected, kStateSource);
  if (*port.state != PortState::kDown) return Judged(true, "its link is up", kExpected, kStateSource);
  if (std::string reason = VfNotApplicable(port); !reason.empty()) return NotApplicable(reason);
  if (!port.pci) return NoAnswer(port.pci.missing(), kExpected, kStateSource);
  if (!IsVirtualFunction(port)) return NoAnswer(port.pci->physical.missing(), kExpected, kStateSource);
  const std::string vf = VirtualFunctionWords(port);
  const bool nameless = port.node_guid && *port.node_guid == 0;
  return Judged(false,
                Cat(VirtualFunctionText(port), " is down: its link follows a policy of the physical one",
                    nameless ? ", and it has no GUID" : ""),
                kExpected, kStateSource, VfFix(vf, nameless));
}

}  // namespace

std::vector<Check> FunctionChecks() {
  return {
      {.id = "inv.unbound-function",
       .title = "Every adapter that can speak RDMA has an RDMA device",
       .why = "A driver that is missing, that failed or that has RDMA off leaves a network port, and no RDMA",
       .fix = Fix("dmesg | grep -i rdma")
                  .Because("the RDMA half of the driver is missing, failed, or is switched off")
                  .CheckBy("rdma link show"),
       .depends_on = {"drv.module-allowed"},
       .judge = JudgeInvUnboundFunction},
      {.id = "inv.dead-function",
       .title = "Every adapter function that a driver took has an interface or an RDMA device",
       .why = "An adapter whose firmware or probe failed is there on the bus, and carries nothing",
       .fix = Fix("dmesg | grep -i firmware")
                  .Because("the adapter's firmware or its driver gave up")
                  .Do("cold-start the host: a power cycle resets the adapter's firmware, a reboot does not")
                  .CheckBy("rdma link show"),
       .blocks_for = &kDemandsRdma,
       .judge = JudgeInvDeadFunction},
      {.id = "inv.port-mode",
       .title = "The port is in the mode of its network, InfiniBand or Ethernet",
       .why = "A port of the other mode never finds its partner, and looks like one without a cable",
       .fix = Fix("rdma link show {device}/{port}").Do("set the mode that its network speaks"),
       .blocks_for = &kDemandsTransport,
       .judge = JudgeInvPortMode},
      {.id = "inv.name-stability",
       .title = "RDMA devices that configuration names are there under that name",
       .why =
           "Names are by the order of probing or by place, as udev's rule says: another rule, kernel or slot "
           "renames them, and software takes TCP or another device",
       .fix =
           Fix("rdma link show")
               .Because("the RDMA devices were renamed: another rule, kernel or slot")
               .Do("write the names that are there into the file")
               .Or("keep the kernel's names: NAME_KERNEL in /etc/udev/rules.d/60-rdma-persistent-naming.rules, "
                   "and reboot"),
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeDeviceNames},
      {.id = "ib.vf-state",
       .title = "The virtual function's InfiniBand port is up",
       .why = "Its link follows the physical function's policy and GUIDs: no cable brings it up",
       .fix = Fix("ip link set dev NETDEV vf NUMBER state auto")
                  .Because("its link follows the policy of the physical function")
                  .Caution("typed on the host of the physical function")
                  .CheckBy("rdma link show {device}/{port}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.rdma-present"},
       .judge = JudgeIbVfState},
  };
}

}  // namespace rdmaready
