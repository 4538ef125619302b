# SPDX-License-Identifier: Apache-2.0
"""A recording and a bundle keep by what their hosts were judged: elsewhere, without any option, they give the verdict and the findings that the
live hosts gave."""
import json
import pathlib
import re
import shutil
import tarfile
import tempfile
import unittest

import fixtures
import tool

SAVED = fixtures.HOSTS / "two-rails-sick" / "saved" / "storage2"
LOSSY = ("extends: virtual-fabric\nname: our-lossy\npfc: []\nports: [{netdev: dcb0}]\n"
         "waivers:\n  - {check: inv.name-stability, reason: a secret reason, who: Ann, until: 2261-01-01}\n")
SITE = "groups:\n  - hosts: [\"*\"]\n    profiles:\n      - {profile: lossy.yaml, ports: [{netdev: dcb1}]}\n"


def findings(report):
    """Of each host, without what no two runs share."""
    return [[{**found, "duration_ns": 0} for found in host["findings"]] for host in report["hosts"]]


def outcomes(report):
    return [[(found["id"], found["outcome"], "waived" in found) for found in host["findings"]] for host in report["hosts"]]


def timeless(text):
    """Without how long it took to judge."""
    return re.sub(r"; [0-9.]+ (ms|s|us)", "", text)


class Kept(unittest.TestCase):
    """An agent with a profile of its own for one of its ports, which has a waiver."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="kept profile ")))
        for name, text in (("lossy.yaml", LOSSY), ("site.yaml", SITE)):
            (cls.folder / name).write_text(text)
        script = cls.folder / "rdmaready-agent"
        script.write_text(f'#!/bin/sh\nexec "{tool.BIN}/recorded_agent" "{SAVED}" "" "$@"\n')
        script.chmod(0o755)
        cls.agent = cls.enterClassContext(
            tool.Agent("--profile", cls.folder / "lossy.yaml", "--plain-role", "test",
                       under=("/bin/sh",), programs=cls.folder))
        cls.address = cls.agent.address

    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="kept profile ")))

    def live(self, *options):
        answer = tool.rdmaready("check", self.address, "--output", "json", *options)
        self.assertEqual(answer.err, "", answer)
        return answer

    def same(self, judged, live, compared=findings):
        self.assertEqual(judged.status, live.status, judged)
        self.assertEqual(judged.json["verdict"], live.json["verdict"])
        self.assertEqual(compared(judged.json), compared(live.json))

    def save(self, *options):
        answer = tool.rdmaready("facts", self.address, "--save", self.place / "saved", *options)
        self.assertEqual(answer.status, 0, answer)
        return next((self.place / "saved").iterdir())

    def bundle(self, *options):
        answer = tool.rdmaready("bundle", self.address, "--out", self.place / "b.tar", *options, "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        return self.place / "b.tar", answer.json


class Recordings(Kept):
    def test_are_judged_by_the_profile_of_the_agent(self):
        live = self.live()
        self.assertEqual(live.json["hosts"][0]["profiles"][0]["name"], "our-lossy")
        self.assertGreater(live.json["waived"], 0)
        self.save()
        judged = tool.rdmaready("check", "--facts", self.place / "saved", "--output", "json")
        self.same(judged, live)
        self.assertEqual(judged.json["hosts"][0]["profiles"], live.json["hosts"][0]["profiles"])
        self.assertEqual(judged.json["hosts"][0]["ports"], live.json["hosts"][0]["ports"])
        self.assertEqual(judged.json["hosts"][0]["recorded"]["profiles"], live.json["hosts"][0]["profiles"])
        self.assertEqual(tool.rdmaready("check", "--facts", self.place / "saved").err, "")

    def test_are_judged_by_the_profile_that_was_named_when_they_were_made(self):
        for profile in ("virtual-fabric", self.folder / "site.yaml"):
            with self.subTest(profile=profile):
                folder = self.save("--profile", profile)
                self.same(tool.rdmaready("check", "--facts", folder, "--output", "json"), self.live("--profile", profile))
                shutil.rmtree(self.place / "saved")

    def test_keep_the_text_of_the_site_file_and_the_profiles(self):
        kept = json.loads((self.save("--profile", self.folder / "site.yaml") / "judged_by.json").read_text())
        self.assertEqual(kept["site"], {"name": str(self.folder / "site.yaml"), "text": SITE})
        self.assertEqual(kept["chosen_by"], "--profile")
        self.assertEqual(kept["profiles"][0]["waivers"][0]["check"], "inv.name-stability")
        self.assertIn("netdev: dcb1", kept["yaml"][0])

    def test_are_judged_by_what_the_inventory_said(self):
        inventory = self.place / "fleet.yaml"
        inventory.write_text(f"groups:\n  storage:\n    profile: {self.folder / 'lossy.yaml'}\n    hosts: [\"{self.address}\"]\n")
        answer = tool.rdmaready("facts", "--inventory", inventory, "--save", self.place / "saved")
        self.assertEqual(answer.status, 0, answer)
        live = tool.rdmaready("check", "--inventory", inventory, "--output", "json")
        judged = tool.rdmaready("check", "--facts", self.place / "saved", "--output", "json")
        self.same(judged, live)
        self.assertEqual(judged.json["hosts"][0].get("group"), live.json["hosts"][0].get("group"))

    def test_give_env_the_profile_that_they_keep(self):
        answer = tool.rdmaready("env", "--facts", self.save(), "--for", "nccl")
        live = tool.rdmaready("env", self.address, "--for", "nccl")
        self.assertEqual((answer.status, answer.out), (live.status, live.out))
        reason = answer.err.split(": ", 2)[2] if answer.err else ""
        self.assertEqual(reason, live.err.split(": ", 2)[2] if live.err else "")

    def test_name_a_profile_that_only_has_the_name_of_a_built_in_one(self):
        saved = self.save()
        kept = saved / "judged_by.json"
        text = json.loads(kept.read_text())
        text["profiles"] = [{"name": "smb-direct-roce"}]
        kept.write_text(json.dumps(text))
        self.seal(saved)
        answer = tool.rdmaready("check", "--facts", saved)
        self.assertIn("judged by the recording's smb-direct-roce (digest ", answer.err)
        self.assertIn("which is not the built-in smb-direct-roce (digest ", answer.err)

    def test_say_in_one_line_that_another_profile_judges_them(self):
        self.save()
        answer = tool.rdmaready("check", "--facts", self.place / "saved", "--profile", "virtual-fabric")
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        self.assertRegex(answer.err, r"judged by virtual-fabric \(digest [0-9a-f]{12}\); the recording was made under our-lossy "
                                     r"\(digest [0-9a-f]{12}\)")
        self.same(tool.rdmaready("check", "--facts", self.place / "saved", "--profile", "virtual-fabric", "--output", "json"),
                  self.live("--profile", "virtual-fabric"))

    def test_of_an_older_version_are_judged_by_the_default_and_say_it(self):
        answer = tool.rdmaready("check", "--facts", SAVED)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        self.assertIn("the recording keeps no profile", answer.err)
        self.assertIn("judged by the default smb-direct-roce", answer.err)
        same = tool.rdmaready("check", "--facts", SAVED, "--profile", "smb-direct-roce")
        self.assertEqual((timeless(same.out), same.err), (timeless(answer.out), ""))

    def test_with_a_profile_that_cannot_be_read_ask_for_one(self):
        folder = self.save()
        text = json.dumps({"profiles": [{"name": "x", "dscp": 64}]})
        (folder / "judged_by.json").write_text(text)
        self.seal(folder)
        answer = tool.rdmaready("check", "--facts", folder)
        self.assertEqual((answer.status, answer.out), (2, ""), answer)
        self.assertIn("the profile that its recording keeps cannot be read: profile field dscp: 64 is not in 0..63", answer.err)
        self.assertEqual(tool.rdmaready("check", "--facts", folder, "--profile", "virtual-fabric").status, self.live("--profile", "virtual-fabric").status)
        (folder / "judged_by.json").write_text(" " * (9 << 20))
        self.seal(folder)
        answer = tool.rdmaready("check", "--facts", folder, "--profile", "virtual-fabric")
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("judged_by.json: too large for a recording", answer.err)

    def seal(self, folder):
        """Gives the changed recording the digests of its files."""
        import hashlib
        sums = folder / "SHA256SUMS"
        paths = [line.split("  ")[1] for line in sums.read_text().splitlines()]
        sums.write_text("".join(f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" for path in paths))


class Bundles(Kept):
    def test_are_judged_by_the_profile_of_the_agent_or_the_one_that_was_named(self):
        for options in ((), ("--profile", "virtual-fabric")):
            file, _ = self.bundle(*options, "--force")
            live = self.live(*options)
            self.same(tool.rdmaready("check", "--bundle", file, "--output", "json"), live)
            with tarfile.open(file) as tar:
                report = next(member for member in tar.getmembers() if member.name.endswith("report.json"))
                self.assertEqual(findings(json.load(tar.extractfile(report))), findings(live.json))

    def test_under_pseudonyms_are_judged_the_same_and_hold_no_name(self):
        file, made = self.bundle("--pseudonyms")
        self.same(tool.rdmaready("check", "--bundle", file, "--output", "json"), self.live(), outcomes)
        data = file.read_bytes()
        for word in (b"our-lossy", b"Ann", b"secret", self.address.encode()):
            self.assertNotIn(word, data)
        self.assertIn("profiles", {one["what"] for one in made["left_out"]})


class OneDigest(unittest.TestCase):
    def test_is_that_of_show_digest_and_the_report(self):
        with tempfile.TemporaryDirectory(prefix="one digest ") as folder:
            file = pathlib.Path(folder) / "ours.yaml"
            file.write_text("# ours\nextends: nvidia-lossless\nname: ours\n")
            for profile in ("virtual-fabric", file):
                digest = tool.rdmaready("profile", "digest", profile).out.split()[0]
                self.assertRegex(digest, "^[0-9a-f]{64}$")
                self.assertIn(f"# SHA-256 {digest}\n", tool.rdmaready("profile", "show", profile).out)
                self.assertEqual(tool.rdmaready("profile", "show", profile, "--output", "json").json["profile"]["digest"], digest)
                checked = tool.rdmaready("check", "--facts", SAVED, "--profile", profile, "--output", "json")
                self.assertEqual(checked.json["profiles"][0]["digest"], digest)


if __name__ == "__main__":
    unittest.main()
