#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ids of checks and names of transfer cases are for ever: people and programs name them in tickets, waivers and dashboards.

ids.py ROOT       every one that a commit ever had is still in use, or stands in checks/retired_ids.txt; none is used again
ids.py --self     prove that it can fail
"""
import collections
import pathlib
import re
import subprocess
import sys

# A row of a check, or an id that other code names too.
CHECK = re.compile(r'(?:\.id|string_view k\w+Id) = "([a-z0-9-]+\.[a-z0-9-]+)"')
PLACES = {"checks/*.cc": CHECK, "checks/*.h": CHECK,
          "api/model/cases.h": re.compile(r'\.name = "([a-z0-9-]+)"')}
RETIRED = "checks/retired_ids.txt"


def now(root):
    for place, row in PLACES.items():
        folder, pattern = place.rsplit("/", 1)
        for path in sorted((root / folder).rglob(pattern)):
            yield from row.findall(path.read_text())


def ever(root):
    """The ids of all commits; empty where there is no history (an unpacked source package)."""
    for place, row in PLACES.items():
        done = subprocess.run(["git", "-C", root, "log", "--format=", "--patch", "--unified=0", "--", place],
                              capture_output=True, text=True, errors="replace", check=False)
        for line in done.stdout.splitlines():
            if line.startswith("+"):
                yield from row.findall(line)


def offences(live, retired, past):
    found = [f"{one}: two have this id" for one, times in collections.Counter(live).items() if times > 1]
    found += [f"{one}: retired, and used again" for one in sorted(set(live) & retired)]
    found += [f"{one}: was an id; it belongs into {RETIRED}" for one in sorted(past - set(live) - retired)]
    return found


def self_test():
    cases = [(["a.b", "a.b"], set(), set(), "two have"), (["a.b"], {"a.b"}, set(), "used again"),
             (["a.b"], set(), {"a.b", "a.c"}, "a.c: was an id")]
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
    live = list(now(root))
    retired = {line for line in (root / RETIRED).read_text().split("\n") if line and not line.startswith("#")}
    past = set(ever(root))
    found = offences(live, retired, past)
    print("\n".join(found) if found else f"ids: {len(live)} in use, {len(retired)} retired, {len(past)} in the history")
    return 1 if found or not live else 0


if __name__ == "__main__":
    sys.exit(main())
