// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

// Linux 6.12, drivers/net/ethernet/mellanox/mlx5/core/en_stats.c; what they mean: counters.rst of the driver's
// documentation. Names of PFC are there only while it is on for the priority, "global" ones only while 802.3x
// pause is: both are of the same registers. outbound_pci_stalled_rd and _wr are percentages of the last second,
// so they are not among them. tx_discards_phy is if_out_discards (pport_2863_stats_desc, line 1023). It
// counts frames without an error that were not sent: the link was down, the head of the line was blocked, or
// the network paused (counters.rst, line 1000). The driver sets no limit of that time.
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
    {"tx_discards_phy", kDropSent},
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

// Linux 6.12, drivers/net/ethernet/mellanox/mlx4/en_ethtool.c (main_strings). Names of PFC, or those without a
// priority, are there as it is on or off. tx_dropped is the port's TDROP, and the few frames that the driver
// could not put on a ring (mlx4_en_DUMP_ETH_STATS, en_port.c:331).
constexpr auto kMlx4Rows = std::to_array<NicNameRow>({
    {"rx_pause_prio_#", kPauseReceived},
    {"tx_pause_prio_#", kPauseSent},
    {"rx_pause_duration_prio_#", kPauseReceivedUs},
    {"tx_pause_duration_prio_#", kPauseSentUs},
    {"rx_pause_transition_prio_#", kPauseReceivedTransitions},
    {"rx_pause", kGlobalPauseReceived},
    {"tx_pause", kGlobalPauseSent},
    {"rx_prio_#_packets", kPacketsReceived},
    {"rx_prio_#_bytes", kBytesReceived},
    {"tx_prio_#_packets", kPacketsSent},
    {"tx_prio_#_bytes", kBytesSent},
    {"rx_dropped", kDropReceived},
    {"rx_fifo_errors", kDropReceived},
    {"tx_dropped", kDropSent},
    {"rx_crc_errors", kCrcErrors},
});

// Linux 6.12, drivers/net/ethernet/broadcom/bnxt/bnxt_ethtool.c (bnxt_port_stats_arr, bnxt_port_stats_ext_arr,
// bnxt_tx_port_stats_ext_arr, bnxt_rx_bytes_pri_arr and its neighbours, bnxt_ring_drv_stats_arr). What they
// mean: the comments on rx_port_stats, rx_port_stats_ext and tx_port_stats in DPDK's
// drivers/net/bnxt/hsi_struct_def_dpdk.h, which is Broadcom's too. tx_stat_discard (bnxt_ethtool.c:441) are all
// drops of the port in transmit; the comments do not say whether those of a link that is down are among them.
constexpr auto kBnxtRows = std::to_array<NicNameRow>({
    {"rx_pfc_ena_frames_pri#", kPauseReceived},
    {"tx_pfc_ena_frames_pri#", kPauseSent},
    {"rx_pfc_frames", kPauseReceived},
    {"tx_pfc_frames", kPauseSent},
    {"pfc_pri#_rx_duration_us", kPauseReceivedUs},
    {"pfc_pri#_tx_duration_us", kPauseSentUs},
    {"pfc_pri#_rx_transitions", kPauseReceivedTransitions},
    {"rx_pause_frames", kGlobalPauseReceived},
    {"tx_pause_frames", kGlobalPauseSent},
    {"rx_packets_pri#", kPacketsReceived},
    {"rx_bytes_pri#", kBytesReceived},
    {"tx_packets_pri#", kPacketsSent},
    {"tx_bytes_pri#", kBytesSent},
    {"rx_discard_packets_cos?", kDropReceived},
    {"rx_stat_discard", kDropReceived},
    {"tx_stat_discard", kDropSent},
    {"rx_total_ring_discards", kNoReceiveBuffer},
    {"rx_total_discard_pkts", kNoReceiveBuffer},         // the same before Linux 6.6
    {"continuous_pause_events", kPauseStormWarning},     // a ring that nobody empties has its pause bit set
    {"continuous_roce_pause_events", kPauseStormError},  // PFC of RoCE's queue was switched off against a flood
    {"link_down_events", kLinkDown},
    {"rx_corrected_bits", kFecCorrectedBits},
    {"rx_fec_uncorrectable_blocks", kFecUncorrectableBlocks},
    {"rx_bits", kBitsReceived},
    {"rx_pcs_symbol_err", kSymbolErrors},
    {"rx_fcs_err_frames", kCrcErrors},
});

// Linux 6.12, drivers/net/ethernet/intel/ice/ice_ethtool.c (ice_gstrings_vsi_stats, ice_gstrings_pf_stats and
// __ice_get_strings). An XON is a PFC frame that ends a pause: it is not counted as one. What ends in ".nic" is
// the port's, the rest the function's own: its rx_dropped is the register GLV_RDPC, as i40e's
// rx_missed_errors is. Drops in transmit are not counted: tx_dropped_link_down.nic is of a link that is down
// (ice_update_pf_stats, ice_main.c:7047), and no register is read for tx_dropped of rtnl (ice_update_eth_stats,
// ice_lib.c).
constexpr auto kIceRows = std::to_array<NicNameRow>({
    {"rx_priority_#_xoff.nic", kPauseReceived},
    {"tx_priority_#_xoff.nic", kPauseSent},
    {"link_xoff_rx.nic", kGlobalPauseReceived},
    {"link_xoff_tx.nic", kGlobalPauseSent},
    {"rx_dropped.nic", kDropReceived},
    {"rx_dropped", kNoReceiveBuffer},
    {"rx_crc_errors.nic", kCrcErrors},
});

// Linux 6.12, drivers/net/ethernet/intel/i40e/i40e_ethtool.c (i40e_gstrings_net_stats, i40e_gstrings_stats,
// i40e_gstrings_pfc_stats). Older drivers named priorities without the second direction, as an ethtool -S that
// isc-projects/ethq publishes shows (tests/i40e). Drops in transmit are not counted, as in ice
// (i40e_update_eth_stats and i40e_update_pf_stats, i40e_main.c). veb.tx_discards are those of the switch
// between the functions.
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

// Linux 6.12, drivers/net/ethernet/qlogic/qede/qede_ethtool.c (qede_stats_arr): PFC of all priorities together.
// tx_err_drop_pkts are frames of the Ethernet queues that had an error (__qed_get_vport_pstats, qed_l2.c:1639),
// not RoCE's.
constexpr auto kQedeRows = std::to_array<NicNameRow>({
    {"rx_pfc_frames", kPauseReceived},
    {"tx_pfc_frames", kPauseSent},
    {"rx_pause_frames", kGlobalPauseReceived},
    {"tx_pause_frames", kGlobalPauseSent},
    {"brb_discards", kDropReceived},
    {"brb_truncates", kDropReceived},
    {"no_buff_discards", kNoReceiveBuffer},
    {"rx_crc_errors", kCrcErrors},
});

// Linux 6.12, drivers/net/ethernet/chelsio/cxgb4/cxgb4_ethtool.c (stats_strings), without the blanks that fill
// them. A "bg" is one of the NIC's four groups of buffers. tx_frames_dropped is the port's TX_PORT_DROP
// (t4_get_port_stats, t4_hw.c:6368).
constexpr auto kCxgb4Rows = std::to_array<NicNameRow>({
    {"rx_ppp#_frames", kPauseReceived},
    {"tx_ppp#_frames", kPauseSent},
    {"rx_pause_frames", kGlobalPauseReceived},
    {"tx_pause_frames", kGlobalPauseSent},
    {"rx_bg?_frames_dropped", kDropReceived},
    {"rx_bg?_frames_trunc", kDropReceived},
    {"tx_frames_dropped", kDropSent},
    {"rx_symbol_errors", kSymbolErrors},
    {"rx_fcs_errors", kCrcErrors},
});

constexpr NicNameTable kNicNameTables[] = {
    {.drivers = {{"mlx5_core"}}, .rows = kMlx5Rows}, {.drivers = {{"mlx4_en", "mlx4_core"}}, .rows = kMlx4Rows},
    {.drivers = {{"bnxt_en"}}, .rows = kBnxtRows},   {.drivers = {{"ice"}}, .rows = kIceRows},
    {.drivers = {{"i40e"}}, .rows = kI40eRows},      {.drivers = {{"qede"}}, .rows = kQedeRows},
    {.drivers = {{"cxgb4"}}, .rows = kCxgb4Rows},
};

}  // namespace

std::span<const NicNameTable> NicNameTables() { return kNicNameTables; }

}  // namespace rdmaready
