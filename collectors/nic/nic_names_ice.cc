// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/intel/ice/ice_ethtool.c (ice_gstrings_vsi_stats, ice_gstrings_pf_stats and
// __ice_get_strings). An XON is a PFC frame that ends a pause: it is not counted as one. What ends in ".nic" is
// the port's, the rest the function's own: its rx_dropped is the register GLV_RDPC, as i40e's
// rx_missed_errors is.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

constexpr auto kIceRows = std::to_array<NicNameRow>({
    {"rx_priority_#_xoff.nic", kPauseReceived},
    {"tx_priority_#_xoff.nic", kPauseSent},
    {"link_xoff_rx.nic", kGlobalPauseReceived},
    {"link_xoff_tx.nic", kGlobalPauseSent},
    {"rx_dropped.nic", kDropReceived},
    {"rx_dropped", kNoReceiveBuffer},
    {"rx_crc_errors.nic", kCrcErrors},
});

}  // namespace

const NicNameTable kIceNames{.drivers = {{"ice"}}, .rows = kIceRows};

}  // namespace rdmaready
