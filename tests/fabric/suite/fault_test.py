# SPDX-License-Identifier: Apache-2.0
"""One wrong thing at a time in a guest: the verdict names that thing and that host, its fix heals it, and nothing else is red."""
import unittest

import fabric

CONFIGFS_TOS = "/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos"

# What is done to the guest, and the one check that must name it.
FAULTS = [
    ("dcb pfc set dev dcb0 prio-pfc all:off 4:on", "pfc.lossless-priority"),
    ("dcb pfc set dev dcb0 prio-pfc all:off", "pfc.lossless-priority"),
    ("dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", "ets.rdma-share"),
    ("dcb ets set dev dcb0 prio-tc all:0", "ets.map"),
    ("dcb app del dev dcb0 dscp-prio 26:3", "map.dscp"),
    ("dcb app replace dev dcb0 dscp-prio 26:5", "map.dscp"),
    ("ip link set dcb0 mtu 1500", "mtu.ethernet"),
    (f"echo 0 > {CONFIGFS_TOS}", "roce.tos"),
    ("ip link set dcb0 down", "link.state"),
    ("ethtool -s dcb0 speed 10000 duplex full autoneg off", "link.speed"),
    ("ip addr flush dev dcb0 scope global", "ip.address"),
    ("dcb pfc set dev dcb0 prio-pfc all:off 0:on 3:on", "pfc.not-default"),
    ("dcb ets set dev dcb0 tc-tsa all:strict tc-bw all:0", "ets.tsa"),
    ("dcb ets set dev dcb0 willing on", "dcbx.willing"),
    ("ethtool -A dcb0 rx on tx on", "pause.off-with-pfc"),
]

# An address of the storage subnet on the interface beside it, and what keeps that harmless.
SHARE = "ip address add 10.0.0.77/24 dev mgmt0"
IGNORE = "sysctl -qw net.ipv4.conf.all.arp_ignore=2"
ANNOUNCE = "sysctl -qw net.ipv4.conf.all.arp_announce=2"

# The same for advice: the host stays ready, and this is all that is said of it.
WARNINGS = [
    ("dcb pfc set dev dcb0 prio-pfc all:off 3:on 4:on", "pfc.only-one"),
    ("dcb buffer set dev dcb0 prio-buffer all:0", "pfc.headroom"),
    ("dcb maxrate set dev dcb0 tc-maxrate 3:1gbit", "ets.maxrate"),
    ("dcb app add dev dcb0 default-prio 3", "map.default-prio"),
    ("dcb app add dev dcb0 dscp-prio 10:0; dcb app add dev dcb0 dscp-prio 10:1", "map.duplicates"),
    ("rmmod rdma_ucm", "drv.core-modules"),
    ("modprobe 8021q && ip link add link dcb0 name dcb0.711 mtu 1500 type vlan id 711 && ip link set dcb0.711 up && "
     "ip addr add 10.7.11.9/24 dev dcb0.711", "mtu.vlan"),
    ("modprobe bridge && ip link add br0 type bridge && ip link set dcb0 master br0", "inv.bridge"),
    ("rdma system set netns exclusive", "inv.netns-mode"),
    (f"{ANNOUNCE} && {SHARE}", "arp.ignore"),
    (f"{IGNORE} && {SHARE}", "arp.announce"),
    (f"{ANNOUNCE} && {IGNORE} && sysctl -qw net.ipv4.conf.all.rp_filter=1 && {SHARE}", "ip.rp-filter"),
    ("ip route add 10.0.0.2/31 dev mgmt0", "ip.route-symmetric"),
    ("ip neighbour replace 10.0.0.77 dev dcb0 nud failed", "ip.neighbor"),
    ("ethtool -s dcb0 speed 200000 duplex full autoneg off && ethtool --set-fec dcb0 encoding off", "link.fec"),
    ("prlimit --pid $(cat /run/rdmaready-agent.pid) --nofile=1024:1024", "host.nofile"),
]

# These look like faults and are none: nothing is said of them.
CONTROLS = [
    f"{ANNOUNCE} && {IGNORE} && {SHARE}",
    "sysctl -qw net.ipv4.conf.all.rp_filter=1",
    "sysctl -qw net.ipv4.conf.dcb0.arp_ignore=1 net.ipv4.conf.mgmt0.arp_ignore=2 && "
    f"{ANNOUNCE} && {SHARE}; sysctl -qw net.ipv4.conf.all.accept_local=1",
    "ip route add 10.0.0.128/25 dev mgmt0",
    "ip neighbour replace 10.0.0.77 dev dcb0 lladdr 52:54:00:00:00:77 nud stale",
    "ethtool --set-fec dcb0 encoding off",
]


class OneWrongThing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def assert_ready(self, level="host"):
        answer = fabric.check(self.hosts, level)
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(answer.json["verdict"], "ready")
        return answer.json

    def assert_only(self, number, check_id):
        """Exactly this finding is red, on this host; gives it back."""
        answer = fabric.check(self.hosts)
        self.assertEqual(answer.status, 1, answer)
        report = answer.json
        for other, address in self.hosts.items():
            self.assertEqual(fabric.failing(report, address), [check_id] if other == number else [], report)
        found = fabric.finding(report, self.hosts[number], check_id)
        for text in ("observed", "expected", "source", "why", "fix"):
            self.assertTrue(found[text], f"{check_id} has no {text}")
        return found

    def test_each_fault_is_named_and_its_fix_heals_it(self):
        self.assert_ready()
        for position, (fault, check_id) in enumerate(FAULTS):
            number = 1 + position % 2
            with self.subTest(fault=fault, guest=number):
                try:
                    fabric.guest(number, fault)
                    found = self.assert_only(number, check_id)
                    fix = found["fix"].replace("ADDRESS", f"10.0.0.{number}/24")
                    fabric.guest(number, fix)
                    self.assert_ready()
                    print(f"  {check_id:24} {fault}\n{'':26} fix: {fix}", flush=True)
                finally:
                    fabric.put_right(number)

    def assert_only_warned(self, number, check_id):
        """Ready, and exactly this finding is a warning, on this host; gives it back."""
        report = self.assert_ready()
        for other, address in self.hosts.items():
            self.assertEqual(fabric.said(report, address), [check_id] if other == number else [])
        found = fabric.finding(report, self.hosts[number], check_id)
        self.assertEqual(found["outcome"], "warn")
        for text in ("observed", "expected", "source", "why", "fix"):
            self.assertTrue(found[text], f"{check_id} has no {text}")
        return found

    def test_advice_is_said_heals_and_keeps_nobody_from_being_ready(self):
        self.advise(WARNINGS)

    def test_what_only_looks_like_a_fault_is_not_spoken_of(self):
        self.stay_silent(CONTROLS)

    def advise(self, warnings):
        for position, (fault, check_id) in enumerate(warnings):
            number = 1 + position % 2
            with self.subTest(fault=fault, guest=number):
                try:
                    fabric.guest(number, fault)
                    found = self.assert_only_warned(number, check_id)
                    fabric.guest(number, found["fix"])
                    report = self.assert_ready()
                    self.assertEqual(fabric.said(report, self.hosts[number]), [])
                    print(f"  {check_id:24} {fault}\n{'':26} fix: {found['fix']}", flush=True)
                finally:
                    fabric.put_right(number)

    def stay_silent(self, controls):
        for position, control in enumerate(controls):
            number = 1 + position % 2
            with self.subTest(control=control, guest=number):
                try:
                    fabric.guest(number, control)
                    report = self.assert_ready()
                    for address in self.hosts.values():
                        self.assertEqual(fabric.said(report, address), [])
                finally:
                    fabric.put_right(number)

    def test_a_pulled_cable_is_one_red_line(self):
        try:
            fabric.launcher("fault", 2, "link", "down")
            found = self.assert_only(2, "link.state")
            self.assertIn("carrier", found["observed"])
            fabric.launcher("fault", 2, "link", "up")
            self.assert_ready()
        finally:
            fabric.put_right(2)

    def test_firmware_that_runs_dcbx(self):
        """The fix says it: the firmware's agent off first, which is the NIC's own business, then the command."""
        try:
            fabric.launcher("fault", 2, "dcb", "firmware_lldp", "on")
            found = self.assert_only(2, "dcbx.mode")
            self.assertIn("firmware", found["observed"])
            self.assertIn("LLDP agent off first", found["fix"])
            fabric.launcher("fault", 2, "dcb", "firmware_lldp", "off")
            fabric.guest(2, found["fix"])
            self.assert_ready()
        finally:
            fabric.put_right(2)

    def test_too_little_lockable_memory(self):
        try:
            fabric.launcher("agent", 1, "restart", "--memlock", 65536)
            found = self.assert_only(1, "host.memlock")
            self.assertIn("64 KiB", found["observed"])
            fabric.guest(1, found["fix"])
            self.assert_ready()
        finally:
            fabric.put_right(1)

    def test_a_fault_shows_in_the_text_with_host_reason_and_fix(self):
        try:
            fabric.guest(2, "dcb pfc set dev dcb0 prio-pfc all:off 4:on")
            answer = fabric.tool.rdmaready("check", *self.hosts.values(), "--profile", "virtual-fabric")
            self.assertEqual(answer.status, 1, answer)
            verdict, first, fix = answer.out.strip().splitlines()[-3:]
            self.assertRegex(verdict, f"^not ready: {self.hosts[2]} .*pfc.lossless-priority")
            self.assertRegex(first, f"^first +on host {self.hosts[2]}:$")
            self.assertEqual(fix.strip(), "dcb pfc set dev dcb0 prio-pfc all:off 3:on")
            self.assertRegex(answer.out, r"why +\S")
            self.assertRegex(answer.out, r"fix +dcb pfc set dev dcb0 prio-pfc all:off 3:on")
        finally:
            fabric.put_right(2)


if __name__ == "__main__":
    unittest.main()
