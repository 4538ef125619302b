#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a host pays for the agent while nobody asks it anything, beside Debian's node_exporter and an empty gRPC server.

idle_cost.py [--seconds N] [--json FILE]

All run on loopback at the same time for N seconds (960: one scheduled check of the agent falls into it), so what the machine does besides
meets all of them: the agent with its helpers waiting, prometheus-node-exporter scraped every 15 s (its package is unpacked into a temporary
folder, not installed), and tests/bench/empty_server. Prints CPU time, wake-ups (times that a thread was switched to) and PSS, and exits 1
when the agent's PSS is above node_exporter's, its CPU above half of it or its wake-ups above 1.3 of the empty server's. PSS of
the agent is taken when the empty server has ended: both map the same library.
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("RDMAREADY_BIN", ROOT / "build" / "bin"))
HELPERS = ("reader", "listener", "prover")
SCRAPE_S = 15
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def unpacked(package, folder):
    """The binary of a Debian package of one binary."""
    subprocess.run(["apt-get", "-q", "download", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    [archive] = pathlib.Path(folder).glob(f"{package}_*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    return pathlib.Path(folder) / "usr" / "bin" / package


class Side:
    def __init__(self, name, *commands):
        self.name = name
        self.servers = [subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL) for command in commands]

    def cpu_s(self):
        return sum(sum(map(int, pathlib.Path(f"/proc/{one.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) for one in self.servers) / TICKS

    def wakeups(self):
        """Of the threads that there are: what one did that has ended is lost."""
        count = 0
        for one in self.servers:
            for status in pathlib.Path(f"/proc/{one.pid}/task").glob("*/status"):
                count += sum(int(line.split()[1]) for line in status.read_text().splitlines() if "ctxt_switches" in line)
        return count

    def pss_kb(self):
        return sum(int(line.split()[1]) for one in self.servers for line in pathlib.Path(f"/proc/{one.pid}/smaps_rollup").read_text().splitlines()
                   if line.startswith("Pss:"))

    def end(self):
        for one in self.servers:
            if one.poll() is None:
                one.terminate()
        for one in self.servers:
            one.wait()

    def living(self):
        return all(one.poll() is None for one in self.servers)


def agent(folder):
    sockets = pathlib.Path(folder) / "helpers"
    sockets.mkdir()
    helpers = [[BIN / f"rdmaready-{name}", "--listen", sockets / f"{name}.sock", "--user", "root"] for name in HELPERS
               if (BIN / f"rdmaready-{name}").exists()]
    options = ["--helpers", sockets] if helpers else []
    return [[BIN / "rdmaready-agent", "--listen", "127.0.0.1:0", "--state-dir", pathlib.Path(folder) / "state", *options], *helpers]


def measure(seconds, folder):
    port = free_port()
    exporter = unpacked("prometheus-node-exporter", folder)
    sides = [Side("agent", *agent(folder)), Side("node_exporter", [exporter, f"--web.listen-address=127.0.0.1:{port}"]),
             Side("empty", [BIN / "empty_server"])]
    try:
        time.sleep(3)
        begin = {side.name: (side.cpu_s(), side.wakeups()) for side in sides}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                answer.read()
            time.sleep(max(0, min(SCRAPE_S, end - time.monotonic())))
        for side in sides:
            if not side.living():
                sys.exit(f"idle_cost: {side.name} ended by itself")
        found = {side.name: {"cpu_s": side.cpu_s() - begin[side.name][0], "wakeups": side.wakeups() - begin[side.name][1]} for side in sides}
        found["empty"]["pss_kb"] = sides[2].pss_kb()
        sides[2].end()
        for side in sides[:2]:
            found[side.name]["pss_kb"] = side.pss_kb()
        return found
    finally:
        for side in sides:
            side.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=960)
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # apt's own user reads it
        found = measure(args.seconds, folder)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")
    for name, one in found.items():
        print(f"{name:14} CPU {one['cpu_s']:6.2f} s   wake-ups {one['wakeups']:6}   PSS {one['pss_kb']:6} kB")
    mine, exporter, empty = found["agent"], found["node_exporter"], found["empty"]
    met = True
    for what, ratio, most in (("PSS to node_exporter's", mine["pss_kb"] / exporter["pss_kb"], 1.0),
                              ("CPU to node_exporter's", mine["cpu_s"] / max(exporter["cpu_s"], 1 / TICKS), 0.5),
                              ("wake-ups to an empty server's", mine["wakeups"] / max(empty["wakeups"], 1), 1.3)):
        met &= ratio <= most
        print(f"{what:30} {ratio:5.2f}, wanted at most {most}: {'met' if ratio <= most else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
