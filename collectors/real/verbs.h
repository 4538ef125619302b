// SPDX-License-Identifier: Apache-2.0
// What libibverbs tells of a device and its ports. Queries only: no protection domain, no memory, no queue
// pair.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// They fail when the device is not there, or may not be opened (/dev/infiniband/uverbs*).
absl::StatusOr<VerbsPortAnswer> QueryVerbsPort(const std::string& device, std::uint32_t port);
absl::StatusOr<VerbsDeviceAnswer> QueryVerbsDevice(const std::string& device);
absl::StatusOr<std::vector<VerbsGid>> QueryVerbsGidTable(const std::string& device);

}  // namespace rdmaready
