# SPDX-License-Identifier: Apache-2.0
"""The memory of agents and of the command line, through everything that befalls a process and a disk."""
import concurrent.futures
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import tool
from eventually import eventually

SOAK_ROUNDS = int(os.environ.get("RDMAREADY_SOAK_ROUNDS", "10"))
SOAK_SEED = int(os.environ.get("RDMAREADY_SOAK_SEED", "1"))


def check(where, *arguments, env=None):
    """The answer of one check, asked for as a program does."""
    return tool.rdmaready("check", *([where] if where else []), "--output", "json", *arguments, env=env)


def remembered(address, *arguments, limit=1000):
    """The run ids that an agent remembers, newest first."""
    answer = tool.rdmaready("history", address, "--kind", "run", "--limit", limit, "--output", "json", *arguments)
    assert answer.status == 0, answer
    return [run["run_id"] for run in answer.json["hosts"][0]["runs"]]


def set_aside(state):
    return sorted(path.name for path in state.iterdir() if ".damaged-" in path.name)


class StoreCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="rdmaready store ")
        self.addCleanup(self.directory.cleanup)
        self.state = pathlib.Path(self.directory.name) / "rdmaready"
        self.env = {"XDG_STATE_HOME": self.directory.name, "HOME": self.directory.name}

    def garbage(self):
        self.state.mkdir(exist_ok=True)
        (self.state / "rdmaready.db").write_bytes(b"x" * 8192)

    def mount(self, *options):
        """A small file system of its own for the state directory."""
        self.state.mkdir()
        process = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(("size=2m", *options)), "tmpfs", self.state],
                                 capture_output=True, text=True)
        if process.returncode != 0:
            self.skipTest(f"this machine cannot mount a small file system: {process.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.state], check=True)

    def fill(self):
        """Not a byte is left."""
        with open(self.state / "filler", "wb", buffering=0) as filler:
            for size in (65536, 4096, 1):
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError:
                    pass


class AKilledAgent(StoreCase):
    """kill -9, again and again, while clients have results stored."""

    def ask_until_gone(self, agent, acknowledged, others):
        while True:
            answer = check(agent.address)
            host = answer.json["hosts"][0]
            if host["error"]:
                return
            # A report without a store error is the agent's word that it is kept.
            (others if host["store_error"] else acknowledged).append(answer.json["run_id"])

    def one_round(self, chance):
        """What was acknowledged before the agent was killed."""
        acknowledged, unkept = [], []
        with tool.Agent(state=self.state) as agent:
            self.assertIsNotNone(agent.address, "".join(agent.log))
            clients = [threading.Thread(target=self.ask_until_gone, args=(agent, acknowledged, unkept)) for _ in range(4)]
            for client in clients:
                client.start()
            eventually(lambda: len(acknowledged) >= 2, every=0.01)
            time.sleep(chance.uniform(0.05, 0.4))
            agent.stop(signal.SIGKILL)
            for client in clients:
                client.join()
            self.assertNotIn("damaged", "".join(agent.log))
        self.assertEqual(unkept, [])
        return acknowledged

    def test_loses_nothing_that_it_acknowledged(self):
        chance = random.Random(SOAK_SEED)
        everything = []
        for number in range(SOAK_ROUNDS):
            acknowledged = self.one_round(chance)
            everything += acknowledged
            if number % 10 == 9 or number + 1 == SOAK_ROUNDS:
                with tool.Agent(state=self.state) as agent:
                    lost = set(acknowledged) - set(remembered(agent.address))
                    self.assertEqual(lost, set(), f"round {number}, seed {SOAK_SEED}")
        self.assertGreater(len(everything), SOAK_ROUNDS, "too little was stored to prove anything")
        with sqlite3.connect(self.state / "rdmaready.db") as store:
            kept = {row[0] for row in store.execute("SELECT run_id FROM runs")}
            self.assertEqual(set(everything) - kept, set())
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            self.assertEqual(store.execute("SELECT count(*) FROM events").fetchone()[0], 0)
            without = store.execute("SELECT count(*) FROM runs WHERE coalesce(as_in, run_id) NOT IN (SELECT run_id FROM findings)")
            self.assertEqual(without.fetchone()[0], 0, "a run is kept with its findings or not at all")
        store.close()
        self.assertEqual(set_aside(self.state), [])
        print(f"{SOAK_ROUNDS} kills, {len(everything)} runs acknowledged, {len(kept)} kept, seed {SOAK_SEED}", flush=True)


class AFullDisk(StoreCase):
    def expect_not_stored(self, answer, words):
        # Without RDMA the verdict is not-ready, and 1 goes over 3: the status of a ready host is a unit test's.
        self.assertEqual(answer.status, 1, answer)
        self.assertRegex(answer.json["hosts"][0]["store_error"], words)
        self.assertIn(str(self.state), answer.json["hosts"][0]["store_error"])

    def test_is_said_and_the_agent_goes_on(self):
        self.mount()
        with tool.Agent(state=self.state) as agent:
            kept = [check(agent.address).json["run_id"] for _ in range(2)]
            self.fill()
            self.expect_not_stored(check(agent.address), "full|No space left")
            text = tool.rdmaready("check", agent.address)
            self.assertRegex(text.err, "the result was not stored: .*(full|No space left)")
            self.assertEqual(remembered(agent.address), kept[::-1], "what was kept can be read all the while")
            (self.state / "filler").unlink()
            kept.append(check(agent.address).json["run_id"])
            self.assertEqual(remembered(agent.address), kept[::-1])
        with tool.Agent(state=self.state) as agent:
            self.assertEqual(remembered(agent.address), kept[::-1])
        self.assertEqual(set_aside(self.state), [])

    def test_keeps_no_agent_from_starting(self):
        self.mount()
        self.fill()
        with tool.Agent(state=self.state) as agent:
            self.assertIsNotNone(agent.address, "".join(agent.log))
            self.assertIn("working without memory until there is room", "".join(agent.log))
            self.expect_not_stored(check(agent.address), "full|No space left")
            (self.state / "filler").unlink()
            run = check(agent.address).json
            self.assertEqual(run["hosts"][0]["store_error"], "")
            self.assertEqual(remembered(agent.address), [run["run_id"]])

    def test_is_said_by_the_command_line_alone(self):
        self.mount()
        self.fill()
        self.expect_not_stored(check(None, env=self.env), "full|No space left")
        (self.state / "filler").unlink()
        self.assertEqual(check(None, env=self.env).json["hosts"][0]["store_error"], "")

    def test_or_a_file_size_limit_ends_no_agent(self):
        with tool.Agent(state=self.state) as agent:
            first = check(agent.address).json["run_id"]
            limits = resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (4096, limits[1]))
            self.expect_not_stored(check(agent.address), "File too large")
            resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, limits)
            second = check(agent.address).json["run_id"]
            self.assertEqual(remembered(agent.address), [second, first])


class ADamagedStore(StoreCase):
    def test_is_set_aside_by_an_agent_which_says_so(self):
        self.garbage()
        with tool.Agent(state=self.state) as agent:
            names = set_aside(self.state)
            self.assertEqual(len(names), 1)
            self.assertEqual((self.state / names[0]).read_bytes(), b"x" * 8192)
            self.assertIn(names[0], "".join(agent.log))
            first, second = tool.rdmaready("check", agent.address), tool.rdmaready("check", agent.address)
            self.assertIn(names[0], first.err, "in the next report")
            self.assertNotIn("damaged", second.err, "once")
            history = tool.rdmaready("history", agent.address)
            self.assertEqual(history.status, 0, history)
            self.assertIn(names[0], history.out, "for good")
            self.assertEqual(len(remembered(agent.address)), 2)

    def test_is_set_aside_by_the_command_line_alone_which_says_so(self):
        self.garbage()
        answer = check(None, env=self.env).json["hosts"][0]
        self.assertEqual(answer["store_error"], "")
        self.assertIn(set_aside(self.state)[0], answer["store_notice"])

    def test_of_a_newer_version_is_not_damaged(self):
        check(None, env=self.env)
        with sqlite3.connect(self.state / "rdmaready.db") as store:
            store.execute("PRAGMA user_version = 999")
        store.close()
        with tool.Agent(state=self.state) as agent:
            self.assertEqual(agent.process.wait(60), 3)
            self.assertIn("written by a newer rdmaready", "".join(agent.log))
        self.assertIn("newer rdmaready", check(None, env=self.env).json["hosts"][0]["store_error"])
        history = tool.rdmaready("history", env=self.env)
        self.assertEqual(history.status, 3, history)
        self.assertIn("newer rdmaready", history.err)
        self.assertEqual(set_aside(self.state), [])

    def test_is_none_where_nothing_may_be_written(self):
        self.mount()
        check(None, env=self.env)
        subprocess.run(["mount", "-o", "remount,ro", self.state], check=True)
        with tool.Agent(state=self.state) as agent:
            self.assertEqual(agent.process.wait(60), 3)
            self.assertIn("Read-only file system", "".join(agent.log))
        self.assertIn("Read-only file system", check(None, env=self.env).json["hosts"][0]["store_error"])
        self.assertEqual(set_aside(self.state), [])

    def test_is_none_where_a_directory_stands(self):
        (self.state / "rdmaready.db").mkdir(parents=True)
        with tool.Agent(state=self.state) as agent:
            self.assertEqual(agent.process.wait(60), 3)
            self.assertIn("rdmaready.db: is a directory", "".join(agent.log))


class TwoProcesses(StoreCase):
    def test_two_agents_do_not_share_a_store(self):
        with tool.Agent(state=self.state) as first, tool.Agent(state=self.state) as second:
            self.assertEqual(second.process.wait(60), 3)
            self.assertIn(f"in use by rdmaready-agent (pid {first.process.pid})", "".join(second.log))
            self.assertEqual(check(first.address).json["hosts"][0]["store_error"], "")

    def test_the_command_line_beside_an_agent_reads_and_says_that_it_cannot_write(self):
        with tool.Agent(state=self.state) as agent:
            run = check(agent.address).json["run_id"]
            alone = check(None, env=self.env)
            self.assertEqual(alone.status, 1, alone)
            self.assertIn(f"in use by rdmaready-agent (pid {agent.process.pid})", alone.json["hosts"][0]["store_error"])
            answer = tool.rdmaready("history", "--output", "json", env=self.env)
            self.assertEqual([kept["run_id"] for kept in answer.json["hosts"][0]["runs"]], [run])
            self.assertEqual(check(agent.address).json["hosts"][0]["store_error"], "")

    def test_commands_at_once_all_keep_their_results(self):
        # Each waits three seconds for the store: with more at a time a slow disk has one of them wait longer.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda _: check(None, env=self.env), range(8)))
        self.assertEqual({answer.json["hosts"][0]["store_error"] for answer in answers}, {""})
        with sqlite3.connect(self.state / "rdmaready.db") as store:
            self.assertEqual({row[0] for row in store.execute("SELECT run_id FROM runs")},
                             {answer.json["run_id"] for answer in answers})
        store.close()


class History(StoreCase):
    def test_shows_runs_newest_first(self):
        with tool.Agent() as agent:
            runs = [check(agent.address, "--profile", profile).json["run_id"]
                    for profile in ("virtual-fabric", "smb-direct-roce")]
            answer = tool.rdmaready("history", agent.address)
            self.assertEqual(answer.status, 0, answer)
            lines = answer.out.splitlines()
            self.assertIn("(UTC)", lines[1])
            for line, run, profile in zip(lines[2:], runs[::-1], ("smb-direct-roce", "virtual-fabric")):
                self.assertIn(run.split("-")[1], line)
                self.assertIn(profile, line)
                self.assertRegex(line, r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d .*not ready +host .*inv\.rdma-present")
            self.assertEqual(remembered(agent.address, limit=1), runs[1:])
            self.assertEqual(remembered(agent.address, "--since", "1h"), runs[::-1])
            self.assertEqual(remembered(agent.address, "--since", "2100-01-01"), [])

    def test_shows_one_run_as_its_check_did(self):
        with tool.Agent() as agent:
            now = tool.rdmaready("check", agent.address)
            run = remembered(agent.address)[0]
            for name in (run, run.split("-")[1]):
                later = tool.rdmaready("history", agent.address, "--run", name)
                self.assertEqual(later.status, 0, later)
                self.assertIn(run, later.out.splitlines()[0])
                self.assertIn(now.out.splitlines()[1], later.out)
            nothing = tool.rdmaready("history", agent.address, "--run", "none-such")
            self.assertEqual(nothing.status, 2, nothing)
            self.assertIn("none-such", nothing.err)

    def test_shows_what_it_got_and_whom_it_missed(self):
        with tool.Agent() as agent, tempfile.NamedTemporaryFile("w") as inventory:
            run = check(agent.address).json["run_id"]
            inventory.write(f"{agent.address}  # here\nno-such-host.invalid\n")
            inventory.flush()
            text = tool.rdmaready("history", "--inventory", inventory.name)
            self.assertEqual(text.status, 4, text)
            self.assertIn(run.split("-")[1], text.out)
            self.assertIn("no-such-host.invalid", text.err)
            answer = tool.rdmaready("history", "--inventory", inventory.name, "--output", "json")
            self.assertEqual(answer.status, 4, answer)
            self.assertEqual(answer.json["schema"], "rdmaready.v1.History")
            self.assertEqual(answer.json["hosts"][0]["runs"][0]["run_id"], run)
            self.assertIn("no-such-host.invalid", answer.json["hosts"][1]["error"])

    def test_of_this_host_leaves_no_trace(self):
        answer = tool.rdmaready("history", env=self.env)
        self.assertEqual(answer.status, 0, answer)
        self.assertIn("nothing is remembered", answer.out)
        self.assertFalse(self.state.exists())

    def test_is_bounded_by_the_agents_options(self):
        with tool.Agent("--history-max-bytes", "1M", "--history-max-age", "1s") as agent:
            check(agent.address)
            time.sleep(1.1)
            run = check(agent.address).json["run_id"]
            self.assertEqual(remembered(agent.address), [run])
        for arguments in (["--history-max-bytes", "10"], ["--history-max-bytes", "many"], ["--history-max-age", "soon"]):
            with tool.Agent(*arguments) as agent:
                self.assertEqual(agent.process.wait(60), 2)
                self.assertEqual(len(agent.log), 1, agent.log)
                self.assertIn(arguments[0], agent.log[0])
                self.assertIn(arguments[1], agent.log[0])


if __name__ == "__main__":
    unittest.main()
