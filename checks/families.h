// SPDX-License-Identifier: Apache-2.0
// The checks by family, one function per id. registry.cc lists them; nobody else calls them.
#pragma once

#include "checks/check.h"

namespace rdmaready {

// inventory.cc
Check InvRdmaPresent();
Check InvNetdevMapping();
Check InvTransport();
// link.cc
Check LinkState();
Check LinkSpeed();
// mtu.cc
Check MtuEthernet();
Check MtuRoceActive();
// gid.cc
Check GidV2Present();
Check GidDefaultMode();
Check RoceTos();
// dcbx.cc
Check DrvDcbCapable();
Check DcbxMode();
// pfc.cc
Check PfcLosslessPriority();
Check PfcOnlyOne();
// ets.cc
Check EtsMap();
Check EtsRdmaShare();
// classification.cc
Check MapDscp();
Check TrustMode();
// host.cc
Check HostMemlock();
// pair.cc
Check MtuPair();
Check PfcBothDirections();

}  // namespace rdmaready
