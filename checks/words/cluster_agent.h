// SPDX-License-Identifier: Apache-2.0
// The pod of a cluster that sets this node's NICs: what it sets is changed in the cluster, not on the host.
#pragma once

#include <string>

#include "api/model/facts.h"

namespace rdmaready {

// Null: no pod is known to set NICs here. It may set MTU and virtual functions alone.
const ClusterAgent* ClusterAgentOf(const Facts& host);

// The same of one that sets PFC, trust, the classes or RDMA-CM's ToS.
const ClusterAgent* QosAgentOf(const Facts& host);

// "the pod nvidia-network-operator/roce-qos-7tq2m (process 7712, bash)".
std::string ClusterAgentText(const ClusterAgent& agent);

}  // namespace rdmaready
