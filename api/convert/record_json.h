// SPDX-License-Identifier: Apache-2.0
// A message as JSON, field by field: keys are those of the .proto, numbers are numbers, an enumerator is its
// word
// ("OUTCOME_FAIL" of Outcome: "fail"). Every field is there, also one that is 0.
#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rdmaready {

nlohmann::ordered_json RecordJson(const google::protobuf::Message& message);

// One object with "schema" before its fields, for a person (two blanks) or on one line; a newline at its end.
std::string SchemaJson(const std::string& schema, const nlohmann::ordered_json& fields, bool one_line = false);

}  // namespace rdmaready
