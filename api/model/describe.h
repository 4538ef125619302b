// SPDX-License-Identifier: Apache-2.0
// Describe: makes TypeInfo of structs and of views. Only for the .cc file that instantiates it.
//
// A view is a type whose static functions list the fields of structs otherwise than the structs do themselves,
// for one purpose. A struct that the view does not list keeps its own list, and its parts are seen in the same
// view:
//
//   struct ChangeView {
//     static void Fields(const ProfileRef& one, auto& list) { list("name", one.name, "sha256", one.digest); }
//     static std::string_view Word(auto enumerator);  // optional: of every enumeration
//   };
//   const TypeInfo& type = describe::Described<Plan, ChangeView>::kType;
//
// Each call of a list gives back the list, whose Added(), WhenThere(), OneOf(), Known(), Keyed(), Raw(),
// Natural(), Among() and About() say more of the fields that were just added.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/model/fields.h"

namespace rdmaready::describe {

using Form = TypeInfo::Form;

// Every struct lists its fields itself.
struct Own {};

// For Derived(): what a function of the object gives, of a class that has no members to list.
template <auto kFunction>
inline constexpr auto kCalled = [](const auto& object) -> decltype(auto) { return (object.*kFunction)(); };

// Constants: nothing is made when the process starts.
template <class T, class View = Own>
struct Described {
  static const TypeInfo kType;
};

// The part of a FieldList that is the same for all types.
class AnyFieldList {
 public:
  std::vector<FieldInfo> Take() { return std::move(fields_); }

 protected:
  explicit AnyFieldList(const void* prototype) : prototype_(static_cast<const std::byte*>(prototype)) {}

  void Begin() { first_ = fields_.size(); }
  void PushMember(FieldKind kind, std::string_view name, const void* member, const TypeInfo& type) {
    const auto offset = static_cast<const std::byte*>(member) - prototype_;
    fields_.push_back({name, kind, static_cast<std::size_t>(offset), &type});
  }
  void Push(const FieldInfo& field) { fields_.push_back(field); }
  template <class Change>
  void ChangeLast(const Change& change) {
    for (std::size_t i = first_; i < fields_.size(); ++i) change(fields_[i]);
  }

 private:
  const std::byte* prototype_;  // an object of the type; finds out where in it each member stands
  std::size_t first_ = 0;       // of the last call
  std::vector<FieldInfo> fields_{};
};

// A view may make texts of any kind; all that walk fields know one kind.
template <class Value>
using Stored =
    std::conditional_t<std::is_convertible_v<Value, std::string_view>, std::string, std::remove_cvref_t<Value>>;

template <class T, class Get>
void Derive(const void* object, const FieldUse& use) {
  using Value = decltype(Get{}(*static_cast<const T*>(object)));
  if constexpr (std::is_same_v<Stored<Value>, std::remove_cvref_t<Value>>) {
    const auto& value = Get{}(*static_cast<const T*>(object));
    use.call(use.context, &value);
  } else {
    const Stored<Value> value(Get{}(*static_cast<const T*>(object)));
    use.call(use.context, &value);
  }
}

// A struct, or a view of it, hands its fields to this.
template <class T, class View>
class FieldList : public AnyFieldList {
 public:
  explicit FieldList(const T& prototype) : AnyFieldList(&prototype) {}

  FieldList& operator()(const auto&... pairs) { return Members(FieldKind::kNone, pairs...); }
  FieldList& Setting(const auto&... pairs) { return Members(FieldKind::kSetting, pairs...); }
  FieldList& State(const auto&... pairs) { return Members(FieldKind::kState, pairs...); }
  FieldList& Passing(const auto&... pairs) { return Members(FieldKind::kPassing, pairs...); }
  FieldList& Reading(const auto&... pairs) { return Members(FieldKind::kReading, pairs...); }

  // A field that no member is: get(object) gives its value. `Get` holds nothing.
  template <class Get>
  FieldList& Derived(std::string_view name, const Get&) {
    using Value = Stored<decltype(Get{}(std::declval<const T&>()))>;
    Begin();
    Push({.name = name, .type = &Described<Value, View>::kType, .derive = Derive<T, Get>});
    return *this;
  }

  // A part in the form of its message: get(object) points to it, or is null where it is left out.
  template <class Get>
  FieldList& Message(std::string_view name, const TypeInfo& type, std::string_view message, const Get&) {
    Begin();
    Push({.name = name,
          .type = &type,
          .derive = [](const void* object,
                       const FieldUse& use) { use.call(use.context, Get{}(*static_cast<const T*>(object))); },
          .as_json = AsJson::kMessage,
          .message = message});
    return *this;
  }

  // Fields of a struct that the object only points to: hop(object) gives the pointer, which is never null, and
  // fill(part, list) lists them. Within it, there is no other Of().
  template <class Hop, class Fill>
  FieldList& Of(const Hop&, const Fill& fill) {
    using Part = std::remove_cvref_t<decltype(*Hop{}(std::declval<const T&>()))>;
    const Part prototype{};
    FieldList<Part, View> part(prototype);
    fill(prototype, part);
    Begin();
    for (FieldInfo& field : part.Take()) {
      field.hop = [](const void* object) -> const void* { return Hop{}(*static_cast<const T*>(object)); };
      Push(field);
    }
    return *this;
  }

  FieldList& Added() { return InJsonIs(InJson::kAdded); }
  FieldList& WhenThere() { return InJsonIs(InJson::kWhenThere); }
  FieldList& OneOf() { return InJsonIs(InJson::kOneOf); }
  FieldList& Known() { return AsJsonIs(AsJson::kKnown); }
  FieldList& Keyed() { return AsJsonIs(AsJson::kKeyed); }
  FieldList& Raw() { return AsJsonIs(AsJson::kRaw); }
  FieldList& Natural() { return AsJsonIs(AsJson::kNatural); }
  FieldList& Among(std::span<const int> numbers) {  // which live as long as the process
    ChangeLast([&](FieldInfo& field) { field.among = numbers; });
    return *this;
  }
  FieldList& About(std::string_view about) {
    ChangeLast([&](FieldInfo& field) { field.about = about; });
    return *this;
  }

 private:
  FieldList& Members(FieldKind kind, const auto&... pairs) {
    Begin();
    Add(kind, pairs...);
    return *this;
  }

  template <class Member>
  void Add(FieldKind kind, std::string_view name, const Member& member, const auto&... rest) {
    PushMember(kind, name, &member, Described<Member, View>::kType);
    if constexpr (sizeof...(rest) > 0) Add(kind, rest...);
  }

  FieldList& InJsonIs(InJson in_json) {
    ChangeLast([&](FieldInfo& field) { field.in_json = in_json; });
    return *this;
  }
  FieldList& AsJsonIs(AsJson as_json) {
    ChangeLast([&](FieldInfo& field) { field.as_json = as_json; });
    return *this;
  }
};

template <class T>
std::uint64_t Load(const void* from) {
  return static_cast<std::uint64_t>(*static_cast<const T*>(from));
}

template <class T>
bool Store(std::uint64_t number, void* to) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    const auto value = static_cast<std::int64_t>(number);
    if (value < Limits::min() || value > Limits::max()) return false;
  } else if (number > Limits::max()) {
    return false;
  }
  *static_cast<T*>(to) = static_cast<T>(number);
  return true;
}

template <class T>
constexpr TypeInfo NumberType(Form form) {
  return {.form = form, .is_signed = std::is_signed_v<T>, .load = Load<T>, .store = Store<T>};
}

template <class T, class View>
constexpr TypeInfo EnumType() {
  TypeInfo type = NumberType<std::underlying_type_t<T>>(Form::kEnum);
  if constexpr (requires(T value) { View::Word(value); })
    type.word = [](std::uint64_t number) -> std::string_view { return View::Word(static_cast<T>(number)); };
  return type;
}

template <class T>
constexpr bool kIsFact = requires(const T& value) {
  value.missing();
};
template <class T>
constexpr bool kIsArray = requires {
  std::tuple_size<T>::value;
};
template <class T>
constexpr bool kIsList = requires(T& value) {
  value.resize(1);
};
template <class T>
constexpr bool kIsContainer = requires {
  typename T::value_type;
};

template <class T>
std::size_t Size(const void* container) {
  const T& value = *static_cast<const T*>(container);
  if constexpr (kIsArray<T> || kIsList<T>) {
    return value.size();
  } else {
    return value ? 1 : 0;
  }
}

template <class T>
void Resize(void* container, std::size_t size) {
  T& value = *static_cast<T*>(container);
  if constexpr (kIsList<T>) {
    value.resize(size);
  } else if constexpr (kIsFact<T>) {
    if (size > 0) value.Emplace();
  } else if constexpr (!kIsArray<T>) {
    size > 0 ? static_cast<void>(value.emplace(typename T::value_type{})) : value.reset();
  }
}

template <class T>
void* ElementAt(void* container, std::size_t index) {
  T& value = *static_cast<T*>(container);
  if constexpr (kIsArray<T> || kIsList<T>) {
    return &value[index];
  } else {
    return const_cast<typename T::value_type*>(&*value);  // a Fact shows its value as const only
  }
}

template <class T, class View>
constexpr TypeInfo ContainerType() {
  TypeInfo type{.form = kIsFact<T>    ? Form::kFact
                        : kIsArray<T> ? Form::kArray
                        : kIsList<T>  ? Form::kList
                                      : Form::kOptional,
                .element = &Described<typename T::value_type, View>::kType,
                .size = Size<T>,
                .resize = Resize<T>,
                .at = ElementAt<T>};
  if constexpr (kIsFact<T>) {
    type.gap = [](const void* fact) -> const Missing& { return static_cast<const T*>(fact)->missing(); };
    type.set_gap = [](void* fact, const Missing& why) { *static_cast<T*>(fact) = why; };
  }
  return type;
}

template <class T, class View>
const std::vector<FieldInfo>& FieldsOf() {
  static const std::vector<FieldInfo> kFields = [] {
    T prototype{};
    FieldList<T, View> list(prototype);
    if constexpr (requires { View::Fields(std::as_const(prototype), list); }) {
      View::Fields(std::as_const(prototype), list);
    } else {
      prototype.Fields(list);
    }
    return list.Take();
  }();
  return kFields;
}

template <class T, class View>
constexpr TypeInfo MakeType() {
  if constexpr (std::is_same_v<T, std::string>) {
    return {.form = Form::kText};
  } else if constexpr (std::is_same_v<T, bool>) {
    return NumberType<T>(Form::kBool);
  } else if constexpr (std::is_integral_v<T>) {
    return NumberType<T>(Form::kNumber);
  } else if constexpr (std::is_enum_v<T>) {
    return EnumType<T, View>();
  } else if constexpr (kIsContainer<T>) {
    return ContainerType<T, View>();
  } else {
    return {.form = Form::kStruct, .fields = FieldsOf<T, View>};
  }
}

template <class T, class View>
constinit const TypeInfo Described<T, View>::kType = MakeType<T, View>();

}  // namespace rdmaready::describe
