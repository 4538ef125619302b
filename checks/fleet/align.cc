// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/align.h"

#include <string>
#include <utility>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"
#include "checks/words/ethernet.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string NetdevOf(const Port& port) { return port.netdev ? port.netdev->name : std::string(); }

// The first Ethernet port's netdev.
std::string EthernetOf(const Port& port) {
  const NetdevRef first = EthernetPortsOf(port).front();
  return first ? first->name : std::string();
}

Fix Align(const DifferingEnd& odd, const DifferingEnd& other, SettingKind kind,
          std::string (*where)(const Port&)) {
  const SettingObject here{.kind = kind, .where = where(odd.port)};
  const SettingObject there{.kind = kind, .where = where(other.port)};
  if (here.where.empty() || there.where.empty()) return {};
  const std::string from = ValueOf(odd.host, here);
  const std::string to = ValueOf(other.host, there);
  if (from.empty() || to.empty() || from == to) return {};
  const SettingOwner owner = OwnerOf(odd.host, here, to);
  Remedy remedy = RemedyFor(PlaceOf(odd.host, here), from, to);
  if (remedy.empty()) return {};
  return Fix(owner.empty() ? std::move(remedy) : WithOwner(std::move(remedy), owner));
}

}  // namespace

Fix AlignMtu(const DifferingEnd& odd, const DifferingEnd& other) {
  if (!odd.port.netdev || !other.port.netdev) return {};
  if (other.port.netdev->mtu_bytes < odd.port.netdev->mtu_bytes) return {};
  Fix fix = Align(odd, other, SettingKind::kMtu, NetdevOf);
  if (fix.empty()) return fix;
  return std::move(fix)
      .Do("give the switch port room for it (9216)", StepSite::kSwitch)
      .CheckBy(Cat("ip link show dev ", ShellWord(NetdevOf(odd.port))));
}

Fix AlignPfc(const DifferingEnd& odd, const DifferingEnd& other) {
  return Align(odd, other, SettingKind::kPfc, EthernetOf);
}

Fix AlignEts(const DifferingEnd& odd, const DifferingEnd& other) {
  return Align(odd, other, SettingKind::kEts, EthernetOf);
}

Fix AlignTos(const DifferingEnd& odd, const DifferingEnd& other) {
  return Align(odd, other, SettingKind::kCmTos, PortName);
}

}  // namespace rdmaready
