// SPDX-License-Identifier: Apache-2.0
#include "checks/device/fabric_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "checks/words/port_driver.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSmLid = "cat /sys/class/infiniband/{device}/ports/{port}/sm_lid";

const FabricManager* InstalledManager(const Facts& host, std::string_view name) {
  if (!host.fabric_managers) return nullptr;
  const auto is = [name](const FabricManager& one) { return one.name == name; };
  const auto starts = [&is](const FabricManager& one) { return is(one) && one.starts && *one.starts; };
  const auto first = std::ranges::find_if(*host.fabric_managers, starts);
  const auto found =
      first != host.fabric_managers->end() ? first : std::ranges::find_if(*host.fabric_managers, is);
  return found == host.fabric_managers->end() ? nullptr : &*found;
}

// Omni-Path has a manager of its own: OpenSM does not manage it. drivers/infiniband/hw/hfi1 binds as "hfi1".
bool IsOmniPath(const PortView& view) {
  const Fact<std::string> driver = DriverOf(view.host, view.port);
  return driver && *driver == "hfi1";
}

Fix OpafmFix(const Facts& host) {
  const FabricManager* opafm = InstalledManager(host, "opafm");
  const bool known = opafm != nullptr && opafm->starts;
  if (known && !*opafm->starts) {
    return Fix("systemctl enable --now opafm")
        .Because("the fabric manager of Omni-Path (opafm) is installed here, and does not start at boot")
        .Or("where another node is to manage the fabric: start opafm there")
        .CheckBy(kSmLid);
  }
  Fix fix =
      Fix().Because(known ? "the fabric manager of Omni-Path (opafm) of this host has not configured the port"
                          : "no fabric manager of Omni-Path (opafm) runs, or it does not reach this port");
  fix = known
            ? std::move(fix).Run("journalctl -u opafm | tail -n 20").Run("systemctl restart opafm")
            : std::move(fix).Do("on the node that manages the Omni-Path fabric: systemctl enable --now opafm");
  return std::move(fix).Run("opainfo").CheckBy(kSmLid);
}

// ---- opensm ----

// The port's GUID is the second half of its first GID; 0: not known.
std::uint64_t PortGuidOf(const Port& port) {
  if (!port.gids) return 0;
  const auto first = std::ranges::find(*port.gids, 0U, &Gid::index);
  if (first == port.gids->end()) return 0;
  std::uint64_t guid = 0;
  for (std::size_t i = 8; i < first->raw.size(); ++i) guid = guid << 8U | first->raw[i];
  return guid;
}

std::string GuidText(std::uint64_t guid) { return fmt::format("{:#018x}", guid); }

// libibumad lists no RNIC, and opensm takes the first port of that list that has a link.
bool MayTake(const Port& port) {
  const bool rnic = port.transport && *port.transport == Transport::kIwarp;
  return !rnic && port.state && *port.state != PortState::kDown;
}

bool IsBefore(const Port& port, const Port& other) {
  return port.device != other.device ? port.device < other.device : port.number < other.number;
}

// "irdma0, which is Ethernet": what opensm takes when it is given no GUID; empty: this port.
std::string TakenInstead(const PortView& view) {
  const Port* first = &view.port;
  for (const Port& port : *view.host.ports) {
    if (MayTake(port) && IsBefore(port, *first)) first = &port;
  }
  std::string name = first == &view.port ? std::string() : PortName(*first);
  std::string device = first->device;
  bool ethernet = first != &view.port && (!first->transport || *first->transport != Transport::kInfiniBand);
  // Ports of another profile are not among those of this view.
  for (const PciDevice& function : view.host.pci_devices ? *view.host.pci_devices : std::vector<PciDevice>{}) {
    for (const std::string& one : function.rdma_devices) {
      const bool here = std::ranges::find(*view.host.ports, one, &Port::device) != view.host.ports->end();
      if (here || one >= device) continue;
      name = device = one;
      ethernet = function.class_code >> 8U == 0x0200U;
    }
  }
  return name.empty() ? name : Cat(Printable(name), ethernet ? ", which is Ethernet" : "");
}

// "0x0002c903000f1234, the GUID of mlx5_1/1".
std::string GivenInstead(const PortView& view, std::uint64_t guid) {
  for (const Port& port : *view.host.ports) {
    if (PortGuidOf(port) == guid) return Cat(GuidText(guid), ", the GUID of ", PortName(port));
  }
  return Cat(GuidText(guid), ", which is not the GUID of a port that is judged here");
}

bool IsGiven(const FabricManager& manager, std::uint64_t guid) {
  return std::ranges::find(manager.ports, guid, &ManagedPort::guid) != manager.ports.end();
}

// The first GUID that is not 0.
const ManagedPort* FirstGiven(const FabricManager& manager) {
  const auto given = std::ranges::find_if(manager.ports, [](const ManagedPort& one) { return one.guid != 0; });
  return given == manager.ports.end() ? nullptr : &*given;
}

// Why opensm, which starts here, does not manage the port; empty: it does, or that is not known.
std::string WhyNotManaged(const PortView& view, const FabricManager& opensm) {
  const std::uint64_t guid = PortGuidOf(view.port);
  if (!opensm.starts || !*opensm.starts || opensm.all_ports || guid == 0 || IsGiven(opensm, guid)) return {};
  if (!view.host.ports) return {};
  if (const ManagedPort* given = FirstGiven(opensm))
    return Cat("opensm of this host is given the GUID ", GivenInstead(view, given->guid), " (",
               Printable(given->source), ")");
  const std::string taken = TakenInstead(view);
  if (taken.empty()) return {};
  return Cat("opensm of this host is given no GUID, and takes the first port with a link: ", taken);
}

// The GUIDs of this host's ports that opensm has already, then of those that nobody manages.
std::string GuidsFor(const Facts& host, const FabricManager& opensm) {
  std::string guids;
  const auto add = [&guids](std::uint64_t guid) {
    if (guid != 0) guids += Cat(guids.empty() ? "" : " ", GuidText(guid));
  };
  for (const ManagedPort& port : opensm.ports) add(port.guid);
  for (const Port& port : *host.ports) {
    const bool unmanaged = IsInfiniBand(port) && port.ib.sm_lid && *port.ib.sm_lid == 0;
    if (unmanaged && !IsGiven(opensm, PortGuidOf(port))) add(PortGuidOf(port));
  }
  return guids;
}

// Whether opensm is given another InfiniBand port of this host, which has its subnet manager by that.
bool ManagesAnother(const Facts& host, const FabricManager& opensm) {
  return std::ranges::any_of(*host.ports, [&opensm](const Port& port) {
    const std::uint64_t guid = IsInfiniBand(port) ? PortGuidOf(port) : 0;
    return guid != 0 && IsGiven(opensm, guid);
  });
}

// Units of distributions read a list of GUIDs. Without such a file, opensm reads one GUID from its own file:
// nothing there manages a second port.
std::optional<OpensmLine> LineFor(const Facts& host, const FabricManager& opensm, std::uint64_t guid) {
  const auto has = [&opensm](std::string_view file) {
    return std::ranges::find(opensm.files, file) != opensm.files.end();
  };
  const std::string guids = GuidsFor(host, opensm);
  if (has("/etc/default/opensm"))
    return OpensmLine{"/etc/default/opensm", Cat("PORTS=\"", guids, "\""), opensm.unit};
  if (has("/etc/sysconfig/opensm"))
    return OpensmLine{"/etc/sysconfig/opensm", Cat("GUIDS=\"", guids, "\""), opensm.unit};
  if (ManagesAnother(host, opensm)) return std::nullopt;
  const std::string path = has("/etc/rdma/opensm.conf") ? "/etc/rdma/opensm.conf" : "/etc/opensm/opensm.conf";
  return OpensmLine{path, Cat("guid ", GuidText(guid)), opensm.unit};
}

Fix OpensmFix(const PortView& view) {
  const FabricManager* opensm = InstalledManager(view.host, "opensm");
  if (opensm == nullptr || !opensm->starts) return {};
  const std::string unit = ShellWord(opensm->unit.substr(0, opensm->unit.rfind('.')));
  if (const std::string why = WhyNotManaged(view, *opensm); !why.empty()) {
    const std::optional<OpensmLine> line = LineFor(view.host, *opensm, PortGuidOf(view.port));
    if (!line)
      return Fix()
          .Because(why)
          .Do(Cat("start a second opensm for {device} port {port}: opensm -g ", GuidText(PortGuidOf(view.port)),
                  ", by a unit of its own; the first one goes on to manage its port"))
          .CheckBy(kSmLid);
    return Fix()
        .Because(why)
        .Caution("the subnet manager stops for a moment: its fabrics keep their routes")
        .Do(Cat("write ", line->text, ", with the GUID of {device} port {port}, into ", line->path))
        .Run(Cat("systemctl restart ", unit))
        .Or("where another host is to manage this fabric: start the subnet manager there")
        .CheckBy(kSmLid);
  }
  Fix fix = Fix("sminfo -C {device} -P {port}");
  if (!*opensm->starts) {
    return std::move(fix)
        .Because("no subnet manager runs in this fabric; opensm is installed here, and does not start at boot")
        .Do("start the subnet manager of the fabric, or ask those who run it")
        .Or(Cat("where this host is to manage the fabric: systemctl enable --now ", unit))
        .CheckBy(kSmLid);
  }
  return std::move(fix)
      .Because(
          "opensm of this host starts at boot and has not configured the port: it ended, or waits for another "
          "subnet manager")
      .Run(Cat("journalctl -u ", unit, " | tail -n 20"))
      .Run(Cat("systemctl restart ", unit))
      .CheckBy(kSmLid);
}

}  // namespace

Fix FabricManagerFix(const PortView& view) { return IsOmniPath(view) ? OpafmFix(view.host) : OpensmFix(view); }

std::optional<OpensmLine> MissingOpensmLine(const PortView& view) {
  const bool unmanaged = view.port.ib.sm_lid && *view.port.ib.sm_lid == 0;
  if (!unmanaged || IsOmniPath(view)) return std::nullopt;
  const FabricManager* opensm = InstalledManager(view.host, "opensm");
  if (opensm == nullptr || WhyNotManaged(view, *opensm).empty()) return std::nullopt;
  return LineFor(view.host, *opensm, PortGuidOf(view.port));
}

}  // namespace rdmaready
