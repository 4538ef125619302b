# SPDX-License-Identifier: Apache-2.0
"""The packages on a host that boots systemd: installed, started, asked, judged by systemd itself, and with a process in the agent's place
that does what an attacker would. One boot for all; the rest of a package's life (upgrade, reboot, purge) is soak's."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import tool

sys.path.append(str(tool.ROOT / "tests" / "fabric" / "lib"))
from system_guest import SystemGuest  # noqa: E402

GUEST = tool.ROOT / "tests" / "fabric" / "guest"
FIRST_VERDICT_S = 60
WORST_EXPOSURE = {"rdmaready-agent": 2.0, "rdmaready-reader": 4.0, "rdmaready-listener": 4.0, "rdmaready-prover": 4.0}


def build_packages(directory, release):
    """{name: path}"""
    done = subprocess.run([tool.ROOT / "packaging" / "build-packages", "--no-build", "--out", directory, "--release", str(release)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return {pathlib.Path(path).name.split("_")[0]: path for path in done.stdout.split()}


def a_module(prepared_modules):
    return next(pathlib.Path(prepared_modules).rglob("dummy.ko"))


class AHostWithSystemd(unittest.TestCase):
    """What both the test and soak start from: a guest with RDMA, and the packages not yet installed."""

    @classmethod
    def setUpClass(cls):
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="rdmaready-packages."))
        cls.packages = build_packages(directory, 1)
        cls.guest = cls.enterClassContext(SystemGuest(f"service-{os.getpid()}", {
            "rdmaready.deb": cls.packages["rdmaready"], "rdmaready-agent.deb": cls.packages["rdmaready-agent"],
            "puppet.py": GUEST / "puppet.py", **cls.more_files(directory)}, may_reboot=cls.may_reboot))
        cls.shell("mkdir -p /run/fabric && cp /mnt/share/conf /run/fabric/conf && bash /mnt/share/provision")

    may_reboot = False

    @classmethod
    def enterClassContext(cls, context):  # Python 3.11 has it as a public name for newer code
        value = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        return value

    @staticmethod
    def more_files(_directory):
        return {}

    @classmethod
    def shell(cls, script, timeout_s=300):
        return cls.guest.shell(script, timeout_s)

    @classmethod
    def install(cls):
        """Seconds until the first verdict, which is returned too."""
        started = time.monotonic()
        cls.shell("dpkg -i /mnt/share/rdmaready.deb /mnt/share/rdmaready-agent.deb && systemctl start rdmaready-agent")
        report = cls.check()
        return time.monotonic() - started, report

    @classmethod
    def check(cls, *options):
        _, out, errors = cls.guest.run(["rdmaready", "check", "127.0.0.1", "--output", "json", *options])
        try:
            return json.loads(out)
        except json.JSONDecodeError as error:
            raise AssertionError(out + errors) from error


class TheService(AHostWithSystemd):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.seconds, cls.first = cls.install()

    def property(self, name, unit="rdmaready-agent"):
        return self.shell(f"systemctl show -P {name} {unit}").strip()

    def test_the_first_verdict_comes_within_a_minute_of_dpkg_without_touching_a_file(self):
        host = self.first["hosts"][0]
        self.assertEqual(host["error"] if "error" in host else "", "")
        self.assertGreater(len(host["findings"]), 50)
        print(f"first verdict {self.seconds:.1f} s after dpkg -i began: {self.first['verdict']}")
        self.assertLess(self.seconds, FIRST_VERDICT_S)

    def test_the_agent_is_its_own_user_without_any_capability_and_in_its_apparmor_profile(self):
        status = self.shell("cat /proc/$(systemctl show -P MainPID rdmaready-agent)/status")
        for line in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb"):
            self.assertRegex(status, rf"{line}:\t0+\n")
        uid = self.shell("id -u rdmaready").strip()
        self.assertRegex(status, rf"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
        self.assertRegex(status, r"NoNewPrivs:\t1\n")
        self.assertRegex(status, r"Seccomp:\t2\n")
        confined = self.shell("cat /proc/$(systemctl show -P MainPID rdmaready-agent)/attr/current")
        self.assertEqual(confined.strip(), "rdmaready-agent (enforce)")

    def test_live_transfers_run_as_the_service(self):
        report = self.check("--level", "loopback", "--profile", "virtual-fabric")
        rungs = {rung["rung"]: rung["outcome"] for rung in report["hosts"][0]["ladder"]}
        self.assertEqual(rungs["loopback"], "pass", report)

    def test_nobody_is_denied_by_apparmor_what_it_needs(self):
        denied = [line for line in self.shell("dmesg").splitlines() if 'apparmor="DENIED"' in line and "rdmaready" in line]
        self.assertEqual(denied, [])

    def test_systemd_finds_little_exposed(self):
        units = self.shell("systemctl list-unit-files --no-legend 'rdmaready-*.service' | cut -d' ' -f1").split()
        figures = {}
        for unit in units:
            out = self.shell(f"systemd-analyze security --no-pager {unit}")
            figures[unit.removesuffix(".service")] = float(re.search(r"Overall exposure level for \S+ ([\d.]+)", out).group(1))
        print("exposure:", figures)
        self.assertIn("rdmaready-agent", figures)
        for name, figure in figures.items():
            self.assertLessEqual(figure, WORST_EXPOSURE[name], name)

    def test_events_are_entries_of_the_journal_with_fields(self):
        self.check("--profile", "smb-direct-roce")
        lines = self.shell("journalctl -u rdmaready-agent -o json --no-pager EVENT=check").splitlines()
        entry = json.loads(lines[-1])
        self.assertRegex(entry["MESSAGE_ID"], r"^[0-9a-f]{32}$")
        self.assertRegex(entry["RUN_ID"], r"^\d{8}T\d{6}Z-")
        self.assertEqual(entry["RDMAREADY_PROFILE"], "smb-direct-roce")
        self.assertEqual(len(self.shell(f"journalctl MESSAGE_ID={entry['MESSAGE_ID']} -o cat --no-pager").splitlines()), len(lines))
        # One wrong setting, found by its id, its device and its netdev.
        self.shell("dcb pfc set dev dcb0 prio-pfc all:off 4:on; :")
        try:
            self.check("--profile", "virtual-fabric")
        finally:
            self.shell("dcb pfc set dev dcb0 prio-pfc all:off 3:on; :")
        found = self.shell("journalctl CHECK_ID=pfc.lossless-priority RDMA_DEV=rxe0 IFNAME=dcb0 -o json --no-pager").splitlines()
        self.assertEqual(json.loads(found[-1])["EVENT"], "finding")

    def test_a_reload_takes_up_the_profile_and_names_what_waits_for_a_restart(self):
        pid = self.property("MainPID")
        self.shell("cp /etc/rdmaready/agent.yaml /tmp/agent.yaml && "
                   "printf 'profile: virtual-fabric\\nlog_level: debug\\nhistory_max_age: 9d\\n' >> /etc/rdmaready/agent.yaml")
        try:
            self.shell("systemctl reload rdmaready-agent")
            self.assertEqual(self.property("MainPID"), pid)
            self.assertEqual(self.check()["hosts"][0]["profiles"][0]["name"], "virtual-fabric")
            entry = json.loads(self.shell("journalctl EVENT=reloaded -o json --no-pager").splitlines()[-1])
            self.assertEqual(entry["RDMAREADY_NEEDS_RESTART"], "history_max_age")
            self.shell("echo 'profil: x' >> /etc/rdmaready/agent.yaml; systemctl reload rdmaready-agent")
            refused = json.loads(self.shell("journalctl EVENT=reload-refused -o json --no-pager").splitlines()[-1])
            self.assertIn("profil", refused["RDMAREADY_REASON"])
            self.assertEqual(self.check()["hosts"][0]["profiles"][0]["name"], "virtual-fabric", "all stays as it was")
        finally:
            self.shell("cp /tmp/agent.yaml /etc/rdmaready/agent.yaml && systemctl reload rdmaready-agent")

    def test_an_agent_that_makes_no_progress_is_started_again_and_a_nic_that_hangs_leaves_it_alone(self):
        self.shell("mkdir -p /run/systemd/system/rdmaready-agent.service.d && "
                   "printf '[Service]\\nWatchdogSec=6\\n' > /run/systemd/system/rdmaready-agent.service.d/watchdog.conf && "
                   "systemctl daemon-reload && systemctl restart rdmaready-agent")
        try:
            pid = self.property("MainPID")
            # A NIC whose firmware is dead: what is asked of it sleeps in the kernel.
            self.shell("mount -t debugfs debugfs /sys/kernel/debug 2> /dev/null; echo 1 > /sys/kernel/debug/dcbnic/dcb0/sleep_in_dcb_read")
            try:
                self.check()
                time.sleep(10)
                self.assertEqual(self.property("MainPID"), pid)
            finally:
                self.shell("echo 0 > /sys/kernel/debug/dcbnic/dcb0/sleep_in_dcb_read")
            # No thread of it runs any more.
            self.shell(f"kill -STOP {pid}")
            end = time.monotonic() + 60
            while self.property("MainPID") in (pid, "0") or self.property("ActiveState") != "active":
                self.assertLess(time.monotonic(), end, "not started again")
                time.sleep(1)
            self.assertGreaterEqual(int(self.property("NRestarts")), 1)
        finally:
            self.shell("rm -r /run/systemd/system/rdmaready-agent.service.d && systemctl daemon-reload && systemctl restart rdmaready-agent")


class ATakenOverAgent(AHostWithSystemd):
    """The agent's unit with another program: its user, its sandbox, nothing else. Without AppArmor, which not every host has."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.install()
        cls.shell("modprobe -a nvme-fabrics tun dummy; rmmod dummy; cp /usr/bin/id /usr/local/bin/id-of-root && "
                  "chmod 4755 /usr/local/bin/id-of-root && touch /var/tmp/of-others && systemctl stop rdmaready-agent")
        cls.before = cls.state()
        cls.shell("mkdir -p /run/systemd/system/rdmaready-agent.service.d && printf '[Service]\\nType=oneshot\\nExecStart=\\n"
                  "ExecStart=/usr/bin/python3 -ISB /mnt/share/puppet.py /var/lib/rdmaready/puppet.json\\nWatchdogSec=0\\nRestart=no\\n' > "
                  "/run/systemd/system/rdmaready-agent.service.d/puppet.conf && systemctl daemon-reload && systemctl start rdmaready-agent")
        cls.tried = json.loads(cls.shell("cat /var/lib/rdmaready/puppet.json"))
        cls.after = cls.state()
        cls.by_root = json.loads(cls.shell("cd /tmp; python3 -ISB /mnt/share/puppet.py /tmp/puppet.json > /dev/null; cat /tmp/puppet.json"))

    @staticmethod
    def more_files(_directory):
        import bring_up
        return {"dummy.ko": a_module(bring_up.prepare(["rxe"], False, system=True)["modules_dir"])}

    @classmethod
    def state(cls):
        return cls.shell("dcb pfc show dev dcb0 | head -3; cat /sys/class/net/dcb0/mtu /sys/class/net/dcb0/operstate "
                         "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos /proc/sys/net/ipv4/ip_forward; hostname; "
                         "md5sum /etc/rdmaready/agent.yaml /usr/sbin/rdmaready-agent; ls /etc /run /dev/shm /sys/class/nvme; "
                         "cut -d' ' -f1 /proc/modules | sort; cut -d' ' -f2 /proc/mounts | sort")

    def test_each_attempt_fails(self):
        self.assertGreater(len(self.tried), 40)
        self.assertEqual({name: result for name, result in self.tried.items() if result == "did it" or result.startswith("broken")}, {})

    def test_the_host_is_as_it_was(self):
        self.assertEqual(self.after, self.before)

    def test_each_attempt_succeeds_for_root_so_that_it_proves_something(self):
        failed = {name: result for name, result in self.by_root.items() if result != "did it"}
        self.assertEqual(failed, {})


if __name__ == "__main__":
    unittest.main()
