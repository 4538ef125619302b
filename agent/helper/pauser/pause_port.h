// SPDX-License-Identifier: Apache-2.0
// PausePort: the interface that is to send pauses, as this host's kernel describes it, and whether it may.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/helper/pauser/pause_budget.h"
#include "agent/helper/pauser/pause_frame.h"

namespace rdmaready::helper {

struct PausePort {
  std::string netdev{};
  int ifindex = 0;
  std::string driver{};  // as ethtool names it; empty: not known
  PausePortKey key{};
  Mac mac{};
  std::uint32_t speed_mbps = 0;  // 0: not known
  bool ethernet = false;         // ARPHRD_ETHER
  bool wireless = false;
  bool carrier = false;  // IFF_RUNNING
  bool virtual_function = false;
  bool stands_on_another = false;  // a VLAN, a bond, a bridge
};

// Whether `text` may name a network interface: at most 15 characters, and no component of a path.
bool IsNetdevName(const std::string& text);

// Reads ioctls and sysfs, which takes no right. kNotFound: there is no such interface.
absl::StatusOr<PausePort> ReadPausePort(const std::string& netdev);

// kFailedPrecondition, with the reason: it is not an Ethernet NIC with a link, or its driver is known to drop
// such frames (api/model/pause_filters.h). Pure.
absl::Status CheckPausePort(const PausePort& port);

}  // namespace rdmaready::helper
