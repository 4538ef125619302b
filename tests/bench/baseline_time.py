#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `rdmaready history --baseline` takes over a year of checks and tests, beside `rdmaready history --limit 1`, which asks the same agent
for next to nothing.

baseline_time.py [--rounds N] [--state DIR]

Lives through the year first (history_year, minutes), unless DIR has one. Each round runs both commands, the next the other way round. Prints
median and quartiles of either in ms, as a person waits for them, and exits 1 when the median of the first is above 100 ms.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import tool  # noqa: E402

MOST_MS = 100


def waited_ms(*arguments):
    began = time.monotonic()
    answer = tool.rdmaready(*arguments)
    if answer.status != 0:
        sys.exit(f"{arguments}: {answer}")
    return (time.monotonic() - began) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="of both commands (default 20)")
    parser.add_argument("--state", type=pathlib.Path, help="a state directory with a year in it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="baseline ") as folder:
        state = options.state or pathlib.Path(folder) / "state"
        if not options.state:
            state.mkdir()
            print(subprocess.run([tool.BIN / "history_year", state], check=True, capture_output=True, text=True).stdout, end="")
        with tool.Agent("--check-interval", "0", state=state) as agent:
            rows = len(tool.rdmaready("history", agent.address, "--baseline", "--output", "json").json["hosts"][0]["baselines"])
            commands = {"history --baseline": ("history", agent.address, "--baseline"), "history --limit 1": ("history", agent.address, "--limit", "1")}
            times = {name: [] for name in commands}
            for number in range(options.rounds):
                for name in list(commands)[:: 1 if number % 2 == 0 else -1]:
                    times[name].append(waited_ms(*commands[name]))
    for name, waited in times.items():
        low, middle, high = statistics.quantiles(waited, n=4, method="inclusive")
        print(f"{name:20} median {middle:6.1f} ms  quartiles {low:.1f} {high:.1f}  ({min(waited):.1f}..{max(waited):.1f})")
    median = statistics.median(times["history --baseline"])
    print(f"{rows} baselines; wanted within {MOST_MS} ms: {'met' if median <= MOST_MS else 'MISSED'}")
    return 0 if median <= MOST_MS else 1


if __name__ == "__main__":
    sys.exit(main())
