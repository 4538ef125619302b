# SPDX-License-Identifier: Apache-2.0
"""Recordings of many like hosts, each with a name and addresses of its own, made of one described host."""
import pathlib
import tempfile

import fixtures

GOOD = fixtures.HOSTS / "mlx5-lossless" / "host.yaml"
PROFILE = "nvidia-lossless"


def description(number, *changes):
    """Of host `number`; each change is a text that stands in it, and what stands there instead."""
    text = GOOD.read_text().replace("hostname: storage1", f"hostname: node{number:03}")
    text = text.replace("10.0.1.1/24", f"10.0.1.{number}/24").replace("10.0.2.1/24", f"10.0.2.{number}/24")
    text = text.replace("0c:42:a1:00:00:", f"0c:42:a1:00:{number:02x}:")
    for old, new in changes:
        if old not in text:
            raise AssertionError(f"no {old!r} in {GOOD}")
        text = text.replace(old, new, 1)
    return text


class ManyHosts:
    """`changes_of(number)` of each host from 1 to `count`; use as a context. `saved` is a folder for --facts."""

    def __init__(self, count, changes_of=lambda number: ()):
        self.count = count
        self.changes_of = changes_of

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="many hosts ")
        self.saved = pathlib.Path(self.directory.name) / "saved"
        self.saved.mkdir()
        for number in range(1, self.count + 1):
            described = pathlib.Path(self.directory.name) / "host.yaml"
            described.write_text(description(number, *self.changes_of(number)))
            fixtures.make_host(described, self.saved)
        return self

    def __exit__(self, *_):
        self.directory.cleanup()
