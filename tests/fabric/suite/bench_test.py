# SPDX-License-Identifier: Apache-2.0
"""A slice of the benchmark, so that it does not rot. What it measures in half a second is not judged."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import fabric
import tool

RUN = pathlib.Path(__file__).resolve().parents[2] / "bench" / "run"


class Benchmark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def test_one_short_round_beside_perftest(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as figures:
            done = subprocess.run([RUN, "--smoke", "--name", fabric.NAME, "--json", figures.name], capture_output=True, text=True,
                                  timeout=240, stdin=subprocess.DEVNULL, env=tool.environment({"RDMAREADY_BIN": str(tool.BIN)}))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            lines = json.load(figures)["lines"]
        self.assertEqual([line["name"] for line in lines], ["write-512k", "send-1k p50"])
        for line in lines:
            self.assertEqual([len(round_) for round_ in line["rounds"]], [4], line)
            self.assertTrue(all(figure > 0 for figure in line["rounds"][0]), line)
            self.assertIn(line["name"], done.stdout)

    def test_nonsense_is_refused(self):
        for arguments in (["--pairs", "0"], ["--seconds", "1000"]):
            done = subprocess.run([RUN, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
