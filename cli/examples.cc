// SPDX-License-Identifier: Apache-2.0
// Written by tests/integration/corpus_test.py --update: sentences that are said of recorded hosts.
#include "cli/examples.h"

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

struct Example {
  std::string_view check{};
  std::string_view text{};
};

// Sorted by check.
// clang-format off
constexpr std::array kExamples{
    Example{"arp.ignore", "in the subnet of 10.0.1.8/24 are ens1f1np1, ens1f0np0: arp_ignore 0 on ens1f1np1, 0 on ens1f0np0, wanted 1 or 2 where interfaces share a subnet"},
    Example{"cnt.rdma-priority", "priority 3 has counted no byte since boot, priority 0 102214 GB, and 91240 requests of RDMA came, wanted RDMA's bytes on priority 3"},
    Example{"dcb.at-boot", "/etc/rc.d/rc.local sets PFC on 4 at boot, and now it is PFC on 3, wanted PFC on 3 in the file"},
    Example{"dcbx.mode", "firmware, IEEE, wanted host, IEEE"},
    Example{"dcbx.one-agent", "here: lldpd, and the NIC's firmware (fw-lldp-agent), wanted at most one LLDP agent at each end"},
    Example{"dev.fast-registration", "no fast registration, wanted memory registration by work request"},
    Example{"dev.guid", "node GUID 0, virtual function 0 of ibp75s0, wanted a node GUID other than 0"},
    Example{"dev.max-qp-wr", "895 work requests a queue, wanted at least 1024 work requests a queue"},
    Example{"dev.max-sge", "4 scatter-gather elements, wanted at least 6 scatter-gather elements"},
    Example{"drv.dcb-capable", "no PFC, ETS, APP (driver r8169): driver has no DCB (no dcbnl_ops), wanted PFC, ETS, APP"},
    Example{"drv.roce-enabled", "/etc/systemd/system/dpdk-memory.service sets enable_roce false at boot, wanted roce-v2"},
    Example{"ecn.cnp-dscp", "notifications with DSCP 4, wanted DSCP 48"},
    Example{"ets.classes", "priorities 0, 1, 2, 4, 5 and 7 are not in one class, wanted priorities 0, 1, 2, 4, 5 and 7 50 %; priority 3 50 %; priority 6 strict"},
    Example{"ets.map", "priority 3 shares TC 0 with the default priority 0, wanted priority 3 in a class of its own"},
    Example{"ets.min-default", "the default class TC 0: ETS 0 %, wanted at least 1 %"},
    Example{"ets.rdma-share", "priority 3 in TC 3: ETS 100 %, wanted ETS 50 %"},
    Example{"ets.tsa", "priority 3 in TC 3: vendor, wanted ets, and no strict class before it"},
    Example{"gid.default-mode", "RDMA-CM uses RoCE v1, wanted RoCE v2"},
    Example{"gid.pinned-index", "GID 1 by /etc/nccl.conf: link-local, no IP address of this host, wanted none, or that of an address of the port's own interface"},
    Example{"gid.v2-present", "no RoCE v2 GID with an IP address, wanted a RoCE v2 GID with an IP address"},
    Example{"gpu.p2pdma", "CONFIG_PCI_P2PDMA is not set, wanted CONFIG_PCI_P2PDMA=y"},
    Example{"host.clock", "not synchronised: nobody tells the kernel that it keeps the clock, wanted synchronised, to within a second"},
    Example{"host.cma", "CmaTotal 0 B, CmaFree 940604 KiB, wanted no more free CMA memory than there is in all"},
    Example{"host.memlock-users", "slurmd.service 64 KiB by /etc/systemd/system.conf, wanted unlimited, or 1 GiB at least"},
    Example{"ib.pkey", "ib0.8005 is for P_Key 0x8005, which the table of the port lacks: 0xffff, wanted the partition of each IPoIB interface in the port's P_Key table"},
    Example{"ib.pkey-index", "0x8012 is at index 1; at index 0: 0x7fff, wanted full membership by the P_Key at index 0"},
    Example{"ib.sm", "no subnet manager has configured the port (sm_lid 0), wanted the LID of a subnet manager"},
    Example{"ib.vf-state", "virtual function 0 of ibp75s0 is down: its link follows a policy of the physical one, and it has no GUID, wanted a link, as its physical function has"},
    Example{"inv.bond", "ens801f0 is in bond0 (active-backup), where its driver refuses DCB settings, wanted no bond, or one that keeps a connection on one link"},
    Example{"inv.name-stability", "NCCL_IB_HCA==mlx5_0 (/etc/nccl.conf): no RDMA device of that name; there are: rocep59s0f0, wanted names of RDMA devices that are there"},
    Example{"inv.netdev-mapping", "no Ethernet interface in this network namespace, wanted an Ethernet interface in this network namespace"},
    Example{"inv.physical", "a software device (siw, rxe): the CPU does what a NIC does elsewhere, wanted a physical function"},
    Example{"inv.port-mode", "Ethernet mode, and no link: the far end may speak InfiniBand, wanted InfiniBand mode"},
    Example{"inv.rdma-present", "no RDMA device: 0000:03:00.0 has no driver: this kernel has none for it, or its probe failed, wanted at least one RDMA device"},
    Example{"inv.symmetry", "bnxt_re0/1 and irdma0/1 differ: drivers bnxt_en and ice, wanted the same on every port"},
    Example{"inv.transport", "iWARP, wanted roce-v2"},
    Example{"inv.unbound-function", "0000:03:00.0 has no driver: this kernel has none for it, or its probe failed, wanted an RDMA device for each adapter that supports RDMA"},
    Example{"ip.accept-local", "accept_local 0 on ens1f1np1, in the subnet of 10.0.1.8/24, wanted 1 where two RDMA ports share a subnet"},
    Example{"ip.address", "no address but link-local ones, wanted an IP address"},
    Example{"ip.duplicate", "10.0.1.8 is on ens1f0np0 and on ens1f1np1, wanted each address on one interface of the host"},
    Example{"ip.firewall", "UDP 4791 (RoCE) on dcb1 is dropped by rule 5 of inet filter roce, wanted UDP 4791 (RoCE) let in"},
    Example{"ip.route-symmetric", "from 192.168.1.51 to 192.168.1.53: by enp4s2f0, wanted by ens1f0np0"},
    Example{"ip.subnets", "10.10.1.12/24 is in the subnet of mlx5_0/1, wanted a subnet of its own"},
    Example{"iser.target-listener", "ib_isert listens on no RDMA device; portal 10.30.0.9:3260 takes TCP only, wanted ib_isert listening, as a rule on port 3260"},
    Example{"link.eee", "on, not in use, wanted off"},
    Example{"link.speed", "40 Gb/s, wanted at least 100 Gb/s"},
    Example{"link.speed-consistent", "25 Gb/s, another port has 100 Gb/s, wanted 100 Gb/s"},
    Example{"link.state", "mlx5_0/1 down, enp1s0f0np0 has no carrier: the two ends do not agree on lanes, alignment or FEC, wanted active, interface up with carrier"},
    Example{"map.cnp-dscp", "no row for DSCP 48, wanted DSCP 48 to priority 6"},
    Example{"map.dscp", "no row for DSCP 26: without one the NIC trusts PCP, wanted DSCP 26 to priority 3"},
    Example{"mtu.ethernet", "MTU 1500, wanted at least 9000"},
    Example{"mtu.max", "the driver allows 8500 at most, wanted at least 9000"},
    Example{"mtu.vlan", "bond0.711 has MTU 1500, wanted at least 9000"},
    Example{"nfs.server-listener", "rpcrdma listens on no RDMA device, wanted rpcrdma listening, as a rule on port 20049"},
    Example{"nvme.host-module", "nvme_rdma is the kernel's own and the RDMA core is a vendor's (OFED or DOCA): it cannot be loaded, wanted nvme_rdma"},
    Example{"nvme.target-listener", "nvmet_rdma listens on no RDMA device; port 1 is 172.17.7.248:4420 on ens6f0np0, wanted nvmet_rdma listening, as a rule on port 4420"},
    Example{"pause.autoneg", "link-level pause is negotiated, wanted not negotiated"},
    Example{"pause.off-with-pfc", "link-level pause on both ways, 402117 frames of it received and 81210 sent since boot, wanted off both ways"},
    Example{"pause.stops-all", "link-level pause is on, 132004113 frames of it received and 41200 sent since boot, wanted link-level pause off, or no frame of it"},
    Example{"pcie.acs", "0000:19:00.0 sends what is for another device up to the root, wanted no redirection on the way"},
    Example{"pcie.bandwidth", "31 Gb/s through PCIe: 0000:c2:00.0 has x4 at 8 GT/s, wanted at least 100 Gb/s"},
    Example{"pcie.speed", "0000:c2:00.0 runs at 8 GT/s of 16 GT/s, wanted the speed both ends have"},
    Example{"pfc.headroom", "priority 3 in buffer 0, 255 KiB, together with 0, 1, 2, 4, 5, 6 and 7, wanted a buffer of its own, with room for what a pause finds on its way"},
    Example{"pfc.lossless-priority", "PFC on 5, wanted on 3 only"},
    Example{"pfc.only-one", "PFC on 1, 2 and 4, wanted on 4 only"},
    Example{"roce.tos", "RDMA-CM default ToS 0 (not set), wanted ToS 106 (DSCP 26)"},
    Example{"roce.tos-persistent", "nothing sets RDMA-CM's ToS at boot, wanted a unit, a udev rule or a script that sets it"},
    Example{"roce.tos-verbs", "every connection has ToS 128 (DSCP 32), wanted none, or DSCP 26"},
    Example{"sec.agent-caps", "everything that root may do, wanted none, or root's agent without helpers: CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_SYS_ADMIN CAP_SYS_NICE"},
    Example{"smb.client-built-in", "cifs loaded, built without SMB Direct (5.18.10-76051810-generic), wanted cifs with SMB Direct"},
    Example{"smb.kernel", "Linux 6.5: the client's direct reads and writes were broken by a rewrite, wanted a kernel without known faults of SMB Direct"},
    Example{"smb.multichannel", "not set in /etc/ksmbd/ksmbd.conf, which means no, wanted server multi channel support = yes"},
    Example{"smb.multichannel-ports", "1 RDMA port, wanted at least 2 RDMA ports"},
    Example{"smb.server-address", "10.60.0.2 on lan (bridge): not told to clients as RDMA by Linux 6.12, wanted an address on ethc4lx3 itself"},
    Example{"smb.server-built-in", "ksmbd loaded, built without SMB Direct (6.5.12_1), wanted ksmbd with SMB Direct"},
    Example{"vlan.egress-map", "bond0.711: RDMA-CM's priority 0 leaves with PCP 0; not for RDMA: bond0.101, wanted PCP 3"},
    Example{"vlan.present", "10.224.0.5 on eth1, untagged, wanted the storage address on a VLAN"},
    Example{"vlan.reorder", "storage711: reorder_hdr off, wanted reorder_hdr on"},
};
// clang-format on

}  // namespace

std::string_view ExampleOf(std::string_view check) {
  const auto found = std::ranges::lower_bound(kExamples, check, {}, &Example::check);
  return found != kExamples.end() && found->check == check ? found->text : std::string_view();
}

}  // namespace rdmaready
