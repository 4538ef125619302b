# SPDX-License-Identifier: Apache-2.0
"""The fabric that a suite has to itself, one of those that CTest brings up before the first suite and takes down after the last, so that
several suites run at once; run by hand, a suite finds the one that is up, or brings its own."""
import fcntl
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

import tool

LAUNCHER = pathlib.Path(__file__).resolve().parents[1] / "fabric"
sys.path.append(str(LAUNCHER.parent / "lib"))
import guest_exec  # noqa: E402
from state import RunDirectory, make_base_directory  # noqa: E402


def word(*parts):
    """A path as one word of a shell, whatever it holds."""
    return shlex.quote(str(pathlib.Path(*parts)))


# Of every kernel before 7.0, as the guests have: unknown, and never in the way. facts_test looks at it.
NOT_TOLD_BY_THE_VERSION = "smb.kernel"


def take_one():
    """The name of a fabric that no other suite has, and what holds it for this process."""
    names = os.environ.get("RDMAREADY_FABRICS", "tests").split(",")
    while True:
        for name in names:
            held = open(pathlib.Path(make_base_directory()) / f".{name}.suite", "w")
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return name, held
            except BlockingIOError:
                held.close()
        time.sleep(0.2)


NAME, HELD = take_one()


def launcher(verb, *arguments, check=True, timeout=300, name=NAME):
    command = [LAUNCHER, verb, "--name", name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def guest(number, script, name=NAME):
    """Runs a shell line in a guest as root; its standard output. The exit status of iproute2 6.1's dcb says nothing: it may fail
    although the driver did what was asked, and the other way round. Who asks it has to look."""
    out, errors = bytearray(), bytearray()
    # As `fabric exec` does it, without a process for each of some thousand commands.
    machine = RunDirectory(name).load_running().guest(number)
    try:
        status = guest_exec.run(machine, ["sh", "-c", script], out.extend, errors.extend, 300, connect_timeout_s=60)
    except guest_exec.NotReached:
        launcher("exec", number, "--", "true", name=name)  # says why
        raise
    out, errors = out.decode(), errors.decode()
    if status != 0 and not script.startswith("dcb "):
        raise AssertionError(f"guest {number}: {script}: exit {status}\n{out}{errors}")
    return out


def bring_up_another(suffix, *options):
    """A fabric of a test's own, without an agent, beside the one that all share: its name. Ended soon by itself, should the
    test be ended before it does that."""
    name = f"{NAME}-{suffix}"
    launcher("up", "--agent", "/nowhere", "--deadline", 10, *options, name=name)
    return name


def bring_up():
    """The agents' addresses, by guest number."""
    launcher("up", "--hosts", 2, "--roles", "--agent", tool.BIN / "rdmaready-agent")
    return {int(line.split()[0]): line.split()[1] for line in launcher("status").stdout.splitlines()}


def put_right(*numbers, name=NAME):
    """Undoes what a test did to guests, without a reboot unless one is dead or cannot be reset; no number: to all of them. No test is to cause either."""
    words = launcher("reset", *numbers, name=name, timeout=600).stderr  # 120 s for the reset, 85 for the reason, 240 for a boot
    if " crashed\n" in words or " was not reset\n" in words:
        raise AssertionError(words)


def assert_device_is_free(number, **options):
    """Nobody holds a context, a connection or memory of the guest's RDMA device, which would keep it from being removed: a driver
    like rxe's waits for them, however long. What the kernel's own clients let go of may take a moment."""
    free = "cm_id 0 mr 0 ctx 0"
    held = guest(number, f"for i in $(seq 600); do rdma resource show | grep -q '{free} ' && exit; sleep 0.1; done; "
                         "rdma resource show; rdma resource show cm_id; ls -l /proc/[0-9]*/fd | grep infiniband; :", **options)
    if held:
        raise AssertionError(f"guest {number}: {held}")


def check(hosts, level="host", **options):
    return tool.rdmaready("check", *hosts.values(), "--profile", "virtual-fabric", "--level", level, "--output", "json",
                          **options)


# What counts at the ends of a live test that something was sent again.
AGAIN = r"(completer_retry_err|retry_rnr_exceeded_err|rcvd_seq_err|out_of_seq_request|duplicate_request|send_rnr_err|rcvd_rnr_err) \+\d+"


def check_without(words, hosts, level):
    """Checks up to three times, until no finding of a pair matches `words`, a regular expression. Returns the last answer, which may match."""
    for _ in range(3):
        answer = check(hosts, level, timeout=600)
        if not any(re.search(words, found["observed"]) for pair in answer.json["pairs"] for found in pair["findings"]):
            break
    return answer


def check_undisturbed(hosts, level):
    """Checks again where something was sent again. rxe waits half a second for an acknowledgement. A guest that gets no processor for that long
    sends again, and the check says so."""
    return check_without(AGAIN, hosts, level)


def cases(smb_direct):
    """The names of the live tests that speak SMB Direct, or of those that do not."""
    return [name for name in tool.rdmaready("test", "--list").out.split() if name.startswith("smbd-") == smb_direct]


def failing(report, host):
    """Ids that a person sees in red for that host."""
    return ids(report, host, "fail", "unknown")


def said(report, host):
    """Ids of everything that a person is told of that host, red or not."""
    return ids(report, host, "fail", "unknown", "warn")


def ids(report, host, *outcomes):
    return [f["id"] for entry in report["hosts"] if entry["host"] == host for f in entry["findings"]
            if f["outcome"] in outcomes and f["id"] != NOT_TOLD_BY_THE_VERSION]


def commands(found):
    """What a person types because of a finding, in one line; the words in capitals are still to be filled in."""
    open_words = "fill in and run: "
    typed = [step.get("command") or step["action"] for step in found["remedy"]["steps"]
             if "command" in step or step["action"].startswith(open_words)]
    return "; ".join(text.removeprefix(open_words) for text in typed)


def what_to_do(found):
    """All that a finding says is to be done, a text a line."""
    remedy = found["remedy"]
    steps = [step.get("command") or step["action"] for step in remedy["steps"]]
    return "\n".join([*remedy["cautions"], *steps, *remedy["alternatives"]])


def finding(report, host, check_id):
    for entry in report["hosts"]:
        if entry["host"] == host:
            for found in entry["findings"]:
                if found["id"] == check_id:
                    return found
    raise AssertionError(f"no finding {check_id} for {host}")


def rungs(report, host):
    """The outcome on each rung that was asked for."""
    return {rung["rung"]: rung["outcome"] for entry in report["hosts"] if entry["host"] == host
            for rung in entry["ladder"] if rung["outcome"] != "not-run"}
