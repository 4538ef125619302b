// SPDX-License-Identifier: Apache-2.0
// What a message leaves out although its sender always says it. By reflection: no new field is forgotten.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

namespace rdmaready::convert {

// A field that is always said, zero or not: all that know presence, but the members of a oneof and the few
// whose absence has a meaning of its own (agent.proto, TransferResult).
bool IsAlwaysSaid(const google::protobuf::FieldDescriptor& field);

// "the sender does not say \"bytes_wrong\"": the first field that is always said and is not there, in the
// message or in one that it holds. Empty when nothing is missing. Elements of lists are not looked at.
std::string Unsaid(const google::protobuf::Message& message);

}  // namespace rdmaready::convert
