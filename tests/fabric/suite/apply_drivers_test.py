# SPDX-License-Identifier: Apache-2.0
"""Drivers that cannot be trusted, and those that have surprises: whatever they do, a guest ends as it was or as it was to be, and the words say
which and why. The old state is what is read by nothing of rdmaready's."""
import unittest

import applying
import fabric
import slices

HOST = 1
WRONG_PFC = "dcb pfc set dev dcb0 prio-pfc all:off 4:on"
WRONG_ETS = "dcb ets set dev dcb0 tc-bw all:0 0:90 3:10"
WRONG_PAUSE = "ethtool -A dcb0 rx on tx on"
WRONG_MTU = "ip link set dcb0 mtu 1500"


def knob(name, value):
    fabric.launcher("fault", HOST, "dcb", name, value)


class Driver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def setUp(self):
        fabric.put_right(HOST)

    def wrong(self, *scripts):
        """The settings after that, the old ones of what is tested."""
        for script in scripts:
            fabric.guest(HOST, script)
        return applying.settings(HOST)

    def apply(self, *options):
        return applying.apply(self.hosts[HOST], *options)

    def assert_ended(self, change, status, state, *words):
        self.assertEqual((change.status, change.state), (status, state), change)
        for word in words:
            self.assertIn(word, change.words)

    def assert_old(self, old):
        self.assertEqual(applying.settings(HOST), old)


class Hostile(Driver):
    def test_one_that_refuses(self):
        # Each is the last but one of what is written, so that there is something to take back.
        for operation, error, said in (("set_pfc", "EIO", "Input/output error"), ("set_app", "EOPNOTSUPP", "not supported"), ("set_ets", "EINVAL", "Invalid argument")):
            with self.subTest(operation=operation):
                fabric.put_right(HOST)
                old = self.wrong(WRONG_PAUSE, WRONG_MTU, WRONG_ETS, WRONG_PFC, applying.WRONG_APP)
                knob(f"fail_next_{operation}", error)
                self.assert_ended(self.apply(), 1, "rolled-back", said)
                self.assert_old(old)

    def test_one_that_says_yes_and_does_nothing(self):
        for operation in ("set_pfc", "app", "set_pause", "set_mtu", "set_buffer"):
            with self.subTest(operation=operation):
                fabric.put_right(HOST)
                old = self.wrong(WRONG_PAUSE, WRONG_MTU, WRONG_PFC, applying.WRONG_APP, "dcb buffer set dev dcb0 prio-buffer all:0")
                for one in ("set_app", "del_app") if operation == "app" else (operation,):
                    knob(f"deaf_{one}", 1)
                change = self.apply()
                self.assert_ended(change, 1, "rolled-back")
                self.assertIn("not-taken", [step["state"] for step in change.steps] + [change.words])
                self.assert_old(old)

    def test_one_that_takes_rows_away_and_adds_none(self):
        old = self.wrong(applying.WRONG_APP)
        knob("deaf_set_app", 1)
        change = self.apply()
        # The old row is gone, and he does not take it any more: that is no old state, and is not said to be one.
        self.assert_ended(change, 3, "rollback-failed", "dscp:26:5")
        knob("deaf_set_app", 0)
        self.assert_ended(applying.rollback(self.hosts[HOST], change.id), 0, "rolled-back")
        self.assert_old(old)

    def test_one_that_takes_the_link_down_for_a_while(self):
        knob("bounce_ms", 700)
        self.wrong(WRONG_PAUSE, WRONG_ETS, WRONG_PFC, applying.WRONG_APP)
        self.assert_ended(self.apply(), 0, "awaiting-confirm")
        self.assertEqual(applying.confirm(self.hosts[HOST]).state, "confirmed")

    def test_one_whose_link_does_not_come_back(self):
        old = self.wrong(WRONG_PAUSE, WRONG_PFC)
        knob("bounce_ms", 600_000)
        self.assert_ended(self.apply(), 1, "rolled-back")
        self.assert_old(old)

    def test_one_that_answers_zeros(self):
        old = self.wrong()
        knob("zeros_get_pfc", 1)
        self.assert_ended(self.apply(), 1, "rolled-back")
        knob("zeros_get_pfc", 0)
        self.assert_old(old)

    def test_one_that_answers_zeros_from_the_middle_on_is_a_rollback_that_failed_until_it_does_not(self):
        old = self.wrong(WRONG_ETS, WRONG_PFC)
        running, witness = applying.stopped_at_dcb(HOST, self.hosts[HOST], 1)
        knob("zeros_get_ets", 1)
        witness.go_on()
        change = applying.finished(running)
        self.assert_ended(change, 3, "rollback-failed")
        self.assertIn("rollback-failed", [one["state"] for one in applying.status(self.hosts[HOST])["changes"]])
        again = self.apply()
        self.assertEqual(again.status, 2, again)
        self.assertIn(change.id, again.words)
        knob("zeros_get_ets", 0)
        self.assert_ended(applying.rollback(self.hosts[HOST], change.id), 0, "rolled-back")
        self.assert_old(old)
        self.assert_ended(self.apply(), 0, "awaiting-confirm")

    def test_a_second_writer_in_the_middle(self):
        old = self.wrong(WRONG_ETS, WRONG_PFC, applying.WRONG_APP)
        running, witness = applying.stopped_at_dcb(HOST, self.hosts[HOST], 1)
        fabric.guest(HOST, "dcb pfc set dev dcb0 prio-pfc all:off 6:on")
        witness.go_on()
        change = applying.finished(running)
        self.assert_ended(change, 1, "rolled-back", "somebody else is configuring", "left as it is: pfc of dcb0")
        # The second writer's PFC stays: the change had not written it. All that the change wrote is as before.
        fabric.guest(HOST, WRONG_PFC)
        self.assert_old(old)


class Personalities(Driver):
    def taken_back(self, personality):
        """From the personality's defaults to the profile, and back; then again, and kept."""
        knob("personality", personality)
        old = applying.settings(HOST)
        change = self.apply()
        self.assert_ended(change, 0, "awaiting-confirm")
        self.assertNotEqual(applying.settings(HOST), old)
        self.assert_ended(applying.rollback(self.hosts[HOST], change.id), 0, "rolled-back")
        self.assert_old(old)
        self.assert_ended(self.apply(), 0, "awaiting-confirm")
        self.assert_ended(applying.confirm(self.hosts[HOST]), 0, "confirmed")
        self.assertEqual(applying.plan(self.hosts[HOST])["steps"], [])
        print(f"  {personality}: {len(change.steps)} steps", flush=True)
        return change

    def test_plain(self):
        self.taken_back("plain")

    def test_mlx5_whose_link_goes_down_with_pfc(self):
        downs = "cat /sys/class/net/dcb0/carrier_down_count"
        before = int(fabric.guest(HOST, downs))
        self.taken_back("mlx5")
        self.assertEqual(int(fabric.guest(HOST, downs)), before + 3, "to the profile, back, and there again")

    def test_mlx5_that_trusts_dscp_already(self):
        self.taken_back("mlx5-dscp")

    def test_bnxt(self):
        change = self.taken_back("bnxt")
        kinds = [step["step"]["object"]["kind"] for step in change.steps]
        self.assertLess(kinds.index("ets"), kinds.index("pfc"))

    def test_ice(self):
        self.taken_back("ice")

    def test_ice_whose_firmware_speaks_lldp(self):
        knob("personality", "ice")
        fabric.guest(HOST, "ethtool --set-priv-flags dcb0 fw-lldp-agent on")
        old = applying.settings(HOST)
        change = self.apply()
        self.assert_ended(change, 0, "awaiting-confirm")
        self.assert_ended(applying.rollback(self.hosts[HOST], change.id), 0, "rolled-back")
        self.assert_old(old)

    def test_bnxt_that_gave_dcbx_to_its_firmware_has_no_way_back(self):
        knob("personality", "bnxt")
        fabric.guest(HOST, "dcb dcbx set dev dcb0 lld-managed ieee 2> /dev/null; true")
        old = applying.settings(HOST)
        refusals = applying.plan(self.hosts[HOST])["refusals"]
        self.assertEqual([(one["object"]["kind"], one["wanted"]) for one in refusals], [("dcbx", "host ieee")])
        self.assertIn("cannot end that", refusals[0]["reason"])
        self.assert_ended(self.apply(), 1, "rolled-back", "Invalid argument")
        self.assert_old(old)


load_tests = slices.tests("apply drivers", 7)

if __name__ == "__main__":
    unittest.main()
