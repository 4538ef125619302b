# SPDX-License-Identifier: Apache-2.0
"""The faults of two_sides.py between two guests, as an operator meets them: one red cause at the right host and in time; the repair is typed as it
is printed, and both hosts are ready after it. A commit has a slice; soak_two_sides has all, and prints how many of the twelve kinds pass."""
import dataclasses
import os
import re
import time
import unittest

import fabric
import slices
import tool
import two_sides
from two_sides import A, B, PAIR

PARTS = 14
FILL_IN = "fill in and run: "
CAPITALS = re.compile(r"\b[A-Z][A-Z-]{2,}\b")
# Words in capitals that a command holds and nobody fills in.
NO_GAP = {"UDP", "TCP", "DSCP", "INPUT", "ADDRESSES", "DROP", "ACCEPT"}


@dataclasses.dataclass(frozen=True)
class Cause:
    """A red cause: where it is printed, and what it says."""
    at: object       # a guest's number, or PAIR
    host: str        # by which name that guest is called; of a pair the first one
    id: str          # empty: the host did not answer
    text: str        # all that is printed of it
    steps: tuple = ()
    notes: tuple = ()  # of the remedy: on which host, what to know before, what a person does

    def __str__(self):
        return f"{self.id or 'no answer'} at {self.at}: {self.text}"


def is_red(found):
    return found["outcome"] in ("fail", "unknown") and found["blocking"] and not found.get("hidden_by") and not found.get("waived")


NO_REMEDY = {"cautions": [], "steps": [], "alternatives": []}


def cause_of(at, host, found):
    remedy = found.get("remedy") or NO_REMEDY
    notes = (remedy.get("cause", ""), *remedy["cautions"], *(step.get("action", "") for step in remedy["steps"]))
    commands = [step["command"] for step in remedy["steps"] if "command" in step]
    text = "\n".join([found["observed"], found["expected"], *commands, *notes, *remedy["alternatives"]])
    return Cause(at, host, found["id"], text, tuple(remedy["steps"]), notes)


def red_causes(report, guest_of):
    """Each id once at each place, in the order of the report."""
    causes = {}
    for entry in report["hosts"]:
        if entry.get("error"):
            causes[entry["host"], ""] = Cause(guest_of[entry["host"]], entry["host"], "", entry["error"])
        for found in filter(is_red, entry["findings"]):
            causes.setdefault((entry["host"], found["id"]), cause_of(guest_of[entry["host"]], entry["host"], found))
    for pair in report["pairs"]:
        for found in filter(is_red, pair["findings"]):
            causes.setdefault((pair["from"], pair["to"], found["id"]), cause_of(PAIR, pair["from"], found))
    return list(causes.values())


def one_line(text):
    return " ".join(text.split())


class Look:
    """What a check says of both hosts: the report for a program, and how long it took."""

    def __init__(self, hosts, fault):
        self.words = ["check", *hosts.values(), "--profile", fault.profile, "--level", fault.level]
        begun = time.monotonic()
        self.answer = tool.rdmaready(*self.words, "--output", "json", timeout=600)
        self.seconds = time.monotonic() - begun
        self.causes = red_causes(self.answer.json, {address: number for number, address in hosts.items()})

    def printed(self):
        """What a person reads of the same."""
        return tool.rdmaready(*self.words, timeout=600)


class Complaints:
    """What was not as expected, of one fault."""

    def __init__(self):
        self.list = []

    def unless(self, right, text):
        if not right:
            self.list.append(text)


class TwoSides(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()
        begun = time.monotonic()
        answer = fabric.check(cls.hosts, "loopback", timeout=600)
        # The time of a check until it tries the first connection between the two.
        cls.base_s = time.monotonic() - begun
        if answer.status != 0:
            raise AssertionError(answer)

    def put_in(self, fault):
        for number, script in fault.wrong:
            fabric.guest(number, script)
        for verb, *words in fault.launch:
            fabric.launcher(verb, *words)

    def undo(self, fault):
        for number, script in fault.undo:
            fabric.guest(number, f"{script} 2> /dev/null; :")
        fabric.put_right()

    def one_cause(self, fault, look, complaints):
        """The one red cause, when it is the expected one."""
        expected = [cause for cause in look.causes if cause.at in fault.at and re.fullmatch(fault.ids, cause.id)]
        complaints.unless(expected, f"no red {fault.ids or 'error'} at {fault.at}")
        complaints.unless(len(look.causes) == 1, f"{len(look.causes)} red causes: {', '.join(f'{c.id} at {c.at}' for c in look.causes)}")
        if not expected:
            return None
        for word in fault.words:
            complaints.unless(re.search(word, expected[0].text), f"not in the cause: {word}")
        return expected[0]

    def in_time(self, fault, look, healed):
        """A machine that has other work, too, may compute for longer: by the same check without the fault, right after it."""
        slower = max(1, healed.seconds / two_sides.HEALED_S) if fault.level == "peer" else 1
        return look.seconds - self.base_s <= fault.waits + fault.seconds * slower

    def read(self, fault, cause, complaints, printed):
        """What a person reads: the cause once, at its host, with the steps of the report."""
        red = len(re.findall(r"(?m)^(?:WRONG|AND) ", printed.out))
        complaints.unless(red == (1 if fault.ids else 0), f"{red} lines WRONG or AND in the text")
        for step in cause.steps:
            wanted = step.get("command") or step["action"]
            complaints.unless(one_line(wanted) in one_line(printed.out), f"not in the text: {wanted}")
        first = printed.out.split("\n", 1)[0]
        if fault.at in ((A,), (B,)):
            guilty, innocent = self.hosts[fault.at[0]], self.hosts[3 - fault.at[0]]
            complaints.unless(guilty in first, f"the first line does not name {guilty}: {first}")
            complaints.unless(innocent not in re.sub(r"(undetermined|ready): .*", "", first.removeprefix("not ready: ")),
                              f"the first line blames {innocent}: {first}")
        if not fault.ids:
            # The kernel's words may differ from one connection to the next.
            times = one_line(printed.out + printed.err).count(f"{cause.host} UNDETERMINED: the host did not answer: ")
            complaints.unless(times == 1, f"the error is printed {times} times")

    def compare(self, fault, complaints):
        """Level host says it as well: looking is enough."""
        report = tool.rdmaready("check", *self.hosts.values(), "--profile", fault.profile, "--output", "json").json
        told = [found for part in report["hosts"] + report["pairs"] for found in part["findings"]]
        said = {found["id"] for found in told if found["outcome"] in ("fail", "unknown", "warn") and not found.get("hidden_by")}
        complaints.unless(any(re.fullmatch(fault.ids, name) for name in said), f"level host says nothing of it: {sorted(said)}")

    def where_to_type(self, cause):
        """The guest that the repair names; else that of the cause. None: a pair whose repair names no host."""
        for number, address in self.hosts.items():
            if re.search(rf"\bon (host )?{re.escape(address)}(?!\d)", "\n".join(cause.notes)):
                return number
        return None if cause.at == PAIR else cause.at

    def typed(self, fault, cause, number):
        """The printed commands with their gaps filled in. AssertionError: a gap that nobody can fill in."""
        for step in cause.steps:
            if step["site"] != "host" or not ("command" in step or step["action"].startswith(FILL_IN)):
                continue
            command = step.get("command") or step["action"].removeprefix(FILL_IN)
            for word, values in fault.fill_in.items():
                if number in values:
                    command = re.sub(rf"\b{word}\b", values[number], command)
            gaps = set(CAPITALS.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", command))) - NO_GAP
            if gaps:
                raise AssertionError(f"nobody can fill in {gaps}: {command}")
            yield command

    def repair(self, fault, cause, complaints):
        if fault.repair:
            for verb, *words in fault.repair:
                fabric.launcher(verb, *words)
            return
        number = self.where_to_type(cause)
        complaints.unless(number, "the repair does not say on which host")
        commands = list(self.typed(fault, cause, number)) if number else []
        complaints.unless(commands, "the repair has no command")
        for command in commands:
            print(f"      guest {number}: {command}", flush=True)
            fabric.guest(number, f"{command}\n:" if command.startswith("dcb ") else command)

    def try_one(self, fault):
        complaints = Complaints()
        self.put_in(fault)
        look = Look(self.hosts, fault)
        print(f"    {fault.kind}: {fault.name}: {look.seconds:.0f} s, {self.base_s:.0f} of them before the first connection", flush=True)
        cause = self.one_cause(fault, look, complaints)
        if fault.compared:
            self.compare(fault, complaints)
        printed = look.printed()
        if complaints.list:
            print(printed.out + printed.err, flush=True)
        if cause is not None:
            self.read(fault, cause, complaints, printed)
            self.repair(fault, cause, complaints)
            healed = Look(self.hosts, fault)
            print(f"      without the fault: {healed.seconds:.0f} s", flush=True)
            complaints.unless(healed.answer.json["verdict"] == "ready",
                              f"not ready after the repair: {'; '.join(map(str, healed.causes)) or healed.answer.json['verdict']}")
            complaints.unless(self.in_time(fault, look, healed),
                              f"{look.seconds:.0f} s, too long where the same check takes {healed.seconds:.0f} s without the fault")
        return complaints.list

    def try_all(self, chosen):
        """The faults that did not pass, with their reasons."""
        failed = {}
        for fault in chosen:
            with self.subTest(kind=fault.kind, name=fault.name):
                try:
                    complaints = self.try_one(fault)
                except Exception as error:
                    complaints = [f"{type(error).__name__}: {error}"]
                finally:
                    self.undo(fault)
                if complaints:
                    failed[fault.name] = complaints
                    print(*(f"      NO: {text}" for text in complaints), sep="\n", flush=True)
                self.assertEqual(complaints, [])
        return failed

    def test_each_fault_is_one_cause_and_its_repair_heals(self):
        words = os.environ.get("RDMAREADY_FAULTS", "").split()
        every = [fault for fault in two_sides.ALL + two_sides.BESIDE if not words or fault.kind in words]
        chosen = every if words else slices.dealt("two_sides", PARTS, every)
        failed = self.try_all(chosen)
        kinds = [kind for kind in two_sides.KINDS if any(fault.kind == kind for fault in chosen)]
        passed = [kind for kind in kinds if not any(fault.kind == kind and fault.name in failed for fault in chosen)]
        print(f"{len(passed)} of {len(kinds)} kinds of faults between two hosts: {', '.join(passed)}", flush=True)


if __name__ == "__main__":
    unittest.main()
