# SPDX-License-Identifier: Apache-2.0
"""What is not confirmed goes back by itself, at its time, whoever is killed and whatever cable is pulled; and what counts as a confirmation."""
import signal
import time
import unittest

import applying
import fabric
import slices
import tool
from eventually import eventually

HOST = 1
WITHIN_S = 5
MOST_LATE_S = 1.0  # of the first write after the deadline
WRONG = ("dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", "dcb pfc set dev dcb0 prio-pfc all:off 4:on", "ethtool -A dcb0 rx on tx on")


class Timer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def setUp(self):
        fabric.put_right(HOST)
        for script in WRONG:
            fabric.guest(HOST, script)
        self.old = applying.settings(HOST)

    def apply(self, within_s=WITHIN_S):
        change = applying.apply(self.hosts[HOST], "--confirm-within", f"{within_s}s")
        self.assertEqual((change.status, change.state), (0, "awaiting-confirm"), change)
        return change

    def await_old(self):
        eventually(lambda: applying.settings(HOST), lambda settings: settings == self.old, why=lambda: self.old)

    def assert_old(self):
        self.assertEqual(applying.settings(HOST), self.old)

    def late_s(self, witness, within_s=WITHIN_S):
        """How long after its deadline the first setting was written, by the guest's clock: armed is what was written last before
        the pause, which is as long as the deadline."""
        events = [at / 1e9 for at, _, _ in witness.events()]
        pauses = [(later - earlier, earlier, later) for earlier, later in zip(events, events[1:])]
        pause, armed, fired = max(pauses)
        late, done = pause - within_s, events[-1] - armed - within_s
        print(f"  the timer fired {late:+.3f} s after its time; all was back {done:+.3f} s after it", flush=True)
        return late

    def gone_back(self, meanwhile):
        """The change. A guest that got no processor for a second is late whoever counts, so there are three tries."""
        for _ in range(3):
            with applying.Witness(HOST) as witness:
                change = self.apply()
                meanwhile()
                time.sleep(WITHIN_S + 3)
                fabric.launcher("fault", HOST, "management", "up")
                self.await_old()
                late = self.late_s(witness)
            if -0.05 < late < MOST_LATE_S:
                return change
            self.setUp()
        self.fail(f"{late} s after its time")

    def test_all_goes_back_when_nobody_confirms(self):
        change = self.gone_back(lambda: None)
        ended = applying.status(self.hosts[HOST])["changes"][0]
        self.assertEqual((ended["id"], ended["state"]), (change.id, "rolled-back"))
        late = applying.confirm(self.hosts[HOST])
        self.assertEqual(late.status, 1, late)

    def test_also_with_the_management_nic_unplugged(self):
        self.gone_back(lambda: fabric.launcher("fault", HOST, "management", "down"))

    def test_also_with_the_agent_killed(self):
        self.gone_back(lambda: fabric.launcher("agent", HOST, "kill"))

    def test_also_with_the_applier_killed_which_is_back_at_once(self):
        self.apply(60)
        fabric.launcher("applier", HOST, "kill")
        applying.until_nothing_is_open(self.hosts[HOST])
        self.assert_old()

    def test_also_with_both_killed_once_either_has_started_again(self):
        self.apply(60)
        fabric.launcher("agent", HOST, "kill")
        fabric.launcher("applier", HOST, "halt")
        self.assertNotEqual(applying.settings(HOST), self.old, "nobody is there to do it")
        began = time.monotonic()
        fabric.launcher("applier", HOST, "start")
        print(f"  back when it serves, {time.monotonic() - began:.1f} s after its start began", flush=True)
        self.assert_old()
        fabric.launcher("agent", HOST, "start")
        self.assertEqual([change["state"] for change in applying.status(self.hosts[HOST])["changes"]], ["rolled-back"])

    def test_a_cable_pulled_while_it_writes(self):
        running, witness = applying.stopped_at_dcb(HOST, self.hosts[HOST], 1, "--confirm-within", f"{WITHIN_S}s")
        fabric.guest(HOST, f"(sleep 1; kill -CONT $(cat {applying.APPLIER_PID})) > /dev/null 2>&1 &")
        fabric.launcher("fault", HOST, "management", "down")
        time.sleep(WITHIN_S + 20)
        fabric.launcher("fault", HOST, "management", "up")
        running.kill()
        running.communicate()
        witness.__exit__()
        self.await_old()


class Confirm(Timer):
    def test_confirmed_stays(self):
        change = self.apply(3 * WITHIN_S)
        self.assertEqual(applying.confirm(self.hosts[HOST]).state, "confirmed")
        new = applying.settings(HOST)
        time.sleep(3 * WITHIN_S + 2)
        self.assertEqual(applying.settings(HOST), new)
        replayed = applying.confirm(self.hosts[HOST], change.id)
        self.assertEqual(replayed.status, 1, replayed)

    def test_a_second_apply_is_refused_and_names_the_first(self):
        change = self.apply(60)
        fabric.guest(HOST, "ip link set dcb0 mtu 1500")
        second = applying.apply(self.hosts[HOST])
        fabric.guest(HOST, "ip link set dcb0 mtu 9000")
        self.assertEqual(second.status, 2, second)
        self.assertIn(change.id, second.words)
        self.assertEqual(applying.rollback(self.hosts[HOST], change.id).state, "rolled-back")
        self.assert_old()

    def test_who_interrupts_an_apply_gets_all_back(self):
        running, witness = applying.stopped_at_dcb(HOST, self.hosts[HOST], 2)
        running.send_signal(signal.SIGINT)
        time.sleep(0.5)
        witness.go_on()
        answer = tool.finish(running)
        self.assertNotEqual(answer.status, 0, answer)
        applying.until_nothing_is_open(self.hosts[HOST])
        self.assert_old()


def load_tests(loader, standard, pattern):
    both = unittest.TestSuite([loader.loadTestsFromTestCase(Timer)] +
                              [Confirm(name) for name in loader.getTestCaseNames(Confirm) if name in vars(Confirm)])
    return slices.tests("apply timer", 5)(loader, both, pattern)


if __name__ == "__main__":
    unittest.main()
