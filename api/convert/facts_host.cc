// SPDX-License-Identifier: Apache-2.0
// What belongs to the host and to none of its ports: its packet filter, its device nodes, how it booted, and
// who else touches the network's settings.
#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready::convert {
namespace {

void PutRule(const FirewallRule& from, v1::FirewallRule* to) {
  if (from.netdev) to->set_netdev(*from.netdev);
  if (from.protocol) to->set_protocol(*from.protocol);
  PutList(from.ports, to->mutable_ports(), [](const L4Ports& ports, v1::L4Ports* out) {
    out->set_first(ports.first);
    out->set_last(ports.last);
  });
  to->set_negated_ports(from.negated_ports);
  to->set_established_only(from.established_only);
  to->set_other_conditions(from.other_conditions);
  to->set_action(static_cast<v1::FirewallAction>(from.action));
  to->set_target(from.target);
  to->set_handle(from.handle);
}

FirewallAction ActionOf(v1::FirewallAction from) {
  const bool known = from >= v1::FIREWALL_ACTION_NONE && from <= v1::FIREWALL_ACTION_UNKNOWN;
  return known ? static_cast<FirewallAction>(from) : FirewallAction::kUnknown;
}

FirewallRule GetRule(const v1::FirewallRule& from) {
  FirewallRule to;
  if (from.has_netdev()) to.netdev = from.netdev();
  if (from.has_protocol()) to.protocol = Narrow<std::uint8_t>(from.protocol());
  to.ports = GetList<L4Ports>(from.ports(), [](const v1::L4Ports& ports) {
    return L4Ports{Narrow<std::uint16_t>(ports.first()), Narrow<std::uint16_t>(ports.last())};
  });
  to.negated_ports = from.negated_ports();
  to.established_only = from.established_only();
  to.other_conditions = from.other_conditions();
  to.action = ActionOf(from.action());
  to.target = from.target();
  to.handle = from.handle();
  return to;
}

void PutChain(const FirewallChain& from, v1::FirewallChain* to) {
  to->set_family(from.family);
  to->set_table(from.table);
  to->set_name(from.name);
  to->set_input_hook(from.input_hook);
  to->set_priority(from.priority);
  to->set_policy(static_cast<v1::FirewallAction>(from.policy));
  to->set_netdev(from.netdev);
  PutList(from.rules, to->mutable_rules(), PutRule);
}

FirewallChain GetChain(const v1::FirewallChain& from) {
  return {.family = from.family(),
          .table = from.table(),
          .name = from.name(),
          .input_hook = from.input_hook(),
          .priority = from.priority(),
          .policy = ActionOf(from.policy()),
          .netdev = from.netdev(),
          .rules = GetList<FirewallRule>(from.rules(), GetRule)};
}

void PutMarking(const ConsumerMarking& from, v1::ConsumerMarking* to) {
  to->set_consumer(static_cast<v1::MarkingConsumer>(from.consumer));
  to->set_source(from.source);
  if (from.tos) to->set_tos(*from.tos);
  if (from.gid_index) to->set_gid_index(*from.gid_index);
}

ConsumerMarking GetMarking(const v1::ConsumerMarking& from) {
  ConsumerMarking to{.consumer = Enumerator(from.consumer(), MarkingConsumer::kNccl), .source = from.source()};
  if (from.has_tos()) to.tos = Narrow<std::uint8_t>(from.tos());
  if (from.has_gid_index()) to.gid_index = from.gid_index();
  return to;
}

}  // namespace

void PutFirewall(const Firewall& from, v1::Firewall* to) {
  PutList(from.chains, to->mutable_chains(), PutChain);
  to->set_legacy_tables(from.legacy_tables);
}

Fact<Firewall> GetFirewall(const v1::Firewall& from) {
  return Firewall{.chains = GetList<FirewallChain>(from.chains(), GetChain),
                  .legacy_tables = from.legacy_tables()};
}

void PutDeviceNodes(const std::vector<DeviceNode>& from, v1::DeviceNodes* to) {
  PutList(from, to->mutable_nodes(), [](const DeviceNode& node, v1::DeviceNode* out) {
    out->set_name(node.name);
    out->set_mode(node.mode);
  });
}

Fact<std::vector<DeviceNode>> GetDeviceNodes(const v1::DeviceNodes& from) {
  return GetList<DeviceNode>(from.nodes(), [](const v1::DeviceNode& node) {
    return DeviceNode{node.name(), node.mode()};
  });
}

void PutBootTargets(const std::vector<BootTarget>& from, v1::BootTargets* to) {
  PutList(from, to->mutable_targets(), [](const BootTarget& target, v1::BootTarget* out) {
    out->set_table(target.table);
    out->set_mac(target.mac);
    out->set_address(target.address);
    out->set_target(target.target);
  });
}

Fact<std::vector<BootTarget>> GetBootTargets(const v1::BootTargets& from) {
  return GetList<BootTarget>(from.targets(), [](const v1::BootTarget& target) {
    return BootTarget{target.table(), target.mac(), target.address(), target.target()};
  });
}

void PutMarkings(const std::vector<ConsumerMarking>& from, v1::ConsumerMarkings* to) {
  PutList(from, to->mutable_markings(), PutMarking);
}

Fact<std::vector<ConsumerMarking>> GetMarkings(const v1::ConsumerMarkings& from) {
  return GetList<ConsumerMarking>(from.markings(), GetMarking);
}

}  // namespace rdmaready::convert
