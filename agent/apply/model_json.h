// SPDX-License-Identifier: Apache-2.0
// Structs of the model as JSON, by their lists of fields: what the applier's state files consist of.
#pragma once

#include <nlohmann/json.hpp>

#include "api/model/fields.h"

namespace rdmaready::apply {

nlohmann::json ToJson(const TypeInfo& type, const void* value);

// False where JSON of another shape stands in place of a known field, or a number does not fit; then `value` is
// in between. Unknown keys are passed over, and what is absent stays as it is: other versions write these
// files.
bool FromJson(const nlohmann::json& json, const TypeInfo& type, void* value);

template <class T>
nlohmann::json ToJson(const T& value) {
  return ToJson(TypeOf<T>(), &value);
}

template <class T>
bool FromJson(const nlohmann::json& json, T& value) {
  return FromJson(json, TypeOf<T>(), &value);
}

}  // namespace rdmaready::apply
