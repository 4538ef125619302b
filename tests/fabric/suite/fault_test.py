# SPDX-License-Identifier: Apache-2.0
"""Faults that are more than a command in a guest, and what a person sees of one: matrix_test has the others."""
import json
import re
import unittest

import fabric
import slices


class OneWrongThing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def assert_ready(self, level="host"):
        answer = fabric.check(self.hosts, level)
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(answer.json["verdict"], "ready")
        return answer.json

    def assert_only(self, number, check_id):
        """Exactly this finding is red, on this host; gives it back."""
        answer = fabric.check(self.hosts)
        self.assertEqual(answer.status, 1, answer)
        report = answer.json
        for other, address in self.hosts.items():
            self.assertEqual(fabric.failing(report, address), [check_id] if other == number else [], report)
        found = fabric.finding(report, self.hosts[number], check_id)
        for text in ("observed", "expected", "source", "why"):
            self.assertTrue(found[text], f"{check_id} has no {text}")
        self.assertTrue(fabric.what_to_do(found), f"{check_id} has no remedy")
        return found

    def test_a_pulled_cable_is_one_red_line(self):
        try:
            fabric.launcher("fault", 2, "link", "down")
            found = self.assert_only(2, "link.state")
            self.assertIn("carrier", found["observed"])
            fabric.launcher("fault", 2, "link", "up")
            self.assert_ready()
        finally:
            fabric.put_right(2)

    def test_firmware_that_runs_dcbx(self):
        """The fix says it: the firmware's agent off first, which is the NIC's own business, then the command."""
        try:
            fabric.launcher("fault", 2, "dcb", "firmware_lldp", "on")
            found = self.assert_only(2, "dcbx.mode")
            self.assertIn("firmware", found["observed"])
            self.assertIn("LLDP agent off first", fabric.what_to_do(found))
            fabric.launcher("fault", 2, "dcb", "firmware_lldp", "off")
            fabric.guest(2, fabric.commands(found))
            self.assert_ready()
        finally:
            fabric.put_right(2)

    def test_too_little_lockable_memory(self):
        try:
            fabric.launcher("agent", 1, "restart", "--memlock", 65536)
            found = self.assert_only(1, "host.memlock")
            self.assertIn("64 KiB", found["observed"])
            fabric.guest(1, fabric.commands(found))
            self.assert_ready()
        finally:
            fabric.put_right(1)

    def test_who_types_a_check_as_root_is_no_agent_with_too_many_privileges(self):
        rdmaready = fabric.word(fabric.tool.BIN, "rdmaready")
        typed = fabric.guest(1, f"RDMAREADY_SOCKET=/run/none {rdmaready} check --profile virtual-fabric --output json")
        found = [f for f in json.loads(typed)["hosts"][0]["findings"] if f["id"] == "sec.agent-caps"]
        self.assertEqual([f["outcome"] for f in found], ["not-applicable"])
        self.assertIn("by hand (rdmaready)", found[0]["observed"])

    def test_a_fault_shows_in_the_text_with_host_reason_and_fix(self):
        try:
            fabric.guest(2, "dcb pfc set dev dcb0 prio-pfc all:off 4:on")
            answer = fabric.tool.rdmaready("check", *self.hosts.values(), "--profile", "virtual-fabric")
            self.assertEqual(answer.status, 1, answer)
            self.assertRegex(answer.out, f"\\Anot ready: {self.hosts[2]} .*pfc.lossless-priority")
            sick = answer.out[answer.out.index(f"\n{self.hosts[2]}  NOT READY: "):]
            self.assertEqual(re.search(r"^DO +(?:1  )?(.*)$", sick, re.M)[1], "dcb pfc set dev dcb0 prio-pfc all:off 3:on")
            self.assertRegex(sick, r"(?m)^WRONG .*wanted on 3 only.*\(pfc.lossless-priority")
            self.assertRegex(sick, r"(?m)^MORE +rdmaready explain pfc.lossless-priority")
            self.assertRegex(sick, r"(?m)^(WHY|LIKELY|CAUSE) +\S")
        finally:
            fabric.put_right(2)


load_tests = slices.tests("fault", 3)

if __name__ == "__main__":
    unittest.main()
