// SPDX-License-Identifier: Apache-2.0
#include "checks/setting/cluster_owner.h"

#include <algorithm>

#include "checks/words/cluster_agent.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// ClusterAgent::by of the SR-IOV operator: a process name as the kernel cuts it.
constexpr std::string_view kSriovAgent = "sriov-network-c";

bool IsRdmaCmSetting(SettingKind kind) { return kind == SettingKind::kCmTos || kind == SettingKind::kCmMode; }

bool HasVirtualFunctions(const Facts& facts, const Port* port) {
  if (port == nullptr || !port->pci || !facts.ports) return false;
  return std::ranges::any_of(*facts.ports, [port](const Port& other) {
    return other.pci && other.pci->physical && other.pci->physical->address == port->pci->address;
  });
}

// Null for none. An agent of data centre bridging leaves the MTU alone.
const ClusterAgent* SriovAgentOf(const Facts& facts) {
  if (!facts.cluster_agents) return nullptr;
  const auto found = std::ranges::find(*facts.cluster_agents, kSriovAgent, &ClusterAgent::by);
  return found == facts.cluster_agents->end() ? nullptr : &*found;
}

// The command by which a person finds the object in the cluster; the host itself may have no kubectl.
std::string KubectlOf(const ClusterAgent& agent) {
  if (agent.by == kSriovAgent) return "kubectl get sriovnetworknodepolicies -A";
  const std::size_t slash = agent.pod.find('/');
  if (slash == std::string::npos) return {};
  return Cat("kubectl -n ", ShellWord(agent.pod.substr(0, slash)), " describe pod ",
             ShellWord(agent.pod.substr(slash + 1)));
}

SettingOwner OwnerBy(const ClusterAgent& agent, const SettingPlace& place, std::string_view where) {
  const std::string text = ClusterAgentText(agent);
  const std::string_view words = RowOf(place.object.kind).words;
  SettingOwner owner{.name = agent.pod.empty() ? Cat("a pod of the cluster, ", Printable(agent.process))
                                               : Cat("the pod ", Printable(agent.pod)),
                     .why = Cat(text, " sets ", words, " of ", place.object.where,
                                " again: what is set on the host does not stay"),
                     .writes_again = true};
  const std::string kubectl = KubectlOf(agent);
  owner.way.steps.push_back({.action = Cat("change ", words, " in the ", where, " of ", text,
                                           kubectl.empty() ? "" : "; in the cluster find it by: ", kubectl)});
  return owner;
}

}  // namespace

SettingOwner ClusterOwner(const Facts& facts, const SettingPlace& place) {
  const SettingKind kind = place.object.kind;
  if (kind == SettingKind::kMtu) {
    const ClusterAgent* const agent = SriovAgentOf(facts);
    const bool owns = agent != nullptr && HasVirtualFunctions(facts, place.port);
    return owns ? OwnerBy(*agent, place, "SriovNetworkNodePolicy") : SettingOwner();
  }
  if (!IsDcbSetting(kind) && !IsRdmaCmSetting(kind)) return {};
  const ClusterAgent* const agent = QosAgentOf(facts);
  return agent == nullptr ? SettingOwner() : OwnerBy(*agent, place, "DaemonSet, ConfigMap or policy");
}

}  // namespace rdmaready
