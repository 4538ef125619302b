// SPDX-License-Identifier: Apache-2.0
// GoodHost: where a test starts, before it breaks one thing.
#pragma once

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {

// A host with rxe0 on the VLAN-less netdev dcb0: everything answers.
inline FakeHost GoodFakeHost() {
  FakeHost host;
  host.files["/proc/sys/kernel/hostname"] = "node1\n";
  host.files["/etc/machine-id"] = "0123\n";
  host.files["/proc/sys/kernel/osrelease"] = "6.12.1\n";
  host.memlock = Memlock{Memlock::kUnlimited, true, 42};
  host.directories["/sys/class"] = std::vector<std::string>{"infiniband", "net"};
  host.directories["/sys/class/infiniband"] = std::vector<std::string>{"rxe0"};
  host.directories["/sys/class/infiniband_verbs"] = std::vector<std::string>{"abi_version", "uverbs0"};
  host.files["/sys/class/infiniband/rxe0/parent"] = "dcb0\n";
  host.files["/sys/class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1"] = "dcb0\n";
  host.Answer(wire::DevicesRequest(), wire::One(wire::Device(3, "rxe0", "roce")));
  host.Answer(wire::DeviceRequest(3), wire::One(wire::Device(3, "rxe0", "roce")));
  host.Answer(wire::PortRequest(3, 1), wire::One(wire::Port(3, "rxe0", 1, 7)));
  host.verbs_ports[{"rxe0", 1}] = VerbsPortAnswer{4, 5, 5, 3, 2};
  VerbsGid gid{.port = 1, .index = 1, .type = 2, .ifindex = 7};
  gid.raw = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
  host.gid_tables["rxe0"] = std::vector<VerbsGid>{gid};
  host.cm_defaults[{"rxe0", 1}] = RdmaCmAnswer{"RoCE v2\n", "0\n"};
  host.Answer(wire::ResourcesRequest(3), wire::One(wire::Resources(3)));
  host.Answer(wire::SystemRequest(), wire::One(wire::U8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1)));
  host.Answer(wire::LinksRequest(), wire::One(wire::Link(7, "dcb0", 9000, "dcbnic")));
  host.Answer(wire::LinkRequest(7), wire::One(wire::Link(7, "dcb0", 9000, "dcbnic")));
  host.Answer(wire::AddressesRequest(), wire::One(wire::Address4(7, {10, 0, 0, 1}, 24)));
  host.Answer(wire::DcbRequest("dcb0"), wire::One(wire::FullDcb("dcb0")));
  host.files["/sys/class/net/dcb0/ifindex"] = "7\n";
  host.files["/sys/class/net/dcb0/speed"] = "25000\n";
  host.files["/sys/class/net/dcb0/duplex"] = "full\n";
  host.ethtool[{"dcb0", ETHTOOL_GDRVINFO}] = wire::DriverInfo("dcbnic", "");
  host.ethtool[{"dcb0", ETHTOOL_GPAUSEPARAM}] = wire::PauseParameters(false, false);
  host.ethtool[{"dcb0", ETHTOOL_GTUNABLE}] = wire::StormTimeout(0);
  host.directories["/sys/class/infiniband/rxe0/ports/1/hw_counters"] =
      std::vector<std::string>{"lifespan", "sent_pkts"};
  host.files["/sys/class/infiniband/rxe0/ports/1/hw_counters/lifespan"] = "12\n";
  host.files["/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"] = "4711\n";
  host.directories["/dev/infiniband"] = std::vector<std::string>{"by-ibdev", "rdma_cm", "uverbs0"};
  host.files["/sys/devices/system/node/online"] = "0\n";
  return host;
}

}  // namespace rdmaready
