# SPDX-License-Identifier: Apache-2.0
"""A bundle of hosts: judged as they were live, and under pseudonyms too; what is not in it is named; a file that is no bundle is refused."""
import gzip
import hashlib
import io
import json
import os
import pathlib
import signal
import socket
import tarfile
import tempfile
import unittest

import tool
from eventually import eventually


def findings(report):
    """Of each host, without what no two runs share."""
    return [[{**found, "duration_ns": 0} for found in host["findings"]] for host in report["hosts"]]


def outcomes(report):
    return [[(found["id"], found["outcome"], found["blocking"]) for found in host["findings"]] for host in report["hosts"]]


class Bundled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.agent = cls.enterClassContext(tool.Agent())
        cls.address = cls.agent.address
        cls.live = tool.rdmaready("check", cls.address, "--output", "json")

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="rdmaready bundle ")))
        self.file = self.folder / "b.tar"

    def bundle(self, *options, file=None, status=0):
        answer = tool.rdmaready("bundle", self.address, "--out", file or self.file, *options, "--output", "json")
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def members(self, file=None):
        with tarfile.open(file or self.file) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}

    def manifest(self):
        return json.loads(self.members()["manifest.json"])

    def one_line(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.out, "", answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        for word in words:
            self.assertIn(str(word), answer.err)


class Made(Bundled):
    def test_its_hosts_are_judged_as_they_were_live(self):
        for name in ("b.tar", "b.tar.gz", "b.tgz"):
            made = self.bundle(file=self.folder / name)
            self.assertEqual(made["bytes"], (self.folder / name).stat().st_size)
            self.assertEqual((self.folder / name).read_bytes()[:2] == b"\x1f\x8b", name != "b.tar")
            again = tool.rdmaready("check", "--bundle", self.folder / name, "--output", "json")
            self.assertEqual(again.status, self.live.status, again)
            self.assertEqual(findings(again.json), findings(self.live.json))
            self.assertEqual(again.json["hosts"][0]["host"], self.address)
            self.assertIn("unix_ns", again.json["hosts"][0]["recorded"])
        facts = tool.rdmaready("facts", "--bundle", self.file, self.address, "--output", "json")
        self.assertEqual(facts.json["hosts"][0]["facts"]["hostname"], socket.gethostname())

    def test_any_tar_reads_it_and_finds_what_the_manifest_says(self):
        self.bundle()
        with tarfile.open(self.file) as tar:
            members = tar.getmembers()
        self.assertEqual(members[0].name, "manifest.json")
        for member in members:
            self.assertEqual((member.mode, member.uid, member.gid, member.mtime, member.type), (0o600, 0, 0, 0, tarfile.REGTYPE))
        names = [member.name for member in members[1:]]
        self.assertEqual(names, sorted(names))
        contents = self.members()
        listed = self.manifest()["members"]
        self.assertEqual([one["path"] for one in listed], names)
        for one in listed:
            self.assertEqual(one["sha256"], hashlib.sha256(contents[one["path"]]).hexdigest())
        folder = f"hosts/{self.manifest()['hosts'][0]['folder']}/"
        schemas = {name: json.loads(contents[folder + name])["schema"] for name in ("report.json", "history.json", "events.json")}
        self.assertEqual(schemas, {"report.json": "rdmaready.v1.Check", "history.json": "rdmaready.v1.History",
                                   "events.json": "rdmaready.v1.Events"})
        self.assertEqual(findings(json.loads(contents[folder + "report.json"])), findings(self.live.json))
        events = json.loads(contents[folder + "events.json"])["events"]
        self.assertIn("check", [event["event"] for event in events])
        self.assertNotIn("audit", [event["event"] for event in events])
        versions = {one["what"]: one["version"] for one in self.manifest()["hosts"][0]["versions"]}
        self.assertEqual(versions["kernel"], os.uname().release)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)

    def test_unpacked_it_is_a_folder_of_recordings(self):
        self.bundle()
        with tarfile.open(self.file) as tar:
            # Debian 12's Python has no filter: the names are looked at by another test.
            tar.extractall(self.folder / "out", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        host = next((self.folder / "out" / "hosts").iterdir())
        again = tool.rdmaready("check", "--facts", host / "recording", "--output", "json")
        self.assertEqual(findings(again.json), findings(self.live.json))

    def test_a_host_that_does_not_answer_is_named_and_the_others_are_there(self):
        answer = tool.rdmaready("bundle", self.address, "127.0.0.1:1", "--out", self.file)
        self.assertEqual(answer.status, 4, answer)
        self.assertIn("127.0.0.1:1", answer.err)
        self.assertIn("refused", self.manifest()["hosts"][1]["error"])
        again = tool.rdmaready("check", "--bundle", self.file, "--output", "json")
        self.assertEqual(again.status, 2, again)
        self.assertEqual(findings(again.json)[0], findings(self.live.json)[0])
        self.assertIn("refused", again.json["hosts"][1]["error"])
        alone = tool.rdmaready("check", "--bundle", self.file, self.address, "--output", "json")
        self.assertEqual(alone.status, self.live.status, alone)
        self.one_line(tool.rdmaready("check", "--bundle", self.file, "other"), 2, "has no host other", self.address)

    def test_without_any_host_that_answers_there_is_no_file(self):
        self.one_line(tool.rdmaready("bundle", "127.0.0.1:1", "--out", self.file), 4, "127.0.0.1:1")
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_any_host_each_is_told_and_the_worst_status_is_that_of_all(self):
        gone, wrong = "127.0.0.1:1", "no-such-host.invalid"
        for hosts in ((gone, wrong), (wrong, gone)):
            answer = tool.rdmaready("bundle", *hosts, "--out", self.file)
            alone = [tool.rdmaready("bundle", host, "--out", self.file).status for host in hosts]
            self.assertEqual(answer.status, tool.rdmaready("facts", *hosts).status, (answer, alone))
            for host in hosts:
                self.assertIn(host, answer.err)

    def test_what_does_not_fit_is_left_out_and_named(self):
        self.bundle()
        whole = self.file.stat().st_size
        made = self.bundle("--max-size", str(whole - 1024), "--force")
        self.assertLess(self.file.stat().st_size, whole)
        left_out = [one["what"] for one in made["left_out"]]  # what the manifest takes is reckoned with room to spare
        self.assertIn(left_out, (["events"], ["events", "history"]))
        self.assertEqual(self.manifest()["left_out"], made["left_out"])
        self.bundle("--max-size", "8K", "--force")
        self.assertLessEqual(self.file.stat().st_size, 8192)
        self.one_line(tool.rdmaready("check", "--bundle", self.file), 2, "would not fit")
        self.one_line(tool.rdmaready("bundle", self.address, "--out", self.folder / "c", "--max-size", "1K"), 2, "manifest")
        self.one_line(tool.rdmaready("bundle", self.address, "--out", self.folder / "c", "--max-size", "257M"), 2, "256M")
        self.assertFalse((self.folder / "c").exists())

    def test_a_file_is_replaced_only_by_force(self):
        self.file.write_text("old")
        self.one_line(tool.rdmaready("bundle", self.address, "--out", self.file), 2, "exists already", "--force")
        self.assertEqual(self.file.read_text(), "old")
        self.bundle("--force")
        self.assertEqual(os.listdir(self.folder), ["b.tar"])
        self.one_line(tool.rdmaready("bundle", self.address, "--out", "/dev/full", "--force"), 2, "no plain file")
        self.one_line(tool.rdmaready("bundle", self.address, "--out", self.folder / "none/b.tar"), 2, "No such file")

    def test_interrupted_it_leaves_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:  # it takes the connection and answers nothing, so the bundle waits for it
            process = tool.start("bundle", self.address, f"127.0.0.1:{silent.getsockname()[1]}", "--out", self.file)
            eventually(lambda: os.listdir(self.folder))
            process.send_signal(signal.SIGINT)
            answer = tool.finish(process)
        self.assertEqual(answer.status, 130, answer)
        self.assertEqual(os.listdir(self.folder), [])


class Pseudonymous(Bundled):
    def test_it_is_judged_the_same_and_holds_no_name(self):
        made = self.bundle("--pseudonyms")
        again = tool.rdmaready("check", "--bundle", self.file, "--output", "json")
        self.assertEqual(again.status, self.live.status, again)
        self.assertEqual(outcomes(again.json), outcomes(self.live.json))
        name = made["hosts"][0]["pseudonym"]
        self.assertEqual(again.json["hosts"][0]["host"], name)
        data = self.file.read_bytes()
        names = [self.address, f'"{socket.gethostname()}"']
        machine_id = pathlib.Path("/etc/machine-id")
        if machine_id.exists() and machine_id.read_text().strip():
            names.append(machine_id.read_text().strip())
        for one in names:
            self.assertNotIn(one.encode(), data)
        self.assertEqual({one["what"] for one in made["left_out"]}, {"recording", "report", "history", "events"})
        self.assertEqual({path.rsplit("/", 1)[-1] for path in self.members()}, {"manifest.json", "facts.json", "judged_by.json"})

    def test_each_bundle_has_names_of_its_own(self):
        first = self.bundle("--pseudonyms")
        second = self.bundle("--pseudonyms", "--force")
        self.assertNotEqual(first["hosts"][0]["pseudonym"], second["hosts"][0]["pseudonym"])

    def test_a_host_that_does_not_answer_is_not_named(self):
        answer = tool.rdmaready("bundle", self.address, "127.0.0.1:1", "--out", self.file, "--pseudonyms")
        self.assertEqual(answer.status, 4, answer)
        self.assertNotIn(b"127.0.0.1:1", self.file.read_bytes())
        self.assertEqual(self.manifest()["hosts"][1]["error"], "it gave no recording")


class Refused(Bundled):
    def setUp(self):
        super().setUp()
        self.bundle()
        self.good = self.members()

    def refused(self, data, *words):
        self.file.write_bytes(data)
        for command in ("check", "facts"):
            self.one_line(tool.rdmaready(command, "--bundle", self.file), 2, *words)

    def tar(self, *more, kind=tarfile.USTAR_FORMAT, members=None):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=kind) as tar:
            for name, contents in (members or self.good).items():
                info = tarfile.TarInfo(name)
                info.size = len(contents)
                tar.addfile(info, io.BytesIO(contents))
            for info in more:
                tar.addfile(info, io.BytesIO(b""))
        return data.getvalue()

    def member(self, name, kind=tarfile.REGTYPE, link=""):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        return info

    def test_links_folders_and_special_files(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
            self.refused(self.tar(self.member("hosts/x", kind, "/etc/passwd")), "hosts/x: a link: refused")
        for kind in (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE):
            self.refused(self.tar(self.member("hosts/x", kind)), "hosts/x: no plain file: refused")
        self.refused(self.tar(self.member("hosts", tarfile.DIRTYPE)), "a folder: refused")

    def test_paths_that_lead_elsewhere_or_come_twice(self):
        self.refused(self.tar(self.member("/etc/passwd")), "/etc/passwd: an absolute path: refused")
        self.refused(self.tar(self.member("hosts/../../x")), "no path of a bundle: refused")
        self.refused(self.tar(self.member("manifest.json")), "manifest.json: named twice")

    def test_more_than_its_bounds(self):
        self.refused(gzip.compress(bytes(257 << 20), 1), "more than 256 MiB unpacked")
        with self.file.open("wb") as file:
            file.truncate(257 << 20)
        self.one_line(tool.rdmaready("check", "--bundle", self.file), 2, "more than 256 MiB")

    def test_members_that_are_not_what_the_manifest_says(self):
        report = next(path for path in self.good if path.endswith("report.json"))
        self.refused(self.tar(members={**self.good, report: self.good[report][:-1] + b" "}), report, "its digest differs")
        self.refused(self.tar(members={**self.good, report: b""}), report, "its size differs")
        self.refused(self.tar(self.member("hosts/more")), "the manifest does not name it")
        self.refused(self.tar(members={path: contents for path, contents in self.good.items() if path != report}), report, "missing")

    def test_what_is_no_bundle_at_all(self):
        self.refused(b"", "ends too soon")
        self.refused(b"x" * 2000, "no tar of a bundle")
        self.refused(self.tar(members={"a": b"b"}), "no manifest.json")
        self.refused(self.tar()[:3000], "ends too soon")
        self.refused(gzip.compress(self.tar())[:-9], "damaged")
        self.one_line(tool.rdmaready("check", "--bundle", self.folder), 2, "not a plain file")
        self.one_line(tool.rdmaready("check", "--bundle", self.folder / "none"), 2, "No such file")

    def test_what_makes_no_sense_beside_it(self):
        self.one_line(tool.rdmaready("check", "--bundle", self.file, "--level", "loopback"), 2, "--bundle judges what was saved")
        self.one_line(tool.rdmaready("check", "--bundle", self.file, "--facts", self.folder), 2, "exclude each other")
        self.one_line(tool.rdmaready("facts", "--bundle", self.file, "--save", self.folder), 2, "--save needs live hosts")


if __name__ == "__main__":
    unittest.main()
