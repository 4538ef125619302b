// SPDX-License-Identifier: Apache-2.0
// Writing by rtnetlink: the MTU of a netdev, and the egress map of a VLAN.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "agent/apply/real/kernel_door.h"
#include "api/model/setting.h"

namespace rdmaready {

// kMtu or kVlanEgress; both values are canonical.
absl::Status WriteLink(KernelDoor& door, const SettingObject& object, std::string_view from,
                       std::string_view to);

// Pure. By index: a netdev that took the name since is not written. The request has no name, which would
// rename.
NetlinkRequest SetMtu(std::uint32_t ifindex, std::uint32_t mtu);
// Only pairs that differ. A pair cannot be deleted: one that is gone is set to PCP 0, which the kernel shows as
// none.
NetlinkRequest SetVlanEgress(std::uint32_t ifindex, const std::vector<VlanPriority>& from,
                             const std::vector<VlanPriority>& to);

}  // namespace rdmaready
