# SPDX-License-Identifier: Apache-2.0
"""Whether a printed repair of a setting that a unit of the site sets at boot is there after the host was booted. Soak: a reboot for each run."""
import unittest

import repairs_test
from eventually import eventually
from repairs_test import Runs

# Each kind that a unit of the site sets at boot.
KINDS = ("pfc", "ets", "app", "mtu", "pause", "tos")
# The NIC of the fabric as the drivers of other hosts make theirs: before what sets it.
NIC_UNIT = """[Unit]
Description=The NIC of the fabric
DefaultDependencies=no
After=local-fs.target systemd-udevd.service
Before=sysinit.target systemd-sysctl.service network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/fabric-nic

[Install]
WantedBy=sysinit.target
"""
# No shell script: the agent would take its commands for what the site sets.
NIC_SCRIPT = """#!/usr/bin/python3
import pathlib, shutil, subprocess
pathlib.Path("/run/fabric").mkdir(exist_ok=True)
shutil.copy("/mnt/share/conf", "/run/fabric/conf")
subprocess.run(["bash", "/mnt/share/provision"], check=True)
pathlib.Path("/sys/kernel/debug/dcbnic/dcb0/link_kind").write_text("off")
"""


def setUpModule():
    repairs_test.setUpModule(may_reboot=True)
    host = repairs_test.HOST
    host.shell(f"cat > /etc/systemd/system/fabric-nic.service <<'END'\n{NIC_UNIT}END\ncat > /usr/local/sbin/fabric-nic <<'END'\n{NIC_SCRIPT}END\n"
               "chmod 755 /usr/local/sbin/fabric-nic && systemctl daemon-reload && systemctl -q enable fabric-nic")


class RepairsOverABoot(Runs):
    def again(self, owner):
        host = repairs_test.HOST
        boot = host.shell("cat /proc/sys/kernel/random/boot_id")
        host.guest.run(["systemctl", "reboot"], 30)

        def booted():
            try:
                return host.shell("cat /proc/sys/kernel/random/boot_id", 10)
            except Exception:  # pylint: disable=broad-except  # it is on its way
                return boot

        eventually(booted, lambda now: now != boot, seconds=200, every=2)
        eventually(lambda: host.shell("systemctl is-system-running || :").strip(), lambda state: state in ("running", "degraded"), seconds=120, every=2)

    def test_each_printed_repair_is_there_after_a_boot(self):
        self.try_all([(kind, "plain", "boot unit") for kind in KINDS])


if __name__ == "__main__":
    unittest.main()
