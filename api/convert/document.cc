// SPDX-License-Identifier: Apache-2.0
#include "api/convert/document.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/convert/model_json.h"

namespace rdmaready::convert {

std::string DocumentText(const Document& document, const void* value) {
  nlohmann::ordered_json object{{"schema", document.name}};
  nlohmann::ordered_json fields = ShownJson(*document.type, value);
  for (auto& [key, field] : fields.items()) object[key] = std::move(field);
  return object.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace rdmaready::convert
