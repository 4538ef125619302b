# SPDX-License-Identifier: Apache-2.0
"""--max-time: a command ends in time with what it knows, and names who did not answer. --wait: a check is repeated until its hosts are
ready."""
import signal
import tempfile
import time
import unittest

import ports
import recorded
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

HOSTS = tool.ROOT / "tests" / "fixtures" / "hosts"
HEALTHY = HOSTS / "two-rails-healthy" / "saved" / "storage1"
SICK = HOSTS / "two-rails-sick" / "saved" / "storage2"


class Waiting(unittest.TestCase):
    def recorded(self, host, **more):
        folder = tempfile.TemporaryDirectory(prefix="waited for ")
        self.addCleanup(folder.cleanup)
        agent = recorded.agent(folder.name, host)
        for name, value in more.items():
            setattr(agent, name, value)
        return agent

    def test_goes_on_until_the_agent_is_there_and_its_host_ready(self):
        address = ports.free_address()
        check = tool.start("check", address, "--wait=60s", "--output", "json")
        time.sleep(0.5)
        with self.recorded(HEALTHY, listen=address):
            answer = tool.finish(check, timeout=ENOUGH_S)
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual((answer.err, answer.json["verdict"]), ("", "ready"))
        self.assertGreater(answer.json["tries"], 1)
        self.assertGreater(answer.json["waited_ns"], 400_000_000)

    def test_says_a_line_whenever_something_changed(self):
        address = ports.free_address()
        check = tool.start("check", address, "--wait=60s")
        time.sleep(0.5)
        with self.recorded(HEALTHY, listen=address):
            answer = tool.finish(check, timeout=ENOUGH_S)
        self.assertEqual(answer.status, 0, answer)
        self.assertRegex(answer.err, r"\Ardmaready: waiting, at most 60s: undetermined: .*Connection refused.*\n\Z")
        self.assertRegex(answer.out, r"(?m)^WAITED +.*, \d+ checks$")

    def test_ends_at_its_time_with_the_last_result(self):
        with self.recorded(SICK) as agent:
            began = time.monotonic()
            answer = tool.rdmaready("check", agent.address, "--wait=3s", "--output", "json")
            took = time.monotonic() - began
            self.assertEqual(answer.status, 1, answer)
            self.assertTrue(2.5 < took < ENOUGH_S, took)
            self.assertGreater(answer.json["tries"], 1)
            self.assertNotIn("out of time", answer.out)
            shorter = tool.rdmaready("check", agent.address, "--wait=60s", "--max-time", "2s")
            self.assertEqual(shorter.status, 1, shorter)
            self.assertLess(time.monotonic() - began, ENOUGH_S)

    def test_ends_at_once_where_waiting_does_not_help(self):
        began = time.monotonic()
        refused = tool.rdmaready("check", "192.0.2.1", "--wait=60s")
        self.assertEqual(refused.status, 2, refused)
        with self.recorded(HEALTHY) as agent:
            profile = tool.rdmaready("check", agent.address, "--wait=60s", "--profile", "no-such-profile")
            self.assertEqual(profile.status, 2, profile)
        self.assertLess(time.monotonic() - began, ENOUGH_S)

    def test_is_limited_and_for_live_hosts(self):
        for words, why in ((["--wait=25h"], "--wait: at most 24h"), (["--wait=soon"], "--wait: "),
                           (["--wait", "--facts", HEALTHY], "--wait is for live hosts")):
            answer = tool.rdmaready("check", *words)
            self.assertEqual(answer.status, 2, answer)
            self.assertIn(why, answer.err)

    def test_ends_with_130_when_it_is_interrupted(self):
        with self.recorded(SICK) as agent:
            check = tool.start("check", agent.address, "--wait", "--output", "json")
            time.sleep(2)
            check.send_signal(signal.SIGINT)
            answer = tool.finish(check, timeout=ENOUGH_S)
            self.assertEqual(answer.status, 130, answer)
            self.assertEqual(answer.json["verdict"], "not-ready")


if __name__ == "__main__":
    unittest.main()
