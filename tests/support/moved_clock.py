# SPDX-License-Identifier: Apache-2.0
"""The clock of all processes that a test starts, which the test moves by hand."""
import os
import pathlib
import struct
import tempfile
import time
from unittest import mock

import preload
import tool
from eventually import eventually

STEP_S = 0.5  # at once: a process wakes up, does what is due, and waits for the next step
REST_S = 0.02  # for that


class MovedClock:
    """For what is started from now on, until close(). Real time passes too."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rdmaready clock ")
        self.module = preload.Module(tool.BIN / "clock_shift.so")
        self.path = pathlib.Path(self.folder.name) / "shift"
        self.ahead_s, self.passed_s = 0, 0
        self._write("w+b")
        self.environment = mock.patch.dict(os.environ, {"LD_PRELOAD": str(self.module.path), "CLOCK_SHIFT": str(self.path)})
        self.environment.start()

    def _write(self, mode="r+b"):
        with open(self.path, mode) as file:
            file.write(struct.pack("<qq", self.ahead_s, round(self.passed_s * 1e9)))

    def set_date(self, ahead_s):
        """Ahead of what it is by so many seconds: as when somebody sets it."""
        self.ahead_s = ahead_s
        self._write()

    def step(self):
        self.passed_s += STEP_S
        self._write()

    def go_on(self, seconds):
        """By all clocks."""
        end = self.passed_s + seconds
        while self.passed_s < end:
            self.step()
            time.sleep(REST_S)

    def until(self, look, right=bool, seconds=60, why=None):
        """As `eventually`, and time goes on with each look that is not right."""
        def looked():
            seen = look()
            if not right(seen):
                self.step()
            return seen

        return eventually(looked, right, seconds, REST_S, why)

    def close(self):
        self.environment.stop()
        self.module.close()
        self.folder.cleanup()
