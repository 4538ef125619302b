// SPDX-License-Identifier: Apache-2.0
// SettingRow::commands and SettingRow::note of each kind. All return nothing where `from` is `to`, or where one
// of both is no canonical value.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checks/setting/table.h"

namespace rdmaready {

using Commands = std::vector<std::string>;

Commands PauseCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands PrivateFlagCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands DevlinkCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands DcbxCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands MtuCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands EtsCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands PfcCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands BufferCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands MaxRateCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands AppCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands TrustCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands VlanEgressCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands SysctlCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands CmModeCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands CmTosCommands(const SettingPlace& place, std::string_view from, std::string_view to);

// What who types them must know; empty: nothing.
std::string DcbxNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string MaxRateNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string AppNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string TrustNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string SysctlNote(const SettingPlace& place, std::string_view from, std::string_view to);

// "tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 prio-tc all:0 3:3", as `dcb ets set` takes it.
std::string EtsWords(const std::array<Tsa, kPriorities>& tsa,
                     const std::array<std::uint8_t, kPriorities>& tx_percent,
                     const std::array<std::uint8_t, kPriorities>& prio_tc);

}  // namespace rdmaready
