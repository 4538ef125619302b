# SPDX-License-Identifier: Apache-2.0
"""The quick start's own decisions, with everything it calls replaced by scripts that note it down. That the real thing ends with two ready
hosts is shown by running it."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import tool
from eventually import eventually

FABRIC = """#!/bin/sh
echo "fabric $*" >> "$LOG"
case $1 in
  up) [ -z "$UP_SLEEPS" ] || sleep "$UP_SLEEPS"; exit ${UP_STATUS:-0} ;;
  status) printf '1 127.0.0.1:9001 running\\n2 127.0.0.1:9002 running\\n' ;;
esac
"""
TOOL = """#!/bin/sh
echo "rdmaready $*" >> "$LOG"
echo the report
exit ${CHECK_STATUS:-0}
"""


class QuickStart(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="a path with ")
        root = pathlib.Path(self.directory.name) / "two blanks"
        shutil.copytree(tool.ROOT / "packaging", root / "packaging")
        self.log = root / "log"
        for path, text in {"tests/fabric/fabric": FABRIC, "build/bin/rdmaready": TOOL, "bin/cmake": "#!/bin/sh\n",
                           "bin/ninja": "#!/bin/sh\n"}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
            (root / path).chmod(0o755)
        self.command = root / "packaging" / "quickstart"
        self.environment = {**os.environ, "LOG": str(self.log), "PATH": f"{root / 'bin'}:{os.environ['PATH']}"}

    def tearDown(self):
        self.directory.cleanup()

    def start(self, *arguments, **environment):
        return subprocess.Popen([self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**self.environment, **environment}, start_new_session=True)

    def run_to_end(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def called(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def test_checks_both_hosts_and_ends_what_it_started(self):
        for _ in range(2):
            status, out, err = self.run_to_end()
            self.assertEqual((status, out), (0, "the report\n"), err)
            self.assertIn("minutes", err)
        self.assertIn("rdmaready check 127.0.0.1:9001 127.0.0.1:9002 --profile virtual-fabric --level peer", self.called())
        self.assertEqual(self.called()[-1], "fabric down --name quickstart")

    def test_passes_a_bad_verdict_on(self):
        self.assertEqual(self.run_to_end(CHECK_STATUS="1")[0], 1)
        self.assertEqual(self.called()[-1], "fabric down --name quickstart")

    def test_says_3_when_the_hosts_do_not_start_and_checks_nothing(self):
        self.assertEqual(self.run_to_end(UP_STATUS="1")[0], 3)
        self.assertNotIn("rdmaready", "".join(line.split()[0] for line in self.called()))
        self.assertEqual(self.called()[-1], "fabric down --name quickstart")

    def test_keeps_the_hosts_when_told_to(self):
        status, _, err = self.run_to_end("--keep")
        self.assertEqual(status, 0, err)
        self.assertNotIn("fabric down --name quickstart", self.called())
        self.assertIn("down --name quickstart", err)

    def test_judges_this_machine_without_any_virtual_host(self):
        self.assertEqual(self.run_to_end("--host", "--", "--output", "json")[0], 0)
        self.assertEqual(self.called(), ["rdmaready check --output json"])

    def test_cleans_up_after_ctrl_c(self):
        process = self.start(UP_SLEEPS="20")
        eventually(lambda: any("up" in line for line in self.called()))
        for _ in range(2):  # the impatient press twice
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.2)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.called()[-1], "fabric down --name quickstart")

    def test_refuses_an_unknown_option(self):
        status, _, err = self.run_to_end("--fast")
        self.assertEqual(status, 2)
        self.assertIn("--fast", err)


if __name__ == "__main__":
    unittest.main()
