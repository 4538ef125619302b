// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/convert/document.h"
#include "api/convert/message_json.h"

namespace rdmaready::convert {
namespace {

using SchemaPart = nlohmann::ordered_json;
using Form = TypeInfo::Form;

// "findings": "finding".
std::string Singular(std::string_view name) {
  const bool several = name.size() > 2 && name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("us");
  return std::string(several ? name.substr(0, name.size() - 1) : name);
}

// Numbers may be left out of an enumeration.
SchemaPart Words(const TypeInfo& type, bool known) {
  SchemaPart words = SchemaPart::array();
  const std::string_view unknown = "unknown";
  if (!known) words.push_back(type.word(0));
  for (std::uint64_t number = 1; number < kEnumeratorsBelow; ++number)
    if (type.word(number) != unknown) words.push_back(type.word(number));
  return words;
}

class SchemaOfDocument {
 public:
  explicit SchemaOfDocument(const Document& document) : document_(document) { CountFields(*document.type); }

  SchemaPart Make() {
    SchemaPart schema{
        {"$comment",
         "SPDX-License-Identifier: Apache-2.0. Version 1.0. Fields are only added, so readers accept "
         "more than is described here."},
        {"$schema", "https://json-schema.org/draft/2020-12/schema"},
        {"$id", "urn:rdmaready:schema:v1:" + std::string(document_.name.substr(document_.name.rfind('.') + 1))},
        {"title", document_.name},
        {"type", "object"},
        {"properties", {{"schema", {{"const", document_.name}}}}},
        {"required", {"schema"}}};
    AddFields(*document_.type, schema);
    if (!definitions_.empty()) schema["$defs"] = definitions_;
    return schema;
  }

 private:
  void CountFields(const TypeInfo& type) {
    for (const FieldInfo& field : type.fields()) {
      if (field.as_json == AsJson::kKeyed || field.as_json == AsJson::kMessage) continue;
      const TypeInfo* part = field.type;
      while (part->element != nullptr) part = part->element;
      if (part->form != Form::kStruct) continue;
      if (++places_[part] == 1) CountFields(*part);
    }
  }

  SchemaPart Struct(const TypeInfo& type) {
    SchemaPart schema{
        {"type", "object"}, {"properties", SchemaPart::object()}, {"required", SchemaPart::array()}};
    AddFields(type, schema);
    return schema;
  }

  void AddFields(const TypeInfo& type, SchemaPart& schema) {
    SchemaPart either = SchemaPart::array();
    for (const FieldInfo& field : type.fields()) {
      const std::string name(field.name);
      SchemaPart property = Property(field);
      if (!field.about.empty()) property["description"] = field.about;
      schema["properties"][name] = std::move(property);
      if (field.in_json == InJson::kAlways) schema["required"].push_back(name);
      if (field.in_json == InJson::kOneOf) either.push_back({{"required", {name}}});
    }
    if (!either.empty()) schema["oneOf"] = std::move(either);
  }

  SchemaPart Property(const FieldInfo& field) {
    if (field.as_json == AsJson::kMessage) return MessageSchema(*field.type, field.message, definitions_);
    if (field.as_json == AsJson::kRaw) return {{"type", "object"}, {"additionalProperties", true}};
    if (field.as_json == AsJson::kKeyed)
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    if (!field.among.empty()) return {{"enum", std::vector<int>(field.among.begin(), field.among.end())}};
    const bool may_lack = field.in_json == InJson::kWhenThere || field.in_json == InJson::kOneOf;
    const bool left_out = may_lack && field.type->form == Form::kOptional;
    return Value(left_out ? *field.type->element : *field.type, field);
  }

  SchemaPart Value(const TypeInfo& type, const FieldInfo& field) {
    switch (type.form) {
      case Form::kUnknown:
      case Form::kFact:
        return SchemaPart::object();
      case Form::kBool:
        return {{"type", "boolean"}};
      case Form::kEnum:
        if (type.word != nullptr) return {{"enum", Words(type, field.as_json == AsJson::kKnown)}};
        [[fallthrough]];
      case Form::kNumber:
        return type.is_signed && field.as_json != AsJson::kNatural
                   ? SchemaPart{{"type", "integer"}}
                   : SchemaPart{{"type", "integer"}, {"minimum", 0}};
      case Form::kText:
        return {{"type", "string"}};
      case Form::kOptional:
        return {{"anyOf", {Value(*type.element, field), {{"type", "null"}}}}};
      case Form::kArray:
      case Form::kList:
        return {{"type", "array"}, {"items", Value(*type.element, field)}};
      case Form::kStruct:
        return places_[&type] > 1 ? Reference(type, field) : Struct(type);
    }
    return SchemaPart::object();
  }

  // Named by the first field that has it, in the order of the document.
  SchemaPart Reference(const TypeInfo& type, const FieldInfo& field) {
    std::string& name = names_[&type];
    if (name.empty()) {
      name = Singular(field.name);
      while (definitions_.contains(name)) name += "_";
      definitions_[name] = nullptr;  // the name is taken
      definitions_[name] = Struct(type);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  const Document& document_;
  std::map<const TypeInfo*, int> places_{};
  std::map<const TypeInfo*, std::string> names_{};
  std::map<std::string, SchemaPart> definitions_{};
};

}  // namespace

std::string SchemaText(const Document& document) {
  std::string text = SchemaOfDocument(document).Make().dump(1, ' ', true);
  return text.replace(0, std::string_view("{\n ").size(), "{") + "\n";
}

}  // namespace rdmaready::convert
