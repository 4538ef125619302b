// SPDX-License-Identifier: Apache-2.0
// Commands of `dcb`. It reads what is there and changes what it is told to, so that a command names what
// differs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "checks/setting/commands.h"
#include "checks/setting/driver_rules.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool DcbDiffers(const SettingPlace& place, std::string_view from, std::string_view to) {
  return from != to && IsCanonical(place.object.kind, from) && IsCanonical(place.object.kind, to);
}

constexpr auto kNumber = [](auto value) { return std::to_string(value); };

// "all:0 3:50": the value of most entries first, then the exceptions.
template <class Value, class ToText>
std::string MapWords(const std::array<Value, kPriorities>& values, ToText text) {
  const Value most = *std::ranges::max_element(
      values, {}, [&values](Value value) { return std::ranges::count(values, value); });
  std::string words = "all:" + text(most);
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (values[i] != most) words += Cat(" ", i, ":", text(values[i]));
  }
  return words;
}

// " 3:50": what differs.
template <class Value, class ToText>
std::string ChangedWords(const std::array<Value, kPriorities>& from, const std::array<Value, kPriorities>& to,
                         ToText text) {
  std::string words;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (from[i] != to[i]) words += Cat(" ", i, ":", text(to[i]));
  }
  return words;
}

std::string DcbCommand(std::string_view verb, const SettingPlace& place) {
  return Cat("dcb ", verb, " dev ", ShellWord(place.object.where));
}

// mlx5 has no bit for its firmware: that is mode 0, in which the host's is missing (mlx5e_dcbnl_setdcbx).
bool GivesDcbxAway(const SettingPlace& place, const Dcbx& to) {
  return HasDriver(place.netdev, "mlx5_core") && !to.host;
}

}  // namespace

// ---- DCBX ----

// mlx5 takes a mode without the host for mode 0 only, and keeps the dialects: they are set first.
Commands DcbxCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  const std::string set = DcbCommand("dcbx set", place);
  if (!GivesDcbxAway(place, *DcbxOf(to)))
    return {to == "none" ? "# `dcb` cannot write mode 0" : Cat(set, " ", to)};
  Dcbx with_host = *DcbxOf(to);
  with_host.host = true;
  Commands commands;
  if (Text(with_host) != from && to != "none") commands.push_back(Cat(set, " ", Text(with_host)));
  commands.push_back(Cat("mlnx_qos -i ", ShellWord(place.object.where), " -d fw"));
  return commands;
}

std::string DcbxNote(const SettingPlace& place, std::string_view /*from*/, std::string_view to) {
  const std::optional<Dcbx> wanted = DcbxOf(to);
  return wanted && GivesDcbxAway(place, *wanted) ? "of mlnx-tools: `dcb` cannot write mode 0" : "";
}

// ---- ETS, PFC, buffers, rates ----

std::string EtsWords(const std::array<Tsa, kPriorities>& tsa,
                     const std::array<std::uint8_t, kPriorities>& tx_percent,
                     const std::array<std::uint8_t, kPriorities>& prio_tc) {
  return Cat("tc-tsa ", MapWords(tsa, [](Tsa one) { return std::string(Name(one)); }), " tc-bw ",
             MapWords(tx_percent, kNumber), " prio-tc ", MapWords(prio_tc, kNumber));
}

Commands EtsCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  EtsSetting old = *EtsSettingOf(from);
  const EtsSetting wanted = *EtsSettingOf(to);
  std::string command = DcbCommand("ets set", place);
  if (old.willing != wanted.willing) command += wanted.willing ? " willing on" : " willing off";
  old.willing = wanted.willing;
  // Drivers take classes and shares only as a whole.
  if (old != wanted) command += Cat(" ", EtsWords(wanted.tsa, wanted.tx_percent, wanted.prio_tc));
  return {command};
}

Commands PfcCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  const PfcSetting old = *PfcSettingOf(from);
  const PfcSetting wanted = *PfcSettingOf(to);
  std::string command = DcbCommand("pfc set", place);
  if (old.enabled != wanted.enabled) {
    command += " prio-pfc all:off";
    for (const std::uint8_t priority : PrioritiesOf(wanted.enabled)) command += Cat(" ", priority, ":on");
  }
  if (old.delay != wanted.delay) command += Cat(" delay ", wanted.delay);
  return {command};
}

Commands BufferCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  const BufferSetting old = *BufferSettingOf(from);
  const BufferSetting wanted = *BufferSettingOf(to);
  std::string command = DcbCommand("buffer set", place);
  if (old.prio_buffer != wanted.prio_buffer)
    command += Cat(" prio-buffer ", MapWords(wanted.prio_buffer, kNumber));
  if (old.size_bytes != wanted.size_bytes)
    command += Cat(" buffer-size ", MapWords(wanted.size_bytes, kNumber));
  return {command};
}

// The `dcb` of iproute2 6.1 to 6.17 writes bytes/s into what the kernel reads as kbit/s.
Commands MaxRateCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  const auto text = [](std::uint64_t kbps) { return kbps == 0 ? std::string("0") : Cat(kbps, "bps"); };
  return {Cat(DcbCommand("maxrate set", place), " tc-maxrate",
              ChangedWords(*MaxRatesOf(from), *MaxRatesOf(to), text))};
}

std::string MaxRateNote(const SettingPlace& /*place*/, std::string_view from, std::string_view to) {
  const auto text = [](std::uint64_t kbps) { return kbps == 0 ? std::string("0") : Cat(kbps, "kbit"); };
  const std::optional<MaxRatesKbps> old = MaxRatesOf(from);
  const std::optional<MaxRatesKbps> wanted = MaxRatesOf(to);
  if (!old || !wanted) return {};
  const std::string words = ChangedWords(*old, *wanted, text);
  if (words.find("kbit") == std::string::npos) return {};
  return Cat("up to iproute2 6.17 `dcb` counts bytes where the kernel counts kbit; newer ones:", words);
}

// ---- APP and trust ----

namespace {

using Rows = std::vector<AppEntry>;

std::string_view AppKeyword(AppSelector selector) {
  switch (selector) {
    case AppSelector::kEthertype:
      return "ethtype-prio";
    case AppSelector::kStream:
      return "stream-port-prio";
    case AppSelector::kDgram:
      return "dgram-port-prio";
    case AppSelector::kAny:
      return "port-prio";
    case AppSelector::kDscp:
      return "dscp-prio";
    case AppSelector::kPcp:
      return "pcp-prio";
    case AppSelector::kNone:
      break;
  }
  return "";
}

bool IsDefault(const AppEntry& row) { return row.selector == AppSelector::kEthertype && row.protocol == 0; }

std::string HexText(std::uint16_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (unsigned shift = 16; shift > 0; shift -= 4) text += kDigits[number >> (shift - 4) & 0xfU];
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
  const std::string command = DcbCommand(Cat("app ", verb), place);
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

// What would keep a DSCP from being there twice: new ones first, so that the NIC does not leave its map of DSCP
// for want of rows; then those that go; then those that took the place of one.
void DeleteThenAdd(const SettingPlace& place, const Rows& gone, Rows added, Commands& commands) {
  const Rows fresh = TakeRows(added, [&gone](const AppEntry& row) { return !HasKey(gone, row); });
  AddRowCommands(place, "add", fresh, commands);
  AddRowCommands(place, "del", gone, commands);
  AddRowCommands(place, "add", added, commands);
}

}  // namespace

Commands AppCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  const Rows old = *AppRowsOf(from);
  const Rows wanted = *AppRowsOf(to);
  Rows gone = RowsWithout(old, wanted);
  Rows added = RowsWithout(wanted, old);
  Commands commands;
  if (DeletesRowsFirst(place.netdev)) {
    DeleteThenAdd(place, gone, added, commands);
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
  const Rows no_dscp = TakeRows(gone, [&wanted](const AppEntry& row) {
    return row.selector == AppSelector::kDscp &&
           std::ranges::find(wanted, AppSelector::kDscp, &AppEntry::selector) == wanted.end();
  });
  AddRowCommands(place, "replace", replaced, commands);
  AddRowCommands(place, "add", added, commands);
  AddRowCommands(place, "del", gone, commands);
  if (!no_dscp.empty()) commands.push_back(Cat(DcbCommand("app flush", place), " dscp-prio"));
  return commands;
}

std::string AppNote(const SettingPlace& /*place*/, std::string_view from, std::string_view to) {
  const auto has_pcp = [](std::string_view text) {
    return text.starts_with("pcp:") || text.find(" pcp:") != std::string_view::npos;
  };
  return has_pcp(from) || has_pcp(to) ? "needs iproute2 6.2 or newer" : "";
}

Commands TrustCommands(const SettingPlace& place, std::string_view from, std::string_view to) {
  if (!DcbDiffers(place, from, to)) return {};
  if (to == "nothing") return {"# `dcb` cannot write an empty order"};
  return {Cat(DcbCommand("apptrust set", place), " order ", to)};
}

std::string TrustNote(const SettingPlace& /*place*/, std::string_view /*from*/, std::string_view to) {
  return to == "nothing" ? "" : "needs iproute2 6.2 or newer";
}

}  // namespace rdmaready
