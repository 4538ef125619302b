// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/devlink.h"

#include <fmt/format.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <optional>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::string_view kDevlinkWhat = "devlink answer";
constexpr std::size_t kMostDevlinkTextBytes = 64;

template <class T>
using Found = std::map<std::string, std::vector<T>>;  // by handle

absl::StatusOr<std::string> TextAt(const Attributes& attributes, int type) {
  RR_ASSIGN_OR_RETURN(std::string text, attributes.Text(type));
  return SafeLine(text, kMostDevlinkTextBytes);
}

// "pci/0000:3b:00.0"
absl::StatusOr<std::string> HandleOf(const Attributes& message) {
  RR_ASSIGN_OR_RETURN(const std::string bus, TextAt(message, DEVLINK_ATTR_BUS_NAME));
  RR_ASSIGN_OR_RETURN(const std::string name, TextAt(message, DEVLINK_ATTR_DEV_NAME));
  return bus + "/" + name;
}

absl::StatusOr<Attributes> MessageOf(std::span<const std::byte> payload) {
  genlmsghdr header{};
  return ParseMessage(payload, header, kDevlinkWhat);
}

absl::StatusOr<Attributes> NestOf(const Attributes& message, int type) {
  const auto nest = message.Find(type);
  if (!nest) return Malformed(kDevlinkWhat, fmt::format("no attribute {}", type));
  return Attributes::Parse(*nest, kDevlinkWhat);
}

// ---- versions ----

FirmwareVersion& VersionNamed(std::vector<FirmwareVersion>& versions, const std::string& name) {
  const auto found = std::ranges::find(versions, name, &FirmwareVersion::name);
  return found != versions.end() ? *found : versions.emplace_back(FirmwareVersion{.name = name});
}

absl::Status AddVersion(const Attributes::Attribute& one, std::vector<FirmwareVersion>& versions) {
  RR_ASSIGN_OR_RETURN(const Attributes version, Attributes::Parse(one.value, kDevlinkWhat));
  RR_ASSIGN_OR_RETURN(const std::string name, TextAt(version, DEVLINK_ATTR_INFO_VERSION_NAME));
  RR_ASSIGN_OR_RETURN(const std::string value, TextAt(version, DEVLINK_ATTR_INFO_VERSION_VALUE));
  FirmwareVersion& row = VersionNamed(versions, name);
  if (one.type == DEVLINK_ATTR_INFO_VERSION_STORED) {
    row.stored = value;
  } else {
    row.running = value;  // what is fixed is what runs
    row.fixed = one.type == DEVLINK_ATTR_INFO_VERSION_FIXED;
  }
  return absl::OkStatus();
}

bool IsVersion(int type) {
  return type == DEVLINK_ATTR_INFO_VERSION_FIXED || type == DEVLINK_ATTR_INFO_VERSION_RUNNING ||
         type == DEVLINK_ATTR_INFO_VERSION_STORED;
}

// ---- parameters ----

// The types of netlink attributes: the kernel's own numbers (include/net/netlink.h), which no user header has.
enum class NlaType : std::uint8_t { kU8 = 1, kU16 = 2, kU32 = 3, kString = 5, kFlag = 6 };

absl::StatusOr<std::string> ValueText(const Attributes& value, NlaType type) {
  const int data = DEVLINK_ATTR_PARAM_VALUE_DATA;
  const auto number = [](const auto& read) -> absl::StatusOr<std::string> {
    if (!read.ok()) return read.status();
    return std::to_string(*read);
  };
  switch (type) {
    case NlaType::kU8:
      return number(value.U8(data));
    case NlaType::kU16:
      return number(value.U16(data));
    case NlaType::kU32:
      return number(value.U32(data));
    case NlaType::kFlag:
      return std::string(value.Find(data) ? "true" : "false");
    case NlaType::kString:
      return std::string();
  }
  return std::string();  // of a type that a newer kernel has (64 bits): no check needs its value
}

absl::Status AddValue(std::span<const std::byte> nest, NlaType type, DevlinkParameter& parameter) {
  RR_ASSIGN_OR_RETURN(const Attributes value, Attributes::Parse(nest, kDevlinkWhat));
  RR_ASSIGN_OR_RETURN(const std::uint8_t mode, value.U8(DEVLINK_ATTR_PARAM_VALUE_CMODE));
  RR_ASSIGN_OR_RETURN(std::string text, ValueText(value, type));
  switch (mode) {
    case DEVLINK_PARAM_CMODE_RUNTIME:
      parameter.runtime = std::move(text);
      return absl::OkStatus();
    case DEVLINK_PARAM_CMODE_DRIVERINIT:
      parameter.driverinit = std::move(text);
      return absl::OkStatus();
    case DEVLINK_PARAM_CMODE_PERMANENT:
      parameter.permanent = std::move(text);
      return absl::OkStatus();
    default:
      return absl::OkStatus();  // a mode of a newer kernel
  }
}

// ---- asking ----

NetlinkRequest Request(std::uint16_t family, std::uint8_t command, bool dump, const Payload& about = {}) {
  const genlmsghdr header{.cmd = command, .version = DEVLINK_GENL_VERSION, .reserved = 0};
  Payload payload = Payload::Of(header);
  payload.Join(about);
  return {NETLINK_GENERIC, family, dump, payload.bytes()};
}

template <class T>
void Append(std::vector<T>& list, T one) {
  list.push_back(std::move(one));
}
template <class T>
void Append(std::vector<T>& list, std::vector<T> more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// A listing of everything that `decode` decodes. Empty lists are kept: the device answered.
template <class T, class Decode>
Fact<Found<T>> List(HostReader& host, std::uint16_t family, std::uint8_t command, Decode decode) {
  const absl::StatusOr<std::vector<NetlinkMessage>> answer = host.Netlink(Request(family, command, true));
  if (!answer.ok()) return MissingFrom(answer.status());
  Found<T> found;
  for (const NetlinkMessage& message : *answer) {
    auto one = decode(message.payload);
    if (!one.ok()) return MissingFrom(one.status());
    Append(found[one->first], std::move(one->second));
  }
  return found;
}

template <class T>
Fact<std::vector<T>> Of(const Fact<Found<T>>& listed, const std::string& handle, const char* none) {
  if (!listed) return listed.missing();
  const auto found = listed->find(handle);
  if (found == listed->end()) return Missing{Missing::Kind::kUnsupported, none};
  return found->second;
}

Fact<std::string> ReadEswitchMode(HostReader& host, std::uint16_t family, const std::string& address) {
  const absl::StatusOr<NetlinkMessage> answer =
      AskForOne(host, DevlinkSwitchRequest(family, address), kDevlinkWhat);
  if (answer.ok()) {
    const auto mode = DecodeEswitchMode(answer->payload);
    if (!mode.ok()) return MissingFrom(mode.status());
    return mode->second;
  }
  Missing why = MissingFrom(answer.status());
  constexpr const char* kNone = "the function has no devlink, or no switch of its own (eswitch)";
  if (why.kind == Missing::Kind::kUnsupported) why.detail = kNone;
  // ENODEV: no such instance.
  if (answer.status().code() == absl::StatusCode::kNotFound) why = {Missing::Kind::kUnsupported, kNone};
  return why;
}

class Asker {
 public:
  Asker(HostReader& host, std::uint16_t family)
      : host_(host),
        family_(family),
        versions_(List<FirmwareVersion>(host, family, DEVLINK_CMD_INFO_GET, DecodeDevlinkInfo)),
        parameters_(List<DevlinkParameter>(host, family, DEVLINK_CMD_PARAM_GET, DecodeDevlinkParameter)),
        health_(List<HealthReporter>(host, family, DEVLINK_CMD_HEALTH_REPORTER_GET, DecodeHealthReporter)) {}

  const Devlink& Of(const std::string& address) {
    const auto known = known_.find(address);
    if (known != known_.end()) return known->second;
    const std::string handle = "pci/" + address;
    return known_
        .emplace(address,
                 Devlink{rdmaready::Of(versions_, handle, "driver tells devlink no versions (info_get)"),
                         rdmaready::Of(parameters_, handle, "driver has no devlink parameters"),
                         rdmaready::Of(health_, handle, "driver has no devlink health reporters"),
                         ReadEswitchMode(host_, family_, address)})
        .first->second;
  }

 private:
  HostReader& host_;
  std::uint16_t family_;
  Fact<Found<FirmwareVersion>> versions_;
  Fact<Found<DevlinkParameter>> parameters_;
  Fact<Found<HealthReporter>> health_;
  std::map<std::string, Devlink> known_{};
};

Devlink All(const Missing& why) { return {why, why, why, why}; }

}  // namespace

NetlinkRequest DevlinkSwitchRequest(std::uint16_t family, const std::string& address) {
  Payload about;
  about.Text(DEVLINK_ATTR_BUS_NAME, "pci").Text(DEVLINK_ATTR_DEV_NAME, address);
  return Request(family, DEVLINK_CMD_ESWITCH_GET, false, about);
}

absl::StatusOr<OfHandle<std::vector<FirmwareVersion>>> DecodeDevlinkInfo(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes message, MessageOf(payload));
  RR_ASSIGN_OR_RETURN(std::string handle, HandleOf(message));
  std::vector<FirmwareVersion> versions;
  for (const Attributes::Attribute& one : message.all()) {
    if (IsVersion(one.type)) RR_RETURN_IF_ERROR(AddVersion(one, versions));
  }
  return OfHandle<std::vector<FirmwareVersion>>{std::move(handle), std::move(versions)};
}

absl::StatusOr<OfHandle<DevlinkParameter>> DecodeDevlinkParameter(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes message, MessageOf(payload));
  RR_ASSIGN_OR_RETURN(std::string handle, HandleOf(message));
  RR_ASSIGN_OR_RETURN(const Attributes nest, NestOf(message, DEVLINK_ATTR_PARAM));
  RR_ASSIGN_OR_RETURN(std::string name, TextAt(nest, DEVLINK_ATTR_PARAM_NAME));
  RR_ASSIGN_OR_RETURN(const std::uint8_t type, nest.U8(DEVLINK_ATTR_PARAM_TYPE));
  RR_ASSIGN_OR_RETURN(const Attributes values, NestOf(nest, DEVLINK_ATTR_PARAM_VALUES_LIST));
  DevlinkParameter parameter{.name = std::move(name)};
  for (const Attributes::Attribute& value : values.all()) {
    if (value.type == DEVLINK_ATTR_PARAM_VALUE)
      RR_RETURN_IF_ERROR(AddValue(value.value, static_cast<NlaType>(type), parameter));
  }
  return OfHandle<DevlinkParameter>{std::move(handle), std::move(parameter)};
}

absl::StatusOr<OfHandle<HealthReporter>> DecodeHealthReporter(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes message, MessageOf(payload));
  RR_ASSIGN_OR_RETURN(std::string handle, HandleOf(message));
  RR_ASSIGN_OR_RETURN(const Attributes nest, NestOf(message, DEVLINK_ATTR_HEALTH_REPORTER));
  RR_ASSIGN_OR_RETURN(std::string name, TextAt(nest, DEVLINK_ATTR_HEALTH_REPORTER_NAME));
  RR_ASSIGN_OR_RETURN(const std::uint8_t state, nest.U8(DEVLINK_ATTR_HEALTH_REPORTER_STATE));
  RR_ASSIGN_OR_RETURN(const std::uint64_t errors, nest.U64(DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT));
  RR_ASSIGN_OR_RETURN(const std::uint64_t recovered, nest.U64(DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT));
  // DEVLINK_HEALTH_REPORTER_STATE_HEALTHY of net/devlink.h, which no user header has.
  constexpr std::uint8_t kHealthy = 0;
  return OfHandle<HealthReporter>{
      std::move(handle),
      {.name = std::move(name), .healthy = state == kHealthy, .errors = errors, .recovered = recovered}};
}

absl::StatusOr<OfHandle<std::string>> DecodeEswitchMode(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes message, MessageOf(payload));
  RR_ASSIGN_OR_RETURN(std::string handle, HandleOf(message));
  RR_ASSIGN_OR_RETURN(const std::uint16_t mode, message.U16(DEVLINK_ATTR_ESWITCH_MODE));
  switch (mode) {
    case DEVLINK_ESWITCH_MODE_LEGACY:
      return OfHandle<std::string>{std::move(handle), "legacy"};
    case DEVLINK_ESWITCH_MODE_SWITCHDEV:
      return OfHandle<std::string>{std::move(handle), "switchdev"};
    default:
      return Malformed(kDevlinkWhat, fmt::format("eswitch mode {}", mode));
  }
}

void ReadDevlinks(HostReader& host, const absl::StatusOr<GenericFamilies>& families, std::vector<Port>& ports) {
  const absl::StatusOr<std::uint16_t> family =
      FamilyNamed(families, DEVLINK_GENL_NAME, "the kernel has no devlink (CONFIG_NET_DEVLINK)");
  std::optional<Asker> asker;
  for (Port& port : ports) {
    if (!port.pci) {
      port.devlink = All(port.pci.missing());
    } else if (!family.ok()) {
      port.devlink = All(MissingFrom(family.status()));
    } else {
      if (!asker) asker.emplace(host, *family);
      port.devlink = asker->Of(port.pci->address);
    }
  }
}

}  // namespace rdmaready
