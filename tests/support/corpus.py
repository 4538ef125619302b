# SPDX-License-Identifier: Apache-2.0
"""Hosts of public threads and vendors' pages under tests/fixtures/corpus, and what is true of them: see tests/fixtures/README.md."""
import collections
import concurrent.futures
import fnmatch
import pathlib
import re
import tempfile

import expectations
import fixtures
import recorded
import tool

CORPUS = fixtures.FIXTURES / "corpus"
# Not all that is expected of these holds: a case that holds whole joins the corpus, which the property tests read.
# Nobody repairs the product by these: they are judged once, when all others hold.
HELD_OUT = fixtures.FIXTURES / "held_out"
UNHELD = CORPUS / "unheld"
KEYS = {"source", "healthy", "profile", "verdict", "must", "must_not"}
REPORT = ("cause", "first", "first_not")
PLAN = ("plan_must", "plan_must_not")
MAY_HAVE = {"unrecorded", *REPORT, *PLAN}
ENTRY_KEYS = {"check", "outcome", "subject", "says", "why", "but"}
TEXT_KEYS = {"says", "subject", "why"}
READY_LINES = 15  # of a healthy host that is ready
MOST_LINES = 24   # of a healthy host of which something is unknown, and of a host with one cause
COMPLAINS = ["fail", "warn", "unknown"]

# must: expected, and said of these; wrong: said, and must not have been. cause, first, plan, twin: how many were expected, and
# `held` how many of them hold, by the same names.
Score = collections.namedtuple("Score", "hosts verdicts must said wrong expected held")


def remedy_of(finding):
    """All that the remedy of a finding says, a text a line. An action is said as it is; a command begins its line."""
    remedy = finding.get("remedy") or {}
    steps = [step.get("command") or step.get("action", "") for step in remedy.get("steps", [])]
    texts = [remedy.get("cause", ""), *remedy.get("cautions", []), *steps, *remedy.get("alternatives", []), remedy.get("check", "")]
    return "\n".join(text for text in texts if text)


def listed(value):
    return value if isinstance(value, list) else [value]


class Entry:
    """One line of `must` or `must_not`."""

    def __init__(self, wanted):
        if unknown := set(wanted) - ENTRY_KEYS:
            raise ValueError(f"an entry has no {', '.join(sorted(unknown))}")
        self.check = wanted["check"]
        self.outcomes = listed(wanted.get("outcome", COMPLAINS))
        self.subject = wanted.get("subject", "")
        self.says = wanted.get("says", "")
        self.but = listed(wanted.get("but", []))

    def matches(self, finding):
        """Whether a finding says it. One that follows from another says nothing of its own."""
        told = "\n".join([finding["observed"], finding["expected"], remedy_of(finding)])
        return (fnmatch.fnmatchcase(finding["id"], self.check) and finding["outcome"] in self.outcomes
                and not finding["hidden_by"] and not any(fnmatch.fnmatchcase(finding["id"], one) for one in self.but)
                and re.search(self.subject, finding["subject"]) is not None
                and re.search(self.says, told, re.S) is not None)

    def __str__(self):
        words = ["/".join(self.outcomes), self.check, self.subject and f"at {self.subject}", self.says and f"says {self.says}"]
        return "  ".join(word for word in words if word)


class Text:
    """One line of `cause`, `first` or a plan: what a text says, or must not."""

    def __init__(self, wanted):
        if unknown := set(wanted) - TEXT_KEYS:
            raise ValueError(f"an entry has no {', '.join(sorted(unknown))}")
        self.says = re.compile(wanted["says"], re.S | re.I)
        self.subject = wanted.get("subject", "")

    def is_in(self, text):
        return self.says.search(text) is not None

    def __str__(self):
        return "  ".join(word for word in ["says " + self.says.pattern, self.subject and f"at {self.subject}"] if word)


def causes_of(host):
    """What a report names as causes, each as the place and the text. The place of what concerns the whole host is its name."""
    return [(host["host"] if found.get("scope") == "host" else found["subject"],
             "\n".join([found["observed"], found["expected"], found["why"], remedy_of(found)]))
            for found in host["findings"] if found["outcome"] in COMPLAINS and not found["hidden_by"]]


def first_of(report):
    """The first action that the text of a report offers, with what stands before it; empty: none."""
    found = re.search(r"^((?:(?:OWNER|CAUTION) [^\n]*\n)*)DO +(?:1  )?([^\n]*)$", report, re.M)
    return (found[1] + found[2]).strip() if found else ""


# A second host of a case: `control` is the sick host without the fault, `counter` the healthy one with a fault.
Twin = collections.namedtuple("Twin", "kind file verdicts must must_not")


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        try:
            expected = expectations.read((folder / "expect.yaml").read_text())
            if set(expected) - MAY_HAVE != KEYS:
                raise ValueError(f"its keys are not {', '.join(sorted(KEYS))}")
            self.must = [Entry(entry) for entry in expected["must"]]
            self.must_not = [Entry(entry) for entry in expected["must_not"]]
            self.texts = {kind: [Text(entry) for entry in expected.get(kind, [])] for kind in (*REPORT, *PLAN)}
            self.twins = [self.twin(kind) for kind in ("control", "counter") if (folder / f"{kind}.yaml").exists()]
        except (ValueError, KeyError, re.error) as error:
            raise AssertionError(f"{folder / 'expect.yaml'}: {error}") from None
        self.sources = listed(expected["source"])
        self.healthy = expected["healthy"]
        self.verdicts = listed(expected["verdict"])
        self.profile = expected["profile"]
        self.unrecorded = listed(expected.get("unrecorded", []))

    def twin(self, kind):
        """Without a file of its own a control is ready, and nothing is said of it that must be of the sick host."""
        own = self.folder / f"{kind}.expect"
        expected = expectations.read(own.read_text()) if own.exists() else {}
        if kind == "counter":
            return Twin(kind, f"{kind}.yaml", None, [Entry(entry) for entry in expected["must"]], [])
        complained = [entry for entry in self.must if set(entry.outcomes) <= set(COMPLAINS)]
        # A pass that is wrong of the sick host is right of its control.
        never = [entry for entry in self.must_not if not set(entry.outcomes) <= {"pass"}]
        return Twin(kind, f"{kind}.yaml", listed(expected.get("verdict", "ready")), [], [*complained, *never])

    @property
    def profile_argument(self):
        own = self.folder / self.profile
        return own if own.is_file() else self.profile

    def check(self, made, *options):
        answer = tool.rdmaready("check", "--facts", made, "--profile", self.profile_argument, *options)
        if answer.status not in (0, 1, 3):
            raise AssertionError(f"{self.name}: {answer}")
        return answer

    def judge(self):
        """As `check --output json` has it of its one host, with what else the case asks for: the first action, the plan, the twins."""
        with tempfile.TemporaryDirectory(prefix="made-host-") as made:
            fixtures.make_host(self.folder / "host.yaml", made)
            self.recorded = self.words_recorded(pathlib.Path(made))
            host = self.check(made, "--output", "json").json["hosts"][0]
            report = self.check(made).out
            host["first"], host["lines"] = first_of(report), len(report.splitlines())
            if self.texts["plan_must"] or self.texts["plan_must_not"]:
                host["plan"] = recorded.plan(made, self.profile_argument)
        host["twins"] = {twin.kind: self.judge_twin(twin) for twin in self.twins}
        return host

    def judge_twin(self, twin):
        with tempfile.TemporaryDirectory(prefix="made-host-") as made:
            fixtures.make_host(self.folder / twin.file, made)
            return self.check(made, "--output", "json").json["hosts"][0]

    def words_recorded(self, recording):
        """Those of `unrecorded` that a recording of the host holds, each with its file."""
        return [f"{word}  {file.name}" for word in self.unrecorded for file in sorted(recording.rglob("*"))
                if file.is_file() and word.encode() in file.read_bytes()]

    def unheld(self, host):
        """The expectations that do not hold of a judged host: the verdict's, those of `must`, and those of `must_not`,
        these by each check that said it; then those of the report, of the plan and of the twins."""
        findings = host["findings"]
        verdict = [] if host["verdict"] in self.verdicts else [f"{host['verdict']}, not {' or '.join(self.verdicts)}"]
        unsaid = [str(entry) for entry in self.must if not any(map(entry.matches, findings))]
        return {"verdict": verdict, "unsaid": unsaid, "wrong": self.wrong(self.must_not, findings),
                **({"recorded": self.recorded} if self.unrecorded else {}), **self.too_long(host),
                **self.unheld_texts(host), **self.unheld_twins(host)}

    def too_long(self, host):
        """A report is read by somebody who is tired."""
        most = READY_LINES if self.healthy and host["verdict"] == "ready" else MOST_LINES
        counts = self.healthy or len(host.get("causes", [])) == 1
        return {"long": [f"{host['lines']} lines, at most {most}"]} if counts and host.get("lines", 0) > most else {}

    @staticmethod
    def wrong(entries, findings):
        return list(dict.fromkeys(f"{finding['outcome']}  {finding['id']}" for entry in entries for finding in findings
                                  if entry.matches(finding)))

    def unheld_texts(self, host):
        causes = causes_of(host)
        cause = [str(text) for text in self.texts["cause"]
                 if not any(re.search(text.subject, place) and text.is_in(told) for place, told in causes)]
        first = [str(text) for text in self.texts["first"] if not text.is_in(host.get("first", ""))]
        first += [f"not {text}" for text in self.texts["first_not"] if text.is_in(host.get("first", ""))]
        plan = [str(text) for text in self.texts["plan_must"] if not text.is_in(host.get("plan", ""))]
        plan += [f"not {text}" for text in self.texts["plan_must_not"] if text.is_in(host.get("plan", ""))]
        return {kind: found for kind, found in (("cause", cause), ("first", first), ("plan", plan)) if found}

    def unheld_twins(self, host):
        unheld = {}
        for twin in self.twins:
            judged = host["twins"][twin.kind]
            lines = [str(entry) for entry in twin.must if not any(map(entry.matches, judged["findings"]))]
            if twin.verdicts and judged["verdict"] not in twin.verdicts:
                lines.append(f"{judged['verdict']}, not {' or '.join(twin.verdicts)}")
            lines += [f"not {line}" for line in self.wrong(twin.must_not, judged["findings"])]
            if lines:
                unheld[twin.kind] = lines
        return unheld

    def expected(self):
        """How many expectations of the report, the plan and the twins there are; each twin is one."""
        return collections.Counter(cause=len(self.texts["cause"]), first=len(self.texts["first"]) + len(self.texts["first_not"]),
                                   plan=len(self.texts["plan_must"]) + len(self.texts["plan_must_not"]), twin=len(self.twins))


def cases(*of):
    return [Case(folder) for place in of or (CORPUS,) for folder in sorted(place.iterdir()) if folder.is_dir()]


def judged(all_cases):
    """Each case with its judged host."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(zip(all_cases, pool.map(Case.judge, all_cases)))


def score(hosts):
    """Lines of what does not hold, and the score; of judged cases."""
    lines, must, unsaid, wrong, verdicts = [], 0, 0, 0, 0
    expected, held = collections.Counter(), collections.Counter()
    for case, host in hosts:
        broken = case.unheld(host)
        must += len(case.must)
        unsaid += len(broken["unsaid"])
        wrong += len(broken["wrong"]) + len(broken.get("recorded", []))
        verdicts += not broken["verdict"]
        expected += case.expected()
        held += case.expected()
        held.subtract({kind: len(broken.get(kind, [])) for kind in ("cause", "first", "plan")})
        held.subtract(twin=sum(twin.kind in broken for twin in case.twins))
        lines += [f"{case.name:28} {kind:8} {what}" for kind, found in broken.items() for what in found]
    return lines, Score(len(hosts), verdicts, must, must - unsaid, wrong, expected, held)


def told(of):
    right = of.said / (of.said + of.wrong) if of.said + of.wrong else 1
    more = "".join(f", {kind} {of.held[kind]} of {number}" for kind, number in of.expected.items() if number)
    return (f"precision {right:.2f} ({of.said} said rightly, {of.wrong} wrongly), "
            f"recall {of.said / of.must if of.must else 1:.2f} ({of.said} of {of.must} said), verdict of {of.verdicts} of {of.hosts} hosts{more}")


def text(lines, of):
    return "".join(f"{line}\n" for line in ["# SPDX-License-Identifier: Apache-2.0", f"# {told(of)}", *lines])
