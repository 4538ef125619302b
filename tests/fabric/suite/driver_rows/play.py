#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest: plays rows of checks/setting/DRIVERS.md on a DCB NIC of its own, through netlink and ethtool, and prints
[[row, personality, what differs or ""], ...] as JSON. Each row begins with a new NIC of its personality."""
import json

import bnxt  # noqa: F401
import ice  # noqa: F401
import mlx5  # noqa: F401
import others  # noqa: F401
from nic import BOND, NIC, PLAYS, WIRE, knob, run


def played(personality, function):
    knob("personality", personality)
    try:
        function()
    except Exception as error:  # pylint: disable=broad-except
        return f"{function.__name__}: {type(error).__name__}: {error}"
    return ""


def main():
    run("modprobe -a dummy; modprobe bonding max_bonds=0")
    run(f"ip link add {WIRE} type dummy; ip link set {WIRE} up; ip link add link {WIRE} name {NIC} type dcbnic; "
        f"echo 1 > /proc/sys/net/ipv6/conf/{NIC}/disable_ipv6; ip address add 192.0.2.1/24 dev {NIC}; ip link set {NIC} up; "
        f"ip link add {BOND} type bond")
    try:
        print(json.dumps([[name, personality, played(personality, function)] for name, personality, function in PLAYS]))
    finally:
        run(f"ip link del {BOND}; ip link del {WIRE}")


main()
