#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that what was built depends on this tree and the system alone: an object that a compiler cache took over from another clone must not
depend on that clone's sources, or edits here are ignored.

deps.py BUILD ROOT   judges what ninja noted; one line per foreign file, exit 1 when there is any
deps.py --self       proves that it can fail
"""
import os
import pathlib
import subprocess
import sys

SYSTEM = ("/usr/", "/lib/", "/opt/")


def noted(build):
    """(object, file that it depends on) as `ninja -t deps` prints them: an object at the start of a line, its files indented."""
    output = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    built = ""
    for line in output.splitlines():
        if line.startswith(" "):
            yield built, line.strip()
        elif line:
            built = line.rsplit(": #deps", 1)[0]


def foreign(pairs, build, root):
    """The first object of each file outside the tree and the system, and each file of the tree that is named by an absolute path."""
    found = {}
    inside = os.path.realpath(root) + "/"
    for built, name in pairs:
        path = os.path.realpath(os.path.join(build, name))
        if os.path.isabs(name) and not path.startswith(SYSTEM):
            found.setdefault(name, f"{built} depends on {name}: an absolute path")
        elif not path.startswith((inside, *SYSTEM)):
            found.setdefault(name, f"{built} depends on {name}: outside the tree")
    return list(found.values())


def self_test():
    pairs = [("a.o", "../api/a.h"), ("a.o", "api/made.h"), ("a.o", "/usr/include/stdio.h")]
    if found := foreign(pairs, "/tree of one/build", "/tree of one"):
        sys.exit(f"deps --self: a sound object was blamed: {found}")
    pairs += [("b.o", "/other/api/a.h"), ("c.o", "/tree of one/api/b.h"), ("d.o", "../../other/api/c.h")]
    if len(found := foreign(pairs, "/tree of one/build", "/tree of one")) != 3:
        sys.exit(f"deps --self: another clone's file or an absolute path was not found: {found}")
    print("deps: 3 foreign files recognised, a sound object is sound")


def main():
    if sys.argv[1:] == ["--self"]:
        return self_test()
    build, root = sys.argv[1:]
    pairs = list(noted(build))
    found = foreign(pairs, build, pathlib.Path(root))
    print("\n".join(found) if found else f"deps: {len(pairs)} dependencies of {len({built for built, _ in pairs})} objects, none is foreign")
    return 1 if found or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
