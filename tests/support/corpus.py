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
import tool

CORPUS = fixtures.FIXTURES / "corpus"
UNHELD = CORPUS / "unheld"
KEYS = {"source", "healthy", "profile", "verdict", "must", "must_not"}
MAY_HAVE = {"unrecorded"}
ENTRY_KEYS = {"check", "outcome", "subject", "says", "why", "but"}
COMPLAINS = ["fail", "warn", "unknown"]

# must: expected, and said of these; wrong: said, and must not have been.
Score = collections.namedtuple("Score", "hosts verdicts must said wrong")


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
        told = "\n".join(finding[part] for part in ("observed", "expected", "fix"))
        return (fnmatch.fnmatchcase(finding["id"], self.check) and finding["outcome"] in self.outcomes
                and not finding["hidden_by"] and not any(fnmatch.fnmatchcase(finding["id"], one) for one in self.but)
                and re.search(self.subject, finding["subject"]) is not None
                and re.search(self.says, told, re.S) is not None)

    def __str__(self):
        words = ["/".join(self.outcomes), self.check, self.subject and f"at {self.subject}", self.says and f"says {self.says}"]
        return "  ".join(word for word in words if word)


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
        except (ValueError, KeyError, re.error) as error:
            raise AssertionError(f"{folder / 'expect.yaml'}: {error}") from None
        self.sources = listed(expected["source"])
        self.healthy = expected["healthy"]
        self.verdicts = listed(expected["verdict"])
        self.profile = expected["profile"]
        self.unrecorded = listed(expected.get("unrecorded", []))

    def judge(self):
        """As `check --output json` has it of its one host."""
        own = self.folder / self.profile
        with tempfile.TemporaryDirectory(prefix="made-host-") as made:
            fixtures.make_host(self.folder / "host.yaml", made)
            self.recorded = self.words_recorded(pathlib.Path(made))
            answer = tool.rdmaready("check", "--facts", made, "--profile", own if own.is_file() else self.profile,
                                    "--output", "json")
        if answer.status not in (0, 1, 3):
            raise AssertionError(f"{self.name}: {answer}")
        return answer.json["hosts"][0]

    def words_recorded(self, recording):
        """Those of `unrecorded` that a recording of the host holds, each with its file."""
        return [f"{word}  {file.name}" for word in self.unrecorded for file in sorted(recording.rglob("*"))
                if file.is_file() and word.encode() in file.read_bytes()]

    def unheld(self, host):
        """The expectations that do not hold of a judged host: the verdict's, those of `must`, and those of `must_not`,
        these by each check that said it."""
        findings = host["findings"]
        verdict = [] if host["verdict"] in self.verdicts else [f"{host['verdict']}, not {' or '.join(self.verdicts)}"]
        unsaid = [str(entry) for entry in self.must if not any(map(entry.matches, findings))]
        wrong = dict.fromkeys(f"{finding['outcome']}  {finding['id']}" for entry in self.must_not for finding in findings
                              if entry.matches(finding))
        return {"verdict": verdict, "unsaid": unsaid, "wrong": list(wrong), **({"recorded": self.recorded} if self.unrecorded else {})}


def cases():
    return [Case(folder) for folder in sorted(CORPUS.iterdir()) if folder.is_dir()]


def score(all_cases):
    """Lines of what does not hold, and the score."""
    lines, must, unsaid, wrong, verdicts = [], 0, 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(Case.judge, all_cases))
    for case, host in zip(all_cases, judged):
        broken = case.unheld(host)
        must += len(case.must)
        unsaid += len(broken["unsaid"])
        wrong += len(broken["wrong"]) + len(broken.get("recorded", []))
        verdicts += not broken["verdict"]
        lines += [f"{case.name:28} {kind:8} {what}" for kind, found in broken.items() for what in found]
    return lines, Score(len(all_cases), verdicts, must, must - unsaid, wrong)


def told(of):
    right = of.said / (of.said + of.wrong) if of.said + of.wrong else 1
    return (f"precision {right:.2f} ({of.said} said rightly, {of.wrong} wrongly), "
            f"recall {of.said / of.must if of.must else 1:.2f} ({of.said} of {of.must} said), verdict of {of.verdicts} of {of.hosts} hosts")


def text(lines, of):
    return "".join(f"{line}\n" for line in ["# SPDX-License-Identifier: Apache-2.0", f"# {told(of)}", *lines])
