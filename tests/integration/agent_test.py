# SPDX-License-Identifier: Apache-2.0
"""An agent on loopback and the command line that asks it."""
import os
import signal
import socket
import sqlite3
import subprocess
import tempfile
import unittest

import tool


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

    def test_says_what_is_wrong_with_its_options_in_one_line(self):
        for arguments, word in ((["--bogus"], "--bogus"), (["--listen", "127.0.0.1:0"], "--state-dir"),
                                (["--listen", "nonsense:x", "--state-dir", "/tmp"], "nonsense:x")):
            process = subprocess.run([tool.BIN / "rdmaready-agent", *arguments], capture_output=True, text=True, timeout=20)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
            self.assertIn(word, process.stderr)

    def test_gives_the_port_to_nobody_else(self):
        with tool.Agent() as first, tool.Agent(listen=first.address) as second:
            self.assertEqual(second.process.wait(20), 3)
            self.assertIn("in use", "".join(second.log))

    def test_refuses_plain_text_off_loopback(self):
        with tool.Agent(listen="0.0.0.0:0") as agent:
            self.assertEqual(agent.process.wait(20), 2)
            self.assertIn("--insecure", "".join(agent.log))

    def test_speaks_plain_text_when_told_to_and_warns(self):
        with tool.Agent("--insecure", listen="0.0.0.0:0") as agent:
            self.assertIsNotNone(agent.address)
            self.assertIn("without authentication", agent.logged("insecure"))

    def test_refuses_an_unknown_profile(self):
        with tool.Agent("--profile", "none-such") as agent:
            self.assertEqual(agent.process.wait(20), 2)
            self.assertIn("none-such", "".join(agent.log))

    def test_says_where_the_store_cannot_be(self):
        with tempfile.NamedTemporaryFile() as file:
            process = subprocess.run([tool.BIN / "rdmaready-agent", "--listen", "127.0.0.1:0", "--state-dir",
                                      f"{file.name}/below-a-file"], capture_output=True, text=True, timeout=20)
            self.assertEqual(process.returncode, 3, process.stderr)
            self.assertIn(file.name, process.stderr)

    def test_is_missed_when_something_else_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"127.0.0.1:{server.getsockname()[1]}"
            answer = tool.rdmaready("facts", address, "--timeout", "2")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(address, answer.err)

    def test_an_answer_and_a_refusal_are_both_shown(self):
        with tool.Agent() as agent, socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            nobody = f"127.0.0.1:{probe.getsockname()[1]}"
            answer = tool.rdmaready("facts", agent.address, nobody)
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(socket.gethostname(), answer.out)
            self.assertIn(nobody, answer.err + answer.out)


if __name__ == "__main__":
    unittest.main()
