#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds that new lines of C++ are as .clang-format says: those that differ from the merge base with main (on main itself: from the commit before).

format.py ROOT     one line per place that clang-format writes otherwise, exit 1 when there is any, 77 without clang-format 14
format.py --self   prove that it can fail

Each release of clang-format has its own taste, so only this one is asked. `git clang-format --extensions cc,h BASE` writes the lines as they should be.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tidy

RELEASE = 14
SKIP = 77
CONFIGURATION = tidy.CONFIGURATION.with_name(".clang-format")
SOURCES = ("*.cc", "*.h", ":(exclude)tests/fabric/dcbnic")  # which has the kernel's style


def program():
    """The clang-format of that release, or nothing."""
    for name in (f"clang-format-{RELEASE}", "clang-format"):
        try:
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=False).stdout
        except FileNotFoundError:
            continue
        if re.search(rf"version {RELEASE}\.", said):
            return name
    return None


def new_lines(root):
    """For each source its new lines, as ranges from first to last; no range of a file that git does not know yet: all of it is new."""
    if not (base := tidy.base_of(root)):
        print("format: no history, so nothing differs")
        return {}
    found = {name: [] for name in tidy.git(root, "ls-files", "--others", "--exclude-standard", "--", *SOURCES).splitlines()}
    name = None
    for line in tidy.git(root, "diff", "-U0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", "--diff-filter=d", base, "--",
                         *SOURCES).splitlines():
        if line.startswith("+++ b/"):
            name = line[len("+++ b/"):].removesuffix("\t")  # it ends a name with a blank
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(match[1]), int(match[2] or 1)
            if count:
                found.setdefault(name, []).append((first, first + count - 1))
    return found


def judge(clang_format, root):
    """(files with new lines, a line for each place that is written otherwise)."""
    found, files = [], new_lines(root)
    for name, ranges in sorted(files.items()):
        done = subprocess.run([clang_format, f"--style=file:{CONFIGURATION}", *(f"--lines={first}:{last}" for first, last in ranges), root / name],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            found.append(f"{name}:1: {clang_format} failed: {done.stderr.strip()}")
            continue
        mine, right = (root / name).read_text().split("\n"), done.stdout.split("\n")
        for kind, first, _, at, end in difflib.SequenceMatcher(None, mine, right, autojunk=False).get_opcodes():
            if kind != "equal":
                found.append(f"{name}:{first + 1}: clang-format writes: {' / '.join(line.strip() for line in right[at:end]) or 'nothing'}")
    return sorted(files), found


def self_test(clang_format):
    clean = "// A comment.\nint Answer() { return 42; }\n"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(os.path.realpath(folder))
        source, added = root / "a source.cc", root / "added.h"
        source.write_text("int   Old()  { return 1; }\n" + clean)
        if (told := judge(clang_format, root)) != ([], []):
            sys.exit(f"format --self: without history: {told}")
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        tidy.git(root, "init", "-b", "main")
        for message in ("one", "two"):
            tidy.git(root, "add", ".")
            tidy.git(root, *identity, "commit", "--allow-empty", "-m", message)
        if (told := judge(clang_format, root)) != ([], []):
            sys.exit(f"format --self: nothing changed: {told}")
        source.write_text(source.read_text() + "int Right() { return 2; }\n")
        if (told := judge(clang_format, root)) != ([source.name], []):
            sys.exit(f"format --self: a right line in a file with an older wrong one: {told}")
        source.write_text(source.read_text() + "int  Wrong()  {return 3;}\n")
        added.write_text("int *pointer;\n")
        wrong = ["a source.cc:5: clang-format writes: int Wrong() { return 3; }", "added.h:1: clang-format writes: int* pointer;"]
        if (told := judge(clang_format, root)) != (sorted([source.name, added.name]), wrong):
            sys.exit(f"format --self: a wrong line and a wrong new file: {told}")
        tidy.git(root, "add", ".")
        tidy.git(root, *identity, "commit", "-m", "three")
        if judge(clang_format, root)[1] != wrong:
            sys.exit("format --self: what the last commit of main changed was not looked at")
    print(f"format: {len(wrong)} offences recognised, an older line is left alone")
    return 0


def main():
    if (clang_format := program()) is None:
        print(f"format: no clang-format {RELEASE} here")
        return SKIP
    if sys.argv[1:] == ["--self"]:
        return self_test(clang_format)
    files, found = judge(clang_format, pathlib.Path(sys.argv[1]))
    print("\n".join([*found, f"format: {len(files)} files with new lines, {len(found)} places are written otherwise"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
