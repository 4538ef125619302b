// SPDX-License-Identifier: Apache-2.0
#include "agent/apply/real/devlink_write.h"

#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <span>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/net/generic_families.h"

namespace rdmaready {
namespace {

constexpr std::string_view kParameterWhat = "devlink parameter";

// include/net/netlink.h of the kernel.
enum class ParameterType : std::uint8_t { kU8 = 1, kU16 = 2, kU32 = 3, kFlag = 6 };

Payload Asking(std::uint8_t command, const std::string& bus, const std::string& device,
               const std::string& name) {
  Payload payload = Payload::Of(genlmsghdr{.cmd = command, .version = DEVLINK_GENL_VERSION, .reserved = 0});
  payload.Text(DEVLINK_ATTR_BUS_NAME, bus)
      .Text(DEVLINK_ATTR_DEV_NAME, device)
      .Text(DEVLINK_ATTR_PARAM_NAME, name);
  return payload;
}

template <class T>
bool AddNumber(std::string_view to, Payload& payload) {
  const std::optional<T> number = ParseNumber<T>(to);
  if (number) payload.Bytes(DEVLINK_ATTR_PARAM_VALUE_DATA, std::as_bytes(std::span(&*number, 1)));
  return number.has_value();
}

bool AddValue(ParameterType type, std::string_view to, Payload& payload) {
  switch (type) {
    case ParameterType::kU8:
      return AddNumber<std::uint8_t>(to, payload);
    case ParameterType::kU16:
      return AddNumber<std::uint16_t>(to, payload);
    case ParameterType::kU32:
      return AddNumber<std::uint32_t>(to, payload);
    case ParameterType::kFlag:
      if (to == "true") payload.Bytes(DEVLINK_ATTR_PARAM_VALUE_DATA, {});
      return to == "true" || to == "false";
  }
  return false;  // a text, or of a type that a newer kernel has: no setting is one
}

}  // namespace

NetlinkRequest GetParameter(std::uint16_t family, const std::string& bus, const std::string& device,
                            const std::string& name) {
  return {NETLINK_GENERIC, family, false, Asking(DEVLINK_CMD_PARAM_GET, bus, device, name).bytes()};
}

absl::StatusOr<std::uint8_t> ParameterTypeIn(const NetlinkMessage& answer) {
  genlmsghdr header{};
  RR_ASSIGN_OR_RETURN(const Attributes whole, ParseMessage(answer.payload, header, kParameterWhat));
  const auto nest = whole.Find(DEVLINK_ATTR_PARAM);
  if (!nest) return Malformed(kParameterWhat, "no parameter");
  RR_ASSIGN_OR_RETURN(const Attributes parameter, Attributes::Parse(*nest, kParameterWhat));
  return parameter.U8(DEVLINK_ATTR_PARAM_TYPE);
}

std::optional<NetlinkRequest> SetParameter(std::uint16_t family, const std::string& bus,
                                           const std::string& device, const std::string& name,
                                           std::uint8_t type, std::string_view to) {
  const std::uint8_t runtime = DEVLINK_PARAM_CMODE_RUNTIME;
  Payload payload = Asking(DEVLINK_CMD_PARAM_SET, bus, device, name);
  payload.Bytes(DEVLINK_ATTR_PARAM_TYPE, std::as_bytes(std::span(&type, 1)))
      .Bytes(DEVLINK_ATTR_PARAM_VALUE_CMODE, std::as_bytes(std::span(&runtime, 1)));
  if (!AddValue(static_cast<ParameterType>(type), to, payload)) return std::nullopt;
  return NetlinkRequest{NETLINK_GENERIC, family, false, payload.bytes()};
}

absl::Status WriteDevlink(HostReader& host, KernelDoor& door, const SettingObject& object,
                          std::string_view to) {
  const std::string what = "set devlink parameter " + object.name + " of " + object.where;
  const std::size_t slash = object.where.find('/');
  if (slash == std::string::npos) return absl::InvalidArgumentError(what + ": not BUS/DEVICE");
  const std::string bus = object.where.substr(0, slash);
  const std::string device = object.where.substr(slash + 1);
  RR_ASSIGN_OR_RETURN(const std::uint16_t family,
                      FamilyNamed(ReadGenericFamilies(host), DEVLINK_GENL_NAME,
                                  "the kernel has no devlink (CONFIG_NET_DEVLINK)"));
  RR_ASSIGN_OR_RETURN(const NetlinkMessage answer,
                      AskForOne(host, GetParameter(family, bus, device, object.name), kParameterWhat));
  RR_ASSIGN_OR_RETURN(const std::uint8_t type, ParameterTypeIn(answer));
  const std::optional<NetlinkRequest> request = SetParameter(family, bus, device, object.name, type, to);
  if (!request)
    return absl::InvalidArgumentError(what + ": \"" + std::string(to) + "\" is no value of its type");
  return Order(door, *request, what);
}

}  // namespace rdmaready
