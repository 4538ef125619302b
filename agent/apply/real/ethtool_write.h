// SPDX-License-Identifier: Apache-2.0
// Writing by ethtool's netlink (Linux 5.7): link-level pause, and private flags by their names. A request names
// the netdev and its index, and the kernel refuses when they do not belong together; it changes what it is told
// and keeps the rest.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "agent/apply/real/kernel_door.h"
#include "api/model/setting.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// kPause or kPrivateFlag; both values are canonical.
absl::Status WriteEthtool(HostReader& host, KernelDoor& door, const SettingObject& object,
                          std::string_view from, std::string_view to);

// Pure. Of pause only what differs; `family` is the number of ethtool's.
NetlinkRequest SetPause(std::uint16_t family, const std::string& netdev, std::uint32_t ifindex,
                        const Pause& from, const Pause& to);
NetlinkRequest SetPrivateFlag(std::uint16_t family, const std::string& netdev, std::uint32_t ifindex,
                              const std::string& flag, bool on);

}  // namespace rdmaready
