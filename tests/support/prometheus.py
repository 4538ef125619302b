# SPDX-License-Identifier: Apache-2.0
"""Debian's Prometheus on loopback: a server that scrapes one address, and promtool."""
import http.client
import json
import os
import pathlib
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import ports
import tool
from eventually import eventually

# Where tests/run unpacks the packages, so that no Prometheus becomes a service of this machine; else what is installed.
ROOTS = [pathlib.Path(os.environ.get("RDMAREADY_PROMETHEUS", tool.ROOT / "build" / "prometheus")), pathlib.Path("/")]
RULES = tool.ROOT / "packaging" / "prometheus" / "rdmaready.rules.yml"


def program(name):
    for root in ROOTS:
        path = root / "usr" / "bin" / name
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"{name}: apt-get install prometheus prometheus-node-exporter, or tests/run, which unpacks them")


def promtool(*arguments, stdin="", folder=None):
    return subprocess.run([program("promtool"), *map(str, arguments)], input=stdin, capture_output=True, text=True, cwd=folder, timeout=60)


def fetch(place, context=None, path="/metrics"):
    """(status, text) of HOST:PORT; with a context by TLS."""
    host, _, port = place.rpartition(":")
    host = host.strip("[]")
    connection = http.client.HTTPSConnection(host, int(port), timeout=60, context=context) if context else \
        http.client.HTTPConnection(host, int(port), timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def series(text):
    """Name with labels -> value."""
    rows = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in rows}


def queries(dashboard):
    """Of each panel of a file for Grafana: as it stands there, and as it is asked where there is no Grafana."""
    told = [target["expr"] for panel in json.loads(dashboard.read_text())["panels"] for target in panel["targets"]]
    return [(query, query.replace("$__rate_interval", "1m").replace("$instance", ".*")) for query in told]


class Server:
    """Scrapes `target` each two seconds, with the shipped rules; use as a context."""

    def __init__(self, target, rules=RULES, job="rdmaready"):
        self.target, self.rules, self.job = target, rules, job

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rdmaready prometheus ")
        place = pathlib.Path(self.folder.name)
        self.port = ports.free_port()
        config = place / "prometheus.yml"
        config.write_text(json.dumps({
            # A scrape that takes longer than its time makes all of the target stale.
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "1s"}, "rule_files": [str(self.rules)],
            "scrape_configs": [{"job_name": self.job, "static_configs": [{"targets": [self.target]}]}]}))
        self.log = open(place / "log", "w", encoding="utf-8")
        self.process = subprocess.Popen([program("prometheus"), f"--config.file={config}", f"--storage.tsdb.path={place / 'data'}",
                                         f"--web.listen-address=127.0.0.1:{self.port}"], stdin=subprocess.DEVNULL, stdout=self.log,
                                        stderr=self.log)
        self.wait_until(lambda: self.query(f'up{{instance="{self.target}"}} == 1'), "the agent was scraped")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.folder.cleanup()

    def ask(self, path, **arguments):
        """The data of an answer; None where there is none yet. A query that is refused is an error."""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            if error.code == 503:  # it still opens its data
                return None
            raise ValueError(error.read().decode()) from error
        except OSError:
            return None

    def answered(self, expression):
        """Something to show, if not at once: a scrape may be late, or one of two that a rate takes."""
        return eventually(lambda: self.query(expression), why=lambda: expression)

    def told_rules(self):
        """Those of the one group that there is."""
        [group] = (self.ask("rules") or {"groups": [{"rules": []}]})["groups"]
        return group["rules"]

    def alerting(self):
        """The names of rules that have alerts, also ones that are not old enough yet."""
        return {rule["name"] for rule in self.told_rules() if rule["alerts"]}

    def query(self, expression):
        answer = self.ask("query", query=expression)
        return answer and answer["result"]

    def wait_until(self, true, what, seconds=60):
        def look():
            if self.process.poll() is not None:
                raise AssertionError(f"Prometheus ended before: {what}")
            return true()

        eventually(look, seconds=seconds, why=lambda: what)
