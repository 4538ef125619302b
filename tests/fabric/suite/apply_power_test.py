# SPDX-License-Identifier: Apache-2.0
"""What is kept: confirmed settings are there again after a power cut and when a NIC is made anew, unconfirmed ones are not, and `forget` ends
that."""
import unittest

import applying
import fabric
import slices
import tool
from eventually import eventually

HOST = 1
NIC = "/sys/kernel/debug/dcbnic/dcb0"
# Another profile than what guest/provision sets at each boot, so that what is kept is known from what boots.
OTHERS = {"a": (4, 34, 138), "b": (5, 46, 186)}


def profile(name):
    priority, dscp, tos = OTHERS[name]
    return (f"extends: virtual-fabric\nname: kept-{name}\nsummary: another priority\nrdma_priority: {priority}\ndscp: {dscp}\ntos: {tos}\n"
            f"pfc: [{priority}]\n")


class Kept(unittest.TestCase):
    """A guest with a state disk, and profiles a and b in files of the test's own."""

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-kept")
        cls.name = fabric.bring_up_another("kept", "--hosts", 1, "--state-disk", 16, "--agent", tool.BIN / "rdmaready-agent", "--deadline", 40)
        cls.host = fabric.launcher("status", name=cls.name).stdout.split()[1]
        cls.folder = applying.folder_of_profiles(cls.addClassCleanup, {name: profile(name) for name in OTHERS})
        cls.ready()

    @classmethod
    def ready(cls):
        """What a boot forgets: root's leave for profiles of our own, and our programs."""
        applying.prepare(HOST, cls.name)
        applying.allow(HOST, cls.name, listed=(applying.PROFILE, *(cls.folder / f"{name}.yaml" for name in OTHERS)))

    def settings(self):
        return applying.settings(HOST, self.name)

    def apply(self, name, *options):
        change = applying.apply(self.host, "--profile", self.folder / f"{name}.yaml", *options)
        self.assertEqual((change.status, change.state), (0, "awaiting-confirm"), change)
        return self.settings()

    def confirmed(self, name):
        new = self.apply(name)
        self.assertEqual(applying.confirm(self.host).state, "confirmed")
        return new

    def cut(self):
        fabric.launcher("fault", HOST, "power-off", name=self.name)
        fabric.launcher("power", HOST, "on", name=self.name)
        applying.prepare(HOST, self.name)

    def test_the_last_confirmed_settings_hold_after_a_power_cut_until_they_are_forgotten(self):
        booted = self.settings()
        confirmed = self.confirmed("a")
        self.assertNotEqual(confirmed, booted)
        self.apply("b")
        self.cut()
        self.assertEqual(self.settings(), confirmed, "what was not confirmed is not there, what was is")
        self.ready()
        self.assertEqual({change["state"] for change in applying.status(self.host)["changes"]} - {"confirmed", "rolled-back"}, set())
        forgotten = applying.forget(self.host)
        self.assertEqual(forgotten.status, 0, forgotten)
        self.assertEqual(self.settings(), confirmed, "they stay as they are")
        self.cut()
        self.assertEqual(self.settings(), booted)
        self.ready()

    def test_they_come_back_when_the_nic_is_made_anew(self):
        confirmed = self.confirmed("a")
        written = ("ets", "pfc", "app")  # DCBX was as it is to be, and so is not kept
        ours = [line for line in confirmed if line.split()[0] in written]
        applying.in_bash(HOST, ". /run/fabric/conf; rdma link del rxe0; ip link del dcb0; rm -f /run/fabric/dcb0.fingerprint; ip link add link wire0 name dcb0 "
                               "type dcbnic; ip link set dcb0 mtu 9000 up; ip addr replace 10.0.0.1/24 dev dcb0; rdma link add rxe0 type rxe netdev dcb0", self.name)
        eventually(lambda: [line for line in self.settings() if line.split()[0] in written], lambda now: now == ours, why=lambda: ours)
        applying.forget(self.host)


load_tests = slices.turns(1, 4)

if __name__ == "__main__":
    unittest.main()
