# SPDX-License-Identifier: Apache-2.0
"""What is known of a running fabric: its run directory and the state file in it."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import stat
from dataclasses import asdict, dataclass, field

from errors import FabricError, say
from process import Process

SOCKET_PATH_MAX_BYTES = 107
DEFAULT_NAME = "default"
TAIL_LINES = 25
CRASH_TAIL_LINES = 80  # a panic's trace, and what led to it
SIGNS_OF_A_CRASH = ("Kernel panic", "BUG:", "Oops", "general protection fault", "assertion failed")


@dataclass
class Guest:
    number: int
    process: Process
    agent_port: int
    exec_port: int
    token: str
    disk: Process = None


@dataclass
class Shape:
    """What "up" was asked for; a fabric that runs already serves only the same."""

    hosts: int
    agent: str  # empty: none
    memory_mb: int
    rails: int
    devices: list  # "rxe" or "siw", by guest
    state_disk_mb: int  # 0: none
    roles: bool  # whether guests can be what lib/roles.py knows
    tls: bool  # whether the agents have certificates (lib/pki.py)
    link_mbps: int  # the rate of each port of the switch; 0: none

    def device(self, number):
        return self.devices[number - 1]

    def __str__(self):
        devices = " ".join(f"--device {number}={device}" for number, device in enumerate(self.devices, 1))
        agent = f"--agent {self.agent}" if self.agent else "without an agent"
        disk = f" --state-disk {self.state_disk_mb}" if self.state_disk_mb else ""
        roles = (" --roles" if self.roles else "") + (" --tls" if self.tls else "")
        roles += f" --link-mbps {self.link_mbps}" if self.link_mbps else ""
        return f"--hosts {self.hosts} --rails {self.rails} {devices}{disk}{roles} --memory {self.memory_mb} {agent}"


@dataclass
class Fabric:
    name: str
    shape: Shape
    deadline_unix_s: int
    prepared: dict  # what the guests boot from, name to path
    hubs: list = field(default_factory=list)  # by rail
    guests: list = field(default_factory=list)

    def guest(self, number):
        for guest in self.guests:
            if guest.number == number:
                return guest
        raise FabricError(f"fabric {self.name} has no guest {number}, only 1 to {len(self.guests)}", 2)


def base_directory():
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    parent = runtime if os.path.isdir(runtime) else "/tmp"
    return os.path.join(os.path.realpath(parent), f"rdmaready-fabric-{os.getuid()}")


def make_base_directory():
    base = base_directory()
    with contextlib.suppress(FileExistsError):
        os.mkdir(base, 0o700)
    info = os.lstat(base)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid() or stat.S_IMODE(info.st_mode) & 0o077:
        raise FabricError(f"{base}: not a directory that only this user can enter")
    return base


def check_name(name):
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}", name):
        raise FabricError(f"--name {name}: letters, digits, '_', '.' and '-', at most 32", 2)
    return name


class RunDirectory:
    """Where one fabric keeps its sockets, logs and state."""

    def __init__(self, name):
        self.name = check_name(name)
        self.path = os.path.join(base_directory(), name)
        longest = self.hub_port(9, 99)
        if len(os.fsencode(longest)) > SOCKET_PATH_MAX_BYTES:
            raise FabricError(f"{longest}: too long for a unix socket; set XDG_RUNTIME_DIR to a shorter directory")

    def file(self, name):
        return os.path.join(self.path, name)

    def socket(self, name):
        return self.file(f"{name}.sock")

    def console(self, number):
        return self.file(f"guest{number}.console")

    def last_words(self, number, lines=TAIL_LINES):
        """The ends of what the guest and its QEMU said; empty when they said nothing."""
        words = ""
        for path in (self.qemu_log(number), self.console(number)):
            if text := _tail(path, lines):
                words += f"--- end of {os.path.basename(path)}\n{text}\n"
        return words.rstrip()

    def crash(self, number):
        """The last words of a dead guest that crashed; empty of one that somebody ended."""
        words = self.last_words(number, CRASH_TAIL_LINES)
        return words if any(sign in words for sign in SIGNS_OF_A_CRASH) else ""

    def qemu_log(self, number):
        return self.file(f"guest{number}.qemu.log")

    def hub(self, rail):
        """Where the switch of a rail takes requests. It is there when all its ports are."""
        return self.socket(f"hub{rail}")

    def hub_port(self, rail, number):
        """Where guest `number` is connected."""
        return self.socket(f"hub{rail}.{number}")

    def disk(self, number):
        return self.socket(f"{number}.disk")

    def disk_image(self, number):
        return self.file(f"guest{number}.state")

    def pki(self):
        return self.file("pki")

    def qmp(self, number):
        return self.socket(f"{number}.qmp")

    @contextlib.contextmanager
    def lock(self):
        """One "up" or "down" of a name at a time."""
        with open(os.path.join(make_base_directory(), f".{self.name}.lock"), "w", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"another command works on fabric {self.name}; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def make(self):
        make_base_directory()
        self.remove()
        os.mkdir(self.path, 0o700)

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def save(self, fabric):
        path = self.file("state.json")
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(asdict(fabric), file, indent=1)
        os.replace(path + ".new", path)

    def load(self):
        """The fabric, or None when there is none of this name."""
        raw = self._raw()
        if raw is None:
            return None
        process = lambda known: Process(**known) if known else None
        try:
            guests = [Guest(**{**one, "process": process(one["process"]), "disk": process(one["disk"])}) for one in raw["guests"]]
            hubs = [process(hub) for hub in raw["hubs"]]
            return Fabric(raw["name"], Shape(**raw["shape"]), raw["deadline_unix_s"], raw["prepared"], hubs, guests)
        except (KeyError, TypeError) as error:
            raise FabricError(f"fabric {self.name} was started by another version of this program; take it down") from error

    def processes(self):
        """All that were started for it, running or not, whichever version of this program did."""
        def within(value):
            if isinstance(value, dict):
                if set(value) == {"pid", "start_ticks"}:
                    yield Process(**value)
                value = list(value.values())
            if isinstance(value, list):
                for one in value:
                    yield from within(one)
        return list(within(self._raw()))

    def _raw(self):
        try:
            with open(self.file("state.json"), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def load_running(self):
        fabric = self.load()
        if fabric is None:
            raise FabricError(f"fabric {self.name} is not running")
        return fabric


def all_names():
    try:
        names = os.listdir(base_directory())
    except FileNotFoundError:
        return []
    return sorted(name for name in names if not name.startswith("."))


def _tail(path, lines):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:]).rstrip()
    except FileNotFoundError:
        return ""
