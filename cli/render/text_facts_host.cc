// SPDX-License-Identifier: Apache-2.0
// What is known of the host beside RDMA itself: one line each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "cli/render/text_facts_words.h"

namespace rdmaready {
namespace {

std::string FirewallText(const Firewall& firewall) {
  const std::string legacy = firewall.legacy_tables ? ", and iptables of the older kind" : "";
  if (firewall.chains.empty()) return "no rules for what arrives" + legacy;
  std::size_t rules = 0;
  for (const FirewallChain& chain : firewall.chains) rules += chain.rules.size();
  return fmt::format("{} rules for what arrives, in {} chains, {} of them at a hook{}", rules,
                     firewall.chains.size(),
                     std::ranges::count(firewall.chains, true, &FirewallChain::input_hook), legacy);
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
  if (rules.empty()) return "the kernel's own only";
  std::string text;
  for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i) {
    const RoutingRule& rule = rules[i];
    text += fmt::format("{}{}{}: {} {}", i == 0 ? "" : ", ", rule.ipv6 ? "IPv6 " : "", rule.priority,
                        rule.selector, rule.action);
  }
  if (rules.size() > kMostRules) text += fmt::format(" and {} more", rules.size() - kMostRules);
  return text;
}

std::string GrantsText(const std::vector<MemlockGrant>& grants) {
  if (grants.empty()) return "told by no file";
  std::string text;
  for (const MemlockGrant& grant : grants) {
    const bool unlimited = grant.limit_bytes == Memlock::kUnlimited;
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", grant.consumer,
                        unlimited ? "unlimited" : BytesText(grant.limit_bytes), grant.source);
  }
  return text;
}

std::string PciDevicesText(const std::vector<PciDevice>& devices) {
  if (devices.empty()) return "none";
  std::string text;
  for (const PciDevice& device : devices) {
    text += fmt::format("{}{} {:04x}:{:04x} {}", text.empty() ? "" : ", ", device.address, device.vendor_id,
                        device.device_id, device.driver.empty() ? "without driver" : device.driver);
    if (!device.rdma_devices.empty()) text += fmt::format(" {}", fmt::join(device.rdma_devices, " "));
  }
  return text;
}

std::string GpuText(const GpuSupport& gpu) {
  std::string text =
      gpu.modules && !gpu.modules->empty() ? fmt::format("{}", fmt::join(*gpu.modules, " ")) : "no driver";
  if (gpu.nvidia) text += fmt::format(", {} {}", gpu.nvidia->version, gpu.nvidia->open ? "open" : "closed");
  if (gpu.options && !gpu.options->empty()) text += ", " + OptionsText(*gpu.options);
  return text;
}

std::string NamedDevicesText(const std::vector<NamedDevice>& devices) {
  if (devices.empty()) return "none";
  std::string text;
  for (const NamedDevice& one : devices)
    text += fmt::format("{}{}{}{}{} ({})", text.empty() ? "" : ", ", one.excluded ? "not " : "", one.device,
                        one.exact ? "" : "*", one.port == 0 ? "" : fmt::format(":{}", one.port), one.source);
  return text;
}

std::string BootWritesText(const std::vector<BootWrite>& writes) {
  if (writes.empty()) return "none";
  std::string text;
  for (const BootWrite& one : writes) {
    if (one.setting == "unread") {
      text += fmt::format("{}not read ({})", text.empty() ? "" : ", ", one.file);
    } else {
      text += fmt::format("{}{} {} {} ({})", text.empty() ? "" : ", ", one.setting,
                          one.object.empty() ? "*" : one.object, one.value, one.file);
    }
  }
  return text;
}

std::string BootSettingsText(const BootSettings& settings) {
  std::string text = BootWritesText(settings.writes);
  if (!settings.unread.empty()) text += fmt::format("; not read: {}", fmt::join(settings.unread, ", "));
  return text;
}

std::string ClusterAgentsText(const std::vector<ClusterAgent>& agents) {
  if (agents.empty()) return "none";
  std::string text;
  for (const ClusterAgent& one : agents)
    text += fmt::format("{}{} ({}process {})", text.empty() ? "" : ", ", one.process,
                        one.pod.empty() ? "" : one.pod + ", ", one.pid);
  return text;
}

std::string CmaText(const CmaMemory& cma) {
  return fmt::format("{}, {} free", BytesText(cma.total_bytes), BytesText(cma.free_bytes));
}

std::string GroupText(const ControlGroup& group) {
  std::string text = group.container.empty() ? "no container" : fmt::format("container ({})", group.container);
  if (!group.memory_max_bytes) return text;
  const std::uint64_t most = *group.memory_max_bytes;
  return text + (most == Memlock::kUnlimited ? ", memory unlimited" : ", memory " + BytesText(most));
}

// "10.0.0.5:4420", "[fd00::5]:4420".
std::string PlaceText(const std::string& address, const std::string& port, const Fact<std::string>& netdev) {
  const bool ipv6 = address.find(':') != std::string::npos;
  const std::string place = ipv6 ? "[" + address + "]:" + port : address + ":" + port;
  if (!netdev) return place;
  return place + (netdev->empty() ? " on no interface here" : " on " + *netdev);
}

std::string NvmetText(const std::vector<NvmetPort>& ports) {
  if (ports.empty()) return "none";
  std::string text;
  for (const NvmetPort& one : ports)
    text += fmt::format("{}port {} {} {}, {} subsystems", text.empty() ? "" : "; ", one.id,
                        one.transport.empty() ? "without transport" : one.transport,
                        PlaceText(one.address, one.service, one.netdev), one.subsystems.size());
  return text;
}

std::string PortalsText(const std::vector<IscsiPortal>& portals) {
  if (portals.empty()) return "none";
  std::string text;
  for (const IscsiPortal& one : portals)
    text +=
        fmt::format("{}{} {} {} by {}", text.empty() ? "" : "; ", one.target, one.group,
                    PlaceText(one.address, std::to_string(one.port), one.netdev), one.iser ? "RDMA" : "TCP");
  return text;
}

std::string ManagersText(const std::vector<FabricManager>& managers) {
  if (managers.empty()) return "none";
  std::string text;
  for (const FabricManager& one : managers) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", one.unit);
    if (one.starts) text += *one.starts ? " starts at boot" : " does not start at boot";
    if (one.all_ports) text += ", for all ports";
    for (const ManagedPort& port : one.ports) text += fmt::format(", {:#018x} ({})", port.guid, port.source);
  }
  return text;
}

std::string NamesText(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> HostSettingLines(const Facts& facts) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto say = [&lines](const char* label, const auto& fact, const auto& write) {
    const bool asked = !fact && (fact.missing().kind == Missing::Kind::kDenied ||
                                 fact.missing().kind == Missing::Kind::kFailed);
    if (fact) lines.emplace_back(label, write(*fact));
    if (asked) lines.emplace_back(label, MissingText(fact.missing()));
  };
  say("node modes", facts.device_nodes, NodesText);
  say("agent's powers", facts.agent_capabilities, [&facts](std::uint64_t capabilities) {
    return fmt::format("capabilities {:#x}{}{}", capabilities,
                       facts.agent_process ? " of " + *facts.agent_process : "",
                       facts.agent_user ? fmt::format(", user {}", *facts.agent_user) : "");
  });
  say("packet filter", facts.firewall, FirewallText);
  say("routing rules", facts.routing_rules, RulesText);
  say("default routes", facts.default_routes, NamesText);
  say("ToS set at boot", facts.tos_keepers, NamesText);
  say("DCB set at boot", facts.dcb_keepers, NamesText);
  say("commands at boot", facts.boot_writes, BootWritesText);
  say("settings at boot", facts.boot_settings, BootSettingsText);
  say("pods that set NICs", facts.cluster_agents, ClusterAgentsText);
  say("own markings", facts.markings, MarkingsText);
  say("booted from", facts.boot_targets, TargetsText);
  say("locked memory", facts.memlock_grants, GrantsText);
  say("adapters and GPUs", facts.pci_devices, PciDevicesText);
  say("GPU drivers", facts.gpu, GpuText);
  say("devices in configuration", facts.named_devices, NamedDevicesText);
  say("managed interfaces", facts.managed_interfaces, NamedDevicesText);
  say("NVMe target", facts.nvmet_ports, NvmetText);
  say("iSCSI portals", facts.iscsi_portals, PortalsText);
  say("fabric managers", facts.fabric_managers, ManagersText);
  say("CMA", facts.cma, CmaText);
  say("agent's control group", facts.agent_group, GroupText);
  say("privileged Q_Keys", facts.privileged_qkey, [](bool on) { return on ? "on" : "off"; });
  say("CPU governors", facts.cpu_governors, NamesText);
  say("irqbalance", facts.irqbalance, [](bool runs) { return runs ? "runs" : "does not run"; });
  return lines;
}

}  // namespace rdmaready
