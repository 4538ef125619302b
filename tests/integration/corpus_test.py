#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of hosts of public threads, and what is true of them: see tests/fixtures/README.md, "The corpus".

`corpus_test.py --update` writes down anew which expectations do not hold; `--held-out` judges the cases of tests/fixtures/held_out."""
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import corpus  # noqa: E402
import examples  # noqa: E402
import expectations  # noqa: E402
import fixtures  # noqa: E402
import tool  # noqa: E402

MEANT_SO = "meant so? then: tests/integration/corpus_test.py --update"
PFC_OFF = {"id": "pfc.lossless-priority", "outcome": "fail", "hidden_by": "", "subject": "mlx5_0/1 ens1f0np0",
           "observed": "PFC off", "expected": "PFC on 3", "why": "it loses frames",
           "remedy": {"steps": [{"site": "host", "command": "dcb pfc set dev ens1f0np0 prio-pfc 3:on"}]}}
EXPECTED = """\
# A comment.
source: [https://example.org/a, 'https://example.org/b#c']
healthy: false
verdict: not-ready
must:
  - {check: pfc.lossless-priority, outcome: fail, says: 'it''s off: [03]',
     subject: ens1}
  - {check: ets.*}
must_not:
"""


def bare_case(**texts):
    """A case that expects nothing but these texts."""
    case = object.__new__(corpus.Case)
    case.unrecorded, case.healthy, case.verdicts, case.must, case.must_not, case.twins = [], False, [], [], [], []
    case.texts = {kind: [corpus.Text(entry) for entry in texts.get(kind, [])] for kind in (*corpus.REPORT, *corpus.PLAN)}
    return case


class Corpus(unittest.TestCase):
    def test_what_does_not_hold_is_what_was_written_down(self):
        hosts = corpus.judged(corpus.cases())
        if stale := examples.stale(hosts):
            self.fail(f"{MEANT_SO}\n" + "\n".join(stale))
        lines, score = corpus.score(hosts)
        print(corpus.told(score), file=sys.stderr)
        written = corpus.UNHELD.read_text() if corpus.UNHELD.exists() else ""
        if difference := fixtures.difference(written, corpus.text(lines, score)):
            self.fail(f"{MEANT_SO}\n{difference}")

    def test_a_third_of_the_hosts_are_healthy_and_all_are_told_of_in_public(self):
        cases = corpus.cases()
        self.assertGreaterEqual(len(cases), 20)
        self.assertGreaterEqual(3 * sum(case.healthy for case in cases), len(cases))
        for case in cases + corpus.cases(corpus.HELD_OUT):
            with self.subTest(case=case.name):
                self.assertTrue(case.sources)
                for source in case.sources:
                    self.assertRegex(source, r"^https?://\S+$")
                self.assertIn(f"\nprofile: {case.profile}\n", (case.folder / "host.yaml").read_text())
                if case.healthy:
                    self.assertNotIn("not-ready", case.verdicts)
                    self.assertTrue(any(entry.check == "*" for entry in case.must_not), "nothing is wrong with it")

    def test_what_must_not_be_said_can_be_said(self):
        """A misspelt id in `must_not` would hold for ever; in `must` it never would."""
        cases = corpus.cases()
        known = set(tool.rdmaready("explain", "--list").out.split())
        known |= {entry.check for case in cases for entry in case.must}
        for case in cases:
            unknown = {entry.check for entry in case.must_not if "*" not in entry.check} - known
            self.assertEqual(unknown, set(), case.name)


class Matching(unittest.TestCase):
    def matches(self, finding=None, **wanted):
        return corpus.Entry({"check": "pfc.lossless-priority", **wanted}).matches({**PFC_OFF, **(finding or {})})

    def test_each_key_narrows(self):
        self.assertTrue(self.matches())
        self.assertTrue(self.matches(outcome=["warn", "fail"], subject="ens1", says="prio-pfc 3:on"))
        self.assertTrue(self.matches(check="pfc.*", says="off.*on 3"))
        for wanted in ({"check": "pfc.delay"}, {"outcome": "pass"}, {"subject": "ens2"}, {"says": "PFC on 4"},
                       {"check": "*", "but": ["pfc.*"]}):
            self.assertFalse(self.matches(**wanted), wanted)

    def test_what_follows_from_another_says_nothing(self):
        self.assertFalse(self.matches({"hidden_by": "drv.dcb-capable"}))

    def test_a_verdict_a_thing_unsaid_and_a_thing_said_wrongly_are_told(self):
        case = bare_case()
        case.verdicts, case.must = ["ready"], [corpus.Entry({"check": "ets.tsa", "outcome": "fail", "says": "vendor"})]
        case.must_not = [corpus.Entry({"check": "*"}), corpus.Entry({"check": "pfc.*"})]
        two_ports = [PFC_OFF, {**PFC_OFF, "subject": "mlx5_1/1 ens1f1np1"}]
        self.assertEqual(case.unheld({"verdict": "not-ready", "findings": two_ports}),
                         {"verdict": ["not-ready, not ready"], "unsaid": ["fail  ets.tsa  says vendor"],
                          "wrong": ["fail  pfc.lossless-priority"]})
        self.assertEqual(case.unheld({"verdict": "ready", "findings": [
            {**PFC_OFF, "id": "ets.tsa", "observed": "vendor", "outcome": "fail"}]}),
            {"verdict": [], "unsaid": [], "wrong": ["fail  ets.tsa"]})

    def test_a_report_that_is_too_long_is_named(self):
        case = bare_case()
        case.healthy = True
        self.assertEqual(case.too_long({"verdict": "ready", "lines": 15}), {})
        self.assertEqual(case.too_long({"verdict": "ready", "lines": 16}), {"long": ["16 lines, at most 15"]})
        self.assertEqual(case.too_long({"verdict": "undetermined", "lines": 24}), {})
        case.healthy = False
        self.assertEqual(case.too_long({"verdict": "not-ready", "lines": 25, "causes": [{}]}), {"long": ["25 lines, at most 24"]})
        self.assertEqual(case.too_long({"verdict": "not-ready", "lines": 25, "causes": [{}, {}]}), {})

    def test_a_word_that_is_in_the_recording_is_told_with_its_file(self):
        case = bare_case()
        case.unrecorded = ["SECRET", "other"]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "lines.jsonl").write_text('{"lines": ["--key=SECRET"]}\n')
            self.assertEqual(case.words_recorded(pathlib.Path(folder)), ["SECRET  lines.jsonl"])

    def test_the_score(self):
        self.assertEqual(corpus.told(corpus.Score(4, 3, must=8, said=6, wrong=2, expected={"cause": 5, "plan": 0}, held={"cause": 4})),
                         "precision 0.75 (6 said rightly, 2 wrongly), recall 0.75 (6 of 8 said), verdict of 3 of 4 hosts, cause 4 of 5")

    def test_a_cause_is_said_of_one_place_by_one_finding(self):
        case = bare_case(cause=[{"says": "pfc OFF.*prio-pfc", "subject": "ens1"}, {"says": "cable"}, {"says": "PFC", "subject": "ens2"}])
        self.assertEqual(case.unheld_texts({"findings": [PFC_OFF]}), {"cause": ["says cable", "says PFC  at ens2"]})
        self.assertEqual(case.unheld_texts({"findings": [{**PFC_OFF, "hidden_by": "drv.dcb-capable"}]})["cause"][0],
                         "says pfc OFF.*prio-pfc  at ens1")

    def test_the_first_action_and_the_plan_say_what_they_must_and_nothing_else(self):
        case = bare_case(first=[{"says": "ip link"}], first_not=[{"says": "modprobe"}], plan_must=[{"says": "lldpad"}],
                         plan_must_not=[{"says": "dcb pfc"}])
        self.assertEqual(case.unheld_texts({"findings": [], "first": "ip link set dev a up", "plan": "stop lldpad"}), {})
        self.assertEqual(case.unheld_texts({"findings": [], "first": "modprobe ib_core", "plan": "dcb pfc set"}),
                         {"first": ["says ip link", "not says modprobe"], "plan": ["says lldpad", "not says dcb pfc"]})
        self.assertEqual(case.expected(), {"cause": 0, "first": 2, "plan": 2, "twin": 0})

    def test_the_first_action_is_read_from_the_text_of_a_report(self):
        report = "a  NOT READY: down\n\nWRONG     down  (link.state)\nCAUTION   drain\nDO        1  ip link set dev b up\n          2  wait\n"
        self.assertEqual(corpus.first_of(report), "CAUTION   drain\nip link set dev b up")
        self.assertEqual(corpus.first_of("WRONG     down\nDO        ip link set dev b up\nCHECK     ip link\nDO        other\n"),
                         "ip link set dev b up")
        self.assertEqual(corpus.first_of("ready\n"), "")

    def test_a_twin_that_is_judged_as_the_host_itself_is_told(self):
        case = bare_case()
        case.twins = [corpus.Twin("control", "", ["ready"], [], [corpus.Entry({"check": "pfc.*", "outcome": "fail"})]),
                      corpus.Twin("counter", "", None, [corpus.Entry({"check": "ets.*"})], [])]
        sick = {"verdict": "not-ready", "findings": [PFC_OFF]}
        self.assertEqual(case.unheld_twins({"twins": {"control": sick, "counter": sick}}),
                         {"control": ["not-ready, not ready", "not fail  pfc.lossless-priority"],
                          "counter": ["fail/warn/unknown  ets.*"]})
        well = {"verdict": "ready", "findings": []}
        case.twins = case.twins[:1]
        self.assertEqual(case.unheld_twins({"twins": {"control": well}}), {})


class Reading(unittest.TestCase):
    def test_an_expectation(self):
        self.assertEqual(expectations.read(EXPECTED), {
            "source": ["https://example.org/a", "https://example.org/b#c"], "healthy": False, "verdict": "not-ready",
            "must": [{"check": "pfc.lossless-priority", "outcome": "fail", "says": "it's off: [03]", "subject": "ens1"},
                     {"check": "ets.*"}],
            "must_not": []})

    def test_what_it_cannot_read_is_an_error_with_its_line(self):
        for text, line in (("healthy true\n", 1), ("a: 1\n - b\n", 2), ("must:\n  - {check: a\n", 2), ("a: [b, c]]\n", 1),
                           ("a: 1\na: 2\n", 2), ("  - b\n", 1), ("a: 'b\n", 1), ("a: {b}\n", 1), ("a: b # c\n", 1)):
            with self.subTest(text=text), self.assertRaisesRegex(ValueError, f"^line {line}: "):
                expectations.read(text)

    def test_an_unknown_key_is_an_error(self):
        with self.assertRaisesRegex(ValueError, re.escape("an entry has no outcomes")):
            corpus.Entry({"check": "a", "outcomes": "fail"})


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        hosts = corpus.judged(corpus.cases())
        found = corpus.score(hosts)
        examples.update(hosts)
        corpus.UNHELD.write_text(corpus.text(*found))
        print(corpus.told(found[1]))
    elif sys.argv[1:] == ["--held-out"]:
        print(corpus.text(*corpus.score(corpus.judged(corpus.cases(corpus.HELD_OUT)))), end="")
    else:
        unittest.main()
