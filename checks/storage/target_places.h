// SPDX-License-Identifier: Apache-2.0
// Why a storage target of the kernel's listens on no RDMA device, by the addresses that it is configured with.
#pragma once

#include <string>

#include "checks/check.h"

namespace rdmaready {

// Words that complete the finding, and the remedy. Both are empty where the configuration is not known, or says
// nothing about it.
struct TargetFault {
  std::string words{};
  Fix fix{};
};

TargetFault NvmetFault(const HostView& view);
TargetFault IserFault(const HostView& view);

}  // namespace rdmaready
