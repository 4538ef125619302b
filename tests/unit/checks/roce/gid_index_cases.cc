// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

// The interface has the address 02:00:00:00:00:01; its default GID is made of it, or of another.
Facts DefaultGid(std::uint8_t last, const char* master = "") {
  return WithPort([&](Port& port) {
    Netdev netdev = *port.netdev;
    netdev.mac = "02:00:00:00:00:01";
    netdev.master = master;
    port.netdev = netdev;
    port.gids = std::vector<Gid>{{.index = 0,
                                  .raw = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, last},
                                  .type = GidType::kRoceV2,
                                  .netdev = "dcb0"}};
  });
}

Facts Pinned(Fact<std::vector<ConsumerMarking>> markings) {
  Facts host = GoodHost();
  host.markings = std::move(markings);
  return host;
}

Facts PinnedAt(std::uint32_t index) {
  return Pinned(std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .gid_index = index}});
}

Facts WithDevice(Facts host, const std::string& device) {
  PciDevice function;
  function.address = "0000:81:00.0";
  function.rdma_devices = {device};
  host.pci_devices = std::vector<PciDevice>{function};
  return host;
}

// Beside a second port, of which the GIDs are as given.
Facts Beside(Facts host, Fact<std::vector<Gid>> gids) {
  std::vector<Port> ports = *host.ports;
  Port other = ports.front();
  other.device = "rxe1";
  other.gids = std::move(gids);
  ports.push_back(other);
  host.ports = ports;
  return host;
}

}  // namespace

std::vector<CheckCase> GidIndexCases() {
  Facts gone = PinnedAt(1);
  std::vector<Port> ports = *gone.ports;
  Netdev netdev = *ports.front().netdev;
  netdev.addresses = std::vector<IpAddress>{{.address = "10.0.0.9", .prefix_length = 24}};
  ports.front().netdev = netdev;
  gone.ports = ports;
  Facts unread = DefaultGid(2);
  ports = *unread.ports;
  netdev = *ports.front().netdev;
  netdev.addresses = Denied();
  ports.front().netdev = netdev;
  unread.ports = ports;
  return {
      Passes("gid.stale", "of its own", DefaultGid(1), "all of dcb0"),
      Passes("gid.stale", "of its own, without an address", DefaultGid(1),
             "GID 0 has no address on it, so this software device"),
      Fails("gid.stale", "of an earlier address", DefaultGid(2), "GID 0 fe80::ff:fe00:2 is of another address",
            {.fix = "ip link set dev dcb0 down"}),
      IsUnknown("gid.stale", "the addresses are not known", unread, "not permitted"),
      DoesNotApply("gid.stale", "in a bond", DefaultGid(2, "bond0"), "in a bond"),
      DoesNotApply("gid.stale", "InfiniBand", OnInfiniband(), "InfiniBand"),
      IsUnknown("gid.stale", "denied", WithPort([](Port& port) { port.gids = Denied(); }), "not permitted"),
      Passes("gid.pinned-index", "an address", PinnedAt(1), "GID 1 by /etc/nccl.conf: 10.0.0.1"),
      Fails("gid.pinned-index", "link-local", PinnedAt(0), "link-local",
            {.fix = "set NCCL_IB_GID_INDEX=1 in /etc/nccl.conf"}),
      Fails("gid.pinned-index", "none", PinnedAt(7), "GID 7 by /etc/nccl.conf: the port has no such GID",
            {.fix = "index 1, which is RoCE v2"}),
      Fails("gid.pinned-index", "of an address that is gone", gone, "GID 1 by /etc/nccl.conf"),
      Warns("gid.pinned-index", "beside a port of another profile", WithDevice(PinnedAt(7), "mlx5_8"),
            "the port has no such GID"),
      IsUnknown("gid.pinned-index", "beside a port of unknown GIDs", Beside(PinnedAt(7), Denied()),
                "not permitted"),
      DoesNotApply("gid.pinned-index", "nobody does", GoodHost(), "no software here"),
      IsUnknown("gid.pinned-index", "denied", Pinned(Denied()), "not permitted"),
  };
}

}  // namespace rdmaready
