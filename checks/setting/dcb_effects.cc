// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/dcb_effects.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_plan.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/driver_writes.h"
#include "checks/setting/edit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr const char* kNoValue = "it is no value of that setting";

// Why the driver takes nothing now; empty: it does.
std::string Closed(const Netdev& netdev, bool in_bond) {
  const Dcbx mode = netdev.dcb.dcbx ? *netdev.dcb.dcbx : Dcbx{.host = true, .ieee = true};
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kIce:
      if (mode.lld_managed || FirmwareLldpAgentOn(netdev))
        return "ice takes no DCB while its firmware's LLDP agent runs";
      if (!mode.ieee) return "ice takes no DCB unless DCBX is IEEE's";
      return in_bond ? "ice takes no changes of DCB while the port is in a bond" : "";
    case DcbDriver::kBnxt:
      if (!mode.host || mode.lld_managed) return "bnxt_en takes no DCB unless the host has DCBX";
      return mode.ieee ? "" : "bnxt_en takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kHns3:
      return mode.ieee ? "" : "hns3 takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kIxgbe:
      return mode.ieee ? "" : "ixgbe takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kQede:
      return mode.ieee ? "" : "qede takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kCxgb4:
      return mode.ieee ? "" : "cxgb4 takes no rows unless DCBX is IEEE's";
    case DcbDriver::kI40e:
      if (mode.lld_managed) return "i40e takes no DCB while its firmware's LLDP agent runs";
      return mode.ieee ? "" : "i40e takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kMlx5:
    case DcbDriver::kMlx4:
    case DcbDriver::kPlain:
    case DcbDriver::kOther:
      return {};
  }
  return {};
}

// ---- DCBX and the firmware's agent ----

// mlx4_en_dcbnl_setdcbx, i40e_dcbnl_setdcbx and ixgbe_dcbnl_setdcbx have the same rule.
std::string OneDialectOfHost(const Dcbx& to, std::string_view driver) {
  return to.lld_managed || (to.ieee && to.cee) || !to.host ? Cat(driver, " has no such mode") : "";
}

std::string IceModeRefusal(const Netdev& netdev, const Dcbx& now, const Dcbx& to, bool in_bond) {
  if (FirmwareLldpAgentOn(netdev) || now.lld_managed)
    return "ice changes no DCBX while its firmware's LLDP agent runs";
  if (std::string why = OneDialectOfHost(to, "ice"); !why.empty()) return why;
  if (in_bond) return "ice takes no changes of DCB while the port is in a bond";
  return ClassMapIsFixed(netdev) ? "ice changes no DCBX while it has DSCP rows" : "";
}

// qed_dcbnl_getdcbx shows what was negotiated, and never the host.
std::string QedeModeRefusal(const Dcbx& to) {
  if (to.host || to.lld_managed) return "qede leaves DCBX to its firmware";
  return to.ieee || to.cee || to.static_mode ? "" : "qede has no such mode";
}

std::string PlainModeRefusal(const Dcbx& now, const Dcbx& to) {
  if (now.lld_managed) return "the NIC's firmware has DCBX, and its driver cannot end that";
  return to.lld_managed || to.cee || !to.host || !to.ieee ? "the driver has no such mode" : "";
}

// An mlx5 that gives DCBX to its firmware keeps the dialects it had. To go back to "cee ieee" they are written
// with the host's bit first, and then mode 0 (mlx5e_dcbnl_setdcbx).
std::string ModeRefusal(const Netdev& netdev, const Dcbx& now, const Dcbx& to, bool in_bond) {
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kIce:
      return IceModeRefusal(netdev, now, to, in_bond);
    case DcbDriver::kBnxt:
      if (now.lld_managed) return "bnxt_en gives DCBX back only by the setting of its firmware (NVRAM)";
      return to.host && (to.cee || !to.ieee) ? "bnxt_en speaks IEEE only" : "";
    case DcbDriver::kMlx5:
      return to.lld_managed ? "mlx5 has no such mode" : "";
    case DcbDriver::kPlain:
      return PlainModeRefusal(now, to);
    case DcbDriver::kMlx4:
      return OneDialectOfHost(to, "mlx4");
    case DcbDriver::kIxgbe:
      return OneDialectOfHost(to, "ixgbe");
    case DcbDriver::kI40e:
      if (now.lld_managed) return "i40e changes no DCBX while its firmware's LLDP agent runs";
      return OneDialectOfHost(to, "i40e");
    case DcbDriver::kHns3:
      return to.lld_managed || to.cee || !to.host ? "hns3 has no such mode" : "";
    case DcbDriver::kCxgb4:
      return to == now ? "" : "cxgb4 changes no DCBX mode";
    case DcbDriver::kQede:
      return QedeModeRefusal(to);
    case DcbDriver::kOther:
      return {};
  }
  return {};
}

// mlx4_en_dcbnl_setdcbx and ixgbe_dcbnl_setdcbx set ETS and PFC to nothing with another mode.
void ClearClasses(Netdev& netdev) {
  StoreEts(netdev, {});
  EditFact(netdev.dcb.pfc, [](Pfc& pfc) {
    pfc.enabled = 0;
    pfc.delay = 0;
  });
}

std::string WriteDcbx(Netdev& netdev, const Dcbx& to, bool in_bond) {
  const Dcbx now = netdev.dcb.dcbx ? *netdev.dcb.dcbx : Dcbx{};
  if (std::string why = ModeRefusal(netdev, now, to, in_bond); !why.empty()) return why;
  const DcbDriver driver = DcbDriverOf(netdev);
  const bool clears = driver == DcbDriver::kMlx4 || driver == DcbDriver::kIxgbe;
  if (clears && to != now) ClearClasses(netdev);
  netdev.dcb.dcbx = to;
  return {};
}

// What ice comes up with, and falls back to without DSCP rows (ice_dcb_sw_dflt_cfg).
void BeginVlanMode(Netdev& netdev) {
  StoreEts(netdev, IceFirstEts());
  EditFact(netdev.dcb.pfc, [](Pfc& pfc) { pfc.enabled = 0; });
}

// ice_dcbnl_setapp: of a port with fewer classes those above them stay as they are.
void BeginDscpMode(Netdev& netdev) {
  EditFact(netdev.dcb.ets, [](Ets& ets) {
    ets.willing = false;
    for (std::uint8_t tc = 0; tc < ClassCount(ets); ++tc) {
      ets.tsa[tc] = Tsa::kEts;
      ets.tx_percent[tc] = tc == 0 ? 100 : 0;
      ets.prio_tc[tc] = tc;
    }
  });
}

std::string WritePrivateFlag(Netdev& netdev, const std::string& name, bool on) {
  const bool agent = name == kFirmwareLldpFlag && DcbDriverOf(netdev) == DcbDriver::kIce;
  if (agent && on && ClassMapIsFixed(netdev)) return "ice starts no LLDP agent of its firmware with DSCP rows";
  bool there = false;
  EditFact(netdev.link.private_flags, [&](std::vector<PrivateFlag>& flags) {
    for (PrivateFlag& flag : flags) {
      if (flag.name != name) continue;
      there = true;
      flag.on = on;
    }
  });
  if (!there) return Cat("there is no private flag ", name);
  if (!agent) return {};
  EditFact(netdev.dcb.dcbx, [on](Dcbx& mode) { mode = Dcbx{.host = !on, .lld_managed = on, .ieee = true}; });
  if (!on) BeginVlanMode(netdev);
  return {};
}

// ---- APP ----

bool IsDscp(const AppEntry& row) { return row.selector == AppSelector::kDscp; }

// A DSCP that is mapped twice, where the NIC has one place for it.
bool MapsTwice(const std::vector<AppEntry>& rows) {
  std::array<int, 64> seen{};
  return std::ranges::any_of(rows, [&seen](const AppEntry& row) {
    return IsDscp(row) && row.protocol < seen.size() && ++seen[row.protocol] > 1;
  });
}

// ice begins with other classes when the first row of DSCP comes and when the last one goes. Where there are
// rows before and after, there is one at every moment: AppCommands of checks/setting and the applier see to it.
void FollowRows(Netdev& netdev, const std::vector<AppEntry>& to) {
  const bool had = std::ranges::any_of(*netdev.dcb.app, IsDscp);
  const bool has = std::ranges::any_of(to, IsDscp);
  if (had && !has) BeginVlanMode(netdev);
  if (!had && has) BeginDscpMode(netdev);
}

std::string WriteApp(Netdev& netdev, const std::vector<AppEntry>& to) {
  const DcbDriver driver = DcbDriverOf(netdev);
  const std::vector<AppEntry>& now = *netdev.dcb.app;
  for (const AppEntry& row : to) {
    const bool is_new = std::ranges::find(now, row) == now.end();
    if (is_new && !TakesRow(netdev, row)) return "the driver takes no row of that kind";
    if (IsDscp(row) && row.protocol > 63) return "there is no such DSCP";
    if (is_new && driver == DcbDriver::kIce && netdev.dcb.ets && row.priority >= ClassCount(*netdev.dcb.ets))
      return "ice has no class for that priority";
  }
  const bool one_place = driver == DcbDriver::kMlx5 || driver == DcbDriver::kIce || driver == DcbDriver::kHns3;
  if (one_place && MapsTwice(to)) return "the NIC maps a DSCP once";
  if (driver == DcbDriver::kIce) FollowRows(netdev, to);
  netdev.dcb.app = to;
  return {};
}

// ---- pause ----

// ice_set_pauseparam, i40e_set_pauseparam, hclge_set_pauseparam.
bool RefusesPauseBesidePfc(DcbDriver driver) {
  return driver == DcbDriver::kIce || driver == DcbDriver::kI40e || driver == DcbDriver::kHns3;
}

std::string WritePause(Netdev& netdev, const Pause& to) {
  const DcbDriver driver = DcbDriverOf(netdev);
  if (driver == DcbDriver::kMlx5 && to.autoneg) return "mlx5 negotiates no pause";
  if (driver == DcbDriver::kMlx4 && to.autoneg) return "mlx4 negotiates no pause";
  const bool lossless = netdev.dcb.pfc && netdev.dcb.pfc->enabled != 0;
  if (RefusesPauseBesidePfc(driver) && lossless) return "the driver sets no link-level pause while PFC is on";
  if (PauseFollowsLink(&netdev) && to.autoneg != netdev.pause->autoneg)
    return "the driver shows the link's autonegotiation there, and takes no other";
  // mlx4_en_set_pauseparam.
  if (driver == DcbDriver::kMlx4 && (to.rx || to.tx))
    EditFact(netdev.dcb.pfc, [](Pfc& pfc) { pfc.enabled = 0; });
  netdev.pause = to;
  return {};
}

// ---- every netdev of that name ----

bool IsInBond(const Port& port, const Netdev& netdev) {
  if (netdev.master.empty() || !port.uppers) return false;
  const auto master = std::ranges::find(*port.uppers, netdev.master, &UpperNetdev::name);
  return master != port.uppers->end() && IsBondKind(master->kind);
}

// `write` takes the netdev and whether it is in a bond. A netdev that it refuses stays as it was.
template <class Write>
std::string WriteEach(Facts& facts, const std::string& name, Write write) {
  std::optional<std::string> refusal;
  EditPorts(facts, [&](Port& port) {
    EditNetdevs(port, name, [&](Netdev& netdev) {
      Netdev changed = netdev;
      const std::string why = write(changed, IsInBond(port, netdev));
      if (!refusal || refusal->empty()) refusal = why;
      if (why.empty()) netdev = std::move(changed);
    });
  });
  return refusal.value_or(Cat("there is no ", name));
}

template <class T, class Value, class WriteValue>
std::string WriteKnown(const Fact<T>& now, const std::optional<Value>& to, WriteValue write) {
  if (!now) return "the driver does not have it";
  return to ? write(*to) : std::string(kNoValue);
}

// Where the driver takes it now.
template <class T, class Value>
std::string WriteOpen(Facts& facts, const SettingObject& object, Fact<T> Dcb::*part,
                      const std::optional<Value>& to, std::string (*write)(Netdev&, const Value&)) {
  return WriteEach(facts, object.where, [&](Netdev& netdev, bool in_bond) {
    const std::string closed = Closed(netdev, in_bond);
    if (!closed.empty()) return closed;
    return WriteKnown(netdev.dcb.*part, to, [&](const Value& value) { return write(netdev, value); });
  });
}

}  // namespace

std::string PauseEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteEach(facts, object.where, [&](Netdev& netdev, bool /*in_bond*/) {
    return WriteKnown(netdev.pause, PauseOf(to), [&](const Pause& value) { return WritePause(netdev, value); });
  });
}

std::string PrivateFlagEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteEach(facts, object.where, [&](Netdev& netdev, bool /*in_bond*/) {
    return WritePrivateFlag(netdev, object.name, to == "on");
  });
}

std::string DcbxEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteEach(facts, object.where, [&](Netdev& netdev, bool in_bond) {
    return WriteKnown(netdev.dcb.dcbx, DcbxOf(to),
                      [&](const Dcbx& value) { return WriteDcbx(netdev, value, in_bond); });
  });
}

std::string EtsEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteOpen(facts, object, &Dcb::ets, EtsSettingOf(to), WriteEts);
}

std::string PfcEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteOpen(facts, object, &Dcb::pfc, PfcSettingOf(to), WritePfc);
}

std::string BufferEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteOpen(facts, object, &Dcb::buffer, BufferSettingOf(to), WriteBuffer);
}

std::string MaxRateEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteOpen(facts, object, &Dcb::max_rate_kbps, MaxRatesOf(to), WriteMaxRate);
}

std::string AppEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteOpen(facts, object, &Dcb::app, AppRowsOf(to), WriteApp);
}

std::string TrustEffect(Facts& facts, const SettingObject& object, std::string_view to) {
  return WriteEach(facts, object.where, [&](Netdev& netdev, bool /*in_bond*/) {
    return WriteKnown(netdev.dcb.app_trust, TrustOrderOf(to), [&](const std::vector<AppSelector>& value) {
      netdev.dcb.app_trust = value;
      return std::string();
    });
  });
}

}  // namespace rdmaready
