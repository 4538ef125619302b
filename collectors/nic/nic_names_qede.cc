// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/qlogic/qede/qede_ethtool.c (qede_stats_arr): PFC of all priorities together.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

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

}  // namespace

const NicNameTable kQedeNames{.drivers = {{"qede"}}, .rows = kQedeRows};

}  // namespace rdmaready
