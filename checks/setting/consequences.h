// SPDX-License-Identifier: Apache-2.0
// What a write does besides: to the traffic, and whether it can be taken back. By what the drivers of
// Linux 6.12 do; of a driver that is not named nothing is known.
#pragma once

#include <string>
#include <string_view>

#include "checks/setting/table.h"

namespace rdmaready {

// SettingRow::disturbs of each kind.
Disturbance PauseDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance PrivateFlagDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance DevlinkDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance DcbxDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance MtuDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance EtsDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance PfcDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
Disturbance AppDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);
// Of what no driver is disturbed by: a register of the NIC, a variable of the kernel.
Disturbance NothingDisturbs(const SettingPlace& place, std::string_view from, std::string_view to);

// As a comment behind a command, without the driver's name, which a finding has: "  # the link goes down for a
// moment"; empty where nothing is known of any.
std::string CommentOf(const Disturbance& disturbance);

// SettingRow::one_way.
std::string DcbxOneWay(const SettingPlace& place, std::string_view from, std::string_view to);
std::string RecordOneWay(const SettingPlace& place, std::string_view from, std::string_view to);  // PFC, ETS

}  // namespace rdmaready
