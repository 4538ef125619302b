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
#include <utility>
#include <vector>

#include "api/convert/layout.h"
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

void WriteLaidOut(const Layout& layout, const void* from, Message& to);

// `part` is the layout of the structs in it.
void WriteValue(const TypeInfo& type, const void* from, const FieldDescriptor& slot, const Layout* part,
                Message& to) {
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
      return WriteLaidOut(
          *part, from, *(slot.is_repeated() ? wire.AddMessage(&to, &slot) : wire.MutableMessage(&to, &slot)));
    case Form::kArray:
    case Form::kList: {
      const std::size_t size = type.size(from);
      if (slot.type() == FieldDescriptor::TYPE_BYTES) {
        return wire.SetString(&to, &slot, std::string(static_cast<const char*>(type.At(from, 0)), size));
      }
      if (!slot.is_repeated()) {
        Message* list = wire.MutableMessage(&to, &slot);
        return WriteValue(type, from, ListIn(*list), part, *list);
      }
      for (std::size_t i = 0; i < size; ++i) WriteValue(*type.element, type.At(from, i), slot, part, to);
    }
  }
}

// A Fact of a record: its message has a value, or says why there is none.
void WriteState(const TypeInfo& fact, const void* from, const Layout* part, Message& to) {
  if (fact.size(from) > 0) return WriteValue(*fact.element, fact.At(from, 0), SlotOf(to, "value"), part, to);
  WriteWhy(fact.gap(from), *to.GetReflection()->MutableMessage(&to, &SlotOf(to, "missing")));
}

void WriteGap(const FieldInfo& field, const void* member, const FieldDescriptor& gaps, Message& to) {
  v1::Missing& why = AddGap(field.name, gaps, to);
  if (field.type->form == Form::kFact) return WriteWhy(field.type->gap(member), why);
  why.set_kind(v1::Missing::KIND_NONE);
}

// A part of which nothing is told is not told of.
void WritePart(const Layout& layout, const void* from, const FieldDescriptor& slot, Message& to) {
  const Reflection& wire = *to.GetReflection();
  Message& part = *wire.MutableMessage(&to, &slot);
  WriteLaidOut(layout, from, part);
  if (part.ByteSizeLong() == 0) wire.ClearField(&to, &slot);
}

void WriteLaidOut(const Layout& layout, const void* from, Message& to) {
  for (const auto& [field, at, part] : layout.slots) {
    const TypeInfo& declared = *field->type;
    const void* member = MemberOf(from, *field);
    const FieldDescriptor& slot = *at;
    if (declared.form == Form::kStruct) {
      WritePart(*part, member, slot, to);
    } else if (declared.form == Form::kFact && layout.gaps == nullptr) {
      WriteState(declared, member, part, *to.GetReflection()->MutableMessage(&to, &slot));
    } else if (declared.form != Form::kFact && declared.form != Form::kOptional) {
      WriteValue(declared, member, slot, part, to);
    } else if (declared.size(member) > 0) {
      WriteValue(*declared.element, declared.At(member, 0), slot, part, to);
    } else if (layout.gaps != nullptr) {
      WriteGap(*field, member, *layout.gaps, to);
    }
  }
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

// What a message of facts says of the fields that it has not; of a record nothing.
class Gaps {
 public:
  Gaps(const Message& from, const FieldDescriptor* gaps) {
    const Reflection& wire = *from.GetReflection();
    const int size = gaps == nullptr ? 0 : wire.FieldSize(from, gaps);
    for (int i = 0; i < size; ++i) {
      const Message& entry = wire.GetRepeatedMessage(from, gaps, i);
      const Reflection& reflection = *entry.GetReflection();
      const google::protobuf::Descriptor& kind = *entry.GetDescriptor();
      std::string unused;  // the key is in the message
      whys_.emplace_back(reflection.GetStringReference(entry, kind.map_key(), &unused),
                         static_cast<const v1::Missing*>(&reflection.GetMessage(entry, kind.map_value())));
    }
  }

  // Null when there is none.
  const v1::Missing* Find(std::string_view name) const {
    for (const auto& [field, why] : whys_) {
      if (field == name) return why;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string_view, const v1::Missing*>> whys_{};
};

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

Lack ReadLaidOut(const Layout& layout, const Message& from, void* to);

// Of a field, or of an element of it; `part` is the layout of the structs in it.
Lack ReadValue(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, const Layout* part,
               int index, void* to);

Lack ReadOctets(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, void* to) {
  std::string unused;  // they are in the message
  const std::string& octets = from.GetReflection()->GetStringReference(from, &slot, &unused);
  if (octets.size() != type.size(to)) return Senseless(slot, " has another length");
  std::memcpy(type.at(to, 0), octets.data(), octets.size());
  return std::nullopt;
}

Lack ReadElements(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, const Layout* part,
                  void* to) {
  const int size = from.GetReflection()->FieldSize(from, &slot);
  if (size == 0 && type.form == Form::kArray) return NotSaid(slot);
  type.resize(to, static_cast<std::size_t>(size));
  if (type.size(to) != static_cast<std::size_t>(size)) return Senseless(slot, " has another length");
  Lack first;
  for (int i = 0; i < size; ++i) {
    const Lack lack = ReadValue(*type.element, from, slot, part, i, type.at(to, static_cast<std::size_t>(i)));
    if (!first) first = lack;
  }
  return first;
}

Lack ReadValue(const TypeInfo& type, const Message& from, const FieldDescriptor& slot, const Layout* part,
               int index, void* to) {
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
    case Form::kText: {
      std::string unused;  // the text is in the message
      static_cast<std::string*>(to)->assign(one ? wire.GetStringReference(from, &slot, &unused)
                                                : wire.GetRepeatedStringReference(from, &slot, index, &unused));
      return std::nullopt;
    }
    case Form::kStruct:
      return ReadLaidOut(*part,
                         one ? wire.GetMessage(from, &slot) : wire.GetRepeatedMessage(from, &slot, index), to);
    case Form::kArray:
    case Form::kList: {
      if (slot.type() == FieldDescriptor::TYPE_BYTES) return ReadOctets(type, from, slot, to);
      if (!IsWrapped(slot) || slot.is_repeated()) return ReadElements(type, from, slot, part, to);
      const Message& list = wire.GetMessage(from, &slot);
      return ReadElements(type, list, ListIn(list), part, to);
    }
  }
  return Senseless(slot, " is of no form that the wire has");
}

// `slot` is where the value of the fact stands, if it does.
void ReadKnown(const TypeInfo& fact, const Message& from, const FieldDescriptor& slot, const Layout* part,
               void* to) {
  if (!IsSet(from, slot)) return fact.set_gap(to, Missing());
  fact.resize(to, 1);
  if (const Lack lack = ReadValue(*fact.element, from, slot, part, kSingular, fact.at(to, 0)))
    fact.set_gap(to, *lack);
}

// As WriteState wrote it.
void ReadState(const TypeInfo& fact, const Message& from, const Layout* part, void* to) {
  const FieldDescriptor& gap = SlotOf(from, "missing");
  if (!IsSet(from, gap)) return ReadKnown(fact, from, SlotOf(from, "value"), part, to);
  fact.set_gap(to, ReadWhy(from.GetReflection()->GetMessage(from, &gap)));
}

Lack ReadOptional(const Layout::Slot& place, const Message& from, const Layout& layout, const Gaps& gaps,
                  void* to) {
  const TypeInfo& type = *place.field->type;
  type.resize(to, 0);
  if (const v1::Missing* gap = gaps.Find(place.field->name)) {
    return gap->kind() == v1::Missing::KIND_NONE ? std::nullopt : Lack(ReadWhy(*gap));
  }
  if (!IsSet(from, *place.at)) return layout.gaps == nullptr ? std::nullopt : NotSaid(*place.at);
  type.resize(to, 1);
  return ReadValue(*type.element, from, *place.at, place.part, kSingular, type.at(to, 0));
}

// A field that is no fact and no optional.
Lack ReadPlain(const Layout::Slot& place, const Message& from, void* to) {
  const TypeInfo& type = *place.field->type;
  const FieldDescriptor& slot = *place.at;
  const bool may_be_absent = slot.is_repeated() ? type.form == Form::kArray : slot.has_presence();
  const auto read = [&] { return ReadValue(type, from, slot, place.part, kSingular, to); };
  if (IsSet(from, slot)) return read();
  // A part of which nothing is told may be one that can do without.
  if (type.form == Form::kStruct) return read() ? NotSaid(slot) : std::nullopt;
  if (may_be_absent) return NotSaid(slot);
  if (type.form == Form::kNumber) return std::nullopt;  // the struct's own default
  return read();
}

// A struct is whole or it is not there: what is no fact of its own has no other way to say that it is absent. The
// rest is read all the same, for a caller that can do with it.
Lack ReadLaidOut(const Layout& layout, const Message& from, void* to) {
  const Gaps gaps(from, layout.gaps);
  Lack first;
  for (const Layout::Slot& place : layout.slots) {
    void* member = MemberOf(to, *place.field);
    const TypeInfo& type = *place.field->type;
    Lack lack;
    if (type.form == Form::kOptional) {
      lack = ReadOptional(place, from, layout, gaps, member);
    } else if (type.form != Form::kFact) {
      lack = ReadPlain(place, from, member);
    } else if (layout.gaps == nullptr) {
      ReadState(type, from.GetReflection()->GetMessage(from, place.at), place.part, member);
    } else if (const v1::Missing* gap = gaps.Find(place.field->name)) {
      type.set_gap(member, ReadWhy(*gap));
    } else {
      ReadKnown(type, from, *place.at, place.part, member);
    }
    if (!first) first = std::move(lack);
  }
  return first;
}

}  // namespace

void WriteStruct(const TypeInfo& type, const void* from, Message& to) {
  WriteLaidOut(LayoutOf(type, *to.GetDescriptor()), from, to);
}

Lack ReadStruct(const TypeInfo& type, const Message& from, void* to) {
  return ReadLaidOut(LayoutOf(type, *from.GetDescriptor()), from, to);
}

}  // namespace rdmaready::convert
