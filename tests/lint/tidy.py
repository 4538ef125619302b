#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with the rules of .clang-tidy.

tidy.py BUILD                    the sources that differ from the merge base with main (or from the commit before, on main itself)
tidy.py BUILD --all              every source of the product
tidy.py BUILD --seconds N ...    stop after N seconds and say what was not looked at; the order is another one for every commit
"""
import argparse
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

PRODUCT = ("agent/", "api/", "checks/", "cli/", "collectors/")


def git(root, *arguments):
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True).stdout.strip()


def commands(build):
    """Source -> the command that compiles it alone, also where it is compiled in a batch."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = [word for word in shlex.split(entry["command"])]
        words = words[next(i for i, word in enumerate(words) if re.search(r"(c|g|clang)\+\+[\d.-]*$", word)):]
        unit = pathlib.Path(entry["file"])
        sources = re.findall(r'#include "([^"]+)"', unit.read_text()) if "/Unity/" in str(unit) else [str(unit)]
        for source in sources:
            alone = [source if word == entry["file"] else word for word in words]
            found.setdefault(os.path.realpath(source), {"directory": entry["directory"], "file": source, "arguments": alone})
    return found


def changed(root):
    head = git(root, "rev-parse", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main") or git(root, "merge-base", "HEAD", "main")
    if base in ("", head):
        base = git(root, "rev-parse", "HEAD~1")
    names = git(root, "diff", "--name-only", "--diff-filter=d", base) if base else ""
    return names.splitlines() + git(root, "ls-files", "--others", "--exclude-standard").splitlines()


def includers(root, headers, sources):
    """Sources that include one of the headers themselves, the one that the header is named for first."""
    for header in headers:
        line = f'#include "{header}"'
        users = [source for source in sources if line in (root / source).read_text()]
        users.sort(key=lambda source: pathlib.Path(source).stem != pathlib.Path(header).stem)
        yield from users[:1]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    known = commands(options.build)
    product = {str(pathlib.Path(path).relative_to(root)): entry for path, entry in known.items()
               if str(path).startswith(tuple(f"{root}/{folder}" for folder in PRODUCT))}
    if options.all:
        wanted = sorted(product)
    else:
        names = changed(root)
        wanted = {name for name in names if name in product}
        wanted |= set(includers(root, [name for name in names if name.endswith(".h")], product))
        wanted = sorted(wanted)
    seed = git(root, "rev-parse", "HEAD")
    wanted.sort(key=lambda name: hash((seed, name)) if options.seconds != float("inf") else name)
    deadline = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as database:
        (pathlib.Path(database) / "compile_commands.json").write_text(json.dumps([product[name] for name in wanted]))

        def look(name):
            if time.monotonic() > deadline:
                return name, None
            run = subprocess.run(["clang-tidy", "--quiet", f"--config-file={root / '.clang-tidy'}", "-p", database, root / name],
                                 capture_output=True, text=True)
            return name, run.stdout if run.returncode else ""

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(look, wanted))
    offences = [text for _, text in answers if text]
    looked = sum(text is not None for _, text in answers)
    print("".join(offences))
    print(f"tidy: {looked} of {len(wanted)} sources looked at, {len(offences)} with offences")
    if looked == 0 and wanted:
        print("tidy: not one in time")
    return 1 if offences or (wanted and looked == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
