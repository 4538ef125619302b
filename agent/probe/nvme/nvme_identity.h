// SPDX-License-Identifier: Apache-2.0
// Who this host says it is to NVMe-oF targets: as its own tools do, from /etc/nvme; where nobody gave it a
// name, one made for this probe.
#pragma once

#include <string>

#include "agent/probe/nvme/nvme_wire.h"

namespace rdmaready::nvme {

struct Identity {
  std::string host_name{};  // NQN
  HostId host_id{};
  std::string source{};  // "/etc/nvme/hostnqn"; "made for this probe"
};

Identity ReadIdentity(const std::string& folder = "/etc/nvme");

// "00112233-4455-6677-8899-aabbccddeeff"
std::string HostIdText(const HostId& id);

}  // namespace rdmaready::nvme
