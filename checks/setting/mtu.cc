// SPDX-License-Identifier: Apache-2.0
// The MTU of a netdev, and which others follow it (net/8021q/vlan.c, bond_main.c).
#include "checks/device/mtu.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "api/base/number.h"
#include "checks/setting/consequences.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/edit.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::vector<Setting> ReadMtuSettings(const Facts& facts) {
  std::vector<Setting> settings;
  // No interface has MTU 0: it means that nobody filled it in.
  const auto add = [&settings](const std::string& name, std::uint32_t mtu_bytes) {
    if (mtu_bytes != 0)
      AddSetting(settings, {.kind = SettingKind::kMtu, .where = name}, std::to_string(mtu_bytes));
  };
  const auto netdevs = NetdevsOf(facts);
  for (const auto& [name, netdev] : netdevs) add(name, netdev->mtu_bytes);
  for (const auto& [name, upper] : UppersOf(facts)) {
    if (!netdevs.contains(name)) add(name, upper->mtu_bytes);
  }
  return SortedByObject(std::move(settings));
}

Commands MtuCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  return {Cat("ip link set dev ", ShellWord(place.object.where), " mtu ", to)};
}

// mlx5e_change_mtu, bnxt_change_mtu, ice_change_mtu, mlx4_en_change_mtu, qede_change_mtu.
Disturbance MtuDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view /*to*/) {
  if (HasDriver(place.netdev, "mlx5_core")) return QueuesStop("mlx5", "the driver opens its queues anew");
  if (HasDriver(place.netdev, "bnxt_en")) return QueuesStop("bnxt");
  if (HasDriver(place.netdev, "ice")) return QueuesStop("ice");
  if (HasDriver(place.netdev, "mlx4_en")) return LinkDown("mlx4");
  if (HasDriver(place.netdev, "qede")) return LinkDown("qede");
  return OfUnknownDriver(place);
}

std::uint32_t ActiveMtu(std::uint32_t mtu_bytes, std::uint32_t most_bytes) {
  std::uint32_t active = 256;
  for (const std::uint32_t size : {512U, 1024U, 2048U, 4096U}) {
    if (size <= most_bytes && size + kRoceHeaderRoomBytes <= mtu_bytes) active = size;
  }
  return active;
}

std::uint32_t MtuOf(const Facts& facts, const std::string& name) {
  std::uint32_t mtu_bytes = 0;
  for (const Port& port : *facts.ports) {
    const auto take = [&](const auto& netdev) {
      if (netdev.name == name) mtu_bytes = netdev.mtu_bytes;
    };
    if (port.netdev) take(*port.netdev);
    if (port.lowers) std::ranges::for_each(*port.lowers, take);
    if (port.uppers) std::ranges::for_each(*port.uppers, take);
  }
  return mtu_bytes;
}

// Why the netdev cannot have it: its driver's limit, or that of what a VLAN stands on (vlan_dev_change_mtu).
std::string MtuRefusal(const Facts& facts, const std::string& name, std::uint32_t mtu_bytes) {
  for (const Port& port : *facts.ports) {
    const auto too_large = [&](const Netdev& netdev) {
      return netdev.name == name && netdev.max_mtu_bytes && *netdev.max_mtu_bytes != 0 &&
             *netdev.max_mtu_bytes < mtu_bytes;
    };
    if ((port.netdev && too_large(*port.netdev)) ||
        (port.lowers && std::ranges::any_of(*port.lowers, too_large)))
      return Cat("the driver of ", name, " does not allow an MTU of ", mtu_bytes);
    if (port.netdev && port.netdev->name == name && port.netdev->vlan_id && port.lowers) {
      for (const Netdev& lower : *port.lowers) {
        if (lower.mtu_bytes < mtu_bytes) return Cat("a VLAN has no larger MTU than ", lower.name, " below it");
      }
    }
    if (!port.uppers) continue;
    for (const UpperNetdev& upper : *port.uppers) {
      if (upper.name != name || !upper.vlan_id) continue;
      for (const std::string& below : upper.over) {
        if (MtuOf(facts, below) < mtu_bytes) return Cat("a VLAN has no larger MTU than ", below, " below it");
      }
    }
  }
  return {};
}

void MoveMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops = 8);

// A bond gives its MTU to its members (bond_change_mtu); a VLAN follows what it stands on down, never up
// (vlan_device_event).
void FollowMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops) {
  std::vector<std::pair<std::string, std::uint32_t>> follow;
  for (const Port& port : *facts.ports) {
    const bool bond_itself = port.netdev && port.netdev->name == name && IsBondKind(port.netdev->driver);
    if (bond_itself && port.lowers) {
      for (const Netdev& lower : *port.lowers) follow.emplace_back(lower.name, mtu_bytes);
    }
    if (!port.uppers) continue;
    for (const UpperNetdev& upper : *port.uppers) {
      if (upper.name == name && IsBondKind(upper.kind)) {
        for (const std::string& member : upper.over) follow.emplace_back(member, mtu_bytes);
        if (!port.lowers) continue;
        for (const Netdev& lower : *port.lowers) {
          if (lower.master == name) follow.emplace_back(lower.name, mtu_bytes);
        }
      }
      const bool over = std::ranges::find(upper.over, name) != upper.over.end();
      if (over && upper.vlan_id && upper.mtu_bytes > mtu_bytes) follow.emplace_back(upper.name, mtu_bytes);
    }
  }
  for (const auto& [other, size] : follow) {
    if (MtuOf(facts, other) != size) MoveMtu(facts, other, size, hops - 1);
  }
}

void MoveMtu(Facts& facts, const std::string& name, std::uint32_t mtu_bytes, int hops) {
  if (hops == 0) return;
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, name, [&](Netdev& netdev) { netdev.mtu_bytes = mtu_bytes; });
    EditUppers(port, [&](UpperNetdev& upper) {
      if (upper.name == name) upper.mtu_bytes = mtu_bytes;
    });
    const bool own = port.netdev && port.netdev->name == name;
    const bool roce = port.transport && *port.transport == Transport::kRoce;
    if (own && roce && port.active_mtu_bytes)
      port.active_mtu_bytes = ActiveMtu(mtu_bytes, port.max_mtu_bytes ? *port.max_mtu_bytes : 4096U);
  });
  FollowMtu(facts, name, mtu_bytes, hops);
}

std::string MtuEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  const auto mtu_bytes = ParseNumber<std::uint32_t>(to);
  if (!mtu_bytes || !facts.ports) return "it is no MTU";
  if (std::string why = MtuRefusal(facts, object.where, *mtu_bytes); !why.empty()) return why;
  MoveMtu(facts, object.where, *mtu_bytes);
  return {};
}

}  // namespace

std::vector<SettingRow> MtuRows() {
  return {
      {.kind = SettingKind::kMtu,
       .words = "MTU",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kRtnetlink,
       .api = "rtnetlink IFLA_MTU",
       .right = "link-settings",
       .serves = {"mtu.ethernet", "mtu.roce-active", "mtu.vlan"},
       .read = ReadMtuSettings,
       .commands = MtuCommands,
       .disturbs = MtuDisturbs,
       .effect = MtuEffect},
  };
}

}  // namespace rdmaready
