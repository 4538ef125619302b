#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What questions to a hub cost as its fleet grows.

fleet_growth.py [--hosts N,N,N] [--changes N] [--times N] [--saved FOLDER] [--json FILE]

For each size: a store of so many hosts, with --changes made changes for each (page_fleet --fill), a hub over it, and the whole command, from its
start to its exit, the median of --times; then re-judging all of them (judge_fleet), in seconds of the processor and of the wall. Prints a table.
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
SAVED = ROOT / "tests" / "fixtures" / "hosts" / "two-rails-healthy" / "saved"
COMMANDS = (["status"], ["diff", "--at", "1h"], ["diff", "--at", "7d"], ["hosts"], ["findings", "--check", "link.*"], ["history"])
READY_WITHIN = 30


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port, server):
    end = time.monotonic() + READY_WITHIN
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("fleet_growth.py: the hub does not answer")


def commands_ms(store, times):
    port = free_port()
    hub = subprocess.Popen([BIN / "rdmaready-hub", "--store", store, "--listen", f"127.0.0.1:{port}", "--metrics-listen", "none", "--profile", "smb-direct-roce",
                            "--log-level", "warning"])
    try:
        wait_for(port, hub)
        took = {}
        for words in COMMANDS:
            runs = []
            for _ in range(times):
                begun = time.monotonic()
                done = subprocess.run([BIN / "rdmaready", "fleet", *words, "--hub", f"127.0.0.1:{port}", "--output", "json"], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, check=False)
                runs.append((time.monotonic() - begun) * 1000)
                json.loads(done.stdout)  # an answer, whatever it says of the hosts
            took[f"fleet {' '.join(words)}, ms"] = round(statistics.median(runs), 1)
        return took
    finally:
        hub.send_signal(signal.SIGTERM)
        hub.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", default="1000,5000,20000")
    parser.add_argument("--changes", type=int, default=50, help="of each host")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--saved", default=str(SAVED))
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    for hosts in map(int, options.hosts.split(",")):
        with tempfile.TemporaryDirectory(prefix="rdmaready growth ") as folder:
            store = pathlib.Path(folder) / "fleet.db"
            subprocess.run([BIN / "page_fleet", "--fill", store, options.saved, str(hosts), str(hosts * options.changes)], check=True)
            row = {"hosts": hosts, "store, MB": round(store.stat().st_size / 1e6, 1), **commands_ms(store, options.times)}
        judged = json.loads(subprocess.run([BIN / "judge_fleet", options.saved, str(hosts)], stdout=subprocess.PIPE, check=True).stdout)["judge_all_again"]
        row |= {"re-judging, s of CPU": round(judged["cpu_s"], 2), "re-judging, s of wall": round(judged["wall_s"], 2)}
        rows.append(row)
        print(json.dumps(row), flush=True)
    print()
    for key in rows[0]:
        print(f"{key:36}" + "".join(f"{row[key]:>12}" for row in rows))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
