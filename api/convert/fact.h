// SPDX-License-Identifier: Apache-2.0
// Fact<T> to and from the messages of facts.proto, which all have the shape oneof { Missing missing; V value;
// }.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "api/model/fact.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {

inline Missing OutOfRange(std::string detail) {
  return {Missing::Kind::kFailed, "the sender's facts: " + detail};
}

// A wider number that does not fit reads as the type's maximum, which no check takes for health.
template <std::integral To>
To Narrow(std::uint32_t value) {
  constexpr auto kMax = static_cast<std::uint32_t>(std::numeric_limits<To>::max());
  return static_cast<To>(value > kMax ? kMax : value);
}

// Model and wire enums have the same numbers (held by the round trip test); what lies outside is the honest
// zero.
template <class Model, class Wire>
Model Enumerator(Wire value, Model last) {
  const int number = static_cast<int>(value);
  return number < 0 || number > static_cast<int>(last) ? Model{} : static_cast<Model>(number);
}

inline void PutMissing(const Missing& from, v1::Missing* to) {
  to->set_kind(static_cast<v1::Missing::Kind>(from.kind));
  to->set_detail(from.detail);
}

inline Missing GetMissing(const v1::Missing& from) {
  return {Enumerator(from.kind(), Missing::Kind::kFailed), from.detail()};
}

// Scalars, strings and enums.
template <class T, class Message>
void Put(const Fact<T>& fact, Message* message) {
  if (!fact) {
    PutMissing(fact.missing(), message->mutable_missing());
  } else if constexpr (std::is_enum_v<T>) {
    message->set_value(static_cast<decltype(message->value())>(*fact));
  } else {
    message->set_value(*fact);
  }
}

// Values that are messages themselves.
template <class T, class Message, class PutValue>
void Put(const Fact<T>& fact, Message* message, PutValue put) {
  if (fact) {
    put(*fact, message->mutable_value());
  } else {
    PutMissing(fact.missing(), message->mutable_missing());
  }
}

template <class T, class Message>
Fact<T> Get(const Message& message) {
  if (message.has_missing()) return GetMissing(message.missing());
  if (!message.has_value()) return {};
  if constexpr (std::is_same_v<T, bool> || !std::is_integral_v<T>) {
    return T(message.value());
  } else {
    if (message.value() > std::numeric_limits<T>::max()) return OutOfRange("a number does not fit");
    return static_cast<T>(message.value());
  }
}

template <class T, class Message, class GetValue>
Fact<T> Get(const Message& message, GetValue get) {
  if (message.has_missing()) return GetMissing(message.missing());
  if (!message.has_value()) return {};
  return get(message.value());
}

template <class T, class Message>
Fact<T> GetEnum(const Message& message, T last) {
  if (message.has_missing()) return GetMissing(message.missing());
  if (!message.has_value()) return {};
  return Enumerator(message.value(), last);
}

// Arrays of a length that both sides know.
template <class Repeated, class Array, class Convert>
void PutArray(const Array& from, Repeated* to, Convert convert) {
  for (const auto& element : from) to->Add(convert(element));
}

// False when the list has another length than the array.
template <class Repeated, class Array, class Convert>
bool GetArray(const Repeated& from, Array* to, Convert convert) {
  if (static_cast<std::size_t>(from.size()) != to->size()) return false;
  std::transform(from.begin(), from.end(), to->begin(), convert);
  return true;
}

// Lists of messages: one Put or Get for the element.
template <class T, class Repeated, class PutElement>
void PutList(const std::vector<T>& from, Repeated* to, PutElement put) {
  for (const T& element : from) put(element, to->Add());
}

template <class T, class Repeated, class GetElement>
std::vector<T> GetList(const Repeated& from, GetElement get) {
  std::vector<T> to;
  to.reserve(static_cast<std::size_t>(from.size()));
  for (const auto& element : from) to.push_back(get(element));
  return to;
}

}  // namespace rdmaready::convert
