// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/table.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "checks/setting/consequences.h"
#include "checks/setting/kinds.h"
#include "checks/setting/places.h"
#include "checks/setting/sysctl_name.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::vector<SettingRow> (*kSettingFamilies[])() = {EthtoolRows, DevlinkRows, DcbRows,   MtuRows,
                                                             VlanRows,    SysctlRows,  RdmaCmRows};

std::vector<SettingRow> RowsInOrder() {
  std::vector<SettingRow> rows;
  for (const auto family : kSettingFamilies) std::ranges::move(family(), std::back_inserter(rows));
  std::ranges::sort(rows, {}, [](const SettingRow& row) { return std::ranges::find(kSettingKinds, row.kind); });
  return rows;
}

const std::vector<SettingRow>& TableRows() {
  static const std::vector<SettingRow> kRows = RowsInOrder();
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

}  // namespace

std::span<const SettingRow> SettingTable() { return TableRows(); }

const SettingRow* FindRow(SettingKind kind) {
  const auto found = std::ranges::find(TableRows(), kind, &SettingRow::kind);
  return found == TableRows().end() ? nullptr : &*found;
}

const SettingRow& RowOf(SettingKind kind) { return *FindRow(kind); }

SettingHome HomeOf(SettingKind kind) {
  const SettingRow* row = FindRow(kind);
  return row == nullptr ? SettingHome::kNone : row->home;
}

std::string WhereOf(const SettingObject& object) {
  return HomeOf(object.kind) == SettingHome::kVariable ? InterfaceOfSysctl(object.name) : object.where;
}

bool IsSettingOf(const Port& port, const SettingObject& object) {
  switch (HomeOf(object.kind)) {
    case SettingHome::kNone:
    case SettingHome::kVariable:
      return false;
    case SettingHome::kDevlink:
      return port.pci && "pci/" + port.pci->address == object.where;
    case SettingHome::kRdmaPort:
      return PortName(port) == object.where;
    case SettingHome::kNetdev:
      return StandsOver(port, object.where);
  }
  return false;
}

bool OpensOthers(SettingKind kind) {
  const SettingRow* row = FindRow(kind);
  return row != nullptr && row->opens_others;
}

bool IsDcbSetting(SettingKind kind) {
  const SettingRow* row = FindRow(kind);
  return row != nullptr && row->writer == SettingWriter::kDcbnl;
}

SettingPlace PlaceOf(const Facts& facts, const SettingObject& object) {
  const Port* port = FirstPort(facts, [&object](const Port& one) { return IsSettingOf(one, object); });
  const Netdev* netdev = port != nullptr && port->netdev ? &*port->netdev : nullptr;
  if (HomeOf(object.kind) == SettingHome::kNetdev) netdev = FindOrNull(NetdevsOf(facts), object.where);
  return {.object = object, .netdev = netdev, .port = port};
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
  const SettingRow* row = FindRow(place.object.kind);
  return place.netdev == nullptr || row == nullptr || row->doubt == nullptr ? "" : row->doubt(*place.netdev);
}

std::string WriteSetting(Facts& facts, const SettingObject& object, std::string_view to) {
  const SettingRow* row = FindRow(object.kind);
  return row == nullptr ? "unknown kind of setting" : row->effect(facts, object, to);
}

std::vector<std::string> CommandsOf(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (place.object.kind == SettingKind::kUnknown) return {};
  const SettingRow& row = RowOf(place.object.kind);
  std::vector<std::string> commands = row.commands(place, from, to);
  const std::string note = row.note == nullptr ? "" : row.note(place, from, to);
  if (!commands.empty() && !note.empty()) commands.back() += "  # " + note;
  return commands;
}

Remedy RemedyFor(const SettingPlace& place, std::string_view from, std::string_view to) {
  Remedy remedy;
  if (place.object.kind == SettingKind::kUnknown) return remedy;
  const SettingRow& row = RowOf(place.object.kind);
  for (std::string& command : row.commands(place, from, to))
    remedy.steps.push_back({.command = std::move(command)});
  if (remedy.empty()) return remedy;
  for (std::string caution :
       {row.note == nullptr ? "" : row.note(place, from, to), CautionOf(row.disturbs(place, from, to))}) {
    if (!caution.empty()) remedy.cautions.push_back(std::move(caution));
  }
  return remedy;
}

}  // namespace rdmaready
