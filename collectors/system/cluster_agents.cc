// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/cluster_agents.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "api/base/status.h"
#include "collectors/system/boot_scripts.h"
#include "collectors/system/dcb_keepers.h"

namespace rdmaready {
namespace {

using Names = std::vector<std::string>;

// The daemons of NVIDIA's NIC configuration operator and of the SR-IOV operator, as the kernel cuts a name; and
// tools.
constexpr std::array<std::string_view, 5> kAgentWords{"nic-configurati", "sriov-network-c", "cma_roce_tos",
                                                      "default_roce_tos", "devlink dev param"};
constexpr std::string_view kPodLogs = "/var/log/pods";
constexpr std::string_view kPodFolders = "/var/lib/kubelet/pods";

Names ListOrNothing(HostReader& host, const std::string& folder) {
  absl::StatusOr<Names> names = host.ListDirectory(folder);
  return names.ok() ? *std::move(names) : Names{};
}

// "NAMESPACE_NAME_UID" of the folders of logs.
std::string PodName(const Names& logs, const std::string& uid) {
  for (const std::string& log : logs) {
    if (!log.ends_with("_" + uid)) continue;
    const std::string_view names = std::string_view(log).substr(0, log.size() - uid.size() - 1);
    const std::size_t end = names.find('_');
    if (end == std::string_view::npos) continue;
    return std::string(names.substr(0, end)) + "/" + std::string(names.substr(end + 1));
  }
  return {};
}

// Whether the script, which a ConfigMap of the pod holds, calls such a tool; missing where it cannot be read.
Fact<bool> ScriptSets(HostReader& host, const PodProcess& process, const Names& words) {
  const std::string maps = std::string(kPodFolders) + "/" + process.pod + "/volumes/kubernetes.io~configmap";
  const absl::StatusOr<Names> volumes = host.ListDirectory(maps);
  if (!volumes.ok() && !IsGone(volumes.status())) return MissingFrom(volumes.status());
  for (const std::string& volume : volumes.ok() ? *volumes : Names{}) {
    const absl::StatusOr<Names> lines = host.FindLines(maps + "/" + volume + "/" + process.script, words);
    if (!lines.ok() && !IsGone(lines.status())) return MissingFrom(lines.status());
    if (lines.ok() && !lines->empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> ClusterAgentWords() {
  Names words = DcbWords();
  words.insert(words.end(), kAgentWords.begin(), kAgentWords.end());
  return words;
}

Fact<std::vector<ClusterAgent>> ReadClusterAgents(HostReader& host) {
  const Names words = ClusterAgentWords();
  const absl::StatusOr<PodProcessesAnswer> answer = host.Ask(PodProcessesQuestion{words});
  if (!answer.ok()) return MissingFrom(answer.status());
  std::vector<ClusterAgent> agents;
  std::optional<Missing> gap;
  Names pods;
  Names logs;
  for (const PodProcess& process : answer->processes) {
    if (std::ranges::find(pods, process.pod) != pods.end()) continue;
    const Fact<bool> sets = process.words.empty() ? ScriptSets(host, process, words) : Fact<bool>(true);
    if (!sets) gap = sets.missing();
    if (!sets || !*sets) continue;
    if (pods.empty()) logs = ListOrNothing(host, std::string(kPodLogs));
    pods.push_back(process.pod);
    agents.push_back({.process = process.name,
                      .pid = process.pid,
                      .pod = PodName(logs, process.pod),
                      .by = process.words.empty() ? process.script : process.words.front()});
  }
  if (agents.empty() && gap) return *gap;
  return agents;
}

}  // namespace rdmaready
