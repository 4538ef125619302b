# SPDX-License-Identifier: Apache-2.0
"""A live test that loses frames says where on their way they were first lost, and which setting lets it happen: the receiving NIC takes frames
slower than they come, and one of those that should pause for it does not."""
import unittest

import fabric
import tool

SENDER, RECEIVER = 1, 2
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
# As guest/provision has it: DSCP 26 in priority 3, which is lossless.
SWITCH = ("dscp 0,26:3", "class 0,3:3", "pfc 3", "rate_mbps 40")
RATE_MBPS, DRAIN_MBPS = 40, 10


class FirstLoss(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def setUp(self):
        self.addCleanup(fabric.put_right)
        for setting in SWITCH:
            fabric.launcher("switch", "all", *setting.split())
        fabric.guest(SENDER, f"echo {RATE_MBPS} > {KNOBS}/wire_mbps")
        fabric.guest(RECEIVER, "dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:128K 1:32K; "
                               f"echo {DRAIN_MBPS} > {KNOBS}/drain_mbps")

    def finding(self, *options):
        """Of a write to the slow receiver."""
        answer = tool.rdmaready("test", "peer", self.hosts[SENDER], self.hosts[RECEIVER], "--case", "write-512k", "--profile", "virtual-fabric",
                                "--duration", "2s", "--output", "json", *options)
        [result] = answer.json["results"]
        return next(found for found in result["findings"] if found["id"] == "peer.write-512k")

    def test_nothing_is_lost_where_all_agree_on_the_priority(self):
        found = self.finding()
        self.assertNotIn("first lost", found["observed"])
        self.assertIn("tx_prio3_pause", found["observed"], "the receiver paused, and it is shown")

    def test_a_receiver_that_does_not_pause_is_named_with_its_setting(self):
        fabric.guest(RECEIVER, "dcb pfc set dev dcb0 prio-pfc all:off 4:on; dcb pfc show dev dcb0 | grep '3:off 4:on'")
        found = self.finding()
        self.assertRegex(found["observed"], rf"first lost in {self.hosts[RECEIVER]}'s NIC dcb0, on the way "
                                            rf"{self.hosts[SENDER]} -> {self.hosts[RECEIVER]}: rx_prio3_discards \+\d+")
        # The two hosts differ, and the repair of that is printed.
        self.assertIn("dcb pfc set dev dcb0 prio-pfc all:off 3:on", found["fix"], found)
        self.assertNotEqual(found["outcome"], "pass", found)

    def test_a_sender_whose_nic_drops_frames_in_transmit_is_named(self):
        fabric.guest(SENDER, f"setsid sh -c 'while sleep 0.2; do echo tx_discards 3 1 > {KNOBS}/counters; done' > /dev/null 2>&1 < /dev/null & "
                             "echo $! > /tmp/discards.pid")
        self.addCleanup(fabric.guest, SENDER, "kill $(cat /tmp/discards.pid)")
        found = self.finding()
        self.assertRegex(found["observed"], rf"first lost in {self.hosts[SENDER]}'s NIC dcb0, on the way "
                                            rf"{self.hosts[SENDER]} -> {self.hosts[RECEIVER]}: tx_discards_phy \+\d+")

    def test_a_switch_port_that_does_not_obey_the_receiver_is_named(self):
        fabric.launcher("switch", RECEIVER, "pfc", "none")
        # More in flight than the headroom of 1 MB takes.
        found = self.finding("--qps", "8")
        self.assertRegex(found["observed"], rf"first lost in {self.hosts[RECEIVER]}'s NIC dcb0, .*rx_prio3_discards \+\d+")
        self.assertIn("enable PFC of priority 3 on its switch port", str(found["remedy"]), found)


if __name__ == "__main__":
    unittest.main()
