# SPDX-License-Identifier: Apache-2.0
"""What the fabric starts on this machine, and what its guests find there, has its libraries on every machine that has the packages which
lib/prepare installs. tests/integration/loading_test.py proves that the check can fail."""
import pathlib
import unittest

import loading
import tool

LAUNCHER = tool.ROOT / "tests" / "fabric" / "fabric"

# A plugin of tc for a queue that nothing sets; iproute2 only suggests its library.
UNUSED = "/usr/lib/x86_64-linux-gnu/tc/q_atm.so"


class WhatTheFabricStarts(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.names = loading.words_of([LAUNCHER.parent / "lib" / "prepare", "list"])
        cls.packages = loading.Packages(*cls.names)
        cls.prepared = dict(line.split("=", 1) for line in loading.words_of([LAUNCHER, "prepare", "--roles"]))

    def test_the_programs_and_libraries_of_the_packages(self):
        files = loading.loadable_files_of(self.names)
        self.assertIn("/usr/bin/qemu-system-x86_64", files)
        files.remove(UNUSED)
        self.assertEqual(loading.faults(files, self.packages), [])

    def test_what_is_built_or_unpacked(self):
        tools = [self.prepared[name] for name in ("hub", "disk", "execd", "tsc_khz")]
        roles = loading.programs_in(pathlib.Path(self.prepared["lldpad"]).parent)
        self.assertIn(pathlib.Path(self.prepared["mount_cifs"]), roles)
        libraries = pathlib.Path(self.prepared["role_libraries"])
        self.assertEqual(loading.faults(tools, self.packages), [])
        self.assertEqual(loading.faults([*roles, *libraries.iterdir()], self.packages, libraries, [libraries]), [])


if __name__ == "__main__":
    unittest.main()
