# SPDX-License-Identifier: Apache-2.0
"""Numbered writes over two rails while one is cut, in a fabric of its own: nothing is lost, doubled or late, no write is missing for longer
than a second, and the rail that returns is used again."""
import itertools
import shlex
import sys
import threading
import time
import unittest

import fabric
import schemas
import slices
import tool

A, B = 1, 2
RAIL_MBPS = 24  # the machine is not the limit
SUBJECTS = ["rxe0/1 -> rxe0/1", "rxe1/1 -> rxe1/1"]
# The commands of the launcher that cut the second rail, and those that bring it back.
CUTS = {
    "cable": (("fault", B, "link", "down", "--rail", 2), ("fault", B, "link", "up", "--rail", 2)),
    "silent": (("fault", A, "netem", "loss", "100%", "--rail", 2), ("fault", A, "netem", "off", "--rail", 2)),  # its carrier stays up
    "switch": (("switch", "--rail", 2, B, "cut", "on"), ("switch", "--rail", 2, B, "cut", "off")),
}


class Failover(unittest.TestCase):
    MINUTES = 20
    RATES = (RAIL_MBPS, RAIL_MBPS)  # of the rails
    # Guests are emulated, and may have no processor for half a second. Soak has the limits of a real host.
    LIMITS = ("--path-timeout", "1s", "--max-outage", "4s")

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-failover")
        cls.name = fabric.bring_up_another("failover", "--hosts", 2, "--rails", 2, "--deadline", cls.MINUTES, "--agent", tool.BIN / "rdmaready-agent")
        cls.hosts = [line.split()[1] for line in fabric.launcher("status", name=cls.name).stdout.splitlines()]

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        fabric.put_right(name=self.name)
        for rail, rate in enumerate(self.RATES, 1):
            fabric.launcher("switch", "--rail", rail, "all", "rate_mbps", rate, name=self.name)

    def failover(self, *options, program=()):
        answer = tool.rdmaready("failover", *self.hosts, "--profile", "virtual-fabric", "--output", "json", *self.LIMITS, *options, *(("--", *program) if program else ()),
                                timeout=300)
        seen = answer.json
        self.assertIn("verdict", seen, answer)
        self.assertEqual(schemas.faults(seen), [])
        print(f"  {seen['text']}: {[(one['path'], one['writes'], one['first_lost_ms'], one['used_again_ms']) for one in seen['paths']]}",
              file=sys.stderr, flush=True)
        return answer

    def command(self, verb, *words):
        """Of the launcher, as a program to be run."""
        return [str(word) for word in (fabric.LAUNCHER, verb, "--name", self.name, *words)]

    def cut(self, kind, seconds):
        """A program that cuts, and brings back after that time; with 0 it does not."""
        down, up = (self.command(*words) for words in CUTS[kind])
        if seconds == 0:
            return down
        return ["sh", "-c", f'"$@" && sleep {seconds} && exec {shlex.join(up)}', "sh", *down]

    def expect_failover(self, answer):
        """By content and by the responder's log."""
        seen = answer.json
        writes = seen["writes"]
        self.assertEqual((answer.status, seen["verdict"]), (0, "fails-over"), answer)
        self.assertEqual((seen["lost"], writes["unconfirmed"], writes["log"]["doubled"], writes["log"]["late"], writes["log"]["wrong"]), (0,) * 5)
        self.assertTrue(writes["complete"])
        self.assertEqual(writes["log"]["arrived"], writes["issued"])
        self.assertEqual(writes["log"]["looked"], writes["issued"])
        self.assertEqual([one["path"] for one in seen["paths"]], SUBJECTS)
        return seen


class Commands(Failover):
    def expect_loss_of_the_second(self, answer):
        seen = self.expect_failover(answer)
        self.assertEqual([one["losses"] > 0 for one in seen["paths"]], [False, True])
        return seen

    def test_a_cable_that_is_pulled_and_put_back(self):
        seen = self.expect_loss_of_the_second(self.failover("--duration", "18s", program=self.cut("cable", 2)))
        lost, again = (seen["paths"][1][key] for key in ("first_lost_ms", "used_again_ms"))
        self.assertGreater(again or 0, lost)
        self.assertGreater(seen["uses"][1]["uses"][-1]["writes"], 0)

    def test_a_rail_that_falls_silent(self):
        self.expect_loss_of_the_second(self.failover("--duration", "8s", program=self.cut("silent", 0)))

    def test_a_port_of_the_switch_that_passes_nothing(self):
        self.expect_loss_of_the_second(self.failover("--duration", "8s", program=self.cut("switch", 0)))

    def test_nothing_is_said_where_nothing_was_cut(self):
        answer = self.failover("--duration", "5s", program=["sh", "-c", "[ -e / ] && [ -e / ]"])  # its arguments stay as they are
        self.assertEqual((answer.status, answer.json["text"]), (3, "unknown: no path was lost while the test ran"), answer)

    def test_a_program_that_fails_is_named(self):
        answer = self.failover("--duration", "5s", program=["sh", "-c", "exit 3"])
        self.assertEqual((answer.status, answer.json["cut"]["failure"]), (3, "sh ended with status 3"), answer)

    def test_hosts_with_one_path_are_refused(self):
        fabric.guest(B, "rdma link del rxe1", name=self.name)
        answer = tool.rdmaready("failover", *self.hosts, "--output", "json")
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("the hosts have one path, so nothing can fail over", answer.json["error"])
        self.assertIn("rxe1/1", answer.json["error"])


class LateWrites(Failover):
    """A queue on the way holds what is under way on a rail until the rail counts as lost, and lets it through afterwards."""
    LIMITS = ("--path-timeout", "200ms", "--depth", 4, "--max-outage", "5s")
    # Slots are used again slowly: the late writes come half a second after they were sent, while others wait for their second look.
    RATES = (6, RAIL_MBPS)

    def slow_down(self):
        slow, fast = (self.command("fault", A, "netem", *words, "--rail", 2) for words in (("delay", "500ms"), ("off",)))
        program = ["sh", "-c", f'"$@" && sleep 4 && exec {shlex.join(fast)}', "sh", *slow]
        answer = self.failover("--duration", "10s", program=program)
        self.assertGreater(answer.json["paths"][1]["losses"], 0, answer)
        self.assertGreater(answer.json["writes"]["reissued"], 0, answer)
        return answer

    def test_reach_no_memory(self):
        answer = self.slow_down()
        log = answer.json["writes"]["log"]
        self.assertEqual((answer.status, log["late"], log["wrong"], log["doubled"]), (0, 0, 0, 0), answer)

    def test_are_found_where_the_responder_confirms_and_does_not_close(self):
        self.addCleanup(fabric.launcher, "agent", B, "restart", name=self.name)
        fabric.launcher("agent", B, "stop", name=self.name)
        fabric.guest(B, ". /run/fabric/conf; cp \"${agent%/*}/keeps_access.so\" /tmp; mkdir -p /tmp/state; LD_PRELOAD=/tmp/keeps_access.so "
                     "setsid \"$agent\" --listen 0.0.0.0:7471 --insecure --plain-role test --state-dir /tmp/state > /tmp/agent.log 2>&1 < /dev/null & "
                     "echo $! > /run/rdmaready-agent.pid; for i in $(seq 600); do grep -q listening /tmp/agent.log && exit; sleep 0.1; done; "
                     "cat /tmp/agent.log; exit 1", name=self.name)
        answer = self.slow_down()
        log = answer.json["writes"]["log"]
        self.assertEqual((answer.status, answer.json["verdict"]), (1, "loses-writes"), answer)
        self.assertGreater(log["late"] + log["wrong"], 0)


class Fifty(Failover):
    """In soak: both rails are cut in turns, each time after the other one is used again."""
    CUTS, MINUTES = 50, 40
    LIMITS = ("--path-timeout", "500ms", "--max-outage", "1500ms")
    LONGEST_MS = 1000  # of an outage, by the responder's log
    RUN_S, FIRST_S, CUT_S, BETWEEN_S = 60, 3, 1, 10

    def cut_in_turns(self, kind, over):
        end = time.monotonic() + self.RUN_S - self.BETWEEN_S
        over.wait(self.FIRST_S)
        for rail in itertools.cycle((2, 1)):
            if over.is_set() or time.monotonic() > end:
                return
            for words, wait in zip(CUTS[kind], (self.CUT_S, self.BETWEEN_S - self.CUT_S)):
                fabric.launcher(*(rail if before == "--rail" else word for before, word in zip(("", *words), words)), name=self.name)
                over.wait(wait)

    def repeat(self, kind):
        if slices.chosen("failover", 1) is not None:
            self.skipTest("soak makes fifty cuts of each kind")
        cuts, outages_ms, answers_ms = 0, [], []
        while cuts < self.CUTS:
            over = threading.Event()
            cutter = threading.Thread(target=self.cut_in_turns, args=(kind, over))
            cutter.start()
            try:
                answer = self.failover("--duration", f"{self.RUN_S}s")
            finally:
                over.set()
                cutter.join()
            seen = self.expect_failover(answer)
            self.assertEqual([one["losses"] > 0 for one in seen["paths"]], [True, True])
            self.assertLessEqual(seen["writes"]["log"]["worst_stall_ns"], self.LONGEST_MS * 1_000_000)
            cuts += sum(one["losses"] for one in seen["paths"])
            outages_ms.append(seen["writes"]["log"]["worst_stall_ns"] // 1_000_000)
            answers_ms.append(seen["writes"]["worst_answer_ns"] // 1_000_000)
        print(f"  {kind}: {cuts} cuts, the worst outages of {len(outages_ms)} runs {sorted(outages_ms)} ms, answers {sorted(answers_ms)} ms",
              file=sys.stderr, flush=True)

    def test_cable(self):
        self.repeat("cable")

    def test_silent(self):
        self.repeat("silent")

    def test_switch(self):
        self.repeat("switch")


if __name__ == "__main__":
    unittest.main()
