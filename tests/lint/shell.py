#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds that shellcheck has nothing to say of any shell script of the tree.

shell.py ROOT      one line per complaint, exit 1 when there is any, 77 without shellcheck
shell.py --self    prove that it can fail
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
# What a script reads or calls elsewhere cannot be seen here: files of a guest that is not running (SC1090, SC1091, SC2154), functions that
# only a trap calls (SC2317).
NOT_SEEN = "SC1090,SC1091,SC2154,SC2317"
LEFT_OUT = {".git", "fixtures"}  # what a fixture runs is shown to readers as it was typed


def is_script(path):
    if path.suffix in (".sh", ".bash"):
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        return re.match(rb"#!.*\b(ba|da)?sh\b", file.readline(200)) is not None


def scripts(root):
    found = []
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.is_file() and not path.is_symlink() and not LEFT_OUT & set(parts) and not parts[0].startswith("build") and is_script(path):
            found.append(path)
    marked = [path for path in sorted((root / "packaging" / "lib").glob("*")) if path.is_file() and path.suffix != ".cmake"]
    return sorted({*found, *marked})


def complaints(root, paths):
    shell = {".bash": ["--shell=bash"]}
    lines = []
    for path in paths:
        done = subprocess.run(["shellcheck", "--external-sources", "--format=gcc", f"--exclude={NOT_SEEN}", *shell.get(path.suffix, []), path], cwd=root,
                              capture_output=True, text=True, check=False)
        lines += done.stdout.splitlines() + done.stderr.splitlines()
    return lines


def prove():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "good").write_text("#!/bin/sh\necho \"$1\"\n")
        (root / "bad").write_text("#!/bin/bash\necho $1\n")
        (root / "other").write_text("#!/usr/bin/env python3\nprint($1)\n")
        if [path.name for path in scripts(root)] != ["bad", "good"]:
            return "takes something else for a shell script"
        if complaints(root, [root / "good"]) or not complaints(root, [root / "bad"]):
            return "does not tell a good script from a bad one"
    return None


def main(argument):
    if shutil.which("shellcheck") is None:
        print("no shellcheck here; tests/run installs it", file=sys.stderr)
        return SKIP
    if argument == "--self":
        wrong = prove()
        print(wrong or "can fail", file=sys.stderr)
        return 1 if wrong else 0
    root = pathlib.Path(argument).resolve()
    lines = complaints(root, scripts(root))
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
