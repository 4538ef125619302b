// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "api/base/status.h"

namespace rdmaready {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::size_t kMaxListItems = 64;

std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

std::string Quoted(std::string_view word) {
  constexpr std::size_t kShown = 60;
  std::string text(word.substr(0, kShown));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return "`" + text + (word.size() > kShown ? "..." : "") + "`";
}

// "TRANSPORT_ROCE_V2" of enum Transport -> "roce-v2".
std::string WordOf(const EnumValueDescriptor& value) {
  std::string word = value.name();
  const std::size_t prefix = value.type()->name().size() + 1;
  word = word.size() > prefix ? word.substr(prefix) : word;
  std::ranges::transform(word, word.begin(), [](char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word;
}

// A plain decimal number. No sign, no leading zero (YAML 1.1 would read it as octal), no exponent.
std::optional<std::uint64_t> NumberOf(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || node.quoted || node.text.empty()) return std::nullopt;
  if (node.text.size() > 1 && node.text.front() == '0') return std::nullopt;
  std::uint64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The field that a list stands for: the message's only field, if it is repeated.
const FieldDescriptor* OnlyList(const Descriptor& type) {
  return type.field_count() == 1 && type.field(0)->is_repeated() ? type.field(0) : nullptr;
}

class Filler {
 public:
  Filler(std::string_view file_name, std::string_view not_a_key)
      : file_name_(file_name), not_a_key_(not_a_key) {}

  absl::Status FillMap(const YamlNode& node, const std::string& prefix, Message& message) {
    for (const YamlNode::Entry& entry : node.entries) {
      const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(entry.key);
      if (field == nullptr || (prefix.empty() && entry.key == not_a_key_))
        return UnknownKey(entry, prefix, message);
      const std::string path = prefix + entry.key;
      lines_[path] = entry.line;
      RR_RETURN_IF_ERROR(FillField(entry.value, entry.line, path, *field, message));
    }
    return absl::OkStatus();
  }

  FieldLines Lines() { return std::move(lines_); }

 private:
  absl::Status Error(int line, std::string_view text) const { return YamlError(file_name_, line, text); }

  absl::Status UnknownKey(const YamlNode::Entry& entry, const std::string& prefix,
                          const Message& message) const {
    std::vector<std::string> known;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const std::string& name = message.GetDescriptor()->field(i)->name();
      if (!prefix.empty() || name != not_a_key_) known.push_back(name);
    }
    const std::string close = ClosestWord(entry.key, known);
    const std::string where = prefix.empty() ? "" : " in `" + prefix.substr(0, prefix.size() - 1) + "`";
    return Error(entry.line, "unknown key " + Quoted(entry.key) + where +
                                 (close.empty() ? "" : " (did you mean `" + close + "`?)"));
  }

  absl::Status FillField(const YamlNode& node, int line, const std::string& path, const FieldDescriptor& field,
                         Message& message) {
    if (node.kind == YamlNode::Kind::kNull) return Error(line, "key `" + path + "` has no value");
    if (field.is_repeated()) return FillList(node, path, field, message);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return FillSubmessage(node, path, *message.GetReflection()->MutableMessage(&message, &field));
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
    return absl::InternalError("a field has a type without a YAML form: " + field.full_name());
  }

  absl::Status FillSubmessage(const YamlNode& node, const std::string& path, Message& message) {
    const FieldDescriptor* list = OnlyList(*message.GetDescriptor());
    if (list != nullptr) return FillList(node, path, *list, message);
    if (node.kind != YamlNode::Kind::kMap)
      return Error(node.line, "key `" + path + "` wants a mapping of its own keys");
    return FillMap(node, path + ".", message);
  }

  absl::Status FillList(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                        Message& message) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) return FillWords(node, path, field, message);
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_UINT32) {
      return absl::InternalError("a list has a type without a YAML form: " + field.full_name());
    }
    if (node.kind != YamlNode::Kind::kList)
      return Error(node.line, "key `" + path + "` wants a list of numbers, like [3]");
    if (node.items.size() > kMaxListItems) return Error(node.line, "key `" + path + "`: the list is too long");
    for (const YamlNode& item : node.items) {
      const std::optional<std::uint64_t> number = NumberOf(item);
      if (!number || *number > std::numeric_limits<std::uint32_t>::max()) {
        return Error(item.line, "key `" + path + "` wants a list of numbers, like [3]");
      }
      message.GetReflection()->AddUInt32(&message, &field, static_cast<std::uint32_t>(*number));
    }
    return absl::OkStatus();
  }

  absl::Status FillWords(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                         Message& message) {
    if (node.kind != YamlNode::Kind::kList)
      return Error(node.line, "key `" + path + "` wants a list of words, like [" +
                                  WordOf(*field.enum_type()->value(1)) + "]");
    if (node.items.size() > kMaxListItems) return Error(node.line, "key `" + path + "`: the list is too long");
    for (const YamlNode& item : node.items) {
      const EnumValueDescriptor* value = ValueOf(item, *field.enum_type());
      if (value == nullptr) return WrongWord(item, path, *field.enum_type());
      message.GetReflection()->AddEnum(&message, &field, value);
    }
    return absl::OkStatus();
  }

  absl::Status FillNumber(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                          Message& message) {
    const std::optional<std::uint64_t> number = NumberOf(node);
    if (!number) {
      const std::string got = node.kind == YamlNode::Kind::kScalar ? ", not " + Quoted(node.text) : "";
      return Error(node.line, "key `" + path + "` wants a plain decimal number" + got);
    }
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      message.GetReflection()->SetUInt64(&message, &field, *number);
      return absl::OkStatus();
    }
    if (*number > std::numeric_limits<std::uint32_t>::max()) {
      return Error(node.line, "key `" + path + "`: " + node.text + " is out of range");
    }
    message.GetReflection()->SetUInt32(&message, &field, static_cast<std::uint32_t>(*number));
    return absl::OkStatus();
  }

  absl::Status FillText(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                        Message& message) {
    if (node.kind != YamlNode::Kind::kScalar) return Error(node.line, "key `" + path + "` wants text");
    message.GetReflection()->SetString(&message, &field, node.text);
    return absl::OkStatus();
  }

  // YAML 1.1 would also read yes, on and y.
  absl::Status FillBool(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                        Message& message) {
    const bool plain = node.kind == YamlNode::Kind::kScalar && !node.quoted;
    if (!plain || (node.text != "true" && node.text != "false")) {
      return Error(node.line, "key `" + path + "` wants true or false");
    }
    message.GetReflection()->SetBool(&message, &field, node.text == "true");
    return absl::OkStatus();
  }

  absl::Status FillEnum(const YamlNode& node, const std::string& path, const FieldDescriptor& field,
                        Message& message) {
    const EnumValueDescriptor* value = ValueOf(node, *field.enum_type());
    if (value == nullptr) return WrongWord(node, path, *field.enum_type());
    message.GetReflection()->SetEnum(&message, &field, value);
    return absl::OkStatus();
  }

  // Null when it is none of the words. An "unknown" is what a reader makes of a newer writer, and nothing to
  // write.
  static const EnumValueDescriptor* ValueOf(const YamlNode& node, const EnumDescriptor& type) {
    for (int i = 0; i < type.value_count(); ++i) {
      if (node.kind == YamlNode::Kind::kScalar && node.text == WordOf(*type.value(i)) &&
          !IsUnknown(*type.value(i)))
        return type.value(i);
    }
    return nullptr;
  }

  absl::Status WrongWord(const YamlNode& node, const std::string& path, const EnumDescriptor& type) const {
    std::string choices;
    for (int i = 0; i < type.value_count(); ++i) {
      if (!IsUnknown(*type.value(i))) choices += (choices.empty() ? "" : ", ") + WordOf(*type.value(i));
    }
    const std::string got = node.kind == YamlNode::Kind::kScalar ? ", not " + Quoted(node.text) : "";
    return Error(node.line, "key `" + path + "` wants one of " + choices + got);
  }

  static bool IsUnknown(const EnumValueDescriptor& value) {
    return value.number() == 0 && WordOf(value) == "unknown";
  }

  std::string_view file_name_;
  std::string_view not_a_key_;
  FieldLines lines_{};
};

}  // namespace

absl::StatusOr<FieldLines> FillMessage(const YamlNode& root, std::string_view file_name,
                                       std::string_view not_a_key, google::protobuf::Message& message) {
  if (root.kind == YamlNode::Kind::kNull) return YamlError(file_name, 1, "the file is empty");
  if (root.kind != YamlNode::Kind::kMap)
    return YamlError(file_name, root.line, "not a mapping of keys to values");
  Filler filler(file_name, not_a_key);
  RR_RETURN_IF_ERROR(filler.FillMap(root, "", message));
  return filler.Lines();
}

std::string ClosestWord(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kMistakes = 2;
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = kMistakes + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = Distance(word, candidate);
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
