// SPDX-License-Identifier: Apache-2.0
// RDMA devices and their ports: RDMA netlink (RDMA_NLDEV_CMD_GET and PORT_GET of rdma/rdma_netlink.h), with
// sysfs for what nldev does not tell. Only to be asked when /sys/class/infiniband exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/attributes.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct RdmaDevice {
  std::uint32_t index = 0;  // stays when the device is renamed, and is not given out again soon
  std::string name{};       // fit to be a part of a path
  std::uint32_t port_count = 0;
  std::uint64_t node_guid = 0;
  std::string protocol{};  // "roce", "ib", "iw", "opa", "usnic"; empty before kernel 5.2
  std::string firmware{};  // empty when there is none

  bool operator==(const RdmaDevice&) const = default;
};

struct RdmaPort {
  std::uint32_t device_index = 0;
  std::string device{};
  std::uint32_t number = 0;
  std::uint8_t state = 0;                  // enum ib_port_state
  std::uint8_t phys_state = 0;             // enum ib_port_phys_state
  std::optional<std::uint32_t> ifindex{};  // absent: no netdev, or it is in another network namespace

  bool operator==(const RdmaPort&) const = default;
};

// A question of RDMA_NLDEV_CMD_*.
NetlinkRequest RdmaRequest(unsigned command, bool dump, const Payload& payload);

// "/sys/class/infiniband/rxe0/<file>".
std::string SysfsPath(const RdmaDevice& device, std::string_view file);

absl::StatusOr<RdmaDevice> DecodeRdmaDevice(std::span<const std::byte> payload);
absl::StatusOr<RdmaPort> DecodeRdmaPort(std::span<const std::byte> payload);

// Sorted by name, numbers in names counted as numbers: rxe2 before rxe10. A device of type SMI is left out: its
// ports are the planes of another device's port, have QP0 alone, and carry nothing of a program's.
absl::StatusOr<std::vector<RdmaDevice>> ReadRdmaDevices(HostReader& host);

// One device, found by its index whatever it is called by now.
absl::StatusOr<RdmaDevice> ReadRdmaDevice(HostReader& host, std::uint32_t index);

// Asked port by port: a listing would silently end at the first port whose driver answers with an error.
absl::StatusOr<RdmaPort> ReadRdmaPort(HostReader& host, const RdmaDevice& device, std::uint32_t port);

// nldev names one protocol for a device, that of its first port; those of mlx4 may differ (VPI), which
// `link_layer` of sysfs tells of the others.
Fact<Transport> ReadTransport(HostReader& host, const RdmaDevice& device, std::uint32_t port);
Fact<bool> ReadSoftware(HostReader& host, const RdmaDevice& device);

// nldev's own word, else what the driver of the port's netdev says of itself (ethtool): old kernels and some
// drivers tell it only there.
Fact<std::string> FirmwareOf(const RdmaDevice& device, const Fact<bool>& software, const Fact<Netdev>& netdev);

// board_id of sysfs, else hca_type.
Fact<std::string> ReadBoard(HostReader& host, const RdmaDevice& device, const Fact<bool>& software);

// enum ib_port_state; what is no state of it is Missing.
Fact<PortState> PortStateOf(std::uint32_t state);

// enum ibv_mtu -> bytes. Other numbers (iWARP drivers may give bytes, Omni-Path has larger MTUs) are Missing.
Fact<std::uint32_t> MtuBytesOf(std::uint32_t mtu);

// The port's rate as the RDMA stack reckons it: "25 Gb/sec (1X EDR)" of sysfs. It takes 1 Gb/s where the driver
// does not know the speed of the link.
Fact<std::uint32_t> DecodeRate(std::string_view text);
Fact<std::uint32_t> ReadRate(HostReader& host, const RdmaDevice& device, std::uint32_t port);

bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace rdmaready
