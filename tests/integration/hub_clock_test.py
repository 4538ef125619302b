# SPDX-License-Identifier: Apache-2.0
"""A hub whose wall clock is set while it works: nobody is silent by that, and no silence is hidden."""
import json
import os
import struct
import time
import unittest
from unittest import mock

import hubs
import preload
import tool
from eventually import eventually


class AClockThatIsSet(hubs.WithFolder):
    def start(self, period):
        self.shift = self.folder / "shift"
        self.set(0)
        module = preload.Module(tool.BIN / "clock_shift.so")
        self.addCleanup(module.close)
        with mock.patch.dict(os.environ, {"LD_PRELOAD": str(module.path), "CLOCK_SHIFT": str(self.shift)}):
            hub = hubs.Hub(self.folder, period=period).start()
        self.addCleanup(lambda: hub.process.poll() is None and hub.stop())
        return hub

    def set(self, seconds):
        """Ahead of what it is by so many."""
        with open(self.shift, "r+b" if self.shift.exists() else "w+b") as file:
            file.write(struct.pack("<q", seconds))

    def until(self, holds):
        eventually(holds, why=(self.folder / "hub.log").read_text)

    def counts(self, hub):
        return hub.fleet("status", "--output", "json").json["counts"]

    def notes(self, hub):
        return [change["observed"] for change in hub.fleet("history", "--output", "json").json["changes"] if not change.get("check")]

    def jumps(self):
        events = [json.loads(line) for line in (self.folder / "hub.log").read_text().splitlines() if line.startswith("{")]
        return [event["ahead_s"] for event in events if event["event"] == "clock-jump"]

    def test_an_hour_ahead_makes_nobody_silent(self):
        hub = self.start("10s")
        fleet = hubs.simulate(hub, 20, "--for", "40s", wait=False)
        self.until(lambda: hub.fleet("status", "--output", "json").json["hosts"] == 20)
        self.set(3600)
        for _ in range(12):  # who is silent is looked for every five seconds
            self.assertEqual(self.counts(hub)["silent"], 0)
            time.sleep(0.5)
        fleet.terminate()
        fleet.communicate()
        self.assertNotIn("silent", self.notes(hub))
        self.assertEqual(self.jumps(), [3600])

    def test_two_hours_back_hides_no_silence(self):
        hub = self.start("1s")
        self.set(3600)
        self.until(self.jumps)
        fleet = hubs.simulate(hub, 20, "--for", "60s", wait=False)
        self.until(lambda: hub.fleet("status", "--output", "json").json["hosts"] == 20)
        self.set(-3600)
        fleet.terminate()
        fleet.communicate()
        self.until(lambda: self.counts(hub)["silent"] == 20)
        self.until(lambda: self.notes(hub).count("silent") == 20)
        self.assertEqual(self.jumps(), [3600, -7200])


if __name__ == "__main__":
    unittest.main()
