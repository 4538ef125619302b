// SPDX-License-Identifier: Apache-2.0
// The pod of a cluster that sets this node's NICs: it writes its own values again.
#pragma once

#include <string_view>

#include "checks/setting/owner.h"
#include "checks/setting/table.h"

namespace rdmaready {

// Data centre bridging and RDMA-CM's defaults belong to an agent that sets them; the MTU of a physical function
// that has virtual ones, to the SR-IOV operator.
SettingOwner ClusterOwner(const Facts& facts, const SettingPlace& place);

}  // namespace rdmaready
