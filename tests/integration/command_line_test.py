# SPDX-License-Identifier: Apache-2.0
"""The contract's exit statuses: every command, every kind of bad input, as text and as JSON. One clear line each."""
import json
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import ports
import tool

WITHOUT_RDMA = not pathlib.Path("/sys/class/infiniband").exists()


class Silent:
    """Something that takes connections and never says a word. `called`: an event, that somebody came."""

    def __enter__(self):
        self.called = threading.Event()
        self.callers = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return f"127.0.0.1:{self.server.getsockname()[1]}"

    def serve(self):
        while True:
            try:
                self.callers.append(self.server.accept()[0])
            except OSError:
                return
            self.called.set()

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)
        for one in (self.server, *self.callers):
            one.close()


class WebServer:
    """Something that answers, in another language."""

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return f"127.0.0.1:{self.server.getsockname()[1]}"

    def serve(self):
        while True:
            try:
                client = self.server.accept()[0]
            except OSError:
                return
            with client:
                client.recv(64)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.thread.join(10)
        self.server.close()


class Table(unittest.TestCase):
    """Rows of a command line and what its error must name. {words} stand for what setUpClass made."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready bad input ")
        path = pathlib.Path(cls.directory.name)
        files = {
            "unknown_key": "name: mine\nrdma_prioritie: 3\n",
            "bad_value": "name: mine\n\nrdma_priority: 9\n",
            "empty": "",
            "bad_host": "# ours\n127.0.0.1:9\n\n127.0.0.1:99999  # too large\n",
            "two_words": "127.0.0.1:9 127.0.0.1:10\n",
            "twice": "127.0.0.1:9\n127.0.0.1:10\n127.0.0.1:9\n",
            "comments": "# nothing\n   \n\t# at all\n",
            "binary": "127.0.0.1:9\n\x00\x1b[2J\n",
            "site": 'groups: [{hosts: ["*"], profiles: [{profile: nvidia-lossless}]}]\n',
        }
        cls.words = {"refused": ports.free_address(), "refused2": ports.free_address(), "dir": cls.directory.name}
        while cls.words["refused2"] == cls.words["refused"]:
            cls.words["refused2"] = ports.free_address()
        for name, text in files.items():
            (path / f"{name}.yaml").write_text(text)
            cls.words[name] = str(path / f"{name}.yaml")
        (path / "good.yaml").write_text("name: mine\n")
        cls.words["good"] = str(path / "good.yaml")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def split(self, line):
        return [word.format(**self.words) for word in shlex.split(line)]

    def text(self, line, status, *words, **options):
        answer = tool.rdmaready(*self.split(line), **options)
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        self.assertTrue(answer.err.startswith("rdmaready: "), answer)
        self.assertIsNone(re.search(r"[^\x20-\x7e\n]", answer.err), answer)
        for word in words:
            self.assertIn(word.format(**self.words), answer.err)
        return answer

    def object(self, line, status, *words, **options):
        answer = tool.rdmaready(*self.split(line), "--output", "json", **options)
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.err, "", answer)
        for word in words:
            self.assertIn(word.format(**self.words), " ".join(strings(answer.json)))
        return answer.json

    def rows(self, status, rows, **options):
        for line, *words in rows:
            with self.subTest(line):
                answer = self.text(line, status, *words, **options)
                self.assertEqual(answer.out, "", answer)
                error = self.object(line, status, *words, **options)
                self.assertEqual((error["schema"], error["status"]), ("rdmaready.v1.Error", status))


def strings(value):
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


class WrongUsage(Table):
    def test_of_the_whole(self):
        self.rows(2, [
            ("", "a command is needed"),
            ("chekc", "unknown command 'chekc'", "did you mean check"),
            ("--no-such-flag", "--no-such-flag"),
            ("check --timeout soon", "'soon' is no time"),
            ("facts --timeout 0", "'0' is no time"),
            ("check --color purple", "purple"),
            ("check --tls-cert /nowhere/c", "--tls-ca"),
            ("check --tls-ca /nowhere/ca", "read /nowhere/ca: No such file or directory"),
            ("facts --tls-ca {good}", "no PEM certificate"),
            ("check --tls-name x", "--tls-ca"),
        ])

    def test_of_the_output_format_is_said_as_text(self):
        self.text("check --output xml", 2, "xml")
        self.text("check --output", 2, "--output")

    def test_of_check(self):
        self.rows(2, [
            ("check --no-such-flag", "unknown option --no-such-flag"),
            ("check --level moon", "moon"),
            ("check --level peer", "at least two hosts"),
            ("check {refused} --level peer", "at least two hosts"),
            ("check 127.0.0.1:99999", "127.0.0.1:99999"),
            ("check 127.0.0.1:", "port is empty"),
            ("check '[::1'", "']'"),
            ("check 'a b'", "'a b'", "blanks"),
            ("check ''", "name is empty"),
            ("check unix:", "unix: needs a path"),
            ("check a a", "host a is named twice"),
            ("check 127.0.0.1:9 127.1:9", "are the same"),
            ("check --profile no-such-profile", "no-such-profile"),
            ("check --profile /nowhere/p.yaml", "read profile /nowhere/p.yaml: No such file or directory"),
            ("check --profile '{dir}/'", "not a regular file"),
            ("check --profile '{unknown_key}'", "{unknown_key}:2: unknown key `rdma_prioritie`", "did you mean `rdma_priority`"),
            ("check --profile '{bad_value}'", "{bad_value}:3: key `rdma_priority`: 9 is not in 0..7"),
            ("check --profile '{empty}'", "{empty}:1"),
        ])

    def test_of_plain_text_off_loopback(self):
        for line in ("check 192.0.2.1", "facts 192.0.2.1", "check 192.0.2.1 {refused}", "facts '[2001:db8::1]:7471'"):
            with self.subTest(line):
                answer = self.object(line, 2, "--insecure", "plain text")
                self.assertIn("--insecure", answer["hosts"][0]["error"])
        self.text("facts 192.0.2.1", 2, "192.0.2.1", "--insecure", "--tls-ca")
        self.rows(2, [("test loopback 192.0.2.1", "192.0.2.1", "--insecure"),
                      ("test peer 192.0.2.1 192.0.2.2", "192.0.2.1", "--insecure")])

    def test_of_an_inventory(self):
        for command in ("check", "facts"):
            self.rows(2, [
                (f"{command} --inventory /nowhere/hosts", "read /nowhere/hosts: No such file or directory"),
                (f"{command} --inventory '{{dir}}'", "Is a directory"),
                (f"{command} --inventory '{{empty}}'", "{empty} names no host"),
                (f"{command} --inventory '{{comments}}'", "{comments} names no host"),
                (f"{command} --inventory '{{bad_host}}'", "{bad_host}:4: host '127.0.0.1:99999'"),
                (f"{command} --inventory '{{two_words}}'", "{two_words}:1: ", "blanks"),
                (f"{command} --inventory '{{twice}}'", "{twice}:3: host 127.0.0.1:9 is named twice"),
                (f"{command} 127.0.0.1:10 --inventory '{{twice}}'", "{twice}:2: host 127.0.0.1:10 is named twice"),
            ])
        self.rows(2, [("facts --inventory -", "-:2: host 'a:x'")], stdin="# ours\na:x\n")
        self.rows(2, [("facts --inventory -", "names no host")])

    def test_of_an_inventory_that_is_no_text_is_still_one_safe_line(self):
        self.text("facts --inventory '{binary}'", 2, "{binary}:2: ")

    def test_of_facts(self):
        self.rows(2, [
            ("facts --level host", "unknown option --level"),
            ("facts 127.0.0.1:0", "port must be a number from 1 to 65535"),
            ("facts a a", "named twice"),
            ("facts --lldp 301", "301"),
            ("facts --lldp soon", "soon"),
        ])

    def test_of_test(self):
        self.rows(2, [
            ("test", "loopback, peer or --list"),
            ("test bogus", "bogus"),
            ("test --list extra", "extra"),
            ("test loopback a b", "unexpected argument b"),
            ("test loopback {refused} --case write-3g", "write-3g"),
            ("test loopback --case write-512", "did you mean write-512k?"),
            ("test loopback --port mlx5_0", "DEVICE/NUMBER"),
            ("test loopback --port mlx5_0/1,mlx5_0/2", "too many ports"),
            ("test loopback 127.0.0.1:99999", "127.0.0.1:99999"),
            ("test peer a", "HOST"),
            ("test peer a b c", "HOST"),
            ("test peer a a", "named twice"),
            ("test peer {refused} {refused2} --case none", "none"),
            ("test peer {refused} {refused2} --port a/1,b/1,c/1", "too many ports"),
            ("test peer {refused} {refused2} --all-paths --port a/1", "--port", "--all-paths"),
            ("test peer {refused} {refused2} --all-paths --connect both", "--connect both", "--all-paths"),
            ("test peer {refused} {refused2} --all-paths --bidirectional", "--bidirectional", "one direction"),
            ("test peer {refused} {refused2} --all-paths --case smbd-8k", "--case smbd-8k", "a case of plain RDMA"),
            ("test peer {refused} {refused2} --all-paths --max-time 9s", "--max-time", "--all-paths"),
            ("test peer {refused} {refused2} --all-paths --case write-4k,write-8k", "--all-paths makes one case"),
        ])

    def test_of_report(self):
        self.rows(2, [
            ("report a", "--html"),
            ("report --html x.html", "HOST"),
            ("report a a --html x.html", "named twice"),
            ("report {refused} {refused2} --level share --html x.html", "--level"),
            ("report {refused} --compare --level host --html x.html", "--compare is for two hosts"),
        ])

    def test_of_compare(self):
        self.rows(2, [
            ("compare a", "HOST"),
            ("compare a b c", "HOST"),
            ("compare a a", "named twice"),
            ("compare {refused} {refused2} --case smbd-8k", "--case smbd-8k", "a case of plain RDMA"),
            ("compare {refused} {refused2} --duration 100ms", "--duration", "at least 500ms"),
            ("compare {refused} {refused2} --rounds 0", "--rounds"),
            ("compare {refused} {refused2} --port mlx5_0", "DEVICE/NUMBER"),
        ])

    def test_of_explain_and_profile_and_version(self):
        self.rows(2, [
            ("explain", "ID, --list or --markdown"),
            ("explain --list --markdown", "ID, --list or --markdown"),
            ("explain link.state --list", "ID, --list or --markdown"),
            ("explain pfc.losless-priority", "did you mean pfc.lossless-priority?"),
            ("explain a b", "unexpected argument b"),
            ("profile", "list, show, check"),
            ("profile bogus", "list, show, check", "bogus"),
            ("profile list x", "unexpected argument x"),
            ("profile show", "PROFILE"),
            ("profile show nope", "no profile `nope`"),
            ("profile check", "FILE"),
            ("profile check /nowhere/p.yaml", "read profile /nowhere/p.yaml"),
            ("version x", "unexpected argument x"),
        ])

    def test_the_faults_of_a_profile_are_what_was_asked_for(self):
        """So they are no error, and not on stderr; but the file is not good input."""
        answer = tool.rdmaready(*self.split("profile check '{unknown_key}'"))
        fault = "{unknown_key}:2: unknown key `rdma_prioritie` (did you mean `rdma_priority`?)".format(**self.words)
        self.assertEqual((answer.status, answer.err), (2, ""), answer)
        self.assertEqual(answer.out.splitlines()[0], fault)
        report = self.object("profile check '{unknown_key}'", 2)
        self.assertEqual((report["schema"], report["status"], report["error"]), ("rdmaready.v1.ProfileCheck", 2, fault))
        self.assertEqual([one["line"] for one in report["faults"]], [2])

    def test_of_one_agent_under_two_addresses(self):
        with tool.Agent("--insecure", listen="0.0.0.0:0") as agent:
            port = agent.address.rsplit(":", 1)[1]
            # Two addresses of this host that no comparison of addresses would find to be one.
            both = f"127.0.0.1:{port} 127.0.0.2:{port}"
            for command in (f"check {both}", f"facts {both}", f"test peer {both}", f"check {both} --level peer"):
                self.rows(2, [(command, f"hosts 127.0.0.1:{port} and 127.0.0.2:{port} are the same: one agent")])


class HostsThatCannotBeReached(Table):
    def test_are_named_by_the_tests(self):
        self.rows(4, [
            ("test loopback {refused}", "host {refused}: connect to {refused}: Connection refused"),
            ("test peer {refused} {refused2}", "{refused}", "refused"),
            ("test loopback unix:/nowhere/agent.sock", "unix:/nowhere/agent.sock", "No such file or directory"),
            ("test loopback no-such-host.invalid", "no-such-host.invalid"),
        ])

    def test_are_named_by_check_and_facts(self):
        with Silent() as silent, WebServer() as web:
            self.words.update(silent=silent, web=web)
            for command in ("check", "facts"):
                for host, word in (("{refused}", "refused"), ("no-such-host.invalid", "resolve no-such-host.invalid"),
                                   ("unix:/nowhere/s", "No such file"), ("{silent} --timeout 1", "did not answer in time"),
                                   ("{web}", "went away")):
                    with self.subTest(f"{command} {host}"):
                        self.text(f"{command} {host}", 4, word)
                        answer = self.object(f"{command} {host}", 4, word)
                        self.assertEqual(len(answer["hosts"]), 1)
                        self.assertIn(word, answer["hosts"][0]["error"])
                        if command == "check":
                            self.assertEqual(answer["verdict"], "undetermined")

    def test_do_not_hide_those_that_can(self):
        with tool.Agent() as agent:
            self.words["agent"] = agent.address
            answer = self.object("facts {refused} {agent} {refused2}", 4)
            self.assertEqual([bool(host.get("error")) for host in answer["hosts"]], [True, False, True])
            self.assertEqual(answer["hosts"][1]["facts"]["hostname"], socket.gethostname())
            text = tool.rdmaready("facts", *self.split("{refused} {agent}"))
            self.assertEqual(text.status, 4, text)
            self.assertIn(socket.gethostname(), text.out)
            self.assertIn(self.words["refused"], text.err)

    def test_do_not_hold_up_those_that_can(self):
        with tool.Agent("--log-level", "debug") as agent, Silent() as silent:
            process = tool.start("check", silent, agent.address, "--timeout", "120", "--output", "json")
            try:
                self.assertTrue(agent.logged("duration_ms"), agent.log)  # long before the silent one is given up
                time.sleep(1)
                process.send_signal(signal.SIGINT)
                answer = tool.finish(process, 60)
            finally:
                process.kill()
            self.assertEqual(answer.status, 130, answer)
            self.assertEqual([host["host"] for host in answer.json["hosts"]], [silent, agent.address])
            self.assertIn("interrupted", answer.json["hosts"][0]["error"])
            self.assertTrue(answer.json["hosts"][1]["findings"], answer)

    def test_are_no_reason_to_say_nothing_when_interrupted(self):
        for line, schema in (("check", "Check"), ("facts", "Error"), ("history", "Error"), ("test loopback", "Error")):
            with self.subTest(line), (server := Silent()) as silent:
                process = tool.start(*line.split(), silent, "--timeout", "120", "--output", "json")
                try:
                    self.assertTrue(server.called.wait(60))
                    process.send_signal(signal.SIGINT)
                    answer = tool.finish(process, 60)
                finally:
                    process.kill()
                self.assertEqual(answer.status, 130, answer)
                self.assertEqual(answer.json["schema"], f"rdmaready.v1.{schema}")
                self.assertIn("interrupted", " ".join(strings(answer.json)))
                if schema == "Error":
                    self.assertEqual((answer.json["status"], answer.err), (130, ""))

    def test_have_the_time_that_was_asked_for_also_to_connect(self):
        with Silent() as silent:
            for options, at_least, at_most in (((), 4.5, 60), (("--timeout", "7"), 7, 60)):
                with self.subTest(options):
                    begin = time.monotonic()
                    self.assertEqual(tool.rdmaready("facts", silent, *options).status, 4)
                    self.assertGreaterEqual(time.monotonic() - begin, at_least)
                    self.assertLess(time.monotonic() - begin, at_most)

    def test_of_an_inventory_are_named_among_the_others(self):
        with tool.Agent() as agent, tempfile.TemporaryDirectory(prefix="an inventory with blanks ") as directory:
            listed = pathlib.Path(directory) / "our hosts.txt"
            listed.write_text(f"# rack 1\n  {agent.address}   # the good one\n\n{self.words['refused']}\r\n")
            for source, stdin in ((listed, ""), ("-", listed.read_text())):
                answer = tool.rdmaready("facts", "--inventory", source, "--output", "json", stdin=stdin)
                self.assertEqual(answer.status, 4, answer)
                self.assertEqual([host["host"] for host in answer.json["hosts"]], [agent.address, self.words["refused"]])
                self.assertEqual([not host.get("error") for host in answer.json["hosts"]], [True, False])

    @unittest.skipUnless(WITHOUT_RDMA, "this machine has an InfiniBand stack")
    def test_count_less_than_one_that_is_not_ready(self):
        with tool.Agent() as agent:
            answer = tool.rdmaready("check", agent.address, self.words["refused"], "--output", "json")
            self.assertEqual(answer.status, 1, answer)
            self.assertEqual(answer.json["verdict"], "not-ready")


class NotReady(Table):
    @unittest.skipUnless(WITHOUT_RDMA, "this machine has an InfiniBand stack")
    def test_is_1(self):
        with tempfile.TemporaryDirectory() as home:
            env = {"XDG_STATE_HOME": home, "HOME": home}
            for line in ("check", "check --level loopback", "check --profile virtual-fabric", "check --profile '{good}'"):
                with self.subTest(line):
                    self.assertEqual(tool.rdmaready(*self.split(line), env=env).status, 1)
                    self.assertEqual(self.object(line, 1, env=env)["verdict"], "not-ready")
            self.rows(1, [("test loopback", "no RDMA port")], env=env)


class OurOwnFailure(Table):
    def test_to_write_the_answer_is_3_or_worse(self):
        for line, status in (("version", 3), ("version --output json", 3), ("--help", 3), ("explain --list", 3),
                             ("explain link.state", 3), ("profile list", 3), ("profile show virtual-fabric", 3),
                             ("profile check '{good}'", 3), ("test --list", 3), ("facts", 3), ("facts {refused}", 4)):
            with self.subTest(line), open("/dev/full", "w", encoding="ascii") as full:
                with tempfile.TemporaryDirectory() as home:
                    process = subprocess.run([tool.BIN / "rdmaready", *self.split(line)], stdout=full, stderr=subprocess.PIPE,
                                             text=True, timeout=60, stdin=subprocess.DEVNULL,
                                             env=tool.environment({"HOME": home, "XDG_STATE_HOME": home}))
                self.assertEqual(process.returncode, status, process.stderr)

    def test_to_keep_a_result_is_said(self):
        env = {"XDG_STATE_HOME": "/proc/nowhere", "HOME": "/proc/nowhere"}
        answer = tool.rdmaready("check", env=env)
        self.assertIn(answer.status, (1, 3), answer)  # 1 when there is no RDMA here
        self.assertIn("/proc/nowhere", answer.out + answer.err)


class Fine(Table):
    def test_a_site_file_without_faults_is_well_formed(self):
        report = self.object("profile check '{site}'", 0)
        self.assertEqual(report, {"schema": "rdmaready.v1.ProfileCheck", "file": self.words["site"], "well_formed": True, "faults": []})

    def test_is_0(self):
        with tool.Agent() as agent, tempfile.TemporaryDirectory() as home:
            self.words["agent"] = agent.address
            env = {"XDG_STATE_HOME": home, "HOME": home}
            for line in ("version", "--version", "explain --list", "explain link.state", "explain send-1k", "explain pfc",
                         "profile list", "profile show smb-direct-roce", "profile show '{good}'", "profile check '{good}'",
                         "profile check '{site}'", "test --list", "facts", "facts {agent}", "facts {agent} --timeout 10s --color never"):
                with self.subTest(line):
                    answer = tool.rdmaready(*self.split(line), env=env)
                    self.assertEqual((answer.status, answer.err), (0, ""), answer)
                    self.assertTrue(answer.out)
                    as_json = tool.rdmaready(*self.split(line), "--output", "json", env=env)
                    self.assertEqual((as_json.status, as_json.err), (0, ""), as_json)
                    self.assertTrue(as_json.json["schema"].startswith("rdmaready.v1."), as_json)

    def test_help_names_the_commands_and_the_statuses(self):
        answer = tool.rdmaready("--help")
        self.assertEqual(answer.status, 0)
        for word in ("check", "facts", "test", "explain", "profile", "version", "Exit status", "130 interrupted", "5s for", "--tls-ca"):
            self.assertIn(word, answer.out)
        for command in ("check", "facts", "test", "test loopback", "test peer", "explain", "profile", "profile show", "version"):
            self.assertEqual(tool.rdmaready(*command.split(), "--help").status, 0)

    def test_every_listed_id_is_explained(self):
        ids = tool.rdmaready("explain", "--list").out.split()
        self.assertIn("pfc.lossless-priority", ids)
        self.assertIn("peer.write-512k", ids)
        for check in ids:
            answer = tool.rdmaready("explain", check)
            self.assertEqual(answer.status, 0, answer)
            self.assertIn(check, answer.out)

    def test_a_family_is_listed(self):
        ids = [word for word in tool.rdmaready("explain", "--list").out.split() if word.startswith("pfc.")]
        self.assertGreater(len(ids), 1)
        self.assertEqual([line.split()[0] for line in tool.rdmaready("explain", "pfc").out.splitlines()[1:]], ids)

    def test_cases_are_listed_one_a_line(self):
        answer = tool.rdmaready("test", "--list")
        self.assertEqual(answer.status, 0)
        self.assertEqual(answer.out.split(), answer.out.splitlines())
        self.assertIn("send-1k", answer.out.split())

    def test_version(self):
        self.assertRegex(tool.rdmaready("version").out, r"^rdmaready \d+\.\d+\.\d+\n$")


class TheAgent(Table):
    """Its own command line: 2 for what it was told wrongly, 3 for what it cannot do; one line, or one event under JSON logs."""

    def agent(self, line):
        return subprocess.run([tool.BIN / "rdmaready-agent", *self.split(line)], capture_output=True, text=True, timeout=60,
                              env=tool.environment(), stdin=subprocess.DEVNULL)

    def test_refuses_what_it_was_told_wrongly(self):
        (pathlib.Path(self.directory.name) / "agent.yaml").write_text("state_dir: /nowhere\nchek_interval: 5m\n")
        start = "--state-dir '{dir}/state' --listen 127.0.0.1:0"
        for line, word in (
                ("--bogus", "unknown option --bogus"),
                ("", "--state-dir is required"),
                ("--state-dir '{dir}/state'", "neither a local socket"),
                ("--state-dir '{dir}/state' --listen none", "set RDMAREADY_SOCKET=PATH or --listen ADDR:PORT"),
                ("--state-dir '{dir}/state' --listen nonsense:x", "nonsense:x"),
                ("--state-dir '{dir}/state' --listen 127.0.0.1:99999", "127.0.0.1:99999"),
                ("--state-dir '{dir}/state' --listen no-such-host.invalid", "no-such-host.invalid"),
                ("--state-dir '{dir}/state' --listen 0.0.0.0:0", "--insecure"),
                ("--state-dir '{dir}/state' --listen '[::]:0'", "--insecure"),
                (f"{start} --profile none-such", "none-such"),
                (f"{start} --profile '{{unknown_key}}'", "{unknown_key}:2"),
                (f"{start} --check-interval soon", "--check-interval: 'soon' is no time"),
                (f"{start} --log-format xml", "xml"),
                (f"{start} --log-level loud", "loud"),
                (f"{start} --tls-cert /nowhere/c", "--tls-ca"),
                (f"{start} --tls-cert /nowhere/c --tls-key /nowhere/k --tls-ca /nowhere/a", "read /nowhere/c: No such file"),
                (f"{start} --insecure --tls-ca /nowhere/a", "exclude each other"),
                ("--config /nowhere/agent.yaml", "read /nowhere/agent.yaml: No such file or directory"),
                ("--config '{dir}/agent.yaml'", "{dir}/agent.yaml:2: unknown key `chek_interval` (did you mean `check_interval`?)"),
                ("--config '{empty}'", "{empty}:1: the file is empty")):
            with self.subTest(line):
                process = self.agent(line)
                self.assertEqual(process.returncode, 2, process.stderr)
                self.assertEqual(process.stdout, "")
                self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
                self.assertIn(word.format(**self.words), process.stderr)

    def test_says_what_it_cannot_do(self):
        with tool.Agent() as first:
            self.words["taken"] = first.address
            for line, word in (("--state-dir '{empty}/below' --listen 127.0.0.1:0", "{empty}"),
                               ("--state-dir '{dir}/state' --listen {taken}", "Address already in use"),
                               ("--state-dir '{dir}/state' --listen 192.0.2.1:0 --insecure", "Cannot assign requested address")):
                with self.subTest(line):
                    process = self.agent(line)
                    self.assertEqual(process.returncode, 3, process.stderr)
                    self.assertEqual(len(process.stderr.splitlines()), 1, process.stderr)
                    self.assertIn(word.format(**self.words), process.stderr)
                    event = json.loads(self.agent(f"{line} --log-format json").stderr)
                    self.assertEqual((event["event"], event["level"], event["status"]), ("cannot-start", "error", 3))
                    self.assertIn(word.format(**self.words), event["reason"])

    def test_helps(self):
        self.assertEqual(self.agent("--help").returncode, 0)
        self.assertIn("--check-interval", self.agent("--help").stdout)
        self.assertRegex(self.agent("--version").stdout, r"^rdmaready-agent \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
