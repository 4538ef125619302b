# SPDX-License-Identifier: Apache-2.0
"""The applier of a guest as a process: without its right it changes nothing and says so; killed, it is back at once, and takes back what it
finds open before it answers; told to end, it does that first; without root's file it still does both."""
import unittest

import fabric
import tool
from eventually import eventually

GUEST = 1
PROFILE = "virtual-fabric"
FILE, PID = "/etc/rdmaready/apply.yaml", "/run/rdmaready-applier.pid"
CLEAR = "dcb pfc set dev dcb0 prio-pfc all:off"


class Applier(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def setUp(self):
        fabric.put_right()
        fabric.guest(GUEST, CLEAR)

    def applier(self, *words):
        fabric.launcher("applier", GUEST, *words)

    def pfc(self):
        return fabric.guest(GUEST, "dcb pfc show dev dcb0 prio-pfc").strip()

    def apply(self, *words):
        return tool.rdmaready("apply", self.hosts[GUEST], "--yes", "--profile", PROFILE, "--output", "json", *words)

    def status(self):
        """Of an applier that may be about to answer."""
        answer = eventually(lambda: tool.rdmaready("forget", self.hosts[GUEST], "--list", "--output", "json"), lambda answer: answer.status == 0)
        return answer.json["hosts"][0]["applier"]

    def last_change(self):
        return self.status()["changes"][-1]

    def armed(self):
        answer = self.apply("--confirm-within", "300s")
        self.assertEqual(answer.status, 0, answer)
        change = answer.json["hosts"][0]["change"]
        self.assertEqual(change["state"], "awaiting-confirm", answer)
        return change["id"]

    def test_without_its_right_nothing_is_changed_and_the_kernels_words_are_told(self):
        before = self.pfc()
        self.applier("stop")
        self.applier("start", "--no-capability")
        answer = self.apply()
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("not permitted", answer.out.lower())
        self.assertEqual(self.pfc(), before)

    def test_one_that_was_killed_is_back_at_once_and_takes_back_what_was_open(self):
        before = self.pfc()
        change = self.armed()
        self.assertNotEqual(self.pfc(), before)
        old = fabric.guest(GUEST, f"cat {PID}").strip()
        self.applier("kill")
        last = self.last_change()
        self.assertEqual((last["id"], last["state"]), (change, "rolled-back"))
        self.assertEqual(self.pfc(), before)
        self.assertNotEqual(fabric.guest(GUEST, f"cat {PID}").strip(), old)

    def test_one_that_is_told_to_end_takes_back_what_is_open_and_is_not_started_again(self):
        before = self.pfc()
        self.armed()
        self.applier("stop")
        self.assertEqual(self.pfc(), before)
        fabric.guest(GUEST, f"! [ -e {PID} ]")
        self.applier("start")
        self.assertEqual(self.last_change()["state"], "rolled-back")

    def test_what_is_open_is_taken_back_also_without_roots_file(self):
        before = self.pfc()
        self.armed()
        fabric.guest(GUEST, f"rm {FILE}")
        self.applier("kill")
        status = self.status()
        self.assertEqual(status["changes"][-1]["state"], "rolled-back")
        self.assertIn("No such file", status["not_allowed"])
        self.assertEqual(self.pfc(), before)

    def test_it_has_one_capability_and_no_way_to_another(self):
        lines = fabric.guest(GUEST, f"cat /proc/$(cat {PID})/status")
        self.assertRegex(lines, r"CapEff:\t0*1000\n")
        self.assertRegex(lines, r"CapBnd:\t0*1000\n")
        self.assertRegex(lines, r"NoNewPrivs:\t1\n")


if __name__ == "__main__":
    unittest.main()
