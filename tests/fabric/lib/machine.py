# SPDX-License-Identifier: Apache-2.0
"""The processes of a fabric: a QEMU and perhaps a disk for each guest, a hub for each rail."""

import os
import random
import shlex
import socket
import subprocess
import time

from errors import FabricError
from process import freeze, kill, start_detached

FABRIC_DIR = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
AGENT_PORT = 7471
EXEC_PORT = 7470
GUEST_ADDRESS = "10.0.2.15"


def free_ports(count):
    """TCP ports on which nobody listens on loopback, all different. Below those that the kernel gives to whoever calls (from 32768): one of these may
    be taken before QEMU has it."""
    free = []
    for port in random.sample(range(20_000, 32_000), 1000):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        free.append(port)
        if len(free) == count:
            return free
    raise FabricError("no free TCP ports from 20000 to 31999")


def wire_mac(number, rail):
    return f"52:54:00:00:{rail:02x}:{number:02x}"


def mgmt_mac(number):
    return f"52:54:00:00:00:{number:02x}"


def rails_of(shape):
    return range(1, shape.rails + 1)


def write_conf(path, guest, prepared, shape, pki=""):
    """The guest's settings, read there by guest/init, boot, provision and agent."""
    device = shape.device(guest.number)
    paths = {name: prepared[name] for name in ("modules_dir", "dcbnic_ko", "execd")}
    if device == "siw":
        paths["siw_ko"] = prepared["siw_ko"]
    if shape.roles:
        paths |= {name: prepared[name] for name in ("ksmbd_mountd", "mount_cifs", "lldpad", "role_libraries")}
    settings = {
        "id": guest.number,
        "fabric_dir": FABRIC_DIR,
        "ksmbd_mountd": "",
        "mount_cifs": "",
        "lldpad": "",
        "role_libraries": "",
        **paths,
        "execd_port": EXEC_PORT,
        "token": guest.token,
        "agent": shape.agent,
        "pki": pki,
        "device": device,
        "state_disk": "/dev/vda" if shape.state_disk_mb else "",
        "wire_macs": " ".join(wire_mac(guest.number, rail) for rail in rails_of(shape)),
        "mgmt_mac": mgmt_mac(guest.number),
        "link_mbps": shape.link_mbps,
    }
    needed = {FABRIC_DIR} | {os.path.dirname(path) for path in paths.values()} | ({pki} if pki else set())
    with open(path, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        for name, value in settings.items():
            file.write(f"{name}={shlex.quote(str(value))}\n")
        file.write("each_needed_directory() {\n")
        for directory in sorted(needed):
            file.write(f'  "$1" {shlex.quote(directory)}\n')
        file.write("}\n")


def _option(path):
    """A path inside a QEMU option, where a comma separates."""
    return path.replace(",", ",,")


def _kernel_word(path):
    """A path as one word of the kernel command line, as printf %b reads it back."""
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+")
    return "".join(chr(byte) if byte in plain else f"\\0{byte:03o}" for byte in os.fsencode(path))


def _share(tag, path):
    # multidevs=remap: several file systems below one path must not show the same inode number twice.
    return [
        "-fsdev", f"local,id={tag},path={_option(path)},security_model=none,readonly=on,multidevs=remap",
        "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}",
    ]


# A guest's TSC is this machine's. The kernel's watchdog of it reads the HPET beside it, by way of QEMU's main loop: on a machine under load that
# takes so long that it calls the TSC unstable. It takes another clock then, and forgets that anybody keeps the clock.
# For the same reason the kernel does not measure the TSC's rate itself.
KERNEL_WORDS = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=nowatchdog"


def _kernel_words(prepared):
    measured = subprocess.run([prepared["tsc_khz"]], capture_output=True, text=True)
    if measured.returncode != 0:
        raise FabricError(f"cannot measure this machine's TSC: {measured.stderr.strip() or f'exit {measured.returncode}'}")
    return f"{KERNEL_WORDS} tsc_early_khz={measured.stdout.strip()}"


def fabric_nic(rail):
    """The name QEMU knows a guest's NIC of this rail by."""
    return f"rail{rail}"


# The name QEMU knows mgmt0 by.
MANAGEMENT_NIC = "management"


def _rail(run, guest, rail):
    return [
        "-netdev", f"stream,id=wire{rail},server=off,addr.type=unix,addr.path={_option(run.hub_port(rail, guest.number))}",
        "-device", f"virtio-net-pci,id={fabric_nic(rail)},netdev=wire{rail},romfile=,mac={wire_mac(guest.number, rail)},host_mtu=9000",
    ]


def system_argv(run, guest, prepared, share, memory_mb):
    """A guest that boots systemd from a disk which forgets at the end of this process, with a NIC for RDMA that leads nowhere. It may reboot."""
    return [
        "qemu-system-x86_64", "-name", f"fabric-{run.name}",
        "-machine", "q35,accel=tcg", "-cpu", "max,-cx16", "-smp", "1", "-m", str(memory_mb),
        "-nodefaults", "-no-user-config", "-display", "none",
        "-kernel", prepared["kernel"], "-initrd", prepared["system_initramfs"],
        "-append", f"{_kernel_words(prepared)} net.ifnames=0 systemd.show_status=0 systemd.firstboot=0",
        "-chardev", f"file,id=console,path={_option(run.console(guest.number))}", "-serial", "chardev:console",
        "-device", "virtio-rng-pci",
        "-drive", f"file={_option(prepared['system_disk'])},if=virtio,format=raw,snapshot=on,cache=unsafe",
        *_share("modules", prepared["modules_dir"]), *_share("share", share),
        "-netdev", f"user,id=mgmt,restrict=on,ipv6=off,hostfwd=tcp:127.0.0.1:{guest.exec_port}-{GUEST_ADDRESS}:{EXEC_PORT}",
        "-device", f"virtio-net-pci,netdev=mgmt,romfile=,mac={mgmt_mac(guest.number)}",
        # Nobody is at the other end, but what is sent is taken: a port that is never emptied times out.
        "-netdev", "user,id=wire,restrict=on,ipv6=off",
        "-device", f"virtio-net-pci,netdev=wire,romfile=,mac={wire_mac(guest.number, 1)},host_mtu=9000",
    ]


def qemu_argv(run, guest, prepared, shape):
    conf = run.file(f"guest{guest.number}.conf")
    forwards = ",".join(
        f"hostfwd=tcp:127.0.0.1:{outer}-{GUEST_ADDRESS}:{inner}"
        for outer, inner in ((guest.agent_port, AGENT_PORT), (guest.exec_port, EXEC_PORT))
    )
    # Without cmpxchg16b: before 8.0 QEMU computes the flags after it from what an earlier instruction left, so that an interrupt just
    # then finds garbage in them, and the kernel, which allocates memory by it, once in a few hours a double fault.
    argv = [
        "qemu-system-x86_64", "-name", f"fabric-{run.name}-guest{guest.number}",
        "-machine", "q35,accel=tcg", "-cpu", "max,-cx16", "-smp", "1", "-m", str(shape.memory_mb),
        "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
        "-kernel", prepared["kernel"], "-initrd", prepared["initramfs"],
        "-append", f"{_kernel_words(prepared)} fabric.conf={_kernel_word(conf)}",
        "-chardev", f"file,id=console,path={_option(run.console(guest.number))}", "-serial", "chardev:console",
        "-qmp", f"unix:{_option(run.qmp(guest.number))},server=on,wait=off",
        "-device", "virtio-rng-pci",
        *_share("root", "/"),
        "-netdev", f"user,id=mgmt,restrict=on,ipv6=off,{forwards}",
        "-device", f"virtio-net-pci,id={MANAGEMENT_NIC},netdev=mgmt,romfile=,mac={mgmt_mac(guest.number)}",
    ]
    for rail in rails_of(shape):
        argv += _rail(run, guest, rail)
    if shape.state_disk_mb:
        argv += [
            "-blockdev", f"nbd,node-name=state,server.type=unix,server.path={_option(run.disk(guest.number))}",
            "-device", "virtio-blk-pci,drive=state,write-cache=on",
        ]
    if shape.agent:
        argv += _share("agent", os.path.dirname(shape.agent))
    return argv


def start_hub(run, prepared, rail, shape, deadline_s):
    argv = [prepared["hub"], run.hub(rail).removesuffix(".sock"), str(shape.hosts), str(deadline_s), str(shape.link_mbps)]
    return start_detached(argv, run.file(f"hub{rail}.log"))


def make_disk_image(run, number, megabytes):
    """An empty ext4 with a small journal."""
    command = ["/sbin/mke2fs", "-q", "-t", "ext4", "-J", "size=4", "-E", "lazy_itable_init=0", run.disk_image(number), f"{megabytes}M"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FabricError(f"guest {number}: make a state disk: {done.stderr.strip()}")


def start_disk(run, prepared, number, deadline_s):
    return start_detached([prepared["disk"], run.disk(number), run.disk_image(number), str(deadline_s)], run.file(f"disk{number}.log"))


def wait_for_socket(path, process, log):
    """What is started next connects at once and only once."""
    while not os.path.exists(path):
        if not process.running():
            with open(log, encoding="utf-8", errors="replace") as file:
                raise FabricError(f"what makes {path} ended: {file.read().strip()}")
        time.sleep(0.005)


def start_guest(run, guest, prepared, shape, deadline_s):
    """The process known is "timeout", which ends QEMU at the deadline and takes it along when killed itself."""
    bounded = ["timeout", "--kill-after=1", str(deadline_s), "setpriv", "--pdeathsig", "KILL"]
    write_conf(run.file(f"guest{guest.number}.conf"), guest, prepared, shape, run.pki() if shape.tls else "")
    return start_detached(bounded + qemu_argv(run, guest, prepared, shape), run.qemu_log(guest.number))


def power_off(guest):
    """As if the cord were pulled: the guest stops in the middle of whatever it does, and its disk forgets what was not flushed."""
    freeze(guest.process)
    doomed = [process for process in (guest.disk, guest.process) if process]
    if not all([kill(process) for process in doomed]):
        raise FabricError(f"guest {guest.number}: processes {[process.pid for process in doomed]} do not end")
