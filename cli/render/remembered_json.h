// SPDX-License-Identifier: Apache-2.0
// What was found before, as JSON: since when something stands, and what a check that does not watch cannot see.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "api/model/remembered.h"

namespace rdmaready {

nlohmann::ordered_json StandingToJson(const std::vector<Standing>& standing);
nlohmann::ordered_json SeenToJson(const std::vector<SeenBefore>& seen);

}  // namespace rdmaready
