#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest: what iproute2's dcb does not show, or shows in other units than the kernel's, straight from dcbnl.

  dcbnl.py DEV maxrate              eight rates in kbit/s
  dcbnl.py DEV set-maxrate R0 ... R7
  dcbnl.py DEV peer                 what the link partner announced
  dcbnl.py DEV settings             all that is set, a line each, as bytes but for the APP rows; nothing that counts
"""
import socket
import struct
import sys

RTM_GETDCB, RTM_SETDCB, NLM_F_REQUEST = 78, 79, 1
IEEE_SET, IEEE_GET, GDCBX = 20, 21, 22
IFNAME, IEEE, DCBX = 1, 13, 14
ETS, PFC, APP, PEER_ETS, PEER_PFC, PEER_APP, MAXRATE, BUFFER, TRUST = 1, 2, 3, 4, 5, 6, 7, 10, 11


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


def app_rows(table):
    rows = [struct.unpack("BBH", row) for _, row in attributes(table)]
    return ",".join(f"{selector}:{protocol}:{priority}" for selector, priority, protocol in rows)


def show_settings(device, ieee):
    print("dcbx", *ask(device, RTM_GETDCB, GDCBX).get(DCBX, b""))
    print("ets", *ieee.get(ETS, b""))
    print("pfc", *ieee.get(PFC, b"")[:6])
    print("maxrate", *ieee.get(MAXRATE, b""))
    print("buffer", *ieee.get(BUFFER, b""))
    print("app", ",".join(sorted(app_rows(ieee.get(APP, b"")).split(","))))
    print("trust", *ieee.get(TRUST, b""))


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
    if verb == "settings":
        show_settings(device, ieee)
        return
    if verb == "all":
        print("ets", ieee[ETS].hex())
        print("pfc", ieee[PFC][:8].hex())  # then counters
        print("app", *sorted(f"{selector}:{protocol}:{priority}" for selector, priority, protocol in
                             (struct.unpack("BBH", row) for _, row in attributes(ieee.get(APP, b"")))))
        for name, kind in (("maxrate", MAXRATE), ("buffer", BUFFER), ("trust", TRUST)):
            print(name, ieee[kind].hex() if kind in ieee else "none")
        print("dcbx", ask(device, RTM_GETDCB, GDCBX)[DCBX].hex())
        return
    ets, pfc = ieee[PEER_ETS], ieee[PEER_PFC]
    print("ets-bw=" + ",".join(map(str, ets[3:11])), f"willing={ets[0]}", f"pfc={pfc[1]:#x}", f"pfc-cap={pfc[0]}")
    print("app=" + app_rows(ieee[PEER_APP]))


main()
