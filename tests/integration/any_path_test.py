# SPDX-License-Identifier: Apache-2.0
"""The scripts of a tree whose path holds blanks: what .ci/run and tests/run decide there, with everything they call replaced by scripts that
note their words down; and a module that is preloaded from such a path."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import preload
import tool

NOTE = """#!/bin/sh
{ printf %s "${0##*/}"; printf ' [%s]' "$@"; echo; } >> "$LOG"
"""
SCRIPTS = {
    "tests/fabric/fabric": NOTE,
    "bin/cmake": NOTE + ": > \"$4/build.ninja\"\n",
    "bin/ninja": NOTE + "echo said\nexit ${BUILD_STATUS:-0}\n",
    "bin/ctest": NOTE + "case \"$*\" in *--show-only=*) cat \"$PARTS\" ;; *) exit ${TEST_STATUS:-0} ;; esac\n",
    "bin/git": NOTE + "echo 0123\n",
    "bin/dpkg-deb": NOTE,
    # All is installed, and to unpack takes no network.
    "packaging/lib/packages.sh": "not_installed() { :; }\nunpack_beside() { :; }\ndownload() { : > one.deb; }\n",
}


def part(name, seconds):
    return {"name": name, "properties": [{"name": "TIMEOUT", "value": seconds}, {"name": "LABELS", "value": ["soak"]}]}


class ATreeInAPathWithBlanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a path with ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "two blanks"
        for name in ("packaging/lib", ".ci"):
            shutil.copytree(tool.ROOT / name, self.root / name)
        for name in ("run", "slice", "failures"):
            (self.root / "tests").mkdir(exist_ok=True)
            shutil.copy(tool.ROOT / "tests" / name, self.root / "tests")
        for path, text in SCRIPTS.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
            (self.root / path).chmod(0o755)
        self.log, self.parts = self.root / "log", self.root / "parts.json"
        self.parts.write_text(json.dumps({"tests": [part("soak_short", 60), part("soak_fits", 4000), part("soak_long", 4600)]}))

    def run_in(self, script, *words, **environment):
        return subprocess.run([self.root / script, *words], capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "LOG": str(self.log), "PARTS": str(self.parts),
                                   "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}", **environment})

    def calls(self, program):
        """The words of each call."""
        return [line for line in self.log.read_text().splitlines() if line.startswith(f"{program} ")]

    def runs_of_tests(self):
        return [line for line in self.calls("ctest") if "--show-only=" not in line]

    def test_ci_builds_once_and_runs_a_part_of_soak_that_fits(self):
        done = self.run_in(".ci/run")
        self.assertEqual(done.returncode, 0, done)
        build = self.root / "build"
        self.assertEqual(self.calls("cmake"), [f"cmake [-S] [{self.root}] [-B] [{build}] [-G] [Ninja]"])
        self.assertEqual(self.calls("ninja"), [f"ninja [-C] [{build}]"])
        every, soak = self.runs_of_tests()
        self.assertIn(f"ctest [--test-dir] [{build}] ", every)
        self.assertIn(" [-LE] [^soak$]", every)
        self.assertRegex(soak, r" \[-L\] \[\^soak\$\] \[-R\] \[\^soak_(short|fits)\$\]$")
        self.assertEqual([line for line in self.calls("fabric") if "prepare" in line], ["fabric [prepare] [--device] [siw] [--roles] [--system]"])

    def test_ci_never_takes_a_part_that_lasts_too_long(self):
        self.parts.write_text(json.dumps({"tests": [part("soak_long", 4501)]}))
        done = self.run_in(".ci/run")
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(len(self.runs_of_tests()), 1)

    def test_ci_ends_where_the_build_fails_and_passes_on_that_tests_failed(self):
        done = self.run_in(".ci/run", BUILD_STATUS="1")
        self.assertEqual((done.returncode, self.calls("ctest")), (3, []), done)
        done = self.run_in(".ci/run", TEST_STATUS="8")
        self.assertEqual((done.returncode, len(self.runs_of_tests())), (8, 2), done)

    def test_what_is_built_is_tested_as_it_is(self):
        done = self.run_in("tests/run", "--built", "unit")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("nothing is built", done.stderr)
        (self.root / "build").mkdir()
        (self.root / "build" / "build.ninja").touch()
        done = self.run_in("tests/run", "--built", "unit", "--", "-R", "two words")
        self.assertEqual(done.returncode, 0, done)
        [line] = self.log.read_text().splitlines()
        self.assertRegex(line, r"^ctest .* \[-L\] \[\^unit\$\] \[-R\] \[two words\]$")


class AModule(unittest.TestCase):
    def test_is_preloaded_from_any_path(self):
        with tempfile.TemporaryDirectory(prefix="blanks and: colons ") as folder:
            shutil.copy(tool.BIN / "clock_shift.so", folder)
            shift = pathlib.Path(folder) / "shift"
            shift.write_bytes(struct.pack("<q", 3600))
            module = preload.Module(pathlib.Path(folder) / "clock_shift.so")
            self.addCleanup(module.close)
            done = subprocess.run([sys.executable, "-c", "import time; print(time.time())"], capture_output=True, text=True, timeout=60, check=True,
                                  env={**os.environ, "LD_PRELOAD": str(module.path), "CLOCK_SHIFT": str(shift)})
        self.assertGreater(float(done.stdout), time.time() + 3000)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
