#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy with the rules of .clang-tidy.

tidy.py BUILD [--seconds N]   the sources that differ from the merge base with main (on main itself: from the commit before)
tidy.py BUILD --all           every source of the product
tidy.py --self                prove that it can fail

Most of the time goes into headers, so sources of one target are looked at together, as in a unit of the build. With --seconds it ends after
that time and names what was not looked at; each commit has another order. Exit status 1: an offence; 77: nothing was looked at in time.
"""
import argparse
import hashlib
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

TIDY = "clang-tidy-19"
PRODUCT = ("agent/", "api/", "checks/", "cli/", "collectors/", "hub/")
BATCH = 8
CONFIGURATION = pathlib.Path(__file__).resolve().parents[2] / ".clang-tidy"
NOT_IN_TIME = 77


def git(root, *arguments):
    """What git prints; nothing where there is no git, no history or no such commit."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def targets(build, root):
    """(directory, arguments, own file, sources of the product) of each target that compiles some. Arguments lack the compiler's warnings:
    those are the compiler's to say."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if entry["file"].endswith(".c"):  # no source of the product is C
            continue
        words = words[next(i for i, word in enumerate(words) if re.search(r"(c|g|clang)\+\+[\d.-]*$", word)):]
        if words[words.index("-o") + 1].startswith("tests/"):  # a fuzzer compiles the same source in its own way
            continue
        unit = pathlib.Path(entry["file"])
        # packaging/lib/units.cmake
        files = re.findall(r'#include "([^"]+)"', unit.read_text()) if "/units/" in entry["file"] else [entry["file"]]
        names = [os.path.relpath(os.path.realpath(root / file), root) for file in files]
        names = [name for name in names if name.startswith(PRODUCT) and name not in seen]
        seen.update(names)
        # Nor does another compiler read what the build's compiler has precompiled.
        words = [word for word, before in zip(words, ["", *words]) if "-include" not in (word, before)]
        arguments = [word for word in words if word == "-w" or not word.startswith("-W")]
        if names:
            yield entry["directory"], arguments, entry["file"], names


def base_of(root):
    """The commit that what is new is compared with; nothing where there is none."""
    head = git(root, "rev-parse", "--verify", "HEAD")
    base = git(root, "merge-base", "HEAD", "origin/main") or git(root, "merge-base", "HEAD", "main")
    return base if base not in ("", head) else git(root, "rev-parse", "--verify", "HEAD~1") or head


def changed(root):
    base = base_of(root)
    if not base:
        print("tidy: no history, so nothing differs")
        return []
    names = git(root, "diff", "--name-only", "--diff-filter=d", base, "--", *PRODUCT)
    return names.splitlines() + git(root, "ls-files", "--others", "--exclude-standard", "--", *PRODUCT).splitlines()


def includers(root, headers, sources):
    """For each header one source that includes it: the one that it is named for, if any."""
    for header in headers:
        line = f'#include "{header}"'
        users = [source for source in sorted(sources) if line in (root / source).read_text()]
        yield from sorted(users, key=lambda source: pathlib.Path(source).stem != pathlib.Path(header).stem)[:1]


def units(known, wanted, order, folder):
    """Writes units of the wanted sources into the folder, with the commands that compile them: (file, sources) of each."""
    database, written = [], []
    for directory, arguments, own, sources in known:
        # In the order in which the build compiles them: in another one, a name of one file may hide what the next one means.
        chosen = [source for source in sources if source in wanted]
        for at in range(0, len(chosen), BATCH):
            part = chosen[at:at + BATCH]
            file = folder / f"unit_{len(written)}.cxx"
            file.write_text("".join(f'#include "{source}"\n' for source in part))
            database.append({"directory": directory, "file": str(file), "arguments": [str(file) if word == own else word for word in arguments]})
            written.append((file, part))
    (folder / "compile_commands.json").write_text(json.dumps(database))
    return sorted(written, key=lambda unit: order(unit[1][0]))


def look(file, seconds):
    """The offences in the unit, each as the lines that tell it. None: not done in time."""
    if seconds <= 0:
        return None
    command = [TIDY, "--quiet", f"--config-file={CONFIGURATION}", "-p", file.parent, file]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=None if seconds == float("inf") else seconds)
    except subprocess.TimeoutExpired:
        return None
    found = re.split(r"\n(?=/[^\n]*: (?:warning|error): )", "\n" + done.stdout)[1:]
    return found or ([f"{TIDY} failed:\n{done.stderr}"] if done.returncode else [])


def judge(build, root, everything=False, seconds=float("inf"), tell=lambda offence: None):
    """(offences, sources looked at, sources that were not in time). Tells each offence as soon as it is found."""
    end = time.monotonic() + seconds
    known = list(targets(build, root))
    product = {source for target in known for source in target[3]}
    wanted = product
    if not everything:
        names = changed(root)
        wanted = (product & set(names)) | set(includers(root, [name for name in names if name.endswith(".h")], product))
    seed = git(root, "rev-parse", "HEAD")

    def order(name):
        return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        work = units(known, wanted, order, pathlib.Path(folder))
        offences, looked = [], []
        for (_, names), found in zip(work, pool.map(lambda unit: look(unit[0], end - time.monotonic()), work)):
            looked += names if found is not None else []
            for offence in [text.replace(f"{root}/", "").strip() for text in found or []]:
                if offence not in offences:  # a header's is found with each source that includes it
                    offences.append(offence)
                    tell(offence)
    return offences, sorted(looked), sorted(wanted - set(looked))


def self_test():
    clean = "namespace rdmaready {\nint Answer() { return 42; }\n}  // namespace rdmaready\n"
    wrong = "namespace rdmaready {\nconstexpr int wrong_%s = 42;\n}  // namespace rdmaready\n"

    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(os.path.realpath(folder))
        build = root / "build"
        (root / "agent").mkdir()
        (build / "units").mkdir(parents=True)
        (root / ".gitignore").write_text("build\n")
        (root / "agent" / "clean.cc").write_text(clean)
        (root / "agent" / "alone.cc").write_text(clean.replace("Answer", "Alone"))
        (root / "agent" / "other.cc").write_text('#include "agent/other.h"\n')
        (root / "agent" / "other.h").write_text("#pragma once\n")
        batch = build / "units" / "agent.cc"
        batch.write_text('#include "agent/clean.cc"\n#include "agent/other.cc"\n')
        (build / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(build), "file": str(file), "command": f"/usr/bin/c++ -I{root} -std=c++20 -Werror -include x.hxx -o x.o -c {file}"}
             for file in (batch, root / "agent" / "alone.cc")]))
        names = ["agent/alone.cc", "agent/clean.cc", "agent/other.cc"]
        if (told := judge(build, root)) != ([], [], []):
            sys.exit(f"tidy --self: without history: {told}")
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        git(root, "init", "-b", "main")
        for message in ("one", "two"):
            git(root, "add", ".")
            git(root, *identity, "commit", "--allow-empty", "-m", message)
        if (told := judge(build, root)) != ([], [], []):
            sys.exit(f"tidy --self: nothing changed: {told}")
        if (told := judge(build, root, everything=True)) != ([], names, []):
            sys.exit(f"tidy --self: a clean tree: {told}")
        (root / "agent" / "other.h").write_text("#pragma once\n" + wrong % 1)
        (root / "agent" / "alone.cc").write_text(wrong % 2)
        found, looked, late = judge(build, root)
        if len(found) != 2 or looked != ["agent/alone.cc", "agent/other.cc"] or late or "agent/" != found[0][:6]:
            sys.exit(f"tidy --self: a source and a header with an offence: {found} in {looked}")
        found, looked, late = judge(build, root, everything=True)
        if len(found) != 2 or looked != names or late:
            sys.exit(f"tidy --self: two offences in all: {found} in {looked}")
        git(root, *identity, "commit", "-a", "-m", "three")
        if len(judge(build, root)[0]) != 2:
            sys.exit("tidy --self: what the last commit of main changed was not looked at")
        if (told := judge(build, root, seconds=0)) != ([], [], ["agent/alone.cc", "agent/other.cc"]):
            sys.exit(f"tidy --self: no time: {told}")
    print("tidy: offences in a batch, in a header and in a source alone were recognised")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--self", action="store_true")
    options = parser.parse_args()
    if options.self:
        return self_test()
    offences, looked, late = judge(options.build, CONFIGURATION.parent, options.all, options.seconds,
                                   lambda offence: print(offence, flush=True))
    print(f"tidy: {len(looked)} sources looked at, {len(offences)} offences")
    if late:
        print(f"tidy: not looked at in time: {' '.join(late)}")
    return 1 if offences else NOT_IN_TIME if late and not looked else 0


if __name__ == "__main__":
    sys.exit(main())
