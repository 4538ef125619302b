# SPDX-License-Identifier: Apache-2.0
"""Hosts that join a fleet by a token, stay in it by renewing, and are sent away: real hubs, real agents, real TLS."""
import json
import os
import signal
import subprocess
import time
import unittest

import tool
from eventually import eventually
from hubs import PATIENT, EnrollingHub, Hub, WithFolder

KILLS = int(os.environ.get("RDMAREADY_ENROL_KILLS", "12"))


class WithHub(WithFolder):
    arguments = ()

    def setUp(self):
        super().setUp()
        self.clock = self.moved_clock()
        self.hub = EnrollingHub(self.folder / "hub", *self.arguments)
        self.hub.start()
        self.addCleanup(lambda: self.hub.process.poll() is None and self.hub.stop())

    def enrol(self, token, state="state", *more, address=None):
        done = self.hub.enrol(token, self.folder / state, *more, address=address)
        self.assertNotIn(token.split(":")[1] if ":" in token else "?", done.stdout + done.stderr, "a token is a secret")
        return done

    def enrolled(self, state="state", name="127.0.0.1"):
        done = self.enrol(self.hub.token(name), state)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.split()[3].rstrip(",")

    def agent(self, state="state", *more):
        return tool.Agent("--hub", self.hub.address, *more, state=self.folder / state)

    def hosts(self, count):
        return eventually(lambda: self.hub.ask("hosts", "--output", "json").json["hosts"], lambda hosts: len(hosts) >= count)

    def current(self, state="state"):
        return self.folder / state / "identity" / "current"


class AHostWithAToken(WithHub):
    def test_it_enrols_reports_and_answers_by_its_identity(self):
        host_id = self.enrolled()
        again = self.enrol(self.hub.token())
        self.assertEqual(again.returncode, 2, again)
        self.assertIn(host_id, again.stderr)
        for path in (self.folder / "state" / "identity").rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        with self.agent() as agent:
            [host] = self.hosts(1)
            self.assertEqual(host["host_id"], host_id)
            self.assertEqual(tool.rdmaready("facts", agent.address, *self.hub.tls()).status, 0, agent.log)
            self.assertEqual(tool.rdmaready("facts", agent.address).status, 4, "plain text is not spoken there")

    def test_again_makes_it_another_host(self):
        first = self.enrolled()
        done = self.enrol(self.hub.token(), "state", "--again")
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn(first, done.stdout)

    def test_the_door_serves_nothing_else_and_the_hub_goes_on_demanding_certificates(self):
        refused = tool.rdmaready("fleet", "status", "--hub", self.hub.enrolment, "--tls-ca", self.hub.authority / "ca.pem", *PATIENT)
        self.assertEqual(refused.status, 4, refused)
        self.assertIn("no rdmaready hub", refused.err)
        self.assertEqual(self.enrol(self.hub.token(), address=self.hub.address).returncode, 4)

    def test_only_operators_make_tokens(self):
        for words in (("token",), ("token", "--list"), ("revoke", "127.0.0.1", "--why", "x")):
            refused = self.hub.ask(*words, who="hub1")
            self.assertEqual(refused.status, 4, refused)
            self.assertIn("operator", refused.err)

    def test_all_tokens_are_listed_however_many_they_are(self):
        """The hub answers with a thousand at a time."""
        ids = []
        for count in ("1000", "1000", "7"):
            made = self.hub.ask("token", "--count", count, "--note", "many", "--output", "json")
            self.assertEqual(made.status, 0, made)
            ids.append([token["id"] for token in made.json["tokens"]])
        listed = self.hub.ask("token", "--list", "--output", "json")
        self.assertEqual(listed.status, 0, listed)
        many = [token["id"] for token in listed.json["tokens"] if token["note"] == "many"]
        self.assertEqual(many, sorted(ids[2]) + sorted(ids[1]) + sorted(ids[0]), "newest first, each once")
        withdrawn = self.hub.ask("token", "--withdraw", ids[0][5])
        self.assertIn("1 withdrawn", withdrawn.out, withdrawn)

    def test_a_hub_without_an_authority_says_so(self):
        (self.folder / "plain").mkdir()
        with Hub(self.folder / "plain") as plain:
            refused = plain.fleet("token")
            self.assertNotEqual(refused.status, 0)
            self.assertIn("no authority", refused.err)


class ATokenThatIsNoLongerGood(WithHub):
    def test_a_stolen_one_used_second_is_refused_and_both_are_named(self):
        token = self.hub.token("--note", "row 7")
        first = self.enrol(token)
        self.assertEqual(first.returncode, 0, first)
        stolen = self.enrol(token, "thief")
        self.assertEqual(stolen.returncode, 4, stolen)
        self.assertIn("used already by", stolen.stderr)
        self.assertFalse(self.current("thief").exists())
        [row] = self.hub.ask("token", "--list", "--output", "json").json["tokens"]
        self.assertIn(row["host_id"], first.stdout)
        self.assertEqual((row["note"], row["made_by"]), ("row 7", "anna"))
        self.hub.event("enrol-refused")

    def test_one_that_ended_or_was_withdrawn(self):
        short, other = self.hub.token("--for", "1s"), self.hub.token()
        row = self.hub.ask("token", "--list", "--output", "json").json["tokens"][0]
        self.assertEqual(self.hub.ask("token", "--withdraw", row["id"]).status, 0)
        withdrawn = self.enrol(other, "a")
        self.assertEqual(withdrawn.returncode, 4, withdrawn)
        self.assertIn("withdrawn by anna", withdrawn.stderr)
        self.clock.go_on(1.5)
        ended = self.enrol(short, "b")
        self.assertEqual(ended.returncode, 4, ended)
        self.assertIn("ended at", ended.stderr)

    def test_nothing_of_it_is_in_the_store_or_in_the_log(self):
        token = self.hub.token()
        secret = token.split(":")[1]
        self.assertEqual(self.enrol(token).returncode, 0)
        self.hub.stop()
        for path in self.hub.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(secret.encode(), path.read_bytes(), path)

    def test_who_is_between_is_not_told_it(self):
        other = EnrollingHub(self.folder / "other")
        with other:
            done = self.enrol(self.hub.token(), address=other.enrolment)
            self.assertEqual(done.returncode, 4, done)
            self.assertIn("was not sent", done.stderr)
            self.assertEqual([event for event in other.events() if event["event"].startswith("enrol")], [], "it was asked nothing")

    def test_wrong_ones_are_refused_and_slowed_down(self):
        good = self.hub.token()
        prefix, _, fingerprint = good.split(":")
        for _ in range(30):  # five are free; then there is a second to wait, and longer each time
            wrong = self.enrol(f"{prefix}:{'A' * 43}:{fingerprint}")
            self.assertEqual(wrong.returncode, 4, wrong)
            if "too many wrong tries" in wrong.stderr:
                break
        self.assertIn("too many wrong tries", wrong.stderr)
        self.assertEqual(self.enrol("nonsense").returncode, 2)


class AKilledEnrolment(WithHub):
    def test_the_same_token_goes_on_where_it_broke_off(self):
        token = self.hub.token()
        address = self.hub.enrolment
        for round_ in range(KILLS):
            process = subprocess.Popen([tool.BIN / "rdmaready-agent", "enrol", "--hub", address, "--token-file", "-", "--state-dir", self.folder / "state"],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            process.stdin.write(token.encode())
            process.stdin.close()
            time.sleep(0.008 * round_)
            process.send_signal(signal.SIGKILL)
            process.wait(60)
            if self.current().exists():
                break
            self.assertFalse(self.current().is_symlink(), "a link to nothing")
        done = self.enrol(token)
        self.assertIn(done.returncode, (0, 2), done)
        [row] = self.hub.ask("token", "--list", "--output", "json").json["tokens"]
        with self.agent():
            [host] = self.hosts(1)
            self.assertEqual(host["host_id"], row["host_id"])


class AShortLife(WithHub):
    arguments = ("--certificate-lifetime", "2m")

    def test_the_certificate_is_renewed_before_it_ends_and_the_host_stays(self):
        host_id = self.enrolled()
        over = self.clock.passed_s + 121  # the life of the first one
        first = (self.current() / "host.pem").read_text()
        with self.agent("state", "--log-format", "json") as agent:
            self.assertTrue(agent.logged('"renewed"', clock=self.clock), agent.log)
            self.assertLess(self.clock.passed_s, over)
            self.assertNotEqual((self.current() / "host.pem").read_text(), first)
            self.hub.event("renewed", host_id=host_id)
            self.clock.go_on(over - self.clock.passed_s)
            host = eventually(lambda: [one for one in self.hosts(1) if one["condition"] != "silent"])
            self.assertEqual([one["host_id"] for one in host], [host_id])
            # The stream is opened again by the new one.
            eventually(lambda: [json.loads(line)["event"] for line in list(agent.log) if line.startswith("{")].count("hub") >= 2)
            self.assertEqual(tool.rdmaready("facts", agent.address, *self.hub.tls()).status, 0, "its server has the new one")


class AShorterLife(WithHub):
    arguments = ("--certificate-lifetime", "1m")

    def test_a_revoked_host_is_renewed_no_more(self):
        host_id = self.enrolled()
        self.assertEqual(self.hub.ask("revoke", host_id, "--why", "a drill").status, 0)
        with self.agent() as agent:
            self.assertTrue(agent.logged("identity", clock=self.clock), agent.log)
        self.assertEqual([event for event in self.hub.events() if event["event"] == "renewed"], [])


class ARevokedHost(WithHub):
    def test_the_hub_and_the_other_agents_know_within_a_minute(self):
        ids = [self.enrolled(f"state{number}") for number in range(4)]
        with self.agent("state0") as gone, self.agent("state1") as first, self.agent("state2") as second, self.agent("state3") as third:
            self.hosts(4)
            thief = self.current("state0") / "host.pem"
            as_gone = ("--tls-cert", thief, "--tls-key", thief, "--tls-ca", self.hub.authority / "ca.pem")
            self.assertEqual(tool.rdmaready("facts", first.address, *as_gone).status, 0)
            revoked = self.hub.ask("revoke", ids[0], "--why", "its disk was stolen")
            self.assertEqual(revoked.status, 0, revoked)
            self.assertTrue(gone.logged("hub-away"), "its stream ends")
            for agent in (first, second, third):
                answer = eventually(lambda: tool.rdmaready("facts", agent.address, *as_gone),
                                    lambda answer: "revoked" in answer.err or answer.status != 0)
                self.assertEqual(answer.status, 4, answer)
            row = next(host for host in self.hosts(4) if host["host_id"] == ids[0])
            self.assertEqual((row["condition"], row["revoked_why"]), ("revoked", "its disk was stolen"))
            self.assertIn("revoked by anna", self.hub.ask("history").out)
            self.assertEqual(self.hub.ask("status", "--output", "json").json["hosts"], 3)
        with self.agent("state0") as gone:
            self.assertTrue(gone.logged("hub-away"), "and none is opened")

    def test_one_that_goes_on_running_is_not_welcome_again_on_its_old_connection(self):
        host_id = self.enrolled()
        with self.agent("state", "--log-format", "json") as agent:
            self.hosts(1)
            self.hub.pki("revoke", host_id)
            self.assertTrue(agent.logged("hub-away", clock=self.clock), agent.log)
            # It tries again after a second.
            self.clock.until(lambda: sum(event["event"] == "agent-refused" for event in self.hub.events()) > 1)
            events = [json.loads(line)["event"] for line in agent.log if line.startswith("{")]
            self.assertEqual(events.count("hub"), 1, events)

    def test_an_agent_that_was_away_hears_of_it_when_it_comes(self):
        ids = [self.enrolled("state0"), self.enrolled("state1")]
        before = (self.current("state1") / "crl.pem").read_text()
        self.assertEqual(self.hub.ask("revoke", ids[0], "--why", "gone").status, 0)
        with self.agent("state1") as agent:
            self.assertTrue(agent.logged("newer ones of the hub"), agent.log)
            self.assertNotEqual((self.current("state1") / "crl.pem").read_text(), before)


class WhatIsNotConfiguredWell(WithFolder):
    def start(self, hub, *arguments):
        return subprocess.run([tool.BIN / "rdmaready-hub", "--store", hub.store, "--listen", "127.0.0.1:0", *arguments], capture_output=True, text=True, timeout=60)

    def test_it_is_refused_in_words(self):
        hub = EnrollingHub(self.folder / "hub")
        own = ("--tls-cert", hub.certificates / "hub1.pem", "--tls-key", hub.certificates / "hub1.key")
        for arguments, words in ((("--enrol-listen", "127.0.0.1:0"), "--authority"),
                                 (("--authority", hub.authority), "--tls-cert"),
                                 (("--authority", hub.authority, *own, "--tls-crl", "x.pem"), "crl.pem"),
                                 (("--authority", self.folder / "none", *own), "no CA"),
                                 (("--certificate-lifetime", "1s"), "from 10s")):
            refused = self.start(hub, *arguments)
            self.assertEqual(refused.returncode, 2, refused)
            self.assertIn(words, refused.stderr)
        other = EnrollingHub(self.folder / "other")
        refused = self.start(hub, "--authority", other.authority, *own)
        self.assertEqual(refused.returncode, 2, refused)
        self.assertIn("pki issue hub", refused.stderr)
        hub.authority.chmod(0o750)
        refused = self.start(hub, "--authority", hub.authority, *own)
        self.assertEqual(refused.returncode, 2, refused)
        self.assertIn("0700", refused.stderr)


if __name__ == "__main__":
    unittest.main()
