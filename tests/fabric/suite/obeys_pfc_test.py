# SPDX-License-Identifier: Apache-2.0
"""One guest pauses a priority of another, over a switch that passes pauses on as a cable does: whether its NIC obeys, and what is refused before
anything is sent. The hour of a port is forgotten before each test, which root of a real host would not do."""
import pathlib
import tempfile
import unittest

import fabric
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
PFC_OFF = "dcb pfc set dev dcb0 prio-pfc all:off; dcb pfc show dev dcb0 | grep '3:off'"


class ObeysPfc(unittest.TestCase):
    """A fabric of its own."""

    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-pfc"
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        fabric.launcher("up", "--hosts", 2, "--tls", "--deadline", 60, "--agent", tool.BIN / "rdmaready-agent", name=cls.name)
        status = fabric.launcher("status", name=cls.name).stdout
        cls.hosts = {int(line.split()[0]): line.split()[1] for line in status.splitlines()}
        cls.pki = pathlib.Path(RunDirectory(cls.name).pki())
        folder = tempfile.TemporaryDirectory(prefix="rdmaready pfc ")
        cls.addClassCleanup(folder.cleanup)
        cls.direct = pathlib.Path(folder.name) / "direct.yaml"
        cls.direct.write_text("extends: virtual-fabric\nname: direct\ndirect_link: true\n")

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        fabric.put_right(name=self.name)
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

    def words(self, *options, profile=None, caller="client"):
        return ["pfc", self.hosts[PAUSER], self.hosts[JUDGED], "--profile", profile or self.direct, "--max-mbps", RATE_MBPS, "--tls-cert",
                self.pki / f"{caller}.pem", "--tls-key", self.pki / f"{caller}.key", "--tls-ca", self.pki / "ca.pem", "--output", "json", *options]

    def pfc(self, *options, **how):
        return tool.rdmaready(*self.words(*options, **how))

    def judged(self, verdict, tries=3):
        """The answer with that verdict. A machine that is too slow at the moment ends in unknown, and in no other verdict."""
        for _ in range(tries):
            answer = self.pfc()
            print(f"  {answer.json['text']}", flush=True)
            if answer.json["verdict"] == verdict:
                return answer
            self.assertEqual(answer.json["verdict"], "unknown", answer)
            self.helper("stop", "forget", "start")
        return self.fail(f"not {verdict} in {tries} runs: {answer}")

    def log(self):
        return self.guest(PAUSER, f"cat {LOG}")

    def queue_pairs(self):
        return self.guest(JUDGED, "rdma resource show qp").count(" pid ")

    def test_a_nic_with_pfc_obeys_and_the_other_class_goes_on(self):
        answer = self.judged("obeys")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(len(answer.json["bursts"]), 5)
        self.assertGreaterEqual(answer.json["stops"], 5)
        self.assertGreaterEqual(answer.json["beside_permille"], 500)
        self.assertGreater(answer.json["pauses_counted"], 0)
        self.assertIs(answer.json["paused"]["sender_has_pfc"], True)
        self.assertEqual([burst["ended"] for burst in answer.json["bursts"]], [True] * 5)
        lines = [line for line in self.log().splitlines() if ": pause netdev=dcb0 " in line]
        self.assertEqual(len(lines), 5, lines)
        for line in lines:
            self.assertIn(" priority=3 ", line)
            self.assertIn(" ended=yes ", line)
            self.assertIn(answer.json["run_id"], line)

    def test_a_nic_without_pfc_goes_on(self):
        self.guest(JUDGED, PFC_OFF)
        answer = self.judged("does-not-obey")
        self.assertEqual(answer.status, 1, answer)
        self.assertEqual(answer.json["culprit"], f"PFC of priority 3 is off at {self.hosts[JUDGED]}")

    def test_behind_a_switch_it_is_unknown(self):
        fabric.launcher("switch", "all", "cable", "off", name=self.name)
        answer = self.pfc()
        self.assertEqual(answer.status, 3, answer)
        self.assertEqual(answer.json["verdict"], "unknown")
        self.assertRegex(answer.json["text"], "no pause reached .* a switch is between the two|the machines are too busy")

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

    def test_the_partner_of_a_killed_pauser_goes_on(self):
        caller = tool.start(*self.words())
        self.addCleanup(caller.kill)
        eventually(lambda: ": begins " in self.log(), every=0.02, why=caller.poll)
        self.helper("kill")
        answer = tool.finish(caller)
        self.assertEqual(answer.json["verdict"], "unknown", answer)
        self.assertEqual([answer.json[flow]["failure"] for flow in ("paused", "beside")], ["", ""])
        self.assertGreater(answer.json["paused"]["interval_bytes"][-2], 0)


if __name__ == "__main__":
    unittest.main()
