// SPDX-License-Identifier: Apache-2.0
// Setting: one thing of a host that can be set, where it is, and what it is set to.
//
// A value is text in one canonical form for each kind, so that plan, journal, audit, wire and reader compare
// and show the same bytes; the struct behind a text is had by the functions below, and Text() makes it of one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/dcb.h"
#include "api/model/facts.h"

namespace rdmaready {

// The names are for ever: they stand in apply.yaml, in journals and in reports.
enum class SettingKind : std::uint8_t {
  kUnknown = 0,
  kPause,             // "pause": link-level flow control
  kPrivateFlag,       // "private-flag": of ethtool
  kDevlinkParameter,  // "devlink": one that takes effect at once
  kDcbx,              // "dcbx": who runs DCBX
  kMtu,               // "mtu"
  kEts,               // "ets"
  kPfc,               // "pfc"
  kBuffer,            // "buffer"
  kMaxRate,           // "maxrate"
  kApp,               // "app": the whole APP table
  kTrust,             // "trust": the APP trust order
  kVlanEgress,        // "vlan-egress": socket priority to PCP
  kSysctl,            // "sysctl": of net.ipv4.conf
  kCmMode,            // "cm-mode": RDMA-CM's default RoCE mode
  kCmTos,             // "cm-tos": RDMA-CM's default type of service
  kVlanReorder,       // "vlan-reorder": whether the VLAN's frames are seen without their tag (reorder_hdr)
};

std::string_view NameOf(SettingKind kind);
// kUnknown for what is none.
SettingKind SettingKindNamed(std::string_view name);

// What has the setting.
struct SettingObject {
  SettingKind kind = SettingKind::kUnknown;
  // The netdev ("dcb0"); of kCmMode and kCmTos the RDMA port ("rxe0/1"); of kDevlinkParameter the handle
  // ("pci/0000:3b:00.0"); of kSysctl empty.
  std::string where{};
  // Of kPrivateFlag the flag ("fw-lldp-agent"), of kDevlinkParameter the parameter ("enable_roce"), of kSysctl
  // the variable ("net.ipv4.conf.all.arp_ignore"); else empty.
  std::string name{};

  auto operator<=>(const SettingObject&) const = default;
  void Fields(auto& list) const { list("kind", kind, "where", where, "name", name); }
};

// "pfc of dcb0", "sysctl net.ipv4.conf.all.arp_ignore", "private-flag fw-lldp-agent of ens1f0".
std::string TextOf(const SettingObject& object);

struct Setting {
  SettingObject object{};
  std::string value{};  // canonical, never empty

  bool operator==(const Setting&) const = default;
  void Fields(auto& list) const { list("object", object, "value", value); }
};

// What of struct ieee_ets is a setting of this host; the rest (recommendations, credits) stays as it is.
struct EtsSetting {
  bool willing = false;
  std::array<Tsa, kPriorities> tsa{};
  std::array<std::uint8_t, kPriorities> tx_percent{};
  std::array<std::uint8_t, kPriorities> prio_tc{};

  bool operator==(const EtsSetting&) const = default;
};

struct PfcSetting {
  std::uint8_t enabled = 0;  // bitmap by priority
  std::uint16_t delay = 0;   // in the driver's unit, as Pfc::delay

  bool operator==(const PfcSetting&) const = default;
};

struct BufferSetting {
  std::array<std::uint8_t, kPriorities> prio_buffer{};
  std::array<std::uint32_t, kPriorities> size_bytes{};

  bool operator==(const BufferSetting&) const = default;
};

// Canonical texts. Each reader takes exactly what its writer makes and nothing else: no value for any other
// text. "host ieee", "lld-managed ieee static", "none" (mode 0: DCBX is the firmware's).
std::string Text(const Dcbx& value);
std::optional<Dcbx> DcbxOf(std::string_view text);
// "willing off tsa ets,strict,strict,ets,... tx 50,0,0,50,0,0,0,0 prio 0,0,0,3,0,0,0,0"; a TSA is strict, cbs,
// ets, vendor.
std::string Text(const EtsSetting& value);
std::optional<EtsSetting> EtsSettingOf(std::string_view text);
// "on 3 delay 0", "on 3,4 delay 7", "off delay 0".
std::string Text(const PfcSetting& value);
std::optional<PfcSetting> PfcSettingOf(std::string_view text);
// "prio 0,0,0,1,0,0,0,0 size 65536,131072,0,0,0,0,0,0".
std::string Text(const BufferSetting& value);
std::optional<BufferSetting> BufferSettingOf(std::string_view text);
// "0,0,0,1000000,0,0,0,0": kbit/s by traffic class.
std::string Text(const MaxRatesKbps& value);
std::optional<MaxRatesKbps> MaxRatesOf(std::string_view text);
// "dscp:26:3 dgram:4791:3", sorted by selector, protocol and priority, each row once; "empty". Selectors are
// ethertype, stream, dgram, any, dscp, pcp.
std::string Text(const std::vector<AppEntry>& rows);
std::optional<std::vector<AppEntry>> AppRowsOf(std::string_view text);
// "dscp pcp", highest precedence first; "nothing".
std::string Text(const std::vector<AppSelector>& order);
std::optional<std::vector<AppSelector>> TrustOrderOf(std::string_view text);
// "autoneg off rx off tx off".
std::string Text(const Pause& value);
std::optional<Pause> PauseOf(std::string_view text);
// "0:3 2:3", sorted by `from`, pairs that map to PCP 0 left out, as they say nothing; "empty".
std::string Text(const std::vector<VlanPriority>& map);
std::optional<std::vector<VlanPriority>> VlanEgressOf(std::string_view text);
// "RoCE v2", "IB/RoCE v1": the words of configfs. Only what RDMA-CM can default to.
std::string Text(GidType mode);
std::optional<GidType> CmModeOf(std::string_view text);
// Values that are words or numbers in decimal: "on" or "off"; what DevlinkParameter::runtime has.
bool IsOnOff(std::string_view text);
bool IsDevlinkValue(std::string_view text);
bool IsNumber32(std::string_view text);
bool IsNumber8(std::string_view text);

template <auto kRead>
bool IsReadBy(std::string_view text) {
  return kRead(text).has_value();
}

// A kind: its name, and which texts are its values. All else of a kind is in its row of checks/setting/table.h.
struct SettingKindRow {
  SettingKind kind = SettingKind::kUnknown;
  std::string_view name{};
  bool (*is_canonical)(std::string_view text) = nullptr;
};

// In the order of writing: what a later kind needs, an earlier one has set. The numbers above are the wire's;
// they do not give this order. Rows come before ETS: ice empties its classes with the first row of DSCP, and
// again with the last one (ice_dcbnl_setapp, ice_dcbnl_delapp). Then come ETS, PFC and buffers: bnxt_en refuses
// PFC before it has classes (bnxt_hwrm_queue_pfc_cfg), and mlx5 lays out its buffers with PFC
// (mlx5e_dcbnl_ieee_setpfc).
inline constexpr auto kSettingKindRows = std::to_array<SettingKindRow>({
    {SettingKind::kPause, "pause", IsReadBy<PauseOf>},
    {SettingKind::kPrivateFlag, "private-flag", IsOnOff},
    {SettingKind::kDevlinkParameter, "devlink", IsDevlinkValue},
    {SettingKind::kDcbx, "dcbx", IsReadBy<DcbxOf>},
    {SettingKind::kMtu, "mtu", IsNumber32},
    {SettingKind::kApp, "app", IsReadBy<AppRowsOf>},
    {SettingKind::kTrust, "trust", IsReadBy<TrustOrderOf>},
    {SettingKind::kEts, "ets", IsReadBy<EtsSettingOf>},
    {SettingKind::kPfc, "pfc", IsReadBy<PfcSettingOf>},
    {SettingKind::kBuffer, "buffer", IsReadBy<BufferSettingOf>},
    {SettingKind::kMaxRate, "maxrate", IsReadBy<MaxRatesOf>},
    {SettingKind::kVlanEgress, "vlan-egress", IsReadBy<VlanEgressOf>},
    {SettingKind::kVlanReorder, "vlan-reorder", IsOnOff},
    {SettingKind::kSysctl, "sysctl", IsNumber32},
    {SettingKind::kCmMode, "cm-mode", IsReadBy<CmModeOf>},
    {SettingKind::kCmTos, "cm-tos", IsNumber8},
});

inline constexpr auto kSettingKinds = [] {
  std::array<SettingKind, kSettingKindRows.size()> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kSettingKindRows[i].kind;
  return kinds;
}();

// Whether the text is canonical for the kind: what stands in a journal, an order or a plan may be anything.
bool IsCanonical(SettingKind kind, std::string_view text);

}  // namespace rdmaready
