# SPDX-License-Identifier: Apache-2.0
"""What a guest can be: a server of its kernel's for a storage protocol over RDMA."""

import os

import faults
import machine
from errors import FabricError

TIMEOUT_S = 90
SCRIPT = os.path.join(machine.FABRIC_DIR, "guest", "role")


def take_up(fabric, guest, options):
    """Starts the server that the options name, again when it runs already; "none" ends all of them."""
    if options.role == "smb" and not fabric.shape.roles:
        raise FabricError(f"fabric {fabric.name} was started without --roles, which smb needs")
    if options.role == "iser" and fabric.shape.device(guest.number) == "siw":
        raise FabricError("iser: not over siw, which takes its ports from the kernel's TCP, where the same target listens")
    words = []
    for name in options.role_options:
        value = getattr(options, name)
        words += ["--" + name.replace("_", "-")] * bool(value) + [value] * isinstance(value, str)
    faults.in_guest(guest, SCRIPT, options.role, *words, timeout_s=TIMEOUT_S)


def add_arguments(role):
    roles = role.add_subparsers(dest="role", metavar="ROLE", required=True)

    def add(name, text, *options):
        sub = roles.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.set_defaults(role_options=options)
        return sub

    def switch(parser, name, text):
        parser.add_argument(name, action="store_true", help=text)

    smb = add("smb", "ksmbd with SMB Direct, share \"share\", user tester, password secret",
              "no_rdma", "no_multichannel", "bridge", "vlan", "signing", "encrypt")
    switch(smb, "--no-rdma", "as Debian builds it, without SMB Direct")
    switch(smb, "--no-multichannel", "multichannel off")
    place = smb.add_mutually_exclusive_group()
    switch(place, "--bridge", "the storage address on a bridge, br0, whose port is the storage NIC")
    switch(place, "--vlan", "the storage address on a VLAN of the storage NIC, dcb0.711")
    smb.add_argument("--signing", choices=("required",), help="refuse who does not sign")
    switch(smb, "--encrypt", "refuse who does not encrypt")
    switch(add("nvme", "an NVMe-oF target with a disk of 64 MiB, port 4420", "deny"), "--deny", "no host is allowed")
    switch(add("iser", "an iSER target with a disk of 16 MiB, port 3260", "auth"), "--auth", "ask for CHAP, of tester with secret")
    add("nfs", "an NFSv4 server with an empty tmpfs as its root, port 20049")
    add("none", "end them all")
