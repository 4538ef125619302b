// SPDX-License-Identifier: Apache-2.0
#include "api/convert/digest.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace rdmaready {
namespace {

using Form = TypeInfo::Form;

// A length before each text keeps "ab", "c" and "a", "bc" apart.
void AddText(std::string_view text, std::string& to) {
  fmt::format_to(std::back_inserter(to), "{}:{}", text.size(), text);
}

void AddValue(const TypeInfo& type, const void* value, std::string& to);

void AddFields(const TypeInfo& type, const void* object, std::string& to) {
  to += '{';
  for (const FieldInfo& field : type.fields()) {
    if (!InDigest(field.kind)) continue;
    AddText(field.name, to);
    AddValue(*field.type, MemberOf(object, field), to);
  }
  to += '}';
}

void AddElements(const TypeInfo& type, const void* container, std::string& to) {
  const std::size_t size = type.size(container);
  fmt::format_to(std::back_inserter(to), "[{}|", size);
  for (std::size_t i = 0; i < size; ++i) AddValue(*type.element, type.At(container, i), to);
  to += ']';
}

void AddValue(const TypeInfo& type, const void* value, std::string& to) {
  switch (type.form) {
    case Form::kUnknown:
      return;  // held by a test: no field is of such a type
    case Form::kBool:
    case Form::kNumber:
    case Form::kEnum:
      fmt::format_to(std::back_inserter(to), "{:x},", type.load(value));
      return;
    case Form::kText:
      return AddText(*static_cast<const std::string*>(value), to);
    case Form::kStruct:
      return AddFields(type, value, to);
    case Form::kArray:
    case Form::kList:
    case Form::kOptional:
      return AddElements(type, value, to);
    case Form::kFact:
      if (type.size(value) > 0) return AddElements(type, value, to);
      const Missing& why = type.gap(value);
      fmt::format_to(std::back_inserter(to), "?{},", static_cast<int>(why.kind));
      return AddText(why.detail, to);
  }
}

}  // namespace

std::string DigestedText(const TypeInfo& type, const void* object) {
  std::string text;
  AddFields(type, object, text);
  return text;
}

}  // namespace rdmaready
