// SPDX-License-Identifier: Apache-2.0
#include "api/convert/absent.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rdmaready::convert {
namespace {

using google::protobuf::FieldDescriptor;

// In a finding: nobody waived it; nothing is to be done, or an older agent says it in `fix`; it is not about
// the class of a transfer. In a transfer: no byte was wrong, nothing was asked for, the agent does not say it,
// or it is a Fact whose absence reads as not collected.
constexpr std::array<std::string_view, 22> kMayBeAbsent{
    "waived",           "remedy",         "first_wrong_offset", "asked_tos",        "traffic_class",
    "service_level",    "error_counters", "priority_packets",   "foreign_permille", "tester_cpu",
    "tester_numa_node", "class_proof",    "idle_packets",       "idle_ns",          "counted_ns",
    "path_mtu_bytes",   "connection",     "limit_bytes_per_s",  "nic_counters",     "interval_ms",
    "host_cpu",         "numbered"};

}  // namespace

bool IsAlwaysSaid(const FieldDescriptor& field) {
  return field.has_presence() && field.real_containing_oneof() == nullptr &&
         std::ranges::find(kMayBeAbsent, field.name()) == kMayBeAbsent.end();
}

std::string Unsaid(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (!IsAlwaysSaid(field)) continue;
    if (!reflection.HasField(message, &field)) {
      return "the sender does not say \"" + std::string(field.name()) + "\"";
    }
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (std::string unsaid = Unsaid(reflection.GetMessage(message, &field)); !unsaid.empty()) return unsaid;
  }
  return {};
}

}  // namespace rdmaready::convert
