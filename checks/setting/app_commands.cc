// SPDX-License-Identifier: Apache-2.0
// Commands of `dcb app`: one table becomes another, row by row, in an order that the driver takes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "checks/dcb/app_rows.h"
#include "checks/dcb/dcb_driver.h"
#include "checks/setting/dcb_commands.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string AppCommand(std::string_view verb, const SettingPlace& place) {
  return Cat("dcb app ", verb, " dev ", ShellWord(place.object.where));
}

using Rows = std::vector<AppEntry>;

bool IsDefault(const AppEntry& row) { return row.selector == AppSelector::kEthertype && row.protocol == 0; }

std::string HexText(std::uint16_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (unsigned shift = 16; shift > 0; shift -= 4) text += kDigits[unsigned{number} >> (shift - 4) & 0xfU];
  return text;
}

std::string RowWord(const AppEntry& row) {
  if (IsDefault(row)) return std::to_string(row.priority);
  const std::string protocol =
      row.selector == AppSelector::kEthertype ? HexText(row.protocol) : std::to_string(row.protocol);
  return Cat(protocol, ":", row.priority);
}

// One command for all of a verb, but for the default priority: `dcb` takes all that follows it for priorities.
void AddRowCommands(const SettingPlace& place, std::string_view verb, const Rows& rows, Commands& commands) {
  std::string words, defaults;
  AppSelector last = AppSelector::kNone;
  for (const AppEntry& row : rows) {
    if (IsDefault(row)) {
      defaults += " " + RowWord(row);
      continue;
    }
    if (row.selector != last) words += Cat(" ", AppKeyword(row.selector));
    last = row.selector;
    words += " " + RowWord(row);
  }
  const std::string command = AppCommand(verb, place);
  if (!words.empty()) commands.push_back(command + words);
  if (!defaults.empty()) commands.push_back(Cat(command, " default-prio", defaults));
}

bool SameKey(const AppEntry& a, const AppEntry& b) {
  return a.selector == b.selector && a.protocol == b.protocol;
}

Rows RowsWithout(const Rows& rows, const Rows& others) {
  Rows left;
  std::ranges::copy_if(rows, std::back_inserter(left), [&others](const AppEntry& row) {
    return std::ranges::find(others, row) == others.end();
  });
  return left;
}

bool HasKey(const Rows& rows, const AppEntry& row) {
  return std::ranges::any_of(rows, [&row](const AppEntry& one) { return SameKey(one, row); });
}

// Moves the rows for which it is so.
template <class IsSo>
Rows TakeRows(Rows& rows, IsSo is_so) {
  Rows taken;
  std::ranges::copy_if(rows, std::back_inserter(taken), is_so);
  std::erase_if(rows, is_so);
  return taken;
}

bool MapsDscp(const AppEntry& row) { return row.selector == AppSelector::kDscp; }

// A row of DSCP for the moment in which the only one is taken away: without any, ice begins with other classes
// and pauses nothing. Of a DSCP without a row, whose priority is the same with this one, before it (DSCP / 8)
// and after it (DSCP % 8); as the applier does it (agent/apply/real/app_rows.h).
Rows StandIn(const SettingPlace& place, const Rows& staying, const Rows& gone, const Rows& again) {
  const bool left_alone = std::ranges::any_of(gone, MapsDscp) && std::ranges::any_of(again, MapsDscp) &&
                          std::ranges::none_of(staying, MapsDscp);
  const bool ice = place.netdev != nullptr && DcbDriverOf(*place.netdev) == DcbDriver::kIce;
  if (!ice || !left_alone) return {};
  constexpr std::array<std::uint16_t, 8> kSamePriority{9, 18, 27, 36, 45, 54, 63, 0};
  for (const std::uint16_t dscp : kSamePriority) {
    const AppEntry row{AppSelector::kDscp, static_cast<std::uint8_t>(dscp / 8), dscp};
    if (!HasKey(gone, row) && !HasKey(again, row)) return {row};
  }
  return {};
}

// New DSCPs first, so that the NIC does not leave its map of DSCP for want of rows; then the rows that go; then
// those that come in their place.
void DeleteThenAdd(const SettingPlace& place, const Rows& old, const Rows& gone, Rows added,
                   Commands& commands) {
  Rows fresh = TakeRows(added, [&gone](const AppEntry& row) { return !HasKey(gone, row); });
  Rows staying = RowsWithout(old, gone);
  staying.insert(staying.end(), fresh.begin(), fresh.end());
  const Rows stand_in = StandIn(place, staying, gone, added);
  fresh.insert(fresh.end(), stand_in.begin(), stand_in.end());
  AddRowCommands(place, "add", fresh, commands);
  AddRowCommands(place, "del", gone, commands);
  AddRowCommands(place, "add", added, commands);
  AddRowCommands(place, "del", stand_in, commands);
}

}  // namespace

Commands AppCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (from == to || !AppRowsOf(from) || !AppRowsOf(to)) return {};
  const Rows old = *AppRowsOf(from);
  const Rows wanted = *AppRowsOf(to);
  Rows gone = RowsWithout(old, wanted);
  Rows added = RowsWithout(wanted, old);
  Commands commands;
  if (DeletesRowsFirst(place.netdev)) {
    // bnxt_en forgets the DSCP with any of its rows: one that stays is written again.
    const Rows again = RowsWithout(old, gone);
    for (const AppEntry& row : again) {
      if (!HasDriver(place.netdev, "bnxt_en") || !MapsDscp(row) || !HasKey(gone, row)) continue;
      gone.push_back(row);
      added.push_back(row);
    }
    DeleteThenAdd(place, old, gone, added, commands);
    return commands;
  }
  // `replace` adds a row and deletes all others of its protocol; where the driver did so, that fails.
  if (ReplacesRows(place.netdev))
    std::erase_if(gone, [&added](const AppEntry& row) { return HasKey(added, row); });
  const Rows replaced = TakeRows(added, [&](const AppEntry& row) {
    if (ReplacesRows(place.netdev) && HasKey(old, row)) return false;
    return std::ranges::count_if(wanted, [&row](const AppEntry& one) { return SameKey(one, row); }) == 1;
  });
  std::erase_if(gone, [&replaced](const AppEntry& row) { return HasKey(replaced, row); });
  const Rows no_dscp = TakeRows(
      gone, [&wanted](const AppEntry& row) { return MapsDscp(row) && std::ranges::none_of(wanted, MapsDscp); });
  AddRowCommands(place, "replace", replaced, commands);
  AddRowCommands(place, "add", added, commands);
  AddRowCommands(place, "del", gone, commands);
  if (!no_dscp.empty()) commands.push_back(Cat(AppCommand("flush", place), " dscp-prio"));
  return commands;
}

std::string AppNote(const SettingPlace& /*place*/, std::string_view from, std::string_view to) {
  const auto has_pcp = [](std::string_view text) {
    return text.starts_with("pcp:") || text.find(" pcp:") != std::string_view::npos;
  };
  return has_pcp(from) || has_pcp(to) ? "needs iproute2 6.2 or newer" : "";
}

}  // namespace rdmaready
