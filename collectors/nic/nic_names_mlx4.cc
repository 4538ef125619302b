// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/mellanox/mlx4/en_ethtool.c (main_strings). Names of PFC, or those without a
// priority, are there as it is on or off.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

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
    {"rx_crc_errors", kCrcErrors},
});

}  // namespace

const NicNameTable kMlx4Names{.drivers = {{"mlx4_en", "mlx4_core"}}, .rows = kMlx4Rows};

}  // namespace rdmaready
