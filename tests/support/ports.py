# SPDX-License-Identifier: Apache-2.0
"""Ports of loopback for who cannot be given port 0: because others have to know the port first, or because he comes back to it."""
import random
import socket

# Below the ports that the kernel gives to whoever calls or asks for any (from 32768): one of those may be taken by anybody in the meantime.
FIRST, LAST = 20_000, 32_000


def free_port():
    """One on which nobody listens."""
    for _ in range(1000):
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port := random.randint(FIRST, LAST)))
                return port
            except OSError:
                pass
    raise OSError(f"no port from {FIRST} to {LAST} is free")


def free_address():
    return f"127.0.0.1:{free_port()}"
