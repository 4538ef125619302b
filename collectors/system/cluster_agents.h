// SPDX-License-Identifier: Apache-2.0
// Pods of a Kubernetes cluster that set NICs of this node.
#pragma once

#include <string>
#include <vector>

#include "api/model/boot.h"
#include "collectors/host_reader.h"

namespace rdmaready {

// Processes of known operators, and those whose command line or script, which the kubelet keeps below
// /var/lib/kubelet, calls a tool that sets NICs. One process of each pod. Missing where a script cannot be
// read and no pod is known.
Fact<std::vector<ClusterAgent>> ReadClusterAgents(HostReader& host);

// The words to look for in command lines, names of processes, and scripts.
std::vector<std::string> ClusterAgentWords();

}  // namespace rdmaready
