# SPDX-License-Identifier: Apache-2.0
"""Which slice of a long suite belongs to a commit, so that over some commits all of it is run; soak runs it whole.

RDMAREADY_SLICE=all takes all, RDMAREADY_SLICE=K slice K of every suite. `slices.py --self` proves that each is dealt once."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commit():
    """Empty where the tree has no history."""
    try:
        done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--verify", "HEAD"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def place(name, parts, of):
    """Which of so many slices of the suite `name` belongs to that commit."""
    return int(hashlib.sha256(f"{name} {of}".encode()).hexdigest(), 16) % parts


def chosen(name, parts):
    """The slice to run, and says so; None: all."""
    wanted = os.environ.get("RDMAREADY_SLICE", "")
    if wanted == "all":
        return None
    at = int(wanted) % parts if wanted else place(name, parts, commit())
    print(f"{name}: slice {at} of 0 to {parts - 1}, chosen by the commit; RDMAREADY_SLICE=all for the whole", file=sys.stderr, flush=True)
    return at


def dealt(name, parts, everything):
    """Every so-manieth, from the place of this commit on."""
    at = chosen(name, parts)
    return list(everything) if at is None else list(everything)[at::parts]


def _cases(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from _cases(one)
        else:
            yield one


def tests(name, parts):
    """For a module's load_tests: its tests are dealt. Who names a test on the command line gets it whatever is dealt."""
    return lambda loader, standard, pattern: unittest.TestSuite(dealt(name, parts, _cases(standard)))


class NotItsTurn(unittest.TestCase):
    def test_this_suite_is_of_another_commit(self):
        self.skipTest("another commit's turn; RDMAREADY_SLICE=all runs it")


def turns(*its, parts=6):
    """For the load_tests of a module that sets up more than its tests cost: a commit runs all of it or none, so often as it has turns, `its`.
    All such modules count the same turns, so that no commit has all of them. ValueError: a turn that no commit has, or none at all."""
    if not its or not set(its) <= set(range(parts)):
        raise ValueError(f"turns {its}: of 0 to {parts - 1}")

    def load(loader, standard, pattern):
        at = chosen("hosts of their own", parts)
        return standard if at is None or at in its else loader.loadTestsFromTestCase(NotItsTurn)
    return load


def prove_turns():
    whole = unittest.TestSuite()
    for wanted, runs in (("0", True), ("3", True), ("9", True), ("1", False), ("5", False), ("all", True)):
        os.environ["RDMAREADY_SLICE"] = wanted
        assert (turns(0, 3)(unittest.TestLoader(), whole, None) is whole) == runs, wanted
    del os.environ["RDMAREADY_SLICE"]
    for none in ((), (6,), (0, -1)):
        try:
            turns(*none)
        except ValueError:
            continue
        raise AssertionError(none)
    named = [(path.name, its) for path in (ROOT / "tests").rglob("*_test.py") for its in re.findall(r"slices\.turns\((.*)\)", path.read_text())]
    assert named, "no module has turns"
    for name, its in named:
        assert re.fullmatch(r"[0-5](, [0-5])*", its), f"{name} would run with no commit: {its}"


def prove():
    everything = list(range(10))
    for parts in (1, 3, 6):
        got = []
        for at in range(parts):
            os.environ["RDMAREADY_SLICE"] = str(at)
            got += dealt("x", parts, everything)
        assert sorted(got) == everything, (parts, got)
        assert {place("x", parts, str(number)) for number in range(100)} == set(range(parts))
    os.environ["RDMAREADY_SLICE"] = "all"
    assert dealt("x", 3, everything) == everything
    del os.environ["RDMAREADY_SLICE"]
    assert dealt("x", 3, everything) == everything[place("x", 3, commit())::3]
    prove_turns()
    assert len({place(name, 6, "a") for name in "abcdefghijklm"}) > 1, "suites turn apart from each other"


if __name__ == "__main__":
    sys.exit(prove() if sys.argv[1:] == ["--self"] else __doc__)
