# SPDX-License-Identifier: Apache-2.0
"""Recorded hosts are judged as it was written down. A new case adds files, not code: see tests/fixtures/README.md."""
import re
import socket
import unittest

import fixtures


class Fixtures(unittest.TestCase):
    maxDiff = None

    def test_each_recorded_host_is_judged_as_written_down(self):
        self.assertGreaterEqual(len(fixtures.cases()), 3)
        for case in fixtures.cases():
            with self.subTest(case=case.name):
                self.assertEqual(case.judge(), case.golden.read_text(),
                                 "meant so? then: tests/fixtures/record --judge")

    def test_no_recording_says_where_it_was_made(self):
        names = "|".join(re.escape(name) for name in {socket.gethostname(), "/var/tmp", "/root", "/home/", "/work/"})
        for case in fixtures.cases():
            for path in case.folder.rglob("*"):
                if path.is_file() and (found := re.search(rf"\b({names})\b", path.read_text(errors="replace"))):
                    if found.group() != "vm":
                        self.fail(f"{path}: {found.group()}")


if __name__ == "__main__":
    unittest.main()
