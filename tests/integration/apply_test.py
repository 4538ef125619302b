# SPDX-License-Identifier: Apache-2.0
"""What `plan` and `apply` say of a host that is not as its profile wants it, and of one that has no applier. What an applier
does is the fabric's to show."""
import json
import os
import pty
import subprocess
import tempfile
import unittest

import recorded
import tool

SICK = tool.ROOT / "tests" / "fixtures" / "hosts" / "two-rails-sick" / "saved" / "storage2"
HEALTHY = tool.ROOT / "tests" / "fixtures" / "hosts" / "two-rails-healthy" / "saved"


class ASickHost(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="sick host ")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.agent = recorded.agent(cls.folder.name, SICK)
        cls.agent.__enter__()
        cls.addClassCleanup(cls.agent.__exit__)

    def plan(self, *options):
        answer = tool.rdmaready("plan", self.agent.address, *options)
        self.assertEqual(answer.status, 1, answer)
        return answer

    def test_is_planned_with_what_mends_it_and_the_same_by_hand(self):
        plan = self.plan("--output", "json").json["hosts"][0]["plan"]
        steps = {(step["object"]["kind"], step["object"]["where"]): step for step in plan["steps"]}
        pfc = steps["pfc", "dcb1"]
        self.assertIn("pfc.lossless-priority", pfc["mends"])
        self.assertTrue(any(command.startswith("dcb pfc set dev dcb1") for command in pfc["commands"]), pfc)
        text = self.plan()
        self.assertIn("PFC", text.out)
        for command in pfc["commands"]:
            self.assertIn(command, text.out)
        self.assertRegex(text.out, r"\d+ settings? to set")

    def test_is_planned_for_the_port_that_is_named_alone(self):
        plan = self.plan("--port", "rxe1/1", "--output", "json").json["hosts"][0]["plan"]
        self.assertNotIn("dcb0", {step["object"]["where"] for step in plan["steps"]})
        self.assertEqual(tool.rdmaready("plan", self.agent.address, "--port", "rxe9/1").status, 2)

    def test_says_the_digest_that_permits_its_profile(self):
        plan = self.plan("--output", "json").json["hosts"][0]["plan"]
        digest = tool.rdmaready("profile", "digest", "virtual-fabric").out.split()[0]
        self.assertEqual(plan["profiles"], [{"name": "virtual-fabric", "sha256": digest}])

    def test_is_not_touched_without_an_applier_and_nothing_is_left_open(self):
        answer = tool.rdmaready("apply", self.agent.address, "--yes")
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("applier", answer.err)
        self.assertIn("PFC", answer.out, "the plan is shown all the same")
        for command in ("confirm", "rollback"):
            settled = tool.rdmaready(command, self.agent.address)
            self.assertEqual(settled.status, 3, settled)
            self.assertIn("applier", settled.err)

    def test_is_not_touched_where_nobody_can_be_asked(self):
        answer = tool.rdmaready("apply", self.agent.address)
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("--yes", answer.err)
        answer = tool.rdmaready("apply", self.agent.address, "--output", "json")
        self.assertEqual(json.loads(answer.out)["status"], 2)

    def test_is_not_touched_when_the_answer_is_no(self):
        above, below = pty.openpty()
        try:
            asked = subprocess.Popen([tool.BIN / "rdmaready", "apply", self.agent.address], stdin=below, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env=tool.environment())
            os.write(above, b"n\n")
            answer = tool.finish(asked)
        finally:
            os.close(above)
            os.close(below)
        self.assertEqual(answer.status, 1, answer)
        self.assertRegex(answer.err, r"Set this on .+\? \[y/N\]")
        self.assertIn("nothing was set", answer.err)

    def test_has_nothing_open_and_shows_its_last_check(self):
        self.assertEqual(tool.rdmaready("check", self.agent.address).status, 1)
        answer = tool.rdmaready("status", self.agent.address)
        self.assertEqual(answer.status, 0, answer)
        self.assertRegex(answer.out, rf"\A{self.agent.address}  nothing is open\n")
        self.assertRegex(answer.out, r"(?m)^  checked .* level host, \d+ s ago: not ready: ")
        self.assertRegex(answer.out, r"(?m)^  agent +\S+, up \d+ s$")
        [host] = tool.rdmaready("status", self.agent.address, "--output", "json").json["hosts"]
        self.assertEqual((host["needs_person"], host["changes"], host["last_check"]["verdict"]), (False, [], "not-ready"))
        self.assertTrue(host["no_applier"])

    def test_shows_the_layers_of_its_check_on_a_terminal_and_stops_at_the_first_that_fails(self):
        above, below = pty.openpty()
        try:
            check = subprocess.Popen([tool.BIN / "rdmaready", "check", self.agent.address, "--level", "loopback"], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=below, text=True, env=tool.environment({"TERM": "vt100"}))
            out, _ = check.communicate(timeout=120)
        finally:
            os.close(below)
        said = b""
        while True:
            try:
                part = os.read(above, 65536)
            except OSError:  # everybody has closed the other end
                break
            if not part:
                break
            said += part
        os.close(above)
        self.assertEqual(check.returncode, 1, out)
        layers = [line for line in said.decode().replace("\x1b[K", "").replace("\r", "\n").splitlines() if line.startswith("  ")]
        self.assertEqual(layers[0], "  agent       ok      1 host answered")
        self.assertRegex(layers[1], r"^  host        FAIL    .+: .+")
        self.assertNotIn("loopback    ", "".join(layers[2:]).replace("not run: loopback", ""))
        self.assertNotIn("  agent       ok", out)

    def test_judges_no_rollback_where_there_is_no_applier(self):
        findings = tool.rdmaready("check", self.agent.address, "--output", "json").json["hosts"][0]["findings"]
        outcome = {finding["id"]: finding["outcome"] for finding in findings}
        self.assertEqual(outcome["cfg.rollback-failed"], "not-applicable")


class ACaller(unittest.TestCase):
    def test_without_the_role_may_plan_and_not_apply(self):
        with tempfile.TemporaryDirectory(prefix="sick host ") as folder, recorded.agent(folder, SICK, role="test") as agent:
            self.assertEqual(tool.rdmaready("plan", agent.address).status, 1)
            answer = tool.rdmaready("apply", agent.address, "--yes")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn("role", answer.err)

    def test_is_refused_where_it_would_mean_nothing_or_everything(self):
        with tool.Agent() as agent, tool.Agent() as other:
            self.assertEqual(tool.rdmaready("apply", agent.address, "--confirm-within", "0s").status, 2)
            answer = tool.rdmaready("forget", agent.address, other.address)
            self.assertEqual(answer.status, 2, answer)
            self.assertIn("--yes", answer.err)

    def test_names_a_host_that_does_not_answer(self):
        for command in (["plan"], ["apply", "--yes"], ["confirm"], ["rollback"], ["forget"], ["status"]):
            answer = tool.rdmaready(*command, "127.0.0.1:1")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn("127.0.0.1:1", answer.out if command == ["status"] else answer.err)
            self.assertEqual((answer.out + answer.err).count("systemctl start rdmaready-agent"), 1, answer)


if __name__ == "__main__":
    unittest.main()
