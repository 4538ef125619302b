// SPDX-License-Identifier: Apache-2.0
#include "agent/store/earlier_body.h"

#include <google/protobuf/descriptor.h>

#include <string>

#include "api/convert/absent.h"
#include "api/convert/records.h"

namespace rdmaready {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using google::protobuf::Reflection;

// Today's number of an earlier one. What no earlier enum named stays as it is: a damaged row's.
int Renumbered(const EnumDescriptor& type, int number) {
  const bool shifted = &type == v1::Rung_descriptor() || &type == v1::Scope_descriptor() ||
                       &type == v1::Failure::Kind_descriptor();
  constexpr int kEarlierUnknown = 3;  // of v1::RungOutcome, after not run, pass and fail
  if (&type == v1::RungOutcome_descriptor() && number == kEarlierUnknown) return v1::RUNG_OUTCOME_UNKNOWN;
  const bool renumbered = shifted || &type == v1::RungOutcome_descriptor();
  return renumbered && number >= 0 && number < type.value_count() ? number + 1 : number;
}

void RenewScalar(ProtoMessage& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(&message, &field,
                                     Renumbered(*field.enum_type(), reflection.GetEnumValue(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.SetBool(&message, &field, reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(&message, &field, reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.SetUInt64(&message, &field, reflection.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(&message, &field, reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(&message, &field, reflection.GetString(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;  // no earlier body has such a number
  }
}

}  // namespace

void RenewBody(ProtoMessage& message) {
  const Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    const bool holds_messages = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field.is_repeated()) {
      const int count = holds_messages ? reflection.FieldSize(message, &field) : 0;
      for (int at = 0; at < count; ++at) RenewBody(*reflection.MutableRepeatedMessage(&message, &field, at));
    } else if (holds_messages) {
      if (convert::IsAlwaysSaid(field) || reflection.HasField(message, &field))
        RenewBody(*reflection.MutableMessage(&message, &field));
    } else if (convert::IsAlwaysSaid(field)) {
      RenewScalar(message, field);
    }
  }
}

}  // namespace rdmaready
