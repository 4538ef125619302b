// SPDX-License-Identifier: Apache-2.0
// SettingRow::commands and SettingRow::note of data centre bridging. They return nothing unless
// IsChange.
#pragma once

#include <string>
#include <string_view>

#include "checks/setting/parts.h"

namespace rdmaready {

Commands DcbxCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands EtsCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands PfcCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands BufferCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands MaxRateCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands AppCommands(const SettingPlace& place, std::string_view from, std::string_view to);
Commands TrustCommands(const SettingPlace& place, std::string_view from, std::string_view to);

std::string DcbxNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string MaxRateNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string AppNote(const SettingPlace& place, std::string_view from, std::string_view to);
std::string TrustNote(const SettingPlace& place, std::string_view from, std::string_view to);

}  // namespace rdmaready
