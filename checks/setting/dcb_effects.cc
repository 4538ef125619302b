// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/dcb_effects.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "checks/dcb/dcb_driver.h"
#include "checks/dcb/ets_plan.h"
#include "checks/setting/driver_rules.h"
#include "checks/setting/edit.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr const char* kNoValue = "it is no value of that setting";

void TakeEts(Ets& ets, const EtsSetting& setting) {
  ets.willing = setting.willing;
  ets.tsa = setting.tsa;
  ets.tx_percent = setting.tx_percent;
  ets.prio_tc = setting.prio_tc;
}

// Why the driver takes nothing now; empty: it does.
std::string Closed(const Netdev& netdev, bool in_bond) {
  const Dcbx mode = netdev.dcb.dcbx ? *netdev.dcb.dcbx : Dcbx{.host = true, .ieee = true};
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kIce:
      if (FirmwareHasDcb(netdev)) return "ice takes no DCB while its firmware's LLDP agent runs";
      if (!mode.ieee) return "ice takes no DCB unless DCBX is IEEE's";
      return in_bond ? "ice takes no changes of DCB while the port is in a bond" : "";
    case DcbDriver::kBnxt:
      if (!mode.host || mode.lld_managed) return "bnxt_en takes no DCB unless the host has DCBX";
      return mode.ieee ? "" : "bnxt_en takes no DCB unless DCBX is IEEE's";
    case DcbDriver::kMlx5:
    case DcbDriver::kPlain:
    case DcbDriver::kOther:
      return {};
  }
  return {};
}

// ---- DCBX and the firmware's agent ----

// An mlx5 that gives DCBX to its firmware keeps the dialects it had: who goes back to "cee ieee" sets them with
// the host's bit first, and then mode 0 (mlx5e_dcbnl_setdcbx).
std::string WriteDcbx(Netdev& netdev, const Dcbx& to, bool in_bond) {
  const Dcbx now = netdev.dcb.dcbx ? *netdev.dcb.dcbx : Dcbx{};
  const bool both = to.ieee && to.cee;
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kIce:
      if (FirmwareLldpAgentOn(netdev) || now.lld_managed)
        return "ice changes no DCBX while its firmware's LLDP agent runs";
      if (to.lld_managed || both || !to.host) return "ice has no such mode";
      if (in_bond) return "ice takes no changes of DCB while the port is in a bond";
      if (ClassMapIsFixed(netdev)) return "ice changes no DCBX while it has DSCP rows";
      break;
    case DcbDriver::kBnxt:
      if (now.lld_managed) return "bnxt_en gives DCBX back only by the setting of its firmware (NVRAM)";
      if (to.host && (to.cee || !to.ieee)) return "bnxt_en speaks IEEE only";
      break;
    case DcbDriver::kMlx5:
      if (to.lld_managed) return "mlx5 has no such mode";
      break;
    case DcbDriver::kPlain:
      if (now.lld_managed) return "the NIC's firmware has DCBX, and its driver does not take it back";
      if (to.lld_managed || to.cee || !to.host || !to.ieee) return "the driver has no such mode";
      break;
    case DcbDriver::kOther:
      break;
  }
  netdev.dcb.dcbx = to;
  return {};
}

// What ice comes up with, and falls back to without DSCP rows (ice_dcb_sw_dflt_cfg).
void BeginVlanMode(Netdev& netdev) {
  EditFact(netdev.dcb.ets, [](Ets& ets) {
    EtsSetting begun{.willing = true};
    begun.tsa[0] = Tsa::kEts;
    begun.tx_percent[0] = 100;
    TakeEts(ets, begun);
  });
  EditFact(netdev.dcb.pfc, [](Pfc& pfc) { pfc.enabled = 0; });
}

void BeginDscpMode(Netdev& netdev) {
  EditFact(netdev.dcb.ets, [](Ets& ets) {
    EtsSetting begun;
    begun.tsa.fill(Tsa::kEts);
    begun.tx_percent[0] = 100;
    for (std::uint8_t priority = 0; priority < kPriorities; ++priority) begun.prio_tc[priority] = priority;
    TakeEts(ets, begun);
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
  // The virtual fabric's NIC keeps what it has.
  if (!on && netdev.driver == "ice") BeginVlanMode(netdev);
  return {};
}

// ---- ETS ----

unsigned SumOf(const EtsSetting& to, std::size_t classes, bool ets_only) {
  unsigned sum = 0;
  for (std::size_t tc = 0; tc < classes; ++tc) {
    if (!ets_only || to.tsa[tc] == Tsa::kEts) sum += to.tx_percent[tc];
  }
  return sum;
}

// mlx5e_dbcnl_validate_ets, and dcbnic_check_ets of the virtual fabric.
std::string CheckWholeEts(const EtsSetting& to) {
  const auto has = [&to](Tsa tsa) { return std::ranges::find(to.tsa, tsa) != to.tsa.end(); };
  if (has(Tsa::kCbShaper)) return "the driver has no credit-based shaper";
  if (has(Tsa::kEts) && SumOf(to, kPriorities, true) != 100)
    return "the shares of its ETS classes must sum to 100 %";
  return {};
}

// Classes from the highest used one on are not looked at (bnxt_ets_validate).
std::string CheckBnxtEts(const EtsSetting& to) {
  const std::uint8_t last = std::ranges::max(to.prio_tc);
  bool zero = false;
  for (std::uint8_t tc = 0; tc < last; ++tc) {
    if (to.tsa[tc] != Tsa::kStrict && to.tsa[tc] != Tsa::kEts) return "bnxt_en has strict and ETS classes only";
    zero = zero || (to.tsa[tc] == Tsa::kEts && to.tx_percent[tc] == 0);
  }
  const unsigned sum = SumOf(to, last, true);
  if (sum > 100) return "bnxt_en: the shares of its classes exceed 100 %";
  return zero && sum == 100 ? "bnxt_en: a class would starve" : "";
}

// 1 where they are not numbered from 0 without gaps (ice_dcb_get_num_tc).
std::size_t IceClasses(const EtsSetting& to) {
  unsigned used = 0;
  for (const std::uint8_t tc : to.prio_tc) used |= 1U << tc;
  return (used & (used + 1)) != 0 ? 1 : static_cast<std::size_t>(std::popcount(used));
}

std::string CheckIceEts(const EtsSetting& to) {
  const std::size_t classes = IceClasses(to);
  if (classes == 1) return to.tx_percent[0] == 100 ? "" : "ice gives a single class all bandwidth";
  return SumOf(to, classes, false) == 100 ? "" : "ice: the shares of the classes in use must sum to 100 %";
}

std::string WriteEts(Netdev& netdev, const EtsSetting& to) {
  const Ets& now = *netdev.dcb.ets;
  if (std::ranges::max(to.prio_tc) >= ClassCount(now)) return "the NIC has no such class";
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kMlx5:
      if (std::string why = CheckWholeEts(to); !why.empty()) return why;
      if (to.willing) return "mlx5 does not keep that it is willing";
      for (std::size_t tc = 0; tc < kPriorities; ++tc) {
        if (to.tsa[tc] != Tsa::kEts && to.tx_percent[tc] != 0) return "mlx5 has shares of ETS classes only";
      }
      break;
    case DcbDriver::kPlain:
      if (std::string why = CheckWholeEts(to); !why.empty()) return why;
      break;
    case DcbDriver::kBnxt:
      if (std::string why = CheckBnxtEts(to); !why.empty()) return why;
      if (to.willing) return "bnxt_en does not keep that it is willing";
      break;
    case DcbDriver::kIce:
      if (ClassMapIsFixed(netdev) && to.prio_tc != now.prio_tc)
        return "ice with DSCP rows has a fixed map of priorities to classes";
      if (std::string why = CheckIceEts(to); !why.empty()) return why;
      break;
    case DcbDriver::kOther:
      break;
  }
  EditFact(netdev.dcb.ets, [&to](Ets& ets) { TakeEts(ets, to); });
  return {};
}

// ---- PFC, buffers, rates ----

bool NeverWritten(const Ets& ets) { return SettingOf(ets) == EtsSetting{.willing = ets.willing}; }

std::string BnxtPfcRefusal(const Netdev& netdev, const PfcSetting& to) {
  if (!netdev.dcb.ets || NeverWritten(*netdev.dcb.ets))
    return "bnxt_en takes no PFC before its classes are set";
  unsigned classes = 0;
  for (const std::uint8_t priority : PrioritiesOf(to.enabled))
    classes |= 1U << netdev.dcb.ets->prio_tc[priority];
  const unsigned can = netdev.dcb.pfc->capability;
  return can != 0 && static_cast<unsigned>(std::popcount(classes)) > can
             ? Cat("bnxt_en has ", can, " lossless queues")
             : "";
}

std::string WritePfc(Netdev& netdev, const PfcSetting& to) {
  const Pfc& now = *netdev.dcb.pfc;
  constexpr std::uint16_t kMetresBelow = 1000;
  switch (DcbDriverOf(netdev)) {
    case DcbDriver::kBnxt:
      if (std::string why = BnxtPfcRefusal(netdev, to); !why.empty()) return why;
      break;
    case DcbDriver::kMlx5:
      if (to.delay != now.delay && (to.delay == 0 || to.delay >= kMetresBelow))
        return "mlx5 takes a cable of 1 to 999 m";
      break;
    case DcbDriver::kIce:
      if (to.delay != now.delay) return "ice has a delay of its own";
      break;
    case DcbDriver::kPlain:
    case DcbDriver::kOther:
      break;
  }
  EditFact(netdev.dcb.pfc, [&to](Pfc& pfc) {
    pfc.enabled = to.enabled;
    pfc.delay = to.delay;
  });
  return {};
}

// calculate_xoff() of mlx5's port_buffer.c, and the longest frame and a cell beside it.
std::uint64_t Mlx5LeastBytes(const Netdev& netdev) {
  constexpr std::uint64_t kCellBytes = 128;
  const std::uint64_t mbps = std::max<std::uint64_t>(netdev.speed_mbps ? *netdev.speed_mbps : 0, 40'000);
  const std::uint64_t metres = netdev.dcb.pfc ? netdev.dcb.pfc->delay : 0;
  const std::uint64_t most = netdev.max_mtu_bytes ? *netdev.max_mtu_bytes : 9216;
  return (301 + 216 * metres / 100) * mbps / 1000 + 272 * std::uint64_t{netdev.mtu_bytes} / 100 + most +
         kCellBytes;
}

std::string WriteBuffer(Netdev& netdev, const BufferSetting& to) {
  std::uint64_t used = 0;
  for (const std::uint32_t size : to.size_bytes) used += size;
  if (used > netdev.dcb.buffer->total_bytes) return "the NIC has no buffers of that size together";
  if (DcbDriverOf(netdev) == DcbDriver::kMlx5 && netdev.dcb.pfc) {
    for (const std::uint8_t priority : PrioritiesOf(netdev.dcb.pfc->enabled)) {
      if (to.size_bytes[to.prio_buffer[priority]] < Mlx5LeastBytes(netdev))
        return Cat("mlx5 makes no lossless buffer of that size for priority ", priority);
    }
  }
  EditFact(netdev.dcb.buffer, [&to](PortBuffer& buffer) {
    buffer.prio_buffer = to.prio_buffer;
    buffer.size_bytes = to.size_bytes;
  });
  return {};
}

std::string WriteMaxRate(Netdev& netdev, const MaxRatesKbps& to) {
  if (DcbDriverOf(netdev) == DcbDriver::kMlx5) {
    constexpr std::uint64_t kStepKbps = 100'000;
    constexpr std::uint64_t kLargeStepKbps = 1'000'000;
    for (const std::uint64_t kbps : to) {
      if (kbps > 255 * kLargeStepKbps) return "mlx5 limits to 255 Gb/s at most";
      const std::uint64_t step = kbps <= 255 * kStepKbps ? kStepKbps : kLargeStepKbps;
      if (kbps % step != 0) return "mlx5 limits in steps of 100 Mb/s, or of 1 Gb/s";
    }
  }
  netdev.dcb.max_rate_kbps = to;
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
  const bool one_place = driver == DcbDriver::kMlx5 || driver == DcbDriver::kIce;
  if (one_place && MapsTwice(to)) return "the NIC maps a DSCP once";
  if (driver == DcbDriver::kIce) FollowRows(netdev, to);
  netdev.dcb.app = to;
  return {};
}

// ---- pause ----

std::string WritePause(Netdev& netdev, const Pause& to) {
  const DcbDriver driver = DcbDriverOf(netdev);
  if (driver == DcbDriver::kMlx5 && to.autoneg) return "mlx5 negotiates no pause";
  if (driver == DcbDriver::kIce && netdev.dcb.pfc && netdev.dcb.pfc->enabled != 0)
    return "ice sets no link-level pause while PFC is on";
  if (netdev.driver == "ice" && to.autoneg != netdev.pause->autoneg)
    return "ice shows the link's autonegotiation there, and takes no other";
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
