# SPDX-License-Identifier: Apache-2.0
"""The crash matrix: at every write of a full plan, to the applier's state and to the NIC, the applier, the agent or both are killed, or, at a
seeded third of them, the guest loses its power. Afterwards all is as it was, or as it was confirmed, exactly; nothing is open, and the next
apply goes through. A commit has some points; the parts soak_apply_killed_* and soak_apply_power have all, a part of them for each of
RDMAREADY_VICTIM.

Whoever writes is stopped by the witness at the end of that very write, so a point is the same one each time; then he is killed."""
import os
import random
import time
import unittest

import applying
import apply_power_test
import fabric
import slices
import tool

HOST = 1
PARTS = 174  # at most: a point for each commit
SEED = int(os.environ.get("RDMAREADY_SEED", "16"))
# A step of every kind that a guest has: pause, MTU, ETS, PFC, buffers, rates, APP, RDMA-CM's ToS, sysctls.
WRONG = ("ethtool -A dcb0 rx on tx on", "dcb ets set dev dcb0 willing on tc-bw all:0 0:90 3:10", "dcb pfc set dev dcb0 prio-pfc all:off 4:on",
         "dcb buffer set dev dcb0 prio-buffer all:0", "dcb maxrate set dev dcb0 tc-maxrate 3:1gbit", applying.WRONG_APP,
         "echo 0 > /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos", "ip link set dcb0 mtu 1500",
         "sysctl -qw net.ipv4.conf.all.rp_filter=1; ip address add 10.0.0.77/24 dev mgmt0")
LEAST_STEPS = 8
VICTIMS = tuple(os.environ.get("RDMAREADY_VICTIM", "applier agent both").split())


class Killed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.host = cls.hosts[HOST]
        cls.addClassCleanup(fabric.put_right)

    def make_wrong(self):
        fabric.put_right(HOST)
        for script in WRONG:
            fabric.guest(HOST, script)
        return applying.settings(HOST)

    def count(self):
        """How many points there are, with the confirmation's, and what is set in the end."""
        self.old = self.make_wrong()
        with applying.Witness(HOST) as witness:
            change = applying.apply(self.host, "--confirm-within", "20s")
            self.assertEqual((change.status, change.state), (0, "awaiting-confirm"), change)
            self.assertGreaterEqual(len(change.steps), LEAST_STEPS, change)
            self.assertEqual(applying.confirm(self.host).state, "confirmed")
            events = witness.events()
        self.new = applying.settings(HOST)
        kinds = sorted({step["step"]["object"]["kind"] for step in change.steps})
        print(f"{len(change.steps)} steps ({', '.join(kinds)}), {len(events)} points", flush=True)
        return len(events)

    def kill(self, victim):
        if victim in ("agent", "both"):
            fabric.launcher("agent", HOST, "kill")
        if victim in ("applier", "both"):
            fabric.launcher("applier", HOST, "kill")
        else:
            fabric.guest(HOST, f"kill -CONT $(cat {applying.APPLIER_PID})")

    def run_to(self, point):
        """Apply and confirm, stopped at that point; what runs then."""
        with applying.Witness(HOST, point) as witness:
            running = tool.start(*applying.command(self.host, "--confirm-within", "5s"))
            if not witness.stopped(running):
                self.assertEqual(tool.finish(running).status, 0)
                running = tool.start("confirm", self.host)
                self.assertTrue(witness.stopped(running), f"point {point} is not reached")
                return running, True
            return running, False

    def held(self, point, victim):
        """Whether what was promised holds after that; in words what does not."""
        self.assertEqual(self.make_wrong(), self.old)
        running, confirming = self.run_to(point)
        self.kill(victim)
        running.communicate(timeout=120)
        fabric.launcher("agent", HOST, "start")
        applying.until_nothing_is_open(self.host)
        now, changes = applying.settings(HOST), applying.status(self.host)["changes"]
        allowed = (self.old, self.new) if confirming else (self.old,)
        if now not in allowed:
            return f"{victim} killed at {point}: neither old nor new: {sorted(set(now) ^ set(self.old))}, {changes}"
        expected = "confirmed" if now == self.new else "rolled-back"
        if [change["state"] for change in changes[:1]] not in ([expected], []):
            return f"{victim} killed at {point}: {expected}, but said to be {changes}"
        return ""

    def test_killed_at_every_step(self):
        points = [(point, victim) for point in range(1, self.count() + 1) for victim in VICTIMS]
        chosen = slices.dealt("apply crash", min(PARTS, len(points)), points)
        self.assertTrue(chosen)
        broken = [words for words in (self.held(*one) for one in chosen) if words]
        print(f"{len(chosen)} of {len(points)} points with a killed {' or '.join(VICTIMS)}: {len(chosen) - len(broken)} held", flush=True)
        self.assertEqual(broken, [])


class PowerCut(apply_power_test.Kept):
    """From what was confirmed before, a, to b: at start a holds, or b where the confirmation was under way."""

    def at_start(self):
        """Confirmed is a; what is set then, which depends on what was set before."""
        if applying.plan(self.host, self.folder / "a.yaml")["steps"]:
            return self.confirmed("a")
        return self.settings()

    def run_to(self, point, old):
        """Apply and confirm, stopped at that point; what runs then, and what may be set when the power is back."""
        with applying.Witness(HOST, point, name=self.name) as witness:
            running = tool.start(*applying.command(self.host, "--confirm-within", "20s", "--profile", self.folder / "b.yaml"))
            if witness.stopped(running):
                return running, [old]
            self.assertEqual(tool.finish(running).status, 0)
            new = self.settings()
            running = tool.start("confirm", self.host)
            # What a leftover of before makes one step less has one point less: then all is done.
            return running, [old, new] if witness.stopped(running) else [new]

    def test_the_power_goes_at_a_third_of_the_steps(self):
        self.confirmed("a")
        with applying.Witness(HOST, name=self.name) as witness:
            self.confirmed("b")
            count = len(witness.events())
        points = sorted(random.Random(SEED).sample(range(1, count + 1), max(1, count // 3)))
        chosen = slices.dealt("apply power", len(points), points)
        broken = []
        for point in chosen:
            old = self.at_start()
            running, allowed = self.run_to(point, old)
            self.cut()
            running.kill()
            running.communicate()
            now = self.settings()
            if now not in allowed:
                broken.append(f"power cut at {point}: {sorted(set(now) ^ set(old))}")
            self.ready()
        print(f"{len(chosen)} of {count} points (seed {SEED}) with a power cut: {len(chosen) - len(broken)} held", flush=True)
        self.assertEqual(broken, [])


def load_tests(loader, standard, pattern):
    whole = slices.chosen("apply crash", 3)
    cases = [loader.loadTestsFromTestCase(Killed)]
    if whole in (None, 0):  # a guest of its own costs more than a point
        cases.append(PowerCut("test_the_power_goes_at_a_third_of_the_steps"))
    return unittest.TestSuite(cases)


if __name__ == "__main__":
    unittest.main()
