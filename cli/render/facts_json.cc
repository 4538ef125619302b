// SPDX-License-Identifier: Apache-2.0
// Walks the fields of the structs (api/model/fields.h) beside the messages' descriptors, which know the names.
#include "cli/render/facts_json.h"

#include <absl/strings/escaping.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "api/model/fields.h"
#include "cli/render/json.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using Form = TypeInfo::Form;

Json StructToJson(const TypeInfo& type, const void* from, const Descriptor& message);
Json ValueToJson(const TypeInfo& type, const void* from, const FieldDescriptor& slot);

Json EnumeratorToJson(int number, const EnumDescriptor& kinds) {
  const auto* named = kinds.FindValueByNumber(number);
  return named == nullptr ? Json(number) : Json(named->name());
}

Json NumberToJson(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
  const std::uint64_t number = type.load(from);
  const auto as_signed = static_cast<std::int64_t>(number);
  switch (slot.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return number != 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumeratorToJson(static_cast<int>(as_signed), *slot.enum_type());
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
      break;  // no number stands in such a field
  }
  return nullptr;
}

// `slot` is the repeated field, or the message around it.
Json ElementsToJson(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
  if (slot.type() == FieldDescriptor::TYPE_BYTES) {
    const absl::string_view octets(static_cast<const char*>(type.At(from, 0)), type.size(from));
    return absl::Base64Escape(octets);
  }
  if (!slot.is_repeated()) return ElementsToJson(type, from, *slot.message_type()->field(0));
  Json list = Json::array();
  for (std::size_t i = 0; i < type.size(from); ++i) {
    list.push_back(ValueToJson(*type.element, type.At(from, i), slot));
  }
  return list;
}

Json ValueToJson(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
  switch (type.form) {
    case Form::kUnknown:
    case Form::kOptional:
    case Form::kFact:
      break;  // a field's own; never within a list
    case Form::kBool:
    case Form::kNumber:
    case Form::kEnum:
      return NumberToJson(type, from, slot);
    case Form::kText:
      return *static_cast<const std::string*>(from);
    case Form::kStruct:
      return StructToJson(type, from, *slot.message_type());
    case Form::kArray:
    case Form::kList:
      return ElementsToJson(type, from, slot);
  }
  return nullptr;
}

// A list that may be absent keeps the message around it: {"addresses": [...]}.
Json HeldToJson(const TypeInfo& holder, const void* from, const FieldDescriptor& slot) {
  Json value = ValueToJson(*holder.element, holder.At(from, 0), slot);
  const Form form = holder.element->form;
  const bool around = (form == Form::kList || form == Form::kArray) && slot.message_type() != nullptr;
  return around ? Json{{slot.message_type()->field(0)->name(), std::move(value)}} : value;
}

Json FactToJson(const TypeInfo& type, const void* from, const FieldDescriptor& slot) {
  if (type.size(from) > 0) return {{"value", HeldToJson(type, from, slot)}};
  const Missing& why = type.gap(from);
  const Json kind = EnumeratorToJson(static_cast<int>(why.kind), *v1::Missing::Kind_descriptor());
  return {{"missing", {{"kind", kind}, {"detail", why.detail}}}};
}

// A number or text that may be absent: such fields follow the others, as in protobuf's own JSON, of which this
// keeps the order.
bool IsAfterOthers(const TypeInfo& type, const FieldDescriptor& slot) {
  return type.form == Form::kOptional && slot.message_type() == nullptr;
}

void AddField(const TypeInfo& type, const void* member, const FieldDescriptor& slot, Json& json) {
  if (type.form == Form::kFact) {
    json[slot.name()] = FactToJson(type, member, slot);
  } else if (type.form != Form::kOptional) {
    json[slot.name()] = ValueToJson(type, member, slot);
  } else if (type.size(member) > 0) {
    json[slot.name()] = HeldToJson(type, member, slot);
  }
}

Json StructToJson(const TypeInfo& type, const void* from, const Descriptor& message) {
  Json json = Json::object();
  for (const bool after_others : {false, true}) {
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& slot = *message.field(i);
      const auto field = std::ranges::find(type.fields(), std::string_view(slot.name()), &FieldInfo::name);
      if (field == type.fields().end()) continue;  // where gaps stand on the wire
      if (IsAfterOthers(*field->type, slot) != after_others) continue;
      AddField(*field->type, MemberOf(from, *field), slot, json);
    }
  }
  return json;
}

}  // namespace

Json FactsToJson(const Facts& facts) { return StructToJson(TypeOf<Facts>(), &facts, *v1::Facts::descriptor()); }

std::string FactsJson(const FactsRun& run) {
  Json hosts = Json::array();
  for (const HostFacts& host : run.hosts) {
    if (host.error.empty()) {
      hosts.push_back({{"host", host.host}, {"facts", FactsToJson(host.facts)}});
    } else {
      hosts.push_back({{"host", host.host}, {"error", host.error}});
    }
  }
  const Json json{{"schema", "rdmaready.v1.Facts"}, {"hosts", std::move(hosts)}};
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready
