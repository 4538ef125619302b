// SPDX-License-Identifier: Apache-2.0
// What the structs of the model consist of, as data, for code that treats every field alike: the wire, JSON,
// gaps.
//
// Each struct of facts lists its fields once, beside its members:
//
//   void Fields(auto& list) {
//     list.Setting("enabled", enabled, "delay", delay);
//     list.Reading("pauses_sent", pauses_sent, "pauses_received", pauses_received);
//   }
//
// The name is the field's name on the wire (facts.proto) and in JSON. A test holds that no member is forgotten,
// and that the list and the message agree. What is no fact (reports, transfers, profiles) is of no kind, and
// its list is list("name", name, "other", other).
//
// Who adds a field to a struct that already travels makes it a Fact: an older sender does not have it, and what
// is absent reads as not collected. Without a Fact of its own that is the whole answer that the struct stands
// in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "api/model/fact.h"

namespace rdmaready {

// How a field comes to change. A field that holds others bounds them: the settings of a neighbour, which are a
// state to this host, are states.
enum class FieldKind {
  kNone,     // no field of a fact
  kSetting,  // lasts until somebody changes it: configuration, firmware, hardware, names
  kState,    // comes and goes by itself
  // A state that moves although nothing happened: what is in use, numbers of processes, numbers of interfaces
  // (others after the next boot), who is a neighbour. With readings it is left out of the digest of a host
  // (api/convert/digest.h), which any other field belongs to.
  kPassing,
  kReading,  // differs each time one looks: counters, measured values
};

struct TypeInfo;

// Every enumerator that has a word is below.
inline constexpr std::uint64_t kEnumeratorsBelow = 64;

// When JSON has a field (api/convert/model_json.h).
enum class InJson {
  kAlways,     // null where an optional holds nothing
  kAdded,      // as kAlways; earlier versions did not write it, so the schema does not require it
  kWhenThere,  // left out where an optional holds nothing, or a text is empty
  kOneOf,      // as kWhenThere; exactly one field of this kind is there
};

// Which form a field has in JSON, where its type alone does not say it.
enum class AsJson {
  kItself,
  kKnown,    // an enumerator that is never the one of number 0
  kKeyed,    // a list of structs of two texts, which are key and value of an object
  kRaw,      // a text that is an object of JSON already
  kNatural,  // a number that is never negative, though its type has a sign
  kMessage,  // a struct of facts, in the form of its message (api/convert/message_json.h); null: left out
};

// Takes the value of a field, which lives as long as the call.
struct FieldUse {
  const void* context = nullptr;
  void (*call)(const void* context, const void* value) = nullptr;
};

struct FieldInfo {
  std::string_view name{};
  FieldKind kind = FieldKind::kNone;
  std::size_t offset = 0;  // in bytes, from the beginning of the struct
  const TypeInfo* type = nullptr;

  // Only a view sets these (api/model/describe.h).
  const void* (*hop)(const void* object) = nullptr;  // to the struct that has the field; null: it is the object
  void (*derive)(const void* object, const FieldUse& use) = nullptr;  // makes the value; null: see `offset`
  InJson in_json = InJson::kAlways;
  AsJson as_json = AsJson::kItself;
  std::string_view message{};  // of kMessage: its full name
  // For the schema.
  std::string_view about{};
  std::span<const int> among{};  // the only numbers that it can be; empty: any

  // Calls `use(value)` once.
  template <class Use>
  void Visit(const void* object, const Use& use) const {
    if (hop != nullptr) object = hop(object);
    if (derive == nullptr) return use(static_cast<const void*>(static_cast<const std::byte*>(object) + offset));
    derive(object,
           {&use, [](const void* context, const void* value) { (*static_cast<const Use*>(context))(value); }});
  }
};

// A type that a field may have. What does not belong to `form` is null.
struct TypeInfo {
  enum class Form { kUnknown, kBool, kNumber, kEnum, kText, kStruct, kArray, kList, kOptional, kFact };
  Form form = Form::kUnknown;

  // kBool, kNumber, kEnum.
  bool is_signed = false;  // then the number is that of std::int64_t in two's complement
  std::uint64_t (*load)(const void* from) = nullptr;
  // False, with `to` unchanged, when the number does not fit.
  bool (*store)(std::uint64_t number, void* to) = nullptr;
  // kEnum of a view: the word of the number, "unknown" for the number of a newer version. Null: it has no
  // words.
  std::string_view (*word)(std::uint64_t number) = nullptr;

  const std::vector<FieldInfo>& (*fields)() = nullptr;  // kStruct

  // kArray, kList, kOptional, kFact: all hold elements. Those of an array are always the same number; an
  // optional and a fact hold one or none.
  const TypeInfo* element = nullptr;
  std::size_t (*size)(const void* container) = nullptr;
  void (*resize)(void* container, std::size_t size) = nullptr;  // new elements are default-constructed
  void* (*at)(void* container, std::size_t index) = nullptr;    // the container owns the element

  // kFact. The gap is there only when the fact holds no element.
  const Missing& (*gap)(const void* fact) = nullptr;
  void (*set_gap)(void* fact, const Missing& why) = nullptr;

  const void* At(const void* container, std::size_t index) const {
    return at(const_cast<void*>(container), index);  // does not write
  }
};

inline void* MemberOf(void* object, const FieldInfo& field) {
  return static_cast<std::byte*>(object) + field.offset;
}
inline const void* MemberOf(const void* object, const FieldInfo& field) {
  return static_cast<const std::byte*>(object) + field.offset;
}

// Of the structs that fields.cc names; their parts are reached from there. Lives as long as the process, for
// any thread.
template <class T>
const TypeInfo& TypeOf();

// Each fact of the struct, and of structs that are members of it, becomes `why`. What is not a fact stays.
void SetAllMissing(const TypeInfo& type, void* object, const Missing& why);

template <class T>
void SetAllMissing(T& object, const Missing& why) {
  SetAllMissing(TypeOf<T>(), &object, why);
}

}  // namespace rdmaready
