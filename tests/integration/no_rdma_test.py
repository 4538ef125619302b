# SPDX-License-Identifier: Apache-2.0
"""A machine without any RDMA: not ready, why, what to do; never a crash, never a pass."""
import os
import pathlib
import tempfile
import unittest

import tool


@unittest.skipIf(pathlib.Path("/sys/class/infiniband").exists(), "this machine has an InfiniBand stack")
class AMachineWithoutRdma(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory(prefix="rdmaready home ")
        self.env = {"XDG_STATE_HOME": self.home.name, "HOME": self.home.name}

    def tearDown(self):
        self.home.cleanup()

    def test_is_not_ready_and_says_why_and_what_to_do(self):
        answer = tool.rdmaready("check", env=self.env)
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("inv.rdma-present", answer.out)
        self.assertRegex(answer.out, r"(?m)^(WHY|LIKELY|CAUSE) +\S")
        self.assertRegex(answer.out, r"(?m)^DO +\S")
        self.assertIn("  NOT READY: ", answer.out)
        self.assertTrue(os.path.exists(os.path.join(self.home.name, "rdmaready", "rdmaready.db")))

    def test_has_one_red_line_in_json(self):
        answer = tool.rdmaready("check", "--output", "json", env=self.env)
        self.assertEqual(answer.status, 1, answer)
        report = answer.json
        self.assertEqual(report["schema"], "rdmaready.v1.Check")
        self.assertEqual(report["verdict"], "not-ready")
        findings = report["hosts"][0]["findings"]
        self.assertEqual([f["id"] for f in findings if f["outcome"] == "fail"], ["inv.rdma-present"])
        self.assertNotIn("pass", [f["outcome"] for f in findings if f["id"].split(".")[0] in ("pfc", "ets", "gid")])

    def test_is_not_ready_at_level_loopback_either(self):
        answer = tool.rdmaready("check", "--level", "loopback", env=self.env)
        self.assertEqual(answer.status, 1, answer)

    def test_has_no_port_to_test(self):
        answer = tool.rdmaready("test", "loopback", env=self.env)
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("no RDMA port", answer.err)

    def test_shows_facts(self):
        answer = tool.rdmaready("facts", env=self.env)
        self.assertEqual(answer.status, 0, answer)

    def test_answers_although_it_cannot_remember(self):
        answer = tool.rdmaready("check", env={"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"})
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("inv.rdma-present", answer.out)
        self.assertIn("/proc/nowhere", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
