// SPDX-License-Identifier: Apache-2.0
#include "cli/render/remembered_json.h"

#include <nlohmann/json.hpp>

namespace rdmaready {

nlohmann::ordered_json StandingToJson(const std::vector<Standing>& standing) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Standing& one : standing) {
    list.push_back({{"id", one.id},
                    {"subject", one.subject},
                    {"since_unix_ns", one.since_unix_ns},
                    {"checks", one.checks}});
  }
  return list;
}

nlohmann::ordered_json SeenToJson(const std::vector<SeenBefore>& seen) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SeenBefore& one : seen) {
    list.push_back({{"id", one.id},
                    {"subject", one.subject},
                    {"observed", one.observed},
                    {"last_unix_ns", one.last_unix_ns},
                    {"checks", one.checks}});
  }
  return list;
}

}  // namespace rdmaready
