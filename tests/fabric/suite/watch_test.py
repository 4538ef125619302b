# SPDX-License-Identifier: Apache-2.0
"""check --watch: what counts while the ports are watched, made by the virtual NIC's own counters and by a path that loses
frames."""
import time
import unittest

import fabric
import tool

COUNTERS = "/sys/kernel/debug/dcbnic/dcb0/counters"
BY_COUNTING = ("pfc.wrong-prio", "pause.global-count", "cnt.rdma-retrans", "cnt.sequence", "cnt.retry-exceeded")


class Watch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def setUp(self):
        self.addCleanup(fabric.put_right)

    def watched(self, guest, seconds, meanwhile=lambda: None):
        """The findings of a check that watches the guest's port while `meanwhile` is done."""
        running = tool.start("check", self.hosts[guest], "--profile", "virtual-fabric", "--watch", seconds, "--output", "json")
        time.sleep(seconds / 2)
        meanwhile()
        answer = tool.finish(running)
        self.assertIn(answer.status, (0, 1, 3), answer)
        return lambda one: fabric.finding(answer.json, self.hosts[guest], one)

    def count(self, *lines):
        for line in lines:
            fabric.guest(1, f"echo {line} > {COUNTERS}")

    def test_nothing_counts_on_a_quiet_port(self):
        # What counted before the watch is nobody's business.
        self.count("rx_pause 5 12", "port_rx_pause 7")
        found = self.watched(1, 4)
        self.assertEqual({one: found(one)["outcome"] for one in BY_COUNTING}, {one: "pass" for one in BY_COUNTING})

    def test_pauses_of_a_wrong_priority_and_of_the_whole_link_are_found(self):
        found = self.watched(1, 6, lambda: self.count("rx_pause 3 1000", "rx_pause 5 12", "port_rx_pause 7"))
        wrong = found("pfc.wrong-prio")
        self.assertEqual((wrong["outcome"], wrong["subject"]), ("fail", "rxe0/1 dcb0"), wrong)
        self.assertIn("pauses: 12 on priority 5 in ", wrong["observed"])
        whole = found("pause.global-count")
        self.assertEqual(whole["outcome"], "warn", whole)
        self.assertIn("7 received, 0 sent in ", whole["observed"])

    def test_a_storm_and_discards_are_found(self):
        """Of a NIC that counts them: mlx5 by its names, and only where PFC is on."""
        fabric.launcher("fault", 1, "dcb", "personality", "mlx5")
        fabric.guest(1, "dcb pfc set dev dcb0 prio-pfc 3:on")
        found = self.watched(1, 6, lambda: self.count("rx_pause_us 3 4000000", "tx_pause 3 9", "rx_discards 3 4"))
        storm = found("pfc.storm-live")
        self.assertEqual(storm["outcome"], "fail", storm)
        self.assertIn("priority 3 was paused for ", storm["observed"])
        discards = found("cnt.discards-phy")
        self.assertEqual(discards["outcome"], "fail", discards)
        self.assertIn("rx_prio3_discards +4", discards["observed"])

    def test_frames_lost_without_a_pause_are_found(self):
        fabric.launcher("fault", 1, "dcb", "personality", "mlx5")
        fabric.guest(1, "dcb pfc set dev dcb0 prio-pfc 3:on")
        found = self.watched(1, 6, lambda: self.count("rx_discards 3 4"))
        seen = found("pfc.seen-under-load")
        self.assertEqual(seen["outcome"], "fail", seen)
        self.assertIn("priority 3: 4 frames lost, 0 pauses sent in ", seen["observed"])
        self.assertNotIn(found("cnt.discards-phy")["outcome"], ("pass", "fail"))

    def test_a_lossy_path_is_found_while_a_transfer_runs(self):
        try:
            fabric.launcher("fault", 1, "netem", "loss 1%")
            transfer = tool.start("test", "peer", self.hosts[1], self.hosts[2], "--case", "write-8k", "--duration", "20s")
            time.sleep(2)
            sender, receiver = self.watched(1, 4), self.watched(2, 4)
            self.assertEqual(tool.finish(transfer).status, 0)
        finally:
            fabric.launcher("fault", 1, "netem", "off")
        for found, counter in ((sender, "rcvd_seq_err"), (receiver, "out_of_seq_request")):
            gap = found("cnt.sequence")
            self.assertEqual(gap["outcome"], "fail", gap)
            self.assertIn(f"{counter} +", gap["observed"])
        again = sender("cnt.rdma-retrans")
        self.assertEqual(again["outcome"], "fail", again)
        self.assertIn("completer_retry_err +", again["observed"])

    def test_an_interrupted_watch_ends_at_once(self):
        began = time.monotonic()
        running = tool.start("check", self.hosts[1], "--watch", 120)
        time.sleep(2)
        running.send_signal(tool.signal.SIGINT)
        answer = tool.finish(running)
        self.assertNotEqual(answer.status, 0, answer)
        self.assertLess(time.monotonic() - began, 60)


if __name__ == "__main__":
    unittest.main()
