// SPDX-License-Identifier: Apache-2.0
// RDMA devices that configuration names: NCCL_IB_HCA of NCCL, UCX_NET_DEVICES of UCX.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// A list that excludes devices ("^mlx5_0"), and "all", name none. Comments are passed over.
std::vector<NamedDevice> DecodeNamedDevices(std::span<const std::string> lines, const std::string& source);

// By file, in the order of its lines.
Fact<std::vector<NamedDevice>> ReadNamedDevices(HostReader& host);

}  // namespace rdmaready
