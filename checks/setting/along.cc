// SPDX-License-Identifier: Apache-2.0
// What changes along with a setting (AlsoSets), and what is refused (RefusalOf), by the drivers of Linux 6.12.
#include <algorithm>
#include <cstdint>

#include "api/base/number.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/places.h"
#include "checks/setting/table.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Collects what differs from now.
class Changes {
 public:
  explicit Changes(const Facts& facts) : facts_(facts) {}

  // Nothing where the host does not have it.
  void Add(SettingObject object, std::string value) {
    const std::string now = ValueOf(facts_, object);
    if (!now.empty() && now != value) settings_.push_back({std::move(object), std::move(value)});
  }
  void AddUnknown(SettingObject object) { Add(std::move(object), ""); }

  std::vector<Setting> Take() { return std::move(settings_); }

 private:
  const Facts& facts_;
  std::vector<Setting> settings_{};
};

std::optional<PfcSetting> PfcNow(const Netdev& netdev) {
  if (!netdev.dcb.pfc) return std::nullopt;
  return PfcSetting{.enabled = netdev.dcb.pfc->enabled, .delay = netdev.dcb.pfc->delay};
}

void AddPfcOff(const Netdev& netdev, Changes& changes) {
  if (std::optional<PfcSetting> pfc = PfcNow(netdev)) {
    pfc->enabled = 0;
    changes.Add({.kind = SettingKind::kPfc, .where = netdev.name}, Text(*pfc));
  }
}

// ---- ice ----

// ice_dcb_sw_dflt_cfg: one class, willing, nothing paused.
void AddIceDefaults(const Netdev& netdev, Changes& changes) {
  EtsSetting ets{.willing = true};
  ets.tsa[0] = Tsa::kEts;
  ets.tx_percent[0] = 100;
  changes.Add({.kind = SettingKind::kEts, .where = netdev.name}, Text(ets));
  AddPfcOff(netdev, changes);
}

// ice_dcbnl_setapp, when the first row comes: each priority has its own class, and the first one all of the
// link.
void AddIceDscpClasses(const Netdev& netdev, Changes& changes) {
  if (!netdev.dcb.ets) return;
  const Ets& now = *netdev.dcb.ets;
  EtsSetting ets{.tsa = now.tsa, .tx_percent = now.tx_percent, .prio_tc = now.prio_tc};
  const std::size_t classes = std::min<std::size_t>(now.traffic_classes, kPriorities);
  for (std::size_t tc = 0; tc < classes; ++tc) {
    ets.tsa[tc] = Tsa::kEts;
    ets.tx_percent[tc] = tc == 0 ? 100 : 0;
    ets.prio_tc[tc] = static_cast<std::uint8_t>(tc);
  }
  changes.Add({.kind = SettingKind::kEts, .where = netdev.name}, Text(ets));
}

void AddOfIce(const Netdev& netdev, const SettingObject& object, std::string_view from, std::string_view to,
              Changes& changes) {
  if (object.kind == SettingKind::kApp && HasDscpRow(from) != HasDscpRow(to)) {
    if (HasDscpRow(to)) {
      AddIceDscpClasses(netdev, changes);
    } else {
      AddIceDefaults(netdev, changes);
    }
  }
  if (object.kind != SettingKind::kPrivateFlag || object.name != kFirmwareLldpFlag) return;
  const bool by_firmware = to == "on";
  changes.Add({.kind = SettingKind::kDcbx, .where = netdev.name},
              Text(Dcbx{.host = !by_firmware, .lld_managed = by_firmware, .ieee = true}));
  if (!by_firmware) return AddIceDefaults(netdev, changes);
  changes.AddUnknown({.kind = SettingKind::kEts, .where = netdev.name});
  changes.AddUnknown({.kind = SettingKind::kPfc, .where = netdev.name});
}

// ---- Mellanox ----

void AddPauseOff(const Netdev& netdev, Changes& changes) {
  if (!netdev.pause) return;
  changes.Add({.kind = SettingKind::kPause, .where = netdev.name},
              Text(Pause{.autoneg = netdev.pause->autoneg}));
}

// PFC lays the buffers out anew where software owns them (mlx5e_port_manual_buffer_config), and is written
// together with link-level pause, as off (mlx5_set_port_pfc).
void AddOfMlx5(const Netdev& netdev, const SettingObject& object, Changes& changes) {
  if (object.kind != SettingKind::kPfc) return;
  changes.AddUnknown({.kind = SettingKind::kBuffer, .where = netdev.name});
  AddPauseOff(netdev, changes);
}

// It has either PFC or link-level pause, and a mode of DCBX begins with neither classes nor PFC.
void AddOfMlx4(const Netdev& netdev, const SettingObject& object, std::string_view to, Changes& changes) {
  const std::optional<PfcSetting> pfc = PfcSettingOf(to);
  const std::optional<Pause> pause = PauseOf(to);
  if (object.kind == SettingKind::kPfc && pfc && pfc->enabled != 0) AddPauseOff(netdev, changes);
  if (object.kind == SettingKind::kPause && pause && (pause->rx || pause->tx)) AddPfcOff(netdev, changes);
  if (object.kind != SettingKind::kDcbx) return;
  changes.AddUnknown({.kind = SettingKind::kEts, .where = netdev.name});
  AddPfcOff(netdev, changes);
}

// ---- MTU ----

// vlan_device_event and macvlan_device_event shrink what stands on an interface, and so on upwards; a bond
// hands its own down (bond_change_mtu).
void AddOfMtu(const Facts& facts, const std::string& netdev, std::uint32_t mtu_bytes, Changes& changes) {
  if (!facts.ports) return;
  for (const Port& port : *facts.ports) {
    const bool is_bond = port.netdev && port.netdev->name == netdev &&
                         (port.netdev->driver == "bond" || port.netdev->driver == "team");
    for (const Netdev& lower : is_bond&& port.lowers ? *port.lowers : std::vector<Netdev>{})
      changes.Add({.kind = SettingKind::kMtu, .where = lower.name}, std::to_string(mtu_bytes));
    if (!port.uppers) continue;
    std::vector<std::string> shrunk{netdev};
    for (const UpperNetdev& upper : *port.uppers) {  // the nearer ones first
      const bool on_it = std::ranges::any_of(
          upper.over, [&](const std::string& one) { return std::ranges::find(shrunk, one) != shrunk.end(); });
      if (!on_it || upper.mtu_bytes <= mtu_bytes) continue;
      if (upper.kind == "vlan" || upper.kind == "macvlan") {
        changes.Add({.kind = SettingKind::kMtu, .where = upper.name}, std::to_string(mtu_bytes));
        shrunk.push_back(upper.name);
      } else if (upper.kind == "bridge") {
        changes.AddUnknown({.kind = SettingKind::kMtu, .where = upper.name});
      }
    }
  }
}

// ---- refusals ----

bool IsDcb(SettingKind kind) {
  return kind == SettingKind::kDcbx || kind == SettingKind::kEts || kind == SettingKind::kPfc ||
         kind == SettingKind::kApp;
}

bool FirmwareAgentRuns(const Netdev& netdev) {
  const Fact<std::vector<PrivateFlag>>& flags = netdev.link.private_flags;
  return flags && std::ranges::any_of(*flags, [](const PrivateFlag& flag) {
           return flag.name == kFirmwareLldpFlag && flag.on;
         });
}

bool PausesPriorities(const Netdev& netdev) { return netdev.dcb.pfc && netdev.dcb.pfc->enabled != 0; }

bool IsInBond(const SettingPlace& place) {
  if (place.netdev->master.empty() || place.port == nullptr || !place.port->uppers) return false;
  const auto master = std::ranges::find(*place.port->uppers, place.netdev->master, &UpperNetdev::name);
  return master != place.port->uppers->end() && master->kind == "bond";
}

bool OnlyDscpRows(std::string_view app) {
  const std::optional<std::vector<AppEntry>> rows = AppRowsOf(app);
  return rows &&
         std::ranges::all_of(*rows, [](const AppEntry& row) { return row.selector == AppSelector::kDscp; });
}

std::string RefusalOfIce(const SettingPlace& place, std::string_view from, std::string_view to) {
  const Netdev& netdev = *place.netdev;
  const SettingKind kind = place.object.kind;
  const bool has_dscp_rows = netdev.dcb.app && HasDscpRow(Text(*netdev.dcb.app));
  if (kind == SettingKind::kPause && PausesPriorities(netdev))
    return "ice takes no link-level pause while PFC is on";
  if (kind == SettingKind::kPrivateFlag && place.object.name == kFirmwareLldpFlag && to == "on" &&
      has_dscp_rows)
    return "ice starts its firmware's LLDP agent only without rows of DSCP";
  if (!IsDcb(kind)) return {};
  if (FirmwareAgentRuns(netdev)) return "ice takes no DCB settings while its firmware's LLDP agent runs";
  if (IsInBond(place)) return "ice takes no DCB settings while it is in a bond";
  if (kind == SettingKind::kDcbx && has_dscp_rows) return "ice changes its DCBX only without rows of DSCP";
  if (kind == SettingKind::kApp && !OnlyDscpRows(to) && OnlyDscpRows(from))
    return "ice takes rows of DSCP only";
  const std::optional<EtsSetting> old = EtsSettingOf(from);
  const std::optional<EtsSetting> wanted = EtsSettingOf(to);
  if (kind == SettingKind::kEts && has_dscp_rows && old && wanted && old->prio_tc != wanted->prio_tc)
    return "with rows of DSCP, ice gives each priority its own class and changes no map";
  return {};
}

std::string RefusalOfMlx5(const SettingPlace& place, std::string_view to) {
  constexpr std::uint16_t kCableLimit = 1000;  // MLX5E_MAX_CABLE_LENGTH
  const std::optional<Dcbx> dcbx = DcbxOf(to);
  const std::optional<Pause> pause = PauseOf(to);
  const std::optional<PfcSetting> pfc = PfcSettingOf(to);
  switch (place.object.kind) {
    case SettingKind::kDcbx:
      return dcbx && dcbx->lld_managed ? "mlx5 does not take the mode lld-managed" : "";
    case SettingKind::kPause:
      return pause && pause->autoneg ? "mlx5 negotiates no pause" : "";
    case SettingKind::kPfc:
      return pfc && (pfc->delay == 0 || pfc->delay >= kCableLimit) ? "mlx5 takes a delay of 1 to 999 metres"
                                                                   : "";
    case SettingKind::kApp:
      return OnlyDscpRows(to) ? "" : "mlx5 takes rows of DSCP only";
    default:
      return {};
  }
}

std::string RefusalOfBnxt(const SettingPlace& place, std::string_view to) {
  const Fact<Dcbx>& dcbx = place.netdev->dcb.dcbx;
  if (!IsDcb(place.object.kind) || !dcbx) return {};
  if (dcbx->lld_managed) return "bnxt_en leaves DCB to its firmware until the driver is loaded anew";
  if (place.object.kind == SettingKind::kDcbx) {
    const std::optional<Dcbx> wanted = DcbxOf(to);
    return wanted && wanted->host && (wanted->cee || !wanted->ieee) ? "bnxt_en speaks IEEE only" : "";
  }
  return dcbx->host && dcbx->ieee ? "" : "bnxt_en takes DCB settings only where the host runs DCBX, as IEEE";
}

}  // namespace

std::vector<Setting> AlsoSets(const Facts& facts, const SettingObject& object, std::string_view from,
                              std::string_view to) {
  Changes changes(facts);
  if (from == to) return {};
  const Netdev* netdev = PlaceOf(facts, object).netdev;
  if (HasDriver(netdev, "ice")) AddOfIce(*netdev, object, from, to, changes);
  if (HasDriver(netdev, "mlx5_core")) AddOfMlx5(*netdev, object, changes);
  if (HasDriver(netdev, "mlx4_en")) AddOfMlx4(*netdev, object, to, changes);
  const std::optional<std::uint32_t> mtu_bytes = ParseNumber<std::uint32_t>(to);
  if (object.kind == SettingKind::kMtu && mtu_bytes) AddOfMtu(facts, object.where, *mtu_bytes, changes);
  return changes.Take();
}

std::string RefusalOf(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (place.netdev == nullptr || from == to) return {};
  const Fact<std::uint32_t>& most = place.netdev->max_mtu_bytes;
  const std::optional<std::uint32_t> mtu_bytes = ParseNumber<std::uint32_t>(to);
  if (place.object.kind == SettingKind::kMtu && most && *most != 0 && mtu_bytes && *mtu_bytes > *most)
    return Cat(place.object.where, " takes an MTU up to ", *most);
  if (HasDriver(place.netdev, "ice")) return RefusalOfIce(place, from, to);
  if (HasDriver(place.netdev, "mlx5_core")) return RefusalOfMlx5(place, to);
  if (HasDriver(place.netdev, "bnxt_en")) return RefusalOfBnxt(place, to);
  if (HasDriver(place.netdev, "qede") && place.object.kind == SettingKind::kDcbx)
    return "qede leaves DCBX to its firmware in every mode";
  return {};
}

}  // namespace rdmaready
