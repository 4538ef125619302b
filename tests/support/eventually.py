# SPDX-License-Identifier: Apache-2.0
"""The one wait of a test for what another process or the kernel does."""
import time


def eventually(look, right=bool, seconds=60, every=0.1, why=None):
    """The first result of `look` that is `right`. `look` is called again and again, for a minute: only a test that fails waits so long, and its
    error has the last result, and what `why` returns."""
    end = time.monotonic() + seconds
    while not right(seen := look()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {seen!r}" + (f"\n{why()}" if why else ""))
        time.sleep(every)
    return seen
