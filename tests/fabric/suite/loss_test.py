# SPDX-License-Identifier: Apache-2.0
"""Loss on the wire under a profile that wants none: every rung that it touches names the counter, and an agent's own checks tell of loss
that came and went between two of them."""
import unittest

import fabric
import slices
import tool
from eventually import eventually

INTERVAL_S = 20
PROGRAM = fabric.word(tool.BIN, "rdmaready")
AGENT = f"127.0.0.1:7999 --state-dir /tmp/loss-state --profile virtual-fabric --check-interval {INTERVAL_S}s"


class Loss(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def lose(self, percent, *numbers):
        """What they send."""
        for number in numbers:
            self.addCleanup(fabric.launcher, "fault", number, "netem", "off")
            fabric.launcher("fault", number, "netem", f"loss {percent}%")

    def test_every_rung_that_it_touches_names_it(self):
        self.lose(3, *self.hosts)
        # An agent has 6 s to make a connection. A lost request or answer is sent again after 4 s. When that is lost too, the connection fails.
        answer = fabric.check_without("no answer in time", self.hosts, "smb-direct")
        tests = [found for pair in answer.json["pairs"] for found in pair["findings"]
                 if found["rung"] in ("peer", "smb-direct") and found["source"].startswith("live transfer")]
        self.assertEqual({found["rung"] for found in tests}, {"peer", "smb-direct"})
        for found in tests:
            self.assertIn(found["outcome"], ("warn", "fail"), found)
            self.assertRegex(found["observed"], fabric.AGAIN, found)
        # Inside a host nothing goes over the wire.
        for host in self.hosts.values():
            self.assertEqual(fabric.rungs(answer.json, host)["loopback"], "pass")

    def own_checks(self):
        """What the agent's own checks of guest 2 found of the receiver's gaps, oldest first."""
        past = self.remembered("--output json")
        runs = tool.json.loads(past)["hosts"][0]["runs"]
        return [next(found for found in run["findings"] if found["id"] == "cnt.sequence") for run in reversed(runs)]

    def remembered(self, options):
        return fabric.guest(2, f"{PROGRAM} history 127.0.0.1:7999 {options}")

    def wait_for_checks(self, count):
        eventually(lambda: len(self.own_checks()) >= count, seconds=10 * INTERVAL_S, every=0.5)

    def test_an_agents_own_check_tells_of_loss_that_came_and_went(self):
        fabric.guest(2, f"setsid {fabric.word(tool.BIN, 'rdmaready-agent')} --listen {AGENT} > /tmp/loss.log 2>&1 < /dev/null & echo $! > /tmp/loss.pid")
        self.addCleanup(fabric.guest, 2, "kill $(cat /tmp/loss.pid); rm -rf /tmp/loss-state")
        fabric.guest(2, "for i in $(seq 600); do grep -q listening /tmp/loss.log && exit; sleep 0.1; done; cat /tmp/loss.log >&2; exit 1")
        self.wait_for_checks(1)
        before = len(self.own_checks())
        self.lose(3, 1)
        lossy = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--case", "write-8k", "--duration", "2s")
        self.assertEqual(lossy.status, 0, lossy)
        fabric.launcher("fault", 1, "netem", "off")
        # Checks of its own may come while it is lost; the one after next is of a quiet time.
        over = len(self.own_checks())
        self.wait_for_checks(over + 2)
        checks = self.own_checks()
        lost = [one for one in checks[before:over + 1] if one["outcome"] == "fail"]
        self.assertTrue(lost, checks)
        meanwhile, after = lost[-1], checks[over + 1]
        self.assertNotIn("fail", [one["outcome"] for one in checks[:before]])
        self.assertRegex(meanwhile["observed"], r"out_of_seq_request \+\d+ in \d+ s")
        self.assertEqual(after["outcome"], "pass", after)
        print("  " + meanwhile["observed"], flush=True)
        # Who checks later, and does not watch, is told of it.
        check = f"{PROGRAM} check 127.0.0.1:7999"
        seen = {one["id"]: one for one in tool.json.loads(fabric.guest(2, f"{check} --output json; :"))["hosts"][0]["seen_before"]}
        self.assertEqual(seen["cnt.sequence"]["observed"], meanwhile["observed"], seen)
        self.assertRegex(fabric.guest(2, f"{check}; :"), r"(?m)^BEFORE +\S+ \S+ UTC.*: cnt\.sequence on rxe0/1.*: out_of_seq_request \+\d+ in")


load_tests = slices.tests("loss", 2)

if __name__ == "__main__":
    unittest.main()
