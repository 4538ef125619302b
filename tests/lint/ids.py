#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ids of checks are for ever: people and programs name them in tickets, waivers and dashboards.

ids.py ROOT       every id that a commit ever had is still a check's, or stands in checks/retired_ids.txt; none is used again
ids.py --self     prove that it can fail
"""
import collections
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r'\.id = "([a-z0-9-]+\.[a-z0-9-]+)"')
RETIRED = "checks/retired_ids.txt"


def ever(root):
    """The ids of all commits; empty where there is no history (an unpacked source package)."""
    done = subprocess.run(["git", "-C", root, "log", "--format=", "--patch", "--unified=0", r"-G\.id = \"", "--", "checks/*.cc"],
                          capture_output=True, text=True, errors="replace", check=False)
    return {found for line in done.stdout.splitlines() if line.startswith("+") for found in ROW.findall(line)}


def offences(live, retired, past):
    found = [f"{one}: two checks have this id" for one, times in collections.Counter(live).items() if times > 1]
    found += [f"{one}: retired, and used again" for one in sorted(set(live) & retired)]
    found += [f"{one}: was a check's id; it belongs into {RETIRED}" for one in sorted(past - set(live) - retired)]
    return found


def self_test():
    cases = [(["a.b", "a.b"], set(), set(), "two checks"), (["a.b"], {"a.b"}, set(), "used again"),
             (["a.b"], set(), {"a.b", "a.c"}, "a.c: was a check's id")]
    for live, retired, past, expected in cases:
        if not any(expected in line for line in offences(live, retired, past)):
            sys.exit(f"ids --self: '{expected}' was not found")
    if found := offences(["a.b"], {"a.c"}, {"a.b", "a.c"}):
        sys.exit(f"ids --self: nothing wrong was blamed: {found}")
    print(f"ids: {len(cases)} offences recognised")


def main():
    if sys.argv[1:] == ["--self"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    live = [one for path in sorted((root / "checks").rglob("*.cc")) for one in ROW.findall(path.read_text())]
    retired = {line for line in (root / RETIRED).read_text().split("\n") if line and not line.startswith("#")}
    past = ever(root)
    found = offences(live, retired, past)
    print("\n".join(found) if found else f"ids: {len(live)} in use, {len(retired)} retired, {len(past)} in the history")
    return 1 if found or not live else 0


if __name__ == "__main__":
    sys.exit(main())
