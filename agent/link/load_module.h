// SPDX-License-Identifier: Apache-2.0
// Modules that the kernel loads when they are asked for by name.
#pragma once

namespace rdmaready {

// Has the kernel load the module behind a character device of the RDMA subsystem ("rdma_cm"), as rdma-core's
// libraries do; returns when it is there, or cannot be had: the device's file tells.
void AskForRdmaClient(const char* name);

}  // namespace rdmaready
