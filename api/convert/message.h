// SPDX-License-Identifier: Apache-2.0
// Structs to and from protobuf messages, by the fields that the structs list (api/model/fields.h) and those
// that the messages have: what has the same name is the same field. A test holds that both have the same ones.
//
// A message says of what it can leave out that it is absent:
//   facts     A message of facts has a map of gaps, and every field of it can be absent. What is neither there
//             nor a gap is not collected; without a Fact around it, the whole struct cannot be read.
//   records   Any other message. An optional that is absent is empty; a Fact has a message of its own, with
//             `value` or `missing`; a number that is 0 leaves the struct's own default.
// A number of an enumeration that this version does not know reads as that enumeration's "unknown", else as 0.
#pragma once

#include <optional>

#include "api/model/fact.h"
#include "api/model/fields.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rdmaready::convert {

// `to` is empty before.
void WriteStruct(const TypeInfo& type, const void* from, google::protobuf::Message& to);

// Why the struct cannot be read, when the message lacks what the struct cannot do without, or has a value that
// does not fit; nullopt: `to` was read whole. Else it has what there is. `to` is default-constructed before.
std::optional<Missing> ReadStruct(const TypeInfo& type, const google::protobuf::Message& from, void* to);

template <class Message, class T>
Message Written(const T& value) {
  Message message;
  WriteStruct(TypeOf<T>(), &value, message);
  return message;
}

// The default when it cannot be read.
template <class T>
T ReadOrDefault(const google::protobuf::Message& message) {
  T value;
  if (ReadStruct(TypeOf<T>(), message, &value)) return {};
  return value;
}

}  // namespace rdmaready::convert
