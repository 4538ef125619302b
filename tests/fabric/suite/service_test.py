# SPDX-License-Identifier: Apache-2.0
"""The packages on a host that boots systemd: installed, started, asked, judged by systemd itself, and with a process in the agent's place
that does what an attacker would. One boot for all; the rest of a package's life is in service_life_test.py."""
import json
import re
import time
import unittest

from eventually import eventually
from service import AGENT, Host

# Of an emulated processor, which dpkg keeps busy: what else this machine does is not the packages' time. What they only waited for is in
# the other, of which a busy machine may take some.
FIRST_VERDICT_PROCESSOR_S, FIRST_VERDICT_S = 60, 180
# The boot before it, on a machine that keeps these limits with room. Where the boot takes longer the machine is slow, and the limits are longer by
# as much.
BOOT_PROCESSOR_S = 20
WORST_EXPOSURE = {"rdmaready-agent": 2.0, "rdmaready-reader": 4.0, "rdmaready-listener": 4.0, "rdmaready-prover": 4.0,
                  "rdmaready-applier": 4.0, "rdmaready-pauser": 4.0, "rdmaready-hub": 2.0}
HOST = None
FIRST = {}


def setUpModule():
    global HOST
    HOST = Host("service")
    unittest.addModuleCleanup(HOST.end)
    started, processor_s = time.monotonic(), HOST.processor_s()
    FIRST["boot_s"] = processor_s
    HOST.install()
    FIRST["report"] = HOST.report()
    FIRST["seconds"], FIRST["processor_s"] = time.monotonic() - started, HOST.processor_s() - processor_s


class TheService(unittest.TestCase):
    maxDiff = None

    def test_the_first_verdict_comes_within_a_minute_of_dpkg_without_touching_a_file(self):
        self.assertGreater(len(FIRST["report"]["hosts"][0]["findings"]), 50)
        print(f"the boot took {FIRST['boot_s']:.1f} s of a processor")
        print(f"first verdict {FIRST['seconds']:.1f} s after dpkg -i began, {FIRST['processor_s']:.1f} s of a processor: {FIRST['report']['verdict']}")
        slower = max(1, FIRST["boot_s"] / BOOT_PROCESSOR_S)
        self.assertLess(FIRST["processor_s"], FIRST_VERDICT_PROCESSOR_S * slower)
        self.assertLess(FIRST["seconds"], FIRST_VERDICT_S * slower)
        # The service answered, and not the command itself.
        self.assertTrue(HOST.entries("EVENT=check"))

    def test_three_commands_lead_from_the_packages_to_an_understanding_of_what_is_wrong(self):
        """dpkg -i was the first; what to type third stands at the end of what the second prints."""
        report = HOST.shell("rdmaready check; [ $? = 1 ]")
        said, third = re.search(r"^WRONG [^\n]*\(([a-z0-9.-]+)[,)].*?^MORE +(rdmaready explain \S+)", report, re.DOTALL | re.MULTILINE).groups()
        explained = HOST.shell(third)
        print("$ dpkg -i *.deb\n$ rdmaready check\n" + report + "$ " + third + "\n" + explained)
        self.assertRegex(report, r"\A\S+  NOT READY: ")
        self.assertRegex(report, r"(?m)^DO +\S")
        for word in (said, "Why", "Fix"):
            self.assertIn(word.lower(), explained.lower())

    def test_the_agent_is_its_own_user_without_any_capability_and_in_its_apparmor_profile(self):
        pid = HOST.property("MainPID")
        status = HOST.shell(f"cat /proc/{pid}/status")
        for line in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb"):
            self.assertRegex(status, rf"{line}:\t0+\n")
        uid = HOST.shell("id -u rdmaready").strip()
        self.assertRegex(status, rf"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
        self.assertRegex(status, r"NoNewPrivs:\t1\n")
        self.assertRegex(status, r"Seccomp:\t2\n")
        self.assertEqual(HOST.shell(f"cat /proc/{pid}/attr/current").strip(), "rdmaready-agent (enforce)")

    def test_the_hub_answers_is_its_own_user_without_any_right_and_keeps_what_an_agent_reports(self):
        pid = HOST.property("MainPID", "rdmaready-hub")
        status = HOST.shell(f"cat /proc/{pid}/status")
        for line in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb"):
            self.assertRegex(status, rf"{line}:\t0+\n")
        uid = HOST.shell("id -u rdmaready-hub").strip()
        self.assertRegex(status, rf"Uid:\t{uid}\t{uid}\t{uid}\t{uid}\n")
        self.assertRegex(status, r"NoNewPrivs:\t1\n")
        self.assertRegex(status, r"Seccomp:\t2\n")
        self.assertRegex(HOST.shell(f"cat /proc/{pid}/limits"), r"Max open files +65536 +65536")
        self.assertEqual(HOST.shell(f"cat /proc/{pid}/attr/current").strip(), "rdmaready-hub (enforce)")
        HOST.shell("cp /etc/rdmaready/agent.yaml /tmp/agent.yaml && echo 'hub: 127.0.0.1:7473' >> /etc/rdmaready/agent.yaml && "
                   f"systemctl restart {AGENT}")
        try:
            eventually(lambda: json.loads(HOST.shell("rdmaready fleet status --output json; :"))["hosts"], lambda hosts: hosts == 1, every=1)
            HOST.shell("systemctl reload rdmaready-hub && systemctl restart rdmaready-hub")
            self.assertEqual(json.loads(HOST.shell("rdmaready fleet hosts --output json"))["hosts"][0]["name"], HOST.shell("hostname").strip())
            self.assertEqual(HOST.shell("stat -c '%U %a' /var/lib/rdmaready-hub").strip(), "rdmaready-hub 700")
        finally:
            HOST.shell(f"cp /tmp/agent.yaml /etc/rdmaready/agent.yaml && systemctl restart {AGENT}")

    def test_no_tcp_port_of_the_agent_is_open_and_a_user_in_no_group_gets_nothing(self):
        self.assertEqual(HOST.shell("ss -H -ltn | grep -E ':747[12] ' || :"), "")
        for command in ("check", "facts", "history", "test loopback"):
            status, out, errors = HOST.guest.run(["runuser", "-u", "nobody", "--", "rdmaready", *command.split()])
            self.assertEqual(status, 4, out + errors)
            self.assertIn("/run/rdmaready/observe.sock is for the group rdmaready-observe", out + errors)
        status, out, errors = HOST.guest.run(["rdmaready", "check", "localhost"])
        self.assertEqual(status, 4, out + errors)
        self.assertIn("`listen: 127.0.0.1:7471`", out + errors)

    def test_live_transfers_run_as_the_service_and_the_host_is_ready(self):
        report = HOST.report("--level", "loopback", "--profile", "virtual-fabric")
        rungs = {rung["rung"]: rung["outcome"] for rung in report["hosts"][0]["ladder"] if rung["outcome"] != "not-run"}
        red = [finding for finding in report["hosts"][0]["findings"] if finding["outcome"] == "fail"]
        self.assertEqual(rungs, {"host": "pass", "loopback": "pass"}, red)

    def test_the_helpers_are_started_when_they_are_asked_and_read_what_the_agent_may_not(self):
        units = HOST.shell("systemctl list-unit-files --no-legend 'rdmaready-*.socket' | cut -d' ' -f1").split()
        self.assertIn("rdmaready-reader.socket", units)
        for helper in ("prover", "pauser"):
            self.assertEqual(HOST.property("UnitFileState", f"rdmaready-{helper}.socket"), "disabled")
        for kind in ("socket", "service"):
            self.assertEqual(HOST.property("UnitFileState", f"rdmaready-applier.{kind}"), "disabled")
        report = HOST.report("--profile", "virtual-fabric")
        refused = [finding["id"] for finding in report["hosts"][0]["findings"]
                   if finding["outcome"] == "unknown" and "not allowed" in finding["observed"]]
        self.assertEqual(refused, [])
        [clock] = [finding for finding in report["hosts"][0]["findings"] if finding["id"] == "host.clock"]
        self.assertNotEqual(clock["outcome"], "unknown", clock)
        self.assertTrue(HOST.entries("_SYSTEMD_UNIT=init.scope", "UNIT=rdmaready-reader.service"))

    def test_the_applier_notifies_systemd_from_inside_its_apparmor_profile(self):
        """A profile without that rule leaves its unit starting until TimeoutStartSec, then it is killed, again and again."""
        HOST.shell("cp /usr/share/doc/rdmaready-agent/examples/apply.yaml /etc/rdmaready/apply.yaml")
        try:
            HOST.shell("systemctl start rdmaready-applier.socket && timeout 100 systemctl start rdmaready-applier.service")
            pid = HOST.property("MainPID", "rdmaready-applier")
            self.assertEqual(HOST.property("ActiveState", "rdmaready-applier"), "active")
            self.assertEqual(HOST.shell(f"cat /proc/{pid}/attr/current").strip(), "rdmaready-applier (enforce)")
        finally:
            HOST.shell("rm /etc/rdmaready/apply.yaml; systemctl stop rdmaready-applier.socket rdmaready-applier.service")

    def test_systemd_finds_little_exposed(self):
        units = HOST.shell("systemctl list-unit-files --no-legend 'rdmaready-*.service' | cut -d' ' -f1").split()
        figures = {}
        for unit in units:
            shown = HOST.shell(f"systemd-analyze security --no-pager {unit}")
            figures[unit.removesuffix(".service")] = float(re.search(r"Overall exposure level for \S+ ([\d.]+)", shown).group(1))
        print("exposure:", figures)
        self.assertEqual(set(figures), set(WORST_EXPOSURE))
        for name, figure in figures.items():
            self.assertLessEqual(figure, WORST_EXPOSURE[name], name)

    def test_events_are_entries_of_the_journal_with_fields(self):
        HOST.report("--profile", "smb-direct-roce")
        entries = HOST.entries("EVENT=check")
        self.assertRegex(entries[-1]["MESSAGE_ID"], r"^[0-9a-f]{32}$")
        self.assertRegex(entries[-1]["RUN_ID"], r"^\d{8}T\d{6}Z-")
        self.assertEqual(entries[-1]["RDMAREADY_PROFILE"], "smb-direct-roce")
        self.assertEqual(len(HOST.entries(f"MESSAGE_ID={entries[-1]['MESSAGE_ID']}")), len(entries))
        # One wrong setting, found by its id, its device and its netdev.
        HOST.shell("dcb pfc set dev dcb0 prio-pfc all:off 4:on; :")
        try:
            HOST.report("--profile", "virtual-fabric")
        finally:
            HOST.shell("dcb pfc set dev dcb0 prio-pfc all:off 3:on; :")
        self.assertEqual(HOST.entries("CHECK_ID=pfc.lossless-priority", "RDMA_DEV=rxe0", "IFNAME=dcb0")[-1]["EVENT"], "finding")

    def test_a_reload_takes_up_the_profile_and_names_what_waits_for_a_restart(self):
        pid = HOST.property("MainPID")
        used = lambda: HOST.report()["hosts"][0]["profiles"][0]["name"]
        HOST.shell("cp /etc/rdmaready/agent.yaml /tmp/agent.yaml && "
                   "printf 'profile: virtual-fabric\\nhistory_max_age: 9d\\n' >> /etc/rdmaready/agent.yaml")
        try:
            HOST.shell(f"systemctl reload {AGENT}")
            self.assertEqual(HOST.property("MainPID"), pid)
            self.assertEqual(used(), "virtual-fabric")
            self.assertEqual(HOST.entries("EVENT=reloaded")[-1]["RDMAREADY_NEEDS_RESTART"], "history_max_age")
            HOST.shell(f"echo 'profil: x' >> /etc/rdmaready/agent.yaml; systemctl reload {AGENT}")
            self.assertIn("profil", HOST.entries("EVENT=reload-refused")[-1]["RDMAREADY_REASON"])
            self.assertEqual(used(), "virtual-fabric", "all stays as it was")
        finally:
            HOST.shell(f"cp /tmp/agent.yaml /etc/rdmaready/agent.yaml && systemctl reload {AGENT}")

    def test_z_nobody_was_denied_by_apparmor_what_it_needs(self):
        denied = [line for line in HOST.shell("dmesg").splitlines() if 'apparmor="DENIED"' in line and "rdmaready" in line]
        self.assertEqual(denied, [])


class ThenATakenOverAgent(unittest.TestCase):
    """The agent's unit with another program: its user, its sandbox, nothing else. Without AppArmor, which not every host has."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        HOST.shell("modprobe -a nvme-fabrics tun dummy; rmmod dummy; cp /usr/bin/id /usr/local/bin/id-of-root && "
                   f"chmod 4755 /usr/local/bin/id-of-root && touch /var/tmp/of-others && systemctl stop {AGENT}")
        before = cls.state()
        HOST.drop_in("puppet", "Type=oneshot", "ExecStart=", "ExecStart=/usr/bin/python3 -ISB /mnt/share/puppet.py /var/lib/rdmaready/puppet.json",
                     "WatchdogSec=0", "Restart=no")
        cls.addClassCleanup(HOST.no_drop_ins)
        HOST.shell(f"systemctl start {AGENT}")
        cls.told = json.loads(HOST.shell("cat /var/lib/rdmaready/puppet.json"))
        cls.states = before, cls.state()
        cls.by_root = json.loads(HOST.shell("cd /tmp; python3 -ISB /mnt/share/puppet.py /tmp/puppet.json > /dev/null; cat /tmp/puppet.json"))

    @staticmethod
    def state():
        return HOST.shell("dcb pfc show dev dcb0 | head -3; cat /sys/class/net/dcb0/mtu /sys/class/net/dcb0/operstate "
                          "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos /proc/sys/net/ipv4/ip_forward; hostname; "
                          "md5sum /etc/rdmaready/agent.yaml /usr/sbin/rdmaready-agent; ls /etc /dev/shm /run/rdmaready /sys/class/nvme; "
                          "cut -d' ' -f1 /proc/modules | sort; cut -d' ' -f2 /proc/mounts | sort")

    def test_each_attempt_fails(self):
        attempts = self.told["attempts"]
        self.assertGreater(len(attempts), 40)
        self.assertEqual({name: result for name, result in attempts.items() if result == "did it" or result.startswith("broken")}, {})

    def test_the_helpers_do_nothing_outside_their_verbs(self):
        asked = dict(self.told["helpers"])
        for control in ("control", "control after all that"):
            self.assertIn("answer", asked.pop(control))
        self.assertGreater(len(asked), 5)
        for name, answers in asked.items():
            for answer in answers:
                self.assertEqual(list(answer), ["error"], f"{name}: {answer}")

    def test_the_host_is_as_it_was(self):
        before, after = self.states
        self.assertEqual(after, before)

    def test_each_attempt_succeeds_for_root_so_that_it_proves_something(self):
        self.assertEqual({name: result for name, result in self.by_root["attempts"].items() if result != "did it"}, {})


if __name__ == "__main__":
    unittest.main()
