// SPDX-License-Identifier: Apache-2.0
// Messages in which every field says something, and a walk over what can be left out of them.
#pragma once

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace rdmaready {

class Filled {
 public:
  using FieldDescriptor = google::protobuf::FieldDescriptor;
  using ProtoMessage = google::protobuf::Message;
  using Reflection = google::protobuf::Reflection;

  // Every field of the message, and of those in it, one value; never the default. Of a oneof the last.
  static void Fill(ProtoMessage& message) {
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      if (field.is_repeated()) {
        Add(message, field);
      } else {
        Set(message, field, i);
      }
    }
  }

  // Calls `look` for each field that the message has and for those in it, each without that field; returns how
  // many.
  static int Drop(ProtoMessage& message, const std::function<void(const FieldDescriptor&)>& look) {
    const Reflection& reflection = *message.GetReflection();
    int dropped = 0;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor& field = *message.GetDescriptor()->field(i);
      const bool there = field.is_repeated() ? reflection.FieldSize(message, &field) > 0
                                             : reflection.HasField(message, &field);
      if (!there) continue;
      if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        dropped += Drop(field.is_repeated() ? *reflection.MutableRepeatedMessage(&message, &field, 0)
                                            : *reflection.MutableMessage(&message, &field),
                        look);
      }
      const std::unique_ptr<ProtoMessage> whole(message.New());
      whole->CopyFrom(message);
      reflection.ClearField(&message, &field);
      look(field);
      message.CopyFrom(*whole);
      ++dropped;
    }
    return dropped;
  }

 private:
  static void Set(ProtoMessage& message, const FieldDescriptor& field, int i) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection.SetBool(&message, &field, true);
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection.SetUInt32(&message, &field, 100 + static_cast<std::uint32_t>(i));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection.SetUInt64(&message, &field, 1000 + static_cast<std::uint64_t>(i));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection.SetInt64(&message, &field, 1000 + i);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection.SetEnumValue(&message, &field, field.enum_type()->value_count() - 1);
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection.SetString(&message, &field, field.name());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(*reflection.MutableMessage(&message, &field));
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT:
        ADD_FAILURE() << field.full_name() << ": a type that none of the messages has";
    }
  }

  static void Add(ProtoMessage& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    constexpr int kElements = 8;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection.AddString(&message, &field, field.name());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return Fill(*reflection.AddMessage(&message, &field));
      case FieldDescriptor::CPPTYPE_UINT64:
        for (int i = 0; i < kElements; ++i) reflection.AddUInt64(&message, &field, 1);
        return;
      default:
        ADD_FAILURE() << field.full_name() << ": a list that none of the messages has";
    }
  }
};

}  // namespace rdmaready
