# SPDX-License-Identifier: Apache-2.0
"""The printed repairs of settings that a program of the host keeps, typed as they are printed, on each kind of NIC: the check passes after them,
nothing else becomes red, and the program does not undo them. A commit runs a slice; soak runs all, a quarter of an hour."""
import dataclasses
import json
import os
import time
import unittest

import owners
import slices
from eventually import eventually
from owners import KINDS, OWNERS
from service import Host

PROFILE = "virtual-fabric"
# A person replaces these words of a printed command.
WORDS = {"ADDRESS": owners.ADDRESS}
# Slices that a commit chooses among: each is over in a minute and a half, and all together have every run once.
SLICES = 40
if not os.environ.get("RDMAREADY_RUNS"):
    load_tests = slices.turns(2, 5)
HOST = None


def chosen():
    """A slice of the runs; by hand those that hold each word in RDMAREADY_RUNS."""
    words = os.environ.get("RDMAREADY_RUNS", "").split()
    if words:
        return [run for run in owners.runs() if all(word in run for word in words)]
    at = slices.chosen("repairs", SLICES)
    return owners.runs() if at is None else owners.slices_of(owners.runs(), SLICES)[at]


def setUpModule(may_reboot=False):
    global HOST
    HOST = Host("repairs", may_reboot=may_reboot, managers=True)
    unittest.addModuleCleanup(HOST.end)
    HOST.install()
    HOST.own_execd()
    # NetworkManager manages Ethernet ports, and of this host the storage port alone.
    HOST.shell("echo off > /sys/kernel/debug/dcbnic/dcb0/link_kind; mkdir -p /etc/NetworkManager/conf.d && "
               "printf '%s\\n' [main] 'no-auto-default=*' [keyfile] unmanaged-devices=except:interface-name:dcb0 > /etc/NetworkManager/conf.d/fabric.conf")


def remedy_lines(finding):
    remedy = finding["remedy"]
    steps = [step.get("command") or f"({step['action']})" for step in remedy["steps"]]
    return "\n".join([f"    owner: {remedy.get('owner', '')}", *(f"    caution: {text}" for text in remedy.get("cautions", [])),
                      *(f"    step: {text}" for text in steps)])


@dataclasses.dataclass(repr=False)
class Said:
    """What a check tells a person: findings by id."""
    findings: dict

    def __repr__(self):
        return repr(sorted(self.findings))

    def told(self):
        return set(self.findings)

    def red(self):
        return {name for name, found in self.findings.items() if found["outcome"] != "warn"}


def check():
    found = HOST.report("--profile", PROFILE)["hosts"][0]["findings"]
    return Said({one["id"]: one for one in found if one["outcome"] in ("fail", "unknown", "warn")})


def type_in(command):
    """As root types it. The exit status of iproute2 6.1's dcb says nothing."""
    for word, value in WORDS.items():
        command = command.replace(word, value)
    status, out, errors = HOST.guest.run(["sh", "-c", command])
    if status != 0 and not command.startswith("dcb "):
        raise AssertionError(f"{command}: exit {status}\n{out}{errors}")


class Runs(unittest.TestCase):
    maxDiff = None

    @staticmethod
    def begin(personality, kind):
        """The NIC as the profile wants it: by the commands that the plan prints for a new NIC of that kind."""
        HOST.shell(f"echo {personality} > /sys/kernel/debug/dcbnic/dcb0/personality; ip address flush dev dcb0 scope global; "
                   f"ip address add {owners.ADDRESS} dev dcb0; ip link set dev dcb0 mtu {owners.MTU} up; echo {owners.TOS} > {owners.TOS_FILE}; "
                   f"ethtool -A dcb0 autoneg off rx off tx off 2> /dev/null; {KINDS[kind].base or ':'}")
        _, plan, _ = HOST.guest.run(["rdmaready", "plan", "--profile", PROFILE, "--output", "json"])
        for step in json.loads(plan)["hosts"][0]["plan"]["steps"]:
            for command in step["commands"]:
                type_in(command)

    def repair(self, owner, kind, found):
        """Types each step; whether one of them led to the owner."""
        steps = [step for step in found["remedy"]["steps"] if step["site"] == "host"]
        commands = [step["command"] for step in steps if "command" in step]
        for step in steps:
            if "command" in step:
                type_in(step["command"])
            else:
                owner.follow(kind, step["action"], commands)

    def again(self, owner):
        """The program writes what it keeps once more."""
        owner.write_again()

    def try_run(self, kind, personality, owner):
        name = KINDS[kind].check
        wrongs = lambda said: {one for one in said.red() | {name} & said.told() if not one.startswith("peer.")}
        before = eventually(check, lambda said: not wrongs(said), seconds=120, every=1, why=lambda: sorted(check().told()))
        owner.wrong(kind)
        # A driver may take the link down for a moment, which hides all else, and lldpad writes after a while.
        wrong = eventually(check, lambda said: name in said.told(), seconds=120, every=1, why=lambda: "the fault is not named")
        found = wrong.findings[name]
        print(remedy_lines(found), flush=True)
        self.repair(owner, kind, found)
        eventually(check, lambda said: name not in said.told() and said.red() <= before.red(), seconds=120, every=1,
                   why=lambda: "the repair does not heal, or something else is red")
        self.again(owner)
        # While it writes, a driver may have neither value for a moment.
        eventually(check, lambda said: name not in said.told() and said.red() <= before.red(), seconds=120, every=1,
                   why=lambda: f"{owner.name} undoes the repair")

    def missing_programs(self, owner):
        return [program for program in owner.programs if HOST.guest.run(["sh", "-c", f"command -v {program}"])[0] != 0]

    def try_all(self, runs):
        skipped = set()
        begun = time.monotonic()
        for number, (kind, personality, name) in enumerate(runs, 1):
            owner = OWNERS[name](HOST.shell)
            missing = self.missing_programs(owner)
            if missing:
                skipped.add(f"not installed: {', '.join(missing)}: no run with {name}")
                continue
            with self.subTest(kind=kind, personality=personality, owner=name):
                print(f"{number:3} {time.monotonic() - begun:5.0f} s  {kind} on {personality}, kept by {name}", flush=True)
                try:
                    self.begin(personality, kind)
                    owner.begin(kind)
                    self.try_run(kind, personality, owner)
                except Exception as error:
                    print(f"    {error}", flush=True)
                    raise
                finally:
                    owner.end()
                    HOST.shell("ip address del 10.0.0.77/24 dev eth0 2> /dev/null; :")
        print(f"{len(runs)} runs in {time.monotonic() - begun:.0f} s", flush=True)
        if skipped:
            print(*skipped, sep="\n", flush=True)
            self.skipTest("; ".join(sorted(skipped)))


class Repairs(Runs):
    def test_each_printed_repair_lasts(self):
        self.try_all(chosen())


if __name__ == "__main__":
    unittest.main()
