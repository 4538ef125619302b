// SPDX-License-Identifier: Apache-2.0
#include "api/convert/document.h"

#include <nlohmann/json.hpp>

namespace rdmaready::convert {
namespace {

using PrintedJson = nlohmann::ordered_json;
using Form = TypeInfo::Form;

PrintedJson Printed(const TypeInfo& type, const void* value);

PrintedJson PrintedNumber(const TypeInfo& type, const void* value) {
  const std::uint64_t number = type.load(value);
  return type.is_signed ? PrintedJson(static_cast<std::int64_t>(number)) : PrintedJson(number);
}

// Key and value are the two texts of each element.
PrintedJson PrintedByKey(const TypeInfo& type, const void* list) {
  PrintedJson object = PrintedJson::object();
  for (std::size_t i = 0; i < type.size(list); ++i) {
    const PrintedJson pair = Printed(*type.element, type.At(list, i));
    object[pair.begin()->get<std::string>()] = *std::next(pair.begin());
  }
  return object;
}

PrintedJson PrintedField(const FieldInfo& field, const void* value) {
  switch (field.as_json) {
    case AsJson::kItself:
    case AsJson::kKnown:
      return Printed(*field.type, value);
    case AsJson::kKeyed:
      return PrintedByKey(*field.type, value);
    case AsJson::kRaw:
      return PrintedJson::parse(*static_cast<const std::string*>(value), nullptr, false);
  }
  return nullptr;
}

bool IsThere(const FieldInfo& field, const void* value) {
  if (field.in_json == InJson::kAlways || field.in_json == InJson::kAdded) return true;
  const TypeInfo& type = *field.type;
  if (type.form == Form::kOptional) return type.size(value) > 0;
  return type.form != Form::kText || !static_cast<const std::string*>(value)->empty();
}

void AddFields(const TypeInfo& type, const void* object, PrintedJson& to) {
  for (const FieldInfo& field : type.fields()) {
    field.Visit(object, [&](const void* value) {
      if (IsThere(field, value)) to[std::string(field.name)] = PrintedField(field, value);
    });
  }
}

PrintedJson Printed(const TypeInfo& type, const void* value) {
  switch (type.form) {
    case Form::kUnknown:
    case Form::kFact:
      return nullptr;
    case Form::kBool:
      return type.load(value) != 0;
    case Form::kNumber:
      return PrintedNumber(type, value);
    case Form::kEnum:
      return type.word == nullptr ? PrintedNumber(type, value) : PrintedJson(type.word(type.load(value)));
    case Form::kText:
      return *static_cast<const std::string*>(value);
    case Form::kOptional:
      return type.size(value) > 0 ? Printed(*type.element, type.At(value, 0)) : PrintedJson(nullptr);
    case Form::kArray:
    case Form::kList: {
      PrintedJson list = PrintedJson::array();
      for (std::size_t i = 0; i < type.size(value); ++i)
        list.push_back(Printed(*type.element, type.At(value, i)));
      return list;
    }
    case Form::kStruct: {
      PrintedJson object = PrintedJson::object();
      AddFields(type, value, object);
      return object;
    }
  }
  return nullptr;
}

}  // namespace

std::string DocumentText(const Document& document, const void* value) {
  PrintedJson object{{"schema", document.name}};
  AddFields(*document.type, value, object);
  return object.dump(2, ' ', true, PrintedJson::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready::convert
