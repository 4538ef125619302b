// SPDX-License-Identifier: Apache-2.0
#include "cli/render/setting_words.h"

#include <absl/strings/str_split.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "checks/setting/table.h"
#include "checks/words/names.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

std::string Joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string Arrow(std::string_view from, std::string_view to) { return fmt::format("{} -> {}", from, to); }

std::string OnOff(bool on) { return on ? "on" : "off"; }

std::string PrioritiesText(const PfcSetting& pfc) {
  std::vector<std::string> on;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if ((pfc.enabled >> i & 1U) != 0) on.push_back(std::to_string(i));
  }
  return on.empty() ? "off" : fmt::format("on {}", fmt::join(on, ","));
}

std::string PfcWords(const PfcSetting& from, const PfcSetting& to) {
  std::vector<std::string> parts;
  if (from.enabled != to.enabled) parts.push_back(Arrow(PrioritiesText(from), PrioritiesText(to)));
  if (from.delay != to.delay) parts.push_back(fmt::format("delay {} -> {}", from.delay, to.delay));
  return Joined(parts);
}

std::string EtsWords(const EtsSetting& from, const EtsSetting& to) {
  std::vector<std::string> parts;
  if (from.willing != to.willing) parts.push_back("willing " + Arrow(OnOff(from.willing), OnOff(to.willing)));
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (from.prio_tc[i] != to.prio_tc[i])
      parts.push_back(fmt::format("priority {} in TC {} -> {}", i, from.prio_tc[i], to.prio_tc[i]));
  }
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (from.tsa[i] != to.tsa[i])
      parts.push_back(fmt::format("TC {} {} -> {}", i, Name(from.tsa[i]), Name(to.tsa[i])));
    if (from.tx_percent[i] != to.tx_percent[i])
      parts.push_back(fmt::format("TC {} {} % -> {} %", i, from.tx_percent[i], to.tx_percent[i]));
  }
  return Joined(parts);
}

std::string BufferWords(const BufferSetting& from, const BufferSetting& to) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    if (from.prio_buffer[i] != to.prio_buffer[i])
      parts.push_back(fmt::format("priority {} in buffer {} -> {}", i, from.prio_buffer[i], to.prio_buffer[i]));
    if (from.size_bytes[i] != to.size_bytes[i])
      parts.push_back(fmt::format("buffer {} of {} -> {} bytes", i, from.size_bytes[i], to.size_bytes[i]));
  }
  return Joined(parts);
}

std::string RateWords(const MaxRatesKbps& from, const MaxRatesKbps& to) {
  const auto text = [](std::uint64_t kbps) { return kbps == 0 ? "no limit" : fmt::format("{} kbit/s", kbps); };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i]) parts.push_back(fmt::format("TC {} {} -> {}", i, text(from[i]), text(to[i])));
  }
  return Joined(parts);
}

// Tables are sets of words: what goes, and what comes.
std::string TableWords(std::string_view from, std::string_view to) {
  const auto words = [](std::string_view text) {
    std::vector<std::string> all;
    if (text == "empty") return all;
    for (const absl::string_view word : absl::StrSplit(absl::string_view(text.data(), text.size()), ' '))
      all.emplace_back(word);
    std::ranges::sort(all);
    return all;
  };
  std::vector<std::string> gone;
  std::vector<std::string> come;
  const std::vector<std::string> before = words(from);
  const std::vector<std::string> after = words(to);
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  std::ranges::set_difference(after, before, std::back_inserter(come));
  for (std::string& word : gone) word = "without " + word;
  for (std::string& word : come) word = "with " + word;
  std::ranges::copy(come, std::back_inserter(gone));
  return Joined(gone);
}

}  // namespace

std::string SettingName(const SettingObject& object) {
  const SettingRow* row = FindRow(object.kind);
  if (row == nullptr) return "unknown setting";
  if (!row->has_name) return std::string(row->words);
  return Printable(row->words.empty() ? object.name : fmt::format("{} {}", row->words, object.name));
}

std::string ChangeWords(const SettingObject& object, std::string_view from, std::string_view to) {
  const std::string plain = Printable(Arrow(from, to));
  if (from == to || !IsCanonical(object.kind, from) || !IsCanonical(object.kind, to)) return plain;
  switch (object.kind) {
    case SettingKind::kPfc:
      return PfcWords(*PfcSettingOf(from), *PfcSettingOf(to));
    case SettingKind::kEts:
      return EtsWords(*EtsSettingOf(from), *EtsSettingOf(to));
    case SettingKind::kBuffer:
      return BufferWords(*BufferSettingOf(from), *BufferSettingOf(to));
    case SettingKind::kMaxRate:
      return RateWords(*MaxRatesOf(from), *MaxRatesOf(to));
    case SettingKind::kApp:
    case SettingKind::kVlanEgress:
      return TableWords(from, to);
    default:
      return plain;
  }
}

}  // namespace rdmaready
