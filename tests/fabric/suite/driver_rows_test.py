# SPDX-License-Identifier: Apache-2.0
"""Each row of checks/setting/DRIVERS.md that a personality of the DCB NIC plays: driver_rows/ writes and reads it in a guest."""
import json
import pathlib
import re
import unittest

import fabric

ROWS = pathlib.Path(__file__).resolve().with_name("driver_rows")
TABLE = pathlib.Path(__file__).resolve().parents[3] / "checks/setting/DRIVERS.md"


def table():
    """How each row is played, by id: "nic, model"."""
    found = re.findall(r"^\| `([\w.-]+)` \|.* \| ([^|]+) \|$", TABLE.read_text(), re.MULTILINE)
    return {name: [part.strip() for part in played.split(":")[0].split(",")] for name, played in found}


class DriverRows(unittest.TestCase):
    def test_the_virtual_nic_does_what_each_row_says(self):
        fabric.bring_up()
        self.addCleanup(fabric.put_right, 1)
        played = json.loads(fabric.guest(1, f"python3 -B {fabric.word(ROWS, 'play.py')}"))
        for name, personality, differs in played:
            with self.subTest(row=name, personality=personality):
                self.assertEqual(differs, "")
        print(f"  {len(played)} plays of {len({name for name, _, _ in played})} rows", flush=True)

    def test_the_rows_played_are_those_of_the_table(self):
        played = {name for file in ROWS.glob("*.py") for name in re.findall(r'^@row\("([\w.-]+)"', file.read_text(), re.MULTILINE)}
        self.assertEqual(played, {name for name, how in table().items() if "nic" in how})
        self.assertEqual({part for how in table().values() for part in how} - {"nic", "model", "read"}, set())


if __name__ == "__main__":
    unittest.main()
