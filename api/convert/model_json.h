// SPDX-License-Identifier: Apache-2.0
// Values of the model as JSON by their TypeInfo, in two forms: shown to a reader, or kept in a file and read
// back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "api/model/fields.h"

namespace rdmaready::convert {

// Shown: fields in their order; an enumerator is its word, or its number where it has none; an optional that
// holds nothing is null, or left out where its field says so. A Fact is only in a part that has the form of
// its message (api/convert/message_json.h).
nlohmann::ordered_json ShownJson(const TypeInfo& type, const void* value);

// Kept: an enumerator is its number; an optional and a Fact are lists of one value or none.
nlohmann::json KeptJson(const TypeInfo& type, const void* value);

// False where JSON of another shape has the place of a known field, or a number does not fit; then `value` is
// in between. Unknown keys are ignored, and what is absent stays as it is: other versions write these files.
bool ReadKeptJson(const nlohmann::json& json, const TypeInfo& type, void* value);

template <class T>
auto KeptJson(const T& value) {
  return KeptJson(TypeOf<T>(), &value);
}

template <class T>
bool ReadKeptJson(const nlohmann::json& json, T& value) {
  return ReadKeptJson(json, TypeOf<T>(), &value);
}

}  // namespace rdmaready::convert
