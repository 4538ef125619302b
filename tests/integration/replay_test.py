# SPDX-License-Identifier: Apache-2.0
"""A host is saved, and judged from what was saved: the same findings; and every folder that holds no recording is refused with the reason."""
import json
import os
import pathlib
import resource
import shutil
import socket
import tempfile
import unittest

import ports
import tool


def findings(report):
    """Of each host, without what no two runs share."""
    return [[{**found, "duration_ns": 0} for found in host["findings"]] for host in report["hosts"]]


class Saved(unittest.TestCase):
    """Saves this machine once; a test gets a copy."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rdmaready saved ")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.original = pathlib.Path(cls.temporary.name) / "original"
        with tool.Agent(listen=ports.free_address()) as agent:  # a test comes back to it
            cls.saved = tool.rdmaready("facts", agent.address, "--save", cls.original, "--output", "json")
            cls.live = tool.rdmaready("check", agent.address, "--output", "json")
            cls.facts = tool.rdmaready("facts", agent.address, "--output", "json")
            cls.shown = tool.rdmaready("facts", agent.address)
            cls.address = agent.address

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=self.temporary.name))
        shutil.copytree(self.original, self.directory / "saved")
        self.folder = self.directory / "saved"
        self.host = next(self.folder.iterdir())

    def one_line(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.out, "", answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        for word in words:
            self.assertIn(str(word), answer.err)

    def refused(self, *words):
        self.one_line(tool.rdmaready("check", "--facts", self.folder), 2, *words)
        answer = tool.rdmaready("check", "--facts", self.folder, "--output", "json")
        self.assertEqual(answer.status, 2, answer)
        self.assertEqual(answer.json["status"], 2)
        for word in words:
            self.assertIn(str(word), answer.json["error"])


class Judged(Saved):
    def test_a_saved_host_is_judged_as_the_live_one_was(self):
        self.assertEqual(self.saved.status, 0, self.saved)
        self.assertEqual(self.saved.json["hosts"], [{"host": self.address, "folder": str(self.original / self.host.name)}])
        again = tool.rdmaready("check", "--facts", self.folder, "--output", "json")
        self.assertEqual(again.status, self.live.status, again)
        self.assertEqual(findings(again.json), findings(self.live.json))
        for field in ("host", "verdict", "ladder", "kernel_release", "profiles", "ports", "agent_version"):
            self.assertEqual(again.json["hosts"][0][field], self.live.json["hosts"][0][field])
        self.assertIn("unix_ns", again.json["hosts"][0]["recorded"])

    def test_the_folder_of_one_host_will_do(self):
        whole = tool.rdmaready("check", "--facts", self.folder, "--output", "json")
        alone = tool.rdmaready("check", "--facts", self.host, "--output", "json")
        self.assertEqual(findings(alone.json), findings(whole.json))

    def test_this_host_is_saved_without_a_name(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready state ") as state:
            answer = tool.rdmaready("facts", "--save", self.directory / "own", env={"XDG_STATE_HOME": state})
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(answer.out, f"{socket.gethostname()}: saved in {self.directory}/own/{socket.gethostname()}\n")
        self.assertEqual(os.listdir(self.directory / "own"), [socket.gethostname()])

    def test_its_digests_are_those_of_sha256sum(self):
        import hashlib
        for line in (self.host / "SHA256SUMS").read_text().splitlines():
            digest, path = line.split("  ")
            self.assertEqual(hashlib.sha256((self.host / path).read_bytes()).hexdigest(), digest)

    def test_the_profile_is_chosen_as_for_a_live_host(self):
        answer = tool.rdmaready("check", "--facts", self.folder, "--profile", "virtual-fabric", "--output", "json")
        self.assertEqual(answer.json["profiles"][0]["name"], "virtual-fabric")
        self.one_line(tool.rdmaready("check", "--facts", self.folder, "--profile", "no-such"), 2, "no-such")

    def test_several_hosts_stand_side_by_side(self):
        with tool.Agent() as one, tool.Agent() as two:
            answer = tool.rdmaready("facts", one.address, two.address, "--save", self.directory / "two")
            self.assertEqual(answer.status, 0, answer)
            names = sorted([one.address, two.address])
        answer = tool.rdmaready("check", "--facts", self.directory / "two", "--output", "json")
        self.assertEqual(sorted(host["host"] for host in answer.json["hosts"]), names)

    def test_who_was_reached_is_saved_although_another_was_not(self):
        refused = ports.free_address()
        with tool.Agent() as agent:
            answer = tool.rdmaready("facts", agent.address, refused, "--save", self.directory / "part")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(refused, answer.err)
            self.assertEqual(os.listdir(self.directory / "part"), [agent.address.replace(":", "_")])


# Not what changes while nobody does anything here: uptime, counters, how long a neighbour was not confirmed, and who else listens.
def settled(facts):
    others = ("uptime_s", "uptimeS", "clock", "ports", "neighbours", "tcp_listeners")
    return {name: fact for name, fact in facts.items() if name not in others}


class Shown(Saved):
    """facts --facts shows what a live host showed."""

    def test_a_saved_host_is_shown_as_the_live_one_was(self):
        answer = tool.rdmaready("facts", "--facts", self.folder, "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(answer.json["schema"], self.facts.json["schema"])
        self.assertEqual([host["host"] for host in answer.json["hosts"]], [self.address])
        saved, live = (one.json["hosts"][0]["facts"] for one in (answer, self.facts))
        self.assertEqual(saved.keys(), live.keys())
        self.assertEqual(settled(saved), settled(live))
        for one in (saved, live):
            self.assertIn(int(self.address.rsplit(":", 1)[1]), one["tcp_listeners"]["value"]["ports"])
        self.assertGreater(len(settled(saved)), 10)

    def test_its_text_is_that_of_the_live_one(self):
        answer = tool.rdmaready("facts", "--facts", self.host)
        self.assertEqual((answer.status, answer.err), (0, ""), answer)
        self.assertEqual(answer.out.splitlines()[0], self.shown.out.splitlines()[0])
        self.assertEqual(len(answer.out.splitlines()), len(self.shown.out.splitlines()))

    def test_several_are_shown_and_a_damaged_one_is_named(self):
        other = self.folder / "other"
        shutil.copytree(self.host, other)
        both = tool.rdmaready("facts", "--facts", self.folder, "--output", "json")
        self.assertEqual((both.status, len(both.json["hosts"])), (0, 2), both)
        (other / "netlink.jsonl").write_text("")
        answer = tool.rdmaready("facts", "--facts", self.folder)
        self.assertEqual(answer.status, 2, answer)
        self.assertEqual(answer.out.splitlines()[0], self.shown.out.splitlines()[0])
        self.assertIn("other/netlink.jsonl: truncated or changed", answer.err)
        damaged = tool.rdmaready("facts", "--facts", self.folder, "--output", "json")
        self.assertEqual(["facts" in host for host in damaged.json["hosts"]].count(True), 1, damaged)
        self.one_line(tool.rdmaready("facts", "--facts", other), 2, "netlink.jsonl")


class BadCommands(Saved):
    def test_saved_hosts_are_judged_at_level_host_only(self):
        for level in ("loopback", "peer"):
            self.one_line(tool.rdmaready("check", "--facts", self.folder, "--level", level), 2, level, "--facts")

    def test_a_host_and_a_saved_one_are_not_judged_together(self):
        self.one_line(tool.rdmaready("check", "--facts", self.folder, "127.0.0.1"), 2, "--facts")
        self.one_line(tool.rdmaready("check", "--facts", self.folder, "--inventory", "hosts.txt"), 2, "--facts")

    def test_what_is_there_is_not_written_over(self):
        with tool.Agent(listen=self.address) as agent:
            self.one_line(tool.rdmaready("facts", agent.address, "--save", self.folder), 2, self.host, "exists")
        self.assertEqual(findings(tool.rdmaready("check", "--facts", self.folder, "--output", "json").json),
                         findings(self.live.json))

    def test_a_place_that_is_none(self):
        with tool.Agent() as agent:
            self.one_line(tool.rdmaready("facts", agent.address, "--save", "/nowhere/below"), 2, "/nowhere/below")
            self.one_line(tool.rdmaready("facts", agent.address, "--save", "/dev/null"), 2, "/dev/null")

    def test_a_full_disk_is_our_failure_and_leaves_nothing(self):
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        with tool.Agent() as agent:
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, limit[1]))  # in the middle of a file, like a full disk
            try:
                answer = tool.rdmaready("facts", agent.address, "--save", self.directory / "full")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        self.one_line(answer, 3, "File too large")
        self.assertEqual(os.listdir(self.directory / "full"), [])


class BadRecordings(Saved):
    def test_nothing(self):
        self.folder = self.directory / "nowhere"
        self.refused(self.folder, "No such file")

    def test_an_empty_folder(self):
        shutil.rmtree(self.host)
        self.refused(self.folder, "no recording")

    def test_a_foreign_folder_alone(self):
        shutil.rmtree(self.host)
        (self.folder / "other").mkdir()
        self.refused("recording.json")

    def test_a_foreign_folder_among_others_is_named_and_they_are_judged(self):
        (self.folder / "other").mkdir()
        answer = tool.rdmaready("check", "--facts", self.folder, "--output", "json")
        self.assertEqual(answer.status, 2, answer)
        errors = {host["host"]: host["error"] for host in answer.json["hosts"]}
        self.assertEqual(errors.pop(str(self.folder / "other")).count("recording.json"), 1)
        self.assertEqual(set(errors.values()), {""}, "the recorded host is judged")
        self.assertIn(str(self.folder / "other"), tool.rdmaready("check", "--facts", self.folder).err)

    def test_a_file(self):
        self.folder = self.host / "recording.json"
        self.refused(self.folder, "Not a directory")

    def test_a_truncated_file(self):
        victim = self.host / "files.jsonl"
        victim.write_bytes(victim.read_bytes()[:-10])
        self.refused(victim, "truncated")

    def test_a_changed_file(self):
        victim = self.host / "limits.jsonl"
        victim.write_text(victim.read_text().replace("0", "1", 1))
        self.refused(victim, "changed")

    def test_a_missing_file(self):
        (self.host / "limits.jsonl").unlink()
        self.refused(self.host / "limits.jsonl", "No such file")

    def test_a_newer_format(self):
        manifest = json.loads((self.host / "recording.json").read_text())
        (self.host / "recording.json").write_text(json.dumps({**manifest, "format": 99}))
        self.refused(self.host / "recording.json", "format 99", "newer rdmaready")

    def test_somebody_elses_manifest(self):
        (self.host / "recording.json").write_text('{"schema": "somebody.v1.Else"}')
        self.refused(self.host / "recording.json", "not the recording of a host")

    def test_a_symbolic_link(self):
        victim = self.host / "files" / "proc" / "sys" / "kernel" / "hostname"
        victim.unlink()
        victim.symlink_to("/etc/hostname")
        self.refused(victim, "symbolic link")

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_an_unreadable_file(self):
        (self.host / "files.jsonl").chmod(0)
        self.refused(self.host / "files.jsonl", "Permission denied")


if __name__ == "__main__":
    unittest.main()
