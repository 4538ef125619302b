// SPDX-License-Identifier: Apache-2.0
// SettingRow::read of each kind.
#pragma once

#include <vector>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready {

std::vector<Setting> ReadPauseSettings(const Facts& facts);
std::vector<Setting> ReadPrivateFlagSettings(const Facts& facts);
std::vector<Setting> ReadDevlinkSettings(const Facts& facts);
std::vector<Setting> ReadDcbxSettings(const Facts& facts);
std::vector<Setting> ReadMtuSettings(const Facts& facts);
// Of PFC and ETS what the driver tells, believed or not: see DoubtOf in table.h.
std::vector<Setting> ReadEtsSettings(const Facts& facts);
std::vector<Setting> ReadPfcSettings(const Facts& facts);
std::vector<Setting> ReadBufferSettings(const Facts& facts);
std::vector<Setting> ReadMaxRateSettings(const Facts& facts);
std::vector<Setting> ReadAppSettings(const Facts& facts);
std::vector<Setting> ReadTrustSettings(const Facts& facts);
std::vector<Setting> ReadVlanEgressSettings(const Facts& facts);
std::vector<Setting> ReadSysctlSettings(const Facts& facts);
std::vector<Setting> ReadCmModeSettings(const Facts& facts);
std::vector<Setting> ReadCmTosSettings(const Facts& facts);

}  // namespace rdmaready
