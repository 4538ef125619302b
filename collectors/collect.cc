// SPDX-License-Identifier: Apache-2.0
#include "collectors/collect.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "api/base/status.h"
#include "collectors/firewall/firewall.h"
#include "collectors/lag.h"
#include "collectors/lldp/lldp_agents.h"
#include "collectors/lldp/lldpad.h"
#include "collectors/net/ipv4_settings.h"
#include "collectors/net/routing_rules.h"
#include "collectors/net/subnets.h"
#include "collectors/netdev.h"
#include "collectors/nic/devlink.h"
#include "collectors/ports.h"
#include "collectors/rdma/gids.h"
#include "collectors/rdma/rdma_devices.h"
#include "collectors/rdma/resources.h"
#include "collectors/system/boot_files.h"
#include "collectors/system/boot_scripts.h"
#include "collectors/system/boot_settings.h"
#include "collectors/system/boot_targets.h"
#include "collectors/system/cluster_agents.h"
#include "collectors/system/control_group.h"
#include "collectors/system/dcb_keepers.h"
#include "collectors/system/fabric_managers.h"
#include "collectors/system/gpu.h"
#include "collectors/system/host.h"
#include "collectors/system/kernel_modules.h"
#include "collectors/system/memlock_grants.h"
#include "collectors/system/named_devices.h"
#include "collectors/system/network_files.h"
#include "collectors/system/pci_devices.h"
#include "collectors/system/storage.h"
#include "collectors/system/storage_targets.h"

namespace rdmaready {
namespace {

Fact<std::vector<Port>> ReadPorts(HostReader& host, Facts& facts) {
  const absl::StatusOr<std::vector<RdmaDevice>> devices = ReadRdmaDevices(host);
  if (!devices.ok()) return MissingFrom(devices.status());
  std::vector<Port> ports;
  if (devices->empty()) return ports;
  const absl::Status verbs = VerbsThere(host);
  const Network network = ReadNetwork(host);
  facts.default_routes = ReadDefaultRoutes(host, network);
  PlaceTargets(host, network, facts);
  for (const RdmaDevice& device : *devices) {
    std::vector<Port> of_device = ReadPortsOf(host, network, device, verbs);
    ports.insert(ports.end(), std::make_move_iterator(of_device.begin()),
                 std::make_move_iterator(of_device.end()));
  }
  FindLags(host, network, ports);
  ReadDevlinks(host, network.families, ports);
  return ports;
}

Fact<std::vector<KernelModule>> Joined(const Fact<std::vector<KernelModule>>& modules,
                                       const std::vector<KernelModule>& more) {
  if (!modules) return modules;
  std::vector<KernelModule> all = *modules;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

void AddUnread(std::string path, BootSettings& settings) {
  if (std::ranges::find(settings.unread, path) == settings.unread.end())
    settings.unread.push_back(std::move(path));
}

}  // namespace

Facts CollectFacts(HostReader& host, Clock& clock) {
  Facts facts;
  ReadHostFacts(host, facts);
  facts.options = ReadKernelOptions(host, facts.kernel);
  facts.modules = ReadStorageModules(host, facts.kernel, facts.options);
  facts.ksmbd = ReadKsmbd(host);
  facts.tcp_listeners = ReadTcpListeners(host);
  const LldpAgents lldp_agents = ReadLldpAgents(host);
  facts.lldp_agents = lldp_agents.names;
  facts.routing_rules = ReadRoutingRules(host);
  const BootScripts scripts = ReadBootScripts(host);
  facts.tos_keepers = ReadTosKeepers(host, scripts);
  facts.dcb_keepers = ReadDcbKeepers(host, scripts);
  facts.boot_writes = BootWritesOf(scripts);
  BootSettings boot_settings = ReadBootSettings(host, scripts);
  facts.cluster_agents = ReadClusterAgents(host);
  facts.boot_targets = ReadBootTargets(host);
  facts.markings = ReadMarkings(host);
  facts.memlock_grants = ReadMemlockGrants(host);
  facts.pci_devices = ReadPciDevices(host);
  facts.modules = Joined(facts.modules, ReadAdapterModules(host, facts.kernel, facts.pci_devices));
  facts.gpu = ReadGpuSupport(host, facts.kernel, facts.pci_devices);
  facts.named_devices = ReadNamedDevices(host);
  ManagedInterfaces managed = ReadManagedInterfaces(host);
  facts.managed_interfaces = std::move(managed.named);
  for (std::string& path : managed.unread) AddUnread(std::move(path), boot_settings);
  facts.agent_group = ReadControlGroup(host);
  facts.nvmet_ports = ReadNvmetPorts(host);
  facts.iscsi_portals = ReadIscsiPortals(host);
  facts.fabric_managers = ReadFabricManagers(host);
  if (!facts.rdma_stack) {
    facts.ports = facts.rdma_stack.missing();
    facts.rdma_netns_shared = facts.rdma_stack.missing();
    facts.privileged_qkey = facts.rdma_stack.missing();
  } else if (*facts.rdma_stack == RdmaStack::kLoaded) {
    facts.ports = ReadPorts(host, facts);
    facts.rdma_netns_shared = ReadNetnsShared(host);
    facts.privileged_qkey = ReadPrivilegedQkey(host);
  } else {
    facts.ports = std::vector<Port>{};  // without the stack there is no device
    facts.rdma_netns_shared = Missing{Missing::Kind::kUnsupported, "the RDMA stack is not loaded"};
    facts.privileged_qkey = facts.rdma_netns_shared.missing();
  }
  AddAppliedLinkFiles(host, facts.ports, boot_settings);
  facts.boot_settings = std::move(boot_settings);
  facts.sysctls = ReadIpv4Sysctls(host, facts.ports);
  facts.firewall = ReadFirewall(host, facts.kernel, facts.ports);
  ReadLldpad(host, lldp_agents.lldpad_started_ms, facts, clock);
  return facts;
}

}  // namespace rdmaready
