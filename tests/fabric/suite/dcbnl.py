#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest: what iproute2's dcb does not show, or shows in other units than the kernel's, straight from dcbnl.

  dcbnl.py DEV maxrate              eight rates in kbit/s
  dcbnl.py DEV set-maxrate R0 ... R7
  dcbnl.py DEV peer                 what the link partner announced
  dcbnl.py DEV settings             all that is set, a line each, as bytes but for the APP rows; nothing that counts
"""
import struct
import sys

from dcb_netlink import (APP, BUFFER, DCBX, ETS, GET_DCBX, IEEE, IEEE_GET, IEEE_SET, MAXRATE, PEER_APP, PEER_ETS, PEER_PFC, PFC, RTM_GETDCB,
                         RTM_SETDCB, TRUST, answered, app_rows, ask, attribute, attributes)


def rows_text(table):
    return [":".join(map(str, row)) for row in app_rows(table)]


def show_settings(device, ieee):
    print("dcbx", *ask(device, RTM_GETDCB, GET_DCBX).get(DCBX, b""))
    print("ets", *ieee.get(ETS, b""))
    print("pfc", *ieee.get(PFC, b"")[:6])
    print("maxrate", *ieee.get(MAXRATE, b""))
    print("buffer", *ieee.get(BUFFER, b""))
    print("app", ",".join(sorted(rows_text(ieee.get(APP, b"")))))
    print("trust", *ieee.get(TRUST, b""))


def main():
    device, verb, *arguments = sys.argv[1:]
    if verb == "set-maxrate":
        rates = attribute(MAXRATE, struct.pack("8Q", *map(int, arguments)))
        print(answered(ask(device, RTM_SETDCB, IEEE_SET, attribute(IEEE, rates))))
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
        print("app", *sorted(rows_text(ieee.get(APP, b""))))
        for name, kind in (("maxrate", MAXRATE), ("buffer", BUFFER), ("trust", TRUST)):
            print(name, ieee[kind].hex() if kind in ieee else "none")
        print("dcbx", ask(device, RTM_GETDCB, GET_DCBX)[DCBX].hex())
        return
    ets, pfc = ieee[PEER_ETS], ieee[PEER_PFC]
    print("ets-bw=" + ",".join(map(str, ets[3:11])), f"willing={ets[0]}", f"pfc={pfc[1]:#x}", f"pfc-cap={pfc[0]}")
    print("app=" + ",".join(rows_text(ieee[PEER_APP])))


main()
