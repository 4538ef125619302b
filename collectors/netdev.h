// SPDX-License-Identifier: Apache-2.0
// The netdev of an RDMA port: rtnetlink GETLINK by ifindex, and sysfs by name once it was seen to be the same
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct Link {
  std::uint32_t ifindex = 0;
  std::string name{};  // fit to be a part of a path
  bool admin_up = false;
  bool carrier = false;
  std::uint32_t mtu_bytes = 0;
  std::string kind{};  // IFLA_INFO_KIND: "vlan", "veth"; empty for hardware
  std::optional<std::uint16_t> vlan_id{};

  bool operator==(const Link&) const = default;
};

absl::StatusOr<Link> DecodeLink(std::span<const std::byte> payload);
absl::StatusOr<Link> ReadLinkByIndex(HostReader& host, std::uint32_t ifindex);

// `text` is /sys/class/net/X/speed, or why it could not be read: Mb/s, -1 or EINVAL when the driver does not
// know.
Fact<std::uint32_t> DecodeSpeed(const absl::StatusOr<std::string>& text, bool carrier);

// The whole netdev, DCB included. What is read by name is kept only if the name still belongs to the ifindex
// afterwards; Missing when the interface goes away or is renamed meanwhile.
Fact<Netdev> ReadNetdev(HostReader& host, std::uint32_t ifindex);

}  // namespace rdmaready
