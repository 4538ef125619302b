// SPDX-License-Identifier: Apache-2.0
// The answers of SettingRow::disturbs: how a write disturbs the traffic, as the drivers of Linux 6.12 do it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "checks/setting/table.h"

namespace rdmaready {

inline constexpr std::uint32_t kQueuesMs = 1000;  // queues closed and opened
inline constexpr std::uint32_t kDeviceMs = 3000;  // an RDMA device that comes

// A register, or a variable: no driver is disturbed by it.
Disturbance Quiet();
Disturbance QueuesStop(std::string_view driver,
                       std::string_view text = "the driver stops the port for a moment");
Disturbance LinkDown(std::string_view driver, std::string_view text = "the link goes down for a moment");
// Hardware of an unknown driver may do anything; what is made of software alone does nothing.
Disturbance OfUnknownDriver(const SettingPlace& place);

// SettingRow::disturbs of what is always Quiet.
Disturbance NothingDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);

// For the reader of a finding, which has the driver's name: "the link goes down for a moment"; empty where
// nothing is known of any.
std::string CautionOf(const Disturbance& disturbance);

}  // namespace rdmaready
