#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in a guest: writes down, by the clock, what is written in a directory (the applier's state) and each notice of a DCB setting; and
stops a process at one of them.

  witness.py DIRECTORY                  until it is ended: lines "NANOSECONDS file NAME" and "NANOSECONDS dcb NETDEV"; the first is "ready"
  witness.py DIRECTORY KIND AT PID      the same, and at the AT-th of that kind (file, dcb, any) PID gets SIGSTOP, and the line "stopped" follows

A guest has one processor and this has real-time priority: who causes an event comes no further than to the end of that very system call
before it is written down, and before he is stopped."""
import ctypes
import os
import select
import signal
import socket
import struct
import sys
import time

CREATE, MODIFY, MOVED_TO = 0x100, 0x2, 0x80
DCB_GROUP, SETDCB = 23, 79
IFNAME = 1


def watch(directory):
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(0)
    if libc.inotify_add_watch(descriptor, directory.encode(), CREATE | MODIFY | MOVED_TO) < 0:
        raise OSError(ctypes.get_errno(), directory)
    return descriptor


def written(descriptor):
    """The names of files, one for each time."""
    data = os.read(descriptor, 65536)
    while data:
        length = struct.unpack("iIII", data[:16])[3]
        yield "file", data[16:16 + length].rstrip(b"\0").decode()
        data = data[16 + length:]


def noticed(link):
    message = link.recv(65536)
    if struct.unpack("H", message[4:6])[0] == SETDCB:
        length, kind = struct.unpack("HH", message[20:24])
        yield "dcb", message[24:20 + length].rstrip(b"\0").decode() if kind & 0x3fff == IFNAME else "?"


def main():
    directory, *stop = sys.argv[1:]
    of, at, victim = (stop[0], int(stop[1]), int(stop[2])) if stop else ("any", 0, 0)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    files = watch(directory)
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    link.bind((0, 1 << (DCB_GROUP - 1)))
    seen = 0
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([files, link], [], [])
        for source in ready:
            for kind, name in written(files) if source == files else noticed(link):
                now_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
                seen += of in (kind, "any")
                stops = seen == at and of in (kind, "any")
                if stops:
                    os.kill(victim, signal.SIGSTOP)
                print(now_ns, kind, name, *(["\nstopped"] if stops else []), flush=True)


main()
