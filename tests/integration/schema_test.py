# SPDX-License-Identifier: Apache-2.0
"""Every JSON output is as the schema that is shipped for it."""
import copy
import itertools
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import fixtures
import hub_enrol_test
import hubs
import many_hosts
import notice_receivers
import schemas
import tool

try:
    import jsonschema  # noqa: F401
except ImportError as error:
    raise unittest.SkipTest("no jsonschema (package python3-jsonschema; tests/run installs it)") from error


class AnOutput(unittest.TestCase):
    def outputs(self):
        """One at least of every schema, and of every recorded host."""
        with tempfile.TemporaryDirectory(prefix="schema ") as folder, many_hosts.ManyHosts(3) as hosts, tool.Agent() as agent:
            bad = pathlib.Path(folder) / "bad.yaml"
            bad.write_text("nome: x\n")
            lines = [["version"], ["explain", "--list"], ["explain", "pfc.only-one"], ["explain", "send-1k"], ["explain", "pfc"],
                     ["test", "--list"], ["profile", "list"], ["profile", "show", "smb-direct-roce"], ["profile", "check", bad],
                     ["profile", "show", "nvidia-lossless", "--switch", "cumulus"], ["nonsense"], ["facts"], ["facts", agent.address, "127.0.0.1:1"],
                     ["facts", "--facts", hosts.saved], ["facts", agent.address, "--save", pathlib.Path(folder) / "saved"], ["check"],
                     ["check", "--facts", hosts.saved, "--profile", many_hosts.PROFILE], ["check", agent.address, "127.0.0.1:1", "--level", "peer"],
                     ["check", agent.address, "--level", "loopback"], ["test", "loopback", agent.address], ["probe", "smb", "127.0.0.1", "--from", agent.address],
                     ["history", agent.address], ["history", agent.address, "--baseline"], ["profile", "digest", "smb-direct-roce"],
                     ["plan", agent.address, "127.0.0.1:1", "--persist"], ["apply", agent.address, "--yes"], ["forget", agent.address, "--list"],
                      ["status", agent.address, "127.0.0.1:1"], ["check", agent.address, "--wait=1s"],
                      ["bundle", agent.address, "--out", pathlib.Path(folder) / "b.tar"], ["context", "list"], ["context", "show"],
                      ["env", "--for", "nccl", "--facts", fixtures.HOSTS / "two-rails-healthy" / "saved", "--profile", "virtual-fabric"]]
            ca = ["--dir", pathlib.Path(folder) / "ca"]
            lines += [["pki", "init", *ca], ["pki", "issue", "host", "a", "--out", folder, *ca], ["pki", "pair", "b", "c", "--out", pathlib.Path(folder) / "pair", *ca],
                      ["pki", "list", *ca],
                      ["pki", "revoke", pathlib.Path(folder) / "a.pem", *ca], ["pki", "rotate", "--ca", *ca]]
            site = pathlib.Path(folder) / "site.yaml"
            site.write_text("groups: [{hosts: ['*'], profiles: [{profile: nvidia-lossless}]}]\n")
            lines += [["profile", "check", site]]
            expected = pathlib.Path(folder) / "expected.yaml"
            expected.write_text(f"tests: [{{name: a, facts: '{hosts.saved}', profile: {many_hosts.PROFILE}, verdict: not-ready}}]\n")
            lines += [["profile", "test", expected]]
            waiving = pathlib.Path(folder) / "waiving.yaml"
            waiving.write_text(f"extends: {many_hosts.PROFILE}\nname: waiving\nwaivers: [{{check: '*', reason: r, who: w, until: 2261-01-01}}]\n")
            lines += [["check", "--facts", hosts.saved, "--profile", waiving], ["check", agent.address, "--profile", waiving]]
            lines += [["report", agent.address, "--level", "host", "--html", pathlib.Path(folder) / "a page.html"]]
            lines += [["check", "--facts", case.saved, "--profile", case.profile] for case in fixtures.cases() if not case.described.exists()]
            for line in lines:
                yield line, tool.rdmaready(*line, "--output", "json").json
            with tarfile.open(pathlib.Path(folder) / "b.tar") as tar:
                for name in tar.getnames():
                    if name.endswith(("/events.json", "/report.json")):
                        yield name, json.load(tar.extractfile(name))
            for run in tool.rdmaready("history", agent.address, "--output", "json").json["hosts"][0]["runs"][:1]:
                yield "one run", tool.rdmaready("history", agent.address, "--run", run["run_id"], "--output", "json").json

    def outputs_of_a_fleet(self):
        """Hosts that are not well, one of which changed."""
        with tempfile.TemporaryDirectory(prefix="schema ") as folder, hubs.Hub(folder) as hub:
            status, told = hubs.simulate(hub, 3, "--for", "3s", script="1s change 1\n", hosts="two-rails-sick")
            self.assertEqual(status, 0, told)
            for line in (["status"], ["status", "no-such-host"], ["hosts"], ["findings"], ["history"], ["diff", "--at", "1h"], ["diff", "--at", "0s"], ["baseline"], ["past"],
                         ["watch", "--since", "1h", "--count", "1"], ["ack", "node*", "--check", "mtu.*", "--why", "known"], ["findings"],
                         ["maintenance", "node*", "--for", "1h", "--why", "moved"], ["status"], ["maintenance", "node*", "--end"],
                         ["maintenance", "no-such-host", "--end"], ["ack"], ["audit"]):
                yield ["fleet", *line], hub.fleet(*line, "--output", "json").json

    def outputs_of_notices(self):
        """What a receiver is sent."""
        with tempfile.TemporaryDirectory(prefix="schema ") as folder:
            receiver = notice_receivers.Webhook()
            file = notice_receivers.write(pathlib.Path(folder) / "n.yaml", "allow_private: [127.0.0.1]\nreceivers:\n"
                                          f"  - {{name: a, webhook: 'http://127.0.0.1:{receiver.port}/'}}\n")
            subprocess.run([tool.BIN / "rdmaready-hub", "notice-test", "--notices", file], check=True, capture_output=True, timeout=60)
            receiver.close()
            yield ["notice-test"], receiver.notices[0]

    def outputs_of_enrolling(self):
        """Tokens that come and go, and a host that was sent away."""
        with tempfile.TemporaryDirectory(prefix="schema ") as folder, hub_enrol_test.EnrollingHub(pathlib.Path(folder) / "hub") as hub:
            made = hub.ask("token", "--count", "2", "--output", "json").json
            yield ["fleet", "token"], made
            enrolled = hub.enrol(made["tokens"][0]["token"], pathlib.Path(folder) / "state")
            for line in (["token", "--withdraw", made["tokens"][1]["id"]], ["token", "--list"], ["revoke", enrolled.stdout.split()[3].rstrip(","), "--why", "x"]):
                yield ["fleet", *line], hub.ask(*line, "--output", "json").json

    def test_of_each_command_is_as_its_schema_says_and_each_schema_has_one(self):
        met = set()
        for line, output in itertools.chain(self.outputs(), self.outputs_of_a_fleet(), self.outputs_of_notices(), self.outputs_of_enrolling()):
            with self.subTest(line):
                self.assertEqual(schemas.faults(output), [])
            met.add(output["schema"])
        shipped = {path.stem for path in schemas.FOLDER.glob("*.json")}
        # A transfer needs an RDMA port: the fabric's own tests make some.
        self.assertLessEqual(shipped - met, {f"rdmaready.v1.{name}" for name in ("Transfer", "Probe", "Incast", "Ets", "Pfc", "Compare", "Paths", "Failover")})
        self.assertLessEqual(met, shipped)

    def test_that_is_not_as_its_schema_says_is_noticed(self):
        with many_hosts.ManyHosts(1) as hosts:
            good = tool.rdmaready("check", "--facts", hosts.saved, "--output", "json").json
        for change in (lambda one: one.pop("verdict"), lambda one: one.update(verdict="maybe"), lambda one: one.update(extra=1),
                       lambda one: one["hosts"][0]["findings"][0].update(outcome="fine"), lambda one: one["hosts"][0]["findings"][0].pop("fix")):
            bad = copy.deepcopy(good)
            change(bad)
            self.assertNotEqual(schemas.faults(bad), [])
        more = {**good, "added": 1}
        self.assertTrue(schemas.validator(good["schema"], strict=False).is_valid(more), "readers accept fields that were added")

    def test_schema_has_a_name_and_a_version(self):
        for path in schemas.FOLDER.glob("*.json"):
            schema = json.loads(path.read_text())
            self.assertEqual(schema["title"], path.stem)
            self.assertEqual(schema["properties"]["schema"]["const"], path.stem)
            self.assertRegex(schema["$comment"], r" Version \d+\.\d+\.")


if __name__ == "__main__":
    unittest.main()
