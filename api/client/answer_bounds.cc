// SPDX-License-Identifier: Apache-2.0
#include "api/client/answer_bounds.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

absl::Status TooMuch(const std::string& what) { return absl::InternalError("more than " + what); }

}  // namespace

absl::Status AnswerBounds::TakeFields(const google::protobuf::Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> said;
  reflection.ListFields(message, &said);
  for (const FieldDescriptor* field : said) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    if (field->is_repeated()) elements_ += static_cast<std::size_t>(count);
    if (elements_ > limits_.elements) return TooMuch(fmt::format("{} elements of lists", limits_.elements));
    const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool part = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    for (int i = 0; (text || part) && i < count; ++i) {
      if (part) {
        RR_RETURN_IF_ERROR(TakeFields(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                           : reflection.GetMessage(message, field)));
        continue;
      }
      std::string scratch;
      const std::string& value = field->is_repeated()
                                     ? reflection.GetRepeatedStringReference(message, field, i, &scratch)
                                     : reflection.GetStringReference(message, field, &scratch);
      if (value.size() <= limits_.text_octets) continue;
      return TooMuch(fmt::format("{} in one text ({})", BytesText(limits_.text_octets), field->name()));
    }
  }
  return absl::OkStatus();
}

absl::Status AnswerBounds::Take(const google::protobuf::Message& message) {
  if (++messages_ > limits_.messages) return TooMuch(fmt::format("{} messages", limits_.messages));
  octets_ += message.ByteSizeLong();
  if (octets_ > limits_.octets) return TooMuch(BytesText(limits_.octets));
  return TakeFields(message);
}

}  // namespace rdmaready
