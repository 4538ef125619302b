# SPDX-License-Identifier: Apache-2.0
"""Commands in a guest, over the records that guest/execd.c describes."""

import os
import select
import socket
import struct
import time

TIMEOUT_STATUS = 124
MAX_RECORD_BYTES = 65536
KILL_GRACE_S = 5


class NotReached(Exception):
    """Nothing in the guest answers."""


class Connection:
    def __init__(self, port, token, timeout_s):
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.send(b"T", token.encode())
            # QEMU accepts before the guest listens, so only a hello tells.
            if self.receive()[0] != b"H":
                raise NotReached("not the server expected")
            self.socket.settimeout(None)
        except (OSError, NotReached) as error:
            if hasattr(self, "socket"):
                self.socket.close()
            raise NotReached(str(error)) from error

    def send(self, kind, data=b""):
        self.socket.sendall(kind + struct.pack(">I", len(data)) + data)

    def _exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise NotReached("the connection ended")
            data += part
        return bytes(data)

    def receive(self):
        header = self._exactly(5)
        return header[:1], self._exactly(struct.unpack(">I", header[1:])[0])

    def close(self):
        self.socket.close()


def run(guest, argv, on_output, on_error, timeout_s=None, input_fd=None, connect_timeout_s=10):
    """Runs argv in the guest; returns its exit status, 124 when ended by the timeout. Raises NotReached."""
    connection = Connection(guest.exec_port, guest.token, connect_timeout_s)
    try:
        for argument in argv:
            connection.send(b"A", os.fsencode(argument))
        connection.send(b"R")
        if input_fd is None:
            connection.send(b"I")
        return _attend(connection, on_output, on_error, timeout_s, input_fd)
    except OSError as error:
        raise NotReached(str(error)) from error
    finally:
        connection.close()


def _attend(connection, on_output, on_error, timeout_s, input_fd):
    end = None if timeout_s is None else time.monotonic() + timeout_s
    killed = False
    while True:
        sources = [connection.socket] + ([] if input_fd is None else [input_fd])
        readable, _, _ = select.select(sources, [], [], None if end is None else max(0, end - time.monotonic()))
        if not readable:
            if killed:
                return TIMEOUT_STATUS
            connection.send(b"K")
            killed, end = True, time.monotonic() + KILL_GRACE_S
        if input_fd in readable:
            data = os.read(input_fd, MAX_RECORD_BYTES)
            connection.send(b"I", data)
            if not data:
                input_fd = None
        if connection.socket in readable:
            kind, data = connection.receive()
            if kind == b"O":
                on_output(data)
            elif kind == b"E":
                on_error(data)
            elif kind == b"X":
                return TIMEOUT_STATUS if killed else struct.unpack(">I", data)[0]
