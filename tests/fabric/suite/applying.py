# SPDX-License-Identifier: Apache-2.0
"""What the suites of plan and apply share: what root allows, an independent reading of what is set, and the witness of what is written."""
import json
import pathlib
import tempfile

import fabric
import tool
from eventually import eventually

PROFILE = "virtual-fabric"
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
HERE = pathlib.Path(__file__).resolve().parent
APPLIER_PID = "/run/rdmaready-applier.pid"
SOCKET = "/run/rdmaready/helpers/applier.sock"
LOG = "/run/rdmaready-applier.log"
STATE = "/var/lib/rdmaready-applier"
FILE = "/etc/rdmaready/apply.yaml"
WITNESSED = "/run/witness.log"

# Of two commands: `dcb app replace` does half of it when the clock's second changes in between (tests/fabric/README.md).
WRONG_APP = "dcb app del dev dcb0 dscp-prio 26:3; dcb app add dev dcb0 dscp-prio 26:5"

# By nothing of rdmaready's.
READ = f"""
for nic in dcb0 dcb0.711; do [ ! -e /sys/class/net/$nic ] || echo mtu $nic $(cat /sys/class/net/$nic/mtu); done
python3 /run/dcbnl.py dcb0 settings
ethtool -a dcb0 | sed -n '/^Auto\\|^RX:\\|^TX:/s/^/pause /p'
ethtool --show-priv-flags dcb0 2> /dev/null | sed 1d
[ ! -e /proc/net/vlan/dcb0.711 ] || sed -n '/EGRESS/p' /proc/net/vlan/dcb0.711
grep -H . /proc/sys/net/ipv4/conf/{{all,dcb0,mgmt0}}/{{arp_ignore,arp_announce,rp_filter}}
grep -H . /sys/kernel/config/rdma_cm/*/ports/1/*
"""


def digest(profile):
    return tool.rdmaready("profile", "digest", profile).out.split()[0]


def permission(ports=("dcb*", "mgmt0", "host"), kinds=("all",), listed=(PROFILE,), least_s=2, more=""):
    """The text of apply.yaml."""
    lines = [f"ports: {json.dumps(list(ports))}", f"settings: {json.dumps(list(kinds))}", "profiles:" if listed else "profiles: []",
             *(f"  - {{sha256: {digest(profile)}, name: {pathlib.Path(profile).stem}}}" for profile in listed),
             f"confirm_within: {{least: {least_s}, most: 600}}", "changes: {most_per_hour: 1000}", more]
    return "\n".join(lines)


def put(number, path, text, name=fabric.NAME):
    fabric.guest(number, f"mkdir -p $(dirname {path}); cat > {path} <<'END_OF_FILE'\n{text}\nEND_OF_FILE", name)


def allow(number, name=fabric.NAME, **what):
    put(number, FILE, permission(**what), name)
    fabric.guest(number, f"chown root:root {FILE}; chmod 644 {FILE}", name)


def prepare(number, name=fabric.NAME):
    """The programs that these suites want in a guest, as they are now."""
    for program in ("dcbnl.py", "dcb_netlink.py", "witness.py"):
        put(number, f"/run/{program}", (HERE / program).read_text(), name)


def folder_of_profiles(add_cleanup, profiles):
    """A directory with these YAML files, by name."""
    folder = tempfile.TemporaryDirectory(prefix="rdmaready profiles ")
    add_cleanup(folder.cleanup)
    for name, text in profiles.items():
        (pathlib.Path(folder.name) / f"{name}.yaml").write_text(text)
    return pathlib.Path(folder.name)


def bring_up():
    hosts = fabric.bring_up()
    fabric.put_right()
    for number in hosts:
        prepare(number)
    return hosts


def in_bash(number, script, name=fabric.NAME):
    return fabric.guest(number, f"bash <<'END_OF_SCRIPT'\n{script}\ntrue\nEND_OF_SCRIPT", name)


def settings(number=1, name=fabric.NAME):
    """All that is set in a guest, a line each."""
    return in_bash(number, READ, name).splitlines()


def fingerprint(number=1, name=fabric.NAME):
    return fabric.guest(number, f"cat {KNOBS}/fingerprint", name).strip()


class Outcome:
    """What a command that changes a host said of it, its words in both outputs."""

    def __init__(self, answer):
        self.answer, self.status = answer, answer.status
        self.words = answer.out + answer.err
        host = answer.json["hosts"][0] if answer.out.strip() else {}
        self.error = host.get("error", "")
        change = host.get("change") or {}
        self.id, self.state = change.get("id", ""), change.get("state", "" if host.get("error") else "nothing-to-do")
        self.steps, self.proof, self.change = change.get("steps", []), change.get("proof", {}), change

    def __str__(self):
        """What matters of it."""
        change = self.change
        steps = [f"{step['state']} {step['step']['object']} {step['text']}" for step in self.steps]
        return f"exit {self.status}, {self.state}: {change.get('reason')}; {steps}; {change.get('proof')}; {self.error}{self.answer.err}"


def plan(host, profile=PROFILE):
    return tool.rdmaready("plan", host, "--profile", profile, "--output", "json").json["hosts"][0]["plan"]


def command(host, *options):
    profile = () if "--profile" in options else ("--profile", PROFILE)
    return ("apply", host, "--yes", "--output", "json", *profile, *options)


def apply(host, *options):
    return Outcome(tool.rdmaready(*command(host, *options)))


def finished(running):
    return Outcome(tool.finish(running))


def settle(verb, host, change):
    return Outcome(tool.rdmaready(verb, host, "--output", "json", *(["--change", change] if change else [])))


def confirm(host, change=""):
    return settle("confirm", host, change)


def rollback(host, change=""):
    return settle("rollback", host, change)


def forget(host):
    return tool.rdmaready("forget", host, "--output", "json")


def status(host):
    """What the applier has to say; its changes, newest first."""
    return tool.rdmaready("forget", host, "--list", "--output", "json").json["hosts"][0]["applier"]


def nothing_is_open(said):
    return said and not [change for change in said["changes"] if change["state"] in ("writing", "proving", "awaiting-confirm")]


def until_nothing_is_open(host, patience_s=60):
    """Also of an applier that starts just now."""
    eventually(lambda: status(host), nothing_is_open, patience_s)


class Witness:
    """What the applier of a guest writes into its state and what the kernel tells of DCB, while the block runs. `at`: the applier is stopped
    at the so-manieth of them, of the kind `of` if there is one; it goes on when the test says so, or is killed by it."""

    def __init__(self, number=1, at=0, of="any", name=fabric.NAME):
        self.number, self.at, self.of, self.name = number, at, of, name

    def guest(self, script):
        return fabric.guest(self.number, script, self.name)

    def __enter__(self):
        stop = f"{self.of} {self.at} $(cat {APPLIER_PID})" if self.at else ""
        self.guest(f"rm -f {WITNESSED}; setsid python3 /run/witness.py {STATE} {stop} > {WITNESSED} 2>&1 < /dev/null & echo $! > /run/witness.pid; "
                   f"for i in $(seq 200); do grep -q ready {WITNESSED} && exit; sleep 0.05; done; cat {WITNESSED}; false")
        return self

    def __exit__(self, *_):
        self.guest("kill $(cat /run/witness.pid) 2> /dev/null; :")

    def events(self):
        """(nanoseconds of the guest's clock, kind, what)"""
        lines = [line.split(" ", 2) for line in self.guest(f"cat {WITNESSED}").splitlines() if line[:1].isdigit()]
        return [(int(at), kind, what) for at, kind, what in lines]

    def stopped(self, process, patience_s=60):
        """Whether the applier is stopped; not when the process ended without."""
        def look():
            ended = process.poll() is not None  # before the look at the guest
            return bool(self.guest(f"grep stopped {WITNESSED} || :")), ended

        return eventually(look, any, patience_s)[0]

    def go_on(self):
        self.guest(f"kill -CONT $(cat {APPLIER_PID})")
        self.__exit__()


def stopped_at_dcb(number, host, at, *options):
    """An apply whose applier is stopped at its so-manieth DCB setting, which the kernel has; and the witness, to let it go on."""
    witness = Witness(number, at, "dcb")
    witness.__enter__()
    running = tool.start(*command(host, *options))
    if not witness.stopped(running):
        raise AssertionError(f"not stopped: {tool.finish(running)}")
    return running, witness
