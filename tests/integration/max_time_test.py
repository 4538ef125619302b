# SPDX-License-Identifier: Apache-2.0
"""--max-time: a command ends in time with what it knows, and names who did not answer."""
import signal
import time
import unittest

import tool

CUT = "out of time (--max-time {})"
GOOD_ANSWERS = "5s"  # in which a host is reached and judged, on a busy machine too
ENOUGH_S = 30  # for a process to start and end on a busy machine; far below what a silent host may take (120 s)


class OutOfTime(unittest.TestCase):
    def setUp(self):
        self.good = tool.Agent().__enter__()
        self.silent = tool.Agent().__enter__()
        self.silent.process.send_signal(signal.SIGSTOP)
        self.began = time.monotonic()

    def tearDown(self):
        self.silent.process.send_signal(signal.SIGCONT)
        self.silent.__exit__()
        self.good.__exit__()

    def run_it(self, *words, max_time="1s"):
        answer = tool.rdmaready(*words, "--timeout", "120", "--max-time", max_time)  # to be reached it has 5 s otherwise
        self.assertLess(time.monotonic() - self.began, ENOUGH_S, answer)
        return answer

    def test_a_check_tells_what_it_knows_and_who_did_not_answer(self):
        answer = self.run_it("check", self.good.address, self.silent.address, "--level", "peer", "--output", "json", max_time=GOOD_ANSWERS)
        cut = CUT.format(GOOD_ANSWERS)
        known, unknown = answer.json["hosts"]
        self.assertEqual((known["error"], len(known["findings"]) > 0), ("", True))
        self.assertEqual(unknown["error"], f"host {self.silent.address}: {cut} before its check was done")
        self.assertNotEqual(unknown["verdict"], "ready")
        self.assertNotEqual(answer.json["verdict"], "ready")
        self.assertEqual({step["outcome"] for step in unknown["ladder"]} & {"pass"}, set())
        self.assertTrue([found for found in unknown["findings"] if found["outcome"] == "unknown" and cut in found["observed"]])

    def test_of_the_only_host_the_status_is_3_and_the_host_is_named(self):
        answer = self.run_it("check", self.silent.address)
        self.assertEqual(answer.status, 3, answer)
        self.assertEqual(answer.err, f"rdmaready: host {self.silent.address}: {CUT.format('1s')} before its check was done\n")

    def test_a_test_says_with_whom_it_came_no_further(self):
        answer = self.run_it("test", "peer", self.good.address, self.silent.address, max_time=GOOD_ANSWERS)
        self.assertEqual(answer.status, 3, answer)
        self.assertIn(f"{CUT.format(GOOD_ANSWERS)} with {self.good.address} and {self.silent.address}", answer.err)

    def test_a_monitoring_plugin_says_unknown(self):
        answer = self.run_it("check", self.silent.address, "--output", "nagios", "--exit-style", "nagios")
        self.assertEqual(answer.status, 3, answer)
        self.assertRegex(answer.out, r"^RDMAREADY UNKNOWN - .*" + self.silent.address)

    def test_that_is_not_over_changes_nothing(self):
        answer = tool.rdmaready("check", self.good.address, "--max-time", "2m", "--output", "json")
        plain = tool.rdmaready("check", self.good.address, "--output", "json")
        self.assertEqual(answer.status, plain.status)
        self.assertEqual([found["id"] for found in answer.json["hosts"][0]["findings"]],
                         [found["id"] for found in plain.json["hosts"][0]["findings"]])


if __name__ == "__main__":
    unittest.main()
