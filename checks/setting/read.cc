// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/read.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checks/setting/driver_rules.h"
#include "checks/setting/places.h"

namespace rdmaready {
namespace {

// A value that its text cannot hold is not known: TSA 7, a map that names a priority twice.
void Add(std::vector<Setting>& settings, SettingObject object, std::string value) {
  if (IsCanonical(object.kind, value)) settings.push_back({std::move(object), std::move(value)});
}

std::vector<Setting> Sorted(std::vector<Setting> settings) {
  std::ranges::sort(settings, {}, &Setting::object);
  return settings;
}

template <class T, class TextOfValue>
std::vector<Setting> ReadDcb(const Facts& facts, SettingKind kind, Fact<T> Dcb::*part, TextOfValue text) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    const Fact<T>& fact = netdev->dcb.*part;
    if (kind != SettingKind::kDcbx && FirmwareHasDcb(*netdev)) continue;
    if (fact) Add(settings, {.kind = kind, .where = name}, text(*fact));
  }
  return settings;
}

constexpr auto kText = [](const auto& value) { return Text(value); };

}  // namespace

std::vector<Setting> ReadPauseSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    if (netdev->pause) Add(settings, {.kind = SettingKind::kPause, .where = name}, Text(*netdev->pause));
  }
  return settings;
}

std::vector<Setting> ReadPrivateFlagSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, netdev] : EthernetPortsOf(facts)) {
    if (!netdev->link.private_flags) continue;
    for (const PrivateFlag& flag : *netdev->link.private_flags) {
      Add(settings, {.kind = SettingKind::kPrivateFlag, .where = name, .name = flag.name},
          flag.on ? "on" : "off");
    }
  }
  return Sorted(std::move(settings));
}

std::vector<Setting> ReadDevlinkSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [handle, port] : DevlinksOf(facts)) {
    if (!port->devlink.parameters) continue;
    for (const DevlinkParameter& parameter : *port->devlink.parameters) {
      Add(settings, {.kind = SettingKind::kDevlinkParameter, .where = handle, .name = parameter.name},
          parameter.runtime);
    }
  }
  return Sorted(std::move(settings));
}

std::vector<Setting> ReadDcbxSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kDcbx, &Dcb::dcbx, kText);
}

std::vector<Setting> ReadMtuSettings(const Facts& facts) {
  std::vector<Setting> settings;
  // No interface has MTU 0: it means that nobody filled it in.
  const auto add = [&settings](const std::string& name, std::uint32_t mtu_bytes) {
    if (mtu_bytes != 0) Add(settings, {.kind = SettingKind::kMtu, .where = name}, std::to_string(mtu_bytes));
  };
  const auto netdevs = NetdevsOf(facts);
  for (const auto& [name, netdev] : netdevs) add(name, netdev->mtu_bytes);
  for (const auto& [name, upper] : UppersOf(facts)) {
    if (!netdevs.contains(name)) add(name, upper->mtu_bytes);
  }
  return Sorted(std::move(settings));
}

std::vector<Setting> ReadEtsSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kEts, &Dcb::ets, [](const Ets& ets) {
    return Text(EtsSetting{
        .willing = ets.willing, .tsa = ets.tsa, .tx_percent = ets.tx_percent, .prio_tc = ets.prio_tc});
  });
}

std::vector<Setting> ReadPfcSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kPfc, &Dcb::pfc,
                 [](const Pfc& pfc) { return Text(PfcSetting{.enabled = pfc.enabled, .delay = pfc.delay}); });
}

std::vector<Setting> ReadBufferSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kBuffer, &Dcb::buffer, [](const PortBuffer& buffer) {
    return Text(BufferSetting{.prio_buffer = buffer.prio_buffer, .size_bytes = buffer.size_bytes});
  });
}

std::vector<Setting> ReadMaxRateSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kMaxRate, &Dcb::max_rate_kbps, kText);
}

std::vector<Setting> ReadAppSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kApp, &Dcb::app, kText);
}

std::vector<Setting> ReadTrustSettings(const Facts& facts) {
  return ReadDcb(facts, SettingKind::kTrust, &Dcb::app_trust, kText);
}

std::vector<Setting> ReadVlanEgressSettings(const Facts& facts) {
  std::vector<Setting> settings;
  const auto add = [&settings](const std::string& name, const Fact<std::vector<VlanPriority>>& map) {
    if (map) Add(settings, {.kind = SettingKind::kVlanEgress, .where = name}, Text(*map));
  };
  const auto netdevs = NetdevsOf(facts);
  for (const auto& [name, netdev] : netdevs) add(name, netdev->vlan_egress);
  for (const auto& [name, upper] : UppersOf(facts)) {
    if (!netdevs.contains(name)) add(name, upper->vlan_egress);
  }
  return Sorted(std::move(settings));
}

std::vector<Setting> ReadSysctlSettings(const Facts& facts) {
  std::vector<Setting> settings;
  if (!facts.sysctls) return settings;
  for (const Sysctl& sysctl : *facts.sysctls)
    Add(settings, {.kind = SettingKind::kSysctl, .name = sysctl.name}, std::to_string(sysctl.value));
  return Sorted(std::move(settings));
}

std::vector<Setting> ReadCmModeSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, port] : PortsOf(facts)) {
    if (port->cm_default_mode)
      Add(settings, {.kind = SettingKind::kCmMode, .where = name}, Text(*port->cm_default_mode));
  }
  return settings;
}

std::vector<Setting> ReadCmTosSettings(const Facts& facts) {
  std::vector<Setting> settings;
  for (const auto& [name, port] : PortsOf(facts)) {
    if (port->cm_default_tos)
      Add(settings, {.kind = SettingKind::kCmTos, .where = name}, std::to_string(*port->cm_default_tos));
  }
  return settings;
}

}  // namespace rdmaready
