// SPDX-License-Identifier: Apache-2.0
// LLDP frames of the running host: packet sockets. Needs CAP_NET_RAW in the user namespace that owns the
// network namespace; without it each answer is kPermissionDenied.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collectors/questions/listening.h"

namespace rdmaready {

// What is kept of one netdev.
inline constexpr std::size_t kMostLldpFrames = 256;

// One answer for each netdev, in their order; see LldpQuestion. For as long as it lasts the netdevs accept the
// three LLDP group addresses, and the kernel shows each frame that passes them to a filter that wants
// LLDP only.
std::vector<absl::StatusOr<LldpFrames>> ListenOnNetdevs(const std::vector<std::string>& netdevs,
                                                        const LldpWait& wait);

}  // namespace rdmaready
