// SPDX-License-Identifier: Apache-2.0
#include "checks/words/cluster_agent.h"

#include <algorithm>

#include "checks/words/words.h"

namespace rdmaready {
namespace {

// The SR-IOV operator sets MTU, the eswitch and the number of functions, and nothing of DCB.
bool SetsQos(const ClusterAgent& agent) { return agent.by != "sriov-network-c"; }

}  // namespace

const ClusterAgent* ClusterAgentOf(const Facts& host) {
  const ClusterAgent* const qos = QosAgentOf(host);
  if (qos != nullptr || !host.cluster_agents || host.cluster_agents->empty()) return qos;
  return &host.cluster_agents->front();
}

const ClusterAgent* QosAgentOf(const Facts& host) {
  if (!host.cluster_agents) return nullptr;
  const auto found = std::ranges::find_if(*host.cluster_agents, SetsQos);
  return found == host.cluster_agents->end() ? nullptr : &*found;
}

std::string ClusterAgentText(const ClusterAgent& agent) {
  const std::string pod = agent.pod.empty() ? "a pod of the cluster" : Cat("the pod ", Printable(agent.pod));
  return Cat(pod, " (process ", agent.pid, ", ", Printable(agent.process), ")");
}

}  // namespace rdmaready
