// SPDX-License-Identifier: Apache-2.0
// roce.tos-persistent, inv.boot-path: what is at stake at the next boot.
#include <algorithm>
#include <string>
#include <vector>

#include "checks/families.h"
#include "checks/placeholders.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kKeepersSource = "files below /etc";
constexpr std::string_view kBootSource = "ACPI tables iBFT and NBFT";

std::string PersistentNotApplicable(const PortView& view) {
  if (std::string reason = NotRoce(view.port); !reason.empty()) return reason;
  const auto tos = WantedTos(view.profile);
  if (!tos) return NotAsked(view.profile, "a ToS or DSCP");
  return *tos == 0 ? "ToS 0 is what the kernel starts with" : "";
}

Verdict JudgePersistent(const PortView& view) {
  constexpr std::string_view kExpected = "a unit, a udev rule or a script that sets it";
  const Fact<std::vector<std::string>>& keepers = view.host.tos_keepers;
  if (!keepers) return NoAnswer(keepers.missing(), std::string(kExpected), kKeepersSource);
  // Of a port that may be iWARP nobody asks for a ToS.
  if (keepers->empty() && !view.port.transport)
    return NoAnswer(view.port.transport.missing(), std::string(kExpected), "transport");
  if (keepers->empty())
    return Judged(false, "nothing sets RDMA-CM's ToS at boot", std::string(kExpected), kKeepersSource);
  return Judged(true, Cat(keepers->front(), keepers->size() > 1 ? " and others" : ""), std::string(kExpected),
                kKeepersSource);
}

std::string BootNotApplicable(const PortView& view) {
  return view.host.boot_targets && view.host.boot_targets->empty() ? "no disk of the network is booted from"
                                                                   : "";
}

// By its MAC, where the table tells one; else by its address.
bool IsOf(const Port& port, const BootTarget& target) {
  if (target.mac.empty()) {
    return std::ranges::any_of(AddressesOf(port), [&target](const PlacedAddress& placed) {
      return placed.ip.address == target.address;
    });
  }
  if (port.netdev->mac == target.mac) return true;
  return port.lowers &&
         std::ranges::any_of(*port.lowers, [&target](const Netdev& lower) { return lower.mac == target.mac; });
}

Verdict JudgeBoot(const PortView& view) {
  constexpr std::string_view kExpected = "the boot disk is reached by another port";
  const Fact<std::vector<BootTarget>>& targets = view.host.boot_targets;
  if (!targets) return NoAnswer(targets.missing(), std::string(kExpected), kBootSource);
  if (!view.port.netdev) return NoAnswer(view.port.netdev.missing(), std::string(kExpected), kBootSource);
  for (const BootTarget& target : *targets) {
    if (IsOf(view.port, target))
      return Judged(false, Cat("the host booted from ", target.target, " by this port (", target.table, ")"),
                    std::string(kExpected), kBootSource);
  }
  return Judged(true, Cat("the host booted from ", targets->front().target, ", not by this port"),
                std::string(kExpected), kBootSource);
}

}  // namespace

// One rule for all ports, which needs no name: the device of the event may get another one before RUN
// (60-rdma-persistent-naming.rules), and %k would still be the old one.
Check RoceTosPersistent() {
  return {
      .id = "roce.tos-persistent",
      .title = "RDMA-CM's ToS is set again at every boot",
      .why = "RDMA-CM forgets it when its module is unloaded: it works until the next boot",
      .fix =
          "echo \"ACTION==\\\"add\\\", SUBSYSTEM==\\\"infiniband\\\", RUN+=\\\"/bin/sh -c 'modprobe rdma_cm; "
          "cd /sys/kernel/config/rdma_cm || exit; ls /sys/class/infiniband | xargs mkdir -p; "
          "echo {tos} | tee */ports/*/default_roce_tos'\\\"\" > "
          "/etc/udev/rules.d/90-rdma-tos.rules",
      .depends_on = {"gid.default-mode", "roce.tos"},
      .rule = Rule<PortView>{PersistentNotApplicable, JudgePersistent}};
}

Check InvBootPath() {
  return {.id = "inv.boot-path",
          .title = "The port does not carry the disk that the host booted from",
          .why = "A change of its link, MTU or DCB settings can cost the host its disk",
          .fix = "lsblk  # change this port's settings from a rescue system only, or boot from another disk",
          .depends_on = {"inv.netdev-mapping"},
          .rule = Rule<PortView>{BootNotApplicable, JudgeBoot}};
}

}  // namespace rdmaready
