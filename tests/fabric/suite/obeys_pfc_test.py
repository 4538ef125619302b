# SPDX-License-Identifier: Apache-2.0
"""One guest pauses a priority of another, over a switch that passes pauses on as a cable does: whether its NIC obeys, and what is refused before
anything is sent. The hour of a port is forgotten before each test, which root of a real host would not do. A commit
has a third of the tests, soak all, and each verdict ten times."""
import os
import pathlib
import re
import signal
import statistics
import tempfile
import time
import unittest

import fabric
import lldp_test
import schemas
import slices
import tool
from eventually import eventually
from state import RunDirectory

PAUSER, JUDGED = 1, 2
HELPER = fabric.word(fabric.LAUNCHER.parent, "guest", "pauser")
LOG = "/run/rdmaready-pauser.log"
# Where its knob wire_mbps is 0 the NIC counts quanta as times of a link of 1 Gb/s, so its netdev has that speed. With 8 Mb/s there are five
# messages of 4 KB in 20 ms.
LINK_MBPS, RATE_MBPS = 1000, 8
# As guest/provision has it: DSCP 26 in priority 3.
SWITCH = ("dscp 0,26:3", "class 0,3:3", "rate_mbps 40", "cable on")
WHOLE = os.environ.get("RDMAREADY_SLICE") == "all"
RUNS = 10 if WHOLE else 1
NS_OF_MS = 1_000_000
RPING_PORT = 7174
# DSCP 8 is in RDMA's priority then. A line that begins with dcb may fail (fabric.guest).
SAME_CLASS, SAME_TOS = "true; dcb app add dev dcb0 dscp-prio 8:3; dcb -N app show dev dcb0 | grep -w 8:3", 32
PFC_OFF = "true; dcb pfc set dev dcb0 prio-pfc all:off; dcb pfc show dev dcb0 | grep '3:off'"


class ObeysPfc(unittest.TestCase):
    """A fabric of its own."""

    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-pfc"
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        fabric.launcher("up", "--hosts", 2, "--roles", "--tls", "--deadline", 60, "--agent", tool.BIN / "rdmaready-agent", name=cls.name)
        status = fabric.launcher("status", name=cls.name).stdout
        cls.hosts = {int(line.split()[0]): line.split()[1] for line in status.splitlines()}
        cls.pki = pathlib.Path(RunDirectory(cls.name).pki())
        folder = tempfile.TemporaryDirectory(prefix="rdmaready pfc ")
        cls.addClassCleanup(folder.cleanup)
        cls.direct = pathlib.Path(folder.name) / "direct.yaml"
        cls.direct.write_text("extends: virtual-fabric\nname: direct\ndirect_link: true\n")

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        for setting in SWITCH:
            fabric.launcher("switch", "all", *setting.split(), name=self.name)
        for number in self.hosts:
            self.guest(number, f"ethtool -s dcb0 speed {LINK_MBPS} duplex full autoneg off")
        self.helper("stop", "forget", "start")
        self.addCleanup(self.helper, "stop")

    def guest(self, number, command):
        return fabric.guest(number, command, name=self.name)

    def helper(self, *verbs):
        for verb in verbs:
            self.guest(PAUSER, f"{HELPER} {verb}")

    def words(self, *options, profile=None, caller="client", output="json"):
        return ["pfc", self.hosts[PAUSER], self.hosts[JUDGED], "--profile", profile or self.direct, "--max-mbps", RATE_MBPS, "--tls-cert",
                self.pki / f"{caller}.pem", "--tls-key", self.pki / f"{caller}.key", "--tls-ca", self.pki / "ca.pem", "--output", output, *options]

    def pfc(self, *options, **how):
        return tool.rdmaready(*self.words(*options, **how))

    def forget(self):
        self.helper("stop", "forget", "start")

    def judged(self, verdict, text="", *options, tries=6):
        """The answer with that verdict and text. A machine that is too slow at the moment ends in unknown, and in no other verdict."""
        for _ in range(tries):
            answer = self.pfc(*options)
            print(f"  {answer.json['text']}", flush=True)
            self.forget()
            if answer.json["verdict"] == verdict and re.search(text, answer.json["text"]):
                return answer
            self.assertEqual(answer.json["verdict"], "unknown", answer)
        return self.fail(f"not {verdict} in {tries} runs: {answer}")

    def always(self, *wanted):
        """Soak: ten times. The last answer."""
        return [self.judged(*wanted) for _ in range(RUNS)][-1]

    def log(self):
        return self.guest(PAUSER, f"cat {LOG}")

    def pauses(self):
        return [line for line in self.log().splitlines() if ": pause netdev=dcb0 " in line]

    def queue_pairs(self):
        return self.guest(JUDGED, "rdma resource show qp").count(" pid ")

    def test_a_nic_with_pfc_obeys_and_the_other_class_goes_on(self):
        answer = self.always("obeys")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(schemas.faults(answer.json), [])
        self.assertEqual(len(answer.json["bursts"]), 5)
        self.assertEqual(answer.json["stops"], 5)
        self.assertGreaterEqual(answer.json["beside_permille"], 500)
        self.assertGreater(answer.json["pauses_counted"], 0)
        self.assertIs(answer.json["paused"]["sender_has_pfc"], True)
        self.assertEqual([burst["ended"] for burst in answer.json["bursts"]], [True] * 5)

    def test_the_pauser_has_a_line_for_each_pause(self):
        answer = self.pfc()
        lines = self.pauses()
        self.assertEqual(len(lines), 5, answer)
        for line in lines:
            self.assertIn(" priority=3 ", line)
            self.assertIn(" ended=yes ", line)
            self.assertIn(answer.json["run_id"], line)

    def test_a_nic_without_pfc_that_counts_no_pauses_then_is_unknown(self):
        """As mlx5 does, whose counters the NIC has."""
        self.guest(JUDGED, PFC_OFF)
        answer = self.always("unknown", "PFC of priority 3 is off at .*, whose NIC counts no pauses while it is off$")
        self.assertEqual(answer.status, 3, answer)
        self.assertEqual(answer.json["culprit"], f"PFC of priority 3 is off at {self.hosts[JUDGED]}")
        self.assertIsNone(answer.json["pauses_counted"])

    def test_a_nic_without_pfc_that_counts_pauses_goes_on(self):
        """As bnxt does. It begins without PFC and without a map of marks."""
        fabric.launcher("fault", JUDGED, "dcb", "personality", "bnxt", name=self.name)
        self.guest(JUDGED, "true; dcb app add dev dcb0 dscp-prio 26:3; dcb -N app show dev dcb0 | grep -w 26:3")
        answer = self.always("does-not-obey")
        self.assertEqual(answer.status, 1, answer)
        self.assertEqual(answer.json["culprit"], f"PFC of priority 3 is off at {self.hosts[JUDGED]}")
        self.assertGreaterEqual(answer.json["pauses_counted"], sum(burst["frames"] for burst in answer.json["bursts"]) * 9 // 10)

    def test_two_transfers_in_one_class_show_nothing_of_another(self):
        self.guest(JUDGED, SAME_CLASS)
        answer = self.judged("unknown", "the other transfer is not in another priority", "--beside-tos", SAME_TOS)
        self.assertEqual(answer.status, 3, answer)

    def test_behind_a_switch_it_is_unknown(self):
        fabric.launcher("switch", "all", "cable", "off", name=self.name)
        answer = self.always("unknown", "no pause reached .*, or a switch is between the two$")
        self.assertEqual(answer.status, 3, answer)
        self.assertEqual(answer.json["pauses_counted"], 0)

    def test_the_text_begins_with_the_verdict_and_what_to_do(self):
        self.helper("stop")
        answer = tool.rdmaready(*self.words(output="text"))
        self.assertEqual(answer.status, 3, answer)
        self.assertRegex(answer.out, r"^unknown: the pauses of .* failed: .*rdmaready-pauser is not running")
        self.assertRegex(answer.out, r"\n *fix +do what ")
        self.assertIn("\n  link    by profile direct, the link is direct\n", answer.out)

    def test_a_link_that_is_not_known_to_be_direct_is_refused_before_anything_is_sent(self):
        answer = self.pfc("--listen", "1s", profile="virtual-fabric")
        self.assertEqual(answer.status, 3, answer)
        self.assertIn("it is not known that a cable joins the two", answer.out + answer.err)
        self.assertNotIn(": begins ", self.log())
        self.assertEqual(self.queue_pairs(), 0)

    def test_an_hour_that_is_used_up_is_refused_also_after_a_new_start(self):
        first = self.pfc("--bursts", 10)
        self.assertEqual(len(first.json["bursts"]), 10, first)
        for _ in range(2):
            answer = self.pfc()
            self.assertEqual(answer.status, 3, answer)
            self.assertEqual(answer.json["bursts"], [])
            self.assertRegex(answer.json["text"], r"1000 ms of it are used: 500 ms more are free in \d+ s, at \d{4}-.* UTC")
            self.helper("kill", "start")

    def test_a_pauser_without_its_capability_sends_nothing(self):
        self.helper("stop", "start --no-capability")
        answer = self.pfc()
        self.assertEqual(answer.status, 3, answer)
        self.assertIn("Operation not permitted", answer.json["text"])
        self.assertEqual(answer.json["bursts"], [])

    def test_a_host_without_a_pauser_says_how_it_gets_one(self):
        self.helper("stop")
        answer = self.pfc()
        self.assertEqual(answer.status, 3, answer)
        self.assertIn("rdmaready-pauser is not running", answer.json["text"])
        self.assertIn("/etc/rdmaready/pauses.yaml", answer.json["text"])

    def test_a_caller_without_the_role_is_refused(self):
        answer = self.pfc(caller="tester")
        self.assertEqual(answer.status, 4, answer)
        self.assertIn("stress", answer.out + answer.err)
        self.assertNotIn(": begins ", self.log())

    def test_a_cable_is_known_by_the_lldp_of_both_hosts(self):
        for number in self.hosts:
            self.guest(number, lldp_test.START.format(up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3"))
        caller = tool.start(*self.words("--listen", "8s", profile="virtual-fabric"))
        self.addCleanup(caller.kill)
        # The two announce themselves every 30 s, if nobody makes them. Nothing of ours is on the wire while the two hosts listen.
        until = time.monotonic() + 8
        while time.monotonic() < until:
            for number in self.hosts:
                self.guest(number, lldp_test.ANNOUNCE)
            time.sleep(1)
        answer = tool.finish(caller)
        self.assertRegex(answer.json["link"], "^by LLDP, .* hear each other and nobody else$")
        self.assertIn(answer.json["verdict"], ("obeys", "unknown"), answer)
        self.assertEqual(len(answer.json["bursts"]), 5, answer)

    def test_a_port_in_use_is_left_alone(self):
        for number, side, shown in ((PAUSER, "-s", "LISTEN"), (JUDGED, "-c", "CONNECT")):
            command = f"setsid rping {side} -a 10.0.0.{PAUSER} -p {RPING_PORT} -C 0 > /dev/null 2>&1 < /dev/null & echo $!"
            self.addCleanup(self.guest, number, f"kill -KILL {self.guest(number, command).strip()} 2> /dev/null; :")
            eventually(lambda: self.guest(number, "rdma resource show cm_id"), lambda held: shown in held)  # pylint: disable=cell-var-from-loop
        answer = self.pfc()
        self.assertEqual(answer.status, 3, answer)
        self.assertRegex(answer.out + answer.err, r"RDMA port \S+ is in use by rping")
        self.assertNotIn(": begins ", self.log())

    def test_an_interrupt_ends_the_pause(self):
        caller = tool.start(*self.words("--bursts", 10))
        self.addCleanup(caller.kill)
        eventually(lambda: ": begins " in self.log(), every=0.02, why=caller.poll)
        caller.send_signal(signal.SIGINT)
        self.assertEqual(tool.finish(caller).status, 130)
        time.sleep(1)  # a burst that is under way is logged at its end, after 0.1 s
        lines = self.pauses()
        self.assertTrue(lines, self.log())
        self.assertLess(len(lines), 10)
        for line in lines:
            self.assertIn(" ended=yes ", line)
        time.sleep(3)  # what all of them would have taken
        self.assertEqual(self.pauses(), lines, "nothing more is begun")
        self.assertEqual(self.queue_pairs(), 0)

    def test_the_partner_of_a_killed_pauser_goes_on(self):
        caller = tool.start(*self.words())
        self.addCleanup(caller.kill)
        eventually(lambda: ": begins " in self.log(), every=0.02, why=caller.poll)
        self.helper("kill")
        answer = tool.finish(caller)
        self.assertEqual(answer.json["verdict"], "unknown", answer)
        self.assertEqual([answer.json[flow]["failure"] for flow in ("paused", "beside")], ["", ""])
        paused = answer.json["paused"]
        first = answer.json["pauses_from_ns"] // (paused["interval_ms"] * NS_OF_MS)
        quiet = statistics.median(paused["interval_bytes"][1:first]) / 8
        runs = "".join("q" if count < quiet else " " for count in paused["interval_bytes"][first:-1]).split()
        # A whole pause has five or six.
        self.assertLessEqual(max(map(len, runs), default=0), 6, paused["interval_bytes"])


load_tests = slices.tests("obeys pfc", 3)

if __name__ == "__main__":
    unittest.main()
