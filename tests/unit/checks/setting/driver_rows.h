// SPDX-License-Identifier: Apache-2.0
// Plays of the rows of checks/setting/DRIVERS.md on the model of the drivers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/model/setting.h"

namespace rdmaready {

// One write to a port in a known state, and the settings that read afterwards. A setting is "kind=value", with
// the kind's name and a canonical value; several are separated by '|'. "kind=?" is one that cannot be read.
struct DriverRow {
  std::string id{};       // of DRIVERS.md
  std::string driver{};   // as `ethtool -i` names it
  std::string begins{};   // settings that replace those of the good host; they need not be canonical
  std::string write{};    // one setting
  std::string refused{};  // what the refusal says, a part of it; empty: the write is taken
  std::string reads{};    // after the write, taken or not
};

// "willing off tsa ets,strict,... tx 50,0,... prio 0,0,...": by class a letter (s strict, e ETS, v the
// vendor's, c the credit-based shaper) and a share, and by priority the digit of its class.
std::string EtsText(std::string_view algorithms, std::string_view shares, std::string_view classes,
                    bool willing = false);

std::vector<DriverRow> KernelRows();
std::vector<DriverRow> Mlx5Rows();
std::vector<DriverRow> BnxtRows();
std::vector<DriverRow> IceRows();
std::vector<DriverRow> Mlx4Rows();
std::vector<DriverRow> OtherRows();  // cxgb4, qede, hns3, i40e, ixgbe

}  // namespace rdmaready
