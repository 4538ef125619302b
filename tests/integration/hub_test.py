# SPDX-License-Identifier: Apache-2.0
"""A hub, agents and made-up hosts over loopback: what a fleet is told, and that nothing acknowledged is ever lost."""
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import time
import unittest

import tool
from eventually import eventually
from hubs import PATIENT, Hub, WithFolder, over_after, simulate

KILLS = int(os.environ.get("RDMAREADY_KILLS", "8"))
AGENTS = int(os.environ.get("RDMAREADY_FLEET", "500"))


class ARealAgent(WithFolder):
    def test_it_reports_and_the_fleet_is_told(self):
        with Hub(self.folder) as hub, tool.Agent("--hub", hub.address):
            eventually(lambda: hub.fleet("status", "--output", "json").json["hosts"])
            status = hub.fleet("status", "--output", "json")
            self.assertEqual(status.json["schema"], "rdmaready.v1.FleetStatus")
            self.assertEqual(status.json["hosts"], 1)
            self.assertIn(status.status, (0, 1, 3))
            host = hub.fleet("hosts", "--output", "json").json["hosts"][0]
            self.assertEqual(host["name"], os.uname().nodename)
            history = hub.fleet("history")
            self.assertIn("reported for the first time", history.out)

    def test_a_hub_that_is_not_there_is_waited_for(self):
        clock = self.moved_clock()
        hub = Hub(self.folder).start()
        hub.stop()
        with tool.Agent("--hub", hub.address) as agent:
            agent.logged("hub-away")
            hub.start()
            self.addCleanup(hub.stop)
            clock.until(lambda: hub.fleet("status", "--output", "json").json["hosts"])


class ManyHosts(WithFolder):
    def test_a_script_of_changes_restarts_and_silence(self):
        self.in_time(self.changes_restarts_and_silence, 12, 90)

    def changes_restarts_and_silence(self, seconds):
        with Hub(self.folder, period="5s") as hub:
            status, told = simulate(hub, AGENTS, "--for", f"{seconds}s", script="3s change 10%\n5s restart all\n8s stop 5\n")
            self.assertEqual(status, 0, told)
            if len(told["script"]) < 3 or over_after(told) > seconds - 2:
                return False
            self.assertGreaterEqual(told["settled"], AGENTS - 5)
            self.assertEqual(told["refused"], 0)
            changed = (AGENTS + 9) // 10
            self.assertEqual(told["with_facts"], AGENTS + changed, "a state travels once, also over a restart of all")
            answer = hub.fleet("status", "--output", "json").json
            self.assertEqual(answer["hosts"], AGENTS)
            changes = hub.fleet("history", "--check", "pfc.*", "--limit", "100000", "--output", "json").json["changes"]
            self.assertEqual(len({change["host"] for change in changes}), changed)
            text = hub.fleet("status").out
            self.assertLess(len(text.splitlines()), 40, text)
        return True

    def test_whoever_is_silent_is_that(self):
        clock = self.moved_clock()
        with Hub(self.folder) as hub:
            simulate(hub, 5, "--for", "2s")
            clock.until(lambda: hub.fleet("status", "--output", "json").json["counts"], lambda counts: counts["silent"] >= 5)
            status = hub.fleet("status")
            self.assertEqual(status.status, 4, status)
            self.assertIn("5 silent", status.out)
            until = hub.fleet("maintenance", "node*", "--for", "1h", "--why", "moved")
            self.assertIn("5 hosts", until.out)
            status = hub.fleet("status")
            self.assertEqual(status.status, 3, "where all are worked on, nothing is known of the fleet")
            self.assertIn("all hosts are in maintenance", status.out)


class AKilledHub(WithFolder):
    """kill -9 while reports come in: what was acknowledged is there, and nothing is there twice."""

    def test_loses_nothing_that_it_acknowledged(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        hub = Hub(self.folder, period="1s").start()
        agents = 40
        # As long as the kills take, about.
        script = "".join(f"{300 * i + 200}ms change all\n" for i in range(KILLS * 3 // 2))
        # Who met a dead hub often comes again after a minute, and may meet another one: only the end tells.
        fleet = simulate(hub, agents, "--for", f"{KILLS * 450 + 4000}ms", "--settle", f"{120 + KILLS}s", script=script, wait=False)
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.05, 0.8))
            hub.stop(signal.SIGKILL)
            self.check_store(hub, seed)
            hub.start()
        out, _ = fleet.communicate(timeout=150 + KILLS)
        told = json.loads(out)
        self.assertEqual(fleet.returncode, 0, (seed, told))
        hub.stop()
        self.check_store(hub, seed)
        with sqlite3.connect(hub.store) as store:
            self.assertEqual(store.execute("SELECT count(*) FROM host").fetchone()[0], agents)

    def check_store(self, hub, seed):
        with sqlite3.connect(hub.store) as store:
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchone()[0], "ok", seed)
            # Of each finding every change begins where the one before it ended: none is missing, none is there twice.
            last = {}
            rows = store.execute("SELECT host_id, check_id, subject, profile, outcome_before, outcome_after, times FROM transition "
                                 "WHERE check_id <> '' ORDER BY host_id, number")
            for *key, before, after, times in rows:
                key = tuple(key)
                self.assertEqual(last.get(key, 1), before, (seed, key))
                last[key] = after
            now = {tuple(key): outcome if over == 0 else 1 for *key, outcome, over in store.execute(
                "SELECT host_id, check_id, subject, profile, outcome, over_unix_ns FROM finding")}
            for key, outcome in last.items():
                self.assertEqual(now.get(key, 1), outcome, (seed, key))


class ItsStore(WithFolder):
    def test_a_damaged_one_is_not_begun_anew(self):
        with Hub(self.folder) as hub:
            simulate(hub, 50, "--for", "1s")
        with open(hub.store, "r+b") as file:
            file.seek(8192)
            file.write(b"\xa5" * 4096)
        before = hub.store.read_bytes()
        ended = subprocess.run([tool.BIN / "rdmaready-hub", "--store", hub.store, "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("restore", ended.stderr)
        self.assertEqual(hub.store.read_bytes(), before)

    def test_a_full_disk_puts_reports_off_and_loses_none(self):
        clock = self.moved_clock()
        hub = Hub(self.folder)
        hub.folder.joinpath("of the hub").mkdir()
        with hub:
            simulate(hub, 10, "--for", "1s")
            size = hub.store.stat().st_size + hub.store.with_name("fleet.db-wal").stat().st_size
            subprocess.run(["prlimit", "--pid", str(hub.process.pid), f"--fsize={max(size // 2, 65536)}:unlimited"], check=True)
            fleet = simulate(hub, 30, "--first", "100", "--for", "1s", "--settle", "600s", wait=False)  # over when all are kept
            hub.event("store", level="error")
            clock.go_on(1)
            self.assertLess(hub.fleet("status", "--output", "json").json["hosts"], 40, "the disk is full")
            subprocess.run(["prlimit", "--pid", str(hub.process.pid), "--fsize=unlimited:unlimited"], check=True)
            clock.until(lambda: fleet.poll() is not None)
            out, _ = fleet.communicate(timeout=150)
            self.assertEqual(fleet.returncode, 0, out)
            self.assertGreater(json.loads(out)["put_off"], 0)
            self.assertEqual(hub.fleet("status", "--output", "json").json["hosts"], 40)


class CopiesOfItsStore(WithFolder):
    def run_hub(self, *arguments):
        return subprocess.run([tool.BIN / "rdmaready-hub", *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def test_a_copy_is_taken_while_the_hub_works_and_brings_it_back(self):
        clock = self.moved_clock()
        copy = self.folder / "a copy.db"
        with Hub(self.folder) as hub:
            fleet = simulate(hub, 60, "--for", "12s", script="".join(f"{second}s change all\n" for second in range(1, 11)), wait=False)
            eventually(lambda: hub.fleet("status", "--output", "json").json["hosts"], lambda hosts: hosts >= 60)
            taken = self.run_hub("backup", "--store", hub.store, copy)
            self.assertEqual(taken.returncode, 0, taken.stderr)
            self.assertEqual(self.run_hub("backup", "--store", hub.store, copy).returncode, 2, "a copy is not written over")
            self.assertEqual(self.run_hub("restore", "--store", hub.store, copy).returncode, 3, "the hub holds its store")
            clock.until(lambda: fleet.poll() is not None)
            fleet.communicate(timeout=60)
        hub.store.write_bytes(b"no database at all" * 1000)
        self.assertEqual(self.run_hub("--store", hub.store, "--listen", "127.0.0.1:0").returncode, 3)
        restored = self.run_hub("restore", "--store", hub.store, copy)
        self.assertEqual(restored.returncode, 0, restored.stderr)
        self.assertIn("fleet.db.before-", restored.stdout)
        with hub:
            self.assertEqual(hub.fleet("status", "--output", "json").json["hosts"], 60)
            # The agents bring it up to date: what the copy lacks is sent again.
            self.assertEqual(simulate(hub, 60, "--for", "1s")[0], 0)
        lines = [json.loads(line) for line in self.run_hub("export", "--store", hub.store).stdout.splitlines()]
        self.assertEqual(sum(line["schema"] == "rdmaready.v1.FleetHost" for line in lines), 60)
        self.assertTrue(any(line["schema"] == "rdmaready.v1.FleetChange" for line in lines))

    def test_what_is_no_copy_changes_nothing(self):
        with Hub(self.folder) as hub:
            simulate(hub, 5, "--for", "1s")
        before = hub.store.read_bytes()
        bad = self.folder / "bad.db"
        bad.write_bytes(b"x" * 8192)
        self.assertEqual(self.run_hub("restore", "--store", hub.store, bad).returncode, 3)
        with sqlite3.connect(self.folder / "other.db") as other:
            other.execute("CREATE TABLE theirs (x)")
        self.assertEqual(self.run_hub("restore", "--store", hub.store, self.folder / "other.db").returncode, 2)
        self.assertEqual(self.run_hub("restore", "--store", hub.store, self.folder / "nothing.db").returncode, 3)
        self.assertEqual(hub.store.read_bytes(), before)


class WithoutTls(WithFolder):
    """Everybody on the hub's machine reaches it."""

    ASKS = (("ack", "--check", "*", "--why", "known"), ("maintenance", "*", "--for", "2h", "--why", "firmware"), ("audit",))

    def test_callers_look_and_do_not_operate(self):
        with Hub(self.folder, plain_role=None) as hub:
            simulate(hub, 2, "--for", "1s")
            self.assertEqual(hub.fleet("status", "--output", "json").json["hosts"], 2)
            for words in self.ASKS:
                with self.subTest(words[0]):
                    refused = hub.fleet(*words)
                    self.assertEqual(refused.status, 4, refused)
                    self.assertIn("callers without TLS may observe", refused.err)
                    self.assertIn("--plain-role operate", refused.err)

    def test_they_operate_where_the_option_says_so(self):
        with Hub(self.folder, plain_role="operate") as hub:
            simulate(hub, 2, "--for", "1s")
            self.assertEqual([hub.fleet(*words).status for words in self.ASKS], [0, 0, 0])
        refused = self.run_hub("--store", self.folder / "x.db", "--listen", "127.0.0.1:0", "--insecure", "--plain-role", "operate")
        self.assertEqual(refused.returncode, 2, refused)
        self.assertIn("--plain-role: with --insecure", refused.stderr)

    def run_hub(self, *arguments):
        return subprocess.run([tool.BIN / "rdmaready-hub", *map(str, arguments)], capture_output=True, text=True, timeout=60)


class WithCertificates(WithFolder):
    """A CA of `rdmaready pki`: hosts are who their certificates say, and not who they say."""

    def setUp(self):
        super().setUp()
        self.clock = self.moved_clock()
        self.pki("init")
        self.ids = {}
        for kind, name, *more in (("hub", "hub1", "--ip", "127.0.0.1"), ("host", "node1", "--ip", "127.0.0.1"), ("host", "node2", "--ip", "127.0.0.1"),
                                  ("operator", "anna")):
            issued = self.pki("issue", kind, name, *more, "--out", self.folder / "certificates", "--output", "json")
            self.ids[name] = issued.json
        self.pki("revoke", "--refresh")

    def pki(self, *words):
        answer = tool.rdmaready("pki", *words, "--dir", self.folder / "ca")
        self.assertEqual(answer.status, 0, answer)
        return answer

    def tls(self, name):
        place = self.folder / "certificates"
        return ("--tls-cert", place / f"{name}.pem", "--tls-key", place / f"{name}.key", "--tls-ca", place / "ca.pem")

    def ask(self, hub, name, *words):
        return tool.rdmaready("fleet", *words, "--hub", hub.address, *self.tls(name), *PATIENT)

    def hosts(self, hub, count):
        return eventually(lambda: self.ask(hub, "anna", "hosts", "--output", "json").json["hosts"], lambda hosts: len(hosts) >= count)

    def test_a_host_is_who_its_certificate_says_and_looks_at_nobody(self):
        with Hub(self.folder, *self.tls("hub1")) as hub, tool.Agent("--hub", hub.address, *self.tls("node1")):
            [host] = self.hosts(hub, 1)
            self.assertIn(host["host_id"], json.dumps(self.ids["node1"]))
            refused = self.ask(hub, "node1", "status")
            self.assertEqual(refused.status, 4, refused)
            self.assertIn("does not look at others", refused.err)
            plain = tool.start("fleet", "status", "--hub", hub.address)
            self.clock.until(lambda: plain.poll() is not None)  # it gives up after some seconds
            self.assertEqual(tool.finish(plain).status, 4, "plain text is not spoken there")
            self.assertEqual(self.ask(hub, "anna", "ack", "--check", "*").status, 0)
            self.assertEqual(self.ask(hub, "hub1", "ack", "--check", "*").status, 4, "who may look may not operate")

    def test_who_says_that_he_is_another_is_turned_away(self):
        with Hub(self.folder, *self.tls("hub1")) as hub:
            process = simulate(hub, 1, *map(str, self.tls("node1")), "--for", "2s", "--settle", "2s", wait=False)
            self.clock.until(lambda: process.poll() is not None)
            self.assertEqual(process.communicate(timeout=60)[0] and process.returncode, 1, "its id is not that of the certificate")
            self.assertEqual(self.ask(hub, "anna", "hosts", "--output", "json").json["hosts"], [])

    def test_a_revoked_host_s_stream_ends_and_none_is_opened(self):
        crl = self.folder / "ca" / "crl.pem"
        with Hub(self.folder, *self.tls("hub1"), "--tls-crl", crl) as hub:
            with tool.Agent("--hub", hub.address, *self.tls("node1")) as revoked:
                self.hosts(hub, 1)
                self.pki("revoke", self.folder / "certificates" / "node1.pem")
                self.assertTrue(revoked.logged("hub-away", clock=self.clock), "within a minute, although its stream was open")
            with tool.Agent("--hub", hub.address, *self.tls("node1")) as revoked, tool.Agent("--hub", hub.address, *self.tls("node2")):
                self.assertTrue(revoked.logged("hub-away", clock=self.clock))
                self.assertEqual(len({host["host_id"] for host in self.hosts(hub, 2)}), 2)
            log = (self.folder / "hub.log").read_text()
            self.assertIn("revoked", log)


class AThirdParty(WithFolder):
    def test_reads_the_fleet_by_reflection_alone(self):
        with Hub(self.folder) as hub:
            simulate(hub, 7, "--for", "1s")
            answer = subprocess.run(["/usr/bin/python3", pathlib.Path(__file__).resolve().parent.parent / "support" / "reflect.py", hub.address, "rdmaready.v1.Fleet",
                                     "GetStatus", "{}"], capture_output=True, text=True, timeout=60)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(json.loads(answer.stdout)["hosts"], "7")


class ItsOptions(WithFolder):
    def run_hub(self, *arguments):
        return subprocess.run([tool.BIN / "rdmaready-hub", *arguments], capture_output=True, text=True, timeout=60)

    def test_what_is_wrong_is_one_line_and_status_2(self):
        store = ["--store", self.folder / "x.db"]
        for arguments in ([], [*store, "--period", "0s"], [*store, "--profile", "no-such"], [*store, "--listen", "0.0.0.0:0"], [*store, "--nonsense"],
                          [*store, "--tls-cert", "x"], ["--store", self.folder], [*store, "--most-agents", "0"]):
            with self.subTest(arguments=arguments):
                ended = self.run_hub(*arguments)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)
                self.assertTrue(re.match("rdmaready-hub: ", ended.stderr))

    def test_help_and_version(self):
        self.assertIn("--store", self.run_hub("--help").stdout)
        self.assertIn("rdmaready-hub ", self.run_hub("--version").stdout)

    def test_a_configuration_file_says_the_same(self):
        config = self.folder / "hub.yaml"
        config.write_text(f"store: '{self.folder}/y.db'\nperiod: 1s\nlisten: 127.0.0.1:0\nnonsense: 1\n")
        ended = self.run_hub("--config", config)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("hub.yaml:4", ended.stderr)


if __name__ == "__main__":
    unittest.main()
