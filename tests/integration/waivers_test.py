# SPDX-License-Identifier: Apache-2.0
"""What a site accepts for now: shown in every report, counted apart, not counted for the verdict; and once it has run out it counts again,
and somebody hears of it."""
import csv
import io
import json
import pathlib
import tempfile
import unittest
import urllib.request
import xml.etree.ElementTree as xml

import many_hosts
import tool

PAUSES_ANOTHER = ("pfc: {on: [3],", "pfc: {on: [4],")
WELL = ("pass", "not-applicable")


class AWaiver(unittest.TestCase):
    """Of three hosts, two of which pause another priority."""

    @classmethod
    def setUpClass(cls):
        cls.hosts = cls.enterClassContext(many_hosts.ManyHosts(3, lambda number: (PAUSES_ANOTHER,) if number > 1 else ()))

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="waivers ")))
        self.sick = [found["id"] for found in self.host("node002", self.check("json", until=None)) if found["outcome"] not in WELL]
        self.assertTrue(self.sick)

    def profile(self, until, host="node00[2-3]"):
        path = self.folder / "mine.yaml"
        text = f"extends: {many_hosts.PROFILE}\nname: mine\n"
        if until:
            rows = [f'  - {{check: {check}, host: "{host}", reason: "a new, \\"better\\" switch", who: Ann <ann@example.org>, until: {until}}}\n'
                    for check in sorted(set(self.sick))]
            (self.folder / "waivers.yaml").write_text("waivers:\n" + "".join(rows))
            text += "waivers: waivers.yaml\n"
        path.write_text(text)
        return path

    def check(self, form, *options, until="2261-01-01", host="node00[2-3]"):
        return tool.rdmaready("check", "--facts", self.hosts.saved, "--profile", self.profile(until, host), "--output", form, *options)

    def host(self, name, answer):
        return next(host for host in answer.json["hosts"] if host["host"] == name)["findings"]

    def test_takes_a_finding_out_of_the_verdict_and_leaves_it_as_it_was_seen(self):
        before = self.check("json", until=None)
        after = self.check("json")
        self.assertEqual((before.status, before.json["verdict"], before.json["waived"]), (1, "not-ready", 0))
        self.assertEqual((after.status, after.json["verdict"]), (0, "ready"))
        waived = [found for found in self.host("node002", after) if "waived" in found]
        self.assertEqual([found["id"] for found in waived], self.sick)
        self.assertEqual(after.json["waived"], 2 * len(self.sick))
        for was, found in zip(self.host("node002", before), [one for one in self.host("node002", after)]):
            if found["id"] == "host.waivers":
                continue
            self.assertEqual({**was, "duration_ns": 0}, {**{key: value for key, value in found.items() if key != "waived"}, "duration_ns": 0})
        self.assertEqual(waived[0]["waived"], {"reason": 'a new, "better" switch', "who": "Ann <ann@example.org>", "until": "2261-01-01"})

    def test_is_for_the_hosts_that_it_names(self):
        answer = self.check("json", host="node002")
        self.assertEqual(answer.status, 1)
        self.assertEqual([host["verdict"] for host in answer.json["hosts"]], ["ready", "ready", "not-ready"])

    def test_that_has_run_out_counts_again_and_is_a_finding(self):
        answer = self.check("json", until="2026-01-31")
        self.assertEqual((answer.status, answer.json["waived"]), (1, 0))
        ended = [found for found in self.host("node002", answer) if found["id"] == "host.waivers"]
        self.assertEqual([found["outcome"] for found in ended], ["warn"])
        self.assertIn("has run out", ended[0]["observed"])
        self.assertIn("2026-01-31", ended[0]["observed"])
        self.assertIn("host.waivers", self.check("text", until="2026-01-31").out)

    def test_is_shown_in_every_format(self):
        count = 2 * len(self.sick)
        said = "until 2261-01-01, Ann"
        for form, options in (("text", ()), ("text", ("-v",)), ("wide", ()), ("nagios", ()), ("sarif", ()), ("short", ())):
            with self.subTest(form=form, options=options):
                answer = self.check(form, *options)
                self.assertEqual((answer.status, answer.err), (0, ""), answer)
                self.assertIn("waived", answer.out)
        for options in ((), ("-v",)):
            text = self.check("text", *options).out
            self.assertIn(said, " ".join(text.split()))
            self.assertIn(f"{count} findings waived", " ".join(text.split()))
        self.assertIn(f" waived={count};", self.check("nagios").out)
        cases = xml.fromstring(self.check("junit").out).iter("testcase")
        skipped = [case.find("skipped").get("message") for case in cases if case.find("skipped") is not None]
        self.assertEqual(len([text for text in skipped if text.startswith("waived " + said)]), count)
        results = json.loads(self.check("sarif").out)["runs"][0]["results"]
        suppressed = [one["suppressions"][0] for one in results if "suppressions" in one]
        self.assertEqual(len(suppressed), count)
        self.assertEqual({one["kind"] for one in suppressed}, {"external"})
        rows = list(csv.DictReader(io.StringIO(self.check("csv").out, newline="")))
        self.assertEqual({row["waived_by"] for row in rows if row["waived_until"]}, {"Ann <ann@example.org>"})
        self.assertEqual(len([row for row in rows if row["waived_until"]]), count)
        prom = self.check("prom").out.splitlines()
        self.assertEqual(len([line for line in prom if 'severity="waived"' in line]), count)
        self.assertIn(f'rdmaready_waived_findings{{host="node002"}} {len(self.sick)}', prom)

    def test_of_many_hosts_is_told_once(self):
        with many_hosts.ManyHosts(12, lambda number: (PAUSES_ANOTHER,)) as many:
            answer = tool.rdmaready("check", "--facts", many.saved, "--profile", self.profile("2261-01-01", "*"))
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(" ".join(answer.out.split()).count("until 2261-01-01, Ann"), len(set(self.sick)), answer.out)

    def test_that_is_none_is_refused_with_file_and_line(self):
        path = self.profile("soon")
        answer = tool.rdmaready("check", "--facts", self.hosts.saved, "--profile", path)
        self.assertEqual((answer.status, answer.out), (2, ""))
        self.assertIn(f"{self.folder / 'waivers.yaml'}:2: key `waivers[0].until`", answer.err)


class AnAgent(unittest.TestCase):
    """On this machine, without RDMA: what stands in the way is always there."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="waivers ")))
        self.file = self.folder / "waivers.yaml"
        self.write("2261-01-01")

    def write(self, until):
        self.file.write_text(f"waivers:\n  - {{check: \"*\", reason: none here, who: Bob, until: {until}}}\n")

    def findings(self, agent, *options):
        return tool.rdmaready("check", agent.address, "--output", "json", *options).json["hosts"][0]["findings"]

    def test_waives_what_its_file_says_whatever_profile_is_asked_for(self):
        with tool.Agent("--waivers", self.file) as agent:
            for options in ((), ("--profile", "nvidia-lossless")):
                found = {one["id"]: one for one in self.findings(agent, *options) if one["outcome"] not in WELL}
                self.assertTrue(found)
                self.assertEqual({one.get("waived", {}).get("who") for one in found.values()}, {"Bob"})

    def test_shows_it_in_its_metrics(self):
        with tool.Agent("--waivers", self.file, "--metrics-listen", "127.0.0.1:0") as agent:
            self.findings(agent)
            url = agent.logged("metrics").split("url=")[1].split()[0].strip('"')
            text = urllib.request.urlopen(url, timeout=60).read().decode()
        self.assertIn('severity="waived"', text)
        self.assertNotIn('severity="blocking"', text)
        waived = [line for line in text.splitlines() if line.startswith('rdmaready_waived_findings{rung="host"}')]
        self.assertGreater(float(waived[0].split()[1]), 0)

    def test_takes_up_a_changed_file_and_keeps_the_old_one_where_the_new_is_wrong(self):
        with tool.Agent("--waivers", self.file) as agent:
            self.file.write_text("waivers:\n  - {check: x}\n")
            agent.process.send_signal(1)
            self.assertIn("waivers[0]", agent.logged("reload-refused"))
            self.assertTrue(any("waived" in one for one in self.findings(agent)))
            self.write("2026-01-01")
            agent.process.send_signal(1)
            self.assertTrue(agent.logged("reloaded"))
            found = self.findings(agent)
            self.assertFalse(any("waived" in one for one in found))
            self.assertEqual([one["outcome"] for one in found if one["id"] == "host.waivers"], ["warn"])

    def test_does_not_start_with_a_file_that_is_wrong(self):
        self.file.write_text("waivers: [{check: x}]\n")
        with tool.Agent("--waivers", self.file) as agent:
            self.assertEqual(agent.process.wait(60), 2)
            self.assertTrue(agent.logged(f"{self.file}:1:"))


if __name__ == "__main__":
    unittest.main()
