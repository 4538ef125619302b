// SPDX-License-Identifier: Apache-2.0
#include "collectors/collect.h"

#include "api/base/status.h"
#include "collectors/gids.h"
#include "collectors/host.h"
#include "collectors/netdev.h"
#include "collectors/rdma_cm.h"
#include "collectors/rdma_devices.h"

namespace rdmaready {
namespace {

// What is the same for every port of a device.
struct DeviceFacts {
  Fact<Transport> transport{};
  Fact<bool> software{};
  Fact<std::string> firmware{};
  absl::Status verbs{};  // why libibverbs cannot be asked
  absl::StatusOr<std::vector<VerbsGid>> gids{};
};

DeviceFacts ReadDeviceFacts(HostReader& host, const RdmaDevice& device, const absl::Status& verbs) {
  DeviceFacts facts;
  facts.transport = ReadTransport(host, device);
  facts.software = ReadSoftware(host, device);
  facts.firmware = FirmwareOf(device, facts.software);
  facts.verbs = verbs;
  facts.gids = verbs.ok() ? host.VerbsGidTable(device.name) : verbs;
  return facts;
}

Fact<Netdev> ReadNetdevOf(HostReader& host, const RdmaPort& port, const Fact<Transport>& transport) {
  if (port.ifindex) return ReadNetdev(host, *port.ifindex);
  if (transport && *transport == Transport::kInfiniBand) {
    return Missing{Missing::Kind::kUnsupported, "an InfiniBand port has no Ethernet netdev"};
  }
  return Missing{Missing::Kind::kUnsupported, "port has no netdev in this network namespace"};
}

Port ReadPort(HostReader& host, const RdmaDevice& device, const DeviceFacts& shared, std::uint32_t number) {
  Port port;
  port.device = device.name;
  port.number = number;
  port.transport = shared.transport;
  port.software = shared.software;
  port.firmware = shared.firmware;

  const absl::StatusOr<RdmaPort> link = ReadRdmaPort(host, device, number);
  if (link.ok()) {
    port.state = PortStateOf(link->state);
    port.phys_state = link->phys_state;
    port.netdev = ReadNetdevOf(host, *link, shared.transport);
  } else {
    const Missing why = MissingFrom(link.status());
    port.state = why;
    port.phys_state = why;
    port.netdev = why;
  }

  const absl::StatusOr<VerbsPortAnswer> verbs =
      shared.verbs.ok() ? host.VerbsPort(device.name, number) : absl::StatusOr<VerbsPortAnswer>(shared.verbs);
  if (verbs.ok()) {
    port.active_mtu_bytes = MtuBytesOf(verbs->active_mtu);
    port.max_mtu_bytes = MtuBytesOf(verbs->max_mtu);
  } else {
    port.active_mtu_bytes = MissingFrom(verbs.status());
    port.max_mtu_bytes = MissingFrom(verbs.status());
  }
  port.gids = ReadGids(host, device.name, number, shared.transport, shared.gids);

  RdmaCmDefaults defaults = ReadRdmaCmDefaults(host, device.name, number, shared.transport);
  port.cm_default_mode = defaults.mode;
  port.cm_default_tos = defaults.tos;
  return port;
}

// A port of which nothing can be believed.
Port LostPort(const RdmaDevice& device, std::uint32_t number, const Missing& why) {
  Port port;
  port.device = device.name;
  port.number = number;
  port.transport = why;
  port.software = why;
  port.firmware = why;
  port.state = why;
  port.phys_state = why;
  port.active_mtu_bytes = why;
  port.max_mtu_bytes = why;
  port.gids = why;
  port.cm_default_mode = why;
  port.cm_default_tos = why;
  port.netdev = why;
  return port;
}

// nldev answers by index, verbs, sysfs and configfs by name: they were about one device only if the index still
// has the name afterwards.
absl::Status StillTheSame(HostReader& host, const RdmaDevice& device) {
  const absl::StatusOr<RdmaDevice> after = ReadRdmaDevice(host, device.index);
  if (!after.ok()) {
    return absl::FailedPreconditionError("read " + device.name + ": it went away while it was read (" +
                                         Message(after.status()) + ")");
  }
  if (after->name == device.name && after->node_guid == device.node_guid) return absl::OkStatus();
  return absl::FailedPreconditionError("read " + device.name + ": it was renamed to " + after->name +
                                       " while it was read");
}

Fact<std::vector<Port>> ReadPorts(HostReader& host) {
  const absl::StatusOr<std::vector<RdmaDevice>> devices = ReadRdmaDevices(host);
  if (!devices.ok()) return MissingFrom(devices.status());
  const absl::Status verbs = VerbsThere(host);
  std::vector<Port> ports;
  for (const RdmaDevice& device : *devices) {
    const DeviceFacts shared = ReadDeviceFacts(host, device, verbs);
    std::vector<Port> of_device;
    for (std::uint32_t number = 1; number <= device.port_count; ++number) {
      of_device.push_back(ReadPort(host, device, shared, number));
    }
    const absl::Status same = StillTheSame(host, device);
    for (Port& port : of_device) {
      ports.push_back(same.ok() ? std::move(port) : LostPort(device, port.number, MissingFrom(same)));
    }
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
  facts.rdma_stack = ReadRdmaStack(host, facts.kernel);
  if (!facts.rdma_stack) {
    facts.ports = facts.rdma_stack.missing();
  } else if (*facts.rdma_stack == RdmaStack::kLoaded) {
    facts.ports = ReadPorts(host);
  } else {
    facts.ports = std::vector<Port>{};  // without the stack there is no device
  }
  return facts;
}

}  // namespace rdmaready
