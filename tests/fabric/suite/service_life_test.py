# SPDX-License-Identifier: Apache-2.0
"""A package's life on a host that boots systemd: a watchdog that bites, an upgrade, a reboot, a removal, a purge. Soak: minutes."""
import time
import unittest

from eventually import eventually
from service import AGENT, Host

# What a purge leaves, as Debian's practice is: the locked user and the groups, in these files; and what dpkg and the journal keep of anybody.
LEFT = ("/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow", "/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/.pwd.lock")


class TheLifeOfThePackages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.host = Host("service-life", releases=(1, 2), may_reboot=True)
        cls.addClassCleanup(cls.host.end)

    def files(self):
        """Every file of the host's own disk, but for what dpkg, the journal and caches keep."""
        return set(self.host.shell("find / -xdev -not -path '/proc/*' -not -path '/var/lib/dpkg/*' -not -path '/var/log/*.log' "
                                   "-not -path '/var/log/journal*' -not -path '/var/cache/*' -not -path '/tmp/*' -not -path '/var/tmp/*'").splitlines())

    def runs(self):
        return self.host.shell("rdmaready history --output json | grep -c run_id || :").strip()

    def restarted(self, pid, patience_s=90):
        eventually(lambda: self.host.property("MainPID") not in (pid, "0") and self.host.property("ActiveState") == "active", seconds=patience_s,
                   every=1, why=lambda: "not started again")

    def test_all_of_it(self):
        before = self.files()
        self.host.install()
        self.host.report()
        with self.subTest("a NIC that hangs leaves the agent alone, an agent that stands still is started again"):
            self.a_watchdog_that_bites()
        with self.subTest("an upgrade keeps the history, the settings and the local sockets"):
            self.an_upgrade()
        with self.subTest("it answers after a reboot"):
            self.a_reboot()
        with self.subTest("a removal keeps settings and history, a purge leaves nothing"):
            self.the_end(before)

    def a_watchdog_that_bites(self):
        self.host.drop_in("watchdog", "WatchdogSec=15")
        self.host.shell(f"systemctl restart {AGENT}")
        try:
            pid = self.host.property("MainPID")
            knob = "/sys/kernel/debug/dcbnic/dcb0/sleep_in_dcb_read"
            self.host.shell(f"echo 1 > {knob}")
            try:
                for _ in range(3):
                    self.host.report()
                    time.sleep(15)
                self.assertEqual(self.host.property("MainPID"), pid)
            finally:
                self.host.shell(f"echo 0 > {knob}")
            self.host.shell(f"kill -STOP {pid}")
            self.restarted(pid)
            self.assertGreaterEqual(int(self.host.property("NRestarts")), 1)
        finally:
            self.host.no_drop_ins()

    def an_upgrade(self):
        self.host.shell("echo '# mine' >> /etc/rdmaready/agent.yaml")
        runs, pid = self.runs(), self.host.property("MainPID")
        self.assertGreater(int(runs), 0)
        sockets = self.host.shell("stat -c '%n %i' /run/rdmaready/*.sock")
        # Who calls during all of it waits, and is answered.
        self.host.shell("(while [ ! -e /tmp/enough ]; do rdmaready history > /dev/null 2>> /tmp/calls || echo failed >> /tmp/calls; "
                        "echo asked >> /tmp/calls; done) > /dev/null 2>&1 &")
        self.host.shell("dpkg -i --force-confold /mnt/share/2-*.deb")
        self.host.shell("sleep 3; touch /tmp/enough; sleep 3")
        calls = self.host.shell("cat /tmp/calls").splitlines()
        self.assertGreater(calls.count("asked"), 3)
        self.assertNotIn("refused", " ".join(calls))
        self.assertNotEqual(self.host.property("MainPID"), pid, "the new one runs")
        self.assertEqual(self.host.shell("stat -c '%n %i' /run/rdmaready/*.sock"), sockets, "the sockets are those of before")
        self.assertGreaterEqual(int(self.runs()), int(runs))
        self.assertIn("# mine", self.host.shell("tail -1 /etc/rdmaready/agent.yaml"))
        # A host that relied on a listener of loopback without configuring it learns what to write.
        self.assertIn("`listen: 127.0.0.1:7471`", self.host.shell("rdmaready check localhost 2>&1; [ $? = 4 ]"))
        self.host.shell(f"echo 'listen: 127.0.0.1:7471' >> /etc/rdmaready/agent.yaml && systemctl restart {AGENT} && rdmaready facts localhost > /dev/null")

    def a_reboot(self):
        runs = self.runs()
        self.host.reboot()
        self.host.provision()
        self.restarted("none")
        self.assertGreaterEqual(int(self.runs()), int(runs))
        self.assertEqual(self.host.report("--profile", "virtual-fabric")["verdict"], "ready")

    def the_end(self, before):
        self.host.shell("dpkg -r rdmaready-agent rdmaready-hub rdmaready")
        self.assertEqual(self.host.shell("pgrep -c rdmaready || :").strip(), "0")
        self.host.shell("test -e /etc/rdmaready/agent.yaml && test -e /etc/rdmaready/hub.yaml && test -e /var/lib/rdmaready && "
                        "test -e /var/lib/rdmaready-hub && test ! -e /run/rdmaready")
        self.host.shell("dpkg -P rdmaready-agent rdmaready-hub rdmaready")
        # The agent's own traces; what the test and the system made meanwhile is named by neither.
        left = {path for path in self.files() - before if "rdmaready" in path}
        self.assertEqual(left, set())
        self.assertIn("rdmaready", self.host.shell("cat /etc/passwd"))
        self.assertEqual(self.host.shell("grep -rl rdmaready /etc | sort").split(), sorted(path for path in LEFT if self.host.shell(
            f"grep -l rdmaready {path} 2> /dev/null || :").strip()))


if __name__ == "__main__":
    unittest.main()
