# SPDX-License-Identifier: Apache-2.0
"""What the agent and the hub tell a service manager (sd_notify), and what they do with its signals."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import unittest

import tool
from eventually import eventually


class WithManager(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="rdmaready-notify.")))
        self.manager = self.enterContext(contextlib.closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)))
        self.manager.bind(str(self.directory / "notify"))
        self.manager.settimeout(60)
        self.config = self.directory / "its.yaml"

    def start_program(self, name, **environment):
        self.log = open(self.directory / "log", "w+")
        self.addCleanup(self.log.close)
        process = subprocess.Popen([tool.BIN / name, "--config", self.config], stderr=self.log,
                                   env=tool.environment({"NOTIFY_SOCKET": str(self.directory / "notify"), **environment}))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def told(self):
        return self.manager.recv(4096).decode().split("\n")

    def told_without_proofs(self):
        while (told := self.told()) == ["WATCHDOG=1"]:
            pass
        return told

    def logged(self, word):
        text = eventually((self.directory / "log").read_text, lambda text: word in text)
        return next(line for line in text.splitlines() if word in line)


class TheServiceManager(WithManager):
    def start(self, config, **environment):
        self.config.write_text(f"listen: 127.0.0.1:0\nstate_dir: {self.directory}/state\n{config}")
        self.agent = self.start_program("rdmaready-agent", **environment)

    def test_hears_that_the_agent_answers_reloads_and_stops(self):
        self.start("")
        ready, status = self.told()
        self.assertEqual(ready, "READY=1")
        address = status.removeprefix("STATUS=answers on ").split(",")[0]
        self.assertEqual(tool.rdmaready("facts", address, "--output", "json").status, 0)
        self.agent.send_signal(signal.SIGHUP)
        reloading, monotonic = self.told()
        self.assertEqual(reloading, "RELOADING=1")
        self.assertRegex(monotonic, r"^MONOTONIC_USEC=\d+$")
        self.assertEqual(self.told()[0], "READY=1")
        self.agent.terminate()
        self.assertEqual(self.told()[0], "STOPPING=1")
        self.assertEqual(self.agent.wait(60), 0)

    def test_hears_proofs_of_progress_and_none_from_an_agent_that_stands_still(self):
        self.start("", WATCHDOG_USEC="900000")
        self.assertEqual(self.told()[0], "READY=1")
        for _ in range(4):
            self.assertEqual(self.told(), ["WATCHDOG=1"])
        self.agent.send_signal(signal.SIGSTOP)
        self.manager.settimeout(1.5)
        with self.assertRaises(TimeoutError):
            for _ in range(100):  # what was on its way, of as long as this process was held up
                self.told()
        self.agent.send_signal(signal.SIGCONT)
        self.manager.settimeout(60)
        self.assertEqual(self.told(), ["WATCHDOG=1"])

    def test_hears_no_proofs_when_it_does_not_ask_for_them(self):
        self.start("")
        self.assertEqual(self.told()[0], "READY=1")
        self.manager.settimeout(1)
        with self.assertRaises(TimeoutError):
            self.told()

    def test_a_reload_takes_up_profile_and_log_level_and_names_the_rest(self):
        self.start("profile: smb-direct-roce\n")
        address = self.told()[1].removeprefix("STATUS=answers on ").split(",")[0]
        profile = lambda: tool.rdmaready("check", address, "--output", "json").json["hosts"][0]["profiles"][0]["name"]
        self.assertEqual(profile(), "smb-direct-roce")
        own = self.directory / "own.yaml"
        own.write_text("name: own\nextends: nvme-roce\n")
        text = self.config.read_text().replace("smb-direct-roce", str(own))
        self.config.write_text(text + "check_interval: 7m\nlog_level: debug\n")
        self.agent.send_signal(signal.SIGHUP)
        self.assertRegex(self.logged("reloaded"), r'profile=\S+own.yaml needs_restart=check_interval$')
        self.assertEqual(profile(), "own")
        # The file of the profile alone.
        own.write_text("name: other\nextends: nvme-roce\n")
        self.agent.send_signal(signal.SIGHUP)
        for _ in range(3):
            self.told()
        eventually(profile, lambda name: name == "other")

    def test_a_reload_of_what_is_refused_changes_nothing(self):
        self.start("profile: nvme-roce\n")
        address = self.told()[1].removeprefix("STATUS=answers on ").split(",")[0]
        self.config.write_text(self.config.read_text() + "log_levle: debug\n")
        self.agent.send_signal(signal.SIGHUP)
        self.assertIn("log_levle", self.logged("reload-refused"))
        self.assertEqual(self.told()[0], "RELOADING=1")
        self.assertEqual(self.told()[0], "READY=1")
        report = tool.rdmaready("check", address, "--output", "json").json
        self.assertEqual(report["hosts"][0]["profiles"][0]["name"], "nvme-roce")


class TheHubsServiceManager(WithManager):
    def start(self, config=""):
        self.config.write_text(f"listen: 127.0.0.1:0\nstore: {self.directory}/kept/fleet.db\n{config}")
        self.hub = self.start_program("rdmaready-hub", WATCHDOG_USEC="3000000")

    def test_hears_that_the_hub_answers_lives_reloads_and_stops(self):
        self.start()
        ready, status = self.told()
        self.assertEqual(ready, "READY=1")
        address = status.removeprefix("STATUS=answers on ")
        self.assertEqual(tool.rdmaready("fleet", "hosts", "--hub", address, "--timeout", "60s", "--output", "json").json["hosts"], [])
        for _ in range(2):
            self.assertEqual(self.told(), ["WATCHDOG=1"])
        self.hub.send_signal(signal.SIGHUP)
        reloading, monotonic = self.told_without_proofs()
        self.assertEqual(reloading, "RELOADING=1")
        self.assertRegex(monotonic, r"^MONOTONIC_USEC=\d+$")
        self.assertEqual(self.told_without_proofs()[0], "READY=1")
        self.hub.send_signal(signal.SIGSTOP)
        self.manager.settimeout(1.5)
        with self.assertRaises(TimeoutError):
            for _ in range(100):  # what was on its way, of as long as this process was held up
                self.told()
        self.hub.send_signal(signal.SIGCONT)
        self.manager.settimeout(60)
        self.hub.terminate()
        self.assertEqual(self.told_without_proofs()[0], "STOPPING=1")
        self.assertEqual(self.hub.wait(60), 0)

    def test_a_reload_takes_up_the_profile_and_one_that_is_refused_changes_nothing(self):
        self.start("profile: nvme-roce\n")
        self.assertEqual(self.told()[0], "READY=1")
        text = self.config.read_text()
        self.config.write_text(text.replace("nvme-roce", "infiniband"))
        self.hub.send_signal(signal.SIGHUP)
        self.assertRegex(self.logged("reloaded"), "profile=infiniband$")
        self.config.write_text(text + "log_levle: debug\n")
        self.hub.send_signal(signal.SIGHUP)
        self.assertIn("log_levle", self.logged("reload-refused"))
        self.assertIsNone(self.hub.poll())


if __name__ == "__main__":
    unittest.main()
