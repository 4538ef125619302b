# SPDX-License-Identifier: Apache-2.0
"""A NIC whose driver sleeps in the kernel while it is read, as one of dead firmware does: what needs no answer from it is judged, the
agent keeps serving, and ends when it is told to."""
import concurrent.futures
import time
import unittest

import fabric
import tool
from eventually import eventually

KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
NO_ANSWER = "no answer within 3 s"
# The quickest of all answers and of all ends: until the answer, the patience of some questions and the reading.
SECONDS_TO_ANSWER = 12
SECONDS_TO_END = 5
# Each of them, also on a machine that is busy. It is far below for ever, which is how long the NIC sleeps.
SECONDS_AT_MOST = 60
CALLERS = 15  # all of one address, of which the agent answers 16 at a time


class Stalled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.answered, cls.ended = [], []
        fabric.put_right()

    @classmethod
    def tearDownClass(cls):
        for what, seconds, limit in (("answer", cls.answered, SECONDS_TO_ANSWER), ("end", cls.ended, SECONDS_TO_END)):
            if seconds and min(seconds) >= limit:
                raise AssertionError(f"the quickest {what} of {seconds} took {limit} s or more")

    def tearDown(self):
        self.sleep("dcb", 0)
        self.sleep("counter", 0)
        fabric.put_right()

    def sleep(self, read, on=1):
        fabric.guest(1, f"echo {on} > {KNOBS}/sleep_in_{read}_read")

    def timed(self, function):
        began = time.monotonic()
        return function(), time.monotonic() - began

    def check(self):
        return tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric", "--output", "json", timeout=100)

    def check_in_time(self):
        answer, seconds = self.timed(self.check)
        print(f"  answered in {seconds:.1f} s", flush=True)
        self.assertLess(seconds, SECONDS_AT_MOST)
        self.answered.append(seconds)
        return answer

    def assert_judged(self, unknown, why, known):
        """The check named `unknown` is, because of `why`; those in `known` pass all the same."""
        answer = self.check_in_time()
        self.assertEqual(answer.json["hosts"][0]["verdict"], "undetermined", answer)
        found = fabric.finding(answer.json, self.hosts[1], unknown)
        self.assertEqual(found["outcome"], "unknown", found)
        self.assertIn(why, found["observed"])
        for check_id in known:
            self.assertEqual(fabric.finding(answer.json, self.hosts[1], check_id)["outcome"], "pass", check_id)

    def assert_serves_and_ends(self):
        with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
            facts = [pool.submit(tool.rdmaready, "facts", self.hosts[1], timeout=100) for _ in range(CALLERS)]
            self.assertEqual([one.result().err for one in facts if one.result().status != 0], [])
        _, seconds = self.timed(lambda: fabric.guest(
            1, "pid=$(cat /run/rdmaready-agent.pid); kill -TERM $pid; while [ -d /proc/$pid ]; do sleep 0.05; done"))
        print(f"  ended in {seconds:.1f} s", flush=True)
        self.assertLess(seconds, SECONDS_AT_MOST)
        self.ended.append(seconds)

    def assert_whole_again(self):
        eventually(lambda: self.check().json["hosts"][0]["verdict"], lambda verdict: verdict == "ready")

    def test_a_dcbnl_read_that_sleeps(self):
        self.sleep("dcb")
        self.assert_judged("drv.dcb-capable", NO_ANSWER, ("inv.rdma-present", "inv.netdev-mapping", "link.state", "ip.address"))
        # Nobody sleeps behind it: what takes the same lock of the kernel's is not asked any more.
        self.assert_judged("inv.netdev-mapping", "not asked, because this does not answer", ("inv.rdma-present",))
        self.sleep("dcb", 0)
        self.assert_whole_again()
        self.sleep("dcb")
        self.assert_serves_and_ends()

    def test_a_counter_read_that_sleeps(self):
        self.check()  # a reading of the agent's own that is under way would sleep first, and hold the lock that the others take
        self.sleep("counter")
        answer = self.check_in_time()
        self.assertEqual(fabric.finding(answer.json, self.hosts[1], "pfc.lossless-priority")["outcome"], "pass")
        told = tool.rdmaready("facts", self.hosts[1], "--output", "json", timeout=100).out
        self.assertRegex(told, "no answer within 3 s|not asked, because this does not answer")
        self.assert_serves_and_ends()


if __name__ == "__main__":
    unittest.main()
