// SPDX-License-Identifier: Apache-2.0
#include "api/model/setting.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <tuple>
#include <utility>

#include "api/model/split.h"

namespace rdmaready {
namespace {

template <class Value>
struct Word {
  Value value;
  std::string_view text;
};

constexpr std::array<Word<Tsa>, 4> kTsaWords{
    {{Tsa::kStrict, "strict"}, {Tsa::kCbShaper, "cbs"}, {Tsa::kEts, "ets"}, {Tsa::kVendor, "vendor"}}};
constexpr std::array<Word<AppSelector>, 6> kSelectorWords{{{AppSelector::kEthertype, "ethertype"},
                                                           {AppSelector::kStream, "stream"},
                                                           {AppSelector::kDgram, "dgram"},
                                                           {AppSelector::kAny, "any"},
                                                           {AppSelector::kDscp, "dscp"},
                                                           {AppSelector::kPcp, "pcp"}}};

// Nothing for a value that has no word: a text of it would be read as another value.
template <class Value, std::size_t Count>
std::string_view WordOf(const std::array<Word<Value>, Count>& words, Value value) {
  const auto found = std::ranges::find(words, value, &Word<Value>::value);
  return found == words.end() ? std::string_view("?") : found->text;
}

template <class Value, std::size_t Count>
std::optional<Value> ValueOfWord(const std::array<Word<Value>, Count>& words, std::string_view text) {
  const auto found = std::ranges::find(words, text, &Word<Value>::text);
  return found == words.end() ? std::nullopt : std::optional(found->value);
}

std::string_view OnOff(bool on) { return on ? "on" : "off"; }

template <std::unsigned_integral Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (error != std::errc() || end != text.data() + text.size() || leading_zero) return std::nullopt;
  return number;
}

// What stands before the separator, which is removed with it; the whole text where there is none.
std::string_view Take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

template <class Values, class ToText>
std::string Joined(const Values& values, char separator, ToText to_text) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += separator;
    text += to_text(value);
  }
  return text;
}

constexpr auto kDecimal = [](auto value) { return std::to_string(value); };

// "0,0,0,3,0,0,0,0": one for each of the eight.
template <class Value, class Read>
std::optional<std::array<Value, kPriorities>> EightOf(std::string_view text, Read read) {
  const std::vector<std::string_view> words = Split(text, ',');
  if (words.size() != kPriorities) return std::nullopt;
  std::array<Value, kPriorities> values{};
  for (std::size_t i = 0; i < kPriorities; ++i) {
    const std::optional<Value> value = read(words[i]);
    if (!value) return std::nullopt;
    values[i] = *value;
  }
  return values;
}

// Reading is lenient where writing is not: what differs from what would be written is no canonical text.
template <class Value>
std::optional<Value> IfCanonical(std::optional<Value> value, std::string_view text) {
  return value && Text(*value) == text ? std::move(value) : std::nullopt;
}

}  // namespace

std::string_view NameOf(SettingKind kind) {
  const auto found = std::ranges::find(kSettingKindRows, kind, &SettingKindRow::kind);
  return found == kSettingKindRows.end() ? std::string_view("unknown") : found->name;
}

SettingKind SettingKindNamed(std::string_view name) {
  const auto found = std::ranges::find(kSettingKindRows, name, &SettingKindRow::name);
  return found == kSettingKindRows.end() ? SettingKind::kUnknown : found->kind;
}

std::string TextOf(const SettingObject& object) {
  std::string text(NameOf(object.kind));
  if (!object.name.empty()) text += " " + object.name;
  if (!object.where.empty()) text += " of " + object.where;
  return text;
}

// ---- DCBX ----

std::string Text(const Dcbx& value) {
  std::string text;
  const auto add = [&text](bool on, std::string_view word) {
    if (!on) return;
    if (!text.empty()) text += ' ';
    text += word;
  };
  add(value.host, "host");
  add(value.lld_managed, "lld-managed");
  add(value.cee, "cee");
  add(value.ieee, "ieee");
  add(value.static_mode, "static");
  return text.empty() ? "none" : text;
}

std::optional<Dcbx> DcbxOf(std::string_view text) {
  Dcbx value;
  if (text != "none") {
    for (const std::string_view word : Split(text, ' ')) {
      value.host = value.host || word == "host";
      value.lld_managed = value.lld_managed || word == "lld-managed";
      value.cee = value.cee || word == "cee";
      value.ieee = value.ieee || word == "ieee";
      value.static_mode = value.static_mode || word == "static";
    }
  }
  return IfCanonical(std::optional(value), text);
}

// ---- ETS, PFC, buffers, rates ----

std::string Text(const EtsSetting& value) {
  std::array<std::uint8_t, kPriorities> shares{};
  for (std::size_t tc = 0; tc < kPriorities; ++tc) {
    if (value.tsa[tc] == Tsa::kEts) shares[tc] = value.tx_percent[tc];
  }
  std::string text = "willing ";
  text += OnOff(value.willing);
  text += " tsa " + Joined(value.tsa, ',', [](Tsa tsa) { return std::string(WordOf(kTsaWords, tsa)); });
  text += " tx " + Joined(shares, ',', kDecimal);
  return text + " prio " + Joined(value.prio_tc, ',', kDecimal);
}

std::optional<EtsSetting> EtsSettingOf(std::string_view text) {
  const std::vector<std::string_view> words = Split(text, ' ');
  if (words.size() != 8) return std::nullopt;
  const auto tsa = EightOf<Tsa>(words[3], [](std::string_view word) { return ValueOfWord(kTsaWords, word); });
  const auto percent = EightOf<std::uint8_t>(words[5], NumberOf<std::uint8_t>);
  const auto prio = EightOf<std::uint8_t>(words[7], NumberOf<std::uint8_t>);
  if (!tsa || !percent || !prio) return std::nullopt;
  if (std::ranges::any_of(*prio, [](std::uint8_t tc) { return tc >= kPriorities; })) return std::nullopt;
  const EtsSetting value{.willing = words[1] == "on", .tsa = *tsa, .tx_percent = *percent, .prio_tc = *prio};
  return IfCanonical(std::optional(value), text);
}

std::string Text(const PfcSetting& value) {
  std::vector<unsigned> priorities;
  for (unsigned priority = 0; priority < kPriorities; ++priority) {
    if ((value.enabled >> priority & 1U) != 0) priorities.push_back(priority);
  }
  const std::string on = priorities.empty() ? "off" : "on " + Joined(priorities, ',', kDecimal);
  return on + " delay " + std::to_string(value.delay);
}

std::optional<PfcSetting> PfcSettingOf(std::string_view text) {
  PfcSetting value;
  const std::string_view whole = text;
  if (Take(text, ' ') == "on") {
    for (const std::string_view word : Split(Take(text, ' '), ',')) {
      const auto priority = NumberOf<std::uint8_t>(word);
      if (!priority || *priority >= kPriorities) return std::nullopt;
      value.enabled = static_cast<std::uint8_t>(value.enabled | 1U << *priority);
    }
  }
  if (Take(text, ' ') != "delay") return std::nullopt;
  const auto delay = NumberOf<std::uint16_t>(text);
  if (!delay) return std::nullopt;
  value.delay = *delay;
  return IfCanonical(std::optional(value), whole);
}

std::string Text(const BufferSetting& value) {
  return "prio " + Joined(value.prio_buffer, ',', kDecimal) + " size " +
         Joined(value.size_bytes, ',', kDecimal);
}

std::optional<BufferSetting> BufferSettingOf(std::string_view text) {
  const std::vector<std::string_view> words = Split(text, ' ');
  if (words.size() != 4) return std::nullopt;
  const auto prio = EightOf<std::uint8_t>(words[1], NumberOf<std::uint8_t>);
  const auto size = EightOf<std::uint32_t>(words[3], NumberOf<std::uint32_t>);
  if (!prio || !size) return std::nullopt;
  if (std::ranges::any_of(*prio, [](std::uint8_t buffer) { return buffer >= kPriorities; }))
    return std::nullopt;
  return IfCanonical(std::optional(BufferSetting{.prio_buffer = *prio, .size_bytes = *size}), text);
}

std::string Text(const MaxRatesKbps& value) { return Joined(value, ',', kDecimal); }

std::optional<MaxRatesKbps> MaxRatesOf(std::string_view text) {
  return EightOf<std::uint64_t>(text, NumberOf<std::uint64_t>);
}

// ---- APP and trust ----

std::string Text(const std::vector<AppEntry>& rows) {
  std::vector<AppEntry> sorted = rows;
  const auto key = [](const AppEntry& row) { return std::tuple(row.selector, row.protocol, row.priority); };
  std::ranges::sort(sorted, {}, key);
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  const std::string text = Joined(sorted, ' ', [](const AppEntry& row) {
    return std::string(WordOf(kSelectorWords, row.selector)) + ":" + std::to_string(row.protocol) + ":" +
           std::to_string(row.priority);
  });
  return text.empty() ? "empty" : text;
}

std::optional<std::vector<AppEntry>> AppRowsOf(std::string_view text) {
  std::vector<AppEntry> rows;
  if (text == "empty") return rows;
  for (const std::string_view word : Split(text, ' ')) {
    const std::vector<std::string_view> parts = Split(word, ':');
    if (parts.size() != 3) return std::nullopt;
    const auto selector = ValueOfWord(kSelectorWords, parts[0]);
    const auto protocol = NumberOf<std::uint16_t>(parts[1]);
    const auto priority = NumberOf<std::uint8_t>(parts[2]);
    if (!selector || !protocol || !priority || *priority >= kPriorities) return std::nullopt;
    rows.push_back({.selector = *selector, .priority = *priority, .protocol = *protocol});
  }
  return IfCanonical(std::optional(std::move(rows)), text);
}

std::string Text(const std::vector<AppSelector>& order) {
  const std::string text =
      Joined(order, ' ', [](AppSelector selector) { return std::string(WordOf(kSelectorWords, selector)); });
  return text.empty() ? "nothing" : text;
}

std::optional<std::vector<AppSelector>> TrustOrderOf(std::string_view text) {
  std::vector<AppSelector> order;
  if (text == "nothing") return order;
  for (const std::string_view word : Split(text, ' ')) {
    const auto selector = ValueOfWord(kSelectorWords, word);
    if (!selector || std::ranges::find(order, *selector) != order.end()) return std::nullopt;
    order.push_back(*selector);
  }
  return order;
}

// ---- the link, the VLAN, RDMA-CM ----

std::string Text(const Pause& value) {
  std::string text = "autoneg ";
  text += OnOff(value.autoneg);
  text += " rx ";
  text += OnOff(value.rx);
  text += " tx ";
  return text += OnOff(value.tx);
}

std::optional<Pause> PauseOf(std::string_view text) {
  const std::vector<std::string_view> words = Split(text, ' ');
  if (words.size() != 6) return std::nullopt;
  const Pause value{.autoneg = words[1] == "on", .rx = words[3] == "on", .tx = words[5] == "on"};
  return IfCanonical(std::optional(value), text);
}

std::string Text(const std::vector<VlanPriority>& map) {
  std::vector<VlanPriority> sorted = map;
  std::erase_if(sorted, [](const VlanPriority& pair) { return pair.pcp == 0; });
  std::ranges::sort(sorted, {}, [](const VlanPriority& pair) { return std::pair(pair.from, pair.pcp); });
  sorted.erase(std::ranges::unique(sorted).begin(), sorted.end());
  const std::string text = Joined(sorted, ' ', [](const VlanPriority& pair) {
    return std::to_string(pair.from) + ":" + std::to_string(pair.pcp);
  });
  return text.empty() ? "empty" : text;
}

std::optional<std::vector<VlanPriority>> VlanEgressOf(std::string_view text) {
  std::vector<VlanPriority> map;
  if (text == "empty") return map;
  for (const std::string_view word : Split(text, ' ')) {
    const std::vector<std::string_view> parts = Split(word, ':');
    if (parts.size() != 2) return std::nullopt;
    const auto from = NumberOf<std::uint32_t>(parts[0]);
    const auto pcp = NumberOf<std::uint8_t>(parts[1]);
    if (!from || !pcp || *pcp >= kPriorities) return std::nullopt;
    if (!map.empty() && map.back().from == *from) return std::nullopt;
    map.push_back({.from = *from, .pcp = *pcp});
  }
  return IfCanonical(std::optional(std::move(map)), text);
}

std::string Text(GidType mode) {
  switch (mode) {
    case GidType::kRoceV2:
      return "RoCE v2";
    case GidType::kIb:
    case GidType::kRoceV1:  // configfs has one word for both
      return "IB/RoCE v1";
    case GidType::kUnknown:
      break;
  }
  return "?";
}

std::optional<GidType> CmModeOf(std::string_view text) {
  if (text == "RoCE v2") return GidType::kRoceV2;
  return text == "IB/RoCE v1" ? std::optional(GidType::kRoceV1) : std::nullopt;
}

bool IsOnOff(std::string_view text) { return text == "on" || text == "off"; }

bool IsDevlinkValue(std::string_view text) { return text == "true" || text == "false" || IsNumber32(text); }

bool IsNumber32(std::string_view text) { return NumberOf<std::uint32_t>(text).has_value(); }

bool IsNumber8(std::string_view text) { return NumberOf<std::uint8_t>(text).has_value(); }

bool IsCanonical(SettingKind kind, std::string_view text) {
  const auto found = std::ranges::find(kSettingKindRows, kind, &SettingKindRow::kind);
  return found != kSettingKindRows.end() && found->is_canonical(text);
}

}  // namespace rdmaready
