# SPDX-License-Identifier: Apache-2.0
"""A hub on loopback, and made-up hosts that report to it."""
import json
import pathlib
import signal
import subprocess
import tempfile
import unittest

import fixtures
import ports
import tool
from eventually import eventually
from moved_clock import MovedClock

PATIENT = ("--timeout", "60s")  # of a command that asks a hub: to connect it has 5 s otherwise


class Hub:
    """rdmaready-hub with a store of its own, on a port to which it comes back."""

    def __init__(self, folder, *arguments, period="1s", plain_role="operate"):
        """`plain_role`: what callers without TLS may do; None: the hub's default."""
        self.folder = pathlib.Path(folder)
        self.store = self.folder / "of the hub" / "fleet.db"
        self.arguments = [*arguments, "--period", period, *(("--plain-role", plain_role) if plain_role else ())]
        self.port = ports.free_port()
        self.process = None
        self.copier = None  # of its log

    def start(self):
        self.process = subprocess.Popen(
            [tool.BIN / "rdmaready-hub", "--store", self.store, "--listen", f"127.0.0.1:{self.port}", "--log-format", "json",
             *([] if "--metrics-listen" in self.arguments else ["--metrics-listen", "none"]), *self.arguments],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            event = json.loads(line) if line.startswith("{") else {"event": "", "text": line}
            if event["event"] == "listening":
                break
        else:
            raise AssertionError(f"the hub did not start: {self.process.wait()}")
        with open(self.folder / "hub.log", "ab") as log:
            self.copier = subprocess.Popen(["cat"], stdin=self.process.stderr, stdout=log)
        return self

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(timeout=60)
        self.copier.wait(timeout=60)
        self.process.stderr.close()
        return status

    def fleet(self, *arguments):
        return tool.rdmaready("fleet", *arguments, "--hub", self.address, *PATIENT)

    def events(self):
        path = self.folder / "hub.log"
        return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]

    def event(self, name, within=60, **fields):
        wanted = {"event": name, **fields}
        return eventually(lambda: next((event for event in self.events() if wanted.items() <= event.items()), None),
                          seconds=within, why=lambda: f"no {wanted}: {self.events()}")

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()


class EnrollingHub(Hub):
    """A hub that has an authority of its own below `folder`, in which everything of it is."""

    def __init__(self, folder, *arguments, **more):
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        self.authority = folder / "authority"
        self.certificates = folder / "certificates"
        self.enrolment = ports.free_address()
        self.pki("init")
        self.pki("issue", "hub", "hub1", "--ip", "127.0.0.1", "--out", self.certificates)
        self.pki("issue", "operator", "anna", "--out", self.certificates)
        super().__init__(folder, "--authority", self.authority, "--tls-cert", self.certificates / "hub1.pem", "--tls-key",
                         self.certificates / "hub1.key", "--enrol-listen", self.enrolment, *arguments, **more)

    def pki(self, *words):
        answer = tool.rdmaready("pki", *words, "--dir", self.authority)
        assert answer.status == 0, answer
        return answer

    def tls(self, name="anna"):
        return ("--tls-cert", self.certificates / f"{name}.pem", "--tls-key", self.certificates / f"{name}.key", "--tls-ca", self.authority / "ca.pem")

    def ask(self, *words, who="anna"):
        return tool.rdmaready("fleet", *words, "--hub", self.address, *self.tls(who), *PATIENT)

    def enrol(self, token, state, *more, address=None):
        return subprocess.run([tool.BIN / "rdmaready-agent", "enrol", "--hub", address or self.enrolment, "--token-file", "-", "--state-dir", state,
                               *more], input=token, capture_output=True, text=True, timeout=60)

    def token(self, *words):
        answer = self.ask("token", *words)
        assert answer.status == 0, answer
        return answer.out.split()[-1]


def simulate(hub, agents, *arguments, script="", hosts="two-rails-healthy", wait=True):
    command = [tool.BIN / "fleet_sim", "--hub", hub.address, "--agents", str(agents), "--hosts", fixtures.HOSTS / hosts / "saved", *arguments]
    if script:
        path = hub.folder / "script.txt"
        path.write_text(script)
        command += ["--script", path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    if not wait:
        return process
    out, _ = process.communicate(timeout=150)
    return process.returncode, json.loads(out)


def over_after(told):
    """In seconds from the fleet's start, when all of the script that happened was acknowledged."""
    end = told["settled_after_ms"] / 1000
    for line in told["script"]:
        end = max(end, float(line["line"].partition("s ")[0])) + line["settled_after_ms"] / 1000
    return end


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready hub ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def moved_clock(self):
        """Of all that is started from now on."""
        clock = MovedClock()
        self.addCleanup(clock.close)
        return clock

    def in_time(self, attempt, *seconds):
        """`attempt(seconds)` says False when the machine took too much of that for what has to happen meanwhile, and has another one with more."""
        for some in seconds:
            if attempt(some):
                return
            self.doCleanups()
            self.setUp()
        self.fail(f"what takes a moment took more than {seconds[-1]} s")

    def fleet(self, hub, agents, **more):
        """Until it is terminated, or the test is over."""
        fleet = simulate(hub, agents, "--for", "300s", wait=False, **more)
        self.addCleanup(fleet.communicate)
        self.addCleanup(fleet.terminate)
        return fleet
