# SPDX-License-Identifier: Apache-2.0
"""What these tests start finds its libraries on every machine that has the packages which tests/run installs."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import ibsim
import loading
import monitoring
import tool


class WhatTheTestsStart(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.packages = loading.Packages(*loading.build_packages())

    def test_everything_that_is_built(self):
        programs = loading.programs_in(tool.BIN)
        self.assertIn(tool.BIN / "rdmaready-agent", programs)
        self.assertEqual(loading.faults(programs, self.packages), [])

    def test_libraries_with_security_updates_stay_shared(self):
        """packaging/lib/archives.cmake links their users as archives."""
        for program in ("rdmaready", "rdmaready-agent", "rdmaready-hub"):
            listed = subprocess.run(["ldd", tool.BIN / program], check=True, capture_output=True, text=True).stdout
            for library in ("libcares.so.2", "libssl.so.3", "libcrypto.so.3", "libz.so.1"):
                self.assertIn(library, listed, program)

    def test_the_simulated_infiniband_fabric(self):
        root, _ = ibsim.root_with("ibsim")
        self.assertNotEqual(root, pathlib.Path("/"), "not unpacked: see tests/run")
        files = [ibsim.root_with(program)[1] for program in ibsim.PROGRAMS] + [root / ibsim.PRELOADED]
        self.assertEqual(loading.faults(files, self.packages, root / ibsim.LIBRARIES, [root]), [])

    def test_the_monitoring_that_judges_its_definitions(self):
        for program in monitoring.PROGRAMS:
            root, file = monitoring.root_with(program)
            self.assertNotEqual(root, pathlib.Path("/"), "not unpacked: see tests/run")
            self.assertEqual(loading.faults([file], self.packages, root / monitoring.LIBRARIES, [root]), [])

    def test_programs_of_the_system(self):
        found = {program: shutil.which(program) for program in ("bash", "cc", "chroot", "mount", "openssl", "setpriv", "timeout", "unshare")}
        self.assertNotIn(None, found.values(), found)
        self.assertEqual(self.packages.foreign([os.path.realpath(path) for path in found.values()]), {})


class TheCheckItself(unittest.TestCase):
    """Proves that it can fail."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="loading ")))
        self.compile("int answer(void) { return 42; }", "-shared", "-fPIC", "-o", "libanswer.so")
        self.compile("int answer(void); int main(void) { return answer(); }", "-L.", "-lanswer", "-o", "asks")
        self.packages = loading.Packages("libc6")

    def compile(self, text, *options):
        subprocess.run(["cc", "-x", "c", "-", *options], input=text, text=True, check=True, cwd=self.folder)

    def faults(self, **options):
        return loading.faults(loading.programs_in(self.folder)[:1], self.packages, **options)

    def test_a_missing_library_is_told(self):
        self.assertEqual(self.faults(library_path=self.folder, own=[self.folder]), [])
        (self.folder / "libanswer.so").unlink()
        self.assertEqual(self.faults(library_path=self.folder, own=[self.folder]), [f"{self.folder}/asks: libanswer.so: not found"])

    def test_a_library_of_no_package_is_told(self):
        self.assertEqual(self.faults(library_path=self.folder), [f"{self.folder}/asks: {self.folder}/libanswer.so: of no package"])

    def test_a_library_that_only_another_package_brings_is_told(self):
        program = shutil.which("openssl")
        self.assertEqual(loading.faults([program], loading.Packages("openssl")), [])
        told = loading.faults([program], loading.Packages("libc6"))
        self.assertTrue(any("libssl.so.3: of package libssl3, which nothing asks for" in line for line in told), told)

    def test_a_package_that_is_not_installed_is_told(self):
        self.assertEqual(loading.faults([], loading.Packages("no-such-package")), ["package no-such-package is not installed"])


if __name__ == "__main__":
    unittest.main()
