# SPDX-License-Identifier: Apache-2.0
"""The faults that are made in the guests, as data: what is done, what must be said of it, and what looks like it and is none.

A fault is one wrong thing. `control` is done to the same guest before, and nothing may be said of it: it touches what the fault
touches, in a way that is allowed. `base` brings a guest to where the fault is one, and nothing may be said of that either."""
import dataclasses
import pathlib
import shlex

import lldp

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass(frozen=True)
class Fault:
    id: str                       # of the one check that must name it
    wrong: str                    # shell, in the guest
    control: str                  # shell, in the guest
    subject: str = "rxe0/1 dcb0"  # what the finding must be about
    red: bool = True              # it keeps the host from being ready; else a warning
    base: str = ""                # shell, in both guests, before anything
    profile: str = "virtual-fabric"
    both: bool = False            # it is said of each of the two hosts
    between: bool = False         # two hosts that differ, and nothing says which is right: it is said once, of the pair
    watch: int = 0                # for how many seconds the check watches the ports
    meanwhile: bool = False       # `wrong` and `control` are done while it watches
    at_peer: bool = False         # they are done in the other guest, which is the other end of the link
    also: tuple = ()              # ids that must be said besides, of the same guest
    fix: dict = dataclasses.field(default_factory=dict)  # words that only a person knows; {guest} is its number
    heals: bool = True            # the fix is a command that can be typed there


NIC = "/sys/kernel/debug/dcbnic/dcb0"

# An address of the storage subnet on the interface beside it, and what keeps that harmless.
SHARE = "ip address add 10.0.0.77/24 dev mgmt0"
IGNORE = "sysctl -qw net.ipv4.conf.all.arp_ignore=2"
ANNOUNCE = "sysctl -qw net.ipv4.conf.all.arp_announce=2"
VLAN = "modprobe 8021q && ip link add link dcb0 name dcb0.711"
VLAN_UP = "ip link set dcb0.711 up && ip addr add 10.7.11.9/24 dev dcb0.711"
AGENT = shlex.quote(str(HERE.parent / "guest" / "agent"))
CONFIGFS_TOS = "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"

LINK = [
    Fault("link.state", "ip link set dcb0 down", control="ip link set dcb0 down && ip link set dcb0 up"),
    Fault("link.speed", "ethtool -s dcb0 speed 10000 duplex full autoneg off",
          control="ethtool -s dcb0 speed 25000 duplex full autoneg off"),
    Fault("link.fec", f"echo fec_uncorrectable 12 > {NIC}/counters", control=f"echo fec_corrected 12 > {NIC}/counters", red=False,
          heals=False),
    Fault("link.fec", "ethtool --set-fec dcb0 encoding off", control="ethtool --set-fec dcb0 encoding rs",
          base="ethtool -s dcb0 speed 200000 duplex full autoneg off", red=False),
]

MTU = [
    # A VLAN beside an address of the NIC's own may be for something else: on_a_vlan has the fault.
    Fault("mtu.ethernet", "ip link set dcb0 mtu 1500",
          control=f"ip link set dcb0 mtu 1500; ip link set dcb0 mtu 9000; {VLAN} mtu 1500 type vlan id 711 && {VLAN_UP}"),
]

ADDRESSES = [
    Fault("ip.address", "ip addr flush dev dcb0 scope global", control="ip addr add 10.0.5.9/24 dev dcb0",
          fix={"ADDRESS": "10.0.0.{guest}/24"}),
    Fault("arp.ignore", f"{ANNOUNCE} && {SHARE}", control=f"{ANNOUNCE} && {IGNORE} && {SHARE}", red=False),
    Fault("arp.announce", f"{IGNORE} && {SHARE}", red=False,
          control=f"sysctl -qw net.ipv4.conf.dcb0.arp_ignore=1 net.ipv4.conf.mgmt0.arp_ignore=2 && {ANNOUNCE} && {SHARE}"),
    Fault("ip.rp-filter", f"{ANNOUNCE} && {IGNORE} && sysctl -qw net.ipv4.conf.all.rp_filter=1 && {SHARE}",
          control="sysctl -qw net.ipv4.conf.all.rp_filter=1", red=False),
    Fault("ip.route-symmetric", "ip route add 10.0.0.2/31 dev mgmt0", control="ip route add 10.0.0.128/25 dev mgmt0"),
    Fault("ip.route-symmetric", "ip rule add from 10.0.0.0/24 unreachable", control="ip rule add from 10.9.0.0/16 unreachable"),
    Fault("ip.neighbor", "ip neighbour replace 10.0.0.77 dev dcb0 nud failed", red=False,
          control="ip neighbour replace 10.0.0.77 dev dcb0 lladdr 52:54:00:00:00:77 nud stale"),
]

PFC = [
    Fault("pfc.lossless-priority", "dcb pfc set dev dcb0 prio-pfc all:off 4:on",
          control="dcb pfc set dev dcb0 prio-pfc all:off; dcb pfc set dev dcb0 prio-pfc 3:on"),
    Fault("pfc.lossless-priority", "dcb pfc set dev dcb0 prio-pfc all:off", control="dcb pfc set dev dcb0 delay 100"),
    Fault("pfc.not-default", "dcb pfc set dev dcb0 prio-pfc all:off 0:on 3:on", control="dcb pfc set dev dcb0 macsec-bypass on"),
    Fault("pfc.only-one", "dcb pfc set dev dcb0 prio-pfc all:off 3:on 4:on", control="dcb pfc set dev dcb0 prio-pfc all:off 3:on",
          red=False),
    Fault("pfc.headroom", "dcb buffer set dev dcb0 prio-buffer all:0", control="dcb buffer set dev dcb0 prio-buffer all:0 3:2 "
          "buffer-size all:0 0:64K 2:128K"),
    Fault("pause.off-with-pfc", "ethtool -A dcb0 rx on tx on", control="ethtool -A dcb0 rx on tx on; ethtool -A dcb0 rx off tx off"),
    Fault("pause.autoneg", "ethtool -A dcb0 autoneg on", control="ethtool -A dcb0 autoneg on; ethtool -A dcb0 autoneg off", red=False),
]

ETS = [
    Fault("ets.rdma-share", "dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", control="dcb ets set dev dcb0 reco-tc-bw all:0 0:90 3:10"),
    Fault("ets.map", "dcb ets set dev dcb0 prio-tc all:0", control="dcb ets set dev dcb0 prio-tc all:0 3:3"),
    Fault("ets.tsa", "dcb ets set dev dcb0 tc-tsa all:strict tc-bw all:0", control="dcb ets set dev dcb0 reco-tc-tsa all:strict",
          red=False),
    Fault("ets.maxrate", "dcb maxrate set dev dcb0 tc-maxrate 3:1gbit", control="dcb maxrate set dev dcb0 tc-maxrate 5:1gbit",
          red=False),
    Fault("dcbx.willing", "dcb ets set dev dcb0 willing on", control="dcb ets set dev dcb0 willing off"),
]

CLASSIFICATION = [
    Fault("map.dscp", "dcb app del dev dcb0 dscp-prio 26:3", control="dcb app add dev dcb0 dscp-prio 24:3"),
    Fault("map.dscp", "dcb app del dev dcb0 dscp-prio 26:3; dcb app add dev dcb0 dscp-prio 26:5", control="dcb app add dev dcb0 dscp-prio 46:5"),
    Fault("map.default-prio", "dcb app add dev dcb0 default-prio 3", control="dcb app add dev dcb0 default-prio 0", red=False),
    Fault("map.duplicates", "dcb app add dev dcb0 dscp-prio 10:0; dcb app add dev dcb0 dscp-prio 10:1", red=False,
          control="dcb app add dev dcb0 dscp-prio 10:0; dcb app add dev dcb0 dscp-prio 12:1"),
    Fault("roce.tos", f"echo 0 > {CONFIGFS_TOS}", subject="rxe0/1 dcb0", control=f"echo 0 > {CONFIGFS_TOS}; echo 106 > {CONFIGFS_TOS}"),
]

HOST = [
    Fault("drv.core-modules", "rmmod rdma_ucm", subject="host", control="rmmod rdma_ucm; modprobe rdma_ucm"),
    Fault("inv.bridge", "modprobe bridge && ip link add br0 type bridge && ip link set dcb0 master br0", red=False,
          control="modprobe bridge && ip link add br0 type bridge && ip link set br0 up"),
    Fault("host.nofile", "prlimit --pid $(cat /run/rdmaready-agent.pid) --nofile=1024:1024", subject="host", red=False,
          control="prlimit --pid $(cat /run/rdmaready-agent.pid) --nofile=1024:65536"),
]



def filtering(rules, policy="accept", before=""):
    """A chain at the input hook of a table of our own."""
    lines = ["table inet t {", before, f"chain in {{ type filter hook input priority 0; policy {policy}", rules, "}", "}"]
    return f"modprobe nf_tables && printf '%s\\n' {' '.join(repr(line) for line in lines)} | nft -f -"


# The guest is commanded, and its agent asked, by mgmt0.
KEPT = "ct state established,related accept; iifname \"mgmt0\" accept"


def firewall(wrong, control):
    return Fault("ip.firewall", wrong, control=control, red=False)


FIREWALL = [
    firewall(filtering("udp dport 4791 drop"), filtering("udp dport 4791 accept; udp dport 4000-5000 drop")),
    firewall(filtering(KEPT, "drop"), filtering(KEPT + "; udp dport 4791 accept", "drop")),
    firewall(filtering("udp dport @s drop", before="set s { type inet_service; flags interval; elements = { 4000-5000 }; }"),
             filtering("iifname \"mgmt0\" udp dport 4791 drop; ct state invalid drop; fib daddr type broadcast drop")),
    firewall(filtering("iifname \"dcb*\" jump roce", before="chain roce { udp dport 4791 reject; }"),
             filtering("jump roce; ip saddr 192.0.2.1 udp dport 53 drop", before="chain roce { return; }")),
    firewall(filtering("udp dport vmap { 53 : accept, 4791 : drop }"), filtering("udp dport vmap { 53 : drop, 4791 : accept }")),
    firewall("iptables-nft -A INPUT -p udp -m multiport --dports 53,4791 -j DROP",
             "iptables-nft -A INPUT -m conntrack --ctstate INVALID -j DROP && iptables-nft -A INPUT -i lo -p udp -j DROP"),
]

SECURITY = [
    Fault("roce.tos-persistent", "rm -f /etc/udev/rules.d/90-rdma-tos.rules", red=False,
          control="touch /etc/udev/rules.d/91-nothing.rules; rm /etc/udev/rules.d/91-nothing.rules"),
    Fault("sec.device-nodes", "modprobe ib_umad && sleep 0.2 && chmod 0666 /dev/infiniband/umad*", subject="host", red=False,
          control="modprobe ib_umad && sleep 0.2 && chmod 0660 /dev/infiniband/umad*"),
    # What heals it wants systemd, which no guest has.
    Fault("sec.agent-caps", f"{AGENT} restart --all-capabilities", subject="host", red=False, control=f"{AGENT} restart", heals=False),
    Fault("sec.netns-shared", "rdma system set netns shared", subject="host", red=False, base="rdma system set netns exclusive",
          control="rdma system set netns shared && rdma system set netns exclusive", profile=str(HERE / "tenants.yaml")),
]

# What the firmware's agent heard of the other end, and whether it decides itself.
FIRMWARE = [
    Fault("dcbx.mode", f"echo on > {NIC}/firmware_lldp", control=f"echo on > {NIC}/firmware_lldp; echo off > {NIC}/firmware_lldp",
          heals=False),
    Fault("pfc.switch-agrees", f"echo 0x10 8 > {NIC}/peer_pfc", control=f"echo 0x08 8 > {NIC}/peer_pfc", heals=False),
    Fault("ets.switch-agrees", f"echo 80,0,0,20,0,0,0,0 0,0,0,3,0,0,0,0 > {NIC}/peer_ets", red=False, heals=False,
          control=f"echo 47,0,0,53,0,0,0,0 0,0,0,3,0,0,0,0 willing > {NIC}/peer_ets"),
    Fault("peer.app-tlv", f"echo 5:26:5 > {NIC}/peer_app", control=f"echo 5:26:3 5:46:5 > {NIC}/peer_app", red=False, heals=False),
]


def announced(id, wrong, control, **others):
    """Frames that the other end of the link sends, while the check listens."""
    return Fault(id, lldp.now(wrong), control=lldp.now(control), base=lldp.BASE, watch=6, at_peer=True, heals=False, **others)


GOOD = lldp.good()
LLDP = [
    announced("pfc.switch-agrees", [lldp.good(pfc=lldp.pfc(4))], [lldp.good(extra=lldp.system_name("leaf1"))]),
    announced("ets.switch-agrees", [lldp.good(ets=lldp.ets(80, 20))], [lldp.good(ets=lldp.ets(48, 52))], red=False),
    announced("peer.app-tlv", [lldp.good(app=lldp.dscp(26, 5))], [lldp.good(app=lldp.dscp(26, 3, 46, 5))], red=False),
    announced("mtu.path", [lldp.good(mtu=lldp.frame_size(1518))], [lldp.good(mtu=lldp.frame_size(9216))], red=False),
    announced("dcbx.one-agent", [GOOD, lldp.frame(2, lldp.cee_pfc(3))], [GOOD, lldp.good(extra=lldp.system_name("leaf7"))],
              both=True),  # who sends so has two agents itself, and hears that
    announced("dcbx.dialect", [lldp.frame(1, lldp.cee_pfc(3))], [lldp.good(ttl=30)], red=False),
]

# What counts while the ports are watched.
COUNTED = [
    Fault("pfc.wrong-prio", f"echo rx_pause 5 12 > {NIC}/counters", control=f"echo rx_pause 3 12 > {NIC}/counters", base=lldp.BASE,
          watch=8, meanwhile=True, heals=False),
    Fault("pause.global-count", f"echo port_rx_pause 7 > {NIC}/counters", control=f"echo rx_marked 3 9 > {NIC}/counters",
          base=lldp.BASE, watch=8, meanwhile=True, red=False, heals=False),
]

# Microsoft's way: a tagged VLAN, three classes, marking by PCP. What brings the guests there is what the tool itself would type.
VLAN_OF_MICROSOFT = (". /run/fabric/conf; modprobe 8021q && ip link add link dcb0 name dcb0.711 type vlan id 711 egress-qos-map 2:3 && "
                     "ip link set dev dcb0.711 up && ip address add 10.7.11.$id/24 dev dcb0.711; ")
MICROSOFT = (f"{VLAN_OF_MICROSOFT}"
             "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets 7:ets tc-bw all:0 0:49 3:50 7:1 prio-tc all:0 3:3 7:7; "
             "dcb app flush dev dcb0 dscp-prio; true")  # dcb's exit status says nothing


def on_a_vlan(id, wrong, control, **others):
    return Fault(id, wrong, control=control, base=MICROSOFT, profile="smb-direct-roce", **others)


VLANS = [
    on_a_vlan("vlan.egress-map", "ip link set dev dcb0.711 type vlan egress-qos-map 2:0",
              "ip link set dev dcb0.711 type vlan egress-qos-map 5:1"),
    on_a_vlan("pfc.not-heartbeat", "dcb pfc set dev dcb0 prio-pfc all:off 3:on 7:on", "dcb pfc set dev dcb0 prio-pfc all:off 3:on"),
    on_a_vlan("ets.three-classes", "dcb ets set dev dcb0 prio-tc 7:0", "dcb ets set dev dcb0 reco-prio-tc 7:0"),
    on_a_vlan("ets.cluster-share", "dcb ets set dev dcb0 tc-bw all:0 0:30 3:50 7:20", "dcb ets set dev dcb0 reco-tc-bw 0:30 3:50 7:20"),
    on_a_vlan("trust.mode", "dcb app add dev dcb0 dscp-prio 26:3", "dcb app add dev dcb0 default-prio 0"),
    on_a_vlan("vlan.present", "ip addr flush dev dcb0.711 scope global; ip addr add 10.9.9.9/24 dev dcb0",
              "ip addr add 10.7.12.9/24 dev dcb0.711", heals=False),
    on_a_vlan("mtu.vlan", "ip link set dcb0.711 mtu 1500", "ip link set dcb0.711 mtu 1500; ip link set dcb0.711 mtu 9000"),
]

# A profile that asks for RDMA and nothing else: what is wrong is wrong beside the other host.
SILENT = str(HERE / "silent.yaml")
AGREEMENT = [
    Fault("agree.pfc", "dcb pfc set dev dcb0 prio-pfc all:off 4:on", control="dcb pfc set dev dcb0 delay 100", profile=SILENT,
          between=True, red=False),
    Fault("agree.ets", "dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", control="dcb ets set dev dcb0 reco-tc-bw all:0 0:90 3:10",
          profile=SILENT, between=True, red=False),
    Fault("agree.marking", f"echo 24 > {CONFIGFS_TOS}", control=f"echo 24 > {CONFIGFS_TOS}; echo 106 > {CONFIGFS_TOS}",
          profile=SILENT, between=True, red=False),
    # The RDMA MTU follows that of the interface, and is not said.
    Fault("agree.netdev-mtu", "ip link set dcb0 mtu 1500", control="ip link set dcb0 mtu 1500; ip link set dcb0 mtu 9000", profile=SILENT,
          between=True, red=False),
    Fault("agree.netdev-mtu", "ip link set dcb0 mtu 4300", control="ip link set dcb0 mtu 4300; ip link set dcb0 mtu 9000",
          profile=SILENT, between=True, red=False),
    Fault("agree.speed", "ethtool -s dcb0 speed 10000 duplex full autoneg off", profile=SILENT, between=True, red=False, heals=False,
          control="ethtool -s dcb0 speed 25000 duplex full autoneg off"),
    Fault("agree.gid", "A=$(ip -o -4 addr show dev dcb0 | awk '{print $4; exit}'); ip addr add 10.9.9.9/24 dev dcb0; "
          "ip addr del $A dev dcb0; ip addr add 10.8.8.8/24 dev dcb0; ip addr add $A dev dcb0; "
          "ip addr del 10.9.9.9/24 dev dcb0; ip addr del 10.8.8.8/24 dev dcb0",
          control="ip addr add 10.9.9.9/24 dev dcb0", profile=SILENT, between=True, red=False, heals=False),
]

ALL = (LINK + MTU + ADDRESSES + PFC + ETS + CLASSIFICATION + HOST + FIREWALL + SECURITY + FIRMWARE + LLDP + COUNTED + VLANS +
       AGREEMENT)

# The checks whose fault is a setting that the applier may write: what is told of two hosts that differ is not, since none is right.
OF_SETTINGS = {
    "mtu.ethernet", "mtu.vlan", "vlan.egress-map", "arp.ignore", "arp.announce", "ip.rp-filter", "pfc.lossless-priority", "pfc.not-default",
    "pfc.only-one", "pfc.not-heartbeat", "pfc.headroom", "pause.off-with-pfc", "pause.autoneg", "ets.rdma-share", "ets.map", "ets.tsa",
    "ets.maxrate", "ets.three-classes", "ets.cluster-share", "dcbx.willing", "map.dscp", "map.default-prio", "map.duplicates", "roce.tos",
    "trust.mode",
}
SETTINGS = [fault for fault in ALL if fault.id in OF_SETTINGS]
