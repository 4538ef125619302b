# SPDX-License-Identifier: Apache-2.0
"""A CA of files: what it issues works with agents and callers, what it revoked does not, and nothing is lost on the way."""
import os
import pathlib
import re
import resource
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import unittest

import certificates
import many_hosts
import recorded
import tool
from eventually import eventually

DAY_NS = 86_400 * 10**9
NOBODY = 65534
ENDS_WITHIN_S = 60  # a caller that was revoked, whatever connection he holds
REREAD_S = 5  # agent/server/tls.cc
# An agent with locks of its own: two agents of one machine do not keep each other from ports of the same place.
OF_ITS_OWN = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run/lock -o mode=1777 && exec /bin/sh "$@"', "sh")


class Pki(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready a pki ")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.ca = self.path / "the ca"
        self.out = self.path / "handed out"

    def pki(self, *arguments, **more):
        return tool.rdmaready("pki", *arguments, "--dir", self.ca, **more)

    def done(self, *arguments, **more):
        answer = self.pki(*arguments, "--output", "json", **more)
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(answer.json["schema"], "rdmaready.v1.Pki")
        return answer.json

    def made(self):
        self.done("init", "--name", "site")
        self.host = self.done("issue", "host", "node1", "--ip", "127.0.0.1", "--out", self.out)["certificates"][0]
        self.anna = self.done("issue", "operator", "anna", "--out", self.out)["certificates"][0]

    def refused(self, answer, *words, status=2):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.out, "", answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        for word in words:
            self.assertIn(word, answer.err)

    def files(self, name, crl=True):
        words = ["--tls-cert", self.out / f"{name}.pem", "--tls-key", self.out / f"{name}.key", "--tls-ca", self.out / "ca.pem"]
        return words + (["--tls-crl", self.ca / "crl.pem"] if crl else [])

    def ask(self, agent, name="anna", crl=False):
        return tool.rdmaready("facts", agent.address, *self.files(name, crl))


class ACa(Pki):
    def test_is_made_once_and_is_its_owners(self):
        answer = self.pki("init")
        self.assertEqual(answer.status, 0, answer)
        self.assertIn("fingerprint", answer.out)
        before = (self.ca / "ca.pem").read_text()
        self.refused(self.pki("init"), "there is a CA already")
        self.assertEqual((self.ca / "ca.pem").read_text(), before)
        self.assertEqual(stat.S_IMODE(self.ca.stat().st_mode), 0o700)
        keys = list((self.ca / "roots").glob("*.key"))
        self.assertEqual([stat.S_IMODE(key.stat().st_mode) for key in keys], [0o600])

    def test_is_where_its_user_keeps_configuration(self):
        # Root's is in /etc, where a test writes nothing.
        home = self.path / "home"
        home.mkdir()
        user = {}
        if os.geteuid() == 0:
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chown(home, NOBODY, NOBODY)
            self.path.chmod(0o755)
        program = tool.bin_for_everybody(self.addCleanup, "rdmaready") / "rdmaready"
        for env, place in (({"HOME": str(home)}, home / ".config"), ({"XDG_CONFIG_HOME": str(home / "x")}, home / "x")):
            made = subprocess.run([program, "pki", "init"], capture_output=True, text=True, env=tool.environment(env), cwd="/", **user)
            self.assertEqual(made.returncode, 0, made)
            self.assertTrue((place / "rdmaready" / "pki" / "ca.pem").exists())
        closed = subprocess.run([program, "pki", "init", "--dir", "/etc/rdmaready-pki"], capture_output=True, text=True,
                                env=tool.environment(), cwd="/", **user)
        self.assertEqual(closed.returncode, 2, closed)
        self.assertIn("/etc/rdmaready-pki: Permission denied", closed.stderr)

    def test_that_is_not_there_is_said(self):
        for command in (["issue", "host", "a"], ["rotate", "a"], ["rotate", "--ca"], ["revoke", "0" * 32], ["list"]):
            self.refused(self.pki(*command), "no CA of rdmaready's", "pki init")
        self.assertFalse(self.ca.exists())
        answer = self.pki("list", "--output", "json")
        self.assertEqual((answer.status, answer.json["status"], answer.err), (2, 2, ""), answer)

    def test_issues_what_openssl_takes(self):
        self.made()
        for name, purposes in (("node1", ("sslserver", "sslclient")), ("anna", ("sslclient",))):
            for purpose in purposes:
                subprocess.run(["openssl", "verify", "-x509_strict", "-CAfile", self.out / "ca.pem", "-purpose", purpose, self.out / f"{name}.pem"],
                               check=True, capture_output=True)
        text = subprocess.run(["openssl", "x509", "-noout", "-text", "-in", self.out / "node1.pem"], check=True, capture_output=True,
                              text=True).stdout
        self.assertIn(f"URI:rdmaready:host/{self.host['host_id']}, DNS:node1, IP Address:127.0.0.1", text)
        self.assertEqual(stat.S_IMODE((self.out / "node1.key").stat().st_mode), 0o600)
        crl = subprocess.run(["openssl", "crl", "-CAfile", self.out / "ca.pem", "-in", self.ca / "crl.pem", "-noout", "-text"], check=True,
                             capture_output=True, text=True)
        self.assertIn("verify OK", crl.stderr)

    def test_certifies_a_key_that_a_host_made_and_nothing_else_that_it_asks_for(self):
        self.done("init")
        key, request = self.path / "own.key", self.path / "own.csr"
        subprocess.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj", "/CN=root",
                        "-addext", "subjectAltName=URI:rdmaready:operator/root", "-addext", "basicConstraints=CA:TRUE"], check=True,
                       capture_output=True)
        made = self.done("issue", "host", "node2", "--request", request, "--out", self.out)
        self.assertFalse((self.out / "node2.key").exists())
        text = subprocess.run(["openssl", "x509", "-noout", "-text", "-in", self.out / "node2.pem"], check=True, capture_output=True,
                              text=True).stdout
        self.assertNotIn("operator/root", text)
        self.assertIn("CA:FALSE", text)
        self.assertIn(made["certificates"][0]["host_id"], text)
        self.refused(self.pki("rotate", "node2", "--out", self.out), "node2.key is not here", "--keep-key")
        self.done("rotate", "node2", "--keep-key", "--out", self.out)
        request.write_text("nonsense")
        self.refused(self.pki("issue", "host", "node3", "--request", request, "--out", self.out), "no PEM certificate request")
        self.assertFalse((self.out / "node3.pem").exists())

    def test_replaces_nothing_that_it_did_not_make(self):
        self.made()
        before = (self.out / "node1.pem").read_text()
        self.refused(self.pki("issue", "host", "node1", "--out", self.out), "node1.pem is there already")
        self.assertEqual((self.out / "node1.pem").read_text(), before)
        other = self.path / "other"
        tool.rdmaready("pki", "init", "--dir", other)
        self.refused(tool.rdmaready("pki", "issue", "operator", "bert", "--dir", other, "--out", self.out), "of another CA")
        self.assertFalse((self.out / "bert.key").exists())
        self.refused(tool.rdmaready("pki", "rotate", self.out / "anna.pem", "--dir", other), "no certificate that the CA in")
        self.refused(self.pki("issue", "host", "../x", "--out", self.out), "no name for a certificate")

    def test_lists_what_it_did_and_what_ends_soon(self):
        self.made()
        self.done("issue", "hub", "hub1", "--days", "3", "--out", self.out)
        self.done("revoke", self.anna["serial"])
        rows = {row["name"]: row for row in self.done("list")["certificates"]}
        self.assertEqual({name: row["state"] for name, row in rows.items()}, {"node1": "valid", "anna": "revoked", "hub1": "expiring"})
        self.assertAlmostEqual(rows["node1"]["not_after_unix_ns"], time.time_ns() + 90 * DAY_NS, delta=DAY_NS)
        text = self.pki("list").out
        self.assertIn("1 expires within 14 days", text)
        self.done("rotate", "hub1", "--out", self.out)
        self.assertNotIn("within 14 days", self.pki("list").out, "its successor lasts longer")

    def test_where_nothing_can_be_written_says_so_and_issues_nothing(self):
        self.made()
        if os.geteuid() == 0:
            closed = pathlib.Path("/proc")
        else:
            closed = self.path / "closed"
            closed.mkdir(mode=0o500)
        answer = self.pki("issue", "host", "node9", "--out", closed)
        self.assertIn(answer.status, (2, 3), answer)
        self.assertIn("node9", answer.err)
        self.assertEqual(len(self.done("list")["certificates"]), 2)

    def test_on_a_full_disk_hands_out_nothing_and_goes_on_afterwards(self):
        self.made()
        before = (self.ca / "index.jsonl").read_text()

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))

        for command in (["issue", "host", "node9", "--out", self.out], ["revoke", self.host["serial"]], ["rotate", "node1", "--out", self.out]):
            process = subprocess.run([tool.BIN / "rdmaready", "pki", *command, "--dir", self.ca], capture_output=True, text=True,
                                     preexec_fn=small, env=tool.environment())
            self.assertEqual(process.returncode, 3, process)
            self.assertIn("File too large", process.stderr)
        self.assertEqual((self.ca / "index.jsonl").read_text(), before)
        self.assertFalse((self.out / "node9.key").exists())
        self.assertEqual([path.name for path in self.out.iterdir() if path.name.startswith(".")], [], "nothing lies about")
        self.done("issue", "host", "node9", "--out", self.out)

    def test_two_at_once_do_not_tear_the_index(self):
        self.done("init")
        threads = [threading.Thread(target=self.pki, args=("issue", "host", f"n{i}", "--out", self.out)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows = self.done("list")["certificates"]
        self.assertEqual(sorted(row["name"] for row in rows), sorted(f"n{i}" for i in range(12)))
        self.assertEqual(len({row["host_id"] for row in rows}), 12)

    def test_a_command_that_is_killed_leaves_an_index_that_is_whole(self):
        self.done("init")
        for delay in range(20):
            process = tool.start("pki", "issue", "host", f"k{delay}", "--out", self.out, "--dir", self.ca)
            time.sleep(delay / 500)
            process.kill()
            tool.finish(process)
        names = {row["name"] for row in self.done("list")["certificates"]}
        for made in self.out.glob("*.pem") if self.out.exists() else []:
            self.assertIn(made.stem, names | {"ca"}, "whatever was handed out can be revoked")


class Issued(Pki):
    def test_certificates_let_agents_and_callers_know_each_other(self):
        self.made()
        with tool.Agent(*self.files("node1", crl=False)) as agent:
            answer = tool.rdmaready("check", agent.address, *self.files("anna", crl=False), "--output", "json")
            self.assertEqual(answer.json["hosts"][0]["error"], "", answer)
            self.assertIn("rdmaready:operator/anna", agent.logged("check run_id"))
            self.assertEqual(self.ask(agent, "node1").status, 0, "a host is a client, too")
        with tool.Agent(*self.files("node1")) as agent:
            self.assertEqual(self.ask(agent, crl=True).status, 0, agent.log)

    def test_operators_are_no_servers(self):
        self.made()
        self.done("issue", "operator", "localhost", "--out", self.out)
        with tool.Agent(*self.files("localhost", crl=False)) as agent:
            self.assertEqual(self.ask(agent).status, 4)

    def test_and_revoked_is_let_in_no_more_and_elsewhere_still(self):
        self.made()
        with tool.Agent(*self.files("node1")) as strict, tool.Agent(*self.files("node1", crl=False)) as lax:
            self.assertEqual(self.ask(strict).status, 0)
            self.done("revoke", self.out / "anna.pem")
            answer = self.ask(strict)
            self.assertEqual(answer.status, 4, answer)
            self.assertRegex(strict.logged("tls-refused"), r"anna.*was revoked on \d{4}-\d\d-\d\d \d\d:\d\d UTC")
            self.assertEqual(self.ask(lax).status, 0, "who names no list asks after nobody")
            self.assertEqual(self.ask(strict, "node1").status, 0)

    def test_and_revoked_agents_are_asked_no_more(self):
        self.made()
        with tool.Agent(*self.files("node1", crl=False)) as agent:
            self.assertEqual(self.ask(agent, crl=True).status, 0)
            self.done("revoke", self.host["host_id"])
            self.refused(self.ask(agent, crl=True), "the agent's certificate was revoked on ", status=4)
            self.assertEqual(self.ask(agent, crl=False).status, 0)

    def test_and_revoked_is_gone_within_a_minute_although_its_call_lasts(self):
        self.made()
        with tool.Agent(*self.files("node1")) as agent:
            call = tool.start("check", agent.address, "--watch", "290", "--timeout", "300", *self.files("anna", crl=False))
            time.sleep(2)
            self.assertIsNone(call.poll())
            self.done("revoke", self.anna["serial"])
            answer = tool.finish(call, timeout=ENDS_WITHIN_S)
            self.assertNotEqual(answer.status, 0, answer)
            self.assertIn("was revoked on", agent.logged("tls-refused"))

    def test_without_a_list_that_can_be_believed_nobody_is_let_in(self):
        self.made()
        crl = self.ca / "crl.pem"
        good = crl.read_text()
        other = self.path / "other"
        tool.rdmaready("pki", "init", "--dir", other, "--name", "site")
        with tool.Agent(*self.files("node1")) as agent:
            for bad, words in ((lambda: crl.write_text("nonsense"), "no PEM revocation list"),
                               (lambda: crl.write_text(good.replace("M", "?", 3)), "a damaged revocation list"),
                               (lambda: shutil.copy(other / "crl.pem", crl), "there is no revocation list of its CA"),
                               (crl.unlink, "No such file or directory")):
                bad()
                self.assertEqual(self.ask(agent).status, 4)
                self.assertTrue(agent.logged(words), (words, agent.log))
                crl.write_text(good)
                self.assertEqual(self.ask(agent).status, 0)

    def test_files_of_lists_are_judged_at_the_start(self):
        self.made()
        other = self.path / "other"
        tool.rdmaready("pki", "init", "--dir", other)
        for crl, words in ((self.out / "ca.pem", "no PEM revocation list"), (other / "crl.pem", "no revocation list of a CA that is trusted here"),
                           (self.path / "absent", "No such file or directory")):
            files = [*self.files("anna", crl=False), "--tls-crl", crl]
            self.refused(tool.rdmaready("facts", "127.0.0.1:9", *files), words)
            with tool.Agent(*files) as agent:
                self.assertEqual(agent.process.wait(60), 2, agent.log)
                self.assertIn(words, agent.log[0])
        self.refused(tool.rdmaready("facts", "127.0.0.1:9", "--tls-crl", self.ca / "crl.pem"), "--tls-ca")

    def test_and_rotated_are_shown_by_an_agent_that_runs(self):
        self.made()
        first = (self.out / "node1.pem").read_text()
        with tool.Agent(*self.files("node1")) as agent:
            self.assertEqual(self.ask(agent).status, 0)
            again = self.done("rotate", "node1", "--out", self.out)["certificates"][0]
            self.assertEqual(again["host_id"], self.host["host_id"])
            self.assertNotEqual(again["serial"], self.host["serial"])
            self.assertNotEqual((self.out / "node1.pem").read_text(), first)
            self.done("revoke", self.host["serial"])  # so only the new one will do
            eventually(lambda: self.ask(agent, crl=True).status == 0, seconds=4 * REREAD_S)

    def test_and_revoked_are_not_rotated(self):
        self.made()
        self.done("revoke", self.host["serial"])
        self.refused(self.pki("rotate", self.out / "node1.pem"), "was revoked on")
        self.assertEqual(self.done("revoke", self.host["serial"])["certificates"][0]["state"], "revoked", "twice is once")
        self.refused(self.pki("revoke", "node1"), "no serial number and no host id")
        self.refused(self.pki("revoke", "ab" * 16), "nothing was issued with the serial")

    def test_move_to_another_root_and_nobody_is_cut_off(self):
        self.made()
        shutil.copytree(self.out, self.path / "old")
        with tool.Agent(*self.files("node1")) as agent:
            self.done("rotate", "--ca")
            shutil.copy(self.ca / "ca.pem", self.out / "ca.pem")  # step one: all trust both
            eventually(lambda: self.ask(agent, crl=True).status == 0, seconds=4 * REREAD_S)
            self.done("rotate", "--ca", "--switch")
            self.done("rotate", "anna", "--out", self.out)
            self.assertEqual(self.ask(agent, crl=True).status, 0, "the new root's caller, the old root's agent")
            self.done("rotate", "node1", "--out", self.out)
            eventually(lambda: self.ask(agent, crl=True).status == 0, seconds=4 * REREAD_S)
            self.refused(self.pki("rotate", "--ca", "--retire"), "last still")
            self.done("rotate", "--ca", "--retire", "--force")
            shutil.copy(self.ca / "ca.pem", self.out / "ca.pem")
            eventually(lambda: self.ask(agent, crl=True).status == 0, seconds=4 * REREAD_S)
            self.assertEqual(re.findall("BEGIN", (self.out / "ca.pem").read_text()), ["BEGIN"])


class APair(Pki):
    HOSTS = ("127.0.0.1", "127.0.0.2")

    def pair(self, *more, hosts=HOSTS):
        return self.pki("pair", *hosts, "--operator", "anna", "--out", self.out, *more)

    def tls(self, folder, name):
        return ["--tls-cert", folder / f"{name}.pem", "--tls-key", folder / f"{name}.key", "--tls-ca", folder / "ca.pem"]

    def agent(self, host, recording):
        """Of a recorded host at that address of loopback, with the files that the pair has for it."""
        own = self.out / host
        programs = self.path / f"programs of {host}"
        programs.mkdir()
        recorded.program(programs, recording)
        return tool.Agent(*self.tls(own, "agent"), "--roles", own / "roles.yaml", "--profile", many_hosts.PROFILE, listen=f"{host}:0", under=OF_ITS_OWN,
                          programs=programs)

    def test_has_all_that_two_hosts_and_their_operator_need_and_makes_the_ca(self):
        report = self.pair("--output", "json").json
        self.assertEqual((report["action"], len(report["certificates"])), ("pair", 3))
        self.assertEqual({path.name for path in self.out.iterdir()}, {"anna.pem", "anna.key", "ca.pem", *self.HOSTS})
        for host in self.HOSTS:
            own = self.out / host
            self.assertEqual({path.name for path in own.iterdir()}, {"agent.pem", "agent.key", "ca.pem", "roles.yaml", "tls.yaml"})
            self.assertEqual(stat.S_IMODE((own / "agent.key").stat().st_mode), 0o600)
            self.assertEqual((own / "ca.pem").read_text(), (self.ca / "ca.pem").read_text())
            self.assertIn(f"IP:{host}", [name for row in report["certificates"] for name in row["names"]])
        self.assertEqual(sorted(report["files"]), sorted(str(path) for path in self.out.rglob("*") if path.is_file()))
        rotated = self.done("rotate", self.out / self.HOSTS[0] / "agent.pem")["certificates"][0]
        self.assertIn(rotated["host_id"], (self.out / self.HOSTS[0] / "roles.yaml").read_text(), "rotated, it has its role still")

    def test_says_what_to_type_next(self):
        lines = self.pair(hosts=("node1", "node2")).out.split("next, ")[1].splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines], ["scp", "ssh", "scp", "ssh", "rdmaready"])
        # A shell finds each file, and takes what is for the host.
        stand_ins = 'scp() { for one in "${@:1:$#-1}"; do [ -f "$one" ] || exit 1; done; }; ssh() { sh -n -c "$2"; }; rdmaready() { [ -f "${@: -1}" ]; }'
        for line in lines:
            done = subprocess.run(["bash", "-c", f"{stand_ins}; {line}"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        for host in ("node1", "node2"):
            self.assertIn(f"scp '{self.out}/{host}'/* root@{host}:/etc/rdmaready/", " ".join(lines))

    def test_is_made_once_and_replaces_nothing(self):
        self.assertEqual(self.pair().status, 0)
        before = {path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}
        self.refused(self.pair(), "anna.pem is there already: --out names another directory")
        self.assertEqual({path: path.read_bytes() for path in self.out.rglob("*") if path.is_file()}, before)
        self.assertEqual(len(self.done("list")["certificates"]), 3)

    def test_of_one_host_or_of_no_name_makes_no_ca_either(self):
        self.refused(self.pair(hosts=("node1", "node1")), "a pair is of two hosts")
        self.refused(self.pair(hosts=("node1", "../x")), "no name for a certificate")
        self.assertEqual(self.pair(hosts=("node1",)).status, 2)
        self.assertFalse(self.ca.exists())

    @unittest.skipUnless(os.geteuid() == 0, "takes root: it mounts")
    def test_lets_its_operator_test_its_two_hosts_and_each_other_as_agents(self):
        self.assertEqual(self.pair().status, 0)
        operator = self.tls(self.out, "anna")
        first, second = self.HOSTS
        with many_hosts.ManyHosts(2) as hosts, self.agent(first, f"{hosts.saved}/node001") as one, self.agent(second, f"{hosts.saved}/node002") as two:
            for agent in (one, two):
                answer = tool.rdmaready("test", "loopback", agent.address, *operator, "--duration", "100ms")
                self.assertEqual(answer.status, 0, answer)
            test = ("test", "peer", one.address, two.address, *operator, "--case", "send-1k", "--duration", "100ms", "--output", "json")
            said = [result["findings"][0]["observed"] for result in tool.rdmaready(*test).json["results"]]
            # Each agent accepted the other one. Two recorded hosts have no wire in between.
            self.assertEqual(set(said), {"the peer is not reachable by RDMA: connect: no answer in time"})
            roles = self.out / second / "roles.yaml"
            roles.write_text(roles.read_text().split("agent:")[0])
            time.sleep(1.1)
            for result in tool.rdmaready(*test).json["results"]:
                self.assertIn("has not the role agent in this agent's role map", result["findings"][0]["observed"])


class AForeignCa(Pki):
    """A CA that is not ours, with one between it and the callers, as companies have them."""

    def openssl_ca(self, authority, *arguments):
        config = self.path / f"{authority.cert.stem}.cnf"
        database = self.path / f"{authority.cert.stem}.index"
        if not config.exists():
            database.touch()
            config.write_text(f"[ca]\ndefault_ca=d\n[d]\ndatabase={database}\ndefault_md=sha256\ndefault_crl_days=7\nunique_subject=no\n")
        subprocess.run(["openssl", "ca", "-config", config, "-cert", authority.cert, "-keyfile", authority.key, *arguments], check=True,
                       capture_output=True)

    def write_lists(self, *authorities, due=()):
        text = ""
        for authority in authorities:
            self.openssl_ca(authority, "-gencrl", *due, "-out", self.path / "one.crl")
            text += (self.path / "one.crl").read_text()
        (self.path / "new.crl").write_text(text)
        os.replace(self.path / "new.crl", self.path / "all.crl")

    def test_with_one_between_revokes_callers_and_the_one_between(self):
        folder = self.path / "pki"  # openssl's configuration takes no blanks in front of a name, and has none here
        folder.mkdir()
        root = certificates.Authority(folder, "root")
        between = root.intermediate("between")
        server = root.sign("server", "IP:127.0.0.1")
        callers = {name: between.sign(name) for name in ("anna", "bert")}
        for pair in callers.values():
            pair.cert.write_text(pair.cert.read_text() + between.cert.read_text())
        files = ["--tls-ca", root.cert, "--tls-crl", self.path / "all.crl"]

        def ask(name):
            return tool.rdmaready("facts", agent.address, "--tls-cert", callers[name].cert, "--tls-key", callers[name].key, *files).status

        self.write_lists(root, between)
        with tool.Agent("--tls-cert", server.cert, "--tls-key", server.key, *files) as agent:
            self.assertEqual((ask("anna"), ask("bert")), (0, 0), agent.log)
            self.openssl_ca(between, "-revoke", callers["anna"].cert)
            self.write_lists(root, between)
            self.assertEqual((ask("anna"), ask("bert")), (4, 0), agent.log)
            self.write_lists(root)
            self.assertEqual(ask("bert"), 4)
            self.assertTrue(agent.logged("there is no revocation list of its CA CN=between"))
            self.openssl_ca(root, "-revoke", between.cert)
            self.write_lists(root, between)
            self.assertEqual(ask("bert"), 4)
            self.assertTrue(agent.logged("is of a CA, CN=between, that was revoked on"), agent.log)

    def test_that_is_late_with_its_list_cuts_nobody_off_and_lets_nobody_back_in(self):
        root = certificates.Authority(self.path, "root")
        server, anna, bert = root.sign("server", "IP:127.0.0.1"), root.sign("anna"), root.sign("bert")
        self.openssl_ca(root, "-revoke", anna.cert)
        self.write_lists(root, due=("-crlsec", "1"))
        time.sleep(2.1)
        files = ["--tls-ca", root.cert, "--tls-crl", self.path / "all.crl"]
        with tool.Agent("--tls-cert", server.cert, "--tls-key", server.key, *files) as agent:
            for _ in range(2):
                answer = tool.rdmaready("facts", agent.address, "--tls-cert", bert.cert, "--tls-key", bert.key, *files)
                self.assertEqual(answer.status, 0, answer)
                self.assertIn("the revocation list of CN=root was to be renewed by", answer.err)
            self.assertEqual(tool.rdmaready("facts", agent.address, "--tls-cert", anna.cert, "--tls-key", anna.key, *files).status, 4)
            self.assertIn("goes on being applied", agent.logged("tls-crl-stale"))
            self.assertEqual(len([line for line in agent.log if "tls-crl-stale" in line]), 1, agent.log)
            answer = tool.rdmaready("facts", agent.address, "--output", "json", "--tls-cert", bert.cert, "--tls-key", bert.key, *files)
            self.assertEqual((answer.status, answer.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
