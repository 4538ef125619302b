// SPDX-License-Identifier: Apache-2.0
// Linux 6.12, drivers/net/ethernet/chelsio/cxgb4/cxgb4_ethtool.c (stats_strings), without the blanks that fill
// them. A "bg" is one of the NIC's four groups of buffers.
#include "collectors/nic/nic_names.h"

namespace rdmaready {
namespace {

using enum NicCounter;

constexpr auto kCxgb4Rows = std::to_array<NicNameRow>({
    {"rx_ppp#_frames", kPauseReceived},
    {"tx_ppp#_frames", kPauseSent},
    {"rx_pause_frames", kGlobalPauseReceived},
    {"tx_pause_frames", kGlobalPauseSent},
    {"rx_bg?_frames_dropped", kDropReceived},
    {"rx_bg?_frames_trunc", kDropReceived},
    {"rx_symbol_errors", kSymbolErrors},
    {"rx_fcs_errors", kCrcErrors},
});

}  // namespace

const NicNameTable kCxgb4Names{.drivers = {{"cxgb4"}}, .rows = kCxgb4Rows};

}  // namespace rdmaready
