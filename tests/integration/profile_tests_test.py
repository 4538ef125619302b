# SPDX-License-Identifier: Apache-2.0
"""`rdmaready profile test`: saved hosts are judged, and held against what a file expects of them."""
import pathlib
import shutil
import tempfile
import unittest

import fixtures
import tool

EXAMPLE = tool.ROOT / "packaging" / "profiles" / "examples" / "fabric-tests.yaml"
GOOD = fixtures.HOSTS / "two-rails-healthy" / "saved"
SICK = fixtures.HOSTS / "two-rails-sick" / "saved"


class ProfileTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="profile tests ")))
        shutil.copytree(GOOD, self.folder / "saved" / "good")
        shutil.copytree(SICK, self.folder / "saved" / "sick")
        self.file = self.folder / "tests.yaml"

    def judged(self, text, *options):
        self.file.write_text(text)
        return tool.rdmaready("profile", "test", self.file, *options)

    def one(self, expected, *options, profile="virtual-fabric", host="saved/sick"):
        return self.judged(f"tests:\n  - name: a host\n    facts: {host}\n    profile: {profile}\n    {expected}\n", *options)

    def test_the_example_passes(self):
        answer = self.judged(EXAMPLE.read_text())
        self.assertEqual((answer.status, answer.err), (0, ""), answer)
        self.assertEqual(answer.out, "ok    a host that is set up well is ready\n"
                                     "ok    the second rail pauses nothing, and its frames are small\n"
                                     f"{self.file}: 2 tests, all passed\n")

    def test_a_failed_test_shows_what_was_wanted_and_seen(self):
        answer = self.judged("tests:\n  - name: is ready\n    facts: saved/sick\n    profile: virtual-fabric\n    verdict: ready\n"
                           "    findings: [{check: pfc.lossless-priority, outcome: pass, port: dcb1}]\n    not_said: [mtu.ethernet]\n"
                           "  - {name: is not, facts: saved/sick, profile: virtual-fabric, verdict: not-ready}\n")
        self.assertEqual((answer.status, answer.err), (1, ""), answer)
        lines = answer.out.splitlines()
        self.assertEqual(lines[:4], ["FAIL  is ready", "      - verdict ready", "      + verdict not-ready",
                                     "      - pfc.lossless-priority pass at dcb1"])
        self.assertIn("      + pfc.lossless-priority fail at rxe1/1 dcb1: ", answer.out)
        self.assertIn("      - nothing of mtu.ethernet\n      + mtu.ethernet fail at rxe1/1 dcb1", answer.out)
        self.assertEqual(lines[-2:], ["ok    is not", f"{self.file}: 2 tests, 1 failed"])

    def test_gives_programs_the_same(self):
        answer = self.one("verdict: ready", "--output", "json")
        self.assertEqual(answer.status, 1, answer)
        self.assertEqual(answer.json, {"schema": "rdmaready.v1.ProfileTests", "file": str(self.file), "passed": False, "tests": [
            {"name": "a host", "line": 2, "passed": False,
             "differences": [{"wanted": ["verdict ready"], "seen": ["verdict not-ready"]}]}]})

    def test_a_profile_beside_the_file_and_a_bundle_are_found(self):
        (self.folder / "ours.yaml").write_text("extends: virtual-fabric\nname: ours\nmtu_bytes: 1400\nroce_mtu_bytes: 1024\n")
        self.assertEqual(self.one("not_said: [mtu.ethernet]", profile="ours.yaml").status, 0)
        self.assertEqual(self.one("not_said: [mtu.ethernet]").status, 1)
        with tool.Agent() as agent:
            made = tool.rdmaready("bundle", agent.address, "--out", self.folder / "b.tar")
            self.assertEqual(made.status, 0, made)
            verdict = tool.rdmaready("check", agent.address, "--output", "json").json["verdict"]
            answer = self.judged(f"tests:\n  - {{name: by what it keeps, bundle: b.tar, host: '{agent.address}', verdict: {verdict}}}\n")
        self.assertEqual(answer.status, 0, answer)

    def refused(self, answer, *words):
        self.assertEqual((answer.status, answer.out), (2, ""), answer)
        self.assertEqual(len(answer.err.splitlines()), 1, answer)
        for word in words:
            self.assertIn(word, answer.err)

    def test_a_bad_file_is_refused_with_file_line_and_key(self):
        self.refused(self.one("verdic: ready"), f"{self.file}:5: unknown key `verdic` in `tests[0]` (did you mean `verdict`?)")
        self.refused(self.one("verdict: sick"), f"{self.file}:5: key `tests[0].verdict` wants one of any, ready, not-ready, undetermined")
        self.refused(self.one("not_said: [pfc.losless-priority]"), f"{self.file}:5: key `tests[0].not_said`: no check has the id",
                     "did you mean `pfc.lossless-priority`?")
        self.refused(self.one("findings: [{outcome: fail}]"), f"{self.file}:5: key `tests[0].findings[0].check`")
        self.refused(self.one("host: other"), "it expects nothing")
        self.refused(self.one("host: other\n    verdict: ready"), f"{self.file}:5: key `tests[0].host`: no such host is saved there; "
                                                                  "there are storage2")
        self.refused(self.one("verdict: ready", host="nowhere"), f"{self.file}:3: key `tests[0].facts`: read recording", "nowhere")
        self.refused(self.one("verdict: ready", profile="nvidia-losless"), f"{self.file}:4: key `tests[0].profile`: no profile")
        self.refused(self.judged("tests: []\n"), "names at least one")
        self.refused(self.judged("tests:\n  - {name: a, verdict: ready}\n"), f"{self.file}:2: key `tests[0]`: a test names its saved hosts")
        self.refused(tool.rdmaready("profile", "test", self.folder / "none.yaml"), "none.yaml")
        answer = tool.rdmaready("profile", "test", self.folder / "none.yaml", "--output", "json")
        self.assertEqual((answer.status, answer.json["status"]), (2, 2), answer)


class Waivers(unittest.TestCase):
    """An id that no check has."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="waived ids ")))

    def profile(self, check):
        file = self.folder / "ours.yaml"
        file.write_text("extends: virtual-fabric\nname: ours\nwaivers:\n"
                        f"  - {{check: \"{check}\", reason: r, who: Ann, until: 2261-01-01}}\n")
        return file

    def test_is_refused_with_its_line_and_the_nearest_id(self):
        file = self.profile("pfc.losless-priority")
        answer = tool.rdmaready("profile", "check", file)
        self.assertEqual(answer.status, 2, answer)
        self.assertEqual(answer.out.splitlines()[0], f"{file}:4: key `waivers[0].check`: no check has the id `pfc.losless-priority` "
                                                     "(did you mean `pfc.lossless-priority`?)")
        for command in (("check", "--facts", SICK), ("plan",), ("check",)):
            refused = tool.rdmaready(*command, "--profile", file)
            self.assertEqual((refused.status, refused.out), (2, ""), refused)
            self.assertIn("no check has the id `pfc.losless-priority`", refused.err)

    def test_of_the_catalogue_is_well_formed_although_no_host_shows_it(self):
        for check in ("peer.write-512k", "server.*", "agree.mtu"):
            self.assertEqual(tool.rdmaready("profile", "check", self.profile(check)).status, 0, check)

    def test_does_not_keep_an_agent_from_starting_and_is_a_finding(self):
        waivers = self.folder / "waivers.yaml"
        waivers.write_text("waivers:\n  - {check: gone.id, reason: r, who: Ann, until: 2261-01-01}\n")
        with tool.Agent("--waivers", waivers, "--profile", self.profile("pfc.losless-priority")) as agent:
            answer = tool.rdmaready("check", agent.address, "--output", "json")
        found = [one for one in answer.json["hosts"][0]["findings"] if one["id"] == "host.waivers"]
        self.assertEqual([one["outcome"] for one in found], ["warn"], answer)
        self.assertIn("no check has the id `pfc.losless-priority`", found[0]["observed"])


if __name__ == "__main__":
    unittest.main()
