// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/model_json.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace rdmaready::apply {
namespace {

using Json = nlohmann::json;

bool NumberFromJson(const Json& json, const TypeInfo& type, void* value) {
  if (!json.is_number_integer()) return false;
  if (type.is_signed) return type.store(static_cast<std::uint64_t>(json.get<std::int64_t>()), value);
  return json.is_number_unsigned() && type.store(json.get<std::uint64_t>(), value);
}

bool ElementsFromJson(const Json& json, const TypeInfo& type, void* value) {
  if (!json.is_array()) return false;
  if (type.form == TypeInfo::Form::kArray && json.size() != type.size(value)) return false;
  if (type.form != TypeInfo::Form::kArray) type.resize(value, json.size());
  for (std::size_t i = 0; i < json.size(); ++i)
    if (!FromJson(json[i], *type.element, type.at(value, i))) return false;
  return true;
}

bool StructFromJson(const Json& json, const TypeInfo& type, void* value) {
  if (!json.is_object()) return false;
  for (const FieldInfo& field : type.fields()) {
    const auto found = json.find(field.name);
    if (found != json.end() && !FromJson(*found, *field.type, MemberOf(value, field))) return false;
  }
  return true;
}

}  // namespace

Json ToJson(const TypeInfo& type, const void* value) {
  switch (type.form) {
    case TypeInfo::Form::kUnknown:
      break;
    case TypeInfo::Form::kBool:
      return type.load(value) != 0;
    case TypeInfo::Form::kNumber:
    case TypeInfo::Form::kEnum:
      if (type.is_signed) return static_cast<std::int64_t>(type.load(value));
      return type.load(value);
    case TypeInfo::Form::kText:
      return *static_cast<const std::string*>(value);
    case TypeInfo::Form::kStruct: {
      Json object = Json::object();
      for (const FieldInfo& field : type.fields())
        object[std::string(field.name)] = ToJson(*field.type, MemberOf(value, field));
      return object;
    }
    case TypeInfo::Form::kArray:
    case TypeInfo::Form::kList:
    case TypeInfo::Form::kOptional:
    case TypeInfo::Form::kFact: {
      Json list = Json::array();
      for (std::size_t i = 0; i < type.size(value); ++i)
        list.push_back(ToJson(*type.element, type.At(value, i)));
      return list;
    }
  }
  return nullptr;
}

bool FromJson(const Json& json, const TypeInfo& type, void* value) {
  switch (type.form) {
    case TypeInfo::Form::kUnknown:
      return false;
    case TypeInfo::Form::kBool:
      return json.is_boolean() && type.store(json.get<bool>() ? 1 : 0, value);
    case TypeInfo::Form::kNumber:
    case TypeInfo::Form::kEnum:
      return NumberFromJson(json, type, value);
    case TypeInfo::Form::kText:
      if (!json.is_string()) return false;
      *static_cast<std::string*>(value) = json.get<std::string>();
      return true;
    case TypeInfo::Form::kStruct:
      return StructFromJson(json, type, value);
    case TypeInfo::Form::kArray:
    case TypeInfo::Form::kList:
      return ElementsFromJson(json, type, value);
    case TypeInfo::Form::kOptional:
    case TypeInfo::Form::kFact:
      return json.is_array() && json.size() <= 1 && ElementsFromJson(json, type, value);
  }
  return false;
}

}  // namespace rdmaready::apply
