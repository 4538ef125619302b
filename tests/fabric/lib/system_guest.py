# SPDX-License-Identifier: Apache-2.0
"""A guest that boots systemd from a disk of its own (lib/prepare system), for what is installed and started as a service. Not part of a fabric:
one guest, one test, gone with it."""

import contextlib
import os
import secrets
import shlex
import shutil
import time

import bring_up
import guest_exec
import machine
from errors import FabricError
from process import kill, start_detached
from state import Guest, RunDirectory

GUEST_TMP = "/mnt/share"
DEADLINE_S = 3000


class SystemGuest:
    """Use as a context. `files`: names in /mnt/share of the guest, and the files here that are copied there. `managers`: with lldpad and
    NetworkManager on its disk, not started."""

    def __init__(self, name, files, memory_mb=1024, may_reboot=False, managers=False):
        self.run_directory = RunDirectory(name)
        self.files = files
        self.memory_mb, self.may_reboot, self.managers = memory_mb, may_reboot, managers
        self.guest = Guest(1, None, 0, machine.free_ports(1)[0], secrets.token_hex(16))

    def __enter__(self):
        prepared = bring_up.prepare(["rxe"], False, system=True, managers=self.managers)
        self.run_directory.make()
        share = self.run_directory.file("share")
        os.mkdir(share)
        here = os.path.join(machine.FABRIC_DIR, "guest")
        # As the scripts of the other guests find it: /run/fabric/conf.
        conf = {"id": 1, "device": "rxe", "dcbnic_ko": f"{GUEST_TMP}/dcbnic.ko", "wire_macs": machine.wire_mac(1, 1), "siw_ko": "",
                "link_mbps": 0}
        with open(os.path.join(share, "conf"), "w", encoding="utf-8") as file:
            file.writelines(f"{name}={shlex.quote(str(value))}\n" for name, value in conf.items())
        with open(os.path.join(share, "token"), "w", encoding="utf-8") as file:
            file.write(self.guest.token)
        for name, path in {"execd": prepared["execd"], "dcbnic.ko": prepared["dcbnic_ko"], "provision": f"{here}/provision", **self.files}.items():
            shutil.copy(path, os.path.join(share, name))
        self.booted_at = time.monotonic()
        argv = machine.system_argv(self.run_directory, self.guest, prepared, share, self.memory_mb) + ([] if self.may_reboot else ["-no-reboot"])
        bounded = ["timeout", "--kill-after=1", str(DEADLINE_S), "setpriv", "--pdeathsig", "KILL"]
        self.process = start_detached(bounded + argv, self.run_directory.qemu_log(1))
        try:
            self.wait_until_it_answers(300)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        kill(self.process)
        self.run_directory.remove()

    def wait_until_it_answers(self, patience_s):
        end = time.monotonic() + patience_s
        while True:
            with contextlib.suppress(guest_exec.NotReached):
                if self.run(["true"], 10, connect_timeout_s=2)[0] == 0:
                    return
            if not self.process.running() or time.monotonic() > end:
                raise FabricError(f"the guest does not answer\n{self.run_directory.last_words(1)}")
            time.sleep(0.2)

    def run(self, argv, timeout_s=300, connect_timeout_s=10):
        """(exit status, standard output, standard error) of a command by root."""
        out, errors = bytearray(), bytearray()
        status = guest_exec.run(self.guest, argv, out.extend, errors.extend, timeout_s, connect_timeout_s=connect_timeout_s)
        return status, out.decode(errors="replace"), errors.decode(errors="replace")

    def shell(self, script, timeout_s=300):
        """Standard output of a shell line that succeeds."""
        status, out, errors = self.run(["sh", "-c", script], timeout_s)
        if status != 0:
            raise AssertionError(f"{script}: exit {status}\n{out}{errors}")
        return out

    def add(self, name, path):
        """Puts another file into /mnt/share. A name that the guest has not looked for yet: what it knows of the share it keeps."""
        shutil.copy(path, os.path.join(self.run_directory.file("share"), name))
