// SPDX-License-Identifier: Apache-2.0
// drv.module-allowed, and what drv.roce-enabled says of files that run at boot.
#include "checks/device/boot_switch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/model/rdma_drivers.h"
#include "checks/device/protocol_switches.h"
#include "checks/families.h"
#include "checks/setting/boot_owner.h"
#include "checks/setting/boot_settings.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFilesSource = "files below /etc";
constexpr std::string_view kUnits = "/etc/systemd/system/";
constexpr std::string_view kModprobe = "/etc/modprobe.d";

// Whether the port has a protocol at all. mlx5 with RoCE off has a port of Ethernet, for raw packets, and no
// GID.
bool Speaks(const Port& port) {
  if (!port.transport || *port.transport == Transport::kUnknown) return false;
  return *port.transport != Transport::kRoce || NotOffered(port.gids) || (port.gids && !port.gids->empty());
}

std::string HandleOf(const Port& port) { return Cat("pci/", port.pci->address); }

std::string AtBootText(const std::vector<BootWrite>& writes) {
  std::string text = Cat(Printable(writes.front().file), " sets ");
  for (const BootWrite& write : writes) {
    text += Cat(&write == &writes.front() ? "" : ", ", Printable(write.setting), " ", Printable(write.value));
  }
  return text;
}

// Switches it on again, in an order that the driver accepts: ice refuses RoCE while iWARP is on.
Fix SwitchOn(Fix fix, const PortView& view) {
  const bool at_load = view.port.netdev && view.port.netdev->driver == "mlx5_core";
  const std::string handle = ShellWord(HandleOf(view.port));
  for (const ProtocolSwitch& one : SwitchesFor(view.profile.transport)) {
    if (one.name == "enable_rdma" || (at_load && !one.on)) continue;
    fix = std::move(fix).Run(Cat("devlink dev param set ", handle, " name ", one.name, " value ",
                                 one.on ? "true" : "false", " cmode ", at_load ? "driverinit" : "runtime"));
  }
  if (!at_load) return std::move(fix).Caution("the RDMA device is made anew, and its connections end");
  return std::move(fix)
      .Run(Cat("devlink dev reload ", handle))
      .Caution("the reload takes the interface down, and with it its addresses and connections");
}

Fix AtBootFix(const PortView& view, const BootWrite& write) {
  const std::string file = Printable(write.file);
  const bool made = IsMadeAnew(write.file);
  const std::string change =
      Cat(ChangeText(write.file, write.started), ": without the lines of ", write.setting);
  const std::string remove = Cat("remove these lines from ", file);
  Fix fix = Fix().Because(Cat(file, " runs at each boot, and was made for another use of the NIC"),
                          Certainty::kCertain);
  if (write.started.starts_with(kUnits)) {
    const std::string unit = write.started.substr(kUnits.size());
    fix = std::move(fix)
              .Run(Cat("systemctl disable ", ShellWord(unit)))
              .Or(Cat("where ", Printable(unit), " does other things too, ", made ? change : remove));
  } else if (made) {
    fix = std::move(fix).Do(change);
  } else {
    fix = std::move(fix).Do(Cat("remove the lines of ", Printable(write.setting), " from ", file));
  }
  return SwitchOn(std::move(fix), view)
      .CheckBy(
          Cat("devlink dev param show ", ShellWord(HandleOf(view.port)), " name ", ShellWord(write.setting)));
}

// The module that makes RDMA devices of an adapter here, and may not be loaded; null: every module may.
const BootWrite* ForbiddenHere(const Facts& host) {
  for (const PciDevice& function : *host.pci_devices) {
    const RdmaDriver* const row = FindRdmaDriver(function.driver);
    if (row == nullptr || !function.rdma_devices.empty()) continue;
    const BootWrite* const forbidden = ForbiddenModule(host, row->module);
    if (forbidden != nullptr) return forbidden;
  }
  return nullptr;
}

bool HasCapableAdapter(const Facts& host) {
  return std::ranges::any_of(
      *host.pci_devices, [](const PciDevice& function) { return FindRdmaDriver(function.driver) != nullptr; });
}

Verdict JudgeForbidden(const BootWrite& forbidden) {
  const std::string file = Printable(forbidden.file);
  const std::string module = Printable(forbidden.object);
  const bool install = forbidden.setting == "install";
  const std::string line =
      install ? Cat("install ", module, " ", Printable(forbidden.value)) : Cat("blacklist ", module);
  const std::string word = ShellWord(forbidden.object);
  Fix fix = Fix(Cat("sed -i.bak -E '/^[[:space:]]*(blacklist[[:space:]]+", forbidden.object,
                    "[[:space:]]*$|install[[:space:]]+", forbidden.object, "[[:space:]])/d' ",
                    ShellWord(forbidden.file)))
                .Because(Cat("that line keeps ", module, " out"), Certainty::kCertain)
                .Caution("where that was on purpose, ask who did it")
                .Run(Cat("modprobe ", word))
                .CheckBy("rdma link show");
  return Judged(false,
                Cat(file, " forbids ", module, ", which makes the RDMA devices of an adapter here: ", line),
                "no file keeps an RDMA module out", kFilesSource, std::move(fix));
}

// Where there are RDMA devices, a module that is forbidden is a choice.
Verdict JudgeDrvModuleAllowed(const HostView& view) {
  constexpr std::string_view kExpected = "no file keeps an RDMA module out";
  const Facts& host = view.host;
  if (host.ports && !host.ports->empty()) return NotApplicable("there are RDMA devices");
  if (!host.ports) return NoAnswer(host.ports.missing(), kExpected, kFilesSource);
  if (NotOffered(host.pci_devices)) return NotApplicable(host.pci_devices.missing().detail);
  if (!host.pci_devices) return NoAnswer(host.pci_devices.missing(), kExpected, kFilesSource);
  if (!HasCapableAdapter(host)) return NotApplicable("no adapter here has an RDMA driver beside its own");
  if (!host.boot_writes) return NoAnswer(host.boot_writes.missing(), kExpected, kFilesSource);
  const BootWrite* const forbidden = ForbiddenHere(host);
  if (forbidden != nullptr) return JudgeForbidden(*forbidden);
  if (const auto unread = UnreadScript(host, kModprobe)) return NoAnswer(*unread, kExpected, kFilesSource);
  return Judged(true, "no file of modprobe.d forbids one", kExpected, kFilesSource);
}

}  // namespace

std::vector<BootWrite> SwitchedOffAtBoot(const Facts& host, const Port& port, const Profile& profile) {
  std::vector<BootWrite> contrary;
  if (!host.boot_writes || !port.pci) return contrary;
  const std::vector<ProtocolSwitch> switches = SwitchesFor(profile.transport);
  for (const BootWrite& write : *host.boot_writes) {
    const auto wanted = std::ranges::find(switches, write.setting, &ProtocolSwitch::name);
    const bool other = wanted != switches.end() && write.value == (wanted->on ? "false" : "true");
    const bool same_file = contrary.empty() || contrary.front().file == write.file;
    if (other && same_file && write.object == HandleOf(port)) contrary.push_back(write);
  }
  return contrary;
}

std::optional<Verdict> JudgeSwitchedOffAtBoot(const PortView& view) {
  const Facts& host = view.host;
  if (Speaks(view.port)) return std::nullopt;
  const std::string expected(Name(view.profile.transport));
  if (!host.boot_writes) return NoAnswer(host.boot_writes.missing(), expected, kFilesSource);
  if (!view.port.pci && !NotOffered(view.port.pci))
    return NoAnswer(view.port.pci.missing(), expected, kFilesSource);
  const std::vector<BootWrite> contrary = SwitchedOffAtBoot(host, view.port, view.profile);
  if (contrary.empty()) {
    const auto unread = UnreadScript(host);
    return unread ? std::optional(NoAnswer(*unread, expected, kFilesSource)) : std::nullopt;
  }
  if (!view.port.transport && !NotOffered(view.port.transport))
    return NoAnswer(view.port.transport.missing(), expected, kFilesSource);
  if (!view.port.gids && !NotOffered(view.port.gids))
    return NoAnswer(view.port.gids.missing(), expected, kFilesSource);
  return Judged(false, Cat(AtBootText(contrary), " at boot"), expected, kFilesSource,
                AtBootFix(view, contrary.front()));
}

std::optional<Fix> SwitchedOffFix(const PortView& view) {
  const std::vector<BootWrite> contrary = SwitchedOffAtBoot(view.host, view.port, view.profile);
  if (contrary.empty()) return std::nullopt;
  return AtBootFix(view, contrary.front());
}

const BootWrite* ForbiddenModule(const Facts& host, std::string_view module) {
  if (!host.boot_writes) return nullptr;
  const BootWrite* found = nullptr;
  for (const BootWrite& write : *host.boot_writes) {
    const bool install = write.setting == "install" && write.value.find("modprobe") == std::string::npos;
    const bool forbids = write.object == module && (install || write.setting == "blacklist");
    if (forbids && (found == nullptr || install)) found = &write;
  }
  return found;
}

std::vector<Check> BootSwitchChecks() {
  return {{.id = "drv.module-allowed",
           .title = "The module that makes the adapter's RDMA devices may be loaded",
           .why = "A line of modprobe.d keeps the module out: the adapter then has no RDMA, however it is set",
           .fix = Fix("grep -rn -e blacklist -e install /etc/modprobe.d")
                      .Because("a file below /etc/modprobe.d forbids the module")
                      .CheckBy("rdma link show"),
           .blocks_for = &kDemandsRdma,
           .judge = JudgeDrvModuleAllowed}};
}

}  // namespace rdmaready
