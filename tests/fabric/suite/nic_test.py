# SPDX-License-Identifier: Apache-2.0
"""The DCB NIC: what it counts, what it takes and refuses, how it behaves like real drivers, how it fails on demand.

iproute2's own exit status says nothing about a setting, so everything is judged by what is shown afterwards."""
import re
import unittest

import fabric
import slices

DCBNL = fabric.word(fabric.LAUNCHER.parent, "suite", "dcbnl.py")
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"


def knob(name, value, number=1):
    fabric.launcher("fault", number, "dcb", name, value)


def dcb(*commands):
    """Several of dcb's commands, whatever their exit status; what they showed."""
    return fabric.guest(1, "; ".join(f"dcb {command} 2> /dev/null" for command in commands) + "; true")


def dcbnl(*arguments):
    return fabric.guest(1, f"python3 {DCBNL} dcb0 {' '.join(arguments)}")


def counters(number, pattern=r"(\S+): (\d+)"):
    return {name: int(value) for name, value in re.findall(pattern, fabric.guest(number, "ethtool -S dcb0"))}


class TheDcbNic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def tearDown(self):
        fabric.put_right(1)

    def test_counts_packets_and_bytes_of_a_priority_both_ways(self):
        before = [counters(number) for number in (1, 2)]
        # ToS 104 is DSCP 26: priority 3 by the APP row; 20 pings of 1000 bytes there and back.
        fabric.guest(1, "ping -q -c 20 -i 0.05 -s 1000 -Q 104 10.0.0.2")
        for host, old in zip((1, 2), before):
            new = counters(host)
            for way in ("rx", "tx"):
                packets = new[f"{way}_prio3_packets"] - old[f"{way}_prio3_packets"]
                bytes_ = new[f"{way}_prio3_bytes"] - old[f"{way}_prio3_bytes"]
                self.assertEqual(packets, 20, (host, way))
                self.assertEqual(bytes_, 20 * (1000 + 8 + 20 + 14), (host, way))

    def test_refuses_what_a_nic_refuses(self):
        ets = dcb("ets show dev dcb0 tc-bw")
        dcb("ets set dev dcb0 tc-bw all:0 0:50 3:10", "dcbx set dev dcb0 lld-managed", "dcbx set dev dcb0 host cee",
            "app add dev dcb0 dgram-port-prio 4791:3")
        self.assertEqual(dcb("ets show dev dcb0 tc-bw"), ets)
        self.assertEqual(set(dcb("dcbx show dev dcb0").split()), {"host", "ieee", "static"})
        self.assertNotIn("4791", dcb("-N app show dev dcb0"))

    def test_takes_and_shows_settings(self):
        shown = dcb("dcbx set dev dcb0 host ieee", "dcbx show dev dcb0",
                    "buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:128K 1:64K", "buffer show dev dcb0")
        self.assertRegex(shown, r"(?m)^host ieee *$")
        self.assertIn("prio-buffer 0:0 1:0 2:0 3:1 4:0", shown)
        self.assertIn("buffer-size 0:128Kb 1:64Kb 2:0b", shown)
        self.assertIn("total-size 256Kb", shown)
        # More than there is: refused, and the total stays the NIC's.
        shown = dcb("buffer set dev dcb0 buffer-size all:0 0:512K", "buffer show dev dcb0")
        self.assertIn("buffer-size 0:128Kb 1:64Kb", shown)
        self.assertIn("total-size 256Kb", shown)

    def test_takes_rates_in_kbit(self):
        self.assertEqual(dcbnl("set-maxrate 0 0 0 12345 0 0 0 0").strip(), "0")
        self.assertEqual(dcbnl("maxrate").split(), ["0", "0", "0", "12345", "0", "0", "0", "0"])

    def test_link_level_settings(self):
        shown = fabric.guest(1, "cat /sys/class/net/dcb0/speed; ethtool -s dcb0 speed 100000 duplex full autoneg off; "
                             "cat /sys/class/net/dcb0/speed; ethtool -A dcb0 rx on tx off; ethtool -a dcb0; "
                             "ethtool --set-fec dcb0 encoding off; ethtool --show-fec dcb0")
        self.assertEqual(shown.split()[:2], ["25000", "100000"])
        self.assertRegex(shown, r"RX:\s+on\nTX:\s+off")
        self.assertRegex(shown, r"Active FEC encoding:? Off")
        # A test NIC says that it is one.
        self.assertRegex(fabric.guest(1, "ethtool -i dcb0"), r"driver: dcbnic\nversion: personality plain\n")

    def test_a_failure_asked_for_comes_once(self):
        for name, error, command, show in (
                ("set_pfc", "EIO", "pfc set dev dcb0 prio-pfc all:off 5:on", "pfc show dev dcb0 prio-pfc"),
                ("set_app", "ENOMEM", "app add dev dcb0 dscp-prio 30:4", "-N app show dev dcb0 dscp-prio"),
                ("set_dcbx", "EIO", "dcbx set dev dcb0 host ieee", "dcbx show dev dcb0"),
                ("set_buffer", "ENOSPC", "buffer set dev dcb0 prio-buffer 5:1", "buffer show dev dcb0 prio-buffer")):
            with self.subTest(operation=name):
                before = dcb(show)
                knob(f"fail_next_{name}", error)
                self.assertEqual(dcb(command, show), before, "refused")
                self.assertNotEqual(dcb(command, show), before, "taken the second time")
        knob("fail_next_set_pause", "EBUSY")
        said = fabric.guest(1, "ethtool -A dcb0 rx on 2>&1; ethtool -A dcb0 rx on 2>&1; ethtool -a dcb0")
        self.assertIn("busy", said)
        self.assertRegex(said, r"RX:\s+on")

    def test_refuses_for_as_long_as_it_is_told_to(self):
        show = "pfc show dev dcb0 prio-pfc"
        before = dcb(show)
        knob("refuse_set_pfc", "EIO")
        knob("refuse_set_mtu", "EBUSY")
        for _ in range(2):
            self.assertEqual(dcb("pfc set dev dcb0 prio-pfc all:off 5:on", show), before)
            self.assertIn("busy", fabric.guest(1, "ip link set dcb0 mtu 1500 2>&1 || true"))
        knob("refuse_set_pfc", "0")
        self.assertIn("5:on", dcb("pfc set dev dcb0 prio-pfc all:off 5:on", show))
        knob("refuse_get_ets", "EOPNOTSUPP")
        self.assertEqual(dcb("ets show dev dcb0 tc-bw").strip(), "")

    def test_says_yes_and_does_nothing(self):
        for name, command, show in (
                ("set_ets", "dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", "dcb ets show dev dcb0 tc-bw"),
                ("set_pfc", "dcb pfc set dev dcb0 prio-pfc all:off 5:on", "dcb pfc show dev dcb0 prio-pfc"),
                ("set_buffer", "dcb buffer set dev dcb0 prio-buffer 5:1", "dcb buffer show dev dcb0 prio-buffer"),
                ("set_app", "dcb app add dev dcb0 dscp-prio 30:4", "dcb -N app show dev dcb0"),
                ("del_app", "dcb app del dev dcb0 dscp-prio 26:3", "dcb -N app show dev dcb0"),
                ("set_dcbx", "dcb dcbx set dev dcb0 host ieee", "dcb dcbx show dev dcb0"),
                ("set_pause", "ethtool -A dcb0 rx on tx on", "ethtool -a dcb0"),
                ("set_mtu", "ip link set dcb0 mtu 4000", "cat /sys/class/net/dcb0/mtu")):
            with self.subTest(operation=name):
                done = f"{command} 2> /dev/null; {show}"
                before = fabric.guest(1, show)
                knob(f"deaf_{name}", 1)
                self.assertEqual(fabric.guest(1, done), before)
                knob(f"deaf_{name}", 0)
                self.assertNotEqual(fabric.guest(1, done), before)
        knob("deaf_set_maxrate", 1)
        self.assertEqual(dcbnl("set-maxrate 0 0 0 12345 0 0 0 0").strip(), "0")
        self.assertEqual(dcbnl("maxrate").split()[3], "0")

    def test_answers_zeros(self):
        for name, show in (("ets", "tc-bw"), ("pfc", "prio-pfc"), ("buffer", "buffer-size")):
            knob(f"zeros_get_{name}", 1)
            self.assertNotRegex(dcb(f"{name} show dev dcb0 {show}"), r":(on|[1-9])")
            knob(f"zeros_get_{name}", 0)
            self.assertRegex(dcb(f"{name} show dev dcb0 {show}"), r":(on|[1-9])")

    def test_takes_the_link_down_at_every_setting(self):
        changes = "cat /sys/class/net/dcb0/carrier_down_count"
        before = int(fabric.guest(1, changes))
        knob("bounce_ms", 300)
        dcb("pfc set dev dcb0 prio-pfc 5:on", "app add dev dcb0 dscp-prio 77:1")
        self.assertEqual(fabric.guest(1, f"sleep 0.8; cat /sys/class/net/dcb0/carrier; {changes}").split(), ["1", str(before + 1)])
        knob("bounce_ms", 600_000)
        dcb("pfc set dev dcb0 prio-pfc 5:off")
        fabric.put_right(1)  # does not wait for that

    def test_its_fingerprint_is_the_same_again_when_all_is_as_it_was(self):
        show = f"cat {KNOBS}/fingerprint"
        dcb("app add dev dcb0 dscp-prio 10:1")
        before = fabric.guest(1, show)
        dcb("pfc show dev dcb0", "app del dev dcb0 dscp-prio 26:3")
        self.assertNotEqual(fabric.guest(1, show), before)
        dcb("app add dev dcb0 dscp-prio 26:3")
        self.assertEqual(fabric.guest(1, show), before, "in another order")
        knob("deaf_set_pfc", 1)
        self.assertNotEqual(fabric.guest(1, show), before)

    def test_counts_what_it_is_told_to_have_seen(self):
        knob("counters", "rx_pause 3 1000")
        knob("counters", "rx_discards 5 7")
        knob("counters", "tx_discards 3 9")
        knob("counters", "port_rx_pause 40")
        shown = counters(1)
        self.assertEqual((shown["rx_prio3_pause"], shown["rx_prio5_discards"], shown["rx_discards_phy"]), (1000, 7, 7))
        self.assertEqual(shown["tx_discards_phy"], 9, "and no priority")
        self.assertNotIn("rx_prio5_pause", shown, "pauses are shown only where PFC is on")
        self.assertIn("indications 0:0 1:0 2:0 3:1000", dcb("-s pfc show dev dcb0"))
        self.assertIn("rx_pause_frames: 40", fabric.guest(1, "ethtool -I -a dcb0"))
        knob("counters", "clear")
        self.assertEqual(counters(1)["rx_prio3_pause"], 0)

    def test_its_own_carrier(self):
        def carrier_is(value):
            return fabric.guest(1, f"for i in $(seq 50); do [ $(cat /sys/class/net/dcb0/carrier) = {value} ] && break; sleep 0.1; "
                                "done; cat /sys/class/net/dcb0/carrier /sys/class/net/wire0/carrier").split()
        fabric.launcher("fault", 1, "carrier", "off")
        self.assertEqual(carrier_is(0), ["0", "1"])
        self.assertIn(" 0 received", fabric.guest(1, "ping -q -c 1 -W 1 10.0.0.2 || true"))
        fabric.launcher("fault", 1, "carrier", "on")
        self.assertEqual(carrier_is(1), ["1", "1"])
        self.assertIn(" 1 received", fabric.guest(1, "ping -q -c 1 -W 5 10.0.0.2"))

    def test_a_link_partner_that_announces(self):
        fabric.guest(1, f"cd {KNOBS}; echo '0x10 4' > peer_pfc; echo '3:4791:3 5:26:3' > peer_app; "
                     "echo '40,0,0,60,0,0,0,0 0,0,0,3,0,0,0,0 willing' > peer_ets")
        self.assertEqual(dcbnl("peer").split(), ["ets-bw=40,0,0,60,0,0,0,0", "willing=1", "pfc=0x10", "pfc-cap=4", "app=3:4791:3,5:26:3"])

    def test_a_knob_that_is_not_there_is_named(self):
        done = fabric.launcher("fault", 1, "dcb", "turbo", "on", check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done)
        self.assertRegex(done.stderr, "turbo.*there are:.*personality")
        done = fabric.launcher("fault", 1, "dcb", "personality", "cxgb4", check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done)


class Personalities(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def tearDown(self):
        fabric.put_right(1)

    def test_mlx5_starts_as_vendor_and_trusts_dscp_by_its_rows(self):
        knob("personality", "mlx5")
        ets = dcb("ets show dev dcb0")
        self.assertIn("prio-tc 0:1 1:0 2:2 3:3", ets)
        self.assertRegex(ets, r"(?m)^tc-tsa 0:vendor 1:vendor")
        self.assertEqual(dcb("-N app show dev dcb0").strip(), "")

        dcb("app add dev dcb0 dscp-prio 26:3", "app add dev dcb0 dgram-port-prio 4791:3", "app add dev dcb0 dscp-prio 26:5")
        rows = dcb("-N app show dev dcb0")
        self.assertIn("dscp-prio 26:5", rows, "a second row for a DSCP takes the place of the first")
        self.assertNotIn("26:3", rows)
        self.assertNotIn("4791", rows)
        before = counters(1)
        fabric.guest(1, "ping -q -c 3 -i 0.05 -Q 104 10.0.0.2; ping -q -c 3 -i 0.05 -Q 192 10.0.0.2")
        after = counters(1)
        # DSCP 48 has no row: the NIC's own map says 6.
        grown = {prio: after[f"tx_prio{prio}_packets"] - before[f"tx_prio{prio}_packets"] for prio in (5, 6)}
        self.assertEqual(grown, {5: 3, 6: 3})

        dcb("app del dev dcb0 dscp-prio 26:5")
        before = counters(1)["tx_prio6_packets"]
        fabric.guest(1, "ping -q -c 3 -i 0.05 -Q 192 10.0.0.2")
        self.assertEqual(counters(1)["tx_prio6_packets"], before, "no row left: it trusts PCP")

    def test_mlx5_toggles_the_link_rounds_rates_and_wants_headroom(self):
        knob("personality", "mlx5")
        changes = "cat /sys/class/net/dcb0/carrier_down_count"
        before = int(fabric.guest(1, changes))
        dcb("pfc set dev dcb0 prio-pfc 3:on delay 50", "pfc set dev dcb0 delay 2000")
        self.assertIn("delay 50", dcb("pfc show dev dcb0"), "2000 metres are not taken")
        self.assertEqual(int(fabric.guest(1, f"sleep 1; {changes}")), before + 1)
        self.assertEqual(fabric.guest(1, "cat /sys/class/net/dcb0/carrier").strip(), "1")
        self.assertEqual(dcbnl("set-maxrate 0 50000 399000 30900000 0 0 0 0").strip(), "0")
        self.assertEqual(dcbnl("maxrate").split()[:4], ["0", "100000", "300000", "30000000"])
        self.assertEqual(dcbnl("set-maxrate 256000000 0 0 0 0 0 0 0").strip(), "-22")
        # The firmware gave priority 3 a buffer. 1 KB for a lossless priority is refused, 100 KB is not.
        shown = dcb("buffer set dev dcb0 prio-buffer 3:1 buffer-size all:0 0:64K 1:1K", "buffer show dev dcb0",
                    "buffer set dev dcb0 prio-buffer 3:1 buffer-size all:0 0:64K 1:100K", "buffer show dev dcb0")
        self.assertEqual(re.findall(r"prio-buffer.* 3:(\d)", shown), ["1", "1"])
        sizes = re.findall(r"buffer-size 0:(\S+) 1:(\S+)", shown)
        self.assertEqual(sizes[0][0], sizes[0][1], "halves of the total, as the firmware lays them out")
        self.assertEqual(sizes[1], ("64Kb", "100Kb"))
        said = fabric.guest(1, "ethtool --set-tunable dcb0 pfc-prevention-tout 200; ethtool --get-tunable dcb0 pfc-prevention-tout")
        self.assertIn("200", said)

    def test_mlx5_that_found_its_firmware_trusting_dscp(self):
        knob("personality", "mlx5-dscp")
        self.assertEqual(len(re.findall(r"\d+:\d", dcb("-N app show dev dcb0 dscp-prio"))), 64)
        knob("firmware_lldp", "on")
        self.assertNotIn("host", dcb("dcbx show dev dcb0"))

    def test_bnxt_takes_nothing_unless_dcbx_is_the_hosts(self):
        knob("personality", "bnxt")
        pfc, ets = "pfc set dev dcb0 prio-pfc all:off 3:on", "ets set dev dcb0 tc-tsa all:strict 0:ets tc-bw all:0 0:100 prio-tc all:0 3:3"
        show = "pfc show dev dcb0 prio-pfc"
        self.assertIn("3:off", dcb(pfc, show), "no PFC before ETS")
        self.assertIn("3:on", dcb(ets, pfc, show))
        self.assertIn("4791:3", dcb("app add dev dcb0 dgram-port-prio 4791:3", "-N app show dev dcb0 dgram-port-prio"))
        names = counters(1)
        self.assertTrue({"rx_packets_pri3", "tx_bytes_pri0", "rx_pfc_ena_frames_pri3", "pfc_pri3_tx_duration_us",
                         "rx_discard_packets_cos3"} <= set(names), names)
        self.assertFalse([name for name in names if "_prio" in name])
        self.assertEqual(dcb("maxrate show dev dcb0", "buffer show dev dcb0").strip(), "")
        # Whose DCBX the firmware manages: nothing is taken, and there is no way back.
        dcb("dcbx set dev dcb0 lld-managed ieee", "dcbx set dev dcb0 host ieee")
        self.assertIn("lld-managed", dcb("dcbx show dev dcb0"))
        self.assertIn("3:on", dcb("pfc set dev dcb0 prio-pfc 3:off", show))

    def test_ice_has_dscp_rows_only_and_one_each(self):
        knob("personality", "ice")
        self.assertIn("0:100", dcb("ets show dev dcb0 tc-bw"))
        self.assertIn("willing on", dcb("ets show dev dcb0 willing"))
        rows = dcb("app add dev dcb0 dscp-prio 26:3", "app add dev dcb0 dscp-prio 26:4", "app add dev dcb0 dgram-port-prio 4791:3",
                   "-N app show dev dcb0")
        self.assertRegex(rows, r"^dscp-prio 26:3\s*$")
        shown = dcb("ets set dev dcb0 prio-tc all:0", "ets show dev dcb0")
        self.assertIn("willing off", shown)
        self.assertIn("prio-tc 0:0 1:1 2:2 3:3", shown, "the map is fixed in DSCP mode")
        names = counters(1)
        self.assertTrue({"rx_priority_3_xoff.nic", "tx_priority_3_xon.nic", "rx_dropped.nic"} <= set(names), names)
        dcb("pfc set dev dcb0 prio-pfc 3:on")
        self.assertRegex(fabric.guest(1, "ethtool -A dcb0 rx on 2>&1 || true"), "(?i)not supported")

    def test_ice_refuses_while_its_firmware_speaks_lldp(self):
        knob("personality", "ice")
        fabric.guest(1, "ethtool --set-priv-flags dcb0 fw-lldp-agent on")
        self.assertIn("lld-managed", dcb("dcbx show dev dcb0"))
        self.assertIn("3:off", dcb("pfc set dev dcb0 prio-pfc 3:on", "pfc show dev dcb0 prio-pfc"))
        fabric.guest(1, "ethtool --set-priv-flags dcb0 fw-lldp-agent off")
        self.assertIn("3:on", dcb("pfc set dev dcb0 prio-pfc 3:on", "pfc show dev dcb0 prio-pfc"))


load_tests = slices.tests("nic", 4)

if __name__ == "__main__":
    unittest.main()
