// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/broadcom/bnxt/bnxt_ethtool.c (bnxt_port_stats_arr, bnxt_port_stats_ext_arr,
// bnxt_tx_port_stats_ext_arr, bnxt_rx_bytes_pri_arr and its neighbours, bnxt_ring_drv_stats_arr). What they
// mean: the comments on rx_port_stats and rx_port_stats_ext in DPDK's drivers/net/bnxt/hsi_struct_def_dpdk.h,
// which is Broadcom's too.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

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

}  // namespace

const NicNameTable kBnxtNames{.drivers = {{"bnxt_en"}}, .rows = kBnxtRows};

}  // namespace rdmaready
