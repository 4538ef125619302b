// SPDX-License-Identifier: Apache-2.0
// RDMA-CM's defaults out of configfs: the one question that may need a directory to be made for a moment.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "collectors/questions/rdma.h"

namespace rdmaready {

// Reads <root>/rdma_cm/<device>/ports/<port>/default_roce_{mode,tos}; `root` is where configfs is mounted
// ("/sys/kernel/config"). Fails without touching anything when <root>/rdma_cm does not exist.
//
// The kernel's documented way to ask (Documentation/ABI/testing/configfs-rdma_cm) is to mkdir <device>: that
// makes the two files appear and changes no setting (make_cma_dev in drivers/infiniband/core/cma_configfs.c
// only looks the device up). A directory found is only read. A missing one is made, read, and removed at once;
// one that somebody else made meanwhile is left alone. This is the only place where looking creates something.
absl::StatusOr<RdmaCmAnswer> ReadRdmaCmDefaults(const std::string& root, const std::string& device,
                                                std::uint32_t port);

}  // namespace rdmaready
