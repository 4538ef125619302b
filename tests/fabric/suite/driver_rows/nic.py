# SPDX-License-Identifier: Apache-2.0
"""The DCB NIC of the rows, by netlink, ethtool and its knobs. What it is set to is read and written as the kernel has it.

A function that writes returns the driver's answer: 0, or a negative errno."""
import array
import errno
import fcntl
import pathlib
import socket
import struct
import subprocess
import sys
import types

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import dcb_netlink  # noqa: E402  pylint: disable=wrong-import-position
from dcb_netlink import (APP, BUFFER, DCBX, ETS, GET_DCBX, IEEE, IEEE_DEL, IEEE_GET, IEEE_SET, MAXRATE, PFC, RTM_GETDCB,  # noqa: E402
                         RTM_SETDCB, SET_DCBX, TRUST, answered, attribute, attributes)  # pylint: disable=wrong-import-position

NIC, WIRE, BOND = "rows0", "rows-wire", "rows-bond"
KNOBS = f"/sys/kernel/debug/dcbnic/{NIC}"

IEEE_APP = 1
STRICT, CB_SHAPER, ETS_TSA, VENDOR = 0, 1, 2, 255
ETHERTYPE, DGRAM, DSCP = 1, 3, 5
HOST, LLD_MANAGED, CEE, IEEE_DCBX = 1, 2, 4, 8
SIOCETHTOOL, GET_PAUSE, SET_PAUSE, GET_FLAGS, SET_FLAGS = 0x8946, 0x12, 0x13, 0x27, 0x28
NONE = [0] * 8
IDENTITY = list(range(8))
TOTAL, CELL = 262016, 128
HALF = TOTAL // 2 // CELL * CELL
# xoff of 40 Gb/s, 7 m and an MTU of 1500, the longest frame and a cell: the least that a lossless buffer holds, in whole cells.
LEAST = -(-((301 + 216 * 7 // 100) * 40 + 272 * 1500 // 100 + 9216 + CELL) // CELL) * CELL


def ask(message, command, more=b""):
    """The attributes of the answer, or a negative errno."""
    return dcb_netlink.ask(NIC, message, command, more)


def ieee(kind, data, command=IEEE_SET):
    return answered(ask(RTM_SETDCB, command, attribute(IEEE, attribute(kind, data))))


def read(kind):
    return dict(attributes(ask(RTM_GETDCB, IEEE_GET)[IEEE])).get(kind)


def get_ets():
    raw = read(ETS)
    names = ("tx", "rx", "tsa", "prio", "reco_tx", "reco_tsa", "reco_prio")
    return types.SimpleNamespace(willing=raw[0], cap=raw[1], cbs=raw[2],
                                 **{name: list(raw[3 + 8 * at:11 + 8 * at]) for at, name in enumerate(names)})


def set_ets(tsa=None, tx=None, prio=None, willing=0, cbs=0, rx=None, reco=None):
    parts = (tx or NONE, rx or NONE, tsa or NONE, prio or NONE, reco or NONE, NONE, NONE)
    return ieee(ETS, bytes([willing, 8, cbs]) + b"".join(bytes(part) for part in parts))


def get_pfc():
    raw = read(PFC)
    return types.SimpleNamespace(cap=raw[0], on=raw[1], mbc=raw[2], delay=struct.unpack_from("H", raw, 4)[0])


def set_pfc(on, delay=None, mbc=0, cap=8):
    delay = get_pfc().delay if delay is None else delay
    return ieee(PFC, struct.pack("BBBxHxx", cap, on, mbc, delay) + bytes(128))


def get_buffer():
    raw = read(BUFFER)
    return types.SimpleNamespace(map=list(raw[:8]), sizes=list(struct.unpack_from("8I", raw, 8)), total=struct.unpack_from("I", raw, 40)[0])


def set_buffer(sizes=None, map=None, total=0):  # pylint: disable=redefined-builtin
    now = get_buffer()
    sizes = now.sizes if sizes is None else sizes + [0] * (8 - len(sizes))
    return ieee(BUFFER, bytes(now.map if map is None else map) + struct.pack("9I", *sizes, total))


def get_rates():
    return list(struct.unpack("8Q", read(MAXRATE)))


def set_rates(*rates):
    return ieee(MAXRATE, struct.pack("8Q", *rates, *[0] * (8 - len(rates))))


def rows():
    return sorted(dcb_netlink.app_rows(read(APP) or b""))


def table(*wanted):
    return b"".join(attribute(IEEE_APP, struct.pack("BBH", selector, priority, protocol)) for selector, protocol, priority in wanted)


def add(*wanted):
    return ieee(APP, table(*wanted))


def delete(*wanted):
    return ieee(APP, table(*wanted), IEEE_DEL)


def dscp(*pairs):
    return [(DSCP, code, priority) for code, priority in pairs]


def get_dcbx():
    return ask(RTM_GETDCB, GET_DCBX)[DCBX][0]


def set_dcbx(mode):
    """0: taken."""
    return answered(ask(RTM_SETDCB, SET_DCBX, attribute(DCBX, bytes([mode]))), DCBX)


def set_trust(*selectors):
    return ieee(TRUST, b"".join(attribute(IEEE_APP, bytes([one])) for one in selectors))


def ethtool(command, *values):
    """The values after the command, or a negative errno."""
    data = array.array("I", [command, *values])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        try:
            fcntl.ioctl(door, SIOCETHTOOL, struct.pack("16sP", NIC.encode(), data.buffer_info()[0]))
        except OSError as error:
            return -error.errno
    return list(data[1:])


def get_pause():
    return ethtool(GET_PAUSE, 0, 0, 0)


def set_pause(autoneg, rx, tx):
    answer = ethtool(SET_PAUSE, autoneg, rx, tx)
    return answer if isinstance(answer, int) else 0


def set_agent(on):
    answer = ethtool(SET_FLAGS, on)
    return answer if isinstance(answer, int) else 0


def knob(name, value=None):
    with open(f"{KNOBS}/{name}", "r" if value is None else "w", encoding="ascii") as file:
        return file.read() if value is None else file.write(str(value))


def sent():
    """Bytes that wait to be sent, by priority."""
    return [int(part) for part in knob("queues").splitlines()[1].split()[1:]]


def priority_of(code):
    """The priority that the NIC sends this DSCP with: where its frames wait for a slow wire."""
    run(f"ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:02 nud permanent dev {NIC}")
    knob("wire_mbps", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, code << 2)
        before = sent()
        for _ in range(12):
            sender.sendto(bytes(1200), ("192.0.2.2", 9))
        grown = [now - then for then, now in zip(before, sent())]
    knob("wire_mbps", 0)
    return grown.index(max(grown))


def run(line):
    subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)


PLAYS = []


def row(name, *personalities):
    def mark(function):
        PLAYS.extend((name, personality, function) for personality in personalities)
        return function
    return mark


def same(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: {got} instead of {wanted}" if what else f"{got} instead of {wanted}")


TWO = [0, 0, 0, 1, 0, 0, 0, 0]  # a map of priorities to two classes, or two buffers


def nothing_is_taken():
    same((set_ets(), set_pfc(0x08), add(*dscp((26, 3)))), (-errno.EINVAL,) * 3)
