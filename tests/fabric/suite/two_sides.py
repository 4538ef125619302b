# SPDX-License-Identifier: Apache-2.0
"""Faults between two hosts, as data: what is done, what a check of both must say, at which host, within which time, and what a person fills in
where the printed repair has a word in capitals."""
import dataclasses
import pathlib

A, B = 1, 2  # guests
PAIR = "pair"
# Two hosts that differ where no profile says which one is right: one cause, wherever it is printed.
EITHER = (A, B, PAIR)
HERE = pathlib.Path(__file__).resolve().parent

# A connection that nobody answers is given up after so many seconds (connect_limit in agent/transfer/run.h). Three quarters of them are for the
# address of the peer's NIC, which nobody has on another VLAN (agent/link/verbs_setup.cc).
CONNECT_S = 6
RESOLVE_S = CONNECT_S * 3 / 4
# Where one direction reached nobody, the other one is tried for so long (kShortPatience and kUntilPortIsFree in cli/fleet/pair_engine.cc).
SHORT_S = 2.8
# Seconds of a machine that has nothing else to do: after the first connection that was refused or given up; and where connections pass, and all of the
# traffic is tried.
REFUSED_S, TRAFFIC_S = 10, 30
# A whole check to level peer of two hosts that are well takes so long there (18 to 20 s were seen).
HEALED_S = 20
# A transfer that never gets an acknowledgement: six retries of 0.54 s (kAckTimeout in agent/link/link.h), and rxe's own wait for a read.
# Two reads and two writes of one direction end like that where their packets are too large for the peer.
DEAD_S = 4 * 4.5


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str                    # one of KINDS
    name: str                    # of this variant, unique
    ids: str                     # regular expression of the finding's id; of an agent that is away there is none
    at: tuple                    # where the one red cause may be printed
    words: tuple                 # regular expressions that what was seen and its repair must match
    wrong: tuple = ()            # (guest, shell line) in turn
    launch: tuple = ()           # verbs of the launcher, each a tuple of words
    undo: tuple = ()             # (guest, shell line): what a reset does not undo
    repair: tuple = ()           # verbs of the launcher that do what the repair asks for where no guest can: a cable, a unit of systemd
    fill_in: dict = dataclasses.field(default_factory=dict)  # word in capitals: {guest: value}
    profile: str = "virtual-fabric"
    level: str = "peer"
    waits: float = 0             # seconds that the product waits by design, however fast the machine is
    seconds: int = REFUSED_S     # for all else
    compared: bool = False       # the settings of both show it without traffic: level host says it too


# The twelve: the firewall counts once for both sides.
KINDS = ("vlan", "tag", "address", "subnet", "firewall", "mtu", "gid", "mark", "pfc", "route", "agent", "cable")

NEW_ADDRESS = {A: "10.0.0.11/24", B: "10.0.0.21/24"}
SILENT = str(HERE / "silent.yaml")
VLAN_711 = str(HERE / "vlan711.yaml")
ROCE_MODE = "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_mode"
FLUSH = "ip address flush dev dcb0 scope global"


def tagged(vlan, guest):
    """The storage address on a VLAN instead of on the NIC."""
    name = f"dcb0.{vlan}"
    return (f"modprobe 8021q && {FLUSH} && ip link add link dcb0 name {name} type vlan id {vlan} egress-qos-map 2:3 && "
            f"ip link set dev {name} up && ip address add 10.0.0.{guest}/24 dev {name}")


def readdressed(address):
    return f"{FLUSH} && ip address add {address} dev dcb0"


def nft(rule, policy="accept"):
    lines = ["table inet t {", f"chain in {{ type filter hook input priority 0; policy {policy}", rule, "}", "}"]
    return f"modprobe nf_tables && printf '%s\\n' {' '.join(repr(line) for line in lines)} | nft -f -"


def firewall(name, guest, rule):
    return Fault("firewall", name, r"ip\.firewall", (guest,), ("UDP 4791", "nft 'insert rule .* 4791 accept'"), wrong=((guest, rule),),
                 waits=CONNECT_S)


# A guest is commanded, and its agent asked, by mgmt0.
KEPT = 'ct state established,related accept; iifname "mgmt0" accept'

VLANS = [
    Fault("vlan", "VLAN 711 on A, 712 on B", r"agree\.vlan", EITHER, (r"VLAN 711\b", r"VLAN 712\b"),
          wrong=((A, tagged(711, A)), (B, tagged(712, B))),
          waits=RESOLVE_S, compared=True, fill_in={"ADDRESS": NEW_ADDRESS, "VLAN": {A: "712", B: "711"}}),
    Fault("vlan", "VLAN 712 on B where the profile has 711", r"vlan\.id", (B,), (r"VLAN 712\b", r"\b711\b"),
          wrong=((A, tagged(711, A)), (B, tagged(712, B))), waits=RESOLVE_S, profile=VLAN_711, fill_in={"ADDRESS": NEW_ADDRESS}),
    Fault("tag", "no VLAN on A, VLAN 711 on B", r"agree\.vlan", EITHER, (r"VLAN 711\b", "(?i)untagged|no VLAN"),
          wrong=((B, tagged(711, B)),), waits=RESOLVE_S, compared=True, fill_in={"ADDRESS": NEW_ADDRESS, "VLAN": {A: "711"}}),
    Fault("tag", "no VLAN on B where the profile has 711", r"vlan\.present", (B,), ("(?i)untagged|no VLAN", r"\b711\b"),
          wrong=((A, tagged(711, A)),), waits=RESOLVE_S, profile=VLAN_711, fill_in={"ADDRESS": NEW_ADDRESS}),
]

ADDRESSES = [
    Fault("address", "B has the address of A and no other", r"agree\.address", EITHER, (r"10\.0\.0\.1\b",),
          wrong=((B, readdressed("10.0.0.1/24")),), compared=True, fill_in={"ADDRESS": NEW_ADDRESS}),
    Fault("address", "B has the address of A besides its own", r"agree\.address", EITHER, (r"10\.0\.0\.1\b",),
          wrong=((B, "ip address add 10.0.0.1/24 dev dcb0"),), compared=True, fill_in={"ADDRESS": NEW_ADDRESS}),
    Fault("subnet", "another network on B", r"peer\.\S+|agree\.\w+", EITHER, (r"10\.0\.0\.1/24", r"10\.0\.1\.2/24"),
          wrong=((B, readdressed("10.0.1.2/24")),), fill_in={"ADDRESS": {A: "10.0.1.11/24", B: "10.0.0.21/24"}}),
    Fault("subnet", "a longer prefix on B", r"peer\.\S+|agree\.\w+", EITHER, (r"10\.0\.0\.1/24", r"10\.0\.0\.130/25"),
          wrong=((B, readdressed("10.0.0.130/25")),), fill_in={"ADDRESS": {A: "10.0.0.131/25", B: "10.0.0.21/24"}}),
]

FIREWALLS = [
    firewall("nftables on A drops UDP 4791", A, nft("udp dport 4791 drop")),
    firewall("nftables on B drops UDP 4791", B, nft("udp dport 4791 drop")),
    firewall("nftables on B accepts nothing but what is named", B, nft(KEPT, "drop")),
    firewall("iptables on A drops UDP 4791", A, "iptables-nft -A INPUT -p udp -m udp --dport 4791 -j DROP"),
]

SETTINGS = [
    Fault("mtu", "MTU 1500 on B", r"mtu\.ethernet", (B,), (r"\b1500\b", r"ip link set dev dcb0 mtu 9000"),
          wrong=((B, "ip link set dev dcb0 mtu 1500"),), seconds=TRAFFIC_S, waits=DEAD_S),
    Fault("mtu", "MTU 1500 on B, and no profile says which", r"mtu\.pair|agree\.mtu", EITHER, (r"\b1024\b", r"\b4096\b"),
          wrong=((B, "ip link set dev dcb0 mtu 1500"),), profile=SILENT, seconds=TRAFFIC_S, waits=DEAD_S, fill_in={"MTU": {A: "1500", B: "9000"}}),
    # A file in the place of the kernel's: rxe has no RoCE v1, so the kernel does not take it.
    Fault("gid", "RDMA-CM of B begins with RoCE v1", r"gid\.default-mode", (B,), ("RoCE v1", "echo .*RoCE v2"),
          wrong=((B, f"echo 'IB/RoCE v1' > /run/mode && mount --bind /run/mode {ROCE_MODE}"),), undo=((B, f"umount {ROCE_MODE}"),),
          seconds=TRAFFIC_S),
    Fault("gid", "GIDs of IPv6 alone on B", r"peer\.\S+|agree\.\w+", EITHER, (r"10\.0\.0\.1\b", r"fd00::2\b"),
          wrong=((B, f"{FLUSH}; ip -6 address add fd00::2/64 dev dcb0 nodad"),),
          fill_in={"ADDRESS": {A: "fd00::11/64", B: "10.0.0.21/24"}}),
    Fault("mark", "another ToS on B", r"roce\.tos", (B,), (r"\b24\b", r"echo 106 > \S+/default_roce_tos"),
          wrong=((B, "echo 24 > /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"),), seconds=TRAFFIC_S),
    Fault("mark", "DSCP 26 to priority 0 on B", r"map\.dscp", (B,), (r"\b26\b", "dcb app (replace|add) dev dcb0 dscp-prio 26:3"),
          wrong=((B, "dcb app del dev dcb0 dscp-prio 26:3; dcb app add dev dcb0 dscp-prio 26:0; :"),), seconds=TRAFFIC_S),
    Fault("pfc", "PFC on priority 4 of B", r"pfc\.lossless-priority", (B,), ("PFC on 4", "dcb pfc set dev dcb0 prio-pfc all:off 3:on"),
          wrong=((B, "dcb pfc set dev dcb0 prio-pfc all:off 4:on; :"),), seconds=TRAFFIC_S),
]

ROUTES = [
    Fault("route", "the route of the storage subnet is gone from B", r"ip\.route-symmetric", (B,),
          (r"10\.0\.0\.", "ip route (add|replace)"), wrong=((B, "ip route del 10.0.0.0/24 dev dcb0"),)),
    Fault("route", "a rule of B sends the storage subnet nowhere", r"ip\.route-symmetric", (B,), ("unreachable", "ip r"),
          wrong=((B, "ip rule add from 10.0.0.0/24 unreachable"),)),
    Fault("route", "a blackhole for A on B", r"ip\.route\S*|peer\.\S+|agree\.\w+", (B, PAIR),
          (r"10\.0\.0\.1\b", r"(?i)blackhole|no route|unreachable"), wrong=((B, "ip route add blackhole 10.0.0.1/32"),),
          waits=CONNECT_S, undo=((B, "ip route del blackhole 10.0.0.1/32 2> /dev/null; :"),)),
]

AWAY = [
    Fault("agent", "the agent of B is stopped", "", (B,), ("systemctl (re)?start rdmaready-agent",),
          launch=(("agent", B, "stop"),), repair=(("agent", B, "start"),)),
    Fault("cable", "the cable of B is pulled", r"link\.state", (B,), ("(?i)cable",),
          launch=(("fault", B, "link", "down"),), repair=(("fault", B, "link", "up"),)),
    Fault("cable", "the interface of B is down", r"link\.state", (B,), ("ip link set dev dcb0 up",), wrong=((B, "ip link set dev dcb0 down"),)),
]

ALL = VLANS + ADDRESSES + FIREWALLS + SETTINGS + ROUTES + AWAY

# One wrong thing of one host that shows in every live test; and what no fact of either host explains: the switch drops all.
BESIDE = [
    Fault("memlock", "little lockable memory on B", r"host\.memlock", (B,), ("64 KiB",), launch=(("agent", B, "restart", "--memlock", 65536),)),
    Fault("unreachable", "nothing of B passes the switch", r"peer\.\S+", (PAIR,), ("(?i)not reachable|unreachable|answer",),
          launch=(("fault", B, "netem", "loss 100%"),), repair=(("fault", B, "netem", "off"),), level="smb-direct", waits=CONNECT_S + SHORT_S),
]
