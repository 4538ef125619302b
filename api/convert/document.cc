// SPDX-License-Identifier: Apache-2.0
#include "api/convert/document.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "api/convert/model_json.h"

namespace rdmaready::convert {
namespace {

using DocumentJson = nlohmann::ordered_json;

// `indent` below 0: on one line.
std::string TextOf(const Document& document, const void* value, int indent) {
  DocumentJson object{{"schema", document.name}};
  DocumentJson fields = ShownJson(*document.type, value);
  for (auto& [key, field] : fields.items()) object[key] = std::move(field);
  return object.dump(indent, ' ', true, DocumentJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string DocumentText(const Document& document, const void* value) {
  constexpr int kForPeople = 2;
  return TextOf(document, value, kForPeople);
}

std::string DocumentLine(const Document& document, const void* value) { return TextOf(document, value, -1); }

}  // namespace rdmaready::convert
