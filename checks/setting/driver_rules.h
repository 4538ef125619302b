// SPDX-License-Identifier: Apache-2.0
// Rules of writes in which drivers differ (Linux 6.12): DRIVERS.md has each write of each driver. A netdev
// whose driver is not known has none of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/model/facts.h"
#include "api/model/setting.h"

namespace rdmaready {

// ice's private flag: its firmware's LLDP agent, which owns data centre bridging while it runs.
inline constexpr std::string_view kFirmwareLldpFlag = "fw-lldp-agent";
// i40e's private flag: on, the firmware has no LLDP agent.
inline constexpr std::string_view kNoFirmwareLldpFlag = "disable-fw-lldp";

bool HasDriver(const Netdev* netdev, std::string_view driver);

// `ethtool -A` takes no autonegotiation, because it shows the link's own: ice_set_pauseparam,
// i40e_set_pauseparam and hclge_set_pauseparam answer EOPNOTSUPP where it differs.
bool PauseFollowsLink(const Netdev* netdev);

// A DSCP must be unmapped before it is mapped to another priority: ice_dcbnl_setapp refuses a second row, and
// bnxt_en forgets the DSCP with whichever row of it is deleted (bnxt_hwrm_queue_dscp2pri_cfg with mask 0), so
// that deleting the old one last would undo the new one.
bool DeletesRowsFirst(const Netdev* netdev);

// A new row of a DSCP takes the place of the old one, which then cannot be deleted any more (ENOENT):
// mlx5e_dcbnl_ieee_setapp, hclge_ieee_setapp.
bool ReplacesRows(const Netdev* netdev);

// Whether the firmware has the setting of data centre bridging while it has DCBX: the driver refuses to set it,
// so it is not a setting of the host. All of them with ice, bnxt_en and i40e, classes and PFC with cxgb4, and
// never the DCBX mode itself. The firmware of qede negotiates too, but takes what the host writes as its wish.
bool FirmwareHasDcb(const Netdev& netdev, SettingKind kind);

// The command that switches the LLDP agent of the NIC's firmware off: a private flag of ice and of i40e. Empty
// where the agent is off, or no flag is known.
std::string AgentOffCommand(const Netdev& netdev);

// PFC ends the pause of the whole link, and it does not come back by itself (mlx4_en_dcbnl_ieee_setpfc).
bool PfcEndsPause(const Netdev& netdev);

// Whether ETS reads willing whatever is written (hclge_tm_info_to_ieee_ets, cxgb4_ieee_read_ets).
bool AlwaysWilling(const Netdev& netdev);

// The shares to send to a driver, by traffic class. A setting leaves out the share of a class that is not ETS,
// but ice counts it: the shares of all its classes in use must sum to 100 % (ice_dcb_bwchk). The first
// class in use that is not ETS therefore has what the ETS classes in use leave, if there are any. bnxt_en
// stores that share, and other drivers ignore it.
std::array<std::uint8_t, kPriorities> SharesToWrite(const EtsSetting& setting);

// mlx5 stores the sizes of receive buffers in whole cells; 128 bytes unless the NIC names another size.
inline constexpr std::uint32_t kMlx5CellBytes = 128;

// Missing::detail of mlx5's receive buffers behind a planned change of PFC.
inline constexpr std::string_view kBuffersAfterPfc =
    "mlx5's firmware lays out the receive buffers when PFC changes";

// Of a canonical value of kApp.
bool HasDscpRow(std::string_view app);

}  // namespace rdmaready
