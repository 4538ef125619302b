// SPDX-License-Identifier: Apache-2.0
#include "api/convert/model_json.h"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "api/convert/message_json.h"

namespace rdmaready::convert {
namespace {

using Form = TypeInfo::Form;

// ---- to JSON ----

// `kShown`: for a reader; else to be read back.
template <class Json, bool kShown>
class ModelWriter {
 public:
  static Json Value(const TypeInfo& type, const void* value) {
    switch (type.form) {
      case Form::kUnknown:
        break;
      case Form::kBool:
        return type.load(value) != 0;
      case Form::kNumber:
        return Number(type, value);
      case Form::kEnum:
        return kShown && type.word != nullptr ? Json(type.word(type.load(value))) : Number(type, value);
      case Form::kText:
        return *static_cast<const std::string*>(value);
      case Form::kStruct:
        return Struct(type, value);
      case Form::kOptional:
        if (!kShown) return List(type, value);
        return type.size(value) > 0 ? Value(*type.element, type.At(value, 0)) : Json(nullptr);
      case Form::kArray:
      case Form::kList:
      case Form::kFact:
        return List(type, value);
    }
    return nullptr;
  }

 private:
  static Json Number(const TypeInfo& type, const void* value) {
    const std::uint64_t number = type.load(value);
    return type.is_signed ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }

  static Json List(const TypeInfo& type, const void* value) {
    Json list = Json::array();
    for (std::size_t i = 0; i < type.size(value); ++i) list.push_back(Value(*type.element, type.At(value, i)));
    return list;
  }

  static Json Struct(const TypeInfo& type, const void* value) {
    Json object = Json::object();
    for (const FieldInfo& field : type.fields()) {
      field.Visit(value, [&](const void* member) {
        if (IsThere(field, member)) object[std::string(field.name)] = Field(field, member);
      });
    }
    return object;
  }

  static bool IsThere(const FieldInfo& field, const void* value) {
    if (value == nullptr) return false;
    if (field.in_json == InJson::kAlways || field.in_json == InJson::kAdded) return true;
    if (field.type->form == Form::kOptional) return field.type->size(value) > 0;
    return field.type->form != Form::kText || !static_cast<const std::string*>(value)->empty();
  }

  static Json Field(const FieldInfo& field, const void* value) {
    switch (field.as_json) {
      case AsJson::kItself:
      case AsJson::kKnown:
      case AsJson::kNatural:
        return Value(*field.type, value);
      case AsJson::kKeyed:
        return Keyed(*field.type, value);
      case AsJson::kRaw:
        return Json::parse(*static_cast<const std::string*>(value), nullptr, false);
      case AsJson::kMessage:
        return MessageJson(*field.type, value, field.message);
    }
    return nullptr;
  }

  // Key and value are the two texts of each element.
  static Json Keyed(const TypeInfo& type, const void* list) {
    Json object = Json::object();
    for (std::size_t i = 0; i < type.size(list); ++i) {
      const Json pair = Value(*type.element, type.At(list, i));
      object[pair.begin()->template get<std::string>()] = *std::next(pair.begin());
    }
    return object;
  }
};

// ---- from JSON ----

using KeptForm = nlohmann::json;

bool ReadNumber(const KeptForm& json, const TypeInfo& type, void* value) {
  if (!json.is_number_integer()) return false;
  if (type.is_signed) return type.store(static_cast<std::uint64_t>(json.get<std::int64_t>()), value);
  return json.is_number_unsigned() && type.store(json.get<std::uint64_t>(), value);
}

bool ReadElements(const KeptForm& json, const TypeInfo& type, void* value) {
  if (!json.is_array()) return false;
  if (type.form == Form::kArray && json.size() != type.size(value)) return false;
  if (type.form != Form::kArray) type.resize(value, json.size());
  for (std::size_t i = 0; i < json.size(); ++i)
    if (!ReadKeptJson(json[i], *type.element, type.at(value, i))) return false;
  return true;
}

bool ReadFields(const KeptForm& json, const TypeInfo& type, void* value) {
  if (!json.is_object()) return false;
  for (const FieldInfo& field : type.fields()) {
    const auto found = json.find(field.name);
    if (found != json.end() && !ReadKeptJson(*found, *field.type, MemberOf(value, field))) return false;
  }
  return true;
}

}  // namespace

nlohmann::ordered_json ShownJson(const TypeInfo& type, const void* value) {
  return ModelWriter<nlohmann::ordered_json, true>::Value(type, value);
}

nlohmann::json KeptJson(const TypeInfo& type, const void* value) {
  return ModelWriter<nlohmann::json, false>::Value(type, value);
}

bool ReadKeptJson(const nlohmann::json& json, const TypeInfo& type, void* value) {
  switch (type.form) {
    case Form::kUnknown:
      return false;
    case Form::kBool:
      return json.is_boolean() && type.store(json.get<bool>() ? 1 : 0, value);
    case Form::kNumber:
    case Form::kEnum:
      return ReadNumber(json, type, value);
    case Form::kText:
      if (!json.is_string()) return false;
      *static_cast<std::string*>(value) = json.get<std::string>();
      return true;
    case Form::kStruct:
      return ReadFields(json, type, value);
    case Form::kArray:
    case Form::kList:
      return ReadElements(json, type, value);
    case Form::kOptional:
    case Form::kFact:
      return json.is_array() && json.size() <= 1 && ReadElements(json, type, value);
  }
  return false;
}

}  // namespace rdmaready::convert
