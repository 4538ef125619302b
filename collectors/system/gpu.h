// SPDX-License-Identifier: Apache-2.0
// What the kernel and the drivers of GPUs have for RDMA: modules, options, NVIDIA's driver.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// The first line of /proc/driver/nvidia/version; nothing where it names no version.
std::optional<NvidiaDriver> DecodeNvidiaVersion(std::string_view text);

// Nothing is read where there is no GPU among `devices`.
Fact<GpuSupport> ReadGpuSupport(HostReader& host, const Fact<Kernel>& kernel,
                                const Fact<std::vector<PciDevice>>& devices);

}  // namespace rdmaready
