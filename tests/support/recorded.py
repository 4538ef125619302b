# SPDX-License-Identifier: Apache-2.0
"""Agents of recorded hosts."""
import pathlib
import tempfile

import tool


def program(folder, recording):
    """In the place of rdmaready-agent in `folder`: an agent of that recorded host."""
    script = pathlib.Path(folder) / "rdmaready-agent"
    script.write_text(f'#!/bin/sh\nexec "{tool.BIN}/recorded_agent" "{recording}" "" "$@"\n')
    script.chmod(0o755)


def agent(folder, recording, profile="virtual-fabric", role="apply"):
    """An agent of a recorded host, whose callers have that role. `folder` gets the program that starts it."""
    program(folder, recording)
    # The shell reads the program. To execute it fails with ETXTBSY while another thread forks with it open.
    return tool.Agent("--profile", profile, "--plain-role", role, under=("/bin/sh",), programs=pathlib.Path(folder))


def plan(recording, profile):
    """What `plan --persist` prints of the host."""
    with tempfile.TemporaryDirectory(prefix="recorded agent ") as folder, agent(folder, recording, profile) as served:
        answer = tool.rdmaready("plan", served.address, "--persist")
        return answer.out + answer.err
