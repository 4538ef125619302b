// SPDX-License-Identifier: Apache-2.0
// The rows of DRIVERS.md as functions: writes of classes, lossless priorities, buffers and rates.
// dcb_effects.cc calls them.
//
// Each takes a netdev whose fact of that kind is known, and makes it what the next read shows. The result is
// empty, or says why the driver refuses the value or would store another one; the netdev is then as it was.
#pragma once

#include <optional>
#include <string>

#include "api/model/netdev.h"
#include "api/model/setting.h"

namespace rdmaready {

// Whether the classes read as a driver shows them before anybody has set them.
bool NeverWritten(const Ets& ets);

// The classes of ice in VLAN mode: when it is loaded, and after its last row of DSCP (ice_dcb_sw_dflt_cfg).
EtsSetting IceFirstEts();

std::string WriteEts(Netdev& netdev, const EtsSetting& to);
std::string WritePfc(Netdev& netdev, const PfcSetting& to);
std::string WriteBuffer(Netdev& netdev, const BufferSetting& to);
std::string WriteMaxRate(Netdev& netdev, const MaxRatesKbps& to);

// Writes `setting` into the fact as it is.
void StoreEts(Netdev& netdev, const EtsSetting& setting);

}  // namespace rdmaready
