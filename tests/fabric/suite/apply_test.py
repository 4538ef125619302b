# SPDX-License-Identifier: Apache-2.0
"""Every fault of faults.py that is a setting: `apply` and `confirm` put it right, the check passes, a second plan is empty, and an apply with
nothing to do writes nothing; what `plan` prints, typed by hand, does the same. A commit has some of the faults; soak_apply has all."""
import unittest

import applying
import fabric
import faults
import slices
import tool

PARTS = 12


class PutRight(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def complaints(self, number, profile):
        """Ids of what is said of that guest; a failing test prints what was observed."""
        report = tool.rdmaready("check", self.hosts[number], "--profile", profile, "--output", "json").json
        said = fabric.said(report, self.hosts[number])
        self.observed = {f["id"]: (f["outcome"], f["observed"]) for host in report["hosts"] for f in host["findings"] if f["id"] in said}
        return said

    def make_wrong(self, fault, number):
        fabric.put_right(number)
        for script in (fault.base, fault.wrong):
            if script:
                fabric.guest(number, script)
        self.assertEqual(self.complaints(number, fault.profile), [fault.id], (fault.wrong, self.observed))

    def assert_right(self, fault, number):
        self.assertEqual(self.complaints(number, fault.profile), [], (fault.wrong, self.observed))
        plan = applying.plan(self.hosts[number], fault.profile)
        self.assertEqual((plan["steps"], plan["refusals"], plan["unknown"]), ([], [], []), fault.wrong)

    def assert_nothing_is_written(self, fault, number):
        before = applying.settings(number), applying.fingerprint(number)
        with applying.Witness(number) as witness:
            change = applying.apply(self.hosts[number], "--profile", fault.profile)
            self.assertEqual((change.status, change.state), (0, "nothing-to-do"), change)
        self.assertEqual([event for event in witness.events() if event[1] == "dcb"], [])
        self.assertEqual((applying.settings(number), applying.fingerprint(number)), before)

    def apply_and_confirm(self, fault, number):
        self.make_wrong(fault, number)
        old = applying.settings(number)
        change = applying.apply(self.hosts[number], "--profile", fault.profile)
        self.assertEqual((change.status, change.state), (0, "awaiting-confirm"), change)
        self.assertTrue(change.proof["plan_empty"] and change.proof["loopback"], change)
        self.assertIn(fault.id, {name for step in change.steps for name in step["step"]["mends"]})
        self.assertNotEqual(applying.settings(number), old)
        confirmed = applying.confirm(self.hosts[number])
        self.assertEqual((confirmed.status, confirmed.state), (0, "confirmed"), confirmed)
        self.assert_right(fault, number)
        self.assert_nothing_is_written(fault, number)
        return change

    def typed_by_hand(self, fault, number, applied):
        """What the plan says to type has the same result as the applier's writes."""
        by_applier = applying.settings(number)
        self.make_wrong(fault, number)
        plan = applying.plan(self.hosts[number], fault.profile)
        self.assertEqual([step["object"] for step in plan["steps"]], [step["step"]["object"] for step in applied.steps])
        for step in plan["steps"]:
            for command in step["commands"]:
                # Its exit status says nothing (guest/provision); settings are read back.
                fabric.guest(number, command if command.startswith("dcb ") else f"{{ {command}\n}}")
        self.assert_right(fault, number)
        self.assertEqual(applying.settings(number), by_applier, fault.wrong)

    def test_every_fault_that_is_a_setting(self):
        chosen = slices.dealt("apply", PARTS, faults.SETTINGS)
        for fault in chosen:
            with self.subTest(id=fault.id, wrong=fault.wrong):
                change = self.apply_and_confirm(fault, 1)
                self.typed_by_hand(fault, 1, change)
                print(f"  {fault.id:22} {fault.wrong}\n{'':25}" + "; ".join(command for step in change.steps for command in step["step"]["commands"]),
                      flush=True)
        print(f"{len(chosen)} of {len(faults.SETTINGS)} faults that are settings", flush=True)

    def test_a_good_guest_needs_nothing(self):
        for number, host in self.hosts.items():
            fabric.put_right(number)
            plan = applying.plan(host)
            self.assertEqual((plan["steps"], plan["refusals"], plan["unknown"]), ([], [], []))
            self.assert_nothing_is_written(faults.SETTINGS[0], number)


if __name__ == "__main__":
    unittest.main()
