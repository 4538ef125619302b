# SPDX-License-Identifier: Apache-2.0
"""dcbnl over netlink, for the programs of this suite that run in a guest."""
import socket
import struct

RTM_GETDCB, RTM_SETDCB, NLM_F_REQUEST, NLMSG_ERROR = 78, 79, 1, 2
IEEE_SET, IEEE_GET, GET_DCBX, SET_DCBX, IEEE_DEL = 20, 21, 22, 23, 27
IFNAME, IEEE, DCBX = 1, 13, 14
ETS, PFC, APP, PEER_ETS, PEER_PFC, PEER_APP, MAXRATE, BUFFER, TRUST = 1, 2, 3, 4, 5, 6, 7, 10, 11


def attribute(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def attributes(data):
    """Pairs of kind and data."""
    while len(data) >= 4:
        length, kind = struct.unpack("HH", data[:4])
        yield kind & 0x3fff, data[4:length]
        data = data[(length + 3) & ~3:]


def ask(device, message, command, more=b""):
    """The attributes of the answer by kind, or a negative errno."""
    body = struct.pack("BBH", 0, command, 0) + attribute(IFNAME, device.encode() + b"\0") + more
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        link.send(struct.pack("IHHII", 16 + len(body), message, NLM_F_REQUEST, 1, 0) + body)
        answer = link.recv(65536)
    if struct.unpack_from("H", answer, 4)[0] == NLMSG_ERROR:
        return struct.unpack_from("i", answer, 16)[0]
    return dict(attributes(answer[20:]))


def answered(answer, kind=IEEE):
    """What the driver answered to a write: 0 or a negative errno, in the one byte that it has."""
    return answer if isinstance(answer, int) else struct.unpack("b", answer[kind])[0]


def app_rows(table):
    """(selector, protocol, priority) of each row of an APP table."""
    rows = (struct.unpack("BBH", row) for _, row in attributes(table))
    return [(selector, protocol, priority) for selector, priority, protocol in rows]
