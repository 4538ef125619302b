# SPDX-License-Identifier: Apache-2.0
"""Recorded hosts under tests/fixtures/hosts, one folder a case."""
import atexit
import collections
import difflib
import pathlib
import re
import subprocess
import tempfile

import tool

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
HOSTS = FIXTURES / "hosts"
DRIVERS = FIXTURES / "made" / "drivers"
COUNTS = FIXTURES / "counts"
SAYS_SOMETHING = ("fail", "warn", "unknown")


def make_host(description, directory):
    """Saves below `directory` the recording of the host that a file describes."""
    done = subprocess.run([tool.BIN / "make_host", DRIVERS, description, directory], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stderr}")


class Case:
    """Its case.sh has, before the shell lines, comments of the form `# KEY: VALUE`. A described host has a host.yaml
    instead; its recording is made when it is asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.golden = folder / "findings"
        self.described = folder / "host.yaml"
        self.made = None
        self.settings = {}
        if self.described.exists():
            self.profile = re.search(r"^profile: (\S+)$", self.described.read_text(), re.M)[1]
            return
        script = (folder / "case.sh").read_text()
        self.settings = dict(re.findall(r"^# (\w+): (.+)$", script, re.M))
        self.profile = self.settings["profile"]
        self.wrong, _, self.undo = script.partition("# undo\n")

    @property
    def saved(self):
        if not self.described.exists():
            return self.folder / "saved"
        if self.made is None:
            self.made = tempfile.TemporaryDirectory(prefix="made-host-")
            atexit.register(self.made.cleanup)
            make_host(self.described, self.made.name)
        return pathlib.Path(self.made.name)

    def judge(self):
        """What is said of its hosts, one line for each finding that says something: outcome, check, where. And how many
        of the others there are, one line a host."""
        answer = tool.rdmaready("check", "--facts", self.saved, "--profile", self.profile, "--output", "json")
        if answer.status not in (0, 1, 3):
            raise AssertionError(f"case {self.name}: {answer}")
        said, counts = [], []
        for host in answer.json["hosts"]:
            said.append(f"{host['host']}: {host['verdict']}")
            rest = collections.Counter()
            for found in host["findings"]:
                if found["outcome"] in SAYS_SOMETHING:
                    said.append(f"  {found['outcome']:8} {found['id']:28} {found['subject']}")
                rest["follows" if found["hidden_by"] else found["outcome"]] += 1
            counts.append(f"{self.name:18} {host['host']:12} {rest['pass']:4} pass {rest['not-applicable']:4} not applicable "
                          f"{rest['follows']:3} follow from others")
        return "\n".join(said) + "\n", counts


def counts_text(lines):
    return "".join(f"{line}\n" for line in ["# SPDX-License-Identifier: Apache-2.0", *lines])


def difference(written, judged):
    """Only the lines that differ: - as it is written down, + as it is judged now. Empty without any."""
    lines = difflib.unified_diff(written.splitlines(), judged.splitlines(), lineterm="", n=0)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def cases():
    return [Case(folder) for folder in sorted(HOSTS.iterdir()) if folder.is_dir()]
