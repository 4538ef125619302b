#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a scrape of the agent's /metrics costs beside one of Debian's node_exporter, in one run.

scrape_cost.py [--rounds N] [--scrapes N] [--json FILE]

An agent of a recorded host with two ports (tests/support/recorded_agent), checked and tested once, and prometheus-node-exporter (unpacked
into a temporary folder, not installed) are scraped in turn over loopback: in each round SCRAPES of the one, then of the other, the next
round the other way round. Prints the CPU time of the serving process a scrape, as the kernel counts it in nanoseconds (schedstat), the ratio
of each round, and the PSS of both; exits 1 when the median ratio is above 1, or when a scrape made the agent read its host.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import fixtures  # noqa: E402
import tool  # noqa: E402
from idle_cost import Side, free_port, unpacked  # noqa: E402

HOST = fixtures.HOSTS / "two-rails-healthy" / "saved"


def cpu_ns(pid):
    """Of all threads that there are; a thread that ends takes its time with it, so both servers keep theirs."""
    return sum(int(pathlib.Path(task, "schedstat").read_text().split()[0]) for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def scraped(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def value(text, name):
    return next(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def wait_for(url, seconds=20):
    end = time.monotonic() + seconds
    while True:
        try:
            return scraped(url)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def measure(rounds, scrapes, folder):
    [recording] = [path for path in HOST.iterdir() if path.is_dir()][:1]
    ports = {"agent": free_port(), "node_exporter": free_port(), "calls": free_port()}
    exporter = unpacked("prometheus-node-exporter", folder)
    calls = f"127.0.0.1:{ports['calls']}"
    os.environ["RDMAREADY_SOCKET"] = tool.NO_SOCKET
    sides = {"agent": Side("agent", [tool.BIN / "recorded_agent", recording, "", "--listen", calls, "--profile", "virtual-fabric", "--metrics-listen",
                                     f"127.0.0.1:{ports['agent']}", "--check-interval", "0", "--state-dir", pathlib.Path(folder) / "state"]),
             "node_exporter": Side("node_exporter", [exporter, f"--web.listen-address=127.0.0.1:{ports['node_exporter']}"])}
    urls = {name: f"http://127.0.0.1:{ports[name]}/metrics" for name in sides}
    try:
        for url in urls.values():
            wait_for(url)
        for command in (["check", calls, "--level", "loopback"], ["test", "loopback", calls, "--duration", "200ms"]):
            answer = tool.rdmaready(*command)
            if answer.status not in (0, 1, 3):
                sys.exit(f"scrape_cost: {answer}")
        before = scraped(urls["agent"])
        found = {name: [] for name in sides}
        for number in range(rounds):
            for name in sorted(sides, reverse=number % 2 == 1):
                pid = sides[name].servers[0].pid
                begin = cpu_ns(pid)
                for _ in range(scrapes):
                    scraped(urls[name])
                found[name].append((cpu_ns(pid) - begin) / scrapes)
        after = scraped(urls["agent"])
        return {"cpu_ns": found, "pss_kb": {name: side.pss_kb() for name, side in sides.items()},
                "bytes": {name: len(scraped(url)) for name, url in urls.items()},
                "series": sum(not line.startswith("#") for line in after.splitlines()),
                "readings": value(after, "rdmaready_readings_total") - value(before, "rdmaready_readings_total")}
    finally:
        for side in sides.values():
            side.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--scrapes", type=int, default=20, help="of each, in a round")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # apt's own user reads it
        found = measure(args.rounds, args.scrapes, folder)
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")
    for name, rounds in found["cpu_ns"].items():
        print(f"{name:14} CPU a scrape {statistics.median(rounds) / 1e6:7.3f} ms ({min(rounds) / 1e6:.3f}..{max(rounds) / 1e6:.3f})   "
              f"{found['bytes'][name]:7} bytes   PSS {found['pss_kb'][name]:6} kB")
    ratios = [mine / theirs for mine, theirs in zip(found["cpu_ns"]["agent"], found["cpu_ns"]["node_exporter"])]
    median = statistics.median(ratios)
    print(f"series of the agent: {found['series']}; readings of the host by {args.rounds * args.scrapes} scrapes: {found['readings']:.0f}, wanted 0")
    print(f"ratio {median:.3f} ({min(ratios):.3f}..{max(ratios):.3f}), wanted at most 1: {'met' if median <= 1 else 'MISSED'}")
    return 0 if median <= 1 and found["readings"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
