#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""activate.py DIRECTORY UID NAME:GID:MODE... -- COMMAND...: what systemd does for a service with sockets. Listens as this user on
DIRECTORY/NAME.sock for each name, with that group and mode, passes the sockets on, and becomes UID before the command starts."""
import os
import pathlib
import socket
import sys

FIRST = 3


def main():
    directory, uid = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    split = sys.argv.index("--")
    sockets, names = [], []
    for word in sys.argv[3:split]:
        name, gid, mode = word.split(":")
        path = directory / f"{name}.sock"
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        os.chown(path, 0, int(gid))
        os.chmod(path, int(mode, 8))
        listening.listen(64)
        sockets.append(os.dup2(listening.fileno(), 100 + len(sockets)))
        names.append(name)
    for index, number in enumerate(sockets):
        os.dup2(number, FIRST + index, inheritable=True)
    os.closerange(FIRST + len(sockets), 200)
    if uid != os.getuid():
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    environment = {**os.environ, "LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(len(sockets)), "LISTEN_FDNAMES": ":".join(names)}
    os.execve(sys.argv[split + 1], sys.argv[split + 1:], environment)


if __name__ == "__main__":
    main()
