// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/mellanox/mlx5/core/en_stats.c; what they mean: counters.rst of the driver's
// documentation. Names of PFC are there only while it is on for the priority, "global" ones only while 802.3x
// pause is: both are of the same registers. outbound_pci_stalled_rd and _wr are percentages of the last second,
// so they are not among them.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

constexpr auto kMlx5Rows = std::to_array<NicNameRow>({
    {"rx_prio#_pause", kPauseReceived},
    {"tx_prio#_pause", kPauseSent},
    {"rx_prio#_pause_duration", kPauseReceivedUs},
    {"tx_prio#_pause_duration", kPauseSentUs},
    {"rx_prio#_pause_transition", kPauseReceivedTransitions},
    {"rx_pause_ctrl_phy", kGlobalPauseReceived},
    {"tx_pause_ctrl_phy", kGlobalPauseSent},
    {"rx_global_pause", kGlobalPauseReceived},
    {"tx_global_pause", kGlobalPauseSent},
    {"rx_global_pause_duration", kPauseReceivedUs},
    {"tx_global_pause_duration", kPauseSentUs},
    {"rx_global_pause_transition", kPauseReceivedTransitions},
    {"rx_prio#_packets", kPacketsReceived},
    {"rx_prio#_bytes", kBytesReceived},
    {"tx_prio#_packets", kPacketsSent},
    {"tx_prio#_bytes", kBytesSent},
    {"rx_prio#_discards", kDropReceived},
    {"rx_prio#_buf_discard", kDropReceived},
    {"rx_prio#_cong_discard", kDropReceived},
    {"rx_discards_phy", kDropReceived},
    {"rx_out_of_buffer", kNoReceiveBuffer},
    {"rx_prio#_marked", kEcnMarked},
    {"tx_pause_storm_warning_events", kPauseStormWarning},
    {"tx_pause_storm_error_events", kPauseStormError},
    {"link_down_events_phy", kLinkDown},
    {"rx_corrected_bits_phy", kFecCorrectedBits},
    {"rx_bits_phy", kBitsReceived},  // out of tree only: counters.rst has it, the kernel's en_stats.c has not
    {"rx_pcs_symbol_err_phy", kSymbolErrors},
    {"rx_symbol_err_phy", kSymbolErrors},
    {"rx_crc_errors_phy", kCrcErrors},
    {"outbound_pci_stalled_rd_events", kPciStalledRead},
    {"outbound_pci_stalled_wr_events", kPciStalledWrite},
    {"outbound_pci_buffer_overflow", kPciBufferOverflow},
});

}  // namespace

const NicNameTable kMlx5Names{.drivers = {{"mlx5_core"}}, .rows = kMlx5Rows};

}  // namespace rdmaready
