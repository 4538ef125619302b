// SPDX-License-Identifier: Apache-2.0
// What devlink tells of the PCI functions below RDMA ports: generic netlink, family "devlink". Only questions
// are built here. Listings are asked once for the whole host, the mode of the switch in the NIC once
// a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"
#include "collectors/net/generic_families.h"

namespace rdmaready {

// Of one message, struct genlmsghdr first: which device it is about, "pci/0000:3b:00.0", and what of it.
template <class T>
using OfHandle = std::pair<std::string, T>;
absl::StatusOr<OfHandle<std::vector<FirmwareVersion>>> DecodeDevlinkInfo(std::span<const std::byte> payload);
// Strings of parameters are left empty: they are no settings that anything is judged by.
absl::StatusOr<OfHandle<DevlinkParameter>> DecodeDevlinkParameter(std::span<const std::byte> payload);
absl::StatusOr<OfHandle<HealthReporter>> DecodeHealthReporter(std::span<const std::byte> payload);
absl::StatusOr<OfHandle<std::string>> DecodeEswitchMode(std::span<const std::byte> payload);

// Fills `devlink` of every port; asks nothing when no port is a PCI function. kUnsupported for the others, for
// a function without devlink, and in a kernel without it.
void ReadDevlinks(HostReader& host, const absl::StatusOr<GenericFamilies>& families, std::vector<Port>& ports);

// The question for the mode of the switch of one function, "0000:3b:00.0". The kernel answers only to
// CAP_NET_ADMIN.
NetlinkRequest DevlinkSwitchRequest(std::uint16_t family, const std::string& address);

}  // namespace rdmaready
