// SPDX-License-Identifier: Apache-2.0
// RDMA devices that configuration names: NCCL_IB_HCA of NCCL, UCX_NET_DEVICES of UCX.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// "^mlx5_0" excludes a device; "all" names none. Comments are passed over.
std::vector<NamedDevice> DecodeNamedDevices(std::span<const std::string> lines, const std::string& source);

// Reads the files of the two libraries, scripts of logins and units of systemd. The result is in the order of
// the files and of their lines.
Fact<std::vector<NamedDevice>> ReadNamedDevices(HostReader& host);

}  // namespace rdmaready
