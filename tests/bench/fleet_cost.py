#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a fleet costs its hub, beside a server of the same wire that keeps nothing.

fleet_cost.py [--tls] [--agents N] [--period S] [--seconds S] [--json FILE]

Made-up hosts (tests/sim, at most 5,000 a process) report to rdmaready-hub and then to tests/bench/empty_ingest. Of each side: after how long all
had their state acknowledged, the processor time of --seconds of the steady state over twice that time, what it grew by for each report, and PSS
when all are there. Then, of the hub alone: a restart of all hosts at once (the storm), a kill -9 of the hub and its start, `fleet status`
and `fleet diff` over what is stored, and the size of the store. Nothing here is a test: ratios are to be read beside their spread.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("RDMAREADY_BIN", ROOT / "build" / "bin"))
HOSTS = ROOT / "tests" / "fixtures" / "hosts" / "two-rails-healthy" / "saved"
TICKS = os.sysconf("SC_CLK_TCK")
MOST_IN_PROCESS = 5000
HELLOS_AT_ONCE = 100  # of a process, by TLS


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def cpu_s(pid):
    return sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / TICKS


def pss_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Fleet:
    """The processes of the simulator, and what each says at its end."""

    def __init__(self, address, agents, seconds, script=None, authority=None):
        self.processes = []
        for first in range(0, agents, MOST_IN_PROCESS):
            command = [BIN / "fleet_sim", "--hub", address, "--agents", str(min(MOST_IN_PROCESS, agents - first)), "--first", str(first + 1),
                       "--hosts", HOSTS, "--for", f"{seconds}s", "--settle", "300s"]
            if script:
                command += ["--script", script]
            if authority:
                # Many more than the hub lets in at a time, and few enough for the processors that are theirs here.
                command += ["--authority", authority, "--hello-at-once", HELLOS_AT_ONCE]
            self.processes.append(subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True))

    def end(self):
        told = [json.loads(process.communicate()[0]) for process in self.processes]
        total = {key: sum(one[key] for one in told) for key in ("connected", "settled", "streams", "sent", "with_facts", "kept", "put_off", "refused")}
        total["settled_after_ms"] = max(one["settled_after_ms"] for one in told) if all(one["settled_after_ms"] >= 0 for one in told) else -1
        for key in ("ack_p99_us", "later_ack_p99_us"):
            total[key] = max(one[key] for one in told)
        total["script"] = [max(line["settled_after_ms"] for line in lines) for lines in zip(*(one["script"] for one in told))]
        return total


def make_authority(folder):
    """A CA for this run, and the hub's certificate."""
    pki = [BIN / "rdmaready", "pki"]
    subprocess.run([*pki, "init", "--dir", folder / "authority"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*pki, "issue", "hub", "hub", "--ip", "127.0.0.1", "--dir", folder / "authority", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*pki, "issue", "operator", "bench", "--dir", folder / "authority", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "authority"


def tls_options(folder, name):
    return ["--tls-cert", folder / f"{name}.pem", "--tls-key", folder / f"{name}.key", "--tls-ca", folder / "ca.pem"]


def steady(name, server, address, options, authority):
    # What settles is over when the steady state is looked at; one look at the end of it tells of memory.
    warm = options.settle
    fleet = Fleet(address, options.agents, warm + options.seconds + 5, authority=authority)
    time.sleep(warm)
    begin, at = cpu_s(server.pid), time.monotonic()
    time.sleep(options.seconds)
    used, wall = cpu_s(server.pid) - begin, time.monotonic() - at
    pss = pss_mb(server.pid)
    told = fleet.end()
    result = {"side": name, "cpu_of_two": used / (2 * wall), "cpu_us_per_report": used / max(1, options.agents * wall / options.period) * 1e6, "pss_mb": pss, **told}
    print(json.dumps(result), flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=500)
    parser.add_argument("--period", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--settle", type=int, default=30, help="seconds until the steady state is looked at")
    parser.add_argument("--tls", action="store_true", help="each host by a certificate of its own")
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rdmaready fleet ") as folder:
        folder = pathlib.Path(folder)
        store = folder / "fleet.db"
        authority = make_authority(folder) if options.tls else None
        of_hub, of_caller = (tls_options(folder, name) if options.tls else [] for name in ("hub", "bench"))
        address = f"127.0.0.1:{free_port()}"

        def start_hub():
            server = subprocess.Popen([BIN / "rdmaready-hub", "--store", store, "--listen", address, "--period", f"{options.period}s", "--profile",
                                       "virtual-fabric", "--log-level", "warning", *of_hub])
            time.sleep(1)
            return server

        hub = start_hub()
        mine = steady("hub", hub, address, options, authority)
        # The storm: all hosts at once, as after a power cut; then the hub is killed and started while all are there.
        script = folder / "storm.txt"
        script.write_text(f"{options.settle}s restart all\n")
        storm = Fleet(address, options.agents, options.settle + 65, script, authority).end()
        print(json.dumps({"storm_settled_after_ms": storm["script"], "storm": storm}), flush=True)
        asked = {}
        for words in (["status"], ["diff", "--at", "1h"], ["hosts"]):
            times = []
            for _ in range(5):
                at = time.monotonic()
                subprocess.run([BIN / "rdmaready", "fleet", *words, "--hub", address, "--output", "json", *of_caller], stdout=subprocess.DEVNULL, check=False)
                times.append(time.monotonic() - at)
            asked[" ".join(words)] = [round(min(times) * 1000), round(statistics.median(times) * 1000), round(max(times) * 1000)]
        print(json.dumps({"asked_ms": asked, "store_mb": round(store.stat().st_size / 1e6, 1)}), flush=True)
        hub.send_signal(signal.SIGTERM)
        hub.wait()
        empty = subprocess.Popen([BIN / "empty_ingest", address, str(options.period), *of_hub[1::2]])
        theirs = steady("empty", empty, address, options, authority)
        empty.terminate()
        empty.wait()
    result = {"agents": options.agents, "period_s": options.period, "hub": mine, "empty": theirs, "storm": storm, "asked_ms": asked,
              "pss_ratio": mine["pss_mb"] / theirs["pss_mb"], "cpu_ratio": mine["cpu_of_two"] / max(theirs["cpu_of_two"], 1e-6)}
    print(json.dumps({key: result[key] for key in ("agents", "pss_ratio", "cpu_ratio")}))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
