# SPDX-License-Identifier: Apache-2.0
"""A guest that loses its power, or crashes, and comes back: what its state disk still knows."""
import unittest

import fabric
import slices

STATE = "/var/lib/rdmaready"


class ThePower(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-power")
        cls.name = fabric.bring_up_another("power", "--hosts", 1, "--state-disk", 16)

    def guest(self, script):
        return fabric.guest(1, f"cd {STATE} && {script}", self.name)

    def lives(self):
        status = fabric.launcher("status", name=self.name).stdout
        return " running " in status

    def test_power_off_loses_what_was_not_flushed_and_a_crash_only_what_the_disk_was_not_given(self):
        # So that nothing is flushed but what the test flushes.
        remount = f"mount -o remount,commit=300 {STATE}"
        self.guest(remount)
        # In the page cache only; on the disk but not flushed there; flushed.
        self.guest("printf old..... > direct && truncate -s 4096 direct && sync direct && mkdir kept && sync kept")
        direct = "printf %s | dd of=direct bs=4096 conv=sync,notrunc oflag=direct status=none"
        self.guest("printf yes > flushed && sync flushed && sync -f .")
        self.guest(f"{direct % 'new.....'} && printf yes > page-cache")
        self.assertEqual(self.guest("head -c 8 direct; cat page-cache flushed"), "new.....yesyes")

        fabric.launcher("fault", 1, "power-off", name=self.name)
        self.assertFalse(self.lives())
        fabric.launcher("power", 1, "on", name=self.name)
        self.assertTrue(self.lives())
        self.assertEqual(self.guest("head -c 8 direct; cat page-cache 2> /dev/null; cat flushed"), "old.....yes")

        self.guest(f"{remount} && {direct % 'newer...'} && printf yes > page-cache")
        fabric.launcher("fault", 1, "kill", name=self.name)
        self.assertFalse(self.lives())
        fabric.put_right(1, name=self.name)
        self.assertEqual(self.guest("head -c 8 direct; cat page-cache 2> /dev/null; cat flushed"), "newer...yes", "reset boots who is dead")
        self.assertIn("rxe0/1 state ACTIVE", fabric.guest(1, "rdma link", self.name))


load_tests = slices.turns(0, 3)

if __name__ == "__main__":
    unittest.main()
