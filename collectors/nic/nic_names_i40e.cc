// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/intel/i40e/i40e_ethtool.c (i40e_gstrings_net_stats, i40e_gstrings_stats,
// i40e_gstrings_pfc_stats). Older drivers named priorities without the second direction, as an ethtool -S that
// isc-projects/ethq publishes shows (tests/i40e).
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

constexpr auto kI40eRows = std::to_array<NicNameRow>({
    {"port.rx_priority_#_xoff_rx", kPauseReceived},
    {"port.tx_priority_#_xoff_tx", kPauseSent},
    {"port.rx_priority_#_xoff", kPauseReceived},  // older
    {"port.tx_priority_#_xoff", kPauseSent},      // older
    {"port.rx_priority_#_xon_2_xoff", kPauseReceivedTransitions},
    {"port.link_xoff_rx", kGlobalPauseReceived},
    {"port.link_xoff_tx", kGlobalPauseSent},
    {"port.rx_discards", kDropReceived},
    {"rx_missed_errors", kNoReceiveBuffer},
    {"port.rx_crc_errors", kCrcErrors},
});

}  // namespace

const NicNameTable kI40eNames{.drivers = {{"i40e"}}, .rows = kI40eRows};

}  // namespace rdmaready
