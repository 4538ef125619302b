# SPDX-License-Identifier: Apache-2.0
"""A module to preload, wherever it lies: LD_PRELOAD splits at blanks and colons, and knows no quotes."""
import pathlib
import tempfile


class Module:
    """`path` leads to the module and holds neither blank nor colon, until close()."""

    def __init__(self, module):
        # Not where TMPDIR says, which may hold a blank.
        self.folder = tempfile.TemporaryDirectory(prefix="rdmaready-preload-", dir="/tmp")
        self.path = pathlib.Path(self.folder.name) / pathlib.Path(module).name.replace(" ", "-").replace(":", "-")
        self.path.symlink_to(pathlib.Path(module).resolve())

    def close(self):
        self.folder.cleanup()
