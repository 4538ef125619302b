// SPDX-License-Identifier: Apache-2.0
// RDMA-CM's defaults out of configfs: the one question that may need a directory to be made for a moment.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collectors/questions/rdma.h"

namespace rdmaready {

// Calls `use` with the path of <root>/rdma_cm/<device>; `root` is where configfs is mounted
// ("/sys/kernel/config"). Fails without touching anything when <root>/rdma_cm does not exist. When `use` says
// kNotFound, somebody may have removed the directory under it, and it is called again, a few times.
//
// The kernel's documented way (Documentation/ABI/testing/configfs-rdma_cm) is to mkdir <device>: that makes the
// two files appear and changes no setting (make_cma_dev in drivers/infiniband/core/cma_configfs.c only looks
// the device up). A directory found is only used. A missing one is made, used, and removed at once; one that
// somebody else made meanwhile is left alone. This is the only place where looking creates something.
absl::Status InRdmaCmDirectory(const std::string& root, const std::string& device,
                               const std::function<absl::Status(const std::string& directory)>& use);

// Reads <root>/rdma_cm/<device>/ports/<port>/default_roce_{mode,tos}.
absl::StatusOr<RdmaCmAnswer> ReadRdmaCmDefaults(const std::string& root, const std::string& device,
                                                std::uint32_t port);

}  // namespace rdmaready
