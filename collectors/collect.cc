// SPDX-License-Identifier: Apache-2.0
#include "collectors/collect.h"

#include <iterator>

#include "api/base/status.h"
#include "collectors/gids.h"
#include "collectors/host.h"
#include "collectors/kernel_modules.h"
#include "collectors/netdev.h"
#include "collectors/ports.h"
#include "collectors/rdma_devices.h"
#include "collectors/resources.h"
#include "collectors/storage.h"
#include "collectors/unread.h"

namespace rdmaready {
namespace {

Fact<std::vector<Port>> ReadPorts(HostReader& host) {
  const absl::StatusOr<std::vector<RdmaDevice>> devices = ReadRdmaDevices(host);
  if (!devices.ok()) return MissingFrom(devices.status());
  std::vector<Port> ports;
  if (devices->empty()) return ports;
  const absl::Status verbs = VerbsThere(host);
  const Network network = ReadNetwork(host);
  for (const RdmaDevice& device : *devices) {
    std::vector<Port> of_device = ReadPortsOf(host, network, device, verbs);
    ports.insert(ports.end(), std::make_move_iterator(of_device.begin()),
                 std::make_move_iterator(of_device.end()));
  }
  return ports;
}

}  // namespace

Facts CollectFacts(HostReader& host) {
  Facts facts;
  facts.hostname = ReadHostname(host);
  facts.machine_id = ReadMachineId(host);
  facts.kernel = ReadKernel(host);
  facts.memlock = ReadMemlock(host);
  facts.open_files = ReadOpenFiles(host);
  facts.uptime_s = ReadUptime(host);
  facts.numa_nodes = ReadNumaNodes(host);
  facts.options = ReadKernelOptions(host, facts.kernel);
  facts.modules = ReadStorageModules(host, facts.kernel, facts.options);
  facts.ksmbd = ReadKsmbd(host);
  facts.tcp_listeners = ReadTcpListeners(host);
  facts.rdma_nodes = ReadRdmaNodes(host);
  facts.rdma_stack = ReadRdmaStack(host, facts.kernel);
  if (!facts.rdma_stack) {
    facts.ports = facts.rdma_stack.missing();
    facts.rdma_netns_shared = facts.rdma_stack.missing();
  } else if (*facts.rdma_stack == RdmaStack::kLoaded) {
    facts.ports = ReadPorts(host);
    facts.rdma_netns_shared = ReadNetnsShared(host);
  } else {
    facts.ports = std::vector<Port>{};  // without the stack there is no device
    facts.rdma_netns_shared = Missing{Missing::Kind::kUnsupported, "the RDMA stack is not loaded"};
  }
  MarkUnread(facts);
  return facts;
}

}  // namespace rdmaready
