// SPDX-License-Identifier: Apache-2.0
// Commands of ethtool, ip, devlink, sysctl, and what is echoed into configfs.
#include <algorithm>
#include <cstdint>

#include "checks/setting/commands.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool Differs(const SettingPlace& place, std::string_view from, std::string_view to) {
  return from != to && IsCanonical(place.object.kind, from) && IsCanonical(place.object.kind, to);
}

std::string_view OnOff(bool on) { return on ? "on" : "off"; }

// "rxe0/1": the device's directory must be made first, and shows what RDMA-CM has for its ports.
std::string IntoConfigfs(const SettingObject& object, std::string_view value, std::string_view file) {
  const std::size_t slash = object.where.rfind('/');
  const std::string folder = Cat("/sys/kernel/config/rdma_cm/", object.where.substr(0, slash));
  const std::string_view port =
      slash == std::string::npos ? "" : std::string_view(object.where).substr(slash + 1);
  return Cat("mkdir -p ", ShellWord(folder), " && echo ", ShellWord(value), " > ",
             ShellWord(Cat(folder, "/ports/", port, "/", file)));
}

}  // namespace

Commands PauseCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  const Pause old = *PauseOf(from);
  const Pause wanted = *PauseOf(to);
  const std::string netdev = ShellWord(place.object.where);
  const std::string directions = Cat(" rx ", OnOff(wanted.rx), " tx ", OnOff(wanted.tx));
  if (!PauseFollowsLink(place.netdev))
    return {Cat("ethtool -A ", netdev, " autoneg ", OnOff(wanted.autoneg), directions)};
  Commands commands;
  if (old.autoneg != wanted.autoneg)
    commands.push_back(Cat("ethtool -s ", netdev, " autoneg ", OnOff(wanted.autoneg)));
  if (old.rx != wanted.rx || old.tx != wanted.tx) commands.push_back(Cat("ethtool -A ", netdev, directions));
  return commands;
}

Commands PrivateFlagCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  return {Cat("ethtool --set-priv-flags ", ShellWord(place.object.where), " ", ShellWord(place.object.name),
              " ", to)};
}

Commands DevlinkCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  return {Cat("devlink dev param set ", ShellWord(place.object.where), " name ", ShellWord(place.object.name),
              " value ", to, " cmode runtime")};
}

Commands MtuCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  return {Cat("ip link set dev ", ShellWord(place.object.where), " mtu ", to)};
}

// A pair cannot be taken out of a map: it is set to 0, which is what a priority without a pair gets.
Commands VlanEgressCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  const std::vector<VlanPriority> old = *VlanEgressOf(from);
  const std::vector<VlanPriority> wanted = *VlanEgressOf(to);
  std::string pairs;
  for (const VlanPriority& pair : old) {
    if (std::ranges::find(wanted, pair.from, &VlanPriority::from) == wanted.end())
      pairs += Cat(" ", pair.from, ":0");
  }
  for (const VlanPriority& pair : wanted) {
    if (std::ranges::find(old, pair) == old.end()) pairs += Cat(" ", pair.from, ":", pair.pcp);
  }
  return {Cat("ip link set dev ", ShellWord(place.object.where), " type vlan egress-qos-map", pairs)};
}

Commands SysctlCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!Differs(place, from, to)) return {};
  return {Cat("sysctl -w ", ShellWord(place.object.name), "=", to)};
}

std::string SysctlNote(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view /*to*/) {
  return "for good: a file in /etc/sysctl.d";
}

Commands CmModeCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  return Differs(place, from, to) ? Commands{IntoConfigfs(place.object, to, "default_roce_mode")} : Commands{};
}

Commands CmTosCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  return Differs(place, from, to) ? Commands{IntoConfigfs(place.object, to, "default_roce_tos")} : Commands{};
}

}  // namespace rdmaready
