// SPDX-License-Identifier: Apache-2.0
// What the conversions of single messages share: enumerations, lists, and a Fact<T> whose message has the shape
// oneof { Missing missing; V value; }.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "api/model/fact.h"
#include "rdmaready/v1/facts.pb.h"

namespace rdmaready::convert {

inline Missing OutOfRange(std::string detail) {
  return {Missing::Kind::kFailed, "the sender's facts: " + detail};
}

// Model and wire enums have the same numbers (held by the round trip test); what lies outside is the
// honest zero.
template <class Model, class Wire>
Model Enumerator(Wire value, Model last) {
  const int number = static_cast<int>(value);
  return number < 0 || number > static_cast<int>(last) ? Model{} : static_cast<Model>(number);
}

inline v1::Missing ToProto(const Missing& from) {
  v1::Missing to;
  to.set_kind(static_cast<v1::Missing::Kind>(from.kind));
  to.set_detail(from.detail);
  return to;
}

inline Missing GetMissing(const v1::Missing& from) {
  return {Enumerator(from.kind(), Missing::Kind::kFailed), from.detail()};
}

// Values that are messages themselves: `put` makes one of a value, `get` a value of one.
template <class Message, class T, class PutValue>
Message Put(const Fact<T>& fact, PutValue put) {
  Message message;
  if (fact) {
    *message.mutable_value() = put(*fact);
  } else {
    *message.mutable_missing() = ToProto(fact.missing());
  }
  return message;
}

template <class T, class Message, class GetValue>
Fact<T> Get(const Message& message, GetValue get) {
  if (message.has_missing()) return GetMissing(message.missing());
  if (!message.has_value()) return {};
  return get(message.value());
}

// False when the list has another length than the array.
template <class Repeated, class Array, class Convert>
bool GetArray(const Repeated& from, Array& to, Convert convert) {
  if (static_cast<std::size_t>(from.size()) != to.size()) return false;
  std::transform(from.begin(), from.end(), to.begin(), convert);
  return true;
}

template <class T, class Repeated, class GetElement>
std::vector<T> GetList(const Repeated& from, GetElement get) {
  std::vector<T> to;
  to.reserve(static_cast<std::size_t>(from.size()));
  for (const auto& element : from) to.push_back(get(element));
  return to;
}

}  // namespace rdmaready::convert
