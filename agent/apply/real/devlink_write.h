// SPDX-License-Identifier: Apache-2.0
// Writing a devlink parameter that takes effect at once (cmode runtime).
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/apply/real/kernel_door.h"
#include "api/model/setting.h"
#include "collectors/host_reader.h"

namespace rdmaready {

absl::Status WriteDevlink(HostReader& host, KernelDoor& door, const SettingObject& object, std::string_view to);

// Pure. The kernel wants the parameter's type told, so it is asked before.
NetlinkRequest GetParameter(std::uint16_t family, const std::string& bus, const std::string& device,
                            const std::string& name);
// The type as the kernel numbers it: NLA_U8 and so on, which no user header has.
absl::StatusOr<std::uint8_t> ParameterTypeIn(const NetlinkMessage& answer);
// Nothing when `to` is no value of that type.
std::optional<NetlinkRequest> SetParameter(std::uint16_t family, const std::string& bus,
                                           const std::string& device, const std::string& name,
                                           std::uint8_t type, std::string_view to);

}  // namespace rdmaready
