# SPDX-License-Identifier: Apache-2.0
"""/metrics: what a scrape tells, who may have it, and that Debian's Prometheus takes it, the alerts and the dashboard."""
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import warnings

import certificates
import fixtures
import prometheus
import tool
from eventually import eventually
from prometheus import fetch, series

SICK = fixtures.HOSTS / "two-rails-sick" / "saved" / "storage2"
DASHBOARD = tool.ROOT / "packaging" / "grafana" / "rdmaready-hosts.json"
RULE_TESTS = tool.ROOT / "tests" / "integration" / "prometheus" / "rules_test.yml"
NO_ANSWER = 'rdmaready_test_failed{instance=~"$instance"} == 1'
GROWS = "rxe1/ports/1/hw_counters/completer_retry_err"


def place_of(agent):
    """HOST:PORT of /metrics."""
    line = agent.logged("metrics url")
    return re.search(r"url=\"?https?://([^/]+)/metrics", line)[1]


class Recorded(tool.Agent):
    """An agent of a recorded host."""

    def __enter__(self):
        self.programs = pathlib.Path(tempfile.mkdtemp(prefix="rdmaready recorded "))
        script = self.programs / "rdmaready-agent"
        script.write_text(f'#!/bin/sh\nexec "{tool.BIN}/recorded_agent" "{SICK}" "{GROWS}" "$@"\n')
        script.chmod(0o755)
        return super().__enter__()

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.programs)


class AScrapedHost(unittest.TestCase):
    """Two rails, one of them wrong, in a real Prometheus, until there is something of everything."""

    @classmethod
    def setUpClass(cls):
        cls.agent = Recorded("--metrics-listen", "127.0.0.1:0", "--check-interval", "2s", "--profile", "virtual-fabric")
        cls.enterClassContext(cls.agent)
        cls.place = place_of(cls.agent)
        tested = tool.rdmaready("test", "loopback", cls.agent.address, "--duration", "200ms")
        if tested.status not in (0, 1):
            raise RuntimeError(str(tested))
        cls.prometheus = cls.enterClassContext(prometheus.Server(cls.place))
        cls.prometheus.wait_until(lambda: cls.prometheus.query("rdmaready_loss_window_events > 0"), "the counter has grown")
        cls.prometheus.wait_until(lambda: cls.prometheus.query("rate(process_cpu_seconds_total[1m]) > 0"), "there are two scrapes")
        cls.text = fetch(cls.place)[1]

    def test_is_clean_for_promtool(self):
        checked = prometheus.promtool("check", "metrics", stdin=self.text)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_tells_what_the_report_tells(self):
        told = series(self.text)
        report = tool.rdmaready("check", self.agent.address, "--output", "json").json["hosts"][0]
        self.assertEqual((told['rdmaready_ready{rung="host"}'], told['rdmaready_undetermined{rung="host"}']), (0, 0))
        self.assertEqual(report["verdict"], "not-ready")
        not_well = {(found["id"], found["outcome"], found["subject"]) for found in report["findings"]
                    if found["outcome"] in ("fail", "warn", "unknown")}
        states = {tuple(re.search(rf'{label}="([^"]*)"', name)[1] for label in ("check", "outcome", "subject"))
                  for name in told if name.startswith("rdmaready_check_state{")}
        self.assertIn(("pfc.lossless-priority", "fail", "rxe1/1 dcb1"), states)
        # The counter grew for the agent, which compares; its caller's check had one reading only.
        self.assertLessEqual(not_well - states, set(), not_well - states)
        plain = [name for name in tool.rdmaready("test", "--list").out.split() if not name.startswith("smbd-")]
        self.assertEqual(sum(name.startswith("rdmaready_test_last_timestamp_seconds{") for name in told), 2 * len(plain), told)
        self.assertEqual(told['rdmaready_loss_window_events{port="rxe1/1",counter="completer_retry_err"}'], 3)
        self.assertLess(time.time() - told['rdmaready_check_last_run_timestamp_seconds{rung="host"}'], 60)

    def test_has_at_most_sixty_series_a_port(self):
        self.assertLessEqual(len(series(self.text)), 2 * 60)

    def test_gives_every_query_of_the_dashboard_something_to_show(self):
        queries = prometheus.queries(DASHBOARD)
        self.assertGreater(len(queries), 20)
        self.assertIn(NO_ANSWER, [query for query, _ in queries])
        for query, asked in queries:
            with self.subTest(query=query):
                self.assertNotIn("$", asked)
                if query == NO_ANSWER:  # no test of this run failed
                    self.assertFalse(self.prometheus.query(asked))
                else:
                    self.prometheus.answered(asked)

    def test_gives_the_alerts_that_it_should(self):
        right = {"RdmaHostNotReady", "RdmaCheckFails", "RdmaLoss"}
        self.assertEqual(eventually(self.prometheus.alerting, right.__eq__), right)
        rules = self.prometheus.told_rules()
        self.assertEqual({rule["name"]: rule["lastError"] for rule in rules if rule["health"] != "ok" and "lastError" in rule}, {})
        self.assertEqual(len(rules), RULES_IN_FILE)
        for rule in rules:
            self.prometheus.wait_until(lambda: self.prometheus.query(rule["query"]) is not None, rule["name"], 30)


RULES_IN_FILE = len(re.findall(r"^\s*- alert:", prometheus.RULES.read_text(), re.M))


class TheRules(unittest.TestCase):
    def test_are_clean_for_promtool(self):
        checked = prometheus.promtool("check", "rules", prometheus.RULES)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn(f"SUCCESS: {RULES_IN_FILE} rules found", checked.stdout)

    def test_fire_when_they_should_and_not_before(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in (prometheus.RULES, RULE_TESTS):
                shutil.copy(file, folder)
            tested = prometheus.promtool("test", "rules", RULE_TESTS.name, folder=folder)
        self.assertEqual(tested.returncode, 0, tested.stdout + tested.stderr)
        self.assertEqual(set(re.findall(r"alertname: (\w+)", RULE_TESTS.read_text())),
                         set(re.findall(r"- alert: (\w+)", prometheus.RULES.read_text())))


class AScrape(unittest.TestCase):
    def test_collects_nothing_and_shows_only_what_somebody_asked_for(self):
        # The watch for drift reads the host once at its start, whoever scrapes.
        with tool.Agent("--metrics-listen", "127.0.0.1:0", "--check-interval", "0", "--drift", "false") as agent:
            place = place_of(agent)
            for _ in range(20):
                status, text = fetch(place)
                self.assertEqual(status, 200)
                self.assertNotIn("rdmaready_ready", text)
            self.assertEqual(series(text)["rdmaready_readings_total"], 0)
            self.assertEqual(series(text)["rdmaready_check_interval_seconds"], 0)
            begun = time.time()
            tool.rdmaready("check", agent.address)
            first = series(fetch(place)[1])
            self.assertEqual(first["rdmaready_readings_total"], 1)
            self.assertGreaterEqual(first['rdmaready_check_last_run_timestamp_seconds{rung="host"}'], int(begun))
            for _ in range(20):
                again = series(fetch(place)[1])
            for name in ("rdmaready_readings_total", 'rdmaready_check_last_run_timestamp_seconds{rung="host"}'):
                self.assertEqual(again[name], first[name])
            calls = 'rdmaready_calls_total{role="observe"}'
            self.assertEqual(again[calls] - first[calls], 20)

    def test_does_not_take_a_callers_own_profile_for_the_hosts(self):
        with tool.Agent("--metrics-listen", "127.0.0.1:0", "--check-interval", "0") as agent:
            tool.rdmaready("check", agent.address, "--profile", "infiniband")
            self.assertNotIn("rdmaready_ready", fetch(place_of(agent))[1])


def sockets_of(pid):
    """"socket:[123]" of each that the process has open."""
    links = []
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(descriptor))
        except FileNotFoundError:  # closed meanwhile
            pass
    return links


class ThePlace(unittest.TestCase):
    def started(self, *options):
        with tempfile.TemporaryDirectory() as state:
            return subprocess.run([tool.BIN / "rdmaready-agent", "--listen", "127.0.0.1:0", "--state-dir", state, *options], timeout=60,
                                  capture_output=True, text=True, env=tool.environment())

    def test_off_loopback_needs_tls(self):
        refused = self.started("--metrics-listen", "0.0.0.0:0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("metrics on 0.0.0.0:0: refusing plain text off loopback without --tls-cert", refused.stderr)
        with tool.Agent("--metrics-listen", "0.0.0.0:0", "--insecure") as agent:
            self.assertEqual(fetch(place_of(agent).replace("0.0.0.0", "127.0.0.1"))[0], 200)

    def test_that_was_asked_for_and_is_taken_is_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            refused = self.started("--metrics-listen", f"127.0.0.1:{taken.getsockname()[1]}")
        self.assertEqual(refused.returncode, 3)
        self.assertRegex(refused.stderr, r"metrics on 127\.0\.0\.1:\d+: Address already in use")

    def test_is_nowhere_unless_one_is_configured(self):
        for options in ((), ("--metrics-listen", "none")):
            with tool.Agent(*options) as agent:
                self.assertEqual(tool.rdmaready("facts", agent.address).status, 0)
                self.assertEqual([line for line in agent.log if "metrics" in line], [])
                listening = [line.split()[3] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                             if f"socket:[{line.split()[9]}]" in sockets_of(agent.process.pid)]
                self.assertEqual(listening.count("0A"), 1, "the callers' address alone")

    def test_may_be_an_ipv6_address(self):
        with tool.Agent("--metrics-listen", "[::1]:0") as agent:
            self.assertEqual(fetch(place_of(agent))[0], 200)

    def test_must_make_sense(self):
        for wrong, words in (("", "an address and a port, or none"), ("unix:/tmp/x", "metrics have no unix socket"), ("127.0.0.1:x", "port must be")):
            refused = self.started("--metrics-listen", wrong)
            self.assertEqual((refused.returncode, words in refused.stderr), (2, True), refused.stderr)


class ByTls(unittest.TestCase):
    """As the gRPC door: a certificate of the CA, with the role observe or more."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="rdmaready pki ")
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        ca, foreign = certificates.Authority(path, "site-ca"), certificates.Authority(path, "foreign-ca")
        server = ca.sign("storage1", "DNS:localhost,IP:127.0.0.1")
        cls.ca, cls.server = ca, server
        cls.callers = {"observer": ca.sign("observer", "DNS:mon1.example.org"), "tester": ca.sign("tester", "DNS:admin.example.org"),
                       "nobody": ca.sign("nobody", "DNS:nobody.example.org"), "stranger": foreign.sign("stranger", "DNS:mon1.example.org"),
                       "expired": ca.sign("expired", "DNS:mon1.example.org", days=-1)}
        roles = path / "roles.yaml"
        roles.write_text('observe: ["DNS:mon*.example.org"]\ntest: ["DNS:admin.example.org"]\n')
        roles.chmod(0o644)
        cls.agent = cls.enterClassContext(tool.Agent("--tls-cert", server.cert, "--tls-key", server.key, "--tls-ca", ca.cert, "--roles", roles,
                                                     "--metrics-listen", "127.0.0.1:0"))
        cls.place = place_of(cls.agent)

    def fetch(self, who):
        context = ssl.create_default_context(cafile=self.ca.cert)
        if who:
            context.load_cert_chain(self.callers[who].cert, self.callers[who].key)
        return fetch(self.place, context)

    def test_observers_and_those_who_may_more_are_let_in(self):
        for who in ("observer", "tester"):
            status, text = self.fetch(who)
            self.assertEqual((status, "rdmaready_build_info" in text), (200, True), text)

    def test_a_certificate_without_a_role_is_refused_as_by_the_other_door(self):
        status, text = self.fetch("nobody")
        self.assertEqual(status, 403)
        self.assertRegex(text, "^refused: /metrics needs the role observe, and DNS:nobody.example.org by TLS has no role; the administrator")
        self.assertEqual(series(self.fetch("observer")[1])['rdmaready_refusals_total{reason="role"}'] > 0, True)

    def test_no_certificate_a_foreign_and_an_expired_one_are_refused_and_told_of(self):
        for who, why in ((None, "the caller showed no certificate"), ("stranger", "is not signed by a CA that is trusted here"),
                         ("expired", "expired on")):
            status, text = self.fetch(who)
            self.assertEqual(status, 403, text)
            self.assertIn(why, text)
            self.assertNotIn("rdmaready_build_info", text)
            self.assertIn("tls-refused", self.agent.logged(why))

    def test_plain_text_gets_nothing(self):
        with socket.create_connection(("127.0.0.1", int(self.place.rpartition(":")[2])), timeout=60) as plain:
            plain.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            try:
                self.assertNotIn(b"200 OK", plain.recv(4096))
            except ConnectionResetError:
                pass
        self.assertEqual(self.fetch("observer")[0], 200)

    def test_silent_callers_keep_nobody_out_for_long(self):
        silent = [socket.create_connection(("127.0.0.1", int(self.place.rpartition(":")[2])), timeout=60) for _ in range(20)]
        try:
            begun = time.monotonic()
            self.assertEqual(self.fetch("observer")[0], 200)
            self.assertLess(time.monotonic() - begun, 30)  # and not each of them for its own time
        finally:
            for one in silent:
                one.close()

    def test_a_certificate_that_was_replaced_counts_at_once_and_a_broken_one_does_not(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready pki ") as folder:
            place = pathlib.Path(folder)
            cert, key = place / "agent.pem", place / "agent.key"

            def use(pair):
                shutil.copy(pair.key, key)
                shutil.copy(pair.cert, cert)

            def serial():
                context = ssl.create_default_context(cafile=self.ca.cert)
                context.load_cert_chain(self.callers["observer"].cert, self.callers["observer"].key)
                with socket.create_connection((host, int(port)), timeout=60) as plain, context.wrap_socket(plain, server_hostname=host) as tls:
                    return tls.getpeercert()["serialNumber"]

            use(self.server)
            with tool.Agent("--tls-cert", cert, "--tls-key", key, "--tls-ca", self.ca.cert, "--metrics-listen", "127.0.0.1:0") as agent:
                host, _, port = place_of(agent).rpartition(":")
                first = serial()
                use(self.ca.sign("storage1-again", "DNS:localhost,IP:127.0.0.1"))
                second = serial()
                self.assertNotEqual(first, second)
                cert.write_text("not a certificate")
                self.assertEqual(serial(), second)

    def test_old_tls_is_not_spoken(self):
        context = ssl.create_default_context(cafile=self.ca.cert)
        context.load_cert_chain(self.callers["observer"].cert, self.callers["observer"].key)
        with warnings.catch_warnings(action="ignore"):
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
        with self.assertRaises(OSError):
            fetch(self.place, context)


if __name__ == "__main__":
    unittest.main()
