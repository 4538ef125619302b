# SPDX-License-Identifier: Apache-2.0
"""Recorded hosts under tests/fixtures/hosts, one folder a case."""
import pathlib
import re

import tool

HOSTS = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "hosts"


class Case:
    """Its case.sh has, before the shell lines, comments of the form `# KEY: VALUE`."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.saved = folder / "saved"
        self.golden = folder / "findings"
        script = (folder / "case.sh").read_text()
        self.settings = dict(re.findall(r"^# (\w+): (.+)$", script, re.M))
        self.profile = self.settings["profile"]
        self.wrong, _, self.undo = script.partition("# undo\n")

    def judge(self):
        """One line for each finding: outcome, check, where; and what it follows from, where it was not judged for that."""
        answer = tool.rdmaready("check", "--facts", self.saved, "--profile", self.profile, "--output", "json")
        if answer.status not in (0, 1, 3):
            raise AssertionError(f"case {self.name}: {answer}")
        lines = []
        for host in answer.json["hosts"]:
            lines.append(f"{host['host']}: {host['verdict']}")
            for found in host["findings"]:
                behind = f" (follows from {found['hidden_by']})" if found["hidden_by"] else ""
                lines.append(f"  {found['outcome']:14} {found['id']:28} {found['subject']}{behind}")
        return "\n".join(lines) + "\n"


def cases():
    return [Case(folder) for folder in sorted(HOSTS.iterdir()) if folder.is_dir()]
