// SPDX-License-Identifier: Apache-2.0
#include "checks/storage/target_places.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPortsFolder = "/sys/kernel/config/nvmet/ports/";

// Whether RDMA reaches an address.
enum class Reach { kUnknown, kRdma, kNoRdma, kNoInterface };

// An interface of a function with an RDMA device is one of RDMA, also where its port belongs to another
// profile.
bool HasRdmaDevice(const Facts& host, const std::string& netdev) {
  return host.pci_devices && std::ranges::any_of(*host.pci_devices, [&netdev](const PciDevice& function) {
           return !function.rdma_devices.empty() &&
                  std::ranges::find(function.netdevs, netdev) != function.netdevs.end();
         });
}

bool IsFunctionWithoutRdma(const Facts& host, const std::string& netdev) {
  return host.pci_devices && std::ranges::any_of(*host.pci_devices, [&netdev](const PciDevice& function) {
           return function.rdma_devices.empty() &&
                  std::ranges::find(function.netdevs, netdev) != function.netdevs.end();
         });
}

// All RDMA devices on the bus have their ports in this view, and none belongs to another profile.
bool HasAllPorts(const Facts& host) {
  const auto is_here = [&host](const std::string& device) {
    return std::ranges::find(*host.ports, device, &Port::device) != host.ports->end();
  };
  return host.pci_devices && std::ranges::all_of(*host.pci_devices, [&is_here](const PciDevice& function) {
           return std::ranges::all_of(function.rdma_devices, is_here);
         });
}

Reach ReachOf(const Facts& host, const std::string& address, const Fact<std::string>& netdev) {
  if (!host.ports || !netdev) return Reach::kUnknown;
  if (netdev->empty()) return Reach::kNoInterface;
  bool known = true;
  for (const Port& port : *host.ports) {
    known = known && AddressesKnown(port);
    const bool has = std::ranges::any_of(AddressesOf(port), [&](const PlacedAddress& placed) {
      return placed.netdev == *netdev || placed.ip.address == address;
    });
    if (has) return Reach::kRdma;
  }
  if (HasRdmaDevice(host, *netdev)) return Reach::kRdma;
  const bool sure = HasAllPorts(host) || IsFunctionWithoutRdma(host, *netdev);
  return known && sure ? Reach::kNoRdma : Reach::kUnknown;
}

// An address of an RDMA port of this view, IPv4 first, for a target to listen on.
std::optional<PlacedAddress> RdmaAddress(const Facts& host) {
  std::optional<PlacedAddress> any;
  for (const Port& port : *host.ports) {
    for (const PlacedAddress& placed : AddressesOf(port)) {
      if (placed.ip.address.find(':') == std::string::npos) return placed;
      if (!any) any = placed;
    }
  }
  return any;
}

std::string PlaceWords(const std::string& address, std::string_view port) {
  const bool ipv6 = address.find(':') != std::string::npos;
  return ipv6 ? Cat("[", Printable(address), "]:", Printable(port))
              : Cat(Printable(address), ":", Printable(port));
}

std::string WhereWords(Reach reach, const Fact<std::string>& netdev) {
  if (reach == Reach::kNoRdma) return Cat(" on ", Printable(*netdev), ", which has no RDMA");
  if (reach == Reach::kNoInterface) return ", an address that no interface of this host has";
  if (reach == Reach::kRdma) return Cat(" on ", Printable(*netdev));
  return {};
}

// ---- nvmet ----

std::string WriteTo(const NvmetPort& port, std::string_view file, std::string_view value) {
  return Cat("echo ", ShellWord(value), " > ", ShellWord(Cat(kPortsFolder, port.id, "/", file)));
}

// The kernel refuses new values while a subsystem is linked (nvmet_is_port_enabled), and enables the port with
// the first link. One command: a port without its links serves nobody.
Fix WithLinksRenewed(Fix fix, const NvmetPort& port, const std::vector<std::string>& writes) {
  constexpr std::size_t kMostInACommand = 4;
  std::vector<std::string> commands;
  for (const std::string& subsystem : port.subsystems)
    commands.push_back(Cat("rm ", ShellWord(Cat(kPortsFolder, port.id, "/subsystems/", subsystem))));
  commands.insert(commands.end(), writes.begin(), writes.end());
  for (const std::string& subsystem : port.subsystems)
    commands.push_back(Cat("ln -s ", ShellWord(Cat("/sys/kernel/config/nvmet/subsystems/", subsystem)), " ",
                           ShellWord(Cat(kPortsFolder, port.id, "/subsystems/"))));
  const auto joined = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& one : list) text += Cat(text.empty() ? "" : " && ", one);
    return text;
  };
  if (port.subsystems.size() > kMostInACommand)
    return std::move(fix).Do(Cat("unlink the ", port.subsystems.size(), " subsystems of port ",
                                 ShellWord(port.id), writes.empty() ? "" : ", then ", joined(writes),
                                 ", then link them again"));
  if (!commands.empty()) fix = std::move(fix).Run(joined(commands));
  if (!port.subsystems.empty()) return std::move(fix).Caution("clients of the port lose it for a moment");
  return std::move(fix).Do(Cat("link the subsystem to port ", ShellWord(port.id)));
}

Fix TargetAddressFix(const Facts& host, const NvmetPort& port, Reach reach) {
  const std::optional<PlacedAddress> own = RdmaAddress(host);
  if (!own) return {};
  const bool other_family =
      (own->ip.address.find(':') == std::string::npos) != (port.address.find(':') == std::string::npos);
  Fix fix =
      Fix().Because(Cat("port ", Printable(port.id), " of the target has the address ", Printable(port.address),
                        reach == Reach::kNoRdma ? Cat(" of ", Printable(*port.netdev), ", a NIC without RDMA")
                                                : std::string(", which no interface of this host has")),
                    reach == Reach::kNoRdma ? Certainty::kCertain : Certainty::kLikely);
  std::vector<std::string> writes;
  if (other_family)
    writes.push_back(
        WriteTo(port, "addr_adrfam", own->ip.address.find(':') == std::string::npos ? "ipv4" : "ipv6"));
  writes.push_back(WriteTo(port, "addr_traddr", own->ip.address));
  fix = WithLinksRenewed(std::move(fix), port, writes);
  fix = std::move(fix).Do(Cat("write ", Printable(own->ip.address), ", the address of ", Printable(own->netdev),
                              ", into the saved configuration as traddr"));
  if (reach == Reach::kNoInterface)
    fix = std::move(fix).Or(Cat("give ", ShellWord(port.address),
                                " to the interface of an RDMA port, where "
                                "the target is to keep it"));
  return std::move(fix).CheckBy(Cat("grep -r . ", ShellWord(Cat(kPortsFolder, port.id))));
}

Fix EnableFix(const NvmetPort& port) {
  const bool linked = !port.subsystems.empty();
  Fix fix = Fix().Because(linked ? "the port was enabled before its interface had the address or RDMA"
                                 : "no subsystem is linked to the port, which is what enables it");
  fix = WithLinksRenewed(std::move(fix), port, {});
  return std::move(fix)
      .Do("let the service that restores the target start after network-online.target")
      .CheckBy("dmesg | grep -i nvmet");
}

Fix TcpFix(const Facts& host, const NvmetPort& port) {
  const std::optional<PlacedAddress> own = RdmaAddress(host);
  const std::string address = own ? own->ip.address : std::string("ADDRESS");
  return Fix()
      .Because("every port of the target is for another transport than RDMA", Certainty::kCertain)
      .Do(Cat("make another port with addr_trtype rdma and addr_traddr ", Printable(address), ", in ",
              kPortsFolder))
      .Do("link the subsystem to it, and write both into the saved configuration")
      .Or(Cat("set addr_trtype of port ", ShellWord(port.id), " to rdma: its clients over ",
              ShellWord(port.transport), " lose it"))
      .CheckBy(Cat("grep -r . ", kPortsFolder));
}

// ---- iSER ----

std::string PortalFolder(const IscsiPortal& portal) {
  const bool ipv6 = portal.address.find(':') != std::string::npos;
  return Cat("/sys/kernel/config/target/iscsi/", portal.target, "/", portal.group, "/np/",
             ipv6 ? Cat("[", portal.address, "]") : portal.address, ":", portal.port);
}

// An address of every interface, 0.0.0.0 or [::], is one of RDMA too.
bool TakesRdma(const Facts& host, const IscsiPortal& portal) {
  return NotOffered(portal.netdev) || ReachOf(host, portal.address, portal.netdev) == Reach::kRdma;
}

Fix SwitchOnFix(const IscsiPortal& portal) {
  return Fix(Cat("echo 1 > ", ShellWord(Cat(PortalFolder(portal), "/iser"))))
      .Because(Cat("the portal ", PlaceWords(portal.address, std::to_string(portal.port)),
                   " takes TCP only: iSER is a switch of each portal"),
               Certainty::kCertain)
      .Caution("sessions of this portal end")
      .Do("save it: targetcli saveconfig")
      .CheckBy("rdma resource show cm_id");
}

Fix OtherPortalFix(const Facts& host, const IscsiPortal& portal) {
  const std::optional<PlacedAddress> own = RdmaAddress(host);
  if (!own) return {};
  const std::string group =
      Cat("tpg", portal.group.substr(std::min(portal.group.size(), portal.group.find('_') + 1)));
  const std::string path = ShellWord(Cat("/iscsi/", portal.target, "/", group, "/portals"));
  const std::string address = ShellWord(own->ip.address);
  return Fix(Cat("targetcli ", path, " create ", address, " ", portal.port))
      .Because("no portal of the target has the address of an RDMA port", Certainty::kCertain)
      .Run(Cat(
          "targetcli ",
          ShellWord(Cat("/iscsi/", portal.target, "/", group, "/portals/", own->ip.address, ":", portal.port)),
          " enable_iser true"))
      .Do("save it: targetcli saveconfig")
      .CheckBy("rdma resource show cm_id");
}

}  // namespace

TargetFault NvmetFault(const HostView& view) {
  const Fact<std::vector<NvmetPort>>& ports = view.host.nvmet_ports;
  if (!ports || !view.host.ports) return {};
  if (ports->empty()) return {"; the target has no port", {}};
  const NvmetPort* waiting = nullptr;
  const NvmetPort* misplaced = nullptr;
  for (const NvmetPort& port : *ports) {
    if (port.transport != "rdma") continue;
    const Reach reach = ReachOf(view.host, port.address, port.netdev);
    const bool wrong = reach == Reach::kNoRdma || reach == Reach::kNoInterface;
    if (wrong && misplaced == nullptr) misplaced = &port;
    if (!wrong && waiting == nullptr) waiting = &port;
  }
  const NvmetPort* port = waiting != nullptr ? waiting : misplaced;
  if (port == nullptr) {
    const NvmetPort& first = ports->front();
    return {Cat("; port ", Printable(first.id), " is for ", Printable(first.transport)),
            TcpFix(view.host, first)};
  }
  const Reach reach = ReachOf(view.host, port->address, port->netdev);
  return {Cat("; port ", Printable(port->id), " is ", PlaceWords(port->address, port->service),
              WhereWords(reach, port->netdev),
              port->subsystems.empty() ? ", and no subsystem is linked to it" : ""),
          port == misplaced ? TargetAddressFix(view.host, *port, reach) : EnableFix(*port)};
}

TargetFault IserFault(const HostView& view) {
  const Fact<std::vector<IscsiPortal>>& portals = view.host.iscsi_portals;
  if (!portals || !view.host.ports || portals->empty()) return {};
  const auto tcp_only = std::ranges::find_if(
      *portals, [&view](const IscsiPortal& portal) { return !portal.iser && TakesRdma(view.host, portal); });
  const auto without = [&view](const IscsiPortal& portal) {
    const Reach reach = ReachOf(view.host, portal.address, portal.netdev);
    return !NotOffered(portal.netdev) && (reach == Reach::kNoRdma || reach == Reach::kNoInterface);
  };
  const bool found = tcp_only != portals->end();
  if (!found && !std::ranges::all_of(*portals, without)) return {};
  const IscsiPortal& portal = found ? *tcp_only : portals->front();
  const std::string place = PlaceWords(portal.address, std::to_string(portal.port));
  if (found) return {Cat("; portal ", place, " takes TCP only"), SwitchOnFix(portal)};
  const Reach reach = ReachOf(view.host, portal.address, portal.netdev);
  return {Cat("; portal ", place, WhereWords(reach, portal.netdev)), OtherPortalFix(view.host, portal)};
}

}  // namespace rdmaready
