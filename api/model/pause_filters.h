// SPDX-License-Identifier: Apache-2.0
// Network drivers whose NIC drops the pause frames that a program of its host sends. Their NIC cannot send the
// pauses of a test of PFC.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace rdmaready {

struct PauseFilter {
  std::string_view driver;  // as ethtool names it: "ice"
  std::string_view where;   // what sets the filter, in drivers/net/ethernet/intel of Linux
};

// Read in Linux 6.12. Each of them drops by EtherType, whatever the opcode is, and for virtual functions too.
//
// ixgbe has such a filter for its virtual functions alone: ixgbe_ndo_set_vf_spoofchk in ixgbe/ixgbe_sriov.c. No
// other driver below drivers/net/ethernet names the EtherType (ETH_P_PAUSE, 0x8808) for frames that its host
// sends: of mlx5, mlx4, bnxt, qede, cxgb4, hns3 and ionic the firmware decides, which only a test shows.
inline constexpr std::array<PauseFilter, 3> kPauseFilters{{
    {"i40e", "i40e_add_filter_to_drop_tx_flow_control_frames in i40e/i40e_common.c"},
    {"iavf", "the filter of its physical function: i40e/i40e_common.c, ice/ice_lib.c"},
    {"ice", "ice_vsi_setup in ice/ice_lib.c: ice_fltr_add_eth of ETH_P_PAUSE"},
}};

// Null: the driver sets no such filter, or is not known.
constexpr const PauseFilter* FindPauseFilter(std::string_view driver) {
  const auto* const row = std::ranges::find(kPauseFilters, driver, &PauseFilter::driver);
  return row == kPauseFilters.end() ? nullptr : &*row;
}

}  // namespace rdmaready
