# SPDX-License-Identifier: Apache-2.0
"""Each output format, read by somebody else's reader: what it holds is what `--output json` holds."""
import csv
import io
import json
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml

import yaml

import many_hosts
import prometheus
import tool

FORMATS = ["text", "short", "wide", "json", "jsonl", "yaml", "junit", "sarif", "nagios", "prom", "csv"]
KNOWN = {"check": FORMATS, "test": ["text", "wide", "json", "jsonl", "yaml", "junit", "nagios", "csv"],
         "probe": FORMATS, "facts": ["text", "json", "jsonl", "yaml"], "history": ["text", "json", "jsonl", "yaml"],
         "explain": ["text", "json", "jsonl", "yaml"], "profile": ["text", "json", "jsonl", "yaml"],
         "version": ["text", "json", "jsonl", "yaml"]}
PAUSES_ANOTHER = ("pfc: {on: [3],", "pfc: {on: [4],")
WELL = ("pass", "not-applicable")


def without_times(thing):
    """Runs differ in their ids and times only."""
    if isinstance(thing, dict):
        return {key: without_times(value) for key, value in thing.items()
                if key not in ("run_id", "started_unix_ns", "duration_ns")}
    return [without_times(one) for one in thing] if isinstance(thing, list) else thing


class ACheck(unittest.TestCase):
    """Of two hosts, one of which is not ready."""

    @classmethod
    def setUpClass(cls):
        cls.hosts = many_hosts.ManyHosts(2, lambda number: (PAUSES_ANOTHER,) if number == 2 else ()).__enter__()
        cls.object = cls.check("json").json
        cls.findings = [(host["host"], found) for host in cls.object["hosts"] for found in host["findings"]]

    @classmethod
    def tearDownClass(cls):
        cls.hosts.__exit__()

    @classmethod
    def check(cls, form, *options):
        return tool.rdmaready("check", "--facts", cls.hosts.saved, "--profile", many_hosts.PROFILE, "--output", form, *options)

    def troubles(self):
        return [(host, found) for host, found in self.findings if found["outcome"] not in WELL]

    def test_ends_with_the_same_status_in_each_format(self):
        for form in FORMATS:
            with self.subTest(form):
                answer = self.check(form)
                self.assertEqual(answer.status, 1, answer)
                self.assertEqual(answer.err, "", answer)
                self.assertTrue(answer.out.endswith("\n"), answer)

    def test_as_yaml_is_the_object(self):
        self.assertEqual(without_times(yaml.safe_load(self.check("yaml").out)), without_times(self.object))

    def test_as_jsonl_has_an_object_for_each_finding_that_says_whose_it_is(self):
        lines = [json.loads(line) for line in self.check("jsonl").out.splitlines()]
        self.assertEqual(lines[0]["kind"], "run")
        self.assertEqual(lines[0]["verdict"], self.object["verdict"])
        self.assertEqual([line["host"] for line in lines if line["kind"] == "host"], ["node001", "node002"])
        keys = set().union(*(one for _, one in self.findings))
        found = [(line["host"], {key: line[key] for key in line if key in keys}) for line in lines if line["kind"] == "finding"]
        self.assertEqual(without_times([list(one) for one in found]), without_times([list(one) for one in self.findings]))
        self.assertEqual({line["run_id"] for line in lines}, {lines[0]["run_id"]})

    def test_as_csv_is_a_table_of_its_findings(self):
        done = subprocess.run([tool.BIN / "rdmaready", "check", "--facts", self.hosts.saved, "--profile", many_hosts.PROFILE, "--output",
                               "csv"], capture_output=True, timeout=60, env=tool.environment())
        text = done.stdout.decode()
        self.assertEqual(text.count("\n"), text.count("\r\n"))
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
        self.assertEqual([(row["host"], row["check"], row["subject"], row["outcome"], row["observed"], row["fix"]) for row in rows],
                         [(host, found["id"], found["subject"], found["outcome"], found["observed"], found["fix"])
                          for host, found in self.findings])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows), "a row with another width")

    def test_as_junit_keeps_what_is_unknown_or_left_out_apart_from_what_passed(self):
        root = xml.fromstring(self.check("junit").out)
        junit_is_well_formed(self, root)
        cases = {}
        for suite in root:
            host = {one.get("name"): one.get("value") for one in suite.find("properties")}["host"]
            for case in suite.iter("testcase"):
                inside = [child.tag for child in case]
                cases.setdefault((host, case.get("name")), []).append(inside[0] if inside else "pass")
        for host, found in self.findings:
            wanted = "pass" if found["outcome"] == "pass" else "skipped"
            if found["blocking"]:
                wanted = {"fail": "failure", "unknown": "error"}.get(found["outcome"], wanted)
            self.assertIn(wanted, cases[host, f"{found['id']} {found['subject']}"], found)
        self.assertEqual(sum(map(len, cases.values())), len(self.findings))
        self.assertGreater(int(root.get("failures")), 0)

    def test_as_sarif_is_read_by_the_object_model_of_its_schema(self):
        document = self.check("sarif").json
        sarif_is_valid(self, document)
        run, = document["runs"]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual([(result["properties"]["host"], result["ruleId"], result["properties"]["outcome"]) for result in run["results"]],
                         [(host, found["id"], found["outcome"]) for host, found in self.troubles()])
        fingerprints = [result["fingerprints"]["rdmaready/v1"] for result in run["results"]]
        self.assertEqual(len(fingerprints), len(set(fingerprints)))
        again = [result["fingerprints"]["rdmaready/v1"] for result in self.check("sarif").json["runs"][0]["results"]]
        self.assertEqual(fingerprints, again, "a fingerprint that does not last")
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])

    def test_as_prom_counts_each_outcome_and_names_what_is_not_well(self):
        text = self.check("prom").out
        series = prometheus_series(self, text)
        self.assertEqual(series["rdmaready_ready", (("host", "node001"),)], 1)
        self.assertEqual(series["rdmaready_ready", (("host", "node002"),)], 0)
        states = {(labels_of["host"], labels_of["check"], labels_of["subject"], labels_of["outcome"])
                  for (name, labels), value in series.items() if name == "rdmaready_check_state" for labels_of in [dict(labels)]}
        self.assertEqual(states, {(host, found["id"], found["subject"], found["outcome"]) for host, found in self.troubles()})
        for host in ("node001", "node002"):
            passed = sum(1 for name, found in self.findings if name == host and found["outcome"] == "pass")
            self.assertEqual(series["rdmaready_findings", (("host", host), ("outcome", "pass"))], passed)

    def test_as_prom_is_clean_to_promtool(self):
        done = prometheus.promtool("check", "metrics", stdin=self.check("prom").out)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_as_nagios_is_one_line_with_figures(self):
        for options, status in (((), 1), (("--exit-style", "nagios"), 2)):
            answer = self.check("nagios", *options)
            self.assertEqual(answer.status, status, answer)
            word, figures = plugin_line(self, answer.out)
            self.assertEqual(word, "CRITICAL")
            self.assertEqual((figures["hosts"], figures["ready"], figures["not_ready"]), (2, 1, 1))

    def test_as_short_is_a_line_for_each_host(self):
        lines = self.check("short").out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines], [["node001", "ready"], ["node002", "not-ready"]])
        self.assertIn("pfc.", lines[1])

    def test_as_wide_is_a_line_for_each_finding_that_is_not_well(self):
        lines = self.check("wide").out.splitlines()
        self.assertEqual(lines[0].split(), ["HOST", "OUTCOME", "CHECK", "SUBJECT", "BLOCKS", "OBSERVED", "WANTED", "SOURCE", "FIX"])
        rows = lines[1:lines.index("")]
        self.assertEqual([tuple(row.split()[:3]) for row in rows], [(host, found["outcome"], found["id"]) for host, found in self.troubles()])
        self.assertGreater(len(self.check("wide", "-v").out.splitlines()), len(self.findings))


def junit_is_well_formed(test, root):
    """As JUnit's readers want it: https://github.com/windyroad/JUnit-Schema says what stands where."""
    test.assertEqual(root.tag, "testsuites")
    totals = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in root:
        test.assertEqual(suite.tag, "testsuite")
        test.assertRegex(suite.get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        test.assertEqual([child.tag for child in suite], ["properties"] + ["testcase"] * (len(suite) - 1))
        counted = {"tests": len(suite) - 1, "failures": len(suite.findall("*/failure")), "errors": len(suite.findall("*/error")),
                   "skipped": len(suite.findall("*/skipped"))}
        for key, count in counted.items():
            test.assertEqual(int(suite.get(key)), count, (suite.get("name"), key))
            totals[key] += count
        float(suite.get("time"))
        for case in suite.iter("testcase"):
            test.assertLessEqual(set(case.keys()), {"name", "classname", "time"})
            test.assertTrue(case.get("name") and case.get("classname"))
            test.assertLessEqual(len(case), 1)
            test.assertTrue(all(child.get("message") for child in case), case.get("name"))
    test.assertEqual({key: int(root.get(key)) for key in totals}, totals)


def sarif_is_valid(test, document):
    """Every property is one of its class in the model that Microsoft made of the standard's schema, with all that it demands; and what
    the standard says of values (3.27)."""
    try:
        import sarif_om
    except ImportError:
        test.skipTest("no sarif_om (package python3-sarif-python-om)")
    inner = {"runs": sarif_om.Run, "tool": sarif_om.Tool, "driver": sarif_om.ToolComponent, "rules": sarif_om.ReportingDescriptor,
             "results": sarif_om.Result, "message": sarif_om.Message, "locations": sarif_om.Location, "invocations": sarif_om.Invocation,
             "logicalLocations": sarif_om.LogicalLocation, "automationDetails": sarif_om.RunAutomationDetails,
             "toolExecutionNotifications": sarif_om.Notification, "shortDescription": sarif_om.MultiformatMessageString,
             "fullDescription": sarif_om.MultiformatMessageString, "help": sarif_om.MultiformatMessageString,
             "suppressions": sarif_om.Suppression}

    def read(kind, value):
        names = {field.metadata["schema_property_name"]: field.name for field in kind.__attrs_attrs__}
        test.assertLessEqual(set(value), set(names), kind)
        made = {}
        for key, child in value.items():
            if key in inner:
                child = [read(inner[key], one) for one in child] if isinstance(child, list) else read(inner[key], child)
            made[names[key]] = child
        return kind(**made)  # refuses what lacks a demanded property

    log = read(sarif_om.SarifLog, document)
    test.assertEqual(log.version, "2.1.0")
    for result in log.runs[0].results:
        test.assertIn(result.kind, ("notApplicable", "pass", "fail", "review", "open", "informational"))
        test.assertIn(result.level, ("none", "note", "warning", "error"))
        test.assertTrue(result.kind == "fail" or result.level == "none")
        test.assertTrue(result.message.text)


def prometheus_series(test, text):
    """Of the text format 0.0.4: HELP and TYPE once before the series of a family, each series once."""
    series, declared, label = {}, {}, r'([a-z_]+)="((?:[^"\\\n]|\\.)*)"'
    for line in text.splitlines():
        if head := re.match(r"# (HELP|TYPE) ([a-z_]+) (.+)$", line):
            declared.setdefault(head[2], []).append(head[1])
            continue
        one = re.fullmatch(rf"([a-z_]+)\{{({label}(?:,{label})*)\}} (-?[0-9.]+)", line)
        test.assertIsNotNone(one, line)
        labels = tuple((name, re.sub(r"\\(.)", r"\1", value)) for name, value in re.findall(label, one[2]))
        test.assertEqual(declared.get(one[1]), ["HELP", "TYPE"], line)
        test.assertNotIn((one[1], labels), series)
        series[one[1], labels] = float(one[7])
    return series


def plugin_line(test, text):
    """(word, figures) of a plugin's output: "NAME WORD - TEXT | 'label'=value[unit];warn;crit;min;max ..."."""
    test.assertEqual(text.count("\n"), 1, text)
    test.assertLessEqual(len(text), 4096)
    said, bar, figures = text.strip().partition(" | ")
    test.assertTrue(bar and "|" not in said + figures, text)
    head = re.match(r"RDMAREADY (OK|WARNING|CRITICAL|UNKNOWN) - .", said)
    test.assertIsNotNone(head, text)
    values = {}
    for figure in figures.split(" "):
        one = re.fullmatch(r"([a-z_]+)=(-?[0-9.]+)(s|us|ms|%|B|KB|MB|TB|c)?((?:;(?:[0-9.]*)){0,4})", figure)
        test.assertIsNotNone(one, figure)
        values[one[1]] = float(one[2])
    return head[1], values


class AFormat(unittest.TestCase):
    def test_that_a_command_does_not_write_is_refused_in_a_line_that_names_those_it_does(self):
        lines = {"check": ["check"], "test": ["test", "--list"], "probe": ["probe", "smb", "127.0.0.1"], "facts": ["facts"],
                 "history": ["history"], "explain": ["explain", "--list"], "profile": ["profile", "list"], "version": ["version"]}
        for command, known in KNOWN.items():
            told = tool.rdmaready(*lines[command][:1], "--help").out
            for form in FORMATS:
                with self.subTest(command=command, form=form):
                    if form in known:
                        self.assertIn(f"{form} (", told)
                        continue
                    for arguments in ([*lines[command], "--output", form], ["--output", form, *lines[command]]):
                        answer = tool.rdmaready(*arguments)
                        self.assertEqual(answer.status, 2, answer)
                        self.assertEqual(len((answer.out + answer.err).splitlines()), 1, answer)
                        self.assertIn(", ".join(known), answer.out + answer.err)

    def test_that_there_is_not_is_told_with_the_one_that_was_perhaps_meant(self):
        for wrong, meant in (("jsno", "json"), ("yml", "yaml"), ("nagois", "nagios"), ("jsonlines", "jsonl")):
            answer = tool.rdmaready("check", "--output", wrong)
            self.assertEqual(answer.status, 2, answer)
            self.assertIn(f"did you mean {meant}?", answer.err)

    def test_of_objects_has_errors_too(self):
        for form, load in (("json", json.loads), ("jsonl", json.loads), ("yaml", yaml.safe_load)):
            answer = tool.rdmaready("explain", "no.such-check", "--output", form)
            self.assertEqual((answer.status, answer.err), (2, ""), answer)
            self.assertEqual(load(answer.out)["status"], 2)

    def test_the_exit_status_of_a_plugin_holds_where_its_options_make_no_sense(self):
        for wrong in (["--profile"], ["--output", "foo"], ["--bogus"], ["--level", "zzz"], ["--max-time", "soon"]):
            for style in (["--exit-style", "nagios"], ["--exit-style=nagios"]):
                answer = tool.rdmaready("check", "--output", "nagios", *style, *wrong)
                self.assertEqual(answer.status, 3, answer)

    def test_a_junit_reader_is_told_of_what_did_not_come_to_be(self):
        answer = tool.rdmaready("test", "loopback", "127.0.0.1:1", "--output", "junit")
        self.assertEqual(answer.status, 4, answer)
        self.assertEqual([error.get("type") for error in xml.fromstring(answer.out).iter("error")], ["no-answer"])

    def test_of_a_plugin_says_unknown_where_there_is_no_result(self):
        answer = tool.rdmaready("check", "127.0.0.1:99999", "--output", "nagios", "--exit-style", "nagios")
        self.assertEqual(answer.status, 3, answer)
        self.assertRegex(answer.out, r"^RDMAREADY UNKNOWN - [^|\n]+\n$")

    def test_of_a_test_and_a_probe_of_this_host_is_read_by_the_same_readers(self):
        for command in (["test", "loopback", "--case", "send-1k", "--duration", "100ms"], ["probe", "smb", "127.0.0.1"]):
            plain = tool.rdmaready(*command, "--output", "json")
            for form in KNOWN[command[0]]:
                with self.subTest(command=command, form=form):
                    answer = tool.rdmaready(*command, "--output", form)
                    self.assertEqual(answer.status, plain.status, answer)


if __name__ == "__main__":
    unittest.main()
