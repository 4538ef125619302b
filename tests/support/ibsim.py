# SPDX-License-Identifier: Apache-2.0
"""A simulated InfiniBand fabric: Debian's ibsim and opensm, and whatever sends its datagrams to them. No process of it
touches the machine: ibsim listens on a unix socket of a name of its own, everything else is in a directory of its own."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import preload
import tool
from eventually import eventually

# Where tests/run unpacks the packages, so that no opensm becomes a service of this machine; else what is installed.
ROOTS = [pathlib.Path(os.environ.get("RDMAREADY_IBSIM", tool.ROOT / "build" / "ibsim")), pathlib.Path("/")]
LIBRARIES = "usr/lib/x86_64-linux-gnu"
PRELOADED = pathlib.Path(LIBRARIES) / "umad2sim" / "libumad2sim.so"
# All that is started of the packages.
PROGRAMS = ("ibsim", "opensm", "smpquery", "perfquery")

# Two hosts on one switch, 4X HDR, as ibnetdiscover would print it before a subnet manager gave out LIDs.
NET = '''Switch 4 "leaf1" # "leaf1" base port 0 lid 0 lmc 0
[1] "node1"[1] # "node1" lid 0 4xHDR
[2] "node2"[1] # "node2" lid 0 4xHDR

Hca 1 "node1" # "node1"
[1] "leaf1"[1] # lid 0 lmc 0 "leaf1" lid 0 4xHDR

Hca 1 "node2" # "node2"
[1] "leaf1"[2] # lid 0 lmc 0 "leaf1" lid 0 4xHDR
'''


def root_with(program):
    """(what it was unpacked into, its path)"""
    if program not in PROGRAMS:
        raise ValueError(f"{program}: not in PROGRAMS, so that no test looks at what it needs")
    for root in ROOTS:
        for folder in ("usr/bin", "usr/sbin"):
            if os.access(root / folder / program, os.X_OK):
                return root, root / folder / program
    raise FileNotFoundError(f"{program}: apt-get install ibsim-utils opensm infiniband-diags, or tests/run, which unpacks them")


class Fabric:
    """A running ibsim; use as a context."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ibsim-"))
        self.processes = []
        self.module = None
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for process in self.processes:
            if process.stdin:
                process.stdin.close()
        if self.module:
            self.module.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self, host=None):
        root, _ = root_with("ibsim")
        environment = tool.environment({"IBSIM_SOCKNAME": f"rdmaready-{os.getpid()}-{self.folder.name}"})
        environment.pop("IBSIM_SERVER_NAME", None)
        if root != pathlib.Path("/"):
            environment["LD_LIBRARY_PATH"] = str(root / LIBRARIES)
        if host:
            environment |= {"SIM_HOST": host, "LD_PRELOAD": str(self.module.path),
                            "OSM_TMP_DIR": str(self.folder), "OSM_CACHE_DIR": str(self.folder)}
        return environment

    def spawn(self, program, *arguments, host=None, **more):
        _, path = root_with(program)
        with open(self.folder / f"{program}.out", "wb") as out:
            process = subprocess.Popen([path, *arguments], cwd=self.folder, env=self.environment(host), stdout=out,
                                       stderr=subprocess.STDOUT, **more)
        self.processes.append(process)
        return process

    def start(self):
        (self.folder / "net").write_text(NET)
        root, _ = root_with("ibsim")
        self.module = preload.Module(root / PRELOADED)
        self.simulator = self.spawn("ibsim", "-s", "net", stdin=subprocess.PIPE)
        self.wait_until(lambda: "simulator ready" in (self.folder / "ibsim.out").read_text(), "ibsim")

    def wait_until(self, done, what, seconds=60):
        def look():
            for process in self.processes:
                if process.poll() is not None:
                    raise AssertionError(f"{process.args[0]} ended with {process.returncode}")
            return done()

        eventually(look, seconds=seconds, why=lambda: what)

    def command(self, line):
        """A command of ibsim's console, which answers nothing that one could wait for."""
        self.simulator.stdin.write(line.encode() + b"\n")
        self.simulator.stdin.flush()

    def start_subnet_manager(self):
        self.spawn("opensm", "-e", "-f", "opensm.log", "-s", "0", host="node2", stdin=subprocess.DEVNULL)

    def port_is(self, state, host="node1"):
        told = self.run("smpquery", "-D", "portinfo", "0", "1", host=host)
        return re.search(rf"^LinkState:\.*{state}$", told, re.M) is not None

    def run(self, program, *arguments, host="node1"):
        """What a program prints that speaks to the fabric as `host`; a path, or a name of the packages."""
        path = program if "/" in str(program) else root_with(program)[1]
        done = subprocess.run([str(path), *map(str, arguments)], cwd=self.folder, env=self.environment(host), timeout=60,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"{path} {arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout
