# SPDX-License-Identifier: Apache-2.0
"""check --watch: what counts while the ports are watched, made by the virtual NIC's own counters and by a path that loses
frames; and who writes DCB settings meanwhile."""
import tempfile
import time
import unittest

import fabric
import slices
import tool
from eventually import eventually

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

    @staticmethod
    def sent():
        return int(fabric.guest(1, "cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"))

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
        before = self.sent()
        transfer = tool.start("test", "peer", self.hosts[1], self.hosts[2], "--case", "write-8k", "--duration", "60s")
        try:
            eventually(lambda: self.sent() > before + 100)
            # A slow machine moves a few hundred packets while a port is watched: some of them must be lost.
            fabric.launcher("fault", 1, "netem", "loss 5%")
            sender, receiver = self.watched(1, 6), self.watched(2, 6)
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

    def test_nobody_writes_dcb_settings_on_a_quiet_host(self):
        quiet = self.watched(1, 4)("drift.foreign-writer")
        self.assertEqual((quiet["outcome"], quiet["subject"]), ("pass", "rxe0/1 dcb0"), quiet)
        self.assertRegex(quiet["observed"], r"^nobody wrote in \d+ s$")

    def test_a_check_that_does_not_watch_judges_nobody(self):
        answer = tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric", "--output", "json")
        found = fabric.finding(answer.json, self.hosts[1], "drift.foreign-writer")
        self.assertEqual((found["outcome"], found["observed"]), ("not-applicable", "not watched (--watch SECONDS)"))

    def test_a_program_that_writes_dcb_settings_is_found_and_named(self):
        found = self.watched(1, 6, lambda: fabric.guest(1, "dcb pfc set dev dcb0 prio-pfc all:off 4:on"))
        drift = found("drift.foreign-writer")
        self.assertEqual((drift["outcome"], drift["subject"]), ("warn", "rxe0/1 dcb0"), drift)
        self.assertRegex(drift["observed"], r"^PFC 3 -> 4 by a process, probably dcb \(process \d+\)$")
        self.assertEqual(found("pfc.lossless-priority")["outcome"], "fail")  # and what it wrote is judged too
        self.assertEqual(self.watched(2, 4)("drift.foreign-writer")["outcome"], "pass")  # not on the other host

    def test_what_is_written_and_taken_back_is_found(self):
        """Nothing differs at the end."""
        def flap():
            fabric.guest(1, "dcb app add dev dcb0 dscp-prio 48:5; dcb app del dev dcb0 dscp-prio 48:5")
        found = self.watched(1, 6, flap)
        drift = found("drift.foreign-writer")
        self.assertEqual(drift["outcome"], "warn", drift)
        self.assertRegex(drift["observed"], r"^APP (\(2 times\) )?by a process, probably dcb \(process \d+\)")

    def test_a_write_that_changes_nothing_is_said_to_be_one(self):
        drift = self.watched(1, 6, lambda: fabric.guest(1, "dcb pfc set dev dcb0 prio-pfc all:off 3:on"))("drift.foreign-writer")
        self.assertEqual(drift["outcome"], "warn", drift)
        self.assertTrue(drift["observed"].startswith("written again, unchanged by a process"), drift)

    def test_what_the_kernel_does_not_announce_is_seen_all_the_same(self):
        """It announces no change of the DCBX mode: here of the word static, which ends."""
        drift = self.watched(1, 6, lambda: fabric.guest(1, "dcb dcbx set dev dcb0 host ieee"))("drift.foreign-writer")
        self.assertEqual(drift["outcome"], "warn", drift)
        self.assertIn("DCBX mode changed, and the kernel did not announce it", drift["observed"])

    def test_a_host_that_was_saved_while_somebody_listened_tells_it_too(self):
        with tempfile.TemporaryDirectory() as directory:
            running = tool.start("facts", self.hosts[1], "--save", directory, "--lldp", 6)
            time.sleep(3)
            fabric.guest(1, "dcb pfc set dev dcb0 prio-pfc all:off 4:on")
            self.assertEqual(tool.finish(running).status, 0)
            answer = tool.rdmaready("check", "--facts", directory, "--profile", "virtual-fabric", "--output", "json")
        drift = [one for one in answer.json["hosts"][0]["findings"] if one["id"] == "drift.foreign-writer"]
        self.assertEqual([one["outcome"] for one in drift], ["warn"], drift)
        self.assertIn("PFC 3 -> 4 by a process", drift[0]["observed"])

    def test_an_interrupted_watch_ends_at_once(self):
        began = time.monotonic()
        running = tool.start("check", self.hosts[1], "--watch", 120)
        time.sleep(2)
        running.send_signal(tool.signal.SIGINT)
        answer = tool.finish(running)
        self.assertNotEqual(answer.status, 0, answer)
        self.assertLess(time.monotonic() - began, 60)


load_tests = slices.tests("watch", 3)

if __name__ == "__main__":
    unittest.main()
