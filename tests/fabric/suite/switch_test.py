# SPDX-License-Identifier: Apache-2.0
"""The switch between guests, as the launcher sets and reads it. The switch by itself: tests/unit/fabric."""
import re
import time
import unittest

import fabric
import slices
import tool
from eventually import eventually

OF_THE_LINK = ("peer.lldp-seen", "peer.app-tlv", "pfc.switch-agrees", "ets.switch-agrees")
# As the profile virtual-fabric has it.
AS_PROFILED = ("dscp 0,26:3", "class 0,3:3", "ets 0:50,3:50", "pfc 3")

# Sends so many bytes to guest 1 by TCP; prints how long it took.
LISTEN = """
cat > /tmp/switch_listen.py <<'END'
import socket, time
listener = socket.create_server(("10.0.0.1", 9000))
open("/tmp/switch_listens", "w").close()
stream, _ = listener.accept()
begin, got = time.monotonic(), 0
while data := stream.recv(1 << 20):
    got += len(data)
open("/tmp/switch_took", "w").write(f"{got} {time.monotonic() - begin}")
END
rm -f /tmp/switch_listens /tmp/switch_took
setsid python3 /tmp/switch_listen.py < /dev/null > /dev/null 2>&1 &
until [ -e /tmp/switch_listens ]; do kill -0 $! || exit; sleep 0.1; done
"""
SEND = """python3 -c 'import socket; socket.create_connection(("10.0.0.1", 9000)).sendall(bytes({size}))'"""
TOOK = "until [ -s /tmp/switch_took ]; do sleep 0.1; done; cat /tmp/switch_took"


class Switch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def setUp(self):
        self.addCleanup(fabric.put_right)

    def ask(self, port, word):
        return fabric.launcher("switch", port, word).stdout

    def set(self, port, *settings):
        for setting in settings:
            fabric.launcher("switch", port, *setting.split())

    def counted(self, port, priority, name):
        """A counter of a priority; 0 where it saw no frame."""
        found = re.search(rf"^port={port} priority={priority} (?:.* )?{name}=(\d+)", self.ask(port, "counters"), re.MULTILINE)
        return int(found[1]) if found else 0

    def rping(self):
        """Guest 2 asks guest 1, a dozen small messages, with the ToS of guest/provision: DSCP 26."""
        listens = lambda: "LISTEN" in fabric.guest(1, "rdma resource show cm_id")
        fabric.guest(1, "setsid rping -s -a 10.0.0.1 -C 12 > /dev/null 2>&1 < /dev/null &")
        eventually(listens)
        fabric.guest(2, "rping -c -a 10.0.0.1 -C 12")
        eventually(lambda: not listens(), why=lambda: "rping still listens")

    def findings(self):
        host = self.hosts[1]
        answer = tool.rdmaready("check", host, "--profile", "virtual-fabric", "--watch", 3, "--output", "json", timeout=180)
        return {one: fabric.finding(answer.json, host, one) for one in OF_THE_LINK}

    def test_a_rate_bounds_what_a_guest_gets(self):
        size = 2_000_000
        self.set(1, "rate_mbps 20")
        fabric.guest(1, LISTEN)
        fabric.guest(2, SEND.format(size=size))
        got, took = fabric.guest(1, TOOK).split()
        self.assertEqual(int(got), size)
        self.assertGreater(float(took), size * 8 / 20e6 * 0.9)

    def test_a_port_classifies_rightly_or_wrongly(self):
        self.rping()
        before = self.settled()
        self.assertGreater(before[0], 12)
        self.set(2, "dscp 26:0")
        self.rping()
        self.assertEqual(self.counted(2, 3, "in"), before[0])
        self.assertGreater(self.counted(2, 0, "in"), before[1] + 12)

    def settled(self):
        """The frames of priority 3 and 0 that came in, when no more come for half a second: the end of a connection is a message, too."""
        looks = [(-1, -1)]

        def look():
            looks.append((self.counted(2, 3, "in"), self.counted(2, 0, "in")))
            return looks[-1]
        return eventually(look, lambda seen: seen[0] == looks[-2][0], every=0.5)

    def test_a_cut_port_keeps_its_link(self):
        self.set(2, "cut on")
        self.assertIn("dropped_cut=", self.ask(2, "counters") if self.cannot_ping() else "a ping came through")
        self.assertIn("LOWER_UP", fabric.guest(2, "ip -o link show dcb0"))
        self.set(2, "cut off")
        fabric.guest(1, "ping -c 1 -W 5 10.0.0.2")

    def cannot_ping(self):
        return "1 received" not in fabric.guest(1, "ping -c 1 -W 1 10.0.0.2 || :")

    def test_a_switch_that_announces_what_it_does_is_judged_by_it(self):
        self.set("all", *AS_PROFILED)
        self.set(1, "lldp_ms 500")
        good = self.findings()
        self.assertEqual({one: found["outcome"] for one, found in good.items()}, dict.fromkeys(OF_THE_LINK, "pass"), good)
        self.set(1, "lldp_pfc 4", "lldp_ets 0:90,3:10", "lldp_app 26:4")
        bad = self.findings()
        self.assertEqual({one: found["outcome"] for one, found in bad.items()},
                         {"peer.lldp-seen": "pass", "peer.app-tlv": "warn", "pfc.switch-agrees": "fail", "ets.switch-agrees": "warn"}, bad)
        self.assertIn("switch port p1 has PFC on 4", bad["pfc.switch-agrees"]["observed"])

    def test_settings_and_counters_are_read_as_they_are(self):
        fresh = self.ask(1, "show")
        self.set(1, "ets 0:50 3:40 7:strict")
        self.assertIn("set 1 ets 0:50,1:0,2:0,3:40,4:0,5:0,6:0,7:strict\n", self.ask(1, "show"))
        self.assertEqual(self.ask(2, "show"), fresh.replace("set 1 ", "set 2 "))
        fabric.put_right()
        self.assertEqual(self.ask(1, "show"), fresh)
        begin = time.monotonic()
        totals = dict(pair.split("=") for pair in self.ask("all", "counters").splitlines()[0].split()[1:])
        self.assertLess(time.monotonic() - begin, 10)
        for unit in ("", "_bytes"):
            count = {name: int(totals[name + unit]) for name in ("in", "copied", "out", "dropped", "consumed", "queued")}
            self.assertEqual(count["in"] + count["copied"], count["out"] + count["dropped"] + count["consumed"] + count["queued"])

    def test_wrong_words_are_named(self):
        for words, reason in (((1, "rate_mbps", "fast"), "not a value of this knob"), ((1, "speed", "3"), "no such knob"),
                              ((3, "pfc", "3"), "no such port"), ((1, "pfc"), "KNOB VALUE"), ((1, "show", "all"), "KNOB VALUE"),
                              (("none", "show"), "none: not a whole number"), ((1, "show", "--rail", 2), "has no rail 2")):
            done = fabric.launcher("switch", *words, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


load_tests = slices.tests("switch", 3)

if __name__ == "__main__":
    unittest.main()
