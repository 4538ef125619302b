# SPDX-License-Identifier: Apache-2.0
"""Whether a printed repair of a setting that a unit of the site sets at boot is there after the host was booted. Soak: a reboot for each run."""
import unittest

import repairs_test
from repairs_test import Runs

# Each kind that a unit of the site sets at boot.
KINDS = ("pfc", "ets", "app", "mtu", "pause", "tos")
NIC_SCRIPT = """#!/usr/bin/python3
import pathlib, shutil, subprocess
pathlib.Path("/run/fabric").mkdir(exist_ok=True)
shutil.copy("/mnt/share/conf", "/run/fabric/conf")
subprocess.run(["bash", "/mnt/share/provision"], check=True)
pathlib.Path("/sys/kernel/debug/dcbnic/dcb0/link_kind").write_text("off")
"""


def setUpModule():
    repairs_test.setUpModule(may_reboot=True)
    repairs_test.HOST.nic_at_boot(NIC_SCRIPT)


class RepairsOverABoot(Runs):
    def again(self, owner):
        repairs_test.HOST.reboot()

    def test_each_printed_repair_is_there_after_a_boot(self):
        self.try_all([(kind, "plain", "boot unit") for kind in KINDS])


if __name__ == "__main__":
    unittest.main()
