// SPDX-License-Identifier: Apache-2.0
// What is known of the host beside RDMA itself: one line each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/render_text_facts_words.h"

namespace rdmaready {
namespace {

std::string FirewallText(const Firewall& firewall) {
  std::size_t rules = 0;
  std::size_t hooks = 0;
  for (const FirewallChain& chain : firewall.chains) {
    rules += chain.rules.size();
    hooks += chain.input_hook ? 1 : 0;
  }
  const std::string legacy = firewall.legacy_tables ? ", and iptables of the older kind" : "";
  if (firewall.chains.empty()) return "no rules for what arrives" + legacy;
  return fmt::format("{} rules for what arrives, in {} chains, {} of them at a hook{}", rules,
                     firewall.chains.size(), hooks, legacy);
}

std::string NodesText(const std::vector<DeviceNode>& nodes) {
  if (nodes.empty()) return "none";
  std::string text;
  for (const DeviceNode& node : nodes)
    text += fmt::format("{}{} {:04o}", text.empty() ? "" : ", ", node.name, node.mode);
  return text;
}

std::string TargetsText(const std::vector<BootTarget>& targets) {
  if (targets.empty()) return "no disk of the network";
  std::string text;
  for (const BootTarget& target : targets)
    text += fmt::format("{}{} ({}, by {})", text.empty() ? "" : ", ", target.target, target.table,
                        target.mac.empty() ? target.address : target.mac);
  return text;
}

std::string MarkingsText(const std::vector<ConsumerMarking>& markings) {
  if (markings.empty()) return "none";
  std::string text;
  for (const ConsumerMarking& marking : markings) {
    text += (text.empty() ? "" : ", ") + marking.source;
    if (marking.tos) text += fmt::format(" ToS {}", *marking.tos);
    if (marking.gid_index) text += fmt::format(" GID index {}", *marking.gid_index);
  }
  return text;
}

std::string RulesText(const std::vector<RoutingRule>& rules) {
  constexpr std::size_t kMostRules = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i) {
    const RoutingRule& rule = rules[i];
    text += fmt::format("{}{}{}: {} {}", i == 0 ? "" : ", ", rule.ipv6 ? "IPv6 " : "", rule.priority,
                        rule.selector, rule.action);
  }
  if (rules.size() > kMostRules) text += fmt::format(" and {} more", rules.size() - kMostRules);
  return text;
}

std::string NamesText(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> HostSettingLines(const Facts& facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (facts.device_nodes) lines.emplace_back("node modes", NodesText(*facts.device_nodes));
  if (facts.agent_capabilities)
    lines.emplace_back("agent's powers", fmt::format("capabilities {:#x}{}", *facts.agent_capabilities,
                                                     facts.agent_process ? " of " + *facts.agent_process : ""));
  if (facts.firewall) lines.emplace_back("packet filter", FirewallText(*facts.firewall));
  if (facts.routing_rules && !facts.routing_rules->empty())
    lines.emplace_back("routing rules", RulesText(*facts.routing_rules));
  if (facts.tos_keepers) lines.emplace_back("ToS set at boot", NamesText(*facts.tos_keepers));
  if (facts.markings) lines.emplace_back("own markings", MarkingsText(*facts.markings));
  if (facts.boot_targets) lines.emplace_back("booted from", TargetsText(*facts.boot_targets));
  if (facts.cpu_governors) lines.emplace_back("CPU governors", NamesText(*facts.cpu_governors));
  if (facts.irqbalance) lines.emplace_back("irqbalance", *facts.irqbalance ? "runs" : "does not run");
  return lines;
}

}  // namespace rdmaready
