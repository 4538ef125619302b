// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "checks/setting/commands.h"
#include "checks/setting/consequences.h"
#include "checks/setting/places.h"
#include "checks/setting/read.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDcb = "dcb-settings";
constexpr std::string_view kLink = "link-settings";

// NOLINTNEXTLINE(readability-function-size): one row for each kind
const std::array<SettingRow, kSettingKinds.size()>& TableRows() {
  static const std::array<SettingRow, kSettingKinds.size()> kRows{{
      {.kind = SettingKind::kPause,
       .api = "ethtool PAUSE_SET",
       .right = kLink,
       .serves = {"pause.none", "pause.off-with-pfc", "pause.autoneg", "pause.stops-all"},
       .read = ReadPauseSettings,
       .commands = PauseCommands,
       .disturbs = PauseDisturbs},
      {.kind = SettingKind::kPrivateFlag,
       .api = "ethtool PRIVFLAGS_SET",
       .right = kLink,
       .serves = {"dcbx.mode", "dcbx.one-agent"},
       .read = ReadPrivateFlagSettings,
       .commands = PrivateFlagCommands,
       .disturbs = PrivateFlagDisturbs},
      {.kind = SettingKind::kDevlinkParameter,
       .api = "devlink PARAM_SET",
       .right = kLink,
       .serves = {"drv.roce-enabled"},
       .read = ReadDevlinkSettings,
       .commands = DevlinkCommands,
       .disturbs = DevlinkDisturbs},
      {.kind = SettingKind::kDcbx,
       .api = "dcbnl DCBX",
       .right = kDcb,
       .serves = {"dcbx.mode"},
       .read = ReadDcbxSettings,
       .commands = DcbxCommands,
       .note = DcbxNote,
       .disturbs = DcbxDisturbs,
       .one_way = DcbxOneWay},
      {.kind = SettingKind::kMtu,
       .api = "rtnetlink IFLA_MTU",
       .right = kLink,
       .serves = {"mtu.ethernet", "mtu.roce-active", "mtu.vlan"},
       .read = ReadMtuSettings,
       .commands = MtuCommands,
       .disturbs = MtuDisturbs},
      {.kind = SettingKind::kApp,
       .api = "dcbnl IEEE APP",
       .right = kDcb,
       .serves = {"map.dscp", "map.cnp-dscp", "map.default-prio", "map.duplicates", "map.pcp", "trust.mode",
                  "app.roce-udp", "app.roce-ethertype", "app.smb-port"},
       .read = ReadAppSettings,
       .commands = AppCommands,
       .note = AppNote,
       .disturbs = AppDisturbs},
      {.kind = SettingKind::kTrust,
       .api = "dcbnl APP trust",
       .right = kDcb,
       .serves = {"trust.apptrust-order", "trust.mode"},
       .read = ReadTrustSettings,
       .commands = TrustCommands,
       .note = TrustNote,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kEts,
       .api = "dcbnl IEEE ETS",
       .right = kDcb,
       .serves = {"dcbx.willing", "ets.map", "ets.rdma-share", "ets.min-default", "ets.sum", "ets.tsa",
                  "ets.three-classes", "ets.cluster-share", "ets.map-contiguous", "ets.classes"},
       .read = ReadEtsSettings,
       .commands = EtsCommands,
       .disturbs = EtsDisturbs,
       .one_way = RecordOneWay},
      {.kind = SettingKind::kPfc,
       .api = "dcbnl IEEE PFC",
       .right = kDcb,
       .serves = {"pfc.lossless-priority", "pfc.only-one", "pfc.not-default", "pfc.not-heartbeat",
                  "pfc.off-when-lossy", "pfc.headroom"},
       .read = ReadPfcSettings,
       .commands = PfcCommands,
       .disturbs = PfcDisturbs,
       .one_way = RecordOneWay},
      {.kind = SettingKind::kBuffer,
       .api = "dcbnl buffer",
       .right = kDcb,
       .serves = {"pfc.headroom"},
       .read = ReadBufferSettings,
       .commands = BufferCommands,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kMaxRate,
       .api = "dcbnl IEEE maxrate",
       .right = kDcb,
       .serves = {"ets.maxrate"},
       .read = ReadMaxRateSettings,
       .commands = MaxRateCommands,
       .note = MaxRateNote,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kVlanEgress,
       .api = "rtnetlink IFLA_VLAN_EGRESS_QOS",
       .right = kLink,
       .serves = {"vlan.egress-map"},
       .read = ReadVlanEgressSettings,
       .commands = VlanEgressCommands,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kSysctl,
       .api = "/proc/sys",
       .right = "sysctl-settings",
       .serves = {"ip.accept-local", "ip.rp-filter", "arp.ignore", "arp.announce"},
       .read = ReadSysctlSettings,
       .commands = SysctlCommands,
       .note = SysctlNote,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kCmMode,
       .api = "configfs rdma_cm default_roce_mode",
       .right = "rdma-cm-settings",
       .serves = {"gid.default-mode"},
       .read = ReadCmModeSettings,
       .commands = CmModeCommands,
       .disturbs = NothingDisturbs},
      {.kind = SettingKind::kCmTos,
       .api = "configfs rdma_cm default_roce_tos",
       .right = "rdma-cm-settings",
       .serves = {"roce.tos", "ecn.ect-set"},
       .read = ReadCmTosSettings,
       .commands = CmTosCommands,
       .disturbs = NothingDisturbs},
  }};
  return kRows;
}

bool StandsOver(const Port& port, const std::string& netdev) {
  if (port.netdev && port.netdev->name == netdev) return true;
  const auto is_it = [&netdev](const auto& one) { return one.name == netdev; };
  return (port.lowers && std::ranges::any_of(*port.lowers, is_it)) ||
         (port.uppers && std::ranges::any_of(*port.uppers, is_it));
}

// The first port for which `is_it` is true.
template <class IsIt>
const Port* FirstPort(const Facts& facts, IsIt is_it) {
  if (!facts.ports) return nullptr;
  const auto found = std::ranges::find_if(*facts.ports, is_it);
  return found == facts.ports->end() ? nullptr : &*found;
}

template <class T>
const T* FindOrNull(const std::map<std::string, const T*>& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

template <class T>
std::string DoubtOfRecord(const Netdev& netdev, Fact<T> Dcb::*part) {
  const FactRef<T> believed = DcbFact(NetdevRef(netdev), part);
  return believed || !(netdev.dcb.*part) ? "" : believed.missing().detail;
}

}  // namespace

std::span<const SettingRow> SettingTable() { return TableRows(); }

const SettingRow& RowOf(SettingKind kind) { return *std::ranges::find(TableRows(), kind, &SettingRow::kind); }

bool IsDcbSetting(SettingKind kind) { return kind != SettingKind::kUnknown && RowOf(kind).right == kDcb; }

SettingPlace PlaceOf(const Facts& facts, const SettingObject& object) {
  switch (object.kind) {
    case SettingKind::kUnknown:
    case SettingKind::kSysctl:
      return {.object = object};
    case SettingKind::kDevlinkParameter:
    case SettingKind::kCmMode:
    case SettingKind::kCmTos: {
      const bool devlink = object.kind == SettingKind::kDevlinkParameter;
      const Port* port = FindOrNull(devlink ? DevlinksOf(facts) : PortsOf(facts), object.where);
      return {
          .object = object, .netdev = port != nullptr && port->netdev ? &*port->netdev : nullptr, .port = port};
    }
    case SettingKind::kPause:
    case SettingKind::kPrivateFlag:
    case SettingKind::kDcbx:
    case SettingKind::kMtu:
    case SettingKind::kEts:
    case SettingKind::kPfc:
    case SettingKind::kBuffer:
    case SettingKind::kMaxRate:
    case SettingKind::kApp:
    case SettingKind::kTrust:
    case SettingKind::kVlanEgress:
      return {.object = object,
              .netdev = FindOrNull(NetdevsOf(facts), object.where),
              .port = FirstPort(facts, [&](const Port& port) { return StandsOver(port, object.where); })};
  }
  return {.object = object};
}

std::vector<Setting> SettingsOf(const Facts& facts) {
  std::vector<Setting> all;
  for (const SettingRow& row : TableRows()) {
    std::vector<Setting> of_kind = row.read(facts);
    all.insert(all.end(), std::make_move_iterator(of_kind.begin()), std::make_move_iterator(of_kind.end()));
  }
  return all;
}

std::string ValueOf(const Facts& facts, const SettingObject& object) {
  if (object.kind == SettingKind::kUnknown) return {};
  const std::vector<Setting> of_kind = RowOf(object.kind).read(facts);
  const auto found = std::ranges::find(of_kind, object, &Setting::object);
  return found == of_kind.end() ? std::string() : found->value;
}

std::string DoubtOf(const SettingPlace& place) {
  if (place.netdev == nullptr) return {};
  if (place.object.kind == SettingKind::kPfc) return DoubtOfRecord(*place.netdev, &Dcb::pfc);
  return place.object.kind == SettingKind::kEts ? DoubtOfRecord(*place.netdev, &Dcb::ets) : "";
}

std::vector<std::string> CommandsOf(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (place.object.kind == SettingKind::kUnknown) return {};
  const SettingRow& row = RowOf(place.object.kind);
  std::vector<std::string> commands = row.commands(place, from, to);
  const std::string note = row.note == nullptr ? "" : row.note(place, from, to);
  if (!commands.empty() && !note.empty()) commands.back() += "  # " + note;
  return commands;
}

std::string FixText(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (place.object.kind == SettingKind::kUnknown) return {};
  const SettingRow& row = RowOf(place.object.kind);
  std::string text;
  for (const std::string& command : row.commands(place, from, to)) text += (text.empty() ? "" : "; ") + command;
  if (text.empty()) return {};
  const std::string note = row.note == nullptr ? "" : row.note(place, from, to);
  const std::string cost = CommentOf(row.disturbs(place, from, to));
  if (note.empty()) return text + cost;
  return Cat(text, "  # ", note, cost.empty() ? "" : "; ",
             cost.empty() ? "" : std::string_view(cost).substr(4));
}

}  // namespace rdmaready
