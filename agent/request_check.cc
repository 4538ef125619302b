// SPDX-License-Identifier: Apache-2.0
#include "agent/request_check.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "api/base/status.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;  // Message() is what a Status says
using google::protobuf::Reflection;

constexpr std::size_t kMaxIdBytes = 128;

absl::Status CheckNumber(const FieldDescriptor& field, int number) {
  if (field.enum_type()->FindValueByNumber(number) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}: {} is no value of {}", field.name(), number, field.enum_type()->name()));
}

// Fields at their zero are not visited: every enum names its zero.
absl::Status CheckEnums(const ProtoMessage& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
        RR_RETURN_IF_ERROR(CheckNumber(*field, field->is_repeated()
                                                   ? reflection.GetRepeatedEnumValue(message, field, i)
                                                   : reflection.GetEnumValue(message, field)));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        RR_RETURN_IF_ERROR(CheckEnums(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                                           : reflection.GetMessage(message, field)));
      }
    }
  }
  return absl::OkStatus();
}

std::string TextOf(const ProtoMessage& message, const char* name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  return field == nullptr ? std::string() : message.GetReflection()->GetString(message, field);
}

}  // namespace

absl::Status CheckRequest(const ProtoMessage& request) {
  for (const char* name : {"caller", "peer_name", "run_id"}) {
    if (TextOf(request, name).size() > kMaxIdBytes) {
      return absl::InvalidArgumentError(fmt::format("{}: at most {} bytes", name, kMaxIdBytes));
    }
  }
  if (const std::string run_id = TextOf(request, "run_id"); Printable(run_id) != run_id) {
    return absl::InvalidArgumentError(
        fmt::format("run_id: '{}' holds what cannot be printed", Printable(run_id)));
  }
  return CheckEnums(request);
}

}  // namespace rdmaready
