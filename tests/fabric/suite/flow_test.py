# SPDX-License-Identifier: Apache-2.0
"""Flow control between the switch and the DCB NICs: a lossless priority loses nothing where all agree on it, and where one guest does not,
its NIC's counters say so. Guests 2 and 3 write to guest 1 by RDMA, faster than it takes frames."""
import re
import threading
import time
import unittest

import fabric
import slices
from eventually import eventually

ROCE = fabric.word(fabric.LAUNCHER.parent, "suite", "roce.py")
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
HW_COUNTERS = "/sys/class/infiniband/rxe0/ports/1/hw_counters"
# As guest/provision has it: DSCP 26 in priority 3, which is lossless.
SWITCH = ("dscp 0,26:3", "class 0,3:3", "pfc 3", "rate_mbps 40")
DRAIN_MBPS = 20
# In flight are up to 4 MB, beside a headroom of 1 MB: without a pause they do not fit. The acknowledgement timeout is 4 s. The connection manager
# would set half a second, which is less than they wait.
WRITE = "ib_write_bw -d rxe0 -x 1 --tclass 106 -s 65536 -n {count} -t 8 -q 4 -u 20 -p {port}"
SENDERS = {2: 18515, 3: 18516}
# Those of rxe that say that something was sent again.
AGAIN = ("completer_retry_err", "rcvd_seq_err", "retry_exceeded_err")


class FlowControl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.name = fabric.bring_up_another("flow", "--hosts", 3)
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        for setting in SWITCH:
            self.switch("all", setting)
        for number in (1, 2, 3):
            self.knob(number, "wire_mbps", 40)

    def guest(self, number, script):
        return fabric.guest(number, script, name=self.name)

    def switch(self, port, setting):
        fabric.launcher("switch", port, *setting.split(), name=self.name)

    def knob(self, number, name, value):
        self.guest(number, f"echo {value} > {KNOBS}/{name}")

    def nic(self, number):
        return {name: int(value) for name, value in re.findall(r"(\S+): (\d+)", self.guest(number, "ethtool -S dcb0"))}

    def hardware(self, number, folder=HW_COUNTERS):
        """Of rxe, or as the RDMA driver of the NIC's personality would show them."""
        shown = self.guest(number, f"cd {folder} && grep . *" if folder == HW_COUNTERS else f"cat {folder}")
        return {name: int(value) for name, value in re.findall(r"(\w+)[: ](\d+)", shown)}

    def sent_again(self):
        return sum(self.hardware(number)[name] for number in SENDERS for name in AGAIN)

    def stops(self, number):
        """The priorities that the NIC does not send, as bits."""
        return int(re.search(r"stopped (0x\w+)", self.guest(number, f"cat {KNOBS}/queues"))[1], 16)

    def listen(self, senders, count):
        for number in senders:
            port = SENDERS[number]
            self.guest(1, f"setsid {WRITE.format(count=count, port=port)} > /tmp/flow_{port} 2>&1 < /dev/null & "
                          f"for i in $(seq 200); do ss -ltn | grep -q ':{port} ' && exit; sleep 0.05; done; cat /tmp/flow_{port}; exit 1")

    def write(self, number, count, patience_s):
        """Whether all was written in time."""
        command = f"timeout -s KILL {patience_s} {WRITE.format(count=count, port=SENDERS[number])} 10.0.0.1 > /tmp/flow 2>&1; echo $?"
        return self.guest(number, command).strip() == "0"

    def incast(self, count, patience_s):
        """Whether each sender could write all."""
        self.listen(SENDERS, count)
        done = {}
        threads = [threading.Thread(target=lambda one=number: done.update({one: self.write(one, count, patience_s)})) for number in SENDERS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return done

    def slow_receiver(self):
        self.guest(1, "dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:128K 1:32K; dcb buffer show dev dcb0 | grep 1:32Kb")
        self.knob(1, "drain_mbps", DRAIN_MBPS)

    def test_pfc_on_the_same_priority_everywhere_loses_nothing(self):
        self.slow_receiver()
        again = self.sent_again()
        self.assertEqual(self.incast(20, 60), dict.fromkeys(SENDERS, True))
        receiver = self.nic(1)
        self.assertEqual((receiver["rx_prio3_discards"], self.sent_again()), (0, again), receiver)
        self.assertGreater(receiver["tx_prio3_pause"], 0)
        self.assertGreater(receiver["tx_prio3_pause_duration"], 0)
        for number in SENDERS:
            sender = self.nic(number)
            self.assertGreater(sender["rx_prio3_pause"], 0, sender)
            self.assertGreater(sender["rx_prio3_pause_duration"], 0, sender)
        self.assertNotRegex(fabric.launcher("switch", "all", "counters", name=self.name).stdout, r"priority=3 .*dropped=[1-9]")

    def test_pfc_on_the_wrong_priority_at_the_receiver_loses_frames_there(self):
        self.slow_receiver()
        self.guest(1, "dcb pfc set dev dcb0 prio-pfc all:off 4:on; dcb pfc show dev dcb0 | grep '3:off 4:on'")
        again = self.sent_again()
        self.incast(20, 12)  # in time or not
        receiver = self.nic(1)
        self.assertGreater(receiver["rx_prio3_discards"], 0)
        self.assertEqual(receiver["tx_prio4_pause"], 0)
        self.assertGreater(self.sent_again(), again)
        for number in SENDERS:
            self.assertEqual(self.nic(number)["rx_prio3_discards"], 0)

    def held_up(self):
        """Guest 2 writes to guest 1, whose machine stands still, until its priority 3 is stopped. The test lets it go on."""
        self.listen([2], 200)
        writer = threading.Thread(target=self.write, args=(2, 200, 40))
        writer.start()
        self.addCleanup(writer.join)
        self.addCleanup(fabric.launcher, "fault", 1, "resume", name=self.name)
        eventually(lambda: self.nic(2)["tx_prio3_packets"] > 100, seconds=30, every=0.1)
        fabric.launcher("fault", 1, "pause", name=self.name)
        return writer

    def test_a_sender_stops_what_is_paused_and_nothing_else(self):
        writer = self.held_up()
        eventually(lambda: self.stops(2) == 1 << 3, seconds=20, every=0.1)
        before = self.nic(2)["tx_prio3_packets"]
        self.assertIn(" 3 received", self.guest(2, "ping -q -c 3 -i 0.1 -W 5 10.0.0.3"))
        self.assertIn(" 0 received", self.guest(2, "ping -q -c 1 -W 1 -Q 104 10.0.0.3 || true"))
        after = self.nic(2)
        self.assertEqual(after["tx_prio3_packets"], before)
        self.assertGreater(after["rx_prio3_pause"], 0)
        fabric.launcher("fault", 1, "resume", name=self.name)
        eventually(lambda: self.stops(2) == 0 and self.nic(2)["tx_prio3_packets"] > before, seconds=20, every=0.1)
        self.guest(2, "pkill -KILL -x ib_write_bw || true")
        writer.join()

    def test_a_sender_with_pfc_on_another_priority_goes_on(self):
        self.guest(2, "dcb pfc set dev dcb0 prio-pfc all:off 4:on; dcb pfc show dev dcb0 | grep '3:off 4:on'")
        self.held_up()
        eventually(lambda: "pauses_sent=0" not in self.of_port(2), seconds=20, every=0.1)
        self.assertEqual(self.stops(2), 0)
        self.assertIn(" 1 received", self.guest(2, "ping -q -c 1 -W 5 -Q 104 10.0.0.3"))
        self.guest(2, "pkill -KILL -x ib_write_bw || true")

    def of_port(self, number):
        """The switch's counters of priority 3 of a port."""
        shown = fabric.launcher("switch", number, "counters", name=self.name).stdout
        return next((line for line in shown.splitlines() if " priority=3 " in line), "pauses_sent=0")

    def test_marked_frames_are_answered_by_notifications(self):
        interval_s = 0.1
        for number in (1, 2):
            self.knob(number, "cnp_us", int(interval_s * 1e6))
        self.switch(1, "ecn_kb 16")
        self.listen([2], 20)
        begin = time.monotonic()
        self.assertTrue(self.write(2, 20, 60))
        took_s = time.monotonic() - begin
        point = self.hardware(1, f"{KNOBS}/hw_counters")
        self.assertGreater(point["np_ecn_marked_roce_packets"], point["np_cnp_sent"])
        self.assertGreater(point["np_cnp_sent"], 0)
        self.assertLessEqual(point["np_cnp_sent"], 4 * (took_s / interval_s + 1), "of four queue pairs")
        self.assertEqual(self.hardware(2, f"{KNOBS}/hw_counters")["rp_cnp_handled"], point["np_cnp_sent"])
        self.assertEqual(self.nic(1)["rx_prio3_marked"], 0, "the NIC itself marked none")

    def test_a_flow_is_answered_once_in_an_interval_by_a_frame_of_roce(self):
        self.knob(1, "cnp_us", 60_000_000)
        answers = [self.guest(2, f"python3 {ROCE} 10.0.0.1 10 {qpn}").split() for qpn in (0x1234, 0x1234, 0x4321)]
        self.assertEqual([len(answer) for answer in answers], [2, 0, 2])
        for (answer, icrc), qpn in zip((answers[0], answers[2]), ("001234", "004321")):
            # Source port, destination port, length, checksum; opcode, flags, partition, BECN, queue pair, number; 16 bytes, the CRC.
            self.assertRegex(answer, f"^.{{24}}0800 45c0.{{20}}0a000001 0a000002 c350 12b7 0028 0000 8100ffff40{qpn}00000000 0{{32}}{icrc}$".replace(" ", ""))
        self.assertEqual(self.hardware(1, f"{KNOBS}/hw_counters"),
                         {"np_ecn_marked_roce_packets": 30, "np_cnp_sent": 2, "rp_cnp_handled": 0})

    def test_a_nic_marks_what_waits_in_it(self):
        self.slow_receiver()
        self.knob(1, "ecn_kb", 4)
        self.knob(1, "personality", "bnxt")
        self.assertIn("rx_ecn_marked_pkts 0\ntx_cnp_pkts 0\nrx_cnp_pkts 0\n", self.guest(1, f"cat {KNOBS}/hw_counters"))
        self.assertEqual(self.guest(1, f"cd {KNOBS}; cat drain_mbps ecn_kb wire_mbps cnp_us").split(), ["0"] * 4, "a new NIC")
        self.knob(1, "personality", "ice")
        self.knob(1, "drain_mbps", 8)
        self.knob(1, "ecn_kb", 4)
        self.knob(1, "cnp_us", 1)
        self.assertIn(" 1 received", self.guest(2, "ping -q -c 1 -s 8000 -Q 106 10.0.0.1"))
        marked = re.search(r"rx_marked( \d+){8}", self.guest(1, f"cat {KNOBS}/counters"))[0].split()[1:]
        self.assertEqual(sum(map(int, marked)), 1, "ECT, and its queue is longer than 4 KiB")
        self.assertIn("RxECNMrkd 0", self.guest(1, f"cat {KNOBS}/hw_counters"), "not of RoCE")


load_tests = slices.tests("flow", 2)

if __name__ == "__main__":
    unittest.main()
