# SPDX-License-Identifier: Apache-2.0
"""What can be done to a guest: to its cables, its NIC, its machine."""

import errno
import json
import re
import socket

import guest_exec
import machine
from errors import FabricError
from process import kill

MAX_DELAY_MS = 10_000
MAX_QUEUED_PACKETS = 1_000_000
UNIT_MS = {"us": 0.001, "ms": 1, "s": 1000}
KNOBS = "/sys/kernel/debug/dcbnic"
PERCENT_WORDS = ("loss", "duplicate", "corrupt", "reorder")


def qmp(path, command, arguments=None):
    """One command to the QEMU monitor."""
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.settimeout(60)
        try:
            monitor.connect(path)
            with monitor.makefile("rw", encoding="utf-8") as stream:
                stream.readline()  # greeting
                for request in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments or {}}):
                    stream.write(json.dumps(request) + "\n")
                    stream.flush()
                    reply = {}
                    while "return" not in reply:
                        line = stream.readline()
                        if not line:
                            raise FabricError(f"{command}: the QEMU monitor closed")
                        reply = json.loads(line)
                        if "error" in reply:
                            raise FabricError(f"{command}: {reply['error']['desc']}")
        except OSError as error:
            raise FabricError(f"{command}: QEMU monitor: {error.strerror or error}") from error


def in_guest(guest, *argv, timeout_s=60):
    """Runs a command that takes no input; the last line of its words is the error's when it fails."""
    words = bytearray()
    try:
        status = guest_exec.run(guest, argv, words.extend, words.extend, timeout_s, connect_timeout_s=60)
    except guest_exec.NotReached as error:
        raise FabricError(f"guest {guest.number}: {error}") from error
    text = words.decode(errors="replace").strip()
    if status == guest_exec.TIMEOUT_STATUS:
        raise FabricError(f"guest {guest.number}: {argv[0]} takes longer than {timeout_s} s\n{text}".rstrip())
    if status != 0:
        raise FabricError(f"guest {guest.number}: {text.splitlines()[-1] if text else argv[0] + ' failed'}")
    return text


def netem_words(words):
    """The arguments of tc's netem, checked: "loss 1%", "delay 10ms [2ms]", "duplicate|corrupt|reorder P%", "limit PACKETS"."""
    checked, words = [], " ".join(words).split()
    while words:
        word = words.pop(0)
        value = words.pop(0) if words else ""
        if word in PERCENT_WORDS:
            right = re.fullmatch(r"\d+(\.\d+)?%", value) and float(value[:-1]) <= 100
        elif word == "delay":
            right = _is_delay(value)
            if right and words and _is_delay(words[0]):
                value += " " + words.pop(0)
        elif word == "limit":
            right = value.isdecimal() and 0 < int(value) <= MAX_QUEUED_PACKETS
        else:
            raise FabricError(f"netem {word}: not one of {', '.join(PERCENT_WORDS)}, delay, limit", 2)
        if not right:
            raise FabricError(f"netem {word} {value}: out of bounds (P% to 100, delay in us, ms or s to {MAX_DELAY_MS} ms, "
                              f"limit to {MAX_QUEUED_PACKETS})", 2)
        checked += [word, *value.split()]
    if "reorder" in checked and "delay" not in checked:
        raise FabricError("netem reorder: wants a delay too, by which the others come later", 2)
    return checked


def _is_delay(text):
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", text)
    return bool(parts) and float(parts[1]) * UNIT_MS[parts[2]] <= MAX_DELAY_MS


def link(run, guest, options):
    qmp(run.qmp(guest.number), "set_link", {"name": machine.fabric_nic(options.rail), "up": options.state == "up"})


def management(run, guest, options):
    qmp(run.qmp(guest.number), "set_link", {"name": machine.MANAGEMENT_NIC, "up": options.state == "up"})


def pause(run, guest, _):
    qmp(run.qmp(guest.number), "stop")


def resume(run, guest, _):
    qmp(run.qmp(guest.number), "cont")


def kill_guest(_, guest, __):
    if not kill(guest.process):
        raise FabricError(f"guest {guest.number}: process {guest.process.pid} does not end")


def power_off(_, guest, __):
    machine.power_off(guest)


def netem(_, guest, options):
    """On the wire below the NIC, where nothing that RDMA sends gets around it."""
    wire = f"wire{options.rail - 1}"
    if options.words == ["off"]:
        in_guest(guest, "sh", "-c", 'tc qdisc del dev "$1" root 2> /dev/null; ! tc qdisc show dev "$1" | grep netem', "sh", wire)
    else:
        in_guest(guest, "tc", "qdisc", "replace", "dev", wire, "root", "netem", *netem_words(options.words))


def set_knob(guest, rail, knob, value):
    file = f"{KNOBS}/dcb{rail - 1}/{knob}"
    in_guest(guest, "sh", "-c", '[ -e "$1" ] || { echo "no knob $1; there are:" $(ls "${1%/*}"); exit 1; }; printf %s "$2" > "$1"',
             "sh", file, value)


def carrier(_, guest, options):
    set_knob(guest, options.rail, "carrier", options.state)


def dcb(_, guest, options):
    """A knob of the DCB NIC. What fails may be told by its name: EIO."""
    value = " ".join(options.value)
    if not re.fullmatch(r"[a-z0-9_]+", options.knob):
        raise FabricError(f"dcb {options.knob}: not the name of a knob", 2)
    if options.knob.startswith(("fail_next_", "refuse_")):
        value = str(getattr(errno, value, value))
        if not value.isdecimal() or int(value) > 4095:
            raise FabricError(f"dcb {options.knob} {value}: neither an errno nor 0", 2)
    set_knob(guest, options.rail, options.knob, value)


def add_arguments(fault, max_rails, whole_number):
    faults = fault.add_subparsers(dest="fault", metavar="FAULT", required=True)

    def add(name, function, text, rail=False):
        sub = faults.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.set_defaults(cause=function, rail=1)
        if rail:
            sub.add_argument("--rail", type=whole_number(1, max_rails), default=1, metavar="R", help="which (default: %(default)s)")
        return sub

    add("link", link, "the cable of its fabric NIC", rail=True).add_argument("state", choices=("down", "up"))
    add("management", management, "the cable of mgmt0, by which it is asked and commanded").add_argument("state", choices=("down", "up"))
    add("carrier", carrier, "the carrier that its DCB NIC reports", rail=True).add_argument("state", choices=("off", "on"))
    knob = add("dcb", dcb, "a knob of its DCB NIC", rail=True)
    knob.add_argument("knob", metavar="KNOB", help="personality, firmware_lldp, counters, fail_next_set_pfc, ...: see README.md")
    knob.add_argument("value", nargs="+", metavar="VALUE")
    add("pause", pause, "stop its machine between two instructions")
    add("resume", resume, "let it go on after pause")
    add("kill", kill_guest, "SIGKILL to its QEMU: the host crashes, its state disk keeps all it was given")
    add("power-off", power_off, "pull its cord: the state disk loses what was not flushed")
    words = add("netem", netem, "spoil what it sends", rail=True)
    words.add_argument("words", nargs="+", metavar="SPEC", help="off, or tc's netem: 'loss 1%%', 'delay 5ms 1ms', 'corrupt 0.1%%', ...")
