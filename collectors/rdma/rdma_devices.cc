// SPDX-License-Identifier: Apache-2.0
#include "collectors/rdma/rdma_devices.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

// ibv_query_port counts ports in a byte; no device has more.
constexpr std::uint32_t kMostPorts = 255;

// Names become parts of paths, so a hostile one must not lead elsewhere.
bool IsPathPart(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

Fact<Transport> TransportFromLinkLayer(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  const absl::StatusOr<std::string> link_layer =
      host.ReadFile(SysfsPath(device, fmt::format("ports/{}/link_layer", port)));
  if (!link_layer.ok()) return MissingFrom(link_layer.status());
  const std::string text = TrimRight(*link_layer);
  if (text == "InfiniBand") return Transport::kInfiniBand;
  if (text == "Ethernet") return Transport::kRoce;
  return Missing{Missing::Kind::kUnsupported, "link layer \"" + text + "\" is not InfiniBand or Ethernet"};
}

Fact<Transport> TransportFromSysfs(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  const absl::StatusOr<std::string> node_type = host.ReadFile(SysfsPath(device, "node_type"));
  if (!node_type.ok()) return MissingFrom(node_type.status());
  if (node_type->find("RNIC") != std::string::npos) return Transport::kIwarp;
  return TransportFromLinkLayer(host, device, port);
}

// enum rdma_nl_dev_type of Linux 6.11; other devices do not have the attribute.
absl::StatusOr<bool> IsOfPlanes(std::span<const std::byte> payload) {
  constexpr int kDeviceType = 99;  // RDMA_NLDEV_ATTR_DEV_TYPE
  constexpr std::uint8_t kSmi = 1;
  RR_ASSIGN_OR_RETURN(const Attributes attributes, Attributes::Parse(payload, "RDMA device"));
  if (!attributes.Find(kDeviceType)) return false;
  RR_ASSIGN_OR_RETURN(const std::uint8_t type, attributes.U8(kDeviceType));
  return type == kSmi;
}

}  // namespace

NetlinkRequest RdmaRequest(unsigned command, bool dump, const Payload& payload) {
  return {NETLINK_RDMA, static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command)), dump,
          payload.bytes()};
}

std::string SysfsPath(const RdmaDevice& device, std::string_view file) {
  return "/sys/class/infiniband/" + device.name + "/" + std::string(file);
}

absl::StatusOr<RdmaDevice> DecodeRdmaDevice(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes attributes, Attributes::Parse(payload, "RDMA device"));
  RR_ASSIGN_OR_RETURN(const std::uint32_t index, attributes.U32(RDMA_NLDEV_ATTR_DEV_INDEX));
  RR_ASSIGN_OR_RETURN(std::string name, attributes.Text(RDMA_NLDEV_ATTR_DEV_NAME));
  if (!IsPathPart(name)) return Malformed("RDMA device", "impossible name \"" + name + "\"");
  RR_ASSIGN_OR_RETURN(const std::uint32_t ports, attributes.U32(RDMA_NLDEV_ATTR_PORT_INDEX));
  if (ports > kMostPorts) return Malformed("RDMA device", fmt::format("{} ports", ports));
  RR_ASSIGN_OR_RETURN(const std::uint64_t node_guid, attributes.U64(RDMA_NLDEV_ATTR_NODE_GUID));

  RdmaDevice device{.index = index, .name = std::move(name), .port_count = ports, .node_guid = node_guid};
  for (const auto& [type, text] : {std::pair{RDMA_NLDEV_ATTR_DEV_PROTOCOL, &device.protocol},
                                   std::pair{RDMA_NLDEV_ATTR_FW_VERSION, &device.firmware}}) {
    if (!attributes.Find(type)) continue;
    RR_ASSIGN_OR_RETURN(*text, attributes.Text(type));
  }
  return device;
}

absl::StatusOr<RdmaPort> DecodeRdmaPort(std::span<const std::byte> payload) {
  RR_ASSIGN_OR_RETURN(const Attributes attributes, Attributes::Parse(payload, "RDMA port"));
  RR_ASSIGN_OR_RETURN(const std::uint32_t index, attributes.U32(RDMA_NLDEV_ATTR_DEV_INDEX));
  RR_ASSIGN_OR_RETURN(std::string name, attributes.Text(RDMA_NLDEV_ATTR_DEV_NAME));
  RR_ASSIGN_OR_RETURN(const std::uint32_t number, attributes.U32(RDMA_NLDEV_ATTR_PORT_INDEX));
  RR_ASSIGN_OR_RETURN(const std::uint8_t state, attributes.U8(RDMA_NLDEV_ATTR_PORT_STATE));
  RR_ASSIGN_OR_RETURN(const std::uint8_t phys_state, attributes.U8(RDMA_NLDEV_ATTR_PORT_PHYS_STATE));

  RdmaPort port{.device_index = index,
                .device = std::move(name),
                .number = number,
                .state = state,
                .phys_state = phys_state};
  if (attributes.Find(RDMA_NLDEV_ATTR_NDEV_INDEX)) {
    RR_ASSIGN_OR_RETURN(port.ifindex, attributes.U32(RDMA_NLDEV_ATTR_NDEV_INDEX));
  }
  return port;
}

absl::StatusOr<std::vector<RdmaDevice>> ReadRdmaDevices(HostReader& host) {
  RR_ASSIGN_OR_RETURN(const std::vector<NetlinkMessage> answer,
                      host.Netlink(RdmaRequest(RDMA_NLDEV_CMD_GET, true, Payload())));
  std::vector<RdmaDevice> devices;
  for (const NetlinkMessage& message : answer) {
    RR_ASSIGN_OR_RETURN(const bool of_planes, IsOfPlanes(message.payload));
    if (of_planes) continue;
    RR_ASSIGN_OR_RETURN(RdmaDevice device, DecodeRdmaDevice(message.payload));
    devices.push_back(std::move(device));
  }
  std::sort(devices.begin(), devices.end(),
            [](const RdmaDevice& a, const RdmaDevice& b) { return NaturalLess(a.name, b.name); });
  return devices;
}

absl::StatusOr<RdmaDevice> ReadRdmaDevice(HostReader& host, std::uint32_t index) {
  RR_ASSIGN_OR_RETURN(
      const NetlinkMessage answer,
      AskForOne(host, RdmaRequest(RDMA_NLDEV_CMD_GET, false, Payload().U32(RDMA_NLDEV_ATTR_DEV_INDEX, index)),
                "RDMA device"));
  return DecodeRdmaDevice(answer.payload);
}

absl::StatusOr<RdmaPort> ReadRdmaPort(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  const NetlinkRequest request =
      RdmaRequest(RDMA_NLDEV_CMD_PORT_GET, false,
                  Payload().U32(RDMA_NLDEV_ATTR_DEV_INDEX, device.index).U32(RDMA_NLDEV_ATTR_PORT_INDEX, port));
  RR_ASSIGN_OR_RETURN(const NetlinkMessage answer, AskForOne(host, request, "RDMA port"));
  absl::StatusOr<RdmaPort> decoded = DecodeRdmaPort(answer.payload);
  if (!decoded.ok()) return decoded;
  if (decoded->device_index != device.index || decoded->number != port) {
    return Malformed("RDMA port", "the answer is about another port");
  }
  return decoded;
}

Fact<Transport> ReadTransport(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  if (device.protocol.empty()) return TransportFromSysfs(host, device, port);
  if (device.protocol == "iw") return Transport::kIwarp;
  if (device.protocol == "opa") return Transport::kInfiniBand;  // Omni-Path: verbs are InfiniBand's
  if (device.protocol == "roce" || device.protocol == "ib") {
    if (port > 1) return TransportFromLinkLayer(host, device, port);
    return device.protocol == "ib" ? Transport::kInfiniBand : Transport::kRoce;
  }
  return Missing{Missing::Kind::kUnsupported,
                 "protocol \"" + device.protocol + "\" is not InfiniBand, RoCE or iWARP"};
}

Fact<bool> ReadSoftware(HostReader& host, const RdmaDevice& device) {
  const absl::StatusOr<std::string> link = host.ReadLink(SysfsPath(device, "device"));
  if (!link.ok()) {
    if (link.status().code() != absl::StatusCode::kNotFound) return MissingFrom(link.status());
    return true;
  }
  return host.ReadFile(SysfsPath(device, "parent")).ok();  // rxe names its netdev there
}

Fact<std::string> FirmwareOf(const RdmaDevice& device, const Fact<bool>& software, const Fact<Netdev>& netdev) {
  if (!device.firmware.empty()) return device.firmware;
  if (software && *software) return Missing{Missing::Kind::kUnsupported, "a software device has no firmware"};
  if (software && netdev && netdev->driver_info && !netdev->driver_info->firmware.empty()) {
    return netdev->driver_info->firmware;
  }
  return Missing{Missing::Kind::kUnsupported, "the driver reports no firmware version"};
}

Fact<std::string> ReadBoard(HostReader& host, const RdmaDevice& device, const Fact<bool>& software) {
  for (const char* file : {"board_id", "hca_type"}) {
    const absl::StatusOr<std::string> text = host.ReadFile(SysfsPath(device, file));
    if (!text.ok() && text.status().code() != absl::StatusCode::kNotFound) return MissingFrom(text.status());
    if (std::string board = text.ok() ? TrimRight(*text) : ""; !board.empty()) return board;
  }
  return Missing{Missing::Kind::kUnsupported,
                 software && *software ? "a software device has no board" : "the driver names no board"};
}

Fact<PortState> PortStateOf(std::uint32_t state) {
  constexpr PortState kStates[] = {PortState::kUnknown, PortState::kDown,   PortState::kInit,
                                   PortState::kArmed,   PortState::kActive, PortState::kActiveDefer};
  if (state == 0 || state >= std::size(kStates)) {
    return Missing{Missing::Kind::kFailed, fmt::format("unknown port state {}", state)};
  }
  return kStates[state];
}

Fact<std::uint32_t> MtuBytesOf(std::uint32_t mtu) {
  constexpr std::uint32_t kSmallest = 1;  // IBV_MTU_256
  constexpr std::uint32_t kLargest = 5;   // IBV_MTU_4096
  if (mtu < kSmallest || mtu > kLargest) {
    return Missing{Missing::Kind::kUnsupported, fmt::format("not an InfiniBand MTU (enum ibv_mtu {})", mtu)};
  }
  return std::uint32_t{128} << mtu;
}

Fact<std::uint32_t> DecodeRate(std::string_view text) {
  constexpr std::uint32_t kLargestGiga = 100'000;
  const std::string rate = TrimRight(text);
  const Missing nonsense{Missing::Kind::kFailed, "\"" + rate + "\" is not a rate"};
  std::string_view rest = rate;
  const std::optional<std::uint32_t> giga = TakeNumber<std::uint32_t>(rest);
  if (!giga || *giga > kLargestGiga) return nonsense;
  const bool half = rest.starts_with(".5");
  if (half) rest.remove_prefix(2);
  if (!rest.starts_with(" Gb/sec")) return nonsense;
  return *giga * 1000 + (half ? 500 : 0);
}

Fact<std::uint32_t> ReadRate(HostReader& host, const RdmaDevice& device, std::uint32_t port) {
  const absl::StatusOr<std::string> text = host.ReadFile(SysfsPath(device, fmt::format("ports/{}/rate", port)));
  if (!text.ok()) return MissingFrom(text.status());
  return DecodeRate(*text);
}

bool NaturalLess(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&digit](std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && digit(text[end])) ++end;
    while (at + 1 < end && text[at] == '0') ++at;
    return text.substr(at, end - at);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const std::string_view x = number(a, i);
    const std::string_view y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    while (i < a.size() && digit(a[i])) ++i;
    while (j < b.size() && digit(b[j])) ++j;
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // equal but for leading zeros
}

}  // namespace rdmaready
