// SPDX-License-Identifier: Apache-2.0
// Settings of ethtool: link-level pause, private flags.
#include <cstdint>
#include <utility>

#include "checks/setting/consequences.h"
#include "checks/setting/dcb_effects.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/kinds.h"
#include "checks/setting/parts.h"
#include "checks/setting/places.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string_view OnOff(bool on) { return on ? "on" : "off"; }

std::vector<Setting> ReadPauseSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    if (netdev->pause) AddSetting(settings, {.kind = SettingKind::kPause, .where = name}, Text(*netdev->pause));
  }
  return settings;
}

Commands PauseCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
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

// mlx5 and mlx4 write a register. bnxt_set_pauseparam and ice_set_fc negotiate the link anew, the former only
// where pause is, or was, negotiated.
Disturbance PauseDisturbs(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (HasDriver(place.netdev, "mlx5_core") || HasDriver(place.netdev, "mlx4_en")) return Quiet();
  if (HasDriver(place.netdev, "ice")) return LinkDown("ice");
  if (!HasDriver(place.netdev, "bnxt_en")) return OfUnknownDriver(place);
  const std::optional<Pause> old = PauseOf(from);
  const std::optional<Pause> wanted = PauseOf(to);
  const bool negotiated = !old || !wanted || old->autoneg || wanted->autoneg;
  return negotiated ? LinkDown("bnxt") : Quiet();
}

std::vector<Setting> ReadPrivateFlagSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    if (!netdev->link.private_flags) continue;
    for (const PrivateFlag& flag : *netdev->link.private_flags) {
      AddSetting(settings, {.kind = SettingKind::kPrivateFlag, .where = name, .name = flag.name},
                 flag.on ? "on" : "off");
    }
  }
  return SortedByObject(std::move(settings));
}

Commands PrivateFlagCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!IsChange(place, from, to)) return {};
  return {Cat("ethtool --set-priv-flags ", ShellWord(place.object.where), " ", ShellWord(place.object.name),
              " ", to)};
}

// ice_set_priv_flags: the firmware's agent takes data centre bridging with it, and its start the link;
// mlx5e opens its channels anew for nearly every flag.
Disturbance PrivateFlagDisturbs(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  if (HasDriver(place.netdev, "mlx5_core")) return QueuesStop("mlx5");
  if (!HasDriver(place.netdev, "ice")) return OfUnknownDriver(place);
  if (place.object.name != kFirmwareLldpFlag) return QueuesStop("ice");
  if (to == "on")
    return LinkDown("ice", "the link goes down for a moment, and the firmware's DCB settings are taken");
  return QueuesStop("ice",
                    "the driver stops the port for a moment, and begins with its defaults of ETS and PFC");
}

}  // namespace

std::vector<SettingRow> EthtoolRows() {
  return {
      {.kind = SettingKind::kPause,
       .words = "flow control",
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kEthtool,
       .api = "ethtool PAUSE_SET",
       .right = "link-settings",
       .serves = {"pause.none", "pause.off-with-pfc", "pfc.lossless-priority", "pause.autoneg",
                  "pause.stops-all"},
       .read = ReadPauseSettings,
       .commands = PauseCommands,
       .disturbs = PauseDisturbs,
       .effect = PauseEffect},
      {.kind = SettingKind::kPrivateFlag,
       .words = "private flag",
       .has_name = true,
       .home = SettingHome::kNetdev,
       .writer = SettingWriter::kEthtool,
       .api = "ethtool PRIVFLAGS_SET",
       .right = "link-settings",
       .serves = {"dcbx.mode", "dcbx.one-agent"},
       .opens_others = true,
       .read = ReadPrivateFlagSettings,
       .commands = PrivateFlagCommands,
       .disturbs = PrivateFlagDisturbs,
       .effect = PrivateFlagEffect},
  };
}

}  // namespace rdmaready
