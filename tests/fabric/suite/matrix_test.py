# SPDX-License-Identifier: Apache-2.0
"""Every fault of faults.py in the guests, one or two at a time: the verdict names that thing, where it is, and nothing else; what only
looks like it is not spoken of; and doing what the fix says heals it. Precision and recall are printed, and are 1. A commit has a sixth of each
family; soak_matrix has all."""
import collections
import functools
import os
import time
import unittest

import fabric
import faults
import lldp
import slices
import tool

PARTS = 12


def chosen_faults():
    """All; by hand only those of the ids in RDMAREADY_FAULTS."""
    wanted = os.environ.get("RDMAREADY_FAULTS", "").split()
    return [fault for fault in faults.ALL if not wanted or fault.id in wanted]


class Score:
    """Of what was said: right, and too much; and what was not said although it should have been."""

    def __init__(self):
        self.right = self.too_much = self.missed = self.controls = 0
        self.complaints = []

    def take(self, where, said, expected):
        got, wanted = collections.Counter(said), collections.Counter(expected)
        self.right += (got & wanted).total()
        self.too_much += (got - wanted).total()
        self.missed += (wanted - got).total()
        if got != wanted:
            self.complaints.append(f"{where}: said {sorted(got.elements())}, expected {sorted(wanted.elements())}")

    @property
    def precision(self):
        return self.right / max(1, self.right + self.too_much)

    @property
    def recall(self):
        return self.right / max(1, self.right + self.missed)


class FaultMatrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def check(self, fault, meanwhile=()):
        """Under the fault's profile, watched as it wants; `meanwhile` are what to do in the middle of it."""
        arguments = ["check", *self.hosts.values(), "--profile", fault.profile, "--output", "json"]
        if fault.watch:
            arguments += ["--watch", fault.watch]
        running = tool.start(*arguments)
        if meanwhile:
            time.sleep(fault.watch / 2)
        for act in meanwhile:
            act()
        answer = tool.finish(running)
        self.assertIn(answer.status, (0, 1, 3), answer)
        return answer.json

    def found(self, report):
        """By guest: its findings; of 0: those between two."""
        found = {0: [f for pair in report["pairs"] for f in pair["findings"]]}
        for number, address in self.hosts.items():
            found[number] = next(host for host in report["hosts"] if host["host"] == address)["findings"]
        return found

    def said(self, report):
        """By guest: (id, subject, red) of everything a person is told."""
        told = {}
        for number, found in self.found(report).items():
            told[number] = [(f["id"], f["subject"], f["outcome"] != "warn") for f in found
                            if f["outcome"] in ("fail", "unknown", "warn") and f["id"] != fabric.NOT_TOLD_BY_THE_VERSION]
        return told

    def expect(self, score, what, fault, expected, meanwhile=()):
        """What is said of each guest; the report."""
        report = self.check(fault, meanwhile)
        told = self.said(report)
        for number in (0, *self.hosts):
            wanted = expected.get(number, [])
            # The other findings of one fault are told by their ids alone.
            said = [entry if entry[0] in {w[0] for w in wanted if len(w) == 3} else entry[:1] for entry in told[number]]
            score.take(f"{what}, guest {number}", said, wanted)
        return report

    def put_right(self, base=""):
        """As after a boot, and then as the faults want it."""
        for number in self.hosts:
            fabric.guest(number, lldp.END)
        fabric.put_right()
        if base:
            for number in self.hosts:
                fabric.guest(number, base)

    def of_fault(self, fault, number):
        """What must be said, by guest."""
        if fault.between:
            return {0: [(fault.id, "rxe0/1 -> rxe0/1", fault.red)]}
        own = [(fault.id, fault.subject, fault.red), *[(other,) for other in fault.also]]
        return {other: own if other == number or fault.both else [] for other in self.hosts}

    def typed_at(self, finding, otherwise):
        """The guest on which the repair of a difference is typed: a caution names it."""
        on = [caution.removeprefix("run it on ") for caution in finding["remedy"]["cautions"] if caution.startswith("run it on ")]
        return next((number for number, address in self.hosts.items() if address in on), otherwise)

    def heal(self, score, what, report, chosen):
        """Types the fixes, as far as they are commands."""
        typed = False
        for number, fault in chosen.items():
            found = [f for f in self.found(report)[0 if fault.between else number] if f["id"] == fault.id
                     and f["outcome"] in ("fail", "unknown", "warn")]
            if not found or not fault.heals:
                continue
            for text in ("observed", "expected", "source", "why"):
                self.assertTrue(found[0][text], f"{fault.id} has no {text}")
            self.assertTrue(fabric.what_to_do(found[0]), f"{fault.id} has no remedy")
            fix = fabric.commands(found[0])
            for word, value in fault.fix.items():
                fix = fix.replace(word, value.format(guest=number))
            fabric.guest(self.typed_at(found[0], number), fix)
            typed = True
            print(f"  {fault.id:24} {fault.wrong}\n{'':26} fix: {fix}", flush=True)
        healed = all(fault.heals for fault in chosen.values())
        if typed and healed:
            self.expect(score, f"{what}, fixed", next(iter(chosen.values())), {})

    def done_and_said(self, score, what, scripts, fault, expected):
        """Does what is to be done of each guest, before or while the check watches it, and takes what is said."""
        acts = [functools.partial(fabric.guest, 3 - number if fault.at_peer else number, script) for number, script in scripts.items()]
        if fault.meanwhile:
            return self.expect(score, what, fault, expected, acts)
        for act in acts:
            act()
        return self.expect(score, what, fault, expected)

    def try_together(self, score, chosen):
        """One fault in each of these guests, of one profile and base."""
        first = next(iter(chosen.values()))
        what = " and ".join(f"{fault.id} ({fault.wrong})" for fault in chosen.values())
        expected = {number: [] for number in self.hosts}
        for number, fault in chosen.items():
            for other, entries in self.of_fault(fault, number).items():
                expected[other] = expected.get(other, []) + entries
        self.done_and_said(score, f"control of {what}", {number: fault.control for number, fault in chosen.items()}, first, {})
        score.controls += len(chosen)
        self.put_right(first.base)
        report = self.done_and_said(score, what, {number: fault.wrong for number, fault in chosen.items()}, first, expected)
        self.heal(score, what, report, chosen)
        self.put_right(first.base)

    def pairs(self):
        """Those to be tried, as {guest: fault}."""
        everything = list(self.all_pairs())
        return everything if os.environ.get("RDMAREADY_FAULTS") else slices.dealt("matrix", PARTS, everything)

    def all_pairs(self):
        """Faults of one profile and base, two by two; a difference between the hosts is one by itself."""
        groups = collections.defaultdict(list)
        for fault in chosen_faults():
            groups[fault.profile, fault.base, fault.watch, fault.meanwhile, fault.at_peer].append(fault)
        for group in groups.values():
            alone = [fault for fault in group if fault.both or fault.between]
            together = [fault for fault in group if fault not in alone]
            for position, fault in enumerate(alone):
                yield {1 + position % 2: fault}
            for position in range(0, len(together), 2):
                yield dict(enumerate(together[position:position + 2], start=1))

    def setUp(self):
        self.addCleanup(self.put_right)

    def test_each_fault_is_named_and_nothing_else(self):
        score = Score()
        base = None
        for chosen in self.pairs():
            first = next(iter(chosen.values()))
            if (first.profile, first.base, first.watch) != base:
                base = (first.profile, first.base, first.watch)
                self.put_right(first.base)
                self.expect(score, f"the base of {first.id} ({first.profile})", first, {})
            self.try_together(score, chosen)
        self.assertGreater(score.controls, 0)
        print(f"{score.controls} faults, {score.controls} controls: precision {score.precision:.2f}, recall {score.recall:.2f} "
              f"({score.right} said rightly, {score.too_much} too much, {score.missed} missed)", flush=True)
        self.assertEqual(score.complaints, [], "\n".join(score.complaints))
        self.assertEqual((score.precision, score.recall), (1, 1))


if __name__ == "__main__":
    unittest.main()
