// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/model/fields.h"
#include "checks/setting/table.h"

namespace rdmaready::drift {
namespace {

using Form = TypeInfo::Form;

constexpr std::size_t kLongestText = 160;  // of a value that has no canonical text
constexpr std::string_view kPresence[] = {"interface", "port"};

// What the table tells, what is told of the netdev itself, and what follows from other settings, by path.
constexpr std::string_view kOfNetdevElsewhere[] = {
    "name",    "mtu_bytes", "vlan_egress",   "pause",    "ipv4",       "link.private_flags", "dcb.ets",
    "dcb.pfc", "dcb.app",   "dcb.app_trust", "dcb.dcbx", "dcb.buffer", "dcb.max_rate_kbps",  "max_mtu_bytes"};
constexpr std::string_view kOfUpperElsewhere[] = {"name", "mtu_bytes", "vlan_egress", "ipv4"};
constexpr std::string_view kOfPortElsewhere[] = {
    "device", "number",  "netdev",          "lowers",         "uppers",
    "gids",   "subnets", "cm_default_mode", "cm_default_tos", "devlink.parameters"};

// As one line; what a field's kind is does not matter any more.
std::string TextOfValue(const TypeInfo& type, const void* value) {
  switch (type.form) {
    case Form::kUnknown:
      return "";
    case Form::kBool:
      return type.load(value) != 0 ? "on" : "off";
    case Form::kNumber:
    case Form::kEnum:
      return type.is_signed ? fmt::format("{}", static_cast<std::int64_t>(type.load(value)))
                            : fmt::format("{}", type.load(value));
    case Form::kText:
      return *static_cast<const std::string*>(value);
    case Form::kStruct: {
      std::string text;
      for (const FieldInfo& field : type.fields())
        text += (text.empty() ? "" : " ") + TextOfValue(*field.type, MemberOf(value, field));
      return text;
    }
    case Form::kArray:
    case Form::kList:
    case Form::kOptional:
    case Form::kFact: {
      std::string text;
      for (std::size_t i = 0; i < type.size(value); ++i)
        text += (i == 0 ? "" : ",") + TextOfValue(*type.element, type.At(value, i));
      return text;
    }
  }
  return "";
}

// Every known field of kind Setting, by its path; structs are entered, lists are one value.
class Paths {
 public:
  Paths(std::span<const std::string_view> elsewhere, Values& to) : elsewhere_(elsewhere), to_(to) {}

  void Add(const TypeInfo& type, const void* object, const std::string& prefix = "") {
    for (const FieldInfo& field : type.fields()) {
      if (field.kind != FieldKind::kSetting) continue;
      const std::string path = prefix + std::string(field.name);
      if (std::ranges::find(elsewhere_, path) != elsewhere_.end()) continue;
      AddField(*field.type, MemberOf(object, field), path);
    }
  }

 private:
  void AddField(const TypeInfo& type, const void* value, const std::string& path) {
    if (type.form == Form::kFact) {
      if (type.size(value) > 0) AddField(*type.element, type.At(value, 0), path);
    } else if (type.form == Form::kStruct) {
      Add(type, value, path + ".");
    } else {
      to_[path] = {.text = TextOfValue(type, value)};
    }
  }

  std::span<const std::string_view> elsewhere_;
  Values& to_;
};

template <class T>
Values ValuesOf(const T& object, std::span<const std::string_view> elsewhere) {
  Values values;
  Paths(elsewhere, values).Add(TypeOf<T>(), &object);
  return values;
}

bool KnownOrNone(const auto& fact) { return fact || fact.missing().kind == Missing::Kind::kUnsupported; }

// Pods' interfaces come and go as they please: of what stands on a port only these are somebody's setting.
bool IsConfigured(const UpperNetdev& upper) { return upper.kind == "vlan" || upper.kind == "bond"; }

void AddNetdev(const Netdev& netdev, SettingsRead& read) {
  Values& values = read.of[netdev.name];
  values = ValuesOf(netdev, kOfNetdevElsewhere);
  values["interface"] = {.text = "there"};
}

void AddPort(const Port& port, SettingsRead& read) {
  Values& values = read.of[PortName(port)];
  values = ValuesOf(port, kOfPortElsewhere);
  values["port"] = {.text = "there"};
  read.complete =
      read.complete && KnownOrNone(port.netdev) && KnownOrNone(port.lowers) && KnownOrNone(port.uppers);
  if (port.netdev) AddNetdev(*port.netdev, read);
  if (port.lowers) {
    for (const Netdev& lower : *port.lowers) AddNetdev(lower, read);
  }
  if (!port.uppers) return;
  for (const UpperNetdev& upper : *port.uppers) {
    if (!IsConfigured(upper)) continue;
    Values& above = read.of[upper.name];
    above = ValuesOf(upper, kOfUpperElsewhere);
    above["interface"] = {.text = "there"};
  }
}

std::string WhatOf(const SettingObject& object) {
  const std::string kind(NameOf(object.kind));
  return object.name.empty() ? kind : kind + " " + object.name;
}

bool IsPresence(std::string_view what) { return std::ranges::find(kPresence, what) != std::end(kPresence); }

std::string Shortened(const std::string& text) {
  if (text.empty()) return "nothing";
  return text.size() <= kLongestText ? text : text.substr(0, kLongestText) + "...";
}

}  // namespace

SettingsRead ReadSettings(const Facts& facts) {
  SettingsRead read{.complete = static_cast<bool>(facts.ports)};
  if (facts.ports) {
    for (const Port& port : *facts.ports) AddPort(port, read);
  }
  for (const Setting& setting : SettingsOf(facts)) {
    const std::string where = setting.object.where.empty() ? "host" : setting.object.where;
    read.of[where][WhatOf(setting.object)] = {.text = setting.value, .object = setting.object};
  }
  return read;
}

std::string TextOf(const Change& change) {
  return fmt::format("{} {} -> {}", change.what, Shortened(change.from), Shortened(change.to));
}

std::vector<Change> KnownSettings::Update(SettingsRead read) {
  std::vector<Change> changes;
  if (known_.empty()) {
    known_ = std::move(read.of);
    return changes;
  }
  const auto change = [&](const std::string& where, const std::string& what, Value& old, const Value& now) {
    if (old.text != now.text) changes.push_back({where, what, old.text, now.text, now.object});
    old = now;
  };
  for (auto& [where, values] : read.of) {
    Values& known = known_[where];
    for (auto& [what, value] : values) {
      const auto old = known.find(what);
      if (old == known.end()) {
        known.emplace(what, std::move(value));
      } else {
        change(where, what, old->second, value);
      }
    }
    std::erase(gone_, where);
  }
  if (!read.complete) return changes;
  for (auto& [where, values] : known_) {
    if (read.of.contains(where)) continue;
    for (auto& [what, value] : values) {
      if (!IsPresence(what) || value.text == "gone") continue;
      change(where, what, value, {.text = "gone"});
      gone_.push_back(where);
    }
  }
  Forget();
  return changes;
}

void KnownSettings::Forget() {
  while (gone_.size() > kMostGone) {
    known_.erase(gone_.front());
    gone_.erase(gone_.begin());
  }
}

}  // namespace rdmaready::drift
