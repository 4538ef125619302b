# SPDX-License-Identifier: Apache-2.0
"""What LLDP and DCBX agents announce on a link: Debian's lldpad in both guests, and agents made of a few lines that do what no
good agent does. Our listener sends nothing and asks nobody; without listening, lldpad of the host is asked for what it has heard."""
import tempfile
import threading
import time
import unittest

import fabric
import lldp
import slices
import tool
from eventually import eventually

LISTENER, PEER = 1, 2

# lldpad takes the link's settings over when it starts and writes its own: what it is told here.
START = """
set -e
mkdir -p /var/lib/lldpad
lldpad -d
for i in $(seq 100); do ! lldptool ping > /dev/null 2>&1 || break; sleep 0.1; done
lldptool set-lldp -i dcb0 adminStatus=rxtx
lldptool -T -i dcb0 -V sysName enableTx=yes
lldptool -T -i dcb0 -V macPhyCfg enableTx=yes
lldptool -T -i dcb0 -V MTU enableTx=yes
lldptool -T -i dcb0 -V ETS-CFG willing=no tsa=0:ets,1:ets,2:strict,3:strict,4:strict,5:strict,6:strict,7:strict \
  up2tc=0:0,1:0,2:0,{up2tc},5:0,6:0,7:0 tcbw={tcbw},0,0,0,0,0,0
lldptool -T -i dcb0 -V PFC willing={willing} enabled={enabled}
lldptool -T -i dcb0 -V ETS-REC enableTx=yes tsa=0:ets,1:ets up2tc=3:1 tcbw=30,70
lldptool -T -i dcb0 -V APP enableTx=yes
"""
ANNOUNCE = "lldptool -T -i dcb0 -V sysName enableTx=yes"  # told anything, it sends a frame at once

# Sends frames from lines of hexadecimal, each time round, until it is ended. It is there when the first round was sent.
SEND = """
rm -f /tmp/lldp_sent
cat > /tmp/lldp_send.py <<'END'
import socket, sys, time
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("dcb0", 0))
while True:
    for frame in sys.argv[1:]:
        wire.send(bytes.fromhex(frame))
    open("/tmp/lldp_sent", "w").close()
    time.sleep(0.2)
END
setsid python3 /tmp/lldp_send.py {frames} < /dev/null > /dev/null 2>&1 & echo $!
until [ -e /tmp/lldp_sent ]; do kill -0 $! || exit; sleep 0.1; done
"""


# Takes lldpad's name, and notes each datagram.
HOLD = """
rm -f /tmp/lldpad_held
cat > /tmp/lldpad_hold.py <<'END'
import socket
held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
held.bind("\\0/com/intel/lldpad")
with open("/tmp/lldpad_held", "w", buffering=1) as notes:
    notes.write("held\\n")
    while True:
        notes.write(held.recv(4096).decode(errors="replace") + "\\n")
END
setsid python3 /tmp/lldpad_hold.py < /dev/null > /dev/null 2>&1 & echo $!
for i in $(seq 100); do [ ! -s /tmp/lldpad_held ] || break; sleep 0.1; done
"""


PFC_3_WILLING = lldp.pfc(3, willing=True)
PFC_3 = lldp.pfc(3)
PFC_4 = lldp.pfc(4)
CEE_PFC_4 = lldp.cee_pfc(4)
CIN = lldp.organization("001b21", 1, b"")
CUT = lldp.organization("0080c2", 11, bytes([0x88]))

# What a check says of the other end of a link.
OF_THE_LINK = ("peer.lldp-seen", "peer.app-tlv", "mtu.path", "dcbx.willing", "dcbx.one-agent", "dcbx.dialect",
               "pfc.switch-agrees", "ets.switch-agrees")
PLACE = "rxe0/1 dcb0"


class Lldp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def setUp(self):
        self.addCleanup(fabric.put_right)

    def netdev(self, *options):
        answer = tool.rdmaready("facts", self.hosts[LISTENER], "--output", "json", *options, timeout=180)
        self.assertEqual(answer.status, 0, answer)
        port, = answer.json["hosts"][0]["facts"]["ports"]["value"]["ports"]
        return port["netdev"]["value"]

    def heard(self, seconds, *options):
        return self.netdev("--lldp", seconds, *options)["lldp"]

    def kept(self):
        """What lldpad has, once it has heard all that START makes the other end announce. Each setting sends a frame of its own, at most one
        a second: the first ones lack what is set last."""
        def look():
            kept = self.netdev()["lldp_agent"]
            self.assertIn("value", kept, kept)
            return kept["value"]

        # Agents announce themselves every 30 s.
        return eventually(look, lambda kept: any((peer.get("app") or {}).get("entries") for peer in kept["peers"]), seconds=90, every=1)

    def value(self, seconds):
        heard = self.heard(seconds)
        self.assertIn("value", heard, heard)
        return heard["value"]

    def send(self, *frames):
        pid = fabric.guest(PEER, SEND.format(frames=" ".join(one.hex() for one in frames))).strip()
        self.addCleanup(fabric.guest, PEER, f"kill {pid}")

    def start_lldpad(self, guest, **settings):
        fabric.guest(guest, START.format(**settings))

    def announced(self, ask):
        """What `ask` gives while both lldpads announce themselves again and again, and not only every 30 s."""
        over = threading.Event()

        def announce():
            while not over.wait(1):
                for guest in (LISTENER, PEER):
                    fabric.guest(guest, ANNOUNCE)

        announcer = threading.Thread(target=announce)
        announcer.start()
        try:
            return ask()
        finally:
            over.set()
            announcer.join()

    def judged(self, seconds):
        """The findings about the link of a check that watches it so long."""
        host = self.hosts[LISTENER]
        watch = ("--watch", seconds) if seconds else ()
        return self.found(host, host, *watch)

    def found(self, host, *of):
        answer = tool.rdmaready("check", *of, "--profile", "virtual-fabric", "--output", "json", timeout=180)
        self.assertIn(answer.status, (0, 1, 3), answer)
        found = {one: fabric.finding(answer.json, host, one) for one in OF_THE_LINK}
        self.assertEqual({finding["subject"] for finding in found.values()}, {PLACE})
        return found

    def outcomes(self, found, *ids):
        return {one: found[one]["outcome"] for one in ids or OF_THE_LINK}

    def test_a_check_of_two_good_lldpads_finds_nothing(self):
        for guest in (LISTENER, PEER):
            self.start_lldpad(guest, up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3")
        found = self.judged(35)  # by themselves they announce every 30 s
        self.assertEqual(self.outcomes(found), {one: "pass" for one in OF_THE_LINK}, found)
        self.assertIn("guest2 port ", found["peer.lldp-seen"]["observed"])
        self.assertEqual(found["dcbx.one-agent"]["observed"], "one at the other end, one here")
        self.assertEqual(found["dcbx.dialect"]["observed"], "the other end speaks IEEE, this host IEEE")
        self.assertRegex(found["pfc.switch-agrees"]["observed"], "^guest2 port .* has PFC on 3$")
        self.assertRegex(found["ets.switch-agrees"]["observed"], "^guest2 port .* gives it 50%$")

    def test_a_check_finds_what_lldpads_do_wrong(self):
        self.start_lldpad(LISTENER, up2tc="3:1,4:0", tcbw="50,50", willing="yes", enabled="3")
        self.start_lldpad(PEER, up2tc="3:1,4:1", tcbw="80,20", willing="no", enabled="3,4")
        found = self.announced(lambda: self.judged(8))
        self.assertEqual(self.outcomes(found, "dcbx.willing", "pfc.switch-agrees", "ets.switch-agrees"),
                         {"dcbx.willing": "fail", "pfc.switch-agrees": "fail", "ets.switch-agrees": "warn"}, found)
        self.assertIn("an LLDP agent of this host announces it on", found["dcbx.willing"]["observed"])
        self.assertIn("PFC on 3 and 4", found["pfc.switch-agrees"]["observed"])

    def test_an_lldpad_that_follows_the_switch_is_named_as_the_writer(self):
        """Nobody touches this host: the other end announces another PFC, and lldpad, which is willing, writes it to the NIC."""
        self.start_lldpad(LISTENER, up2tc="3:1,4:0", tcbw="50,50", willing="yes", enabled="3")
        self.start_lldpad(PEER, up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3")
        self.kept()
        running = tool.start("check", self.hosts[LISTENER], "--watch", 15, "--profile", "virtual-fabric", "--output", "json")
        time.sleep(5)
        fabric.guest(PEER, "lldptool -T -i dcb0 -V PFC enabled=4")
        answer = tool.finish(running)
        drift = fabric.finding(answer.json, self.hosts[LISTENER], "drift.foreign-writer")
        self.assertEqual((drift["outcome"], drift["subject"]), ("warn", PLACE), drift)
        self.assertRegex(drift["observed"], r"PFC 3 -> 4 by a process, probably lldpad \(process \d+\)")
        self.assertEqual(fabric.finding(answer.json, self.hosts[LISTENER], "pfc.lossless-priority")["outcome"], "fail")

    def test_a_check_that_does_not_watch_judges_no_link(self):
        self.send(lldp.frame(1, PFC_4))
        found = self.judged(0)
        self.assertEqual(found["pfc.switch-agrees"]["outcome"], "not-applicable")
        self.assertEqual(found["pfc.switch-agrees"]["observed"], "not watched (--watch SECONDS)")

    def test_what_lldpad_heard_is_known_at_once(self):
        self.start_lldpad(LISTENER, up2tc="3:1,4:0", tcbw="60,40", willing="no", enabled="3")
        self.start_lldpad(PEER, up2tc="3:1,4:1", tcbw="50,50", willing="yes", enabled="3,4")
        # The willing end first announces its own, then what it took over.
        eventually(self.kept, lambda kept: kept["peers"][0]["pfc"]["enabled"] == 0x08, every=1)
        state = "md5sum /var/lib/lldpad/lldpad.conf; cut -d' ' -f1 /proc/modules"
        before = fabric.guest(LISTENER, state)
        began = time.monotonic()
        netdev = self.netdev()
        self.assertLess(time.monotonic() - began, 34)  # nobody listened, which takes 35 s
        self.assertEqual(netdev["lldp"]["missing"]["kind"], "KIND_NOT_COLLECTED")
        peer, = netdev["lldp_agent"]["value"]["peers"]
        own, = netdev["lldp_agent"]["value"]["own"]
        self.assertEqual(netdev["lldp_agent"]["value"]["notes"], [])
        for agent, guest in ((own, LISTENER), (peer, PEER)):
            address = fabric.guest(guest, "cat /sys/class/net/dcb0/address").strip()
            self.assertEqual(agent["chassis"], {"subtype": 4, "text": address})
            self.assertEqual(agent["port"], {"subtype": 3, "text": address})
            self.assertEqual((agent["system_name"], agent["ttl_s"], agent["oddities"]), (f"guest{guest}", 120, []))
            self.assertEqual((agent["dcbx_ieee"], agent["dcbx_cee"], agent["dcbx_cin"]), (True, False, False))
            self.assertEqual(agent["app"], {"entries": [{"selector": 5, "priority": 3, "protocol": 26}]})
            self.assertEqual((agent["source_mac"], agent["frames"]), ("", 0))  # lldpad does not keep these
        # Willing, it does as its peer does.
        self.assertEqual((peer["pfc"]["enabled"], peer["pfc"]["willing"]), (0x08, True))
        self.assertEqual((own["pfc"]["enabled"], own["pfc"]["willing"]), (0x08, False))
        self.assertEqual((own["ets"]["percent"][:2], peer["ets"]["prio_tc"]), ([60, 40], [0, 0, 0, 1, 1, 0, 0, 0]))
        self.assertRegex(tool.rdmaready("facts", self.hosts[LISTENER]).out,
                         r"\n    lldpad +hears guest2 port .*, DCBX IEEE, PFC on 3 willing, ")
        self.assertEqual(fabric.guest(LISTENER, state), before)  # looking changed nothing

    def test_a_check_that_does_not_watch_judges_by_what_lldpad_heard(self):
        self.start_lldpad(LISTENER, up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3")
        self.start_lldpad(PEER, up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3")
        self.kept()
        expected = {one: "pass" for one in OF_THE_LINK}
        expected["dcbx.one-agent"] = "not-applicable"  # lldpad would not know of a second one
        found = self.judged(0)
        self.assertEqual(self.outcomes(found), expected, found)
        self.assertEqual(found["pfc.switch-agrees"]["source"], "LLDP as lldpad has it")
        with tempfile.TemporaryDirectory() as directory:
            saved = tool.rdmaready("facts", self.hosts[LISTENER], "--save", directory)
            self.assertEqual(saved.status, 0, saved)
            self.assertEqual(self.outcomes(self.found(self.hosts[LISTENER], "--facts", directory)), expected)

        fabric.guest(PEER, "lldptool -T -i dcb0 -V PFC enabled=3,4")
        finding = eventually(lambda: self.judged(0)["pfc.switch-agrees"], lambda finding: finding["outcome"] != "pass", every=1)
        self.assertEqual((finding["outcome"], finding["expected"]), ("fail", "PFC on 3"), finding)
        self.assertRegex(finding["observed"], "^guest2 port .* has PFC on 3 and 4$")

    def test_an_lldpad_that_does_not_listen_has_heard_nobody(self):
        self.start_lldpad(LISTENER, up2tc="3:1,4:0", tcbw="50,50", willing="no", enabled="3")
        fabric.guest(LISTENER, "lldptool set-lldp -i dcb0 adminStatus=tx")
        self.assertEqual(self.netdev()["lldp_agent"], {"missing": {
            "kind": "KIND_UNSUPPORTED", "detail": "lldpad has heard nobody on dcb0 (adminStatus tx)"}})
        self.assertEqual(self.judged(0)["pfc.switch-agrees"]["observed"], "not watched (--watch SECONDS)")

    def test_a_socket_without_lldpad_is_left_alone(self):
        """As systemd holds it: a datagram to it would start lldpad."""
        pid = fabric.guest(LISTENER, HOLD).strip()
        self.addCleanup(fabric.guest, LISTENER, f"kill {pid}")
        missing = self.netdev()["lldp_agent"]["missing"]
        self.assertEqual(missing["kind"], "KIND_FAILED")
        self.assertIn("lldpad may run, or only systemd hold its socket for it", missing["detail"])
        self.assertEqual(fabric.guest(LISTENER, "cat /tmp/lldpad_held"), "held\n")  # and nothing came

    def test_a_check_finds_two_agents_on_one_port(self):
        self.send(lldp.frame(1, PFC_3), lldp.frame(2, CEE_PFC_4))
        found = self.judged(3)["dcbx.one-agent"]
        self.assertEqual((found["outcome"], found["blocking"]), ("fail", True), found)
        for agent in ("02:00:00:00:00:01 (IEEE)", "02:00:00:00:00:02 (CEE)"):
            self.assertIn(agent, found["observed"])

    def test_a_check_finds_a_switch_that_pauses_another_priority(self):
        self.send(lldp.frame(1, PFC_4))
        found = self.judged(3)["pfc.switch-agrees"]
        self.assertEqual((found["outcome"], found["expected"]), ("fail", "PFC on 3"), found)
        self.assertEqual(found["observed"], "02:00:00:00:00:01 port p has PFC on 4")

    def test_a_check_has_nothing_against_a_switch_that_pauses_the_right_one(self):
        self.send(lldp.frame(1, PFC_3))
        found = self.judged(3)
        self.assertEqual(self.outcomes(found, "peer.lldp-seen", "pfc.switch-agrees", "dcbx.dialect"),
                         {"peer.lldp-seen": "pass", "pfc.switch-agrees": "pass", "dcbx.dialect": "pass"}, found)
        self.assertEqual([one for one, finding in found.items() if finding["outcome"] in ("fail", "warn", "unknown")], [])

    def test_lldpad_at_both_ends(self):
        self.start_lldpad(LISTENER, up2tc="3:1,4:1", tcbw="60,40", willing="no", enabled="3,4")
        self.start_lldpad(PEER, up2tc="3:1,4:0", tcbw="50,50", willing="yes", enabled="3")
        heard = self.announced(lambda: self.value(8))
        peer, = heard["peers"]
        own, = heard["own"]
        self.assertEqual(heard["notes"], [])
        for agent, guest in ((own, LISTENER), (peer, PEER)):
            address = fabric.guest(guest, "cat /sys/class/net/dcb0/address").strip()
            self.assertEqual(agent["source_mac"], address)
            self.assertEqual(agent["chassis"], {"subtype": 4, "text": address})
            self.assertEqual(agent["port"], {"subtype": 3, "text": address})
            self.assertEqual(agent["system_name"], f"guest{guest}")
            self.assertEqual(agent["ttl_s"], 120)
            self.assertEqual(agent["oddities"], [])
            self.assertEqual((agent["dcbx_ieee"], agent["dcbx_cee"], agent["dcbx_cin"]), (True, False, False))
            # The kernel's own table, as guest/provision set it.
            self.assertEqual(agent["app"], {"entries": [{"selector": 5, "priority": 3, "protocol": 26}]})
            self.assertEqual((agent["max_frame_bytes"], agent.get("port_vlan_id")), (9018, None))
            self.assertEqual(agent["ets"]["traffic_classes"], 8)
            self.assertEqual(agent["ets_recommended"]["percent"], [30, 70, 0, 0, 0, 0, 0, 0])
            self.assertFalse(agent["ets"]["willing"])
            self.assertEqual(agent["ets"]["tsa"], [2, 2, 0, 0, 0, 0, 0, 0])
        self.assertEqual((own["pfc"]["enabled"], own["pfc"]["willing"]), (0x18, False))
        # Told to pause 3 only, but willing: it does as its peer does.
        self.assertEqual((peer["pfc"]["enabled"], peer["pfc"]["willing"]), (0x18, True))
        self.assertEqual((own["ets"]["prio_tc"], own["ets"]["percent"]), ([0, 0, 0, 1, 1, 0, 0, 0], [60, 40, 0, 0, 0, 0, 0, 0]))
        self.assertEqual((peer["ets"]["prio_tc"], peer["ets"]["percent"]), ([0, 0, 0, 1, 0, 0, 0, 0], [50, 50, 0, 0, 0, 0, 0, 0]))

    def test_silence_is_an_answer(self):
        heard = self.value(1)
        self.assertEqual((heard["peers"], heard["own"], heard["notes"]), ([], [], []))
        self.assertGreaterEqual(heard["listened_ms"], 1000)

    def test_nobody_listens_unasked(self):
        answer = tool.rdmaready("facts", self.hosts[LISTENER], "--output", "json")
        port, = answer.json["hosts"][0]["facts"]["ports"]["value"]["ports"]
        self.assertEqual(port["netdev"]["value"]["lldp"],
                         {"missing": {"kind": "KIND_NOT_COLLECTED", "detail": "not listened for: use --lldp 35"}})
        self.assertEqual(port["netdev"]["value"]["lldp_agent"],
                         {"missing": {"kind": "KIND_UNSUPPORTED", "detail": "lldpad does not run"}})

    def test_two_agents_on_one_port_are_kept_apart(self):
        self.send(lldp.frame(1, PFC_3_WILLING), lldp.frame(2, CEE_PFC_4), lldp.frame(3, CIN))
        first, second, third = sorted(self.value(3)["peers"], key=lambda agent: agent["source_mac"])
        self.assertEqual((first["dcbx_ieee"], first["dcbx_cee"], first["pfc"]["enabled"]), (True, False, 0x08))
        self.assertEqual((second["dcbx_ieee"], second["dcbx_cee"], second["cee"]["pfc"]["enabled"]), (False, True, 0x10))
        self.assertTrue(third["dcbx_cin"])
        self.assertTrue(first["pfc"]["willing"])
        for agent in (first, second, third):
            self.assertGreater(agent["frames"], 1)

    def test_wrong_frames_are_told_and_do_no_harm(self):
        self.send(lldp.frame(1, CUT, PFC_3_WILLING), lldp.frame(2)[:20], lldp.frame(4, ttl=0))
        heard = self.value(3)
        agent, = heard["peers"]
        self.assertEqual(agent["oddities"], ["PFC configuration at byte 31: 1 bytes, not 2",
                                             "PFC configuration at byte 38: a second one"])
        self.assertNotIn("pfc", agent)
        self.assertEqual(sorted(heard["notes"]), ["02:00:00:00:00:04 port p said goodbye", "decode LLDP: ends at byte 14"])

    def test_without_a_link_nobody_waits(self):
        self.addCleanup(fabric.launcher, "fault", LISTENER, "carrier", "on")
        fabric.launcher("fault", LISTENER, "carrier", "off")
        begin = time.monotonic()
        self.assertEqual(self.heard(60)["missing"]["detail"], "no link: nothing can be heard")
        self.assertLess(time.monotonic() - begin, 50)

    def test_what_was_heard_is_shown(self):
        self.send(lldp.frame(1, PFC_3_WILLING))
        shown = tool.rdmaready("facts", self.hosts[LISTENER], "--lldp", 2)
        self.assertRegex(shown.out, r"LLDP +1 heard in 2 s\n +neighbour +02:00:00:00:00:01 port p, DCBX IEEE, PFC on 3 willing")


load_tests = slices.tests("lldp", 3)

if __name__ == "__main__":
    unittest.main()
