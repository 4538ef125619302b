# SPDX-License-Identifier: Apache-2.0
"""/metrics of a hub: that Debian's Prometheus takes it, that every query of its dashboard and alerts has something to say, and who may have it."""
import pathlib
import re
import shutil
import ssl
import subprocess
import tempfile
import time
import unittest

import certificates
import hubs
import notice_receivers
import ports
import prometheus
import tool
from eventually import eventually
from prometheus import fetch, series

RULES = tool.ROOT / "packaging" / "prometheus" / "rdmaready-hub.rules.yml"
RULE_TESTS = tool.ROOT / "tests" / "integration" / "prometheus" / "hub_rules_test.yml"
DASHBOARD = tool.ROOT / "packaging" / "grafana" / "rdmaready-fleet.json"


class AScrapedHub(unittest.TestCase):
    """Hosts of two groups, some of them wrong, one silent, in a real Prometheus."""

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="rdmaready hub ")))
        receiver = notice_receivers.Webhook()
        cls.addClassCleanup(receiver.close)
        notices = notice_receivers.write(folder / "n.yaml", "gather: 100ms\napart: 1s\nallow_private: [127.0.0.1]\nreceivers:\n"
                                         f"  - {{name: ops, webhook: 'http://127.0.0.1:{receiver.port}/'}}\n")
        cls.place = ports.free_address()
        cls.hub = cls.enterClassContext(hubs.Hub(folder, "--notices", notices, "--metrics-listen", cls.place, "--name", "hub-one", period="3s"))
        cls.fleet = hubs.simulate(cls.hub, 6, "--for", "300s", script="2s stop 1\n3s change 50%\n9s change 50%\n15s change 50%\n", wait=False)
        cls.addClassCleanup(cls.fleet.wait)
        cls.addClassCleanup(cls.fleet.terminate)
        cls.prometheus = cls.enterClassContext(prometheus.Server(cls.place, rules=RULES, job="rdmaready-hub"))
        cls.prometheus.wait_until(lambda: cls.prometheus.query('rdmaready_fleet_hosts{condition="silent"} > 0'), "one is silent")
        cls.prometheus.wait_until(lambda: cls.prometheus.query("rdmaready_hub_notices_sent_total > 0"), "it was told")
        cls.prometheus.wait_until(lambda: cls.prometheus.query("rate(rdmaready_hub_commit_duration_seconds_count[1m]) > 0"), "there are two scrapes")
        cls.prometheus.wait_until(lambda: {"RdmaFleetNotReady", "RdmaFleetSilent"} <= cls.prometheus.alerting(), "alerts wait")
        cls.text = fetch(cls.place)[1]

    def test_is_clean_for_promtool(self):
        checked = prometheus.promtool("check", "metrics", stdin=self.text)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_tells_what_the_fleet_s_status_tells(self):
        words = ("ready", "not-ready", "silent")

        def metrics_and_fleet():
            told, status = series(fetch(self.place)[1]), self.hub.fleet("status", "--output", "json").json
            findings = self.hub.fleet("findings", "--check", "vlan.present", "--output", "json").json["findings"]
            of_metrics = [sum(value for name, value in told.items() if name.startswith("rdmaready_fleet_hosts{")),
                          *[told[f'rdmaready_fleet_hosts{{condition="{word}"}}'] for word in words],
                          told['rdmaready_fleet_findings{check="vlan.present",outcome="fail"}']]
            return of_metrics, [status["hosts"], *[status["counts"][word.replace("-", "_")] for word in words], len(findings)]

        # The sums of metrics are up to ten seconds old.
        self.assertEqual(*eventually(metrics_and_fleet, lambda both: both[0] == both[1]))
        told = series(self.text)
        self.assertGreaterEqual(told["rdmaready_hub_reports_total"], 6)
        self.assertGreater(told["rdmaready_hub_store_bytes"], 10_000)
        self.assertGreaterEqual(told['rdmaready_hub_notices_sent_total{receiver="ops"}'], 1)

    def test_has_no_series_of_one_host(self):
        self.assertNotIn("node0", self.text)
        self.assertLess(len(series(self.text)), 120)

    def test_gives_every_query_of_the_dashboard_something_to_show(self):
        queries = prometheus.queries(DASHBOARD)
        self.assertGreater(len(queries), 20)
        for query, asked in queries:
            with self.subTest(query=query):
                self.assertNotIn("$", asked)
                self.prometheus.answered(asked)

    def test_is_what_the_rules_ask_for(self):
        told = {name.partition("{")[0] for name in series(self.text)} | {"up"}
        rules = self.prometheus.told_rules()
        self.assertEqual({rule["name"] for rule in rules}, set(re.findall(r"- alert: (\w+)", RULES.read_text())))
        for rule in rules:
            self.prometheus.wait_until(lambda: self.prometheus.query(rule["query"]) is not None, rule["name"], 30)
            self.assertLessEqual(set(re.findall(r"\brdmaready_\w+|\bup\b", rule["query"])), told, rule["name"])
        right = {"RdmaFleetNotReady", "RdmaFleetSilent", "RdmaFleetSilentMany"}
        self.assertLessEqual(eventually(self.prometheus.alerting, right.issuperset), right)


class TheRules(unittest.TestCase):
    def test_are_clean_for_promtool_and_fire_when_they_should(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in (RULES, RULE_TESTS):
                shutil.copy(file, folder)
            checked = prometheus.promtool("check", "rules", RULES.name, folder=folder)
            tested = prometheus.promtool("test", "rules", RULE_TESTS.name, folder=folder)
        self.assertEqual((checked.returncode, tested.returncode), (0, 0), checked.stdout + tested.stdout + tested.stderr)
        self.assertEqual(set(re.findall(r"alertname: (\w+)", RULE_TESTS.read_text())), set(re.findall(r"- alert: (\w+)", RULES.read_text())))


class ThePlace(hubs.WithFolder):
    def test_by_tls_whoever_may_look_is_let_in_and_a_host_is_not(self):
        ca = certificates.Authority(self.folder, "ca")
        hub_pair = ca.sign("hub", "DNS:localhost,IP:127.0.0.1")
        callers = {"prometheus": ca.sign("prometheus", "DNS:mon.example.org"),
                   "host": ca.sign("host", "URI:rdmaready:host/00000000-0000-4000-8000-000000000001")}
        place = ports.free_address()
        with hubs.Hub(self.folder, "--metrics-listen", place, "--tls-cert", hub_pair.cert, "--tls-key", hub_pair.key, "--tls-ca", ca.cert):
            for who, status in (("prometheus", 200), ("host", 403), (None, 403)):
                context = ssl.create_default_context(cafile=ca.cert)
                if who:
                    context.load_cert_chain(callers[who].cert, callers[who].key)
                self.assertEqual(fetch(place, context)[0], status, who)

    def test_one_that_makes_no_sense_is_refused(self):
        for wrong, words in (("", "an address and a port, or none"), ("unix:/tmp/x", "metrics have no unix socket"), ("0.0.0.0:0", "refusing plain text")):
            ended = subprocess.run([tool.BIN / "rdmaready-hub", "--store", self.folder / "x.db", "--listen", "127.0.0.1:0", "--metrics-listen", wrong],
                                   capture_output=True, text=True, timeout=60)
            self.assertEqual((ended.returncode, words in ended.stderr), (2, True), ended.stderr)

    def test_a_scrape_counts_the_fleet_once_in_a_while(self):
        place = ports.free_address()
        with hubs.Hub(self.folder, "--metrics-listen", place) as hub:
            hubs.simulate(hub, 50, "--for", "1s")
            begun = time.monotonic()
            counted = {series(fetch(place)[1])["rdmaready_fleet_counted_timestamp_seconds"] for _ in range(50)}
            took = [time.monotonic() - begun]
            self.assertLessEqual(len(counted), 2 + took[0] // 10)  # once in ten seconds
            for _ in range(5):
                begun = time.monotonic()
                fetch(place)
                took.append(time.monotonic() - begun)
            self.assertLess(min(took[1:]), 1)


if __name__ == "__main__":
    unittest.main()
