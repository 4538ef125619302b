// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_message.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "api/base/edit_distance.h"
#include "api/base/number.h"

namespace rdmaready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Quoted(std::string_view word) {
  constexpr std::size_t kShown = 60;
  std::string text(word.substr(0, kShown));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return "`" + text + (word.size() > kShown ? "..." : "") + "`";
}

std::string WordOf(const EnumValueDescriptor& value) { return EnumWord(value.type()->name(), value.name()); }

// A plain decimal number. No sign, no leading zero (YAML 1.1 would read it as octal), no exponent.
std::optional<std::uint64_t> NumberOf(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || node.quoted || node.text.empty()) return std::nullopt;
  if (node.text.size() > 1 && node.text.front() == '0') return std::nullopt;
  return ParseNumber<std::uint64_t>(node.text);
}

// The field that a list stands for: the message's only field, if it is repeated.
const FieldDescriptor* OnlyList(const Descriptor& type) {
  return type.field_count() == 1 && type.field(0)->is_repeated() ? type.field(0) : nullptr;
}

class Filler {
 public:
  Filler(std::span<const std::string> files, const KeyRules& rules, std::vector<YamlFault>& faults)
      : files_(files), rules_(rules), faults_(faults) {}

  void FillMap(const YamlNode& node, const std::string& prefix, Message& message) {
    for (const YamlNode::Entry& entry : node.entries) {
      if (prefix.empty() && std::ranges::find(rules_.beside, entry.key) != rules_.beside.end()) continue;
      const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(entry.key);
      if (field == nullptr || (prefix.empty() && entry.key == rules_.not_a_key)) {
        UnknownKey(entry, prefix, message);
        continue;
      }
      const std::string path = prefix + entry.key;
      places_[path] = {.source = entry.source, .line = entry.line};
      FillField(entry, path, *field, message);
    }
  }

  FieldPlaces Places() { return std::move(places_); }

 private:
  void Add(int source, int line, const std::string& key, std::string text) {
    faults_.push_back(
        {.file = files_[static_cast<std::size_t>(source)], .line = line, .key = key, .text = std::move(text)});
  }

  // "key `dscp` wants ...": of a value that is there.
  void Wrong(const YamlNode& node, const std::string& path, std::string_view wants) {
    Add(node.source, node.line, path, "key `" + path + "`" + std::string(wants));
  }

  static std::string Got(const YamlNode& node) {
    return node.kind == YamlNode::Kind::kScalar ? ", not " + Quoted(node.text) : "";
  }

  void UnknownKey(const YamlNode::Entry& entry, const std::string& prefix, const Message& message) {
    std::vector<std::string> known;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const std::string& name = message.GetDescriptor()->field(i)->name();
      if (!prefix.empty() || name != rules_.not_a_key) known.push_back(name);
    }
    if (prefix.empty()) known.insert(known.end(), rules_.beside.begin(), rules_.beside.end());
    const std::string close = ClosestWord(entry.key, known);
    const std::string where = prefix.empty() ? "" : " in `" + prefix.substr(0, prefix.size() - 1) + "`";
    const std::string hint = close.empty() ? "" : " (did you mean `" + close + "`?)";
    Add(entry.source, entry.line, prefix + entry.key, "unknown key " + Quoted(entry.key) + where + hint);
    if (!close.empty()) faults_.back().meant = prefix + close;
  }

  void FillField(const YamlNode::Entry& entry, const std::string& path, const FieldDescriptor& field,
                 Message& message) {
    const YamlNode& node = entry.value;
    if (node.kind == YamlNode::Kind::kNull) {
      Add(entry.source, entry.line, path, "key `" + path + "` has no value");
      return;
    }
    if (field.is_repeated()) return FillList(node, path, field, message);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return FillSubmessage(node, path, field, message);
      case FieldDescriptor::CPPTYPE_UINT32:
      case FieldDescriptor::CPPTYPE_UINT64:
        return FillNumber(node, path, field, message);
      case FieldDescriptor::CPPTYPE_STRING:
        return FillText(node, path, field, message);
      case FieldDescriptor::CPPTYPE_ENUM:
        return FillEnum(node, path, field, message);
      case FieldDescriptor::CPPTYPE_BOOL:
        return FillBool(node, path, field, message);
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        break;
    }
    Wrong(node, path, " has a type without a YAML form");
  }

  void FillSubmessage(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                      Message& message) {
    const FieldDescriptor* list = OnlyList(*field.message_type());
    if (list == nullptr && node.kind != YamlNode::Kind::kMap)
      return Wrong(node, path, " wants a mapping of its own keys");
    Message& part = *message.GetReflection()->MutableMessage(&message, &field);
    if (list != nullptr) return FillList(node, path, *list, part);
    FillMap(node, path + ".", part);
  }

  void FillList(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    if (node.items.size() > rules_.most_items) return Wrong(node, path, ": the list is too long");
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_ENUM:
        return FillWords(node, path, field, message);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return FillMappings(node, path, field, message);
      case FieldDescriptor::CPPTYPE_UINT32:
        return FillNumbers(node, path, field, message);
      case FieldDescriptor::CPPTYPE_STRING:
        return FillTexts(node, path, field, message);
      default:
        return Wrong(node, path, " has a type without a YAML form");
    }
  }

  void FillNumbers(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                   Message& message) {
    constexpr std::string_view kWants = " wants a list of numbers, like [3]";
    if (node.kind != YamlNode::Kind::kList) return Wrong(node, path, kWants);
    for (const YamlNode& item : node.items) {
      const std::optional<std::uint64_t> number = NumberOf(item);
      if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return Wrong(item, path, kWants);
      message.GetReflection()->AddUInt32(&message, &field, static_cast<std::uint32_t>(*number));
    }
  }

  void FillTexts(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                 Message& message) {
    constexpr std::string_view kWants = " wants a list of texts, like [\"*\"]";
    if (node.kind != YamlNode::Kind::kList) return Wrong(node, path, kWants);
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::kScalar) return Wrong(item, path, kWants);
      message.GetReflection()->AddString(&message, &field, item.text);
    }
  }

  void FillWords(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                 Message& message) {
    if (node.kind != YamlNode::Kind::kList) {
      return Wrong(node, path, " wants a list of words, like [" + WordOf(*field.enum_type()->value(1)) + "]");
    }
    for (const YamlNode& item : node.items) {
      const EnumValueDescriptor* value = ValueOf(item, *field.enum_type());
      if (value == nullptr) {
        WrongWord(item, path, *field.enum_type());
      } else {
        message.GetReflection()->AddEnum(&message, &field, value);
      }
    }
  }

  void FillMappings(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                    Message& message) {
    constexpr std::string_view kWants = " wants a list of mappings";
    if (node.kind != YamlNode::Kind::kList) return Wrong(node, path, kWants);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const YamlNode& item = node.items[i];
      const std::string item_path = fmt::format("{}[{}]", path, i);
      if (item.kind != YamlNode::Kind::kMap) {
        Wrong(item, item_path, " wants a mapping of its own keys");
        continue;
      }
      places_[item_path] = {.source = item.source, .line = item.line};
      FillMap(item, item_path + ".", *message.GetReflection()->AddMessage(&message, &field));
    }
  }

  void FillNumber(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                  Message& message) {
    const std::optional<std::uint64_t> number = NumberOf(node);
    if (!number) return Wrong(node, path, " wants a plain decimal number" + Got(node));
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      message.GetReflection()->SetUInt64(&message, &field, *number);
      return;
    }
    if (*number > std::numeric_limits<std::uint32_t>::max())
      return Wrong(node, path, ": " + node.text + " is out of range");
    message.GetReflection()->SetUInt32(&message, &field, static_cast<std::uint32_t>(*number));
  }

  void FillText(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    if (node.kind != YamlNode::Kind::kScalar) return Wrong(node, path, " wants text");
    message.GetReflection()->SetString(&message, &field, node.text);
  }

  // YAML 1.1 would also read yes, on and y.
  void FillBool(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    const bool plain = node.kind == YamlNode::Kind::kScalar && !node.quoted;
    if (!plain || (node.text != "true" && node.text != "false"))
      return Wrong(node, path, " wants true or false" + Got(node));
    message.GetReflection()->SetBool(&message, &field, node.text == "true");
  }

  void FillEnum(const YamlNode& node, const std::string& path, const FieldDescriptor& field, Message& message) {
    const EnumValueDescriptor* value = ValueOf(node, *field.enum_type());
    if (value == nullptr) return WrongWord(node, path, *field.enum_type());
    message.GetReflection()->SetEnum(&message, &field, value);
  }

  // Null when it is none of the words. An "unknown" is what a reader makes of a newer writer, and nothing
  // to write.
  static const EnumValueDescriptor* ValueOf(const YamlNode& node, const EnumDescriptor& type) {
    for (int i = 0; i < type.value_count(); ++i) {
      if (node.kind == YamlNode::Kind::kScalar && node.text == WordOf(*type.value(i)) &&
          !IsUnknown(*type.value(i)))
        return type.value(i);
    }
    return nullptr;
  }

  void WrongWord(const YamlNode& node, const std::string& path, const EnumDescriptor& type) {
    std::string choices;
    for (int i = 0; i < type.value_count(); ++i) {
      if (!IsUnknown(*type.value(i))) choices += (choices.empty() ? "" : ", ") + WordOf(*type.value(i));
    }
    Wrong(node, path, " wants one of " + choices + Got(node));
  }

  static bool IsUnknown(const EnumValueDescriptor& value) {
    return value.number() == 0 && WordOf(value) == "unknown";
  }

  std::span<const std::string> files_;
  const KeyRules& rules_;
  std::vector<YamlFault>& faults_;
  FieldPlaces places_{};
};

}  // namespace

FieldPlaces FillMessage(const YamlNode& root, std::span<const std::string> files, const KeyRules& rules,
                        google::protobuf::Message& message, std::vector<YamlFault>& faults) {
  if (root.kind != YamlNode::Kind::kMap) {
    const bool empty = root.kind == YamlNode::Kind::kNull;
    faults.push_back({.file = files[static_cast<std::size_t>(root.source)],
                      .line = empty ? 1 : root.line,
                      .text = empty ? "the file is empty" : "not a mapping of keys to values"});
    return {};
  }
  Filler filler(files, rules, faults);
  filler.FillMap(root, "", message);
  return filler.Places();
}

std::string EnumWord(std::string_view enum_name, std::string_view value_name) {
  std::string word(value_name);
  const std::size_t prefix = enum_name.size() + 1;
  word = word.size() > prefix ? word.substr(prefix) : word;
  std::ranges::transform(word, word.begin(), [](char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

std::string ClosestWord(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kMistakes = 2;
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = kMistakes + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate);
    if (distance > MistakesAllowed(word, candidate, kMistakes)) continue;
    if (distance < best_distance && distance < word.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (!best.empty() || word.size() < 3) return best;
  const auto related = std::ranges::find_if(candidates, [word](const std::string& candidate) {
    return candidate.starts_with(word) || candidate.ends_with(word) || word.starts_with(candidate);
  });
  return related == candidates.end() ? "" : *related;
}

}  // namespace rdmaready
