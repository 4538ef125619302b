# SPDX-License-Identifier: Apache-2.0
"""fabric up: prepare, start the hubs and the guests, wait until each is what it should be."""

import concurrent.futures
import contextlib
import os
import secrets
import signal
import socket
import subprocess
import threading
import time

import faults
import guest_exec
import machine
import pki
from errors import FabricError, say
from process import kill
from state import Fabric, Guest


def prepare(devices, roles, system=False, managers=False):
    """Runs lib/prepare for guests with these RDMA devices, with or without server roles and a disk with systemd, which may have lldpad and
    NetworkManager. Returns the printed paths by their names."""
    words = {"roles": roles, "system": system, "managers": managers}
    wanted = sorted(set(devices)) + [word for word, asked in words.items() if asked]
    # A process group of its own, so that it can be ended with all it runs.
    child = subprocess.Popen(
        [os.path.join(machine.FABRIC_DIR, "lib", "prepare"), *wanted], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        text=True, start_new_session=True,
    )
    try:
        output, _ = child.communicate()
    except BaseException:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise
    if child.returncode != 0:
        raise FabricError("not prepared", 3)
    return dict(line.split("=", 1) for line in output.splitlines())


def take_down(run):
    """Ends what the fabric of this name started, and removes its files."""
    stuck = [process.pid for process in run.processes() if not kill(process)]
    if stuck:
        raise FabricError(f"fabric {run.name}: processes {stuck} do not end")
    run.remove()


def start(run, shape, prepared, deadline_s):
    fabric = Fabric(run.name, shape, int(time.time()) + deadline_s, prepared)
    run.make()
    # Saved before and after each start, so that "down" knows all there is at any moment.
    run.save(fabric)
    if shape.tls:
        pki.make(run.pki(), shape.hosts)
    for rail in machine.rails_of(shape):
        fabric.hubs.append(machine.start_hub(run, prepared, rail, shape, deadline_s + 5))
        run.save(fabric)
    for rail, hub in zip(machine.rails_of(shape), fabric.hubs):
        machine.wait_for_socket(run.hub(rail), hub, run.file(f"hub{rail}.log"))
    ports = iter(machine.free_ports(2 * shape.hosts))
    for number in range(1, shape.hosts + 1):
        if shape.state_disk_mb:
            machine.make_disk_image(run, number, shape.state_disk_mb)
        fabric.guests.append(Guest(number, None, next(ports), next(ports), secrets.token_hex(16)))
        power_on(run, fabric, fabric.guests[-1])
    return fabric


def power_on(run, fabric, guest):
    """Starts a guest that does not run, and its disk when that has no power."""
    deadline_s = fabric.deadline_unix_s - int(time.time())
    if deadline_s <= 0:
        raise FabricError(f"fabric {fabric.name}: its time is over")
    if fabric.shape.state_disk_mb and not (guest.disk and guest.disk.running()):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(run.disk(guest.number))  # of a disk that lost its power
        guest.disk = machine.start_disk(run, fabric.prepared, guest.number, deadline_s + 5)
        run.save(fabric)
        machine.wait_for_socket(run.disk(guest.number), guest.disk, run.file(f"disk{guest.number}.log"))
    guest.process = machine.start_guest(run, guest, fabric.prepared, fabric.shape, deadline_s)
    run.save(fabric)


def reset(run, fabric, guests, timeout_s):
    """Undoes what tests did to guests that run: from outside their machines, then from inside, all at once. Returns the guests that were not reset
    within `timeout_s`, each with the reason."""
    def reset_one(guest):
        try:
            faults.qmp(run.qmp(guest.number), "cont")
            for nic in (machine.MANAGEMENT_NIC, *map(machine.fabric_nic, machine.rails_of(fabric.shape))):
                faults.qmp(run.qmp(guest.number), "set_link", {"name": nic, "up": True})
            faults.in_guest(guest, os.path.join(machine.FABRIC_DIR, "guest", "reset"), timeout_s=timeout_s)
        except FabricError as error:
            return guest, f"{error}\n{_blocked_tasks(guest)}"
        return None

    with concurrent.futures.ThreadPoolExecutor(len(guests) or 1) as pool:
        return list(filter(None, pool.map(reset_one, guests)))


def _blocked_tasks(guest):
    """The kernel's list of tasks that wait without end, and what it said before."""
    try:
        return faults.in_guest(guest, "sh", "-c", "echo w > /proc/sysrq-trigger; dmesg | tail -n 300", timeout_s=20)
    except FabricError as error:
        return str(error)


def wait_until_ready(run, fabric, guests, boot_timeout_s):
    """Returns when each of these guests is; raises the first one's failure, with the end of its console."""
    started = time.monotonic()
    stop = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(len(guests) or 1) as pool:
        waits = [pool.submit(_GuestWait(run, fabric, guest, started, boot_timeout_s, stop).run) for guest in guests]
        try:
            for wait in concurrent.futures.as_completed(waits):
                wait.result()
        finally:
            stop.set()


class _GuestWait:
    def __init__(self, run, fabric, guest, started, boot_timeout_s, stop):
        self.run_directory, self.fabric, self.guest = run, fabric, guest
        self.started, self.boot_timeout_s, self.stop = started, boot_timeout_s, stop
        self.patience_s = 0.3

    def run(self):
        self._until("boots", self._answers)
        self._say("booted")
        self._step("provision", "provisioned")
        if self.fabric.shape.agent:
            self._step("agent", "agent runs")
            self._until("agent answers", self._agent_answers)
        self._say("ready")

    def _answers(self):
        """Whether the guest takes commands. What is sent before it listens is lost, so short attempts come first."""
        self.patience_s = min(5, self.patience_s * 1.3)
        return self._exec(["true"], self.patience_s) is not None

    def _step(self, name, done):
        """Waits for what guest/boot runs under this name, and for its success."""
        # Waits in the guest without starting processes there: each takes 50 ms of what the boot needs itself.
        wait = f'until [ -e {name}.status ]; do read -rt 0.05 <> pause; done; echo "$(< {name}.status)"'
        status = self._until(name, lambda: self._exec(["bash", "-c", f"cd /run/fabric; {wait}"], 10)).strip()
        if status != "0":
            log = self._exec(["cat", f"/run/fabric/{name}.log"], 10) or ""
            raise FabricError(f"guest {self.guest.number}: {name} failed, status {status}\n{log.rstrip()}")
        self._say(done)

    def _exec(self, argv, connect_timeout_s):
        """Standard output of a command in the guest; None when it does not answer or fails."""
        output = bytearray()
        try:
            status = guest_exec.run(self.guest, argv, output.extend, lambda _: None, 2, connect_timeout_s=connect_timeout_s)
        except guest_exec.NotReached:
            return None
        return output.decode(errors="replace") if status == 0 else None

    def _agent_answers(self):
        """QEMU accepts at once, and closes at once when nobody listens in the guest."""
        try:
            with socket.create_connection(("127.0.0.1", self.guest.agent_port), timeout=2) as connection:
                connection.settimeout(0.2)
                return connection.recv(1) != b""
        except TimeoutError:
            return True
        except OSError:
            return False

    def _until(self, what, attempt):
        while True:
            value = attempt()
            if value:
                return value
            if self.stop.is_set():
                raise FabricError("stopped")
            number = self.guest.number
            if not self.guest.process.running():
                raise FabricError(f"guest {number} ended while waiting until it {what}\n{self.run_directory.last_words(number)}")
            if time.monotonic() - self.started > self.boot_timeout_s:
                raise FabricError(f"guest {number}: {what}: not within {self.boot_timeout_s} s\n{self.run_directory.last_words(number)}")
            time.sleep(0.05)

    def _say(self, what):
        say(f"guest {self.guest.number}: {what} ({time.monotonic() - self.started:.1f} s)")
