// SPDX-License-Identifier: Apache-2.0
// The families of settings: each is a file that returns its rows. table.cc names them; nobody else calls them.
#pragma once

#include <vector>

#include "checks/setting/table.h"

namespace rdmaready {

std::vector<SettingRow> EthtoolRows();
std::vector<SettingRow> DevlinkRows();
std::vector<SettingRow> DcbRows();
std::vector<SettingRow> MtuRows();
std::vector<SettingRow> VlanRows();
std::vector<SettingRow> SysctlRows();
std::vector<SettingRow> RdmaCmRows();

}  // namespace rdmaready
