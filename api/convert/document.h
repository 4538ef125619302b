// SPDX-License-Identifier: Apache-2.0
// Document: one kind of JSON object that is printed or sent, and its schema, both from one TypeInfo.
//
// "schema" comes first, then the fields of a struct or a view, in the form that is shown
// (api/convert/model_json.h).
#pragma once

#include <string>
#include <string_view>

#include "api/model/fields.h"

namespace rdmaready::convert {

struct Document {
  std::string_view name{};         // "rdmaready.v1.Plan"
  const TypeInfo* type = nullptr;  // of a struct; a Fact is only in a part that has the form of its message
};

// Plain ASCII with a newline at its end; bytes that are not UTF-8 are replaced.
std::string DocumentText(const Document& document, const void* value);
std::string DocumentLine(const Document& document, const void* value);  // the same on one line

// The file of packaging/schemas. A struct that has two places in the document is a definition with the name of
// the first field that has it.
std::string SchemaText(const Document& document);

template <class T>
struct DocumentOf : Document {
  std::string Text(const T& value) const { return DocumentText(*this, &value); }
  std::string Line(const T& value) const { return DocumentLine(*this, &value); }
};

}  // namespace rdmaready::convert
