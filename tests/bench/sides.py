# SPDX-License-Identifier: Apache-2.0
"""The two sides of the benchmark: one run of rdmaready, or of perftest, from guest 1 to guest 2. Every run is bounded in time."""
import json
import os
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABRIC = ROOT / "tests" / "fabric" / "fabric"
BIN = pathlib.Path(os.environ.get("RDMAREADY_BIN", ROOT / "build" / "bin"))
SERVER_ADDRESS = "10.0.0.2"
TOS = 106  # what the fabric's profile marks by, so perftest is told the same: the NIC treats both alike
MIB = 1 << 20
TIMEOUT_S = 60

# Behind a command of bash: its processor time in ns and the clock in us, a second after its start and half a second or less
# before its end. Nothing is told of a client that ends sooner: it has to try again.
WATCHED = r"""& pid=$!
sleep 1
if read begin rest < /proc/$pid/schedstat; then
  begin="$begin ${EPOCHREALTIME/./}"
  while sleep 0.5; read cpu rest < /proc/$pid/schedstat; do end="$cpu ${EPOCHREALTIME/./}"; done
  echo "busy $begin $end"
fi 2> /dev/null
wait $pid
"""


class RunFailed(Exception):
    pass


def fabric(verb, name, *arguments, check=True, timeout=600):
    done = subprocess.run([FABRIC, verb, "--name", name, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise RunFailed(f"{shlex.join(map(str, done.args))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Guests:
    """Two guests of a fabric that is up, or is brought up here and ended with it."""

    def __init__(self, name):
        self.name = name
        self.own = fabric("status", name, check=False).returncode != 0

    def __enter__(self):
        try:
            fabric("up", self.name, "--hosts", 2, "--roles", "--agent", BIN / "rdmaready-agent", "--deadline", 120)
            status = fabric("status", self.name).stdout.splitlines()
        except BaseException:
            self.__exit__()
            raise
        self.address = {int(line.split()[0]): line.split()[1] for line in status}
        return self

    def __exit__(self, *_):
        if self.own:
            fabric("down", self.name, check=False)


class Rdmaready:
    name = "rdmaready"

    def __init__(self, guests):
        self.guests = guests

    def run(self, case, seconds, *flags, initiator=1):
        """The result of one case, as the command prints it."""
        hosts = [self.guests.address[initiator], self.guests.address[3 - initiator]]
        return self._json("test", "peer", *hosts, "--case", case, "--duration", f"{round(seconds * 1000)}ms", *flags)["results"][0]

    def tcp_bytes_per_s(self, case, seconds):
        """Over TCP, from guest 1 to guest 2, unverified. The transfers over RDMA beside it are not used."""
        hosts = [self.guests.address[1], self.guests.address[2]]
        made = self._json("compare", *hosts, "--profile", "virtual-fabric", "--case", case, "--duration", f"{round(seconds * 1000)}ms", "--no-verify")
        return made["cases"][0]["tcp"]["throughput_bytes_per_s"]

    @staticmethod
    def _json(*words):
        command = [BIN / "rdmaready", *words, "--output", "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
                              env={**os.environ, "RDMAREADY_SOCKET": "/nowhere/agent.sock"})
        if done.returncode != 0:
            raise RunFailed(f"{shlex.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)


class KernelShare:
    """A share of guest 2's ksmbd, in its memory, read by guest 1's kernel over SMB Direct."""
    mount = (f"mountpoint -q /mnt || mount -t cifs //{SERVER_ADDRESS}/share /mnt -o username=tester,password=secret,vers=3.1.1,rdma,cache=none; "
             "[ -s /mnt/bench ] || dd if=/dev/zero of=/mnt/bench bs=1M count=32 2> /dev/null")

    def __init__(self, guests):
        self.guests = guests
        self.ready = False

    def read_bytes_per_s(self, seconds):
        """Direct reads of 512 KiB, one after the other."""
        if not self.ready:
            fabric("role", self.guests.name, 2, "smb")
            fabric("exec", self.guests.name, 1, "--", "bash", "-c", self.mount)
            self.ready = True
        count = min(max(round(seconds * 20), 8), 64)
        done = fabric("exec", self.guests.name, 1, "--", "bash", "-c", f"dd if=/mnt/bench of=/dev/null bs=512k count={count} iflag=direct")
        copied = re.search(r"^(\d+) bytes .*copied, ([0-9.e+-]+) s,", done.stdout + done.stderr, re.M)
        if not copied:
            raise RunFailed(f"dd told nothing: {done.stdout}{done.stderr}")
        return int(copied[1]) / float(copied[2])


class Qperf:
    """TCP between the same addresses."""
    name = "qperf"

    def __init__(self, guests):
        self.guests = guests

    def tcp_bytes_per_s(self, size, seconds):
        """The client waits up to 5 s for the server, which ends with it."""
        server = subprocess.Popen([FABRIC, "exec", "--name", self.guests.name, "--timeout", str(TIMEOUT_S), "2", "--", "bash", "-c",
                                   f"timeout {round(seconds) + 10} qperf"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
        try:
            words = ["qperf", "-uu", "-ws", 5, "-t", max(round(seconds), 1), "-m", size, SERVER_ADDRESS, "tcp_bw", "quit"]
            asked = fabric("exec", self.guests.name, 1, "--", *words, timeout=TIMEOUT_S)
            server.communicate(timeout=TIMEOUT_S)
        finally:
            if server.poll() is None:
                server.kill()
                server.wait()
        said = re.search(r"bw += +(\d+) bytes/sec", asked.stdout)
        if not said:
            raise RunFailed(f"qperf printed no figure: {asked.stdout}{asked.stderr}")
        return int(said[1])


# perftest measures the processor's clock before it reports, and gives up where the guest was interrupted meanwhile (get_clock.c):
# no figure, and nobody's fault.
NOT_CALIBRATED = "Can't produce a report"
CALIBRATIONS = 4


class Perftest:
    name = "perftest"
    next_port = 18515

    def __init__(self, guests):
        self.guests = guests

    def run(self, tool, *options, watch=False):
        """What the client printed, and if watched the share of a processor that the client and the server took together."""
        for _ in range(CALIBRATIONS - 1):
            try:
                return self._run(tool, *options, watch=watch)
            except RunFailed as failed:
                if NOT_CALIBRATED not in str(failed):
                    raise
        return self._run(tool, *options, watch=watch)

    def _run(self, tool, *options, watch):
        """The client tries again until the server listens."""
        port = Perftest.next_port = Perftest.next_port + 1
        words = [tool, "-d", "rxe0", "--tclass", str(TOS), "-p", str(port), *map(str, options)]
        watched = WATCHED if watch else "& wait $!\n"
        server = subprocess.Popen(self._exec(2, f"{shlex.join(words)} {watched}"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, stdin=subprocess.DEVNULL)
        try:
            client = f"{{ {shlex.join([*words, SERVER_ADDRESS])} {watched} }}"
            asked = subprocess.run(self._exec(1, f"for try in $(seq 30); do {client} 2>&1 && exit 0; sleep 0.1; done; exit 1"),
                                   capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
            served, _ = server.communicate(timeout=TIMEOUT_S)
        finally:
            if server.poll() is None:
                server.kill()
                server.wait()
        if asked.returncode != 0 or server.returncode != 0:
            raise RunFailed(f"{client}: exit {asked.returncode}, server {server.returncode}\n{asked.stdout}{asked.stderr}{served}")
        return asked.stdout, self._busy(asked.stdout) + self._busy(served)

    def _exec(self, number, script):
        return [FABRIC, "exec", "--name", self.guests.name, "--timeout", str(TIMEOUT_S - 10), str(number), "--", "bash", "-c", script]

    @staticmethod
    def _busy(output):
        said = re.findall(r"^busy (\d+) (\d+) (\d+) (\d+)$", output, re.M)
        if not said:
            return 0
        cpu_begin_ns, begin_us, cpu_end_ns, end_us = map(int, said[-1])
        return (cpu_end_ns - cpu_begin_ns) / 1000 / (end_us - begin_us)

    def bandwidth(self, tool, size, depth, *options):
        """Bytes per second."""
        output, _ = self.run(tool, "-s", size, "-t", depth, *options)
        return self._row(output, size)[3] * MIB

    def latency_us(self, tool, size, iterations, column=4):
        """Half of the round trip: the typical (median) one, or that of another column."""
        output, _ = self.run(tool, "-s", size, "-n", iterations)
        return self._row(output, size)[column]

    def latency_p99_us(self, tool, size, iterations):
        return self.latency_us(tool, size, iterations, column=7)

    def cpu_per_gb(self, tool, size, depth, messages, *options):
        """Processor seconds of both processes for each 10^9 bytes, in the middle of a run of so many messages."""
        output, busy = self.run(tool, "-s", size, "-t", depth, "-n", messages, *options, watch=True)
        if busy == 0:
            raise RunFailed(f"{tool}: {messages} messages of {size} bytes were over too soon to see what they cost")
        return busy / (self._row(output, size)[3] * MIB / 1e9)

    @staticmethod
    def _row(output, size):
        """Size, iterations, and the figures behind them."""
        for line in output.splitlines():
            if re.match(rf"\s*{size}\s", line):
                return [float(word) for word in line.split()]
        raise RunFailed(f"perftest printed no figures:\n{output}")
