# SPDX-License-Identifier: Apache-2.0
"""Settings that a program of the host keeps, and these programs: how each is given a wrong value, made to write it again, and corrected by a
person who follows a printed remedy. They run in a guest that boots systemd."""
import collections
import dataclasses
import re

ADDRESS, MTU, TOS = "10.0.0.1/24", 9000, 106
TOS_FILE = "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"
LLDPAD_ETS = "ETS-CFG enableTx=yes willing={willing} tsa=0:ets,1:strict,2:strict,3:ets,4:strict,5:strict,6:strict,7:strict " \
    "up2tc=0:0,1:0,2:0,3:3,4:0,5:0,6:0,7:0 tcbw={shares}"

# Whether the NIC has the PFC that lldpad keeps. False as long as lldpad does not answer: ice has no PFC at all then.
SAME_PFC = "[ \"$(dcb pfc show dev dcb0 prio-pfc | grep -o '[0-7]:on' | cut -c1)\" = " \
    "\"$(lldptool -t -i dcb0 -V PFC | sed -n 's/.*PFC enabled: //p' | grep -o '[0-7]' || echo none)\" ]"


@dataclasses.dataclass(frozen=True)
class Kind:
    check: str                 # that names the fault
    wrong: str = ""            # the shell line that makes it; empty: it is the absence of the setting
    right: str = ""            # before the fault; empty: as every run begins
    base: str = ""             # shell, before everything
    lldpad: tuple = ()         # arguments of `lldptool -T -i dcb0 -V`, right and wrong
    network_manager: tuple = ()  # arguments of `nmcli connection modify storage`, right and wrong
    networkd: tuple = ()       # a line of storage.network, right and wrong
    boot: str = "unit"         # the file of a boot that has it: unit, sysctl, or none
    without: tuple = ()        # personalities whose driver does not take the wrong value


KINDS = {
    "pfc": Kind("pfc.lossless-priority", "dcb pfc set dev dcb0 prio-pfc all:off 4:on",
                lldpad=("PFC enableTx=yes willing=no enabled=3", "PFC enableTx=yes willing=no enabled=4")),
    "ets": Kind("ets.rdma-share", "dcb ets set dev dcb0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:90 3:10",
                lldpad=(LLDPAD_ETS.format(willing="no", shares="50,0,0,50,0,0,0,0"), LLDPAD_ETS.format(willing="no", shares="90,0,0,10,0,0,0,0"))),
    "willing": Kind("dcbx.willing", "dcb ets set dev dcb0 willing on", without=("mlx5", "mlx5-dscp", "bnxt"),
                    lldpad=(LLDPAD_ETS.format(willing="no", shares="50,0,0,50,0,0,0,0"), LLDPAD_ETS.format(willing="yes", shares="50,0,0,50,0,0,0,0"))),
    # A second row of DSCP stays: when the last one goes, ice sets its classes to the defaults.
    "app": Kind("map.dscp", "dcb app add dev dcb0 dscp-prio 9:1; dcb app del dev dcb0 dscp-prio 26:3; dcb app add dev dcb0 dscp-prio 26:5; "
                            "dcb app del dev dcb0 dscp-prio 9:1",
                lldpad=("APP app=3,5,26", "APP app=5,5,26")),
    "mtu": Kind("mtu.ethernet", "ip link set dev dcb0 mtu 1500", network_manager=("802-3-ethernet.mtu 9000", "802-3-ethernet.mtu 1500"),
                networkd=("MTUBytes=9000", "MTUBytes=1500")),
    "address": Kind("ip.address", "ip address flush dev dcb0 scope global", boot="none",
                    network_manager=(f"ipv4.method manual ipv4.addresses {ADDRESS}", "ipv4.method disabled ipv4.addresses ''"),
                    networkd=(f"Address={ADDRESS}", "#")),
    "pause": Kind("pause.off-with-pfc", "ethtool -A dcb0 autoneg off rx on tx on", without=("ice",),
                  network_manager=("ethtool.pause-autoneg off ethtool.pause-rx off ethtool.pause-tx off",
                                   "ethtool.pause-autoneg off ethtool.pause-rx on ethtool.pause-tx on")),
    "arp": Kind("arp.ignore", "sysctl -qw net.ipv4.conf.dcb0.arp_ignore=0", boot="sysctl",
                base="ip address add 10.0.0.77/24 dev eth0; for nic in dcb0 eth0; do "
                     "sysctl -qw net.ipv4.conf.$nic.arp_ignore=2 net.ipv4.conf.$nic.arp_announce=2; done"),
    "tos": Kind("roce.tos", f"echo 24 > {TOS_FILE}"),
}


class Owner:
    """Of none: a setting that the kernel alone keeps."""
    name = "nobody"
    programs = ()  # that the guest must have

    def __init__(self, shell):
        self.shell = shell

    @staticmethod
    def keeps(kind):
        return bool(KINDS[kind].wrong)

    def begin(self, kind):
        """It runs, and has the right value."""

    def wrong(self, kind):
        self.shell(KINDS[kind].wrong)

    def write_again(self):
        """Returns when it has written its settings once more."""

    def follow(self, kind, action, commands):
        """What a person does whom a step in words sends to this owner. `commands` are the printed ones. Returns whether the step names it."""
        return False

    def end(self):
        """It does not run, and holds nothing."""


class Lldpad(Owner):
    name = "lldpad"
    programs = ("lldpad", "lldptool")

    @staticmethod
    def keeps(kind):
        return bool(KINDS[kind].lldpad)

    def set(self, arguments):
        self.shell(f"lldptool -T -i dcb0 -V {arguments} > /dev/null")

    def wait(self):
        """Until it has written: some seconds after its start, and later where the driver takes the link down for a setting."""
        self.shell(f"for i in $(seq 120); do {SAME_PFC} && sleep 0.5 && exit; sleep 0.5; done; exit 1")

    def begin(self, kind):
        # No other program sets that priority.
        self.shell("dcb pfc set dev dcb0 prio-pfc all:off 6:on; systemctl start lldpad.socket lldpad.service && "
                   "until lldptool -i dcb0 -L adminStatus=rxtx > /dev/null; do sleep 0.2; done")
        for one in ("pfc", "ets", "app"):
            self.set(KINDS[one].lldpad[0])
        self.wait()

    def wrong(self, kind):
        if kind == "app":
            self.set(f"APP -d {KINDS[kind].lldpad[0].removeprefix('APP ')}")
        self.set(KINDS[kind].lldpad[1])

    def write_again(self):
        self.shell("dcb pfc set dev dcb0 prio-pfc all:off 6:on; systemctl restart lldpad")
        self.wait()

    def end(self):
        self.shell("systemctl stop lldpad.service lldpad.socket; rm -f /var/lib/lldpad/lldpad.conf")


class NetworkManager(Owner):
    name = "NetworkManager"
    programs = ("NetworkManager", "nmcli")

    @staticmethod
    def keeps(kind):
        return bool(KINDS[kind].network_manager)

    def begin(self, kind):
        self.shell("systemctl start NetworkManager && nmcli connection add type ethernet ifname dcb0 con-name storage "
                   f"802-3-ethernet.mtu {MTU} ipv4.method manual ipv4.addresses {ADDRESS} ipv6.method disabled > /dev/null")
        self.write_again()

    def wrong(self, kind):
        self.shell(f"nmcli connection modify storage {KINDS[kind].network_manager[1]}")
        self.write_again()

    def write_again(self):
        self.shell("nmcli connection up storage > /dev/null")

    def end(self):
        self.shell("nmcli connection delete storage > /dev/null; systemctl stop NetworkManager")


class Networkd(Owner):
    name = "systemd-networkd"
    programs = ("networkctl",)
    file = "/etc/systemd/network/10-storage.network"

    @staticmethod
    def keeps(kind):
        return bool(KINDS[kind].networkd)

    def write(self, lines):
        """The right lines, but for those that are given."""
        lines = {kind: KINDS[kind].networkd[0] for kind in KINDS if self.keeps(kind)} | lines
        text = ["[Match]", "Name=dcb0", "[Link]", lines["mtu"], "[Network]", lines["address"], "LinkLocalAddressing=no", "IPv6AcceptRA=no"]
        self.shell(f"printf '%s\\n' {' '.join(repr(line) for line in text)} > {self.file}")

    def begin(self, kind):
        self.write({})
        self.shell("systemctl start systemd-networkd")
        self.write_again()

    def wrong(self, kind):
        self.write({kind: KINDS[kind].networkd[1]})
        self.write_again()

    def write_again(self):
        # Until it has set the MTU that the file names.
        self.shell("ip link set dev dcb0 mtu 8998 && networkctl reload && networkctl reconfigure dcb0 && "
                   "for i in $(seq 100); do [ $(cat /sys/class/net/dcb0/mtu) = 8998 ] || exit 0; sleep 0.2; done; exit 1")
        self.shell("for i in $(seq 100); do networkctl --no-legend list dcb0 | grep -qw configured && exit; sleep 0.2; done; exit 1")

    def follow(self, kind, action, commands):
        if self.file not in action:
            return False
        self.write({})
        return True

    def end(self):
        self.shell(f"systemctl stop systemd-networkd.socket systemd-networkd; rm -f {self.file}")


class BootUnit(Owner):
    """A oneshot unit of the site, or a file of /etc/sysctl.d."""
    name = "boot unit"
    files = {"unit": "/etc/systemd/system/site-rdma.service", "sysctl": "/etc/sysctl.d/99-site.conf"}
    again = {"unit": "systemctl restart site-rdma", "sysctl": "systemctl restart systemd-sysctl"}

    def __init__(self, shell):
        super().__init__(shell)
        self.boot = "unit"

    @staticmethod
    def keeps(kind):
        return KINDS[kind].boot != "none"

    def write(self, commands):
        if self.boot == "sysctl":
            lines = [re.sub(r"sysctl -q?w ", "", command) for command in commands]
        else:
            lines = ["[Unit]", "Description=Settings of the site", "[Service]", "Type=oneshot", "RemainAfterExit=yes",
                     # iproute2's dcb may say that it failed where it did not.
                     *(f"ExecStart=-/bin/sh -c '{command}'" for command in commands), "[Install]", "WantedBy=multi-user.target"]
        text = "\n".join(lines)
        self.shell(f"cat > {self.files[self.boot]} <<'END'\n{text}\nEND\nsystemctl daemon-reload; "
                   f"[ {self.boot} = sysctl ] || systemctl -q enable site-rdma")

    def begin(self, kind):
        self.boot = KINDS[kind].boot
        self.write([] if self.boot == "sysctl" else ["true"])
        self.write_again()

    def wrong(self, kind):
        self.write([KINDS[kind].wrong])
        self.write_again()

    def write_again(self):
        self.shell(self.again[self.boot])

    def follow(self, kind, action, commands):
        if self.files[self.boot] not in action:
            return False
        self.write(commands)
        return True

    def end(self):
        self.shell(f"systemctl -q disable --now site-rdma 2> /dev/null; rm -f {' '.join(self.files.values())}; systemctl daemon-reload")


OWNERS = {owner.name: owner for owner in (Owner, Lldpad, NetworkManager, Networkd, BootUnit)}
PERSONALITIES = ("plain", "mlx5", "mlx5-dscp", "bnxt", "ice")


def pairs_of(run):
    return {(run[0], run[1]), (run[0], run[2]), (run[1], run[2])}


def runs():
    """(kind, personality, owner): each kind with each personality, each with each owner that can keep it, each personality with each owner. It
    takes the run with most new pairs, of those one of the owner that has fewest runs, and the first of those."""
    possible = [(kind, personality, owner) for kind in KINDS for personality in PERSONALITIES for owner in OWNERS
                if OWNERS[owner].keeps(kind) and (personality not in KINDS[kind].without or OWNERS[owner] is Lldpad)]
    missing = set().union(*map(pairs_of, possible))
    chosen = []
    while missing:
        owners = collections.Counter(owner for _, _, owner in chosen)
        best = max(possible, key=lambda run: (len(pairs_of(run) & missing), -owners[run[2]]))
        chosen.append(best)
        missing -= pairs_of(best)
    return chosen


# Measured for a run with that owner.
SECONDS = {"lldpad": 47, "boot unit": 29, "NetworkManager": 22, "systemd-networkd": 14, "nobody": 6}


def slices_of(all_runs, parts):
    """The runs in so many slices that take about the same time: the longest first, each to the slice that has least to do."""
    dealt = [[] for _ in range(parts)]
    for run in sorted(all_runs, key=lambda run: -SECONDS[run[2]]):
        min(dealt, key=lambda part: sum(SECONDS[other] for _, _, other in part)).append(run)
    return dealt
