# SPDX-License-Identifier: Apache-2.0
"""The switch of a rail while it runs: one request a line to its control socket (hub/control.h)."""

import socket

from errors import FabricError

PATIENCE_S = 60
ALL = "all"
READING = ("show", "counters", "seconds")


def ask(run, rail, request):
    """The lines of its answer. An error of the switch is ours."""
    answer = b""
    with socket.socket(socket.AF_UNIX) as asker:
        asker.settimeout(PATIENCE_S)
        try:
            asker.connect(run.hub(rail))
            asker.sendall(request.encode() + b"\n")
            while not answer.endswith(b"\n") or answer.splitlines()[-1] != b"ok":
                if answer.startswith(b"error: ") and answer.endswith(b"\n"):
                    raise FabricError(f"switch {request}: {answer.decode()[len('error: '):].strip()}", 2)
                more = asker.recv(65536)
                if not more:
                    raise FabricError(f"switch {request}: the switch closed")
                answer += more
        except OSError as error:
            raise FabricError(f"switch {request}: {error.strerror or error}") from error
    return answer.decode().splitlines()[:-1]


def reset(run, rails, guests):
    """Undoes the settings of these guests' ports; with None, of the whole switch."""
    for rail in rails:
        for port in guests or [ALL]:
            ask(run, rail, f"reset {port}")


def command(run, options):
    """Sets a knob, or prints what was asked for."""
    words = list(options.words)
    reads = words[0] in READING
    if reads != (len(words) == 1):
        raise FabricError(f"switch {options.port} {' '.join(words)}: KNOB VALUE, or one of {', '.join(READING)}", 2)
    request = f"{words[0]} {options.port}" if reads else f"set {options.port} {words[0]} {','.join(words[1:])}"
    for line in ask(run, options.rail, request):
        print(line)


def add_arguments(switch, max_hosts, max_rails, whole_number):
    def port(text):
        return text if text == ALL else whole_number(1, max_hosts)(text)

    switch.add_argument("--rail", type=whole_number(1, max_rails), default=1, metavar="R", help="which (default: %(default)s)")
    switch.add_argument("port", metavar="PORT", type=port, help="the number of the guest behind it, or all")
    switch.add_argument("words", nargs="+", metavar="KNOB VALUE | show | counters | seconds",
                        help="rate_mbps, trust, pfc, ets, ...: see README.md; several values may be words of their own")
