# SPDX-License-Identifier: Apache-2.0
"""What the suites of plan and apply share: what root allows, an independent reading of what is set, and the witness of what is written."""
import contextlib
import pathlib
import subprocess
import time

import fabric
import tool

PROFILE = "virtual-fabric"
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
HERE = pathlib.Path(__file__).resolve().parent
DCBNL, WITNESS = HERE / "dcbnl.py", HERE / "witness.py"
WITNESSED = "/run/witness.log"

# By nothing of rdmaready's.
READ = f"""
for nic in dcb0 dcb0.711; do [ ! -e /sys/class/net/$nic ] || echo mtu $nic $(cat /sys/class/net/$nic/mtu); done
python3 {DCBNL} dcb0 settings
ethtool -a dcb0 | sed -n '/^Auto\\|^RX:\\|^TX:/s/^/pause /p'
ethtool --show-priv-flags dcb0 2> /dev/null | sed 1d
[ ! -e /sys/class/net/dcb0.711 ] || sed -n '/EGRESS/p' /proc/net/vlan/dcb0.711
grep -H . /proc/sys/net/ipv4/conf/{{all,dcb0,mgmt0}}/{{arp_ignore,arp_announce,rp_filter}}
grep -H . /sys/kernel/config/rdma_cm/*/ports/1/*
"""


def in_bash(number, script, name=fabric.NAME):
    return fabric.guest(number, f"bash <<'END_OF_SCRIPT'\n{script}\ntrue\nEND_OF_SCRIPT", name)


def settings(number=1, name=fabric.NAME):
    """All that is set in a guest, a line each."""
    return in_bash(number, READ, name).splitlines()


def fingerprint(number=1, name=fabric.NAME):
    return fabric.guest(number, f"cat {KNOBS}/fingerprint", name).strip()


def digest(profile):
    return tool.rdmaready("profile", "digest", profile).out.split()[0]


class Witness:
    """What the applier of a guest writes into its state and what the kernel tells of DCB, while the block runs. `at`: the applier is stopped
    at the so-manieth of them; it goes on when the test says so, or is killed by it."""

    def __init__(self, number=1, at=0, name=fabric.NAME):
        self.number, self.at, self.name = number, at, name

    def guest(self, script):
        return fabric.guest(self.number, script, self.name)

    def __enter__(self):
        victim = f"{self.at} $(cat {APPLIER_PID})" if self.at else ""
        self.guest(f"rm -f {WITNESSED}; setsid python3 {WITNESS} {STATE} {victim} > {WITNESSED} 2>&1 < /dev/null & echo $! > /run/witness.pid; "
                   f"for i in $(seq 200); do grep -q ready {WITNESSED} && exit; sleep 0.05; done; cat {WITNESSED}; false")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(AssertionError):
            self.guest("kill $(cat /run/witness.pid) 2> /dev/null; :")

    def events(self):
        """(nanoseconds of the guest's clock, kind, what)"""
        lines = [line.split(" ", 2) for line in self.guest(f"cat {WITNESSED}").splitlines() if line[:1].isdigit()]
        return [(int(at), kind, what) for at, kind, what in lines]

    def stopped(self, process, patience_s=60):
        """Whether the applier was stopped before the process ended."""
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            if "stopped" in self.guest(f"grep stopped {WITNESSED} || :"):
                return True
            if process.poll() is not None:
                return "stopped" in self.guest(f"grep stopped {WITNESSED} || :")
        return False

    def go_on(self):
        self.guest(f"kill -CONT $(cat {APPLIER_PID})")
