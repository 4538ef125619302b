// SPDX-License-Identifier: Apache-2.0
// inv.boot-path: what is at stake at the next boot.
#include <algorithm>
#include <vector>

#include "checks/families.h"
#include "checks/words/addresses.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBootSource = "ACPI tables iBFT and NBFT";

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

Verdict JudgeInvBootPath(const PortView& view) {
  if (view.host.boot_targets && view.host.boot_targets->empty())
    return NotApplicable("no disk of the network is booted from");
  constexpr std::string_view kExpected = "the boot disk is reached by another port";
  const Fact<std::vector<BootTarget>>& targets = view.host.boot_targets;
  if (!targets) return NoAnswer(targets.missing(), kExpected, kBootSource);
  if (!view.port.netdev) return NoAnswer(view.port.netdev.missing(), kExpected, kBootSource);
  for (const BootTarget& target : *targets) {
    if (IsOf(view.port, target))
      return Judged(false, Cat("the host booted from ", target.target, " by this port (", target.table, ")"),
                    kExpected, kBootSource);
  }
  return Judged(true, Cat("the host booted from ", targets->front().target, ", not by this port"), kExpected,
                kBootSource);
}

}  // namespace

std::vector<Check> BootChecks() {
  return {
      {.id = "inv.boot-path",
       .title = "The port does not carry the disk that the host booted from",
       .why = "A change of its link, MTU or DCB settings can cost the host its disk",
       .fix = Fix("lsblk")
                  .Because("the firmware booted the host by this port", Certainty::kCertain)
                  .Caution("a change of this port's link can cost the host its disk")
                  .Do("change its settings from a rescue system only")
                  .Or("boot from another disk"),
       .depends_on = {"inv.netdev-mapping"},
       .judge = JudgeInvBootPath},
  };
}

}  // namespace rdmaready
