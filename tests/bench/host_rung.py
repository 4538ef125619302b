#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the host rung costs on a live host, beside the tools a person would type instead.

host_rung.py [--fabric NAME] [--guest K] [--runs N] [--json]

In one guest of the virtual fabric, interleaved N times, each timed by the guest's own clock:

  pipeline   rdma link; dcb pfc and ethtool for each port; devlink dev; ibv_devinfo: one question to each tool, which is less than
             check reads
  collect    reading the host alone, in a process that did it once before, as an agent has: collect_host
  check      rdmaready check, asking the guest's agent: what a person types
  alone      rdmaready check without an agent: everything in its own process
  start      rdmaready version: what starting the program costs by itself
  rung       what check itself says it took: the question, the reading, the judging, and the agent's keeping of the result

Prints the verdict that was timed, then for each its median, the middle half of the runs, and its ratio to the pipeline (the median
of the ratios of runs made one after the other). Brings up a fabric of its own, and ends it, when NAME is not up.
"""
import argparse
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABRIC = ROOT / "tests" / "fabric" / "fabric"
BIN = ROOT / "build" / "bin"
UNITS_US = {"us": 1, "ms": 1_000, "s": 1_000_000}

# One line for each measurement: its name, microseconds, and its last line. $1: the folder of the programs, $2: runs.
IN_GUEST = r"""
pipeline() {
  rdma link show
  for port in /sys/class/net/dcb[0-9]*; do
    dcb pfc show dev "${port##*/}"
    ethtool "${port##*/}"
  done
  devlink dev show
  ibv_devinfo
}
alone() { RDMAREADY_SOCKET=/nowhere/agent.sock "$rdmaready" check --profile virtual-fabric; }
check() { "$rdmaready" check --profile virtual-fabric; }
start() { "$rdmaready" version; }
timed() {
  local begin=$EPOCHREALTIME end
  "$1" > /tmp/host_rung.out 2>&1
  end=$EPOCHREALTIME
  last=$(tail -n 1 /tmp/host_rung.out)
  echo "$1 $((${end/./} - ${begin/./})) $last"
}
collect() { "$collect_host" 1; }
rdmaready=$1/rdmaready collect_host=$1/collect_host
for name in pipeline alone check collect start; do timed $name > /dev/null; done
check
echo ---
for ((run = 0; run < $2; ++run)); do
  for name in pipeline collect check alone start; do timed $name; done
done
rm -f /tmp/host_rung.out
"""


def fabric(verb, name, *arguments, stdin="", check=True):
    done = subprocess.run([FABRIC, verb, "--name", name, *map(str, arguments)], input=stdin, capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"host_rung: {shlex.join(map(str, done.args))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def parse(text):
    """The report that was timed, and microseconds by name, in the order of the runs."""
    report, _, lines = text.partition("---\n")
    times = {}
    for line in lines.splitlines():
        name, microseconds, *last = line.split(maxsplit=2)
        if name == "collect":
            microseconds = last[0] if last else "said nothing"
            if not microseconds.isdecimal():
                sys.exit(f"host_rung: {microseconds}")
        times.setdefault(name, []).append(int(microseconds))
        if name == "check":
            said = re.search(r"\(([\d.]+) (us|ms|s)\)$", last[0] if last else "")
            if not said:
                sys.exit(f"host_rung: check did not say how long it took: {line}")
            times.setdefault("rung", []).append(float(said[1]) * UNITS_US[said[2]])
    return report, times


def summary(times):
    """By name: median and middle half in milliseconds, and the ratio to the pipeline of the same round."""
    rows = {}
    for name, values in times.items():
        ratios = [value / pipeline for value, pipeline in zip(values, times["pipeline"])]
        quartiles = statistics.quantiles(values, n=4)
        rows[name] = {"runs": len(values), "median_ms": statistics.median(values) / 1000,
                      "middle_half_ms": [quartiles[0] / 1000, quartiles[2] / 1000],
                      "ratio": statistics.median(ratios),
                      "ratio_middle_half": statistics.quantiles(ratios, n=4)[0::2]}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fabric", default="bench")
    parser.add_argument("--guest", type=int, default=1)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.runs < 2:
        parser.error("--runs: at least 2")

    own = fabric("status", options.fabric, check=False).returncode != 0
    try:
        if own:
            fabric("up", options.fabric, "--hosts", 1, "--agent", BIN / "rdmaready-agent")
        done = fabric("exec", options.fabric, "--timeout", 600, "--stdin", options.guest, "--", "bash", "-s", BIN,
                      options.runs, stdin=IN_GUEST)
    finally:
        if own:
            fabric("down", options.fabric, check=False)

    report, times = parse(done.stdout)
    rows = summary(times)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(report)
    print(f"{'':10}{'median':>10}  {'middle half':>20}  {'of the pipeline':>15}  (middle half)")
    for name, row in rows.items():
        low, high = row["middle_half_ms"]
        less, more = row["ratio_middle_half"]
        print(f"{name:10}{row['median_ms']:7.0f} ms  {f'{low:.0f} to {high:.0f} ms':>20}  {row['ratio']:15.2f}  ({less:.2f} to {more:.2f})")


if __name__ == "__main__":
    main()
