# SPDX-License-Identifier: Apache-2.0
"""The one error a person is meant to read, and words on standard error."""

import sys


class FabricError(Exception):
    """Ends the command with its text. exit_status: 1, or 2 for wrong usage."""

    def __init__(self, text, exit_status=1):
        super().__init__(text)
        self.exit_status = exit_status


def say(text):
    print(f"fabric: {text}", file=sys.stderr, flush=True)
