# SPDX-License-Identifier: Apache-2.0
"""Vendors' profiles applied to a NIC that behaves as mlx5, from the driver's defaults: proven, rolled back to what was there, applied again,
proven and confirmed. A commit has three rounds, soak 20 of each profile, and some of the other personalities."""
import os
import time
import unittest

import applying
import fabric
import faults

HOST = 1
WHOLE = os.environ.get("RDMAREADY_SLICE") == "all"
# Settings of a profile that a driver does not take, by its rows in checks/setting/DRIVERS.md: apply does the rest, and exits 1. With DSCP rows
# ice has a class for each priority, and takes no other map (ice.ets.fixed-map).
REFUSED = {("ice", "nvidia-lossless"): ["ets"]}
# A shell line that makes what a profile wants beside the NIC's settings.
BESIDE = {"nvidia-lossless": "true", "smb-direct-roce": faults.VLAN_OF_MICROSOFT}


class Cycles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def assert_ended(self, change, state, status=0):
        self.assertEqual((change.status, change.state), (status, state), change)

    def apply(self, personality, profile):
        refused = REFUSED.get((personality, profile), [])
        planned = applying.plan(self.hosts[HOST], profile)
        self.assertEqual([refusal["object"]["kind"] for refusal in planned["refusals"]], refused, planned)
        change = applying.apply(self.hosts[HOST], "--profile", profile)
        self.assert_ended(change, "awaiting-confirm", 1 if refused else 0)
        self.assertTrue(change.proof["plan_empty"] and change.proof["loopback"], change)
        return change

    def begin(self, personality, profile):
        """What is set at the driver's defaults."""
        fabric.put_right(HOST)
        fabric.launcher("fault", HOST, "dcb", "personality", personality)
        fabric.guest(HOST, BESIDE[profile])
        return applying.settings(HOST)

    def round(self, personality, profile):
        old = self.begin(personality, profile)
        change = self.apply(personality, profile)
        self.assertNotEqual(applying.settings(HOST), old)
        self.assert_ended(applying.rollback(self.hosts[HOST], change.id), "rolled-back")
        self.assertEqual(applying.settings(HOST), old)
        again = self.apply(personality, profile)
        self.assert_ended(applying.confirm(self.hosts[HOST]), "confirmed")
        self.assertEqual(applying.plan(self.hosts[HOST], profile)["steps"], [])
        self.assertEqual([step["step"]["object"] for step in again.steps], [step["step"]["object"] for step in change.steps])

    def rounds(self, personality, profiles):
        """A round of each of these."""
        held = dict.fromkeys(profiles, 0)
        begun = time.monotonic()
        for number, profile in enumerate(profiles, 1):
            with self.subTest(personality=personality, profile=profile, round=number):
                self.round(personality, profile)
                held[profile] += 1
        for profile, count in held.items():
            print(f"  {personality}, {profile}: {count} of {profiles.count(profile)} rounds", flush=True)
        print(f"  in {time.monotonic() - begun:.0f} s", flush=True)

    def test_mlx5(self):
        nvidia, microsoft = BESIDE
        self.rounds("mlx5", [nvidia, microsoft] * 20 if WHOLE else [nvidia, microsoft, nvidia])

    @unittest.skipUnless(WHOLE, "soak has it")
    def test_other_drivers(self):
        for personality in ("mlx5-new", "mlx5-dscp", "bnxt", "ice"):
            self.rounds(personality, [*BESIDE] * 3)


if __name__ == "__main__":
    unittest.main()
