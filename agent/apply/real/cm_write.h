// SPDX-License-Identifier: Apache-2.0
// Writing RDMA-CM's defaults, by configfs.
//
// The kernel keeps them with its view of the RDMA device (struct cma_device, cma_set_default_gid_type and
// cma_set_default_roce_tos of drivers/infiniband/core/cma.c), not with the directory, which is only a way to
// them (cma_configfs.c): a directory that was made for writing is removed again and the values stay, until the
// device goes or rdma_cm is unloaded. One that was found is left.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/model/setting.h"

namespace rdmaready {

// The kind's writer is kRdmaCm. `root` is where configfs is mounted ("/sys/kernel/config"). Fails without
// touching anything when rdma_cm is not loaded.
absl::Status WriteCmDefault(const std::string& root, const SettingObject& object, std::string_view to);

}  // namespace rdmaready
