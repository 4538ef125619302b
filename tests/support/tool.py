# SPDX-License-Identifier: Apache-2.0
"""Runs what was built, the way a person would: a command line, its output, its exit status."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from eventually import eventually

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("RDMAREADY_BIN", ROOT / "build" / "bin"))


def bin_for_everybody(add_cleanup, *names):
    """A directory with these programs that every user may run: a tree below /root is only root's. `add_cleanup` of a case, class or module
    is told how to remove it."""
    folder = tempfile.TemporaryDirectory(prefix="rdmaready bin ")
    add_cleanup(folder.cleanup)
    place = pathlib.Path(folder.name)
    place.chmod(0o755)
    for name in names:
        shutil.copy2(BIN / name, place)
    return place


# Tests take no context of the person who runs them.
NO_CONTEXTS = "/dev/null/contexts.yaml"

# Where no HOST is given, the local agent is asked, if there is one: never one that a test did not start.
NO_SOCKET = "/dev/null/agent.sock"  # a place that not even root can make


def environment(extra=None):
    return {**os.environ, "NO_COLOR": "1", "RDMAREADY_SOCKET": NO_SOCKET, "RDMAREADY_CONFIG": NO_CONTEXTS, **(extra or {})}


class Answer:
    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"exit {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def rdmaready(*arguments, timeout=120, env=None, stdin=""):
    return Answer(subprocess.run([BIN / "rdmaready", *map(str, arguments)], capture_output=True, text=True,
                                 timeout=timeout, env=environment(env), input=stdin))


def start(*arguments):
    """A command that goes on while the test does something to it."""
    return subprocess.Popen([BIN / "rdmaready", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, stdin=subprocess.DEVNULL, env=environment())


def finish(process, timeout=120):
    process.stdout_text, process.stderr_text = process.communicate(timeout=timeout)
    return Answer(subprocess.CompletedProcess(process.args, process.returncode, process.stdout_text,
                                              process.stderr_text))


class Agent:
    """An agent of this machine on a free loopback port; use as a context. `state`: where its results are kept, if
    they are to outlive it. `under`: a command that starts the rest of its arguments. `programs`: where the agent is. `plain_role`: what callers
    by plain TCP may do, unless the arguments say it; None: as a person starts it, who names no role."""

    def __init__(self, *arguments, listen="127.0.0.1:0", state=None, under=(), programs=BIN, plain_role="test"):
        self.programs = programs
        self.arguments = arguments if plain_role is None or "--plain-role" in arguments else (*arguments, "--plain-role", plain_role)
        self.under = under
        self.listen = listen
        self.state = state
        self.log = []
        self.address = None

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="rdmaready test ")
        self.state = pathlib.Path(self.state or pathlib.Path(self.directory.name) / "state")
        self.socket = pathlib.Path(self.directory.name) / "agent.sock"
        self.process = subprocess.Popen(
            [*self.under, self.programs / "rdmaready-agent", "--listen", self.listen, "--state-dir", self.state, *self.arguments],
            stderr=subprocess.PIPE, text=True, env=environment({"RDMAREADY_SOCKET": str(self.socket)}))
        found = threading.Event()

        def read():
            for line in self.process.stderr:
                self.log.append(line)
                listening = re.search(r'listening.*?address"?[=:]"?(?!unix:)([^" ]+)', line)
                if listening and self.address is None:
                    self.address = listening.group(1)
                    found.set()
            found.set()

        self.reader = threading.Thread(target=read)
        self.reader.start()
        found.wait(60)
        return self

    def logged(self, word, seconds=60, clock=None):
        """The first line of the log that holds the word, once there is one. `clock`: a MovedClock that goes on until then."""
        def look():
            return next((line for line in list(self.log) if word in line), "")

        def why():
            return f"{word}: not in\n{''.join(self.log)}"

        return clock.until(look, seconds=seconds, why=why) if clock else eventually(look, seconds=seconds, every=0.02, why=why)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(60)
        self.reader.join()
        return status

    def __exit__(self, *_):
        self.stop()
        self.process.stderr.close()
        self.directory.cleanup()
