# SPDX-License-Identifier: Apache-2.0
"""Debian's Nagios and Icinga, which judge their own configuration."""
import os
import pathlib

import tool

# Where tests/run unpacks the packages, so that no monitoring becomes a service of this machine; else what is installed.
BUILD = pathlib.Path(os.environ.get("RDMAREADY_MONITORING", tool.ROOT / "build"))
ROOTS = [BUILD / "prometheus", BUILD / "nagios", pathlib.Path("/")]
LIBRARIES = "usr/lib/x86_64-linux-gnu"
PROGRAMS = {"nagios4": "usr/sbin/nagios4", "icinga2": f"{LIBRARIES}/icinga2/sbin/icinga2"}


def root_with(program):
    """(what it was unpacked into, its path)"""
    for root in ROOTS:
        path = root / PROGRAMS[program]
        if os.access(path, os.X_OK):
            return root, path
    raise FileNotFoundError(f"{program}: tests/run unpacks it")
