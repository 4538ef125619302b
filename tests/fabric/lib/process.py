# SPDX-License-Identifier: Apache-2.0
"""Processes that outlive us, known by pid and start time, so that a pid used again is never mistaken for ours."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Process:
    pid: int
    start_ticks: int

    def running(self):
        return _start_ticks(self.pid) == self.start_ticks


def _start_ticks(pid):
    """When the process started, in ticks since boot; None when there is none or only its zombie is left. While other
    threads live, a process runs and holds its ports, although its first thread is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    only_thread = int(fields[17]) <= 1
    return None if fields[0] in "ZX" and only_thread else int(fields[19])


INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def interruptions_deferred():
    """Between starting a process and noting it down nothing may interrupt; it does at the end."""
    pending = []
    handlers = {number: signal.signal(number, lambda number, _: pending.append(number)) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(pending[0])


def start_detached(argv, log_path):
    """Starts a process in a session of its own; its words go to log_path."""
    with open(log_path, "ab") as log:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    # Already dead: a start time that never matches.
    return Process(child.pid, _start_ticks(child.pid) or -1)


def _child_processes(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [Process(child, _start_ticks(child) or -1) for child in pids]


def freeze(process):
    """SIGSTOP to its children: they do nothing more until they are killed."""
    for child in _child_processes(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGSTOP)


def kill(process, wait_s=10):
    """SIGKILL to a process started here; returns when it and its children (bound to its life) are gone."""
    if not process.running():
        return True
    doomed = [process, *_child_processes(process.pid)]
    os.kill(process.pid, signal.SIGKILL)
    give_up = time.monotonic() + wait_s
    while any(one.running() for one in doomed):
        if time.monotonic() > give_up:
            return False
        time.sleep(0.01)
    return True
