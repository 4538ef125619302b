// SPDX-License-Identifier: Apache-2.0
#include "api/convert/message_json.h"

#include <absl/strings/escaping.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {
namespace {

using MessagePart = nlohmann::ordered_json;
using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using Form = TypeInfo::Form;

const Descriptor& DescriptorOf(std::string_view message) {
  return *v1::Facts::descriptor()->file()->pool()->FindMessageTypeByName(std::string(message));
}

bool IsList(const TypeInfo& type) { return type.form == Form::kList || type.form == Form::kArray; }
bool MayLack(const TypeInfo& type) { return type.form == Form::kFact || type.form == Form::kOptional; }

// A number or text that may be absent: such fields follow the others, as in protobuf's own JSON, of which this
// keeps the order.
bool IsAfterOthers(const TypeInfo& type, const FieldDescriptor& slot) {
  return type.form == Form::kOptional && slot.message_type() == nullptr;
}

// A list that may be absent keeps the message around it: {"addresses": [...]}.
bool IsWrapped(const TypeInfo& element, const FieldDescriptor& slot) {
  return IsList(element) && slot.message_type() != nullptr;
}

// Calls use(field, slot) for each field of the struct, in the order of JSON.
template <class Use>
void ForEachField(const TypeInfo& type, const Descriptor& message, const Use& use) {
  for (const bool after_others : {false, true}) {
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& slot = *message.field(i);
      const auto field = std::ranges::find(type.fields(), std::string_view(slot.name()), &FieldInfo::name);
      if (field == type.fields().end()) continue;  // of the gaps
      if (IsAfterOthers(*field->type, slot) == after_others) use(*field, slot);
    }
  }
}

// ---- the value ----

class MessageWriter {
 public:
  static MessagePart Struct(const TypeInfo& type, const void* from, const Descriptor& message) {
    MessagePart json = MessagePart::object();
    ForEachField(type, message, [&](const FieldInfo& field, const FieldDescriptor& slot) {
      const void* member = MemberOf(from, field);
      if (field.type->form == Form::kFact) {
        json[slot.name()] = Fact(*field.type, member, slot);
      } else if (field.type->form != Form::kOptional) {
        json[slot.name()] = Value(*field.type, member, slot);
      } else if (field.type->size(member) > 0) {
        json[slot.name()] = Held(*field.type, member, slot);
      }
    });
    return json;
  }

 private:
  static MessagePart Enumerator(int number, const EnumDescriptor& kinds) {
    const auto* named = kinds.FindValueByNumber(number);
    return named == nullptr ? MessagePart(number) : MessagePart(named->name());
  }

  static MessagePart Number(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
    const std::uint64_t number = type.load(from);
    const auto as_signed = static_cast<std::int64_t>(number);
    switch (slot.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return number != 0;
      case FieldDescriptor::CPPTYPE_ENUM:
        return Enumerator(static_cast<int>(as_signed), *slot.enum_type());
      case FieldDescriptor::CPPTYPE_INT64:
        return std::to_string(as_signed);
      case FieldDescriptor::CPPTYPE_UINT64:
        return std::to_string(number);
      case FieldDescriptor::CPPTYPE_INT32:
        return as_signed;
      case FieldDescriptor::CPPTYPE_UINT32:
        return number;
      case FieldDescriptor::CPPTYPE_STRING:
      case FieldDescriptor::CPPTYPE_MESSAGE:
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        break;  // such a field has no number
    }
    return nullptr;
  }

  // `slot` is the repeated field, or the message around it.
  static MessagePart Elements(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
    if (slot.type() == FieldDescriptor::TYPE_BYTES) {
      const absl::string_view octets(static_cast<const char*>(type.At(from, 0)), type.size(from));
      return absl::Base64Escape(octets);
    }
    if (!slot.is_repeated()) return Elements(type, from, *slot.message_type()->field(0));
    MessagePart list = MessagePart::array();
    for (std::size_t i = 0; i < type.size(from); ++i)
      list.push_back(Value(*type.element, type.At(from, i), slot));
    return list;
  }

  static MessagePart Value(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
    switch (type.form) {
      case Form::kUnknown:
      case Form::kOptional:
      case Form::kFact:
        break;  // a field's own; never within a list
      case Form::kBool:
      case Form::kNumber:
      case Form::kEnum:
        return Number(type, from, slot);
      case Form::kText:
        return *static_cast<const std::string*>(from);
      case Form::kStruct:
        return Struct(type, from, *slot.message_type());
      case Form::kArray:
      case Form::kList:
        return Elements(type, from, slot);
    }
    return nullptr;
  }

  static MessagePart Held(const TypeInfo& holder, const void* from, const FieldDescriptor& slot) {
    MessagePart value = Value(*holder.element, holder.At(from, 0), slot);
    if (!IsWrapped(*holder.element, slot)) return value;
    return {{slot.message_type()->field(0)->name(), std::move(value)}};
  }

  static MessagePart Fact(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
    if (type.size(from) > 0) return {{"value", Held(type, from, slot)}};
    const Missing& why = type.gap(from);
    const MessagePart kind = Enumerator(static_cast<int>(why.kind), *v1::Missing::Kind_descriptor());
    return {{"missing", {{"kind", kind}, {"detail", why.detail}}}};
  }
};

// ---- its schema ----

// The names of types, without that of their package: they name the definitions, too.
template <class AnyDescriptor>
std::string ShortName(const AnyDescriptor& type) {
  return type.full_name().substr(type.file()->package().size() + 1);
}

class MessageSchemas {
 public:
  using Definitions = std::map<std::string, MessagePart>;

  explicit MessageSchemas(Definitions& definitions) : definitions_(definitions) {}

  MessagePart Struct(const TypeInfo& type, const Descriptor& message) {
    return Defined(ShortName(message), [&] {
      MessagePart properties = MessagePart::object();
      MessagePart required = MessagePart::array();
      ForEachField(type, message, [&](const FieldInfo& field, const FieldDescriptor& slot) {
        properties[slot.name()] = Field(*field.type, slot);
        if (field.type->form != Form::kOptional) required.push_back(slot.name());
      });
      return Object(std::move(properties), std::move(required));
    });
  }

 private:
  // The definition of this name, which `make` gives the first time.
  template <class Make>
  MessagePart Defined(const std::string& name, const Make& make) {
    if (definitions_.try_emplace(name, nullptr).second) {
      MessagePart made = make();
      definitions_[name] = std::move(made);
    }
    return {{"$ref", "#/$defs/" + name}};
  }

  static MessagePart Object(MessagePart properties, MessagePart required) {
    return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
  }
  static MessagePart ObjectOf(const std::string& key, MessagePart value) {
    return Object({{key, std::move(value)}}, MessagePart::array({key}));
  }

  MessagePart Enumerators(const EnumDescriptor& kinds) {
    return Defined(ShortName(kinds), [&] {
      MessagePart names = MessagePart::array();
      for (int i = 0; i < kinds.value_count(); ++i) names.push_back(kinds.value(i)->name());
      return MessagePart{{"enum", std::move(names)}};
    });
  }

  MessagePart Single(const FieldDescriptor& slot) {
    switch (slot.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_ENUM:
        return Enumerators(*slot.enum_type());
      case FieldDescriptor::CPPTYPE_INT64:
        return {{"type", "string"}, {"pattern", "^-?[0-9]+$"}};
      case FieldDescriptor::CPPTYPE_UINT64:
        return {{"type", "string"}, {"pattern", "^[0-9]+$"}};
      case FieldDescriptor::CPPTYPE_INT32:
        return {{"type", "integer"}};
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"minimum", 0}};
      case FieldDescriptor::CPPTYPE_STRING:
        if (slot.type() == FieldDescriptor::TYPE_BYTES)
          return {{"type", "string"}, {"contentEncoding", "base64"}};
        return {{"type", "string"}};
      case FieldDescriptor::CPPTYPE_MESSAGE:
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE:
        break;  // a struct or a list; facts have no others
    }
    return MessagePart::object();
  }

  MessagePart Value(const TypeInfo& type, const FieldDescriptor& slot) {
    if (type.form == Form::kStruct) return Struct(type, *slot.message_type());
    if (!IsList(type) || slot.type() == FieldDescriptor::TYPE_BYTES) return Single(slot);
    if (!slot.is_repeated()) return Value(type, *slot.message_type()->field(0));
    return {{"type", "array"}, {"items", Value(*type.element, slot)}};
  }

  MessagePart Held(const TypeInfo& element, const FieldDescriptor& slot) {
    if (!IsWrapped(element, slot)) return Value(element, slot);
    return Defined(ShortName(*slot.message_type()),
                   [&] { return ObjectOf(slot.message_type()->field(0)->name(), Value(element, slot)); });
  }

  MessagePart Field(const TypeInfo& type, const FieldDescriptor& slot) {
    if (!MayLack(type)) return Value(type, slot);
    if (type.form == Form::kOptional) return Held(*type.element, slot);
    return Defined("FactOf" + NameOfType(slot), [&] {
      return MessagePart{{"oneOf", {ObjectOf("value", Held(*type.element, slot)), Gap()}}};
    });
  }

  static std::string NameOfType(const FieldDescriptor& slot) {
    if (slot.message_type() != nullptr) return ShortName(*slot.message_type());
    if (slot.enum_type() != nullptr) return ShortName(*slot.enum_type());
    return std::string("_") + slot.type_name();
  }

  MessagePart Gap() {
    return Defined("Gap", [&] {
      return ObjectOf("missing", Object({{"kind", Enumerators(*v1::Missing::Kind_descriptor())},
                                         {"detail", {{"type", "string"}}}},
                                        MessagePart::array({"kind", "detail"})));
    });
  }

  Definitions& definitions_;
};

}  // namespace

MessagePart MessageJson(const TypeInfo& type, const void* value, std::string_view message) {
  return MessageWriter::Struct(type, value, DescriptorOf(message));
}

MessagePart MessageSchema(const TypeInfo& type, std::string_view message,
                          std::map<std::string, MessagePart>& definitions) {
  return MessageSchemas(definitions).Struct(type, DescriptorOf(message));
}

}  // namespace rdmaready::convert
