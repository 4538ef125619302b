// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/facts.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/base/text.h"
#include "api/convert/facts.h"
#include "api/model/recorded_gap.h"
#include "cli/bundle/fact_rows.h"

namespace rdmaready::bundle {
namespace {

using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kNotTold = "(why is not told under pseudonyms)";
constexpr std::size_t kMaxFactsBytes = std::size_t{32} << 20;

bool IsMapEntry(const google::protobuf::Descriptor& message) { return message.map_key() != nullptr; }

std::string GidText(const Pseudonyms& pseudonyms, const std::string& raw, const ProtoMessage& gid) {
  Pseudonyms::Bytes16 bytes{};
  if (raw.size() != bytes.size()) return {};
  std::ranges::transform(raw, bytes.begin(), [](char byte) { return static_cast<std::uint8_t>(byte); });
  const auto* const typed = dynamic_cast<const v1::Gid*>(&gid);
  bytes = pseudonyms.Gid(bytes, typed != nullptr && typed->type() == v1::GID_TYPE_IB);
  return {bytes.begin(), bytes.end()};
}

// Of an interface's variable the interface; "all" is none. A dot of its name is a slash there.
std::string SysctlName(const Pseudonyms& pseudonyms, const std::string& name) {
  constexpr std::string_view kConf = "net.ipv4.conf.";
  const std::size_t dot = name.rfind('.');
  if (!name.starts_with(kConf) || dot < kConf.size()) return {};
  std::string netdev = name.substr(kConf.size(), dot - kConf.size());
  if (netdev == "all") return name;
  std::ranges::replace(netdev, '/', '.');
  netdev = pseudonyms.Device(netdev);
  std::ranges::replace(netdev, '.', '/');
  return std::string(kConf) + netdev + name.substr(dot);
}

// BootWrite::object.
std::string BootObject(const Pseudonyms& pseudonyms, const std::string& object) {
  constexpr std::size_t kMacTextBytes = 17;
  if (object.starts_with("net.ipv4.conf.")) return SysctlName(pseudonyms, object);
  if (object.starts_with("driver=")) return object;
  const bool mac = object.size() == kMacTextBytes && std::ranges::count(object, ':') == 5;
  // "mlx5_0/1" is a port.
  const std::size_t slash = object.find('/');
  const bool port =
      slash != std::string::npos && object.find_first_not_of("0123456789", slash + 1) == std::string::npos;
  if (port) return pseudonyms.Device(object.substr(0, slash)) + object.substr(slash);
  return mac ? pseudonyms.Mac(object) : pseudonyms.Device(object);
}

// `message` holds the text.
std::string Replaced(const Pseudonyms& pseudonyms, Treatment treatment, const std::string& text,
                     const ProtoMessage& message) {
  switch (treatment) {
    case Treatment::kUnknown:
    case Treatment::kGuid:  // of a number
      return {};
    case Treatment::kKeep:
      return text;
    case Treatment::kHost:
      return pseudonyms.Word("host", text);
    case Treatment::kMachineId:
      return pseudonyms.MachineId(text);
    case Treatment::kDevice:
      return pseudonyms.Device(text);
    case Treatment::kAddress:
      return text.empty() ? text : pseudonyms.Address(text);
    case Treatment::kMac:
      return text.empty() ? text : pseudonyms.Mac(text);
    case Treatment::kAny:
      return text.empty() ? text : pseudonyms.Any(text);
    case Treatment::kName:
      return pseudonyms.Word("name", text);
    case Treatment::kPath:
      return pseudonyms.Path(text);
    case Treatment::kRule:
      return pseudonyms.Rule(text);
    case Treatment::kSysctl:
      return SysctlName(pseudonyms, text);
    case Treatment::kBootObject:
      return BootObject(pseudonyms, text);
    case Treatment::kGid:
      return GidText(pseudonyms, text, message);
    case Treatment::kWhy:
      return std::string(RecordedGapOf(text).empty() ? kNotTold : kNotInRecording);
  }
  return {};
}

class Walk {
 public:
  explicit Walk(const Pseudonyms& pseudonyms) : pseudonyms_(pseudonyms) {}

  // `names` is what the names are, when the message is a list of them.
  void Through(ProtoMessage& message, Treatment names) {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    const bool is_names = message.GetDescriptor()->name() == "Names";
    for (const FieldDescriptor* field : fields) {
      const std::string name = message.GetDescriptor()->name() + "." + field->name();
      const Treatment treatment = is_names ? names : TreatmentOf(name);
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Descend(message, *field, treatment);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        // The keys of a map are names of fields.
        if (!IsMapEntry(*message.GetDescriptor())) ReplaceText(message, *field, treatment);
      } else if (treatment == Treatment::kGuid) {
        reflection.SetUInt64(&message, field, pseudonyms_.Guid(reflection.GetUInt64(message, field)));
      }
    }
  }

 private:
  void Descend(ProtoMessage& message, const FieldDescriptor& field, Treatment names) {
    const Reflection& reflection = *message.GetReflection();
    if (!field.is_repeated()) return Through(*reflection.MutableMessage(&message, &field), names);
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      Through(*reflection.MutableRepeatedMessage(&message, &field, i), names);
    }
  }

  void ReplaceText(ProtoMessage& message, const FieldDescriptor& field, Treatment treatment) {
    const Reflection& reflection = *message.GetReflection();
    if (treatment == Treatment::kUnknown) return reflection.ClearField(&message, &field);
    if (!field.is_repeated()) {
      reflection.SetString(&message, &field,
                           Replaced(pseudonyms_, treatment, reflection.GetString(message, &field), message));
      return;
    }
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const std::string text = reflection.GetRepeatedString(message, &field, i);
      reflection.SetRepeatedString(&message, &field, i, Replaced(pseudonyms_, treatment, text, message));
    }
  }

  const Pseudonyms& pseudonyms_;
};

}  // namespace

void PutUnderPseudonyms(const Pseudonyms& pseudonyms, v1::Facts& facts) {
  facts.DiscardUnknownFields();
  Walk(pseudonyms).Through(facts, Treatment::kUnknown);
}

absl::StatusOr<std::string> WriteFacts(const v1::Facts& facts) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto written = google::protobuf::util::MessageToJsonString(facts, &text, options);
  if (!written.ok()) return absl::InternalError("facts do not fit into JSON");
  // Sorted: protobuf's maps have no order of their own.
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.dump(1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

absl::StatusOr<Facts> ReadFacts(std::string_view json) {
  if (json.size() > kMaxFactsBytes) return absl::InvalidArgumentError("too large");
  v1::Facts facts;
  const auto read = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &facts);
  if (!read.ok()) {
    return absl::InvalidArgumentError("no facts: " + SafeLine(std::string(read.message()), 200));
  }
  return FromProto(facts);
}

}  // namespace rdmaready::bundle
