# SPDX-License-Identifier: Apache-2.0
"""Contexts and the environment, with agents and a hub that speak TLS: three options less on every command."""
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import certificates
import hubs
import tool
from eventually import eventually


class OverTls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready contexts ")
        cls.path = pathlib.Path(cls.directory.name)
        authority = certificates.Authority(cls.path, "ca")
        for name in ("agent", "hub", "me"):
            authority.sign(name, "IP:127.0.0.1")
        foreign = certificates.Authority(cls.path, "foreign")
        foreign.sign("stranger")
        cls.agents = [tool.Agent("--tls-cert", cls.path / "agent.pem", "--tls-key", cls.path / "agent.key", "--tls-ca", cls.path / "ca.pem").__enter__()
                      for _ in range(2)]
        cls.hub = hubs.Hub(cls.path, "--tls-cert", cls.path / "hub.pem", "--tls-key", cls.path / "hub.key", "--tls-ca", cls.path / "ca.pem").start()

    @classmethod
    def tearDownClass(cls):
        for agent in cls.agents:
            agent.__exit__()
        cls.hub.stop()
        cls.directory.cleanup()

    def setUp(self):
        self.file = self.path / "config" / "contexts.yaml"
        self.file.unlink(missing_ok=True)

    def say(self, *words, **variables):
        return tool.rdmaready(*words, env={"RDMAREADY_CONFIG": str(self.file), **variables})

    def make(self, name="lab", *more):
        answer = self.say("context", "set", name, "--tls-ca", self.path / "ca.pem", "--tls-cert", self.path / "me.pem", "--tls-key",
                          self.path / "me.key", "--hub", self.hub.address, *more)
        self.assertEqual((answer.status, answer.err), (0, ""), answer)


class AContext(OverTls):
    def test_is_what_every_command_that_asks_takes(self):
        self.make()
        a, b = (agent.address for agent in self.agents)
        self.assertEqual(self.say("facts", a).status, 0)
        self.assertEqual(self.say("history", a, b).status, 0)
        self.assertIn("hosts", self.say("fleet", "hosts", "--output", "json").json)
        for words in (("check", a), ("plan", a), ("test", "loopback", a), ("test", "peer", a, b), ("probe", "smb", "127.0.0.1", "--from", a),
                      ("confirm", a), ("rollback", a), ("forget", a, "--list"), ("apply", a, "--yes"), ("bundle", a, "--out", self.path / "b.tar", "--force")):
            answer = self.say(*words, "--output", "json")
            self.assertNotRegex(answer.out + answer.err, "wants TLS|plain text without|--tls-")
        self.assertIn("wants TLS", self.say("facts", a, "--context", "none").err)

    def test_of_the_environment_is_what_a_shell_takes(self):
        variables = {f"RDMAREADY_TLS_{what}": str(self.path / name) for what, name in (("CA", "ca.pem"), ("CERT", "me.pem"), ("KEY", "me.key"))}
        self.assertEqual(self.say("facts", self.agents[0].address, **variables).status, 0)
        self.assertEqual(self.say("fleet", "status", RDMAREADY_HUB=self.hub.address, **variables).status, 3)  # no host has reported
        self.make()
        variables["RDMAREADY_TLS_CERT"], variables["RDMAREADY_TLS_KEY"] = str(self.path / "stranger.pem"), str(self.path / "stranger.key")
        refused = self.say("facts", self.agents[0].address, **variables)
        self.assertEqual(refused.status, 4, refused)
        self.assertIn("RDMAREADY_TLS_CERT", refused.err)

    def test_is_named_in_an_error_of_tls(self):
        self.make()
        self.say("context", "set", "lab", "--tls-ca", self.path / "foreign.pem")
        for words in (("facts", self.agents[0].address), ("fleet", "status")):
            answer = self.say(*words)
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(f"--tls-ca, --tls-cert and --tls-key are from context lab of {self.file}", answer.err)
            self.assertIn("not signed by a CA that is trusted here", answer.err)

    def test_of_another_folder_keeps_its_relative_paths(self):
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text("current: lab\ncontexts: {lab: {tls_ca: ../ca.pem, tls_cert: ../me.pem, tls_key: ../me.key}}\n")
        self.file.chmod(0o600)
        self.assertEqual(self.say("facts", self.agents[0].address).status, 0)

    @unittest.skipUnless(os.geteuid() == 0, "takes root")
    def test_of_a_home_that_sudo_kept_is_not_taken(self):
        home = self.path / "home"
        (home / ".config/rdmaready").mkdir(parents=True, exist_ok=True)
        kept = {**tool.environment(), "HOME": str(home)}
        kept.pop("RDMAREADY_CONFIG")
        for owner, taken in ((0, True), (61102, False)):
            os.chown(home, owner, owner)
            shown = subprocess.run([tool.BIN / "rdmaready", "context", "show", "--output", "json"], capture_output=True, text=True, env=kept)
            self.assertEqual(str(home / ".config/rdmaready/contexts.yaml") in shown.stdout, taken, shown)


class AHubThatSpeaksTls(OverTls):
    def test_says_to_plain_text_what_an_agent_says(self):
        begun = time.monotonic()
        answer = self.say("fleet", "status", "--hub", self.hub.address)
        self.assertLess(time.monotonic() - begun, 4)
        self.assertEqual(answer.status, 4, answer)
        agent = self.say("facts", self.agents[0].address)
        said = "wants TLS: --tls-ca, --tls-cert and --tls-key are needed (RDMAREADY_TLS_* or `rdmaready context set` may hold them)"
        self.assertIn(f"the hub {said}", answer.err)
        self.assertIn(f"the agent {said}", agent.err)

    def test_says_that_a_certificate_is_missing(self):
        answer = self.say("fleet", "status", "--hub", self.hub.address, "--tls-ca", self.path / "ca.pem")
        self.assertEqual(answer.status, 4, answer)
        self.assertIn("the hub asked for a certificate and --tls-cert was not given", answer.err)


class TwoHostsOfOneName(unittest.TestCase):
    """Two agents of one machine have its name; each has an id of its own."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready twins ")
        cls.hub = hubs.Hub(pathlib.Path(cls.directory.name)).start()
        cls.agents = [tool.Agent("--hub", cls.hub.address).__enter__() for _ in range(2)]
        cls.hosts = eventually(lambda: cls.hub.fleet("hosts", "--output", "json").json["hosts"], right=lambda hosts: len(hosts) == 2)

    @classmethod
    def tearDownClass(cls):
        for agent in cls.agents:
            agent.__exit__()
        cls.hub.stop()
        cls.directory.cleanup()

    def test_are_told_apart_by_ids_that_verbs_take(self):
        ids = [host["host_id"] for host in self.hosts]
        name = self.hosts[0]["name"]
        self.assertEqual({host["name"] for host in self.hosts}, {name})
        for verb in ("hosts", "findings", "status", "history"):
            text = self.hub.fleet(verb).out
            for one in ids:
                self.assertIn(f"{name} (id {one})", text, verb)
        for verb in ("hosts", "findings", "history"):
            of_one = self.hub.fleet(verb, ids[0])
            self.assertIn(f"(id {ids[0]})", of_one.out)
            self.assertNotIn(f"(id {ids[1]})", of_one.out)
        self.assertEqual([host["host_id"] for host in self.hub.fleet("hosts", ids[1], "--output", "json").json["hosts"]], [ids[1]])


class OneHostOfItsName(unittest.TestCase):
    def test_is_called_by_its_name_alone(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready alone ") as folder, hubs.Hub(folder) as hub, tool.Agent("--hub", hub.address):
            hosts = eventually(lambda: hub.fleet("hosts", "--output", "json").json["hosts"])
            self.assertNotIn(hosts[0]["host_id"], hub.fleet("hosts").out + hub.fleet("findings").out + hub.fleet("status").out)


if __name__ == "__main__":
    unittest.main()
