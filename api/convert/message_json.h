// SPDX-License-Identifier: Apache-2.0
// Facts as JSON, in the form of their messages, and the schema of that. A fact is {"value": ...} or
// {"missing": {"kind": ..., "detail": ...}}; keys and the names of enumerators are those of facts.proto, in its
// order; numbers of 64 bits are texts, octets are base64.
//
// Walks the fields of the structs (api/model/fields.h) beside the messages' descriptors, which know the names.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "api/model/fields.h"

namespace rdmaready::convert {

// `message`: the full name of the message that has what `type` has.
nlohmann::ordered_json MessageJson(const TypeInfo& type, const void* value, std::string_view message);

// A reference to one of `definitions`, which have it and all its parts then.
nlohmann::ordered_json MessageSchema(const TypeInfo& type, std::string_view message,
                                     std::map<std::string, nlohmann::ordered_json>& definitions);

}  // namespace rdmaready::convert
