#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest, in the place of the agent: a process that was taken over, and tries what it was told.

puppet.py OUTPUT    tries everything below and writes {attempt: "did it" or why not}
"""
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
NR = {"finit_module": 313, "init_module": 175, "bpf": 321, "perf_event_open": 298, "fsopen": 430, "setns": 308, "unshare": 272, "keyctl": 250,
      "pivot_root": 155, "iopl": 172, "kexec_load": 246, "process_vm_readv": 310, "open_by_handle_at": 304, "add_key": 248}
RTM_NEWLINK, RTM_SETDCB, NLM_F_REQUEST, NLM_F_ACK = 16, 79, 1, 4
PTRACE_ATTACH, PTRACE_DETACH, CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 16, 17, 0x20000, 0x10000000, 0x40000000

ATTEMPTS = {}


def attempt(function):
    ATTEMPTS[function.__name__.replace("_", " ")] = function
    return function


def call(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def syscall(name, *arguments):
    return call(LIBC.syscall(NR[name], *arguments))


def write(path, data=b"x", flags=os.O_WRONLY):
    with open(os.open(path, flags, 0o600), "wb", buffering=0) as file:
        file.write(data)


def attribute(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def netlink(message, body):
    """Asks rtnetlink, and raises what it answers."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        link.settimeout(5)
        link.send(struct.pack("IHHII", 16 + len(body), message, NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body)
        answer = link.recv(65536)
    if struct.unpack("H", answer[4:6])[0] == 2 and (code := struct.unpack("i", answer[16:20])[0]) < 0:
        raise OSError(-code, os.strerror(-code))
    if message == RTM_SETDCB and (code := struct.unpack("b", answer[24:25])[0]) < 0:
        raise OSError(-code, os.strerror(-code))


def in_a_child(function):
    """What changes the process itself is tried in another one."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            function()
            code = 0
        except OSError as error:
            code = error.errno
        os.write(writer, bytes([code]))
        os._exit(0)
    os.close(writer)
    code = os.read(reader, 1)
    os.wait()
    if code != b"\0":
        raise OSError(code[0], os.strerror(code[0])) if code else OSError(errno.EPERM, "was killed")


# --- Settings of the host

@attempt
def change_pfc():
    pfc = struct.pack("4B4x16Q", 8, 1 << 5, 0, 0, *([0] * 16))
    ieee = attribute(13, attribute(2, pfc))
    netlink(RTM_SETDCB, struct.pack("BBH", 0, 20, 0) + attribute(1, b"dcb0\0") + ieee)


@attempt
def take_the_link_down():
    netlink(RTM_NEWLINK, struct.pack("BBHiII", 0, 0, 0, socket.if_nametoindex("dcb0"), 0, 1))


@attempt
def change_the_mtu():
    netlink(RTM_NEWLINK, struct.pack("BBHiII", 0, 0, 0, socket.if_nametoindex("dcb0"), 0, 0) + attribute(4, struct.pack("I", 1500)))


@attempt
def set_pause_by_ethtool():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ioctl:
        pause = ctypes.create_string_buffer(struct.pack("4I", 0x13, 0, 1, 1))
        fcntl.ioctl(ioctl, 0x8946, struct.pack("16sP", b"dcb0", ctypes.addressof(pause)) + bytes(16))


@attempt
def change_the_rdma_tos():
    write("/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos", b"0")


@attempt
def change_a_sysctl():
    write("/proc/sys/net/ipv4/ip_forward", b"1")


@attempt
def turn_a_knob_of_the_nic():
    write("/sys/class/net/dcb0/mtu", b"1400")


@attempt
def set_the_clock():
    call(LIBC.clock_settime(0, struct.pack("qq", *divmod(time.time_ns(), 10**9))))


@attempt
def set_the_host_name():
    call(LIBC.sethostname(b"puppet", 6))


# --- Mounts and disks

@attempt
def mount_a_file_system():
    os.makedirs("/tmp/mnt", exist_ok=True)
    call(LIBC.mount(b"tmpfs", b"/tmp/mnt", b"tmpfs", 0, b""))


@attempt
def mount_by_the_new_calls():
    syscall("fsopen", b"tmpfs", 0)


@attempt
def unshare_mounts():
    in_a_child(lambda: syscall("unshare", CLONE_NEWNS))


@attempt
def become_root_of_a_user_namespace():
    in_a_child(lambda: syscall("unshare", CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET))


@attempt
def enter_the_mounts_of_init():
    def enter():
        fd = os.open("/proc/1/ns/mnt", os.O_RDONLY)
        syscall("setns", fd, CLONE_NEWNS)
    in_a_child(enter)


@attempt
def connect_nvme():
    fd = os.open("/dev/nvme-fabrics", os.O_RDWR)
    try:
        os.write(fd, b"transport=none,nqn=nqn.2026-01.test:none")
    except OSError as error:
        # The kernel took the order and found a fault in it: who gets that far can connect.
        if error.errno in (errno.EPERM, errno.EACCES):
            raise


@attempt
def read_the_disk():
    os.read(os.open("/dev/vda", os.O_RDONLY), 512)


# --- Secrets and files

@attempt
def read_etc_shadow():
    with open("/etc/shadow", "rb") as file:
        file.read(1)


@attempt
def write_its_configuration():
    write("/etc/rdmaready/agent.yaml", b"# puppet\n", os.O_WRONLY | os.O_APPEND)


@attempt
def write_its_program():
    os.close(os.open("/usr/sbin/rdmaready-agent", os.O_WRONLY | os.O_APPEND))


@attempt
def write_etc():
    write("/etc/puppet", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink("/etc/puppet")


@attempt
def write_run():
    write("/run/puppet", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink("/run/puppet")


@attempt
def write_beside_its_sockets():
    write("/run/rdmaready/puppet", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink("/run/rdmaready/puppet")


@attempt
def write_shared_memory():
    write("/dev/shm/puppet", flags=os.O_WRONLY | os.O_CREAT)
    os.unlink("/dev/shm/puppet")


@attempt
def write_var_tmp_of_others():
    os.stat("/var/tmp/of-others")


@attempt
def look_into_a_home():
    os.listdir("/root")


@attempt
def make_a_program_setuid():
    path = os.path.join(os.path.dirname(sys.argv[1]), "setuid")
    write(path, flags=os.O_WRONLY | os.O_CREAT)
    try:
        os.chmod(path, 0o4755)
    finally:
        os.unlink(path)


@attempt
def make_a_device():
    path = os.path.join(os.path.dirname(sys.argv[1]), "null")
    os.mknod(path, 0o20666, os.makedev(1, 3))
    os.unlink(path)


@attempt
def read_kernel_memory():
    os.read(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK), 8192)


@attempt
def open_a_tunnel():
    os.close(os.open("/dev/net/tun", os.O_RDWR))


@attempt
def write_its_cgroup():
    with open("/proc/self/cgroup") as file:
        group = file.read().strip().rpartition(":")[2]
    write(f"/sys/fs/cgroup{group}/cgroup.procs", b"0")


# --- The kernel and other processes

@attempt
def load_a_module():
    syscall("finit_module", os.open("/mnt/share/dummy.ko", os.O_RDONLY), b"", 0)


@attempt
def load_a_module_from_memory():
    with open("/mnt/share/dummy.ko", "rb") as file:
        data = file.read()
    try:
        syscall("init_module", data, len(data), b"")
    except OSError as error:
        if error.errno != errno.EEXIST:
            raise


@attempt
def open_a_socket_of_a_family_that_is_a_module():
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM, 0).close()


@attempt
def hear_the_wire():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)).close()


@attempt
def send_raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()


@attempt
def trace_init():
    call(LIBC.ptrace(PTRACE_ATTACH, 1, 0, 0))
    os.waitpid(1, 0)
    call(LIBC.ptrace(PTRACE_DETACH, 1, 0, 0))


@attempt
def trace_a_process_of_its_own():
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        call(LIBC.ptrace(PTRACE_ATTACH, child, 0, 0))
        os.waitpid(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@attempt
def read_the_memory_of_init():
    os.close(os.open("/proc/1/mem", os.O_RDONLY))


@attempt
def signal_another_service():
    os.kill(1, 0)


@attempt
def become_root():
    in_a_child(lambda: os.setresuid(0, 0, 0) if os.geteuid() != 0 else None)


@attempt
def become_root_by_a_setuid_program():
    done = subprocess.run(["/usr/local/bin/id-of-root", "-u"], capture_output=True, text=True, check=True)
    if done.stdout.strip() != "0":
        raise PermissionError(errno.EPERM, f"runs as {done.stdout.strip()}")


@attempt
def map_memory_to_write_and_run():
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()


@attempt
def load_a_bpf_program():
    # One instruction pair: r0 = 0; exit.
    program = ctypes.create_string_buffer(struct.pack("BBhi", 0xb7, 0, 0, 0) + struct.pack("BBhi", 0x95, 0, 0, 0))
    licence = ctypes.create_string_buffer(b"GPL")
    attributes = ctypes.create_string_buffer(struct.pack("IIQQ", 1, 2, ctypes.addressof(program), ctypes.addressof(licence)) + bytes(96))
    os.close(syscall("bpf", 5, attributes, 120))


@attempt
def run_before_all_others():
    in_a_child(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))


@attempt
def change_its_personality():
    in_a_child(lambda: call(LIBC.personality(0x0040000)))


@attempt
def stop_a_unit():
    done = subprocess.run(["systemctl", "--no-ask-password", "stop", "systemd-tmpfiles-clean.timer"], capture_output=True, text=True)
    if done.returncode != 0:
        raise PermissionError(errno.EPERM, done.stderr.strip())


@attempt
def power_the_machine_off():
    # A number that the kernel does not know, so that who may gets EINVAL.
    try:
        call(LIBC.reboot(0x1234))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


# --- What the helpers of root's make of one who is the agent

HELPERS = "/run/rdmaready/helpers"
# Known to be an answer: without it the others would prove nothing.
CONTROL = ("reader", {"verb": "legacy-tables", "family": "ip"})
ASKED_OF_HELPERS = {
    "a verb that there is not": [("reader", {"verb": verb, "path": "/etc/shadow"}) for verb in ("mount", "exec", "write", "read-file", "")],
    "a file by its path": [("reader", {"verb": "file", "path": "/etc/shadow"}), ("reader", {"verb": "legacy-tables", "family": "ip", "path": "/etc/shadow"}),
                           ("reader", {"verb": "legacy-tables", "family": "../../etc/shadow"}), ("reader", {"verb": "settings", "of": "../../etc/shadow"})],
    "a way out of a folder": [("reader", {"verb": "pci-configuration", "address": "../../../../etc/shadow", "octets": 256}),
                              ("reader", {"verb": "congestion-names", "address": "../../.."}),
                              ("reader", {"verb": "rdma-cm-defaults", "device": "../../../../tmp/made", "port": 1}),
                              ("reader", {"verb": "rdma-cm-defaults", "device": "..", "port": 1})],
    "bytes for the kernel": [("reader", {"verb": "nft-list", "list": "tables", "bytes": "00"}), ("reader", {"verb": "nft-list", "list": "delete"}),
                             ("reader", {"verb": "management-datagram", "device": "rxe0", "port": 1, "lid": 1, "attribute": "set-port-info"}),
                             ("listener", {"verb": "lldp", "netdevs": ["dcb0"], "longest_ms": 100, "send": "00"}),
                             ("listener", {"verb": "send", "netdev": "dcb0"})],
    "a netdev that is a path": [("listener", {"verb": "lldp", "netdevs": ["../../etc"], "longest_ms": 100})],
    "what is no question": [("reader", []), ("reader", "verb"), ("reader", None), ("reader", {}), ("listener", {"verb": 7})],
}


def frame(helper, body, length=None):
    """The helper's answer; nothing when it hangs up."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asker:
        asker.settimeout(20)
        asker.connect(f"{HELPERS}/{helper}.sock")
        try:
            asker.sendall(struct.pack(">I", len(body) if length is None else length) + body)
            header = asker.recv(4, socket.MSG_WAITALL)
            return asker.recv(struct.unpack(">I", header)[0], socket.MSG_WAITALL) if len(header) == 4 else b""
        except (BrokenPipeError, ConnectionResetError):
            return b""


def ask(helper, question):
    answer = frame(helper, json.dumps(question).encode())
    return json.loads(answer) if answer else {"error": "hung up"}


def ask_the_helpers():
    results = {"control": ask(*CONTROL)}
    for name, questions in ASKED_OF_HELPERS.items():
        results[name] = [ask(helper, question) for helper, question in questions]
    results["frames that are too long, too short or nested"] = [
        {"error": frame("reader", b"{}", length).decode()} if not frame("reader", b"{}", length).startswith(b'{"answer') else {"answer": 1}
        for length in (0xffffffff, 0x10001)] + [json.loads(frame("reader", b"[" * 60000) or b'{"error": "hung up"}')]
    results["control after all that"] = ask(*CONTROL)
    return results


def main(output):
    results = {}
    for name, function in ATTEMPTS.items():
        try:
            function()
            results[name] = "did it"
        except OSError as error:
            results[name] = f"{errno.errorcode.get(error.errno, error.errno)}: {error}"
        except Exception as error:  # pylint: disable=broad-except
            results[name] = f"broken: {type(error).__name__}: {error}"
    with open(output + ".new", "w") as file:
        json.dump({"attempts": results, "helpers": ask_the_helpers() if os.geteuid() != 0 else {}}, file)
    os.rename(output + ".new", output)


main(sys.argv[1])
