# SPDX-License-Identifier: Apache-2.0
"""Who may ask what: by each way in and with each role every RPC is asked, and what is refused is said with the same words everywhere."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import certificates
import tool

ACTIVATE = pathlib.Path(tool.__file__).with_name("activate.py")
# Each with itself and the roles that it includes.
ROLES = {"none": ["none"], "observe": ["none", "observe"], "test": ["none", "observe", "test"], "prove": ["none", "observe", "test", "prove"],
         "apply": ["none", "observe", "test", "prove", "apply"], "stress": ["none", "observe", "test", "stress"]}
# The rows of agent/access/rows.h.
NEEDS = {
    "GetVersion": "none", "GetFacts": "observe", "GetRecording": "observe", "ListHistory": "observe", "Baseline": "observe",
    "GetEvents": "observe", "Check level host": "observe",
    "Check level loopback": "test", "TestLoopback": "test", "TestPeer": "test", "Probe": "test", "Probe prove": "prove",
    "MakePlan": "observe", "GetApplier": "observe", "Apply": "apply", "ProvePeer": "apply", "Confirm": "apply", "RollBack": "apply",
    "Forget": "apply", "SendPauses": "stress",
}
PERMISSION_DENIED, UNIMPLEMENTED, UNAVAILABLE = 7, 12, 14
AGENT, OBSERVERS, TESTERS = 61000, 61001, 61002  # a user, and groups
ANNA, BEN, CARL = 61101, 61102, 61103
PROGRAMS = None  # where each of them finds the programs


def setUpModule():
    global PROGRAMS
    PROGRAMS = tool.bin_for_everybody(unittest.addModuleCleanup, "rdmaready", "rdmaready-agent", "rdmaready-ask")


def ask(target, *tls, uid=0, groups=()):
    """What -> (code, words), of every RPC."""
    become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--groups=" + ",".join(map(str, groups))] if groups else \
        ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    answer = subprocess.run([*(become if uid else []), PROGRAMS / "rdmaready-ask", target, *map(str, tls)], capture_output=True, text=True,
                            timeout=170)
    rows = (line.split("\t") for line in answer.stdout.splitlines())
    return {what: (int(code), words) for what, code, words in rows}


class Access(unittest.TestCase):
    def judge(self, answers, role, way, called=""):
        """What `role` may is not refused, and the rest is: with what it needs, what one has (the role's name, unless it is `called`
        otherwise), the way in and a way out."""
        self.assertEqual(set(NEEDS), set(answers) - {"health", "reflection"})
        self.assertEqual(answers["health"][0], 0, answers["health"])
        for what, needed in NEEDS.items():
            with self.subTest(role=role, way=way, what=what):
                code, words = answers[what]
                if needed in ROLES[role]:
                    self.assertNotEqual(code, PERMISSION_DENIED, words)
                    self.assertNotIn("refused", words)
                else:
                    rpc, _, argument = what.partition(" ")
                    name = f"{rpc} ({argument})" if argument else rpc
                    has = f"the role {called or role}" if called or role != "none" else "no role"
                    self.assertEqual(code, PERMISSION_DENIED, words)
                    self.assertRegex(words, rf"^refused: {re.escape(name)} needs the role {needed}, and .+ by {way} has {has}; .+")


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class LocalUsers(Access):
    """An agent without rights, for which root listens on a socket a role, as systemd does."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready doors ")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        cls.place.chmod(0o755)
        state = cls.place / "state"
        state.mkdir()
        os.chown(state, AGENT, AGENT)
        cls.audit = cls.place / "audit.jsonl"
        cls.audit.touch()
        os.chown(cls.audit, 0, AGENT)
        cls.audit.chmod(0o660)
        sockets = [f"observe:{OBSERVERS}:660", f"test:{TESTERS}:660", "prove:0:600", "apply:0:600"]
        cls.agent = tool.Agent("--audit", cls.audit, state=state, programs=PROGRAMS,
                               under=[sys.executable, ACTIVATE, cls.place, str(AGENT), *sockets, "--"])
        cls.agent.__enter__()
        cls.addClassCleanup(cls.agent.__exit__)
        if cls.agent.address is None:
            raise RuntimeError("".join(cls.agent.log))

    def socket(self, role):
        return f"unix:{self.place}/{role}.sock"

    def test_may_what_their_socket_gives_them(self):
        for role, uid, group in (("observe", ANNA, OBSERVERS), ("test", BEN, TESTERS)):
            answers = ask(self.socket(role), uid=uid, groups=[group])
            self.judge(answers, role, rf"the socket {self.place}/{role}\.sock")
            self.assertIn(f"uid {uid} by", answers["Probe prove"][1])
        for role in ("prove", "apply"):
            self.judge(ask(self.socket(role)), role, rf"the socket {self.place}/{role}\.sock")

    def test_reach_no_socket_that_is_not_theirs(self):
        for role, uid, groups in (("test", ANNA, [OBSERVERS]), ("prove", ANNA, [OBSERVERS]), ("prove", BEN, [TESTERS]),
                                  ("observe", BEN, [TESTERS]), ("observe", CARL, []), ("test", CARL, []), ("prove", CARL, []), ("apply", BEN, [TESTERS])):
            for what, (code, words) in ask(self.socket(role), uid=uid, groups=groups).items():
                self.assertEqual(code, UNAVAILABLE, (role, uid, what, words))

    def test_are_told_of_by_the_audit_which_the_agent_can_add_to(self):
        ask(self.socket("observe"), uid=ANNA, groups=[OBSERVERS])
        ask(self.socket("test"), uid=BEN, groups=[TESTERS])
        lines = [json.loads(line) for line in self.audit.read_text().splitlines()]
        refused = [line for line in lines if line["event"] == "refused" and line.get("who") == f"uid {ANNA}"]
        self.assertIn(("TestPeer", "test", "observe", "local socket"),
                      {(line["rpc"], line["needs"], line["role"], line["way"]) for line in refused})
        begun = [line for line in lines if line["event"] == "begun" and line["who"] == f"uid {BEN}"]
        ended = [line for line in lines if line["event"] == "ended" and line["who"] == f"uid {BEN}"]
        self.assertEqual({line["rpc"] for line in begun}, {"Check", "TestLoopback", "TestPeer", "Probe"})
        self.assertEqual({line["run_id"] for line in begun}, {line["run_id"] for line in ended})
        self.assertIn("no test case 'none-such'", {line["result"] for line in ended})
        self.assertIn("append_only=no", self.agent.logged("audit-file"))

    def test_are_told_of_by_the_log(self):
        ask(self.socket("observe"), uid=ANNA, groups=[OBSERVERS])
        line = self.agent.logged("refused origin")
        self.assertRegex(line, rf'origin="uid {ANNA} pid \d+ {self.place}/observe.sock" rpc=\w+ reason="refused: ')

    def test_are_offered_reflection_and_the_network_is_not(self):
        self.assertEqual(ask(self.socket("observe"), uid=ANNA, groups=[OBSERVERS])["reflection"][0], 0)
        self.assertEqual(ask(self.agent.address)["reflection"][0], UNIMPLEMENTED)
        with tool.Agent("--reflection") as agent:
            self.assertEqual(ask(agent.address)["reflection"][0], 0)

    def test_keep_nobody_out_however_greedy_one_of_them_is(self):
        for seconds in (8, 20):  # in which five others are answered; the second time on a machine that is busy without that
            greedy = subprocess.Popen(["setpriv", f"--reuid={ANNA}", f"--regid={ANNA}", f"--groups={OBSERVERS}", PROGRAMS / "rdmaready-ask",
                                       self.socket("observe"), "greedy", "64", str(seconds)], stdout=subprocess.PIPE, text=True)
            self.addCleanup(greedy.wait)
            time.sleep(2)
            meanwhile = 0
            while meanwhile < 5 and greedy.poll() is None:
                answer = subprocess.run(["setpriv", f"--reuid={BEN}", f"--regid={BEN}", f"--groups={TESTERS}", PROGRAMS / "rdmaready",
                                         "check", self.socket("test")], capture_output=True, text=True, timeout=60)
                self.assertIn(answer.returncode, (0, 1), answer)
                meanwhile += greedy.poll() is None
            out, _ = greedy.communicate(timeout=60)
            refused, other = map(int, re.findall(r"\d+", out))
            self.assertGreater(refused, 48, out)  # beyond the sixteen that a caller has at a time
            self.assertGreaterEqual(other, 16, out)
            if meanwhile == 5:
                break
        self.assertEqual(meanwhile, 5)

    def test_are_given_the_way_in_that_says_most_and_the_words_of_a_refusal(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready runtime ") as folder:
            mine = pathlib.Path(folder)
            mine.chmod(0o755)
            (mine / "rdmaready").symlink_to(self.place)
            environment = {**tool.environment(), "XDG_RUNTIME_DIR": folder}
            del environment["RDMAREADY_SOCKET"]

            def rdmaready(uid, group, *words):
                return subprocess.run(["setpriv", f"--reuid={uid}", f"--regid={uid}", f"--groups={group}", PROGRAMS / "rdmaready",
                                       *words], capture_output=True, text=True, env=environment, timeout=60)

            answer = rdmaready(ANNA, OBSERVERS, "check", "--level", "loopback")
            self.assertEqual(answer.returncode, 4, answer)
            self.assertIn(f"needs the role test, and uid {ANNA} by the socket {self.place}/observe.sock", answer.stderr)
            self.assertEqual(rdmaready(ANNA, OBSERVERS, "check").returncode, 1, "it may be looked at")
            answer = rdmaready(BEN, TESTERS, "probe", "nvme", "127.0.0.1", "--prove", "--subsystem", "nqn.2014-08.x:y")
            self.assertEqual(answer.returncode, 4, answer)
            self.assertIn("needs the role prove", answer.stderr)
            self.assertEqual(rdmaready(BEN, TESTERS, "check", "--level", "loopback").returncode, 1)


class Certificates(Access):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready pki ")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.ca = certificates.Authority(path, "site-ca")
        cls.server = cls.ca.sign("storage1", "DNS:localhost,IP:127.0.0.1")
        cls.observer = cls.ca.sign("observer", "DNS:mon1.example")
        cls.tester = cls.ca.sign("tester", "URI:spiffe://example/ops/anna")
        cls.prover = cls.ca.sign("prover", "DNS:other.example,URI:spiffe://example/storage/ben")
        cls.stresser = cls.ca.sign("stresser", "URI:spiffe://example/load/dora")
        cls.agents = cls.ca.sign("node7", "DNS:node7.example")
        cls.nobody = cls.ca.sign("nobody", "DNS:nobody.elsewhere")
        cls.nameless = cls.ca.sign("prover.nameless")
        cls.expired = cls.ca.sign("expired", "URI:spiffe://example/storage/carl", days=-1)
        cls.foreign = certificates.Authority(path, "foreign-ca").sign("stranger", "URI:spiffe://example/storage/eve")
        cls.roles = path / "roles.yaml"
        cls.roles.write_text("observe: ['DNS:mon*.example']\ntest: ['URI:spiffe://example/ops/*']\n"
                             "prove: ['URI:spiffe://example/storage/*']\nstress: ['URI:spiffe://example/load/*']\n"
                             "agent: ['DNS:node*.example']\n")
        cls.roles.chmod(0o644)

    def agent(self, *more):
        return tool.Agent("--tls-cert", self.server.cert, "--tls-key", self.server.key, "--tls-ca", self.ca.cert, *more)

    def ask(self, agent, pair):
        return ask(agent.address, pair.cert, pair.key, self.ca.cert)

    def test_have_the_role_of_the_map(self):
        with self.agent("--roles", self.roles) as agent:
            for pair, role, called in ((self.observer, "observe", ""), (self.tester, "test", ""), (self.prover, "prove", ""), (self.stresser, "stress", ""),
                                       (self.agents, "none", "agent"), (self.nobody, "none", ""), (self.nameless, "none", "")):
                answers = self.ask(agent, pair)
                self.judge(answers, role, "TLS", called)
                if pair is self.stresser:
                    self.assertIn("stress tests are off", answers["SendPauses"][1], "it got as far as the agent")
                self.assertEqual(answers["reflection"][0], UNIMPLEMENTED)
            self.assertIn("gives a name of your certificate the role observe in the agent's role map (--roles)",
                          self.ask(agent, self.nobody)["GetFacts"][1])

    def test_may_observe_without_a_map(self):
        with self.agent() as agent:
            for pair in (self.observer, self.prover, self.nameless):
                self.judge(self.ask(agent, pair), "observe", "TLS")
            self.assertIn("the agent has no role map", self.ask(agent, self.prover)["Probe prove"][1])

    def test_that_are_foreign_or_expired_get_no_answer_at_all(self):
        with self.agent("--roles", self.roles) as agent:
            for pair, why in ((self.foreign, "CN=stranger"), (self.expired, "expired on")):
                for what, (code, words) in self.ask(agent, pair).items():
                    self.assertEqual(code, UNAVAILABLE, (what, words))
                self.assertIn(why, agent.logged(why))

    def test_get_the_role_that_the_map_says_now(self):
        roles = self.roles.with_name("changing.yaml")
        roles.write_text("observe: ['DNS:mon*.example']\n")
        roles.chmod(0o644)
        with self.agent("--roles", roles) as agent:
            self.judge(self.ask(agent, self.observer), "observe", "TLS")
            roles.write_text("tset: ['DNS:mon*.example']\n")
            time.sleep(1.1)
            self.judge(self.ask(agent, self.observer), "observe", "TLS")
            self.assertIn("did you mean `test`?", agent.logged("what was read before stays in force"))
            roles.write_text("test: ['DNS:mon*.example']\n")
            time.sleep(1.1)
            self.judge(self.ask(agent, self.observer), "test", "TLS")

    def test_a_map_that_others_may_write_or_that_is_wrong_keeps_the_agent_from_starting(self):
        loose = self.roles.with_name("loose.yaml")
        loose.write_text("test: ['DNS:a']\n")
        loose.chmod(0o666)
        wrong = self.roles.with_name("wrong.yaml")
        wrong.write_text("test: [a]\n")
        wrong.chmod(0o600)
        for path, words in ((loose, "chmod go-w"), (wrong, f"{wrong}:1: role `test`: a pattern begins with DNS: or URI:"),
                            ("/nowhere/roles", "No such file")):
            with self.agent("--roles", path) as agent:
                self.assertEqual(agent.process.wait(60), 2, agent.log)
                agent.reader.join()
                self.assertIn(words, agent.log[-1])
        with tool.Agent("--roles", self.roles) as agent:
            self.assertEqual(agent.process.wait(60), 2, agent.log)

    def test_are_refused_by_the_command_line_in_the_agents_words_with_status_4(self):
        with self.agent("--roles", self.roles) as agent:
            own = ["--tls-cert", self.observer.cert, "--tls-key", self.observer.key, "--tls-ca", self.ca.cert]
            for command in (("check", agent.address, "--level", "loopback"), ("test", "loopback", agent.address),
                            ("probe", "smb", "127.0.0.1", "--from", agent.address)):
                answer = tool.rdmaready(*command, *own)
                self.assertEqual(answer.status, 4, answer)
                self.assertIn("needs the role test, and DNS:mon1.example by TLS has the role observe", answer.out + answer.err)
            self.assertEqual(tool.rdmaready("check", agent.address, *own).status, 1)


class PlainText(Access):
    def test_gives_the_role_that_the_agent_was_told(self):
        for role in ("test", "observe", "prove", "apply"):
            words = [] if role == "observe" else ["--plain-role", role]
            with tool.Agent(*words, plain_role=None) as agent:
                answers = ask(agent.address)
                self.judge(answers, role, "plain TCP")
                self.assertEqual(answers["reflection"][0], UNIMPLEMENTED)
                self.assertIn(f"role={role}", agent.logged("listening"))
                if role not in ("prove", "apply"):
                    self.assertIn("start that agent with --plain-role prove", answers["Probe prove"][1])

    def test_carries_no_password_not_even_on_loopback(self):
        with tempfile.NamedTemporaryFile("w") as secret, tool.Agent("--plain-role", "prove") as agent:
            secret.write("username=u\npassword=hidden-7\n")
            secret.flush()
            for command in (("probe", "smb", "127.0.0.1", "--from", agent.address, "--prove", "--share", "s"),
                            ("check", agent.address, "--level", "share", "--share", "//127.0.0.1/s")):
                answer = tool.rdmaready(*command, "--credentials", secret.name)
                self.assertEqual(answer.status, 2, answer)
                self.assertIn("credentials are not sent in plain text", answer.err)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_carries_a_password_to_a_socket_of_roots_and_to_no_other(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready secret ") as folder:
            place = pathlib.Path(folder)
            place.chmod(0o755)
            secret = place / "secret"
            secret.write_text("username=u\npassword=hidden-7\n")
            secret.chmod(0o600)
            state = place / "state"
            state.mkdir()
            os.chown(state, AGENT, AGENT)
            theirs = place / "theirs"
            theirs.mkdir()
            os.chown(theirs, AGENT, AGENT)

            def probe(socket):
                return tool.rdmaready("probe", "smb", "127.0.0.1", "--from", f"unix:{socket}", "--prove", "--share", "s",
                                      "--credentials", secret, "--timeout", "20")

            # systemd's: root listens, whoever answers.
            with tool.Agent(state=state, programs=PROGRAMS, under=[sys.executable, ACTIVATE, place, str(AGENT), "prove:0:600", "--"]):
                answer = probe(place / "prove.sock")
                self.assertIn("no RDMA port of this host leads to", answer.out + answer.err, "it got as far as the agent")
            become = ["setpriv", f"--reuid={AGENT}", f"--regid={AGENT}", "--clear-groups", "env",
                      f"RDMAREADY_SOCKET={theirs}/agent.sock"]
            with tool.Agent("--allow-proofs", state=state, programs=PROGRAMS, under=become) as agent:
                self.assertTrue(agent.logged("unix:"), agent.log)
                answer = probe(theirs / "agent.sock")
                self.assertEqual(answer.status, 2, answer)
                self.assertIn(f"uid {AGENT} listens on {theirs}/agent.sock: credentials go to root's agent or to one of your own",
                              answer.err)


if __name__ == "__main__":
    unittest.main()
