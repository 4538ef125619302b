# SPDX-License-Identifier: Apache-2.0
"""What live tests of a fleet's hosts showed last, beside the days before: agents tell it, the hub judges and shows it."""
import json
import pathlib
import sqlite3
import subprocess
import unittest

import fixtures
import schemas
import tool
from eventually import eventually
from hubs import Hub, WithFolder, over_after, simulate

CASE = "write-512k"


def hardware(folder):
    """The recording of a host with two ports of hardware, made below `folder`."""
    place = pathlib.Path(folder) / "made" / "saved"
    place.mkdir(parents=True)
    fixtures.make_host(fixtures.HOSTS / "mlx5-lossless" / "host.yaml", place)
    return place


class WithHardware(WithFolder):
    def setUp(self):
        super().setUp()
        self.recording = hardware(self.folder)

    def findings(self, hub):
        found = hub.fleet("findings", "--check", "cmp.own-past", "--output", "json").json["findings"]
        return [finding for finding in found if finding["over_unix_ns"] == 0]

    def past(self, hub, *arguments):
        return hub.fleet("past", *arguments, "--output", "json").json


class ARealAgent(WithHardware):
    """An agent of a recorded host, whose tests move bytes through memory, with a store of its own."""

    def agent(self, *arguments):
        script = self.folder / "rdmaready-agent"
        host = next(self.recording.iterdir())
        script.write_text(f'#!/bin/sh\nexec "{tool.BIN}/recorded_agent" "{host}" "" "$@"\n')
        script.chmod(0o755)
        return tool.Agent("--plain-role", "test", "--check-interval", "0", *arguments, state=self.folder / "state", programs=self.folder)

    def make_test(self, agent):
        answer = tool.rdmaready("test", "loopback", agent.address, "--case", CASE, "--duration", "200ms")
        self.assertEqual(answer.status, 0, answer)

    def remember_faster_days(self):
        """Ten days, on each of which a port was a hundred times faster than in its last test. The last rate of each port."""
        [store] = self.folder.glob("state/*.db")
        rates = {}
        with sqlite3.connect(store) as database:
            rows = database.execute("SELECT port, case_name, role, peer, day, last_bytes_per_s, last_unix_ns FROM baselines").fetchall()
            for port, case, role, peer, day, rate, last in rows:
                rates[port] = rate
                for back in range(1, 11):
                    database.execute("INSERT INTO baselines VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, 5000, ?, ?, NULL)",
                                     (port, case, role, peer, day - back, *[rate * 100] * 5, last - back * 86_400_000_000_000))
        return rates

    def changes(self, hub):
        return hub.fleet("history", "--check", "cmp.own-past", "--output", "json").json["changes"]

    def last_tests(self, hub):
        return {row["test"]["port"]: row["test"] for row in self.past(hub)["tests"]}

    def test_whose_ports_became_slow_is_found_at_the_hub_and_stays_so(self):
        with self.agent() as agent:
            self.make_test(agent)
        rates = self.remember_faster_days()
        with Hub(self.folder) as hub:
            with self.agent("--hub", hub.address):
                found = eventually(lambda: self.findings(hub))
                self.assertEqual({(one["outcome"], one["blocking"]) for one in found}, {("warn", False)})
                self.assertEqual({one["subject"].split()[0] for one in found}, set(rates))
                self.assertIn("for 10 days until", found[0]["observed"])
                slower = self.past(hub, "--slower")["tests"]
                self.assertEqual({(row["state"], row["test"]["case_name"]) for row in slower}, {("slower", CASE)})
                self.assertEqual({row["test"]["port"]: row["test"]["last_bytes_per_s"] for row in slower}, rates)
                self.assertRegex(hub.fleet("past").out.splitlines()[1], rf"^slower .* {CASE} .*for 10 days before$")
            before, kept = self.changes(hub), self.last_tests(hub)
            hub.stop()
            hub.start()
            self.assertEqual(self.last_tests(hub), kept, "the hub keeps it")
            with self.agent("--hub", hub.address) as agent:
                self.assertTrue(agent.logged("period_s"))
                # A live test that was asked for is told within seconds, not with the next day.
                self.make_test(agent)
                newer = eventually(lambda: [one for port, one in self.last_tests(hub).items() if one["last_unix_ns"] > kept[port]["last_unix_ns"]])
                self.assertEqual(newer[0]["days"], 10)
            self.assertEqual(self.changes(hub), before, "slow all the time")
            hub.stop()
            lines = subprocess.run([tool.BIN / "rdmaready-hub", "export", "--store", hub.store], capture_output=True, text=True, timeout=60).stdout
            told = [json.loads(line) for line in lines.splitlines()]
            self.assertEqual({one["test"]["port"] for one in told if one["schema"] == "rdmaready.v1.FleetPastTest"}, set(rates))


class MadeUpHosts(WithHardware):
    def test_tell_it_once_also_over_a_restart(self):
        self.in_time(self.they_tell_it_once, 9, 60)

    def they_tell_it_once(self, seconds):
        with Hub(self.folder, period="2s") as hub:
            script = "2s test 5\n3s slow 2\n4s restart all\n6s change 3\n"
            status, told = simulate(hub, 20, "--past", "4", "--for", f"{seconds}s", script=script, hosts=str(self.recording.parent))
            self.assertEqual(status, 0, told)
            if len(told["script"]) < 4 or over_after(told) > seconds - 2.5:  # in which what was tested is told
                return False
            self.assertEqual(told["refused"], 0)
            self.assertEqual(told["with_past"], 20 + 5 + 2, "once each, and what was tested since")
            self.assertEqual(told["with_facts"], 20 + 3)
            answer = self.past(hub, "--limit", "1000")
            self.assertEqual(schemas.faults(answer), [])
            ports = len({row["test"]["port"] for row in answer["tests"]})
            self.assertEqual(answer["of"], 20 * 4 * ports)
            slower = [row["state"] == "slower" for row in answer["tests"]]
            self.assertEqual(slower, sorted(slower, reverse=True), "what is slower is shown first")
            self.assertEqual({row["host"] for row in answer["tests"] if row["state"] == "slower"}, {"node00001", "node00002"})
            found = self.findings(hub)
            self.assertEqual({(one["host"], one["outcome"]) for one in found}, {("node00001", "warn"), ("node00002", "warn")})
            self.assertEqual(len(found), 2 * ports)
            self.assertEqual(self.past(hub, "node00003", "--case", "send-*")["of"], len({
                row["test"]["case_name"] for row in answer["tests"] if row["test"]["case_name"].startswith("send-")}) * ports)
            self.assertEqual(self.past(hub, "--slower", "--limit", "1")["of"], 2 * 4 * ports)
            self.assertIn(f"and {2 * 4 * ports - 1} more", hub.fleet("past", "--slower", "--limit", "1").out)
            self.assertIn("no live test is remembered", hub.fleet("past", "nobody").out)
        return True


if __name__ == "__main__":
    unittest.main()
