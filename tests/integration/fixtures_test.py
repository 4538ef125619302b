# SPDX-License-Identifier: Apache-2.0
"""Recorded hosts are judged as it was written down. A new case adds files, not code: see tests/fixtures/README.md."""
import re
import socket
import unittest

import fixtures


MEANT_SO = "meant so? then: tests/fixtures/record --judge"


class Fixtures(unittest.TestCase):
    def same(self, written, judged):
        if lines := fixtures.difference(written, judged):
            self.fail(f"{MEANT_SO}\n{lines}")

    def test_each_recorded_host_is_judged_as_written_down(self):
        self.assertGreaterEqual(len(fixtures.cases()), 3)
        counts = []
        for case in fixtures.cases():
            with self.subTest(case=case.name):
                said, of_case = case.judge()
                counts += of_case
                self.same(case.golden.read_text(), said)
        with self.subTest("counts"):
            self.same(fixtures.COUNTS.read_text(), fixtures.counts_text(counts))

    def test_a_difference_is_told_without_what_is_the_same(self):
        self.assertEqual(fixtures.difference("a\nb\nc\n", "a\nB\nc\n"), "-b\n+B")
        self.assertEqual(fixtures.difference("a\n", "a\n"), "")

    def test_no_recording_says_where_it_was_made(self):
        names = "|".join(re.escape(name) for name in {socket.gethostname(), "/var/tmp", "/root", "/home/", "/work/"})
        for case in fixtures.cases():
            for path in case.folder.rglob("*"):
                if path.is_file() and (found := re.search(rf"\b({names})\b", path.read_text(errors="replace"))):
                    if found.group() != "vm":
                        self.fail(f"{path}: {found.group()}")


if __name__ == "__main__":
    unittest.main()
