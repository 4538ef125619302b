// SPDX-License-Identifier: Apache-2.0
#include "api/profile/yaml_writer.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>

#include "api/profile/profile_proto.h"
#include "api/profile/yaml_message.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Whether YAML reads the text as these very characters when nothing is around it.
bool IsPlain(std::string_view text) {
  constexpr std::array<std::string_view, 4> kNulls{"null", "Null", "NULL", "~"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto safe = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') ||
           std::string_view(" _-.,/()+%;").find(c) != std::string_view::npos;
  };
  return !text.empty() && letter(text.front()) && text.back() != ' ' && std::ranges::all_of(text, safe) &&
         std::ranges::find(kNulls, text) == kNulls.end();
}

std::string Scalar(const std::string& text) {
  if (IsPlain(text)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

class Writer {
 public:
  explicit Writer(const ProfileReading& reading) : reading_(reading) {}

  void WriteMap(const Message& message, const std::string& indent, const std::string& path) {
    for (const FieldDescriptor* field : FieldsOf(message)) {
      const std::string here = path + field->name();
      const std::string key = indent + field->name() + ":";
      if (field->is_repeated()) {
        WriteList(message, *field, key, here, indent);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        WritePart(message.GetReflection()->GetMessage(message, field), key, here, indent);
      } else {
        Line(key + " " + ValueText(message, *field), here);
      }
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  // Those that are set, in the order of the schema. A number that a part cannot do without is never left out:
  // protobuf does not list it when it is zero.
  static std::vector<const FieldDescriptor*> FieldsOf(const Message& message) {
    std::vector<const FieldDescriptor*> set;
    message.GetReflection()->ListFields(message, &set);
    const auto& type = *message.GetDescriptor();
    std::vector<const FieldDescriptor*> fields;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor* field = type.field(i);
      const bool needed = !field->is_repeated() && !field->has_presence() &&
                          field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32;
      if (field->name() != "digest" && (needed || std::ranges::find(set, field) != set.end()))
        fields.push_back(field);
    }
    return fields;
  }

  void WritePart(const Message& part, const std::string& key, const std::string& path,
                 const std::string& indent) {
    const auto* type = part.GetDescriptor();
    if (type->field_count() == 1 && type->field(0)->is_repeated())
      return Line(key + " " + ListText(part, *type->field(0)), path);
    if (FieldsOf(part).empty()) return Line(key + " {}", path);
    text_ += key + "\n";
    WriteMap(part, indent + "  ", path + ".");
  }

  void WriteList(const Message& message, const FieldDescriptor& field, const std::string& key,
                 const std::string& path, const std::string& indent) {
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      return Line(key + " " + ListText(message, field), path);
    text_ += key + "\n";
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      Line(indent + "  - {" + FlowText(reflection.GetRepeatedMessage(message, &field, i)) + "}",
           fmt::format("{}[{}]", path, i));
    }
  }

  static std::string FlowText(const Message& message) {
    std::string text;
    for (const FieldDescriptor* field : FieldsOf(message)) {
      text += (text.empty() ? "" : ", ") + field->name() + ": " +
              (field->is_repeated() ? ListText(message, *field) : ValueText(message, *field));
    }
    return text;
  }

  static std::string ListText(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    std::string text;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const bool word = field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
      text += text.empty() ? "" : ", ";
      text += word ? EnumWord(field.enum_type()->name(), reflection.GetRepeatedEnum(message, &field, i)->name())
                   : std::to_string(reflection.GetRepeatedUInt32(message, &field, i));
    }
    return "[" + text + "]";
  }

  static std::string ValueText(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_ENUM:
        return EnumWord(field.enum_type()->name(), reflection.GetEnum(message, &field)->name());
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection.GetBool(message, &field) ? "true" : "false";
      case FieldDescriptor::CPPTYPE_UINT64:
        return std::to_string(reflection.GetUInt64(message, &field));
      case FieldDescriptor::CPPTYPE_STRING:
        return Scalar(reflection.GetString(message, &field));
      default:  // the schema has no other (api/profile/yaml_message.cc reads no other)
        return std::to_string(reflection.GetUInt32(message, &field));
    }
  }

  void Line(std::string line, const std::string& path) {
    constexpr std::size_t kColumn = 32;
    const auto place = reading_.places.find(path);
    if (reading_.files.size() > 1 && place != reading_.places.end()) {
      line.resize(std::max(line.size(), kColumn), ' ');
      line += fmt::format("  # {}:{}", reading_.files[static_cast<std::size_t>(place->second.source)],
                          place->second.line);
    }
    text_ += line + "\n";
  }

  const ProfileReading& reading_;
  std::string text_{};
};

// A file's name may hold what ends a comment line.
std::string OneLine(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return text;
}

}  // namespace

std::string ProfileYaml(const ProfileReading& named) {
  ProfileReading reading = named;
  for (std::string& file : reading.files) file = OneLine(file);
  std::string head;
  for (const std::string& file : reading.files) head += (head.empty() ? "# " : ", which extends ") + file;
  Writer writer(reading);
  writer.WriteMap(ToProto(*reading.profile), "", "");
  return head + "\n# SHA-256 " + reading.profile->digest + "\n" + writer.Take();
}

}  // namespace rdmaready
