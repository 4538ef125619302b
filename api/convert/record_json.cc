// SPDX-License-Identifier: Apache-2.0
#include "api/convert/record_json.h"

#include <absl/strings/ascii.h>
#include <google/protobuf/descriptor.h>

#include <nlohmann/json.hpp>

namespace rdmaready {
namespace {

using RecordValue = nlohmann::ordered_json;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

// "HOST_CONDITION_NOT_READY" of HostCondition: "not-ready".
RecordValue WordOf(const EnumValueDescriptor& value) {
  std::size_t prefix = 1;
  for (const char c : value.type()->name()) prefix += c >= 'A' && c <= 'Z' ? 2 : 1;
  std::string word = value.name().substr(prefix - 1);  // no underscore before the first capital
  for (char& c : word) c = c == '_' ? '-' : absl::ascii_tolower(static_cast<unsigned char>(c));
  return word;
}

RecordValue Single(const google::protobuf::Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.GetFloat(message, &field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.GetDouble(message, &field);
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return WordOf(*reflection.GetEnum(message, &field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return RecordJson(reflection.GetMessage(message, &field));
  }
  return nullptr;
}

// Lists of texts and messages: no record has others.
RecordValue Repeated(const google::protobuf::Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  RecordValue list = RecordValue::array();
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      list.push_back(RecordJson(reflection.GetRepeatedMessage(message, &field, i)));
    } else {
      list.push_back(reflection.GetRepeatedString(message, &field, i));
    }
  }
  return list;
}

}  // namespace

nlohmann::ordered_json RecordJson(const google::protobuf::Message& message) {
  RecordValue object = RecordValue::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    object[field.name()] = field.is_repeated() ? Repeated(message, field) : Single(message, field);
  }
  return object;
}

std::string SchemaJson(const std::string& schema, const nlohmann::ordered_json& fields, bool one_line) {
  RecordValue object{{"schema", schema}};
  object.update(fields);
  return object.dump(one_line ? -1 : 2, ' ', true, RecordValue::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready
