# SPDX-License-Identifier: Apache-2.0
"""An agent on loopback and the command line that asks it."""
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

import ports
import tool
from eventually import eventually


class AnAgent(unittest.TestCase):
    def test_answers_facts_about_this_machine(self):
        with tool.Agent() as agent:
            answer = tool.rdmaready("facts", agent.address, "--output", "json")
            self.assertEqual(answer.status, 0, answer)
            facts = answer.json["hosts"][0]["facts"]
            self.assertEqual(facts["hostname"], socket.gethostname())
            self.assertIn("release", facts["kernel"]["value"])

    def test_keeps_every_run_in_its_store(self):
        with tool.Agent() as agent:
            runs = [tool.rdmaready("check", agent.address, "--output", "json").json["run_id"] for _ in range(2)]
            self.assertNotEqual(*runs)
            agent.stop()
            with sqlite3.connect(agent.state / "rdmaready.db") as store:
                kept = [row[0] for row in store.execute("SELECT run_id FROM runs ORDER BY started_unix_ns")]
                self.assertEqual(kept, runs)
                self.assertGreater(store.execute("SELECT count(*) FROM findings").fetchone()[0], 0)
                self.assertEqual(store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            store.close()

    def test_ends_at_sigterm_and_says_so(self):
        with tool.Agent() as agent:
            self.assertEqual(agent.stop(signal.SIGTERM), 0)
            self.assertIn("stopping", "".join(agent.log))

    @unittest.skipIf(os.geteuid() != 0, "only root's agent answers on a socket")
    def test_is_asked_when_no_host_is_named(self):
        with tool.Agent() as agent:
            run = tool.rdmaready("check", "--output", "json", env={"RDMAREADY_SOCKET": str(agent.socket)}).json["run_id"]
            agent.stop()
            with sqlite3.connect(agent.state / "rdmaready.db") as store:
                self.assertEqual(store.execute("SELECT run_id FROM runs").fetchall(), [(run,)])
            store.close()

    def test_does_not_start_beside_one_that_has_the_local_socket(self):
        with tool.Agent() as first:
            for place in ([], ["--listen", f"unix:{first.socket}"]):
                second = subprocess.run(
                    [tool.BIN / "rdmaready-agent", *(place or ["--listen", "127.0.0.1:0"]), "--state-dir", first.state.parent / "second",
                     "--metrics-listen", "none"], capture_output=True, text=True, timeout=60,
                    env=tool.environment({"RDMAREADY_SOCKET": tool.NO_SOCKET if place else str(first.socket)}))
                self.assertEqual(second.returncode, 3, second)
                self.assertIn(f"listen on {first.socket}: in use by", second.stderr)
                self.assertIn(f"(pid {first.process.pid})", second.stderr)
            self.assertTrue(first.socket.exists())
            answer = tool.rdmaready("check", env={"RDMAREADY_SOCKET": str(first.socket)})
            self.assertNotEqual(answer.status, 4, answer)

    def test_takes_over_the_socket_of_one_that_was_killed(self):
        with tool.Agent() as first:
            first.stop(signal.SIGKILL)
            self.assertTrue(first.socket.exists())
            with tempfile.TemporaryDirectory() as state:
                second = subprocess.Popen(
                    [tool.BIN / "rdmaready-agent", "--listen", "127.0.0.1:0", "--state-dir", state, "--metrics-listen", "none"],
                    stderr=subprocess.PIPE, text=True, env=tool.environment({"RDMAREADY_SOCKET": str(first.socket)}))
                try:
                    lines = [second.stderr.readline() for _ in range(2)]
                    self.assertTrue(any(f"unix:{first.socket}" in line for line in lines), lines)
                finally:
                    second.terminate()
                    second.communicate(timeout=60)

    def test_keeps_its_store_to_itself(self):
        with tempfile.TemporaryDirectory() as directory, tool.Agent(state=directory) as agent:
            tool.rdmaready("check", agent.address)
            for path in pathlib.Path(directory).iterdir():
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)

    def test_gives_the_port_to_nobody_else(self):
        with tool.Agent() as first, tool.Agent(listen=first.address) as second:
            self.assertEqual(second.process.wait(60), 3)
            self.assertIn("in use", "".join(second.log))

    def test_speaks_plain_text_when_told_to_and_warns(self):
        with tool.Agent("--insecure", listen="0.0.0.0:0") as agent:
            self.assertIsNotNone(agent.address)
            self.assertIn("without authentication", agent.logged("insecure"))

    def test_is_missed_when_something_else_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"127.0.0.1:{server.getsockname()[1]}"
            answer = tool.rdmaready("facts", address, "--timeout", "2")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(address, answer.err)

    def test_of_this_host_is_not_passed_over_when_it_cannot_be_asked(self):
        """An answer of the agent in the command line would be of another store, and nobody would know."""
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as server:
            path = f"{directory}/agent.sock"
            server.bind(path)
            server.listen()
            for command in ("check", "facts", "history"):
                answer = tool.rdmaready(command, "--timeout", "2", env={"RDMAREADY_SOCKET": path})
                self.assertEqual(answer.status, 4, answer)
                self.assertIn(f"unix:{path}", answer.err)

    def test_an_answer_and_a_refusal_are_both_shown(self):
        with tool.Agent() as agent, socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            nobody = f"127.0.0.1:{probe.getsockname()[1]}"
            answer = tool.rdmaready("facts", agent.address, nobody)
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(socket.gethostname(), answer.out)
            self.assertIn(nobody, answer.err + answer.out)

    def test_checks_its_host_by_itself_and_keeps_what_it_found(self):
        with tool.Agent("--check-interval", "1s") as agent:
            self.assertIn("level=host", agent.logged("caller=schedule"))
            agent.stop()
            with sqlite3.connect(agent.state / "rdmaready.db") as store:
                self.assertGreater(store.execute("SELECT count(*) FROM runs").fetchone()[0], 0)
            store.close()

    def test_checks_nothing_by_itself_when_told_so(self):
        with tool.Agent("--check-interval", "0") as agent:
            time.sleep(1)
            self.assertNotIn("check", "".join(agent.log))

    def test_is_configured_by_a_file_and_the_command_line_wins(self):
        with tempfile.TemporaryDirectory(prefix="a path with blanks ") as directory:
            config = pathlib.Path(directory) / "agent.yaml"
            config.write_text(f"state_dir: {directory}/not here\nlisten: nonsense:x\nprofile: virtual-fabric\nlog_format: json\n"
                              "check_interval: 0\n")
            with tool.Agent("--config", config) as agent:
                self.assertTrue(agent.state.exists())
                self.assertFalse((pathlib.Path(directory) / "not here").exists())
                self.assertEqual(tool.rdmaready("check", agent.address, "--output", "json").json["profiles"][0]["name"], "virtual-fabric")
                json.loads(agent.logged("listening"))


class ItsLog(unittest.TestCase):
    def test_has_one_object_for_each_event_whatever_a_caller_calls_itself(self):
        with tool.Agent("--log-format", "json") as agent:
            env = {"USER": 'evil"}\n{"event":"forged\x1b[2J'}
            run = tool.rdmaready("check", agent.address, "--output", "json", env=env).json["run_id"]
            agent.stop()
            events = [json.loads(line) for line in agent.log]
            checks = [event for event in events if event["event"] == "check"]
            self.assertEqual(len(checks), 1, events)
            check = checks[0]
            self.assertEqual((check["run_id"], check["level"], check["profile"]), (run, "host", "smb-direct-roce"))
            self.assertIn("evil", check["caller"])
            self.assertRegex(check["origin"], r"^ipv4:127\.0\.0\.1:\d+$")
            self.assertIsInstance(check["duration_ms"], int)
            self.assertIn(check["outcome"], ("ready", "not-ready", "undetermined"))
            self.assertRegex(check["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            found = [event for event in events if event["event"] == "finding"]
            self.assertTrue(all(event["run_id"] == run and event["check_id"] for event in found), found)
            self.assertEqual([event["event"] for event in events if event["event"] not in ("check", "listening", "finding")], ["stopping"])

    def test_has_one_line_for_each_event_in_text_too(self):
        with tool.Agent() as agent:
            tool.rdmaready("check", agent.address, env={"USER": 'evil\ncheck run_id=forged'})
            agent.stop()
            lines = [line for line in agent.log if " check " in line]
            self.assertEqual(len(lines), 1, agent.log)
            self.assertRegex(lines[0], r"^\S+Z info +check run_id=\S+ caller=\"evil\?check")

    def test_keeps_quiet_below_its_level(self):
        address = ports.free_address()
        with tempfile.TemporaryDirectory() as state:
            process = subprocess.Popen([tool.BIN / "rdmaready-agent", "--listen", address, "--state-dir", state, "--log-level", "warning",
                                        "--metrics-listen", "none"],
                                       stderr=subprocess.PIPE, text=True, env=tool.environment())
            eventually(lambda: tool.rdmaready("facts", address).status, lambda status: status == 0)
            process.terminate()
            self.assertEqual(process.communicate(timeout=60)[1], "")
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
