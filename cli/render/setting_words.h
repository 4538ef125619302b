// SPDX-License-Identifier: Apache-2.0
// Settings in the words that people know: "PFC on 4 -> on 3". Pure. Texts of hosts are made Printable.
#pragma once

#include <string>
#include <string_view>

#include "api/model/setting.h"

namespace rdmaready {

// "PFC", "sysctl net.ipv4.conf.all.arp_ignore", "private flag fw-lldp-agent".
std::string SettingName(const SettingObject& object);

// What differs between the two, and only that; a text that is not canonical is shown as it is.
std::string ChangeWords(const SettingObject& object, std::string_view from, std::string_view to);

}  // namespace rdmaready
