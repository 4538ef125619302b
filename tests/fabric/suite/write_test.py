# SPDX-License-Identifier: Apache-2.0
"""The real HostWriter in a guest: each kind of setting is written, on each kind of NIC as far as it takes it, and nothing else changes.

What was written is read by others: dcbnl.py, ethtool, ip, sysctl, cat. Of a refused write the kernel's words are said."""
import re
import shlex
import unittest

import fabric
import slices
import tool

DCBNL = fabric.word(fabric.LAUNCHER.parent, "suite", "dcbnl.py")
WRITER = fabric.word(tool.BIN, "rdmaready-setting-write")
CONFIGFS = "/sys/kernel/config/rdma_cm"
VLAN = "dcb0.711"

# What is read before and after each write: name, and a shell line in the guest.
READINGS = {
    "dcb": f"python3 {DCBNL} dcb0 all",
    "pause": "ethtool -a dcb0",
    "flags": "ethtool --show-priv-flags dcb0 2> /dev/null || echo none",
    "mtu": f"cat /sys/class/net/*/mtu",
    "vlan": f"ip -d -o link show dev {VLAN} 2> /dev/null | grep -o 'egress-qos-map.*}}' || echo none",
    "vlan-flags": f"ip -d -o link show dev {VLAN} 2> /dev/null | grep -oE ' id [0-9]+( <[^>]*>)?' || echo none",
    "devlink": "devlink dev param show",
    "sysctl": "cd /proc/sys/net/ipv4/conf; grep -s . */arp_ignore */arp_announce */arp_filter */rp_filter */accept_local",
    "cm": f"cd {CONFIGFS}; ls; for d in rxe*; do [ -d $d ] || {{ mkdir $d; made=$d; }}; grep . $d/ports/1/*; "
          "[ -z \"$made\" ] || rmdir $made; done",
}


def settings():
    """Every setting by name; those of dcbnl one by one."""
    shown = fabric.guest(1, "; ".join(f"echo '@@ {name}'; ({line}) 2>&1" for name, line in READINGS.items()) + "; true")
    read = dict(part.split("\n", 1) for part in shown.split("@@ ")[1:])
    read.update(line.split(" ", 1) if " " in line else (line, "") for line in read.pop("dcb").splitlines())
    return {name: text.strip() for name, text in read.items()}


def write(kind, where, name, before, after):
    """What the writer says, and how many requests it announced."""
    words = shlex.join(map(str, (kind, where or "-", name or "-", before, after)))
    said = fabric.guest(1, f"{WRITER} {words} || true").splitlines()
    return said[0], int(re.fullmatch(r"requests (\d+)", said[1]).group(1))


def knob(name, value):
    fabric.launcher("fault", 1, "dcb", name, value)


def ets(tsa, tx, prio, willing="off"):
    return f"willing {willing} tsa {tsa} tx {tx} prio {prio}"


# The good values of guest/provision on the NIC "plain", and others.
ETS = ets("ets,strict,strict,ets,strict,strict,strict,strict", "50,0,0,50,0,0,0,0", "0,0,0,3,0,0,0,0")
OTHER_ETS = ets("ets,strict,strict,ets,strict,strict,strict,strict", "40,0,0,60,0,0,0,0", "0,0,0,3,0,3,0,0")
BUFFER = "prio 0,0,0,1,0,0,0,0 size 131072,131072,0,0,0,0,0,0"
NO_RATES = "0,0,0,0,0,0,0,0"


class Writing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def setUp(self):
        self.known = None  # what was read last, while nobody wrote since

    def tearDown(self):
        fabric.put_right(1)

    def done(self, *setting):
        """Written, and not looked at."""
        self.assertEqual(write(*setting)[0], "ok", setting)
        self.known = None

    def changes(self, kind, where, name, before, after, *expected, requests=1):
        """Written there and back: in between exactly `expected` differ, afterwards nothing. What differed, as it was and as it became."""
        old = self.known or settings()
        self.assertEqual(write(kind, where, name, before, after), ("ok", requests), (kind, after))
        new = settings()
        self.assertEqual({key for key in old if old[key] != new.get(key)}, set(expected), (kind, after))
        self.assertEqual(write(kind, where, name, after, before)[0], "ok", (kind, before))
        self.known = settings()
        self.assertEqual(self.known, old, (kind, before))
        return old, new

    def refuses(self, kind, where, name, before, after, words):
        old = self.known or settings()
        said, _ = write(kind, where, name, before, after)
        self.assertRegex(said, words)
        self.known = settings()
        self.assertEqual(self.known, old, (kind, after))


class ByTheBook(Writing):
    def test_dcb(self):
        _, new = self.changes("dcbx", "dcb0", "", "host ieee static", "host ieee", "dcbx")
        self.assertEqual(new["dcbx"], "09")
        _, new = self.changes("pfc", "dcb0", "", "on 3 delay 0", "on 3,4 delay 100", "pfc")
        self.assertEqual(new["pfc"][2:4] + new["pfc"][8:12], "18" "6400")
        _, new = self.changes("ets", "dcb0", "", ETS, OTHER_ETS, "ets")
        self.assertEqual(new["ets"][6:22], "2800003c00000000")
        _, new = self.changes("maxrate", "dcb0", "", NO_RATES, "0,0,0,12345,0,0,0,0", "maxrate")
        self.assertEqual(new["maxrate"][48:64], "3930000000000000")
        _, new = self.changes("buffer", "dcb0", "", BUFFER, "prio 0,0,0,2,0,0,0,0 size 65536,0,196608,0,0,0,0,0", "buffer")
        self.assertEqual(new["buffer"][:16], "0000000200000000")

    def test_the_app_table_is_changed_row_by_row(self):
        _, new = self.changes("app", "dcb0", "", "dscp:26:3", "dscp:26:5", "app", requests=2)
        self.assertEqual(new["app"], "5:26:5")
        _, new = self.changes("app", "dcb0", "", "dscp:26:3", "ethertype:0:1 dscp:10:2 dscp:26:3 dscp:48:6", "app", requests=3)
        self.assertEqual(new["app"], "1:0:1 5:10:2 5:26:3 5:48:6")
        _, new = self.changes("app", "dcb0", "", "dscp:26:3", "empty", "app")
        self.assertEqual(new["app"], "")

    def test_what_is_no_part_of_a_value_stays(self):
        fabric.guest(1, "dcb ets set dev dcb0 reco-tc-bw all:0 0:30 3:70 reco-tc-tsa all:strict 3:ets reco-prio-tc all:0 3:3 2>&1; "
                     "dcb pfc set dev dcb0 macsec-bypass on 2>&1; true")
        old, new = self.changes("ets", "dcb0", "", ETS, OTHER_ETS, "ets")
        # Capacity and credits; what is received, and all recommendations.
        for start, end in ((1, 3), (11, 19), (35, 59)):
            self.assertEqual(new["ets"][2 * start:2 * end], old["ets"][2 * start:2 * end])
        self.assertEqual(new["ets"][70:86], "1e00004600000000")
        old, new = self.changes("pfc", "dcb0", "", "on 3 delay 0", "off delay 9", "pfc")
        self.assertEqual((new["pfc"][:2], new["pfc"][4:6]), ("08", "01"))

    def test_the_link(self):
        self.changes("mtu", "dcb0", "", 9000, 4000, "mtu")
        _, new = self.changes("pause", "dcb0", "", "autoneg off rx off tx off", "autoneg off rx on tx on", "pause")
        self.assertRegex(new["pause"], r"Autonegotiate:\s+off\nRX:\s+on\nTX:\s+on")
        self.known = None
        fabric.guest(1, f"modprobe 8021q; ip link add link dcb0 name {VLAN} type vlan id 711 egress-qos-map 2:3 5:1; ip link set {VLAN} up")
        _, new = self.changes("vlan-egress", VLAN, "", "2:3 5:1", "2:4 6:2", "vlan")
        self.assertEqual(new["vlan"].split("}")[0].split(), ["egress-qos-map", "{", "2:4", "6:2"])
        old, new = self.changes("vlan-reorder", VLAN, "", "on", "off", "vlan-flags")
        self.assertEqual(old["vlan-flags"], "id 711 <REORDER_HDR>")
        self.assertIn(new["vlan-flags"], ("id 711", "id 711 <>"))  # iproute2 before and since 6.2
        self.changes("mtu", VLAN, "", 9000, 1500, "mtu")
        for name in (f"net.ipv4.conf.{VLAN}.arp_ignore", "net.ipv4.conf.dcb0/711.arp_ignore"):
            old, new = self.changes("sysctl", "", name, 0, 2, "sysctl", requests=0)
            self.assertEqual(set(new["sysctl"].split()) - set(old["sysctl"].split()), {f"{VLAN}/arp_ignore:2"})

    def test_sysctls(self):
        for variable, value in (("arp_ignore", 2), ("arp_announce", 2), ("arp_filter", 1), ("accept_local", 1)):
            self.changes("sysctl", "", f"net.ipv4.conf.all.{variable}", 0, value, "sysctl", requests=0)
        before = int(fabric.guest(1, "cat /proc/sys/net/ipv4/conf/dcb0/rp_filter"))
        self.changes("sysctl", "", "net.ipv4.conf.dcb0.rp_filter", before, 1 - before, "sysctl", requests=0)

    def test_devlink_parameters_of_each_type(self):
        handle = fabric.guest(1, "devlink dev").split()[0]
        for name, before, after in (("test_flag", "false", "true"), ("test_u8", 0, 200), ("test_u16", 0, 65535), ("test_u32", 0, 70000)):
            _, new = self.changes("devlink", handle, name, before, after, "devlink")
            self.assertRegex(new["devlink"], f"(?s)name {name} [^\n]*\n[^\n]*\n *cmode runtime value {after}")
        self.refuses("devlink", handle, "test_u8", 0, 201, "of .*: Numerical result out of range .200 at most.$")
        self.refuses("devlink", handle, "test_u8", 0, 256, "\"256\" is no value of its type")
        self.refuses("devlink", handle, "turbo", 0, 1, "Invalid argument")
        self.refuses("devlink", "virtio/virtio99", "test_u8", 0, 1, "No such device")

    def test_defaults_of_rdma_cm(self):
        _, new = self.changes("cm-tos", "rxe0/1", "", 106, 24, "cm", requests=0)
        self.assertIn("rxe0/ports/1/default_roce_tos:24", new["cm"])
        self.refuses("cm-mode", "rxe0/1", "", "RoCE v2", "IB/RoCE v1", "RoCE mode of rxe0/1: Invalid argument")
        # Without a directory: one is made, and gone afterwards; what was written stays.
        self.known = None
        fabric.guest(1, f"rmdir {CONFIGFS}/rxe0")
        self.done("cm-tos", "rxe0/1", "", 106, 48)
        self.assertEqual(fabric.guest(1, f"ls {CONFIGFS}"), "")
        self.assertEqual(fabric.guest(1, f"mkdir {CONFIGFS}/rxe0; cat {CONFIGFS}/rxe0/ports/1/default_roce_tos").strip(), "48")
        self.refuses("cm-tos", "rxe7/1", "", 0, 24, "create .*rxe7: No such device")
        self.refuses("cm-tos", "rxe0/9", "", 0, 24, "of rxe0/9: No such file or directory")

    def test_what_is_refused_is_said_in_the_kernels_words(self):
        for operation, error, kind, before, after, words in (
                ("set_pfc", "EIO", "pfc", "on 3 delay 0", "on 4 delay 0", "set PFC on dcb0: Input/output error"),
                ("set_ets", "EBUSY", "ets", ETS, OTHER_ETS, "set ETS on dcb0: Device or resource busy"),
                ("set_maxrate", "ENOSPC", "maxrate", NO_RATES, "0,0,0,1,0,0,0,0", "set maximum rates on dcb0: No space left on device"),
                ("set_buffer", "EBUSY", "buffer", BUFFER, "prio 0,0,0,0,0,0,0,0 size 65536,0,0,0,0,0,0,0",
                 "set the buffer on dcb0: Device or resource busy"),  # after ENOMEM it is written in two steps
                ("set_app", "EIO", "app", "dscp:26:3", "dscp:26:3 dscp:48:6", "add APP row dscp:48:6 on dcb0: Input/output error"),
                ("del_app", "EIO", "app", "dscp:26:3", "empty", "delete APP row dscp:26:3 on dcb0: Input/output error"),
                ("set_dcbx", "EIO", "dcbx", "host ieee static", "host ieee", "set the DCBX mode on dcb0: refused by the driver"),
                ("set_pause", "EBUSY", "pause", "autoneg off rx off tx off", "autoneg off rx on tx on",
                 "set pause on dcb0: Device or resource busy")):
            with self.subTest(operation=operation):
                knob(f"fail_next_{operation}", error)
                self.refuses(kind, "dcb0", "", before, after, re.escape(words))
        self.refuses("mtu", "dcb0", "", 9000, 65000, "^set the MTU of dcb0: Invalid argument")
        self.refuses("trust", "dcb0", "", "nothing", "dscp", "^set APP trust order on dcb0: Operation not supported")
        self.refuses("private-flag", "dcb0", "fw-lldp-agent", "off", "on", "^set private flag fw-lldp-agent on dcb0: Operation not supp")
        self.refuses("vlan-egress", "dcb0", "", "empty", "0:3", "^set the VLAN egress map of dcb0: Operation not supported")
        self.refuses("devlink", "pci/0000:3b:00.0", "enable_roce", "false", "true", "No such device")
        self.refuses("pfc", "lo", "", "off delay 0", "on 3 delay 0", "Operation not supported")
        self.refuses("pfc", "nic9", "", "off delay 0", "on 3 delay 0", "look for nic9: No such device")


class LikeDrivers(Writing):
    """On a NIC that behaves as a driver of Linux 6.12 does, new and with nothing set."""

    def begin(self, personality):
        knob("personality", personality)
        self.known = None

    def test_mlx5(self):
        vendor = ets(",".join(["vendor"] * 8), NO_RATES, "1,0,2,3,4,5,6,7")
        self.begin("mlx5")
        self.changes("ets", "dcb0", "", vendor, ETS, "ets")
        self.changes("maxrate", "dcb0", "", NO_RATES, "0,0,0,1000000,0,0,0,0", "maxrate")
        self.changes("pause", "dcb0", "", "autoneg off rx off tx off", "autoneg off rx on tx off", "pause")
        self.refuses("pause", "dcb0", "", "autoneg off rx off tx off", "autoneg on rx off tx off", "^set pause on dcb0: Invalid argument")
        # It is left to the firmware by mode 0, and taken back.
        _, new = self.changes("dcbx", "dcb0", "", "host cee ieee", "cee ieee", "dcbx", requests=2)
        self.assertEqual(new["dcbx"], "0c")
        _, new = self.changes("dcbx", "dcb0", "", "host cee ieee", "ieee", "dcbx", requests=4)
        self.assertEqual(new["dcbx"], "08")
        self.refuses("dcbx", "dcb0", "", "host cee ieee", "lld-managed ieee", "refused by the driver")
        # A row takes the place of the old one; the last one gone is trust in PCP again.
        self.done("app", "dcb0", "", "empty", "dscp:26:3")
        self.changes("app", "dcb0", "", "dscp:26:3", "dscp:26:5 dscp:48:6", "app", requests=3)
        self.refuses("app", "dcb0", "", "dscp:26:3", "dgram:4791:3 dscp:26:3", "^add APP row dgram:4791:3 on dcb0: Invalid argument")
        self.done("app", "dcb0", "", "dscp:26:3", "empty")

    def test_mlx5_and_pfc_that_bounces_the_link(self):
        self.begin("mlx5")
        old = settings()
        for before, after in (("off delay 7", "on 3 delay 100"), ("on 3 delay 100", "off delay 7")):
            self.assertEqual(write("pfc", "dcb0", "", before, after), ("ok", 1))
            now = settings()
            self.assertEqual(now["pfc"][2:4], "08" if "on" in after else "00")
            fabric.guest(1, "for i in $(seq 50); do [ $(cat /sys/class/net/dcb0/carrier) = 1 ] && exit; sleep 0.1; done; false")
        self.assertEqual(settings(), old)

    def test_mlx5_that_trusts_dscp(self):
        self.begin("mlx5-dscp")
        rows = [(dscp, dscp // 8) for dscp in range(64)]
        wanted = [(dscp, {26: 3, 48: 6}.get(dscp, 0)) for dscp in range(0, 64, 2)]
        def table(pairs):
            return " ".join(f"dscp:{dscp}:{priority}" for dscp, priority in pairs)
        old = settings()
        self.done("app", "dcb0", "", table(rows), table(wanted))
        self.assertEqual(settings()["app"].split(), sorted(f"5:{dscp}:{priority}" for dscp, priority in wanted))
        self.done("app", "dcb0", "", table(wanted), table(rows))
        self.assertEqual(settings(), old)

    def test_bnxt(self):
        # Nothing set, it shows zeros; PFC wants ETS before.
        none = ets(",".join(["strict"] * 8), NO_RATES, NO_RATES)
        self.begin("bnxt")
        self.refuses("pfc", "dcb0", "", "off delay 0", "on 3 delay 0", "^set PFC on dcb0: Invalid argument")
        self.changes("ets", "dcb0", "", none, ETS, "ets")
        self.changes("pfc", "dcb0", "", "off delay 0", "on 3 delay 0", "pfc")
        self.changes("app", "dcb0", "", "empty", "ethertype:35093:3 dgram:4791:3 dscp:26:3", "app", requests=3)
        self.refuses("maxrate", "dcb0", "", NO_RATES, "0,0,0,1,0,0,0,0", "^read maximum rates of dcb0: Operation not supported")
        self.refuses("buffer", "dcb0", "", BUFFER, BUFFER, "^read the buffer of dcb0: Operation not supported")
        self.changes("dcbx", "dcb0", "", "host ieee", "ieee", "dcbx")
        # The firmware has it for ever.
        self.done("dcbx", "dcb0", "", "host ieee", "lld-managed ieee")
        self.refuses("dcbx", "dcb0", "", "lld-managed ieee", "host ieee", "refused by the driver")
        self.refuses("app", "dcb0", "", "empty", "dscp:26:3", "^add APP row dscp:26:3 on dcb0: Invalid argument")

    def test_ice(self):
        vlan = ets("ets,strict,strict,strict,strict,strict,strict,strict", "100,0,0,0,0,0,0,0", NO_RATES, "on")
        self.begin("ice")
        self.changes("dcbx", "dcb0", "", "host ieee", "host cee", "dcbx")
        self.done("dcbx", "dcb0", "", "host ieee", "host ieee")
        self.done("ets", "dcb0", "", vlan, ETS)
        self.done("app", "dcb0", "", "empty", "dscp:26:5")
        dscp = ets(",".join(["ets"] * 8), "100,0,0,0,0,0,0,0", "0,1,2,3,4,5,6,7")
        half = ets(",".join(["ets"] * 8), "50,0,0,50,0,0,0,0", "0,1,2,3,4,5,6,7")
        self.done("ets", "dcb0", "", dscp, dscp)  # its receive shares are those of sending from then on
        self.changes("ets", "dcb0", "", dscp, half, "ets")
        self.done("ets", "dcb0", "", dscp, half)
        self.changes("pfc", "dcb0", "", "off delay 0", "on 3 delay 0", "pfc")
        self.done("pfc", "dcb0", "", "off delay 0", "on 3 delay 0")
        # Its only row is mapped anew, and it keeps ETS and PFC, which it forgets when the last row goes.
        self.changes("app", "dcb0", "", "dscp:26:5", "dscp:26:3", "app", requests=5)
        self.changes("app", "dcb0", "", "dscp:26:5", "dscp:10:1 dscp:26:3", "app", requests=4)
        self.refuses("private-flag", "dcb0", "fw-lldp-agent", "off", "on", "^set private flag fw-lldp-agent on dcb0: Operation not supp")
        # Without rows it is as it began. Once the firmware's agent runs, it takes nothing.
        self.done("app", "dcb0", "", "dscp:26:5", "empty")
        _, new = self.changes("private-flag", "dcb0", "fw-lldp-agent", "off", "on", "flags", "dcbx")
        self.assertRegex(new["flags"], "fw-lldp-agent *: on")
        self.refuses("private-flag", "dcb0", "turbo", "off", "on", "^set private flag turbo on dcb0: ")
        knob("firmware_lldp", "on")
        self.known = None
        self.refuses("pfc", "dcb0", "", "off delay 0", "on 3 delay 0", "^set PFC on dcb0: Invalid argument")
        self.refuses("app", "dcb0", "", "empty", "dscp:26:3", "^add APP row dscp:26:3 on dcb0: Invalid argument")


load_tests = slices.tests("write", 6)


if __name__ == "__main__":
    unittest.main()
