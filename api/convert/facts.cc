// SPDX-License-Identifier: Apache-2.0
#include "api/convert/facts.h"

#include <algorithm>
#include <utility>

#include "api/convert/fact.h"
#include "api/convert/facts_parts.h"

namespace rdmaready {
namespace {

using convert::Enumerator;
using convert::Get;
using convert::OutOfRange;
using convert::Put;

void PutGids(const std::vector<Gid>& from, v1::Gids* to) {
  for (const Gid& gid : from) {
    v1::Gid* row = to->add_gids();
    row->set_index(gid.index);
    row->set_raw(gid.raw.data(), gid.raw.size());
    row->set_type(static_cast<v1::GidType>(gid.type));
    row->set_netdev(gid.netdev);
  }
}

Fact<std::vector<Gid>> GetGids(const v1::Gids& from) {
  std::vector<Gid> to;
  for (const v1::Gid& row : from.gids()) {
    Gid gid{.index = row.index(), .raw = {}, .type = GidType::kUnknown, .netdev = row.netdev()};
    if (row.raw().size() != gid.raw.size()) return OutOfRange("a GID is not 16 bytes long");
    std::copy(row.raw().begin(), row.raw().end(), gid.raw.begin());
    gid.type = Enumerator<GidType>(row.type(), GidType::kRoceV2);
    to.push_back(std::move(gid));
  }
  return to;
}

void PutPort(const Port& from, v1::Port* to) {
  to->set_device(from.device);
  to->set_number(from.number);
  Put(from.transport, to->mutable_transport());
  Put(from.software, to->mutable_software());
  Put(from.firmware, to->mutable_firmware());
  Put(from.state, to->mutable_state());
  Put(from.phys_state, to->mutable_phys_state());
  Put(from.active_mtu_bytes, to->mutable_active_mtu_bytes());
  Put(from.max_mtu_bytes, to->mutable_max_mtu_bytes());
  Put(from.gids, to->mutable_gids(), PutGids);
  Put(from.cm_default_mode, to->mutable_cm_default_mode());
  Put(from.cm_default_tos, to->mutable_cm_default_tos());
  Put(from.netdev, to->mutable_netdev(), convert::PutNetdev);
  Put(from.lowers, to->mutable_lowers(), convert::PutNetdevs);
  Put(from.uppers, to->mutable_uppers(), convert::PutUppers);
  Put(from.node_guid, to->mutable_node_guid());
  Put(from.board, to->mutable_board());
  Put(from.pci, to->mutable_pci(), convert::PutPci);
  Put(from.hw_counters, to->mutable_hw_counters(), convert::PutCounters);
  Put(from.hw_counters_lifespan_ms, to->mutable_hw_counters_lifespan_ms());
  Put(from.port_counters, to->mutable_port_counters(), convert::PutCounters);
  Put(from.resources, to->mutable_resources(), convert::PutResources);
  Put(from.limits, to->mutable_limits(), convert::PutLimits);
  Put(from.listeners, to->mutable_listeners(), convert::PutListeners);
  Put(from.rate_mbps, to->mutable_rate_mbps());
  Put(from.subnets, to->mutable_subnets(), convert::PutSubnets);
  Put(from.neighbours, to->mutable_neighbours(), convert::PutNeighbours);
  convert::PutDevlink(from.devlink, to->mutable_devlink());
  Put(from.congestion, to->mutable_congestion(), convert::PutCongestion);
  Put(from.verbs_traffic_class, to->mutable_verbs_traffic_class());
  convert::PutInfiniband(from.ib, to->mutable_ib());
  Put(from.verbs_provider, to->mutable_verbs_provider());
  Put(from.out_of_tree, to->mutable_out_of_tree());
  Put(from.earlier, to->mutable_earlier(), convert::PutEarlier);
}

Port GetPort(const v1::Port& from) {
  Port to;
  to.device = from.device();
  to.number = from.number();
  to.transport = convert::GetEnum(from.transport(), Transport::kIwarp);
  to.software = Get<bool>(from.software());
  to.firmware = Get<std::string>(from.firmware());
  to.state = convert::GetEnum(from.state(), PortState::kActiveDefer);
  to.phys_state = Get<std::uint8_t>(from.phys_state());
  to.active_mtu_bytes = Get<std::uint32_t>(from.active_mtu_bytes());
  to.max_mtu_bytes = Get<std::uint32_t>(from.max_mtu_bytes());
  to.gids = Get<std::vector<Gid>>(from.gids(), GetGids);
  to.cm_default_mode = convert::GetEnum(from.cm_default_mode(), GidType::kRoceV2);
  to.cm_default_tos = Get<std::uint8_t>(from.cm_default_tos());
  to.netdev = Get<Netdev>(from.netdev(), convert::GetNetdev);
  to.lowers = Get<std::vector<Netdev>>(from.lowers(), convert::GetNetdevs);
  to.uppers = Get<std::vector<UpperNetdev>>(from.uppers(), convert::GetUppers);
  to.node_guid = Get<std::uint64_t>(from.node_guid());
  to.board = Get<std::string>(from.board());
  to.pci = Get<PciFunction>(from.pci(), convert::GetPci);
  to.hw_counters = Get<std::vector<Counter>>(from.hw_counters(), convert::GetCounters);
  to.hw_counters_lifespan_ms = Get<std::uint32_t>(from.hw_counters_lifespan_ms());
  to.port_counters = Get<std::vector<Counter>>(from.port_counters(), convert::GetCounters);
  to.resources = Get<RdmaResources>(from.resources(), convert::GetResources);
  to.limits = Get<DeviceLimits>(from.limits(), convert::GetLimits);
  to.listeners = Get<std::vector<RdmaListener>>(from.listeners(), convert::GetListeners);
  to.rate_mbps = Get<std::uint32_t>(from.rate_mbps());
  to.subnets = Get<std::vector<Subnet>>(from.subnets(), convert::GetSubnets);
  to.neighbours = Get<std::vector<Neighbour>>(from.neighbours(), convert::GetNeighbours);
  to.devlink = convert::GetDevlink(from.devlink());
  to.congestion = Get<CongestionControl>(from.congestion(), convert::GetCongestion);
  to.verbs_traffic_class = Get<std::uint8_t>(from.verbs_traffic_class());
  to.ib = convert::GetInfiniband(from.ib());
  to.verbs_provider = Get<bool>(from.verbs_provider());
  to.out_of_tree = Get<bool>(from.out_of_tree());
  to.earlier = Get<EarlierReading>(from.earlier(), convert::GetEarlier);
  return to;
}

void PutPorts(const std::vector<Port>& from, v1::Ports* to) {
  for (const Port& port : from) PutPort(port, to->add_ports());
}

Fact<std::vector<Port>> GetPorts(const v1::Ports& from) {
  std::vector<Port> to;
  for (const v1::Port& port : from.ports()) to.push_back(GetPort(port));
  return to;
}

// ---- the host ----

void PutKernel(const Kernel& from, v1::Kernel* to) { to->set_release(from.release); }

Fact<Kernel> GetKernel(const v1::Kernel& from) { return Kernel{from.release()}; }

void PutMemlock(const Memlock& from, v1::Memlock* to) {
  to->set_limit_bytes(from.limit_bytes);
  to->set_cap_ipc_lock(from.cap_ipc_lock);
  to->set_pid(from.pid);
}

Fact<Memlock> GetMemlock(const v1::Memlock& from) {
  return Memlock{.limit_bytes = from.limit_bytes(), .cap_ipc_lock = from.cap_ipc_lock(), .pid = from.pid()};
}

void PutOpenFiles(const OpenFiles& from, v1::OpenFiles* to) {
  to->set_soft(from.soft);
  to->set_hard(from.hard);
}

Fact<OpenFiles> GetOpenFiles(const v1::OpenFiles& from) { return OpenFiles{from.soft(), from.hard()}; }

void PutNames(const std::vector<std::string>& from, v1::Names* to) {
  for (const std::string& name : from) to->add_names(name);
}

Fact<std::vector<std::string>> GetNames(const v1::Names& from) {
  return std::vector<std::string>(from.names().begin(), from.names().end());
}

}  // namespace

v1::Facts ToProto(const Facts& facts) {
  v1::Facts message;
  message.set_hostname(facts.hostname);
  message.set_machine_id(facts.machine_id);
  Put(facts.kernel, message.mutable_kernel(), PutKernel);
  Put(facts.rdma_stack, message.mutable_rdma_stack());
  Put(facts.memlock, message.mutable_memlock(), PutMemlock);
  Put(facts.rdma_nodes, message.mutable_rdma_nodes(), PutNames);
  Put(facts.rdma_netns_shared, message.mutable_rdma_netns_shared());
  Put(facts.numa_nodes, message.mutable_numa_nodes());
  Put(facts.modules, message.mutable_modules(), convert::PutModules);
  Put(facts.options, message.mutable_options(), convert::PutOptions);
  Put(facts.ksmbd, message.mutable_ksmbd(), convert::PutKsmbd);
  Put(facts.tcp_listeners, message.mutable_tcp_listeners(), convert::PutTcpPorts);
  Put(facts.open_files, message.mutable_open_files(), PutOpenFiles);
  Put(facts.uptime_s, message.mutable_uptime_s());
  Put(facts.ports, message.mutable_ports(), PutPorts);
  Put(facts.firewall, message.mutable_firewall(), convert::PutFirewall);
  Put(facts.routing_rules, message.mutable_routing_rules(), convert::PutRoutingRules);
  Put(facts.device_nodes, message.mutable_device_nodes(), convert::PutDeviceNodes);
  Put(facts.agent_capabilities, message.mutable_agent_capabilities());
  Put(facts.agent_process, message.mutable_agent_process());
  Put(facts.tos_keepers, message.mutable_tos_keepers(), PutNames);
  Put(facts.boot_targets, message.mutable_boot_targets(), convert::PutBootTargets);
  Put(facts.markings, message.mutable_markings(), convert::PutMarkings);
  Put(facts.lldp_agents, message.mutable_lldp_agents(), PutNames);
  Put(facts.cpu_governors, message.mutable_cpu_governors(), PutNames);
  Put(facts.irqbalance, message.mutable_irqbalance());
  return message;
}

Facts FromProto(const v1::Facts& message) {
  Facts facts;
  facts.hostname = message.hostname();
  facts.machine_id = message.machine_id();
  facts.kernel = Get<Kernel>(message.kernel(), GetKernel);
  facts.rdma_stack = convert::GetEnum(message.rdma_stack(), RdmaStack::kLoaded);
  facts.memlock = Get<Memlock>(message.memlock(), GetMemlock);
  facts.rdma_nodes = Get<std::vector<std::string>>(message.rdma_nodes(), GetNames);
  facts.rdma_netns_shared = Get<bool>(message.rdma_netns_shared());
  facts.numa_nodes = Get<std::uint32_t>(message.numa_nodes());
  facts.modules = Get<std::vector<KernelModule>>(message.modules(), convert::GetModules);
  facts.options = Get<std::vector<KernelOption>>(message.options(), convert::GetOptions);
  facts.ksmbd = Get<KsmbdConfig>(message.ksmbd(), convert::GetKsmbd);
  facts.tcp_listeners = Get<std::vector<std::uint16_t>>(message.tcp_listeners(), convert::GetTcpPorts);
  facts.open_files = Get<OpenFiles>(message.open_files(), GetOpenFiles);
  facts.uptime_s = Get<std::uint64_t>(message.uptime_s());
  facts.ports = Get<std::vector<Port>>(message.ports(), GetPorts);
  facts.firewall = Get<Firewall>(message.firewall(), convert::GetFirewall);
  facts.routing_rules = Get<std::vector<RoutingRule>>(message.routing_rules(), convert::GetRoutingRules);
  facts.device_nodes = Get<std::vector<DeviceNode>>(message.device_nodes(), convert::GetDeviceNodes);
  facts.agent_capabilities = Get<std::uint64_t>(message.agent_capabilities());
  facts.agent_process = Get<std::string>(message.agent_process());
  facts.tos_keepers = Get<std::vector<std::string>>(message.tos_keepers(), GetNames);
  facts.boot_targets = Get<std::vector<BootTarget>>(message.boot_targets(), convert::GetBootTargets);
  facts.markings = Get<std::vector<ConsumerMarking>>(message.markings(), convert::GetMarkings);
  facts.lldp_agents = Get<std::vector<std::string>>(message.lldp_agents(), GetNames);
  facts.cpu_governors = Get<std::vector<std::string>>(message.cpu_governors(), GetNames);
  facts.irqbalance = Get<bool>(message.irqbalance());
  return facts;
}

}  // namespace rdmaready
