// SPDX-License-Identifier: Apache-2.0
// GoodHost: where a test starts, before it breaks one thing.
#pragma once

#include "api/model/facts.h"
#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/wire.h"

namespace rdmaready {

// A host with rxe0 on the VLAN-less netdev dcb0: everything answers.
inline FakeHost GoodFakeHost() {
  FakeHost host;
  host.files["/proc/sys/kernel/hostname"] = "node1\n";
  host.files["/etc/machine-id"] = "0123\n";
  host.files["/proc/sys/kernel/osrelease"] = "6.12.1\n";
  host.memlock = MemlockAnswer{Memlock::kUnlimited, true, 42};
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
  host.Answer(wire::QdiscsRequest(), wire::One(wire::Qdisc(7, "mqprio", wire::MqprioOptions(1))));
  host.files["/sys/class/net/dcb0/ifindex"] = "7\n";
  host.files["/sys/class/net/dcb0/speed"] = "25000\n";
  host.files["/sys/class/net/dcb0/duplex"] = "full\n";
  host.ethtool[{"dcb0", ETHTOOL_GDRVINFO}] = wire::DriverInfo("dcbnic", "", "personality mlx5");
  host.ethtool[{"dcb0", ETHTOOL_GSSET_INFO}] = wire::StatisticsCount(2);
  host.ethtool[{"dcb0", ETHTOOL_GSTRINGS}] = wire::StatisticNames({"rx_prio3_pause", "rx_packets"});
  host.ethtool[{"dcb0", ETHTOOL_GSTATS}] = wire::StatisticValues({12, 34});
  host.ethtool[{"dcb0", ETHTOOL_GPAUSEPARAM}] = wire::PauseParameters(false, false);
  host.ethtool[{"dcb0", ETHTOOL_GTUNABLE}] = wire::StormTimeout(0);
  host.directories["/sys/class/infiniband/rxe0/ports/1/hw_counters"] =
      std::vector<std::string>{"lifespan", "sent_pkts"};
  host.files["/sys/class/infiniband/rxe0/ports/1/hw_counters/lifespan"] = "12\n";
  host.files["/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"] = "4711\n";
  host.directories["/dev/infiniband"] = std::vector<std::string>{"by-ibdev", "rdma_cm", "uverbs0"};
  host.files["/sys/devices/system/node/online"] = "0\n";
  host.verbs_devices["rxe0"] = VerbsDeviceAnswer{.device_cap_flags = 1U << 21U,
                                                 .max_qp = 1024,
                                                 .max_qp_wr = 16384,
                                                 .max_sge = 32,
                                                 .max_sge_rd = 32,
                                                 .max_cqe = 32767,
                                                 .max_mr = 65536,
                                                 .max_mw = 0,
                                                 .max_qp_rd_atom = 128,
                                                 .max_qp_init_rd_atom = 64};
  host.Answer(wire::QueuePairsRequest(3),
              wire::One(wire::QueuePairs(3, wire::QueuePair(1, 1, wire::OfKernel("ib_core")))));
  host.Answer(wire::CmIdsRequest(3), wire::One(wire::CmIds(3, wire::CmId(445, wire::OfKernel("ksmbd")))));
  host.directories["/sys/module"] = std::vector<std::string>{"cifs", "ksmbd", "rdma_cm"};
  host.directories["/sys/module/rdma_cm/holders"] = std::vector<std::string>{"ksmbd", "rdma_ucm"};
  host.files["/lib/modules/6.12.1/modules.dep"] =
      "kernel/fs/smb/client/cifs.ko.xz: kernel/fs/netfs/netfs.ko.xz\n"
      "kernel/fs/smb/server/ksmbd.ko.xz: kernel/drivers/infiniband/core/rdma_cm.ko.xz\n"
      "kernel/drivers/nvme/host/nvme-rdma.ko.xz: kernel/drivers/infiniband/core/rdma_cm.ko.xz\n"
      "kernel/drivers/infiniband/core/rdma_cm.ko.xz:\n";
  host.files["/lib/modules/6.12.1/modules.builtin"] = "kernel/fs/nfsd/nfsd.ko\n";
  host.files["/boot/config-6.12.1"] =
      "CONFIG_CIFS=m\n# CONFIG_CIFS_SMB_DIRECT is not "
      "set\nCONFIG_SMB_SERVER=m\nCONFIG_SMB_SERVER_SMBDIRECT=y\n";
  host.files["/etc/ksmbd/ksmbd.conf"] = "[global]\n\tserver multi channel support = yes\n";
  host.files["/proc/net/tcp"] =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:01BD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 "
      "0\n";
  for (const std::string name : {"all", "dcb0"}) {
    for (const std::string file : {"arp_ignore", "arp_announce", "rp_filter", "accept_local", "arp_filter"})
      host.files["/proc/sys/net/ipv4/conf/" + name + "/" + file] = "0\n";
  }
  host.Answer(wire::RouteRequest({10, 0, 0, 1}, {10, 0, 0, 2}), wire::One(wire::Route(7)));
  host.Answer(wire::RulesRequest(), wire::One(wire::Rule(0x7ffe, {.table = RT_TABLE_MAIN})));
  host.Answer(wire::NeighboursRequest(), wire::One(wire::Neighbour(7, {10, 0, 0, 2}, NUD_STALE)));
  host.files["/sys/class/infiniband/rxe0/ports/1/rate"] = "25 Gb/sec (1X EDR)\n";
  host.files["/proc/self/limits"] =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1024                 524288               files     \n"
      "Max locked memory         unlimited            unlimited            bytes     \n";
  host.files["/proc/uptime"] = "3600.25 7000.10\n";
  return host;
}

}  // namespace rdmaready
