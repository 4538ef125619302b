// SPDX-License-Identifier: Apache-2.0
#include "cli/render/format/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;

// Lists whose elements get lines of their own, and what such an element is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kUnfolded{{{"hosts", "host"},
                                                                                  {"pairs", "pair"},
                                                                                  {"findings", "finding"},
                                                                                  {"results", "result"},
                                                                                  {"runs", "run"},
                                                                                  {"transfers", "transfer"},
                                                                                  {"steps", "step"},
                                                                                  {"store_events", "event"}}};
// What an element is told of what it belongs to.
constexpr std::array<std::string_view, 5> kInherited{"schema", "run_id", "host", "from", "to"};

void AddLines(std::string_view kind, const Json& inherited, const Json& object, std::string& text) {
  Json line = inherited;
  line["kind"] = kind;
  Json passed_on = inherited;
  for (const auto& [key, value] : object.items()) {
    const bool unfolded = value.is_array() && std::ranges::find(kUnfolded, key, [](const auto& row) {
                                                return row.first;
                                              }) != kUnfolded.end();
    if (!unfolded) line[key] = value;
    if (std::ranges::find(kInherited, key) != kInherited.end()) passed_on[key] = value;
  }
  text += line.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  for (const auto& [list, element_kind] : kUnfolded) {
    const auto found = object.find(list);
    if (found == object.end() || !found->is_array()) continue;
    for (const Json& element : *found) AddLines(element_kind, passed_on, element, text);
  }
}

// A double quoted scalar: the escapes of JSON, but for pairs of surrogates, which YAML does not know.
std::string Quoted(const std::string& text) {
  const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (std::size_t i = 0; i < json.size();) {
    const auto lead = static_cast<unsigned char>(json[i]);
    if (lead < 0x80U) {
      out += lead == 0x7FU ? std::string("\\u007f") : std::string(1, json[i]);
      ++i;
      continue;
    }
    const std::size_t bytes = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
    std::uint32_t code = lead & (0xFFU >> (bytes + 1));
    for (std::size_t k = 1; k < bytes && i + k < json.size(); ++k) {
      code = (code << 6U) | (static_cast<unsigned char>(json[i + k]) & 0x3FU);
    }
    out += code > 0xFFFFU ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
    i += bytes;
  }
  return out;
}

std::string KeyText(const std::string& key) {
  const bool plain =
      !key.empty() && std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  // What a reader of YAML 1.1 takes for a truth value or for nothing.
  constexpr std::array<std::string_view, 7> kWords{"y", "n", "yes", "no", "on", "off", "null"};
  const bool word = std::ranges::find(kWords, key) != kWords.end() || key == "true" || key == "false";
  return plain && !word ? key : Quoted(key);
}

bool IsBlock(const Json& json) { return json.is_structured() && !json.empty(); }

// Without a line end; a block begins on a line of its own unless `inline_start`.
void AddYaml(const Json& json, std::size_t indent, bool inline_start, std::string& text) {
  bool first = inline_start;
  const auto begin_line = [&] {
    if (!std::exchange(first, false)) text += "\n" + std::string(indent, ' ');
  };
  if (!IsBlock(json)) {
    text += json.is_string() ? Quoted(json.get_ref<const std::string&>()) : json.dump();
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      begin_line();
      text += KeyText(key) + (IsBlock(value) ? ":" : ": ");
      AddYaml(value, indent + 2, false, text);
    }
  } else {
    for (const Json& value : json) {
      begin_line();
      text += "- ";
      AddYaml(value, indent + 2, true, text);
    }
  }
}

}  // namespace

std::string JsonLines(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  std::string text;
  AddLines(object.contains("error") && object.contains("status") ? "error" : "run", Json::object(), object,
           text);
  return text;
}

std::string YamlOfJson(std::string_view json) {
  std::string text = "---\n";
  AddYaml(Json::parse(json, nullptr, false), 0, true, text);
  return text + "\n";
}

}  // namespace rdmaready
