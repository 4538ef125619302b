// SPDX-License-Identifier: Apache-2.0
// Facts as JSON. A fact is {"value": ...} or {"missing": {"kind": ..., "detail": ...}}; keys and the names of
// enumerators are those of facts.proto, in its order; numbers of 64 bits are texts, octets are base64.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "api/model/facts.h"

namespace rdmaready {

nlohmann::ordered_json FactsToJson(const Facts& facts);

}  // namespace rdmaready
