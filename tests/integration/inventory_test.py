# SPDX-License-Identifier: Apache-2.0
"""A fleet in YAML: groups of different profiles, racks, rails, a host that is not there, and one that does not answer."""
import json
import pathlib
import re
import signal
import tempfile
import time
import unittest

import many_hosts
import schemas
import tool

DEAD = "127.0.0.1:9"  # nobody listens there
FLEET = """profile: smb-direct-roce
groups:
  storage:
    profile: nvidia-lossless
    hosts: ["{storage[0]}", "{storage[1]}"]
    racks: {{r1: ["{storage[0]}"], r2: ["{storage[1]}", "{dead}"]}}
  compute:
    profile: mine.yaml
    hosts: ["{compute[0]}", "{compute[1]}"]
    racks: {{r1: ["{compute[0]}"]}}
hosts: ["{alone}"]
"""


def names(answer):
    return [host["host"] for host in answer.json["hosts"]]


class AFleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="a fleet ")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = pathlib.Path(cls.folder.name)
        cls.agents = [cls.begun(tool.Agent()) for _ in range(5)]
        addresses = [agent.address for agent in cls.agents]
        cls.storage, cls.compute, cls.alone = addresses[:2], addresses[2:4], addresses[4]
        (cls.place / "mine.yaml").write_text("extends: ai-backend\nname: mine\n")
        cls.fleet = cls.write("fleet one.yaml", FLEET.format(storage=cls.storage, compute=cls.compute, alone=cls.alone, dead=DEAD))

    @classmethod
    def begun(cls, agent):
        agent.__enter__()
        cls.addClassCleanup(agent.__exit__)
        return agent

    @classmethod
    def write(cls, name, text):
        (cls.place / name).write_text(text)
        return cls.place / name

    def check(self, *options, inventory=None, **how):
        return tool.rdmaready("check", "--inventory", inventory or self.fleet, *options, **how)

    def test_judges_each_host_by_the_profile_of_its_group(self):
        answer = self.check("--output", "json")
        self.assertEqual(names(answer), [*self.storage, DEAD, *self.compute, self.alone])
        rows = [(host.get("group"), host.get("rack"), [profile["name"] for profile in host["profiles"]]) for host in answer.json["hosts"]]
        self.assertEqual(rows, [("storage", "r1", ["nvidia-lossless"]), ("storage", "r2", ["nvidia-lossless"]), ("storage", "r2", []),
                                ("compute", "r1", ["mine"]), ("compute", None, ["mine"]), (None, None, ["smb-direct-roce"])])
        self.assertEqual([profile["name"] for profile in answer.json["profiles"]], ["nvidia-lossless", "mine", "smb-direct-roce"])
        self.assertEqual(schemas.faults(answer.json), [])

    def test_names_the_host_that_is_not_there_and_ends_with_4_unless_one_is_not_ready(self):
        answer = self.check("--output", "json")
        dead = answer.json["hosts"][2]
        self.assertIn("Connection refused", dead["error"])
        not_ready = any(host["verdict"] == "not-ready" for host in answer.json["hosts"])
        self.assertEqual(answer.status, 1 if not_ready else 4, answer.json["verdict"])
        alone = self.check("--rack", "r2", "--group", "storage", "--output", "json", inventory=self.write(
            "dead.yaml", f"groups: {{storage: {{racks: {{r2: [\"{DEAD}\", \"127.0.0.1:11\"]}}}}}}\n"))
        self.assertEqual(alone.status, 4, alone)

    def test_is_taken_in_part_by_group_and_rack(self):
        self.assertEqual(names(self.check("--group", "compute", "--output", "json")), self.compute)
        self.assertEqual(names(self.check("--rack", "r1", "--output", "json")), [self.storage[0], self.compute[0]])
        self.assertEqual(names(self.check("--rack", "r1", "--group", "storage", "--output", "json")), [self.storage[0]])
        for command in ("facts", "history", "plan"):
            part = tool.rdmaready(command, "--inventory", self.fleet, "--rack", "r1", "--group", "compute", "--output", "json")
            self.assertEqual(names(part), [self.compute[0]], part)

    def test_is_judged_by_the_profile_of_the_command_line_where_there_is_one(self):
        answer = self.check("--profile", "infiniband", "--output", "json")
        self.assertEqual([profile["name"] for profile in answer.json["profiles"]], ["infiniband"])
        self.assertEqual(answer.json["hosts"][0]["group"], "storage")

    def test_tests_pairs_within_each_group_only(self):
        answer = self.check("--level", "peer", "--output", "json")
        group = {host["host"]: host.get("group") for host in answer.json["hosts"]}
        self.assertTrue(answer.json["pairs"])
        for pair in answer.json["pairs"]:
            self.assertEqual(group[pair["from"]], group[pair["to"]], pair)

    def test_shows_the_odd_ones_first_in_text(self):
        answer = self.check()
        self.assertIn("group storage: 3 hosts", answer.out)
        self.assertIn("group compute: 2 hosts", answer.out)
        self.assertLess(answer.out.index("Connection refused"), answer.out.index("\nFINE "))
        verbose = self.check("-v")
        self.assertLess(verbose.out.index("\n" + DEAD + " "), verbose.out.index("\n  device "))
        self.assertIn(DEAD, answer.err)

    def test_takes_a_site_file_of_its_folder(self):
        self.write("site.yaml", "groups:\n- {hosts: [\"*\"], profiles: [{profile: mine.yaml}]}\n")
        answer = self.check("--output", "json", inventory=self.write("by site.yaml", f"site: site.yaml\nhosts: [\"{self.alone}\"]\n"))
        self.assertEqual([profile["name"] for profile in answer.json["hosts"][0]["profiles"]], ["mine"])

    def test_wants_every_rail_of_every_host(self):
        rails = f"profile: mine.yaml\nrails: {{a: [{{netdev: \"no-such-a*\"}}], b: [{{netdev: \"no-such-b*\"}}]}}\nhosts: [\"{self.alone}\"]\n"
        answer = self.check("--output", "json", inventory=self.write("rails.yaml", rails))
        self.assertEqual([profile["name"] for profile in answer.json["hosts"][0]["profiles"]], ["mine.a", "mine.b"], answer)
        self.assertNotEqual(answer.json["hosts"][0]["verdict"], "ready")

    def test_is_written_as_the_readme_shows_it(self):
        shown = [block for block in re.findall(r"```yaml\n(.*?)```", (tool.ROOT / "cli/README.md").read_text(), re.S) if "racks:" in block]
        self.assertEqual(len(shown), 1)
        answer = self.check("--rack", "none", inventory=self.write("shown.yaml", shown[0]))
        self.assertIn("has no rack 'none'; there are r1, r2", answer.err)

    def test_that_is_wrong_says_where_and_asks_nobody(self):
        for text, said in (("hosts: [a]\nprofil: x\n", "2: unknown key `profil` (did you mean `profile`?)"),
                           ("profile: no-such\nhosts: [a]\n", "1: "),
                           ("groups:\n  a: {hosts: [x], profile: mine.yaml}\n  b: {hosts: [x]}\n",
                            "3: host x is in group b here and in group a at ")):
            wrong = self.write("wrong.yaml", text)
            answer = self.check(inventory=wrong)
            self.assertEqual((answer.status, answer.out), (2, ""), answer)
            self.assertIn(f"{wrong}:{said}", answer.err)
            self.assertEqual(len(answer.err.splitlines()), 1, answer)
            error = self.check("--output", "json", inventory=wrong)
            self.assertEqual(error.json["status"], 2)


class ThreeHostsWithTwoPortsEach(unittest.TestCase):
    """Of which the second pauses another priority on its first port."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rails of a fleet ")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        hosts = many_hosts.ManyHosts(3, lambda number: (("pfc: {on: [3],", "pfc: {on: [4],"),) if number == 2 else ()).__enter__()
        cls.addClassCleanup(hosts.__exit__)
        cls.addresses = []
        for number in range(1, 4):
            script = cls.place / f"{number}" / "rdmaready-agent"
            script.parent.mkdir()
            script.write_text(f'#!/bin/sh\nexec "{tool.BIN}/recorded_agent" "{hosts.saved}/node{number:03}" "" "$@"\n')
            script.chmod(0o755)
            agent = tool.Agent(programs=script.parent).__enter__()
            cls.addClassCleanup(agent.__exit__)
            cls.addresses.append(agent.address)

    def run_with(self, command, text, *options):
        file = self.place / "the fleet.yaml"
        file.write_text(f"{text}\nhosts: {json.dumps(self.addresses)}\n")
        return tool.rdmaready(command, "--inventory", file, *options)

    def test_are_judged_rail_by_rail(self):
        rails = "profile: nvidia-lossless\nrails: {a: [{subnet: 10.0.1.0/24}], b: [{subnet: 10.0.2.0/24}]}"
        answer = self.run_with("check", rails, "--level", "peer", "--output", "json")
        for host in answer.json["hosts"]:
            self.assertEqual([port["profile"] for port in host["ports"]], ["nvidia-lossless.a", "nvidia-lossless.b"])
        found = [(host["host"], finding["id"], finding["profile"]) for host in answer.json["hosts"] for finding in host["findings"]
                 if finding["outcome"] == "fail" and not finding["hidden_by"]]
        self.assertEqual(found, [(self.addresses[1], "pfc.lossless-priority", "nvidia-lossless.a")])
        for pair in answer.json["pairs"]:
            for subject in {finding["subject"] for finding in pair["findings"] if " -> " in finding["subject"]}:
                self.assertEqual(*(end.split()[0] for end in subject.split(" -> ")), "each rail with itself")

    def test_are_not_ready_without_one_of_their_rails(self):
        rails = "profile: nvidia-lossless\nrails: {a: [{subnet: 10.0.1.0/24}], c: [{subnet: 10.0.3.0/24}]}"
        for host in self.run_with("check", rails, "--output", "json").json["hosts"]:
            missed = [finding["profile"] for finding in host["findings"] if finding["id"] == "inv.ports-selected" and finding["outcome"] == "fail"]
            self.assertEqual((host["verdict"], missed), ("not-ready", ["nvidia-lossless.c"]))

    def test_are_planned_by_what_they_are_judged_by(self):
        def steps(answer):
            return [host["plan"]["steps"] for host in answer.json["hosts"]]
        for profile in ("nvidia-lossless", "nvidia-lossy"):
            by_inventory = self.run_with("plan", f"profile: {profile}", "--output", "json")
            by_option = tool.rdmaready("plan", *self.addresses, "--profile", profile, "--output", "json")
            self.assertEqual(steps(by_inventory), steps(by_option))
            self.assertTrue(any(steps(by_option)), profile)


class AHostThatDoesNotAnswer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a fleet ")
        self.addCleanup(folder.cleanup)
        self.good = tool.Agent("--log-level", "debug").__enter__()
        self.addCleanup(self.good.__exit__)
        self.silent = tool.Agent().__enter__()
        self.addCleanup(self.silent.__exit__)
        self.silent.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.silent.process.send_signal, signal.SIGCONT)
        self.fleet = pathlib.Path(folder.name) / "the fleet.yaml"
        self.fleet.write_text(f"profile: ai-backend\ngroups:\n  a:\n    racks: {{r1: [\"{self.good.address}\", \"{self.silent.address}\", \"{DEAD}\"]}}\n")

    def judged(self, answer, why):
        good, silent, dead = answer.json["hosts"]
        self.assertEqual(([host["host"] for host in (good, silent, dead)]), [self.good.address, self.silent.address, DEAD])
        self.assertEqual((good["error"], len(good["findings"]) > 0), ("", True), answer)
        self.assertIn(why, silent["error"])
        self.assertIn("Connection refused", dead["error"])
        self.assertEqual({host["rack"] for host in (good, silent, dead)}, {"r1"})
        self.assertEqual(schemas.faults(answer.json), [])

    def test_in_the_time_that_there_is_leaves_the_others_judged(self):
        answer = tool.rdmaready("check", "--inventory", self.fleet, "--timeout", "120", "--max-time", "8s", "--output", "json")
        self.judged(answer, "out of time (--max-time 8s)")
        self.assertIn(answer.status, (1, 4), answer)
        text = tool.rdmaready("check", "--inventory", self.fleet, "--timeout", "120", "--max-time", "4s")
        self.assertIn(self.silent.address, text.out)
        self.assertIn(self.silent.address, text.err)
        self.assertIn(DEAD, text.err)

    def interrupt(self, process):
        """A check, when the others are judged."""
        self.addCleanup(process.kill)
        self.assertTrue(self.good.logged("duration_ms"), self.good.log)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        return tool.finish(process, 60)

    def test_when_interrupted_leaves_the_others_judged(self):
        answer = self.interrupt(tool.start("check", "--inventory", self.fleet, "--timeout", "120", "--output", "json"))
        self.assertEqual(answer.status, 130, answer)
        self.judged(answer, "interrupted")

    def test_is_no_reason_to_say_nothing_of_the_others(self):
        for command, key in (("facts", "facts"), ("history", "runs"), ("history --baseline", "baselines")):
            with self.subTest(command):
                process = tool.start(*command.split(), "--inventory", self.fleet, "--timeout", "120", "--output", "json")
                self.addCleanup(process.kill)
                time.sleep(5)  # for the others to answer
                process.send_signal(signal.SIGINT)
                answer = tool.finish(process, 60)
                self.assertEqual(answer.status, 130, answer)
                good, silent, dead = answer.json["hosts"]
                self.assertIn(key, good)
                self.assertIn("interrupted before it answered", silent["error"])
                self.assertIn("Connection refused", dead["error"])

    def test_when_interrupted_is_named_in_text_too(self):
        answer = self.interrupt(tool.start("check", "--inventory", self.fleet, "--timeout", "120"))
        self.assertEqual(answer.status, 130, answer)
        self.assertIn(f"host {self.silent.address}: interrupted before its check was done", answer.out + answer.err)
        self.assertIn("3 hosts", answer.out)


if __name__ == "__main__":
    unittest.main()
