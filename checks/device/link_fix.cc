// SPDX-License-Identifier: Apache-2.0
#include "checks/device/link_fix.h"

#include "checks/check.h"
#include "checks/device/link_modes.h"
#include "checks/net/address_fix.h"
#include "checks/spare.h"
#include "checks/words/ethernet.h"
#include "checks/words/interruption.h"
#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"
#include "checks/words/virtual_function.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCheckPort = "rdma link show {device}/{port}";

// ConnectX says "disabled" of a port without a cable, too: of one that was in use somebody disabled it.
Fix DisabledFix(const Port& port) {
  constexpr std::string_view kEnable = "ibportstate -C {device} -P {port} -D 0 {port} enable";
  const Fact<std::string> use = EarlierUse(port);
  if (use && !use->empty()) {
    return Fix(kEnable)
        .Because("somebody disabled the port, by ibportstate or at the subnet manager")
        .Caution("the port may be off on purpose: ask those who run the fabric");
  }
  return Fix()
      .Because("no cable is plugged in, or somebody switched the port off", Certainty::kPossible)
      .Do("plug in the cable of {device} port {port}", StepSite::kPort)
      .Run(kEnable);
}

Fix InfiniBandFix(const Port& port) {
  switch (port.phys_state ? *port.phys_state : std::uint8_t{0}) {
    case kPhysPolling:
      return Fix()
          .Because("the far end is silent: the cable, or the port at the far end")
          .Do("reseat the cable of {device} port {port} at both ends", StepSite::kPort)
          .Do("look at the port at the far end: it must be enabled, and its device up", StepSite::kSwitch)
          .Do("try another cable", StepSite::kPort);
    case kPhysDisabled:
      return DisabledFix(port);
    case kPhysTraining:
      return Fix()
          .Because("both ends are there and do not agree: a cable of another kind or speed, or a bad one")
          .Do("replace the cable of {device} port {port} by one of the speed of both ends", StepSite::kPort)
          .Do("compare the speeds that both ends have enabled", StepSite::kSwitch);
    case kPhysLinkUp:
      return Fix("sminfo -C {device} -P {port}")
          .Because("the physical link is up, and no subnet manager activated the port")
          .Do("start the subnet manager of the fabric, or ask those who run it");
    default:
      return Fix(kCheckPort).Do("check the cable and the port at the far end", StepSite::kPort);
  }
}

// The NIC gives the reason: enum ethtool_link_ext_state.
Fix OfReason(const DownReason& reason, const std::string& netdev) {
  constexpr std::uint8_t kAutoneg = 0;
  constexpr std::uint8_t kNoCable = 4;
  const std::string text = DownReasonText(reason);
  if (text.find("FEC") != std::string::npos) {
    return Fix(Cat("ethtool --show-fec ", netdev))
        .Because("the two ends want different FEC")
        .Run(Cat("ethtool --set-fec ", netdev, " encoding rs"))
        .Do("set the same FEC at the switch port", StepSite::kSwitch);
  }
  if (reason.state == kNoCable)
    return Fix()
        .Because("no cable is plugged in", Certainty::kCertain)
        .Do("plug a cable into {netdev}", StepSite::kPort);
  if (IsModuleFault(reason)) {
    return Fix(Cat("ethtool -m ", netdev))
        .Because("the NIC refuses the transceiver or the cable")
        .Do("reseat the module or cable of {netdev}, then replace it by one that the vendor lists",
            StepSite::kPort);
  }
  if (reason.state == kAutoneg) {
    return Fix(Cat("ethtool ", netdev))
        .Because("the two ends do not agree on a speed")
        .Do("set the same at the switch port: autonegotiation at both ends, or the same fixed speed and FEC",
            StepSite::kSwitch);
  }
  return Fix()
      .Because(Cat("the NIC says: ", text))
      .Do("reseat the cable of {netdev} at both ends, then try another one", StepSite::kPort)
      .Do("compare speed and FEC of the switch port", StepSite::kSwitch);
}

Fix NoCarrierFix(const Netdev& netdev, const std::string& word) {
  const Fact<DownReason>& reason = netdev.link.down_reason;
  if (reason) return OfReason(*reason, word);
  return Fix()
      .Because("no signal from the far end: the cable, the transceiver, or the switch port")
      .Do("look at the switch port of {netdev}: it must be enabled, at the same speed and FEC",
          StepSite::kSwitch)
      .Do("reseat the cable and the transceiver of {netdev} at both ends, then try others", StepSite::kPort);
}

// The port of the physical function, where this host has it.
const Port* PhysicalPortOf(const Facts& host, const Port& port) {
  if (!host.ports || !port.pci || !port.pci->physical) return nullptr;
  for (const Port& other : *host.ports) {
    if (other.pci && other.pci->address == port.pci->physical->address) return &other;
  }
  return nullptr;
}

Fix VirtualFunctionFix(const Facts& host, const Port& port) {
  const Port* physical = PhysicalPortOf(host, port);
  if (physical != nullptr && physical->netdev && !physical->netdev->admin_up) {
    const std::string name = NetdevWord(physical->netdev);
    return Fix(Cat("ip link set dev ", name, " up"))
        .Because(Cat("the physical function ", Printable(physical->netdev->name),
                     " is down, and the link of a virtual one follows it"),
                 Certainty::kCertain)
        .CheckBy(kCheckPort);
  }
  if (physical != nullptr && physical->netdev && !physical->netdev->carrier) {
    return Fix()
        .Because(Cat("the physical function ", Printable(physical->netdev->name), " has no link"))
        .Do(Cat("bring up the link of ", Printable(physical->netdev->name), ": the virtual function follows"),
            StepSite::kPort)
        .CheckBy(kCheckPort);
  }
  return Fix(Cat("ip link set dev ", VirtualFunctionWords(port), " state auto"))
      .Because("the link of a virtual function follows what its physical one allows")
      .Caution("it is typed on the host of the physical function");
}

// Until Linux 6.13 rxe, siw and erdma keep the state by the events of their interface.
bool KeepsItsState(const Facts& host, const Port& port) {
  const Fact<std::string> driver = DriverOf(host, port);
  return IsSoftware(port) || (driver && *driver == "erdma");
}

// The interface is up with carrier, and the port is not active. Other drivers ask the interface or the firmware
// each time, so another start of the interface changes nothing.
Fix InactiveFix(const Facts& host, const Port& port) {
  if (KeepsItsState(host, port)) return Bounce(port.netdev, "the driver missed that the interface is up");
  const bool chelsio = port.netdev && port.netdev->driver == "cxgb4";
  // iw_query_port of the kernel's core says "init" of a port with carrier and without an IPv4 address.
  if (chelsio && port.state && *port.state == PortState::kInit)
    return AddressFix(PortView{.host = host, .port = port, .profile = Profile{}});
  return Fix(kCheckPort)
      .Because("the RDMA half of the driver or the firmware sees another state than the interface")
      .Do("where it stays so: unload the RDMA module of {device} and load it again, or reboot");
}

}  // namespace

std::string PhysText(std::uint8_t state) {
  switch (state) {
    case 1:
      return "asleep";
    case kPhysPolling:
      return "polling: no partner found";
    case kPhysDisabled:
      return "disabled";
    case kPhysTraining:
      return "in training";
    case kPhysLinkUp:
      return "link up";
    case 6:
      return "recovering from errors";
    default:
      return Cat("in state ", state);
  }
}

Fix LinkStateFix(const Facts& host, const Port& port) {
  if (IsInfiniBand(port) && IsVirtualFunction(port)) return VirtualFunctionFix(host, port);
  if (IsInfiniBand(port)) return InfiniBandFix(port).CheckBy(kCheckPort);
  const std::string netdev = NetdevWord(port.netdev);
  if (port.netdev && !port.netdev->admin_up)
    return Fix(Cat("ip link set dev ", netdev, " up"))
        .Because("the interface is administratively down: nothing brought it up, or somebody took it down",
                 Certainty::kCertain)
        .CheckBy(kCheckPort);
  if (port.netdev && !port.netdev->carrier) {
    if (IsVirtualFunction(port)) return VirtualFunctionFix(host, port);
    return NoCarrierFix(*port.netdev, netdev).CheckBy(Cat("ip -br link show dev ", netdev));
  }
  return InactiveFix(host, port).CheckBy(kCheckPort);
}

Fix SlowInfiniBandFix() {
  return Fix()
      .Because("lanes or speed were lost when the link trained: the cable, its connectors, or the slower end")
      .Do("reseat the cable of {device} port {port} at both ends", StepSite::kPort)
      .Do("try another cable", StepSite::kPort)
      .Run("iblinkinfo -l")
      .CheckBy("cat /sys/class/infiniband/{device}/ports/{port}/rate");
}

}  // namespace rdmaready
