// SPDX-License-Identifier: Apache-2.0
#include "api/convert/message.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Form = TypeInfo::Form;

constexpr int kSingular = -1;  // instead of an index: the field is not repeated

const FieldDescriptor& SlotOf(const Message& message, std::string_view name) {
  return *message.GetDescriptor()->FindFieldByName(std::string(name));
}

// The only field of a message that stands for a list.
const FieldDescriptor& ListIn(const Message& message) { return *message.GetDescriptor()->field(0); }

bool IsWrapped(const FieldDescriptor& slot) { return slot.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE; }

// The map of the gaps in a message of facts; null in a record.
const FieldDescriptor* GapsOf(const Message& message) {
  const FieldDescriptor* gaps = message.GetDescriptor()->FindFieldByName("missing");
  return gaps != nullptr && gaps->is_map() ? gaps : nullptr;
}

// ---- to the wire ----

void WriteWhy(const Missing& why, Message& to) {
  static_cast<v1::Missing&>(to).set_kind(static_cast<v1::Missing::Kind>(why.kind));
  static_cast<v1::Missing&>(to).set_detail(why.detail);
}

// Where it is said why the message has not the field of that name.
v1::Missing& AddGap(std::string_view name, const FieldDescriptor& gaps, Message& to) {
  Message* entry = to.GetReflection()->AddMessage(&to, &gaps);
  const Reflection& reflection = *entry->GetReflection();
  reflection.SetString(entry, entry->GetDescriptor()->map_key(), std::string(name));
  return static_cast<v1::Missing&>(*reflection.MutableMessage(entry, entry->GetDescriptor()->map_value()));
}

// Adds to a repeated field, sets another.
void WriteNumber(std::uint64_t number, const FieldDescriptor& slot, Message& to) {
  const Reflection& wire = *to.GetReflection();
  const bool add = slot.is_repeated();
  const auto number32 = static_cast<std::uint32_t>(number);
  const auto signed64 = static_cast<std::int64_t>(number);
  const auto signed32 = static_cast<std::int32_t>(signed64);
  switch (slot.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return add ? wire.AddBool(&to, &slot, number != 0) : wire.SetBool(&to, &slot, number != 0);
    case FieldDescriptor::CPPTYPE_UINT32:
      return add ? wire.AddUInt32(&to, &slot, number32) : wire.SetUInt32(&to, &slot, number32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return add ? wire.AddUInt64(&to, &slot, number) : wire.SetUInt64(&to, &slot, number);
    case FieldDescriptor::CPPTYPE_INT32:
      return add ? wire.AddInt32(&to, &slot, signed32) : wire.SetInt32(&to, &slot, signed32);
    case FieldDescriptor::CPPTYPE_INT64:
      return add ? wire.AddInt64(&to, &slot, signed64) : wire.SetInt64(&to, &slot, signed64);
    case FieldDescriptor::CPPTYPE_ENUM:
      return add ? wire.AddEnumValue(&to, &slot, signed32) : wire.SetEnumValue(&to, &slot, signed32);
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_MESSAGE:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return;  // held by a test: no number stands in such a field
  }
}

void WriteValue(const TypeInfo& type, const void* from, const FieldDescriptor& slot, Message& to) {
  const Reflection& wire = *to.GetReflection();
  switch (type.form) {
    case Form::kUnknown:
    case Form::kOptional:
    case Form::kFact:
      return;  // a field's own; never within a list
    case Form::kBool:
    case Form::kNumber:
    case Form::kEnum:
      return WriteNumber(type.load(from), slot, to);
    case Form::kText: {
      const std::string& text = *static_cast<const std::string*>(from);
      return slot.is_repeated() ? wire.AddString(&to, &slot, text) : wire.SetString(&to, &slot, text);
    }
    case Form::kStruct:
      return WriteStruct(type, from,
                         *(slot.is_repeated() ? wire.AddMessage(&to, &slot) : wire.MutableMessage(&to, &slot)));
    case Form::kArray:
    case Form::kList: {
      const std::size_t size = type.size(from);
      if (slot.type() == FieldDescriptor::TYPE_BYTES) {
        return wire.SetString(&to, &slot, std::string(static_cast<const char*>(type.At(from, 0)), size));
      }
      if (!slot.is_repeated()) {
        Message* list = wire.MutableMessage(&to, &slot);
        return WriteValue(type, from, ListIn(*list), *list);
      }
      for (std::size_t i = 0; i < size; ++i) WriteValue(*type.element, type.At(from, i), slot, to);
    }
  }
}

// A Fact of a record: its message has a value, or says why there is none.
void WriteState(const TypeInfo& fact, const void* from, Message& to) {
  if (fact.size(from) > 0) return WriteValue(*fact.element, fact.At(from, 0), SlotOf(to, "value"), to);
  WriteWhy(fact.gap(from), *to.GetReflection()->MutableMessage(&to, &SlotOf(to, "missing")));
}

void WriteGap(const FieldInfo& field, const void* member, const FieldDescriptor& gaps, Message& to) {
  v1::Missing& why = AddGap(field.name, gaps, to);
  if (field.type->form == Form::kFact) return WriteWhy(field.type->gap(member), why);
  why.set_kind(v1::Missing::KIND_NONE);
}

// A part of which nothing is told is not told of.
void WritePart(const TypeInfo& type, const void* from, const FieldDescriptor& slot, Message& to) {
  const Reflection& wire = *to.GetReflection();
  Message& part = *wire.MutableMessage(&to, &slot);
  WriteStruct(type, from, part);
  if (part.ByteSizeLong() == 0) wire.ClearField(&to, &slot);
}

// ---- from the wire ----

// Why a value cannot be had; nullopt: it was read whole.
using Lack = std::optional<Missing>;

Lack NotSaid(const FieldDescriptor& slot) {
  return Missing{Missing::Kind::kNotCollected, fmt::format("the sender does not say \"{}\"", slot.name())};
}

Lack Senseless(const FieldDescriptor& slot, std::string_view what) {
  return Missing{Missing::Kind::kFailed, fmt::format("the sender's facts: {}{}", slot.name(), what)};
}

// Null when there is none, and in a record.
const v1::Missing* FindGap(const Message& from, std::string_view name) {
  const FieldDescriptor* gaps = GapsOf(from);
  const Reflection& wire = *from.GetReflection();
  for (int i = 0; gaps != nullptr && i < wire.FieldSize(from, gaps); ++i) {
    const Message& entry = wire.GetRepeatedMessage(from, gaps, i);
    const Reflection& reflection = *entry.GetReflection();
    if (reflection.GetString(entry, entry.GetDescriptor()->map_key()) != name) continue;
    return static_cast<const v1::Missing*>(&reflection.GetMessage(entry, entry.GetDescriptor()->map_value()));
  }
  return nullptr;
}

Missing ReadWhy(const Message& from) {
  const auto& why = static_cast<const v1::Missing&>(from);
  const bool known = v1::Missing::Kind_IsValid(why.kind()) && why.kind() != v1::Missing::KIND_NONE;
  return {known ? static_cast<Missing::Kind>(why.kind()) : Missing::Kind(), why.detail()};
}

bool IsSet(const Message& from, const FieldDescriptor& slot) {
  const Reflection& wire = *from.GetReflection();
  return slot.is_repeated() ? wire.FieldSize(from, &slot) > 0 : wire.HasField(from, &slot);
}

// What a newer sender may say and we do not know is the enumeration's own "unknown".
int KnownEnumerator(const FieldDescriptor& slot, int number) {
  const google::protobuf::EnumDescriptor& kinds = *slot.enum_type();
  if (kinds.FindValueByNumber(number) != nullptr) return number;
  for (int i = 0; i < kinds.value_count(); ++i) {
    if (kinds.value(i)->name().ends_with("_UNKNOWN")) return kinds.value(i)->number();
  }
  return 0;
}

// `index` is kSingular, or which element of the repeated field.
std::uint64_t ReadNumber(const Message& from, const FieldDescriptor& slot, int index) {
  const Reflection& wire = *from.GetReflection();
  const bool one = index == kSingular;
  const auto widened = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  switch (slot.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return (one ? wire.GetBool(from, &slot) : wire.GetRepeatedBool(from, &slot, index)) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_UINT32:
      return one ? wire.GetUInt32(from, &slot) : wire.GetRepeatedUInt32(from, &slot, index);
    case FieldDescriptor::CPPTYPE_UINT64:
      return one ? wire.GetUInt64(from, &slot) : wire.GetRepeatedUInt64(from, &slot, index);
    case FieldDescriptor::CPPTYPE_INT32:
      return widened(one ? wire.GetInt32(from, &slot) : wire.GetRepeatedInt32(from, &slot, index));
    case FieldDescriptor::CPPTYPE_INT64:
      return widened(one ? wire.GetInt64(from, &slot) : wire.GetRepeatedInt64(from, &slot, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return widened(KnownEnumerator(
          slot, one ? wire.GetEnumValue(from, &slot) : wire.GetRepeatedEnumValue(from, &slot, index)));
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_MESSAGE:
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      break;  // held by a test: no number stands in such a field
  }
  return 0;
}

Lack ReadValue(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, int index, void* to);

Lack ReadOctets(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, void* to) {
  const std::string octets = from.GetReflection()->GetString(from, &slot);
  if (octets.size() != type.size(to)) return Senseless(slot, " has another length");
  std::memcpy(type.at(to, 0), octets.data(), octets.size());
  return std::nullopt;
}

Lack ReadElements(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, void* to) {
  const int size = from.GetReflection()->FieldSize(from, &slot);
  if (size == 0 && type.form == Form::kArray) return NotSaid(slot);
  type.resize(to, static_cast<std::size_t>(size));
  if (type.size(to) != static_cast<std::size_t>(size)) return Senseless(slot, " has another length");
  Lack first;
  for (int i = 0; i < size; ++i) {
    const Lack lack = ReadValue(*type.element, from, slot, i, type.at(to, static_cast<std::size_t>(i)));
    if (!first) first = lack;
  }
  return first;
}

Lack ReadValue(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, int index, void* to) {
  const Reflection& wire = *from.GetReflection();
  const bool one = index == kSingular;
  switch (type.form) {
    case Form::kUnknown:
    case Form::kOptional:
    case Form::kFact:
      break;  // a field's own; never within a list
    case Form::kBool:
    case Form::kNumber:
    case Form::kEnum:
      return type.store(ReadNumber(from, slot, index), to) ? std::nullopt : Senseless(slot, " does not fit");
    case Form::kText:
      *static_cast<std::string*>(to) =
          one ? wire.GetString(from, &slot) : wire.GetRepeatedString(from, &slot, index);
      return std::nullopt;
    case Form::kStruct:
      return ReadStruct(type, one ? wire.GetMessage(from, &slot) : wire.GetRepeatedMessage(from, &slot, index),
                        to);
    case Form::kArray:
    case Form::kList: {
      if (slot.type() == FieldDescriptor::TYPE_BYTES) return ReadOctets(type, from, slot, to);
      if (!IsWrapped(slot) || slot.is_repeated()) return ReadElements(type, from, slot, to);
      const Message& list = wire.GetMessage(from, &slot);
      return ReadElements(type, list, ListIn(list), to);
    }
  }
  return Senseless(slot, " is of no form that the wire has");
}

// `slot` is where the value of the fact stands, if it does.
void ReadKnown(const TypeInfo& fact, const Message& from, const FieldDescriptor& slot, void* to) {
  if (!IsSet(from, slot)) return fact.set_gap(to, Missing());
  fact.resize(to, 1);
  if (const Lack lack = ReadValue(*fact.element, from, slot, kSingular, fact.at(to, 0)))
    fact.set_gap(to, *lack);
}

// As WriteState wrote it.
void ReadState(const TypeInfo& fact, const Message& from, void* to) {
  const FieldDescriptor& gap = SlotOf(from, "missing");
  if (!IsSet(from, gap)) return ReadKnown(fact, from, SlotOf(from, "value"), to);
  fact.set_gap(to, ReadWhy(from.GetReflection()->GetMessage(from, &gap)));
}

void ReadFact(const FieldInfo& field, const Message& from, const FieldDescriptor& slot, void* to) {
  if (GapsOf(from) == nullptr) {
    ReadState(*field.type, from.GetReflection()->GetMessage(from, &slot), to);
  } else if (const v1::Missing* gap = FindGap(from, field.name)) {
    field.type->set_gap(to, ReadWhy(*gap));
  } else {
    ReadKnown(*field.type, from, slot, to);
  }
}

Lack ReadOptional(const FieldInfo& field, const Message& from, const FieldDescriptor& slot, void* to) {
  const TypeInfo& type = *field.type;
  type.resize(to, 0);
  if (const v1::Missing* gap = FindGap(from, field.name)) {
    return gap->kind() == v1::Missing::KIND_NONE ? std::nullopt : Lack(ReadWhy(*gap));
  }
  if (!IsSet(from, slot)) return GapsOf(from) == nullptr ? std::nullopt : NotSaid(slot);
  type.resize(to, 1);
  return ReadValue(*type.element, from, slot, kSingular, type.at(to, 0));
}

// A field that is no fact and no optional.
Lack ReadPlain(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, void* to) {
  const bool may_be_absent = slot.is_repeated() ? type.form == Form::kArray : slot.has_presence();
  if (IsSet(from, slot)) return ReadValue(type, from, slot, kSingular, to);
  // A part of which nothing is told may be one that can do without.
  if (type.form == Form::kStruct) return ReadValue(type, from, slot, kSingular, to) ? NotSaid(slot) : std::nullopt;
  if (may_be_absent) return NotSaid(slot);
  if (type.form == Form::kNumber) return std::nullopt;  // the struct's own default
  return ReadValue(type, from, slot, kSingular, to);
}

}  // namespace

void WriteStruct(const TypeInfo& type, const void* from, Message& to) {
  const FieldDescriptor* gaps = GapsOf(to);
  for (const FieldInfo& field : type.fields()) {
    const TypeInfo& declared = *field.type;
    const void* member = MemberOf(from, field);
    const FieldDescriptor& slot = SlotOf(to, field.name);
    if (declared.form == Form::kStruct) {
      WritePart(declared, member, slot, to);
    } else if (declared.form == Form::kFact && gaps == nullptr) {
      WriteState(declared, member, *to.GetReflection()->MutableMessage(&to, &slot));
    } else if (declared.form != Form::kFact && declared.form != Form::kOptional) {
      WriteValue(declared, member, slot, to);
    } else if (declared.size(member) > 0) {
      WriteValue(*declared.element, declared.At(member, 0), slot, to);
    } else if (gaps != nullptr) {
      WriteGap(field, member, *gaps, to);
    }
  }
}

// A struct is whole or it is not there: what is no fact of its own has no other way to say that it is absent. The
// rest is read all the same, for a caller that can do with it.
Lack ReadStruct(const TypeInfo& type, const Message& from, void* to) {
  Lack first;
  for (const FieldInfo& field : type.fields()) {
    const FieldDescriptor& slot = SlotOf(from, field.name);
    void* member = MemberOf(to, field);
    Lack lack;
    if (field.type->form == Form::kFact) {
      ReadFact(field, from, slot, member);
    } else if (field.type->form == Form::kOptional) {
      lack = ReadOptional(field, from, slot, member);
    } else {
      lack = ReadPlain(*field.type, from, slot, member);
    }
    if (!first) first = lack;
  }
  return first;
}

}  // namespace rdmaready::convert
