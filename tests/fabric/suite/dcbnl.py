#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest: what iproute2's dcb does not show, or shows in other units than the kernel's, straight from dcbnl.

  dcbnl.py DEV maxrate              eight rates in kbit/s
  dcbnl.py DEV set-maxrate R0 ... R7
  dcbnl.py DEV peer                 what the link partner announced
"""
import socket
import struct
import sys

RTM_GETDCB, RTM_SETDCB, NLM_F_REQUEST = 78, 79, 1
IEEE_SET, IEEE_GET = 20, 21
IFNAME, IEEE = 1, 13
PEER_ETS, PEER_PFC, PEER_APP, MAXRATE = 4, 5, 6, 7


def attribute(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def attributes(data):
    while len(data) >= 4:
        length, kind = struct.unpack("HH", data[:4])
        yield kind & 0x3fff, data[4:length]
        data = data[(length + 3) & ~3:]


def ask(device, message, command, more=b""):
    """The attributes of the answer."""
    body = struct.pack("BBH", 0, command, 0) + attribute(IFNAME, device.encode() + b"\0") + more
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        link.send(struct.pack("IHHII", 16 + len(body), message, NLM_F_REQUEST, 1, 0) + body)
        return dict(attributes(link.recv(65536)[20:]))


def main():
    device, verb, *arguments = sys.argv[1:]
    if verb == "set-maxrate":
        rates = attribute(MAXRATE, struct.pack("8Q", *map(int, arguments)))
        # The driver's answer is one byte, a negative errno or 0.
        print(struct.unpack("b", ask(device, RTM_SETDCB, IEEE_SET, attribute(IEEE, rates))[IEEE])[0])
        return
    ieee = dict(attributes(ask(device, RTM_GETDCB, IEEE_GET)[IEEE]))
    if verb == "maxrate":
        print(*struct.unpack("8Q", ieee[MAXRATE]))
        return
    ets, pfc = ieee[PEER_ETS], ieee[PEER_PFC]
    print("ets-bw=" + ",".join(map(str, ets[3:11])), f"willing={ets[0]}", f"pfc={pfc[1]:#x}", f"pfc-cap={pfc[0]}")
    rows = [struct.unpack("BBH", row) for _, row in attributes(ieee[PEER_APP])]
    print("app=" + ",".join(f"{selector}:{protocol}:{priority}" for selector, priority, protocol in rows))


main()
