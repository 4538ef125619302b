# SPDX-License-Identifier: Apache-2.0
"""Drift: what others write is told within a second of it, in the log, the history and the metrics, and a flood of it neither grows the
agent nor loses the last state."""
import re
import time
import unittest

import applying
import fabric
import slices
import tool
from eventually import eventually

WITHIN_S = 1.0
FLOOD = 10_000
OWN = {"whole": 1000, "slice": 60}
# So that a change has a step of many kinds.
WRONG = ("ethtool -A dcb0 rx on tx on", "dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", "dcb pfc set dev dcb0 prio-pfc all:off 4:on",
         "dcb buffer set dev dcb0 prio-buffer all:0", "dcb maxrate set dev dcb0 tc-maxrate 3:1gbit", applying.WRONG_APP,
         "ip link set dcb0 mtu 1500")
FOREIGN = 'rdmaready_drift_changes_total{kind="foreign"}'
# Of the agent's resident memory, by a flood: what its allocator keeps of one more reading.
GROWTH_KB = 4096
# In the guest: writes PFC by dcbnl as often as asked, alternately on 4 and on 5, and in the end on 6.
FLOOD_PY = """
import socket, struct
from dcb_netlink import attribute
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
def write(number, priorities):
    pfc = struct.pack("BBBxHxx", 8, priorities, 0, 0) + bytes(128)
    body = struct.pack("BBH", 0, 20, 0) + attribute(1, b"dcb0\\0") + attribute(13, attribute(2, pfc))
    link.send(struct.pack("IHHII", 16 + len(body), 79, 1, number, 0) + body)
    answer = link.recv(4096)
    assert answer[-4] == 0 or len(answer) > 36, answer
for number in range(COUNT):
    write(number + 1, 0x10 if number % 2 else 0x20)
write(COUNT + 1, 0x40)
"""


class Drift(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def setUp(self):
        fabric.put_right(1)
        self.addCleanup(fabric.put_right, 1)
        time.sleep(2)  # what was put right is told, too

    def told(self, since):
        """What the history has of drift, from then on: pairs of its time and its text."""
        history = tool.rdmaready("history", self.hosts[1], "--limit", 200, "--output", "json").json
        events = [event for host in history["hosts"] for event in host["store_events"]]
        return [(event["unix_ns"] / 1e9, event["text"]) for event in events
                if event["text"].startswith("drift: ") and event["unix_ns"] / 1e9 > since]

    def guest_now(self):
        return float(fabric.guest(1, "date +%s.%N"))

    def wait_for(self, since, pattern, seconds=60):
        """When it was told, by the guest's clock."""
        return eventually(lambda: next((one for one in self.told(since) if re.search(pattern, one[1])), None), seconds=seconds,
                          why=lambda: f"nothing like {pattern!r} in {self.told(since)}")

    def typed(self, command, pattern):
        """Types the command in the guest; what was told of it, and how long after its end."""
        began = self.guest_now()
        ended = float(fabric.guest(1, f"{command}; date +%s.%N").split()[-1])
        when, text = self.wait_for(began, pattern)
        print(f"{command}: told {when - ended:+.3f} s after its end: {text}")
        self.assertLess(when - ended, WITHIN_S, text)
        return text

    def wait_until_all_is_told(self):
        """Nothing foreign was told for some seconds, which is longer than the longest pace."""
        quiet_since, last = time.monotonic(), self.metric(FOREIGN)
        while time.monotonic() - quiet_since < 5:
            time.sleep(0.5)
            now = self.metric(FOREIGN)
            if now != last:
                quiet_since, last = time.monotonic(), now

    def metric(self, name):
        text = fabric.guest(1, "python3 -c \"import urllib.request as r; print(r.urlopen('http://127.0.0.1:7472/metrics').read().decode())\"")
        found = re.search(rf"(?m)^{re.escape(name)} (\S+)$", text)
        return float(found.group(1)) if found else None

    def test_a_dcb_command_is_told_within_a_second_of_its_end(self):
        before = self.metric('rdmaready_drift_changes_total{kind="foreign"}')
        text = self.typed("dcb pfc set dev dcb0 prio-pfc all:off 4:on", r"dcb0: pfc on 3 delay \d+ -> on 4 delay \d+")
        self.assertRegex(text, r"not well now: .*pfc\.lossless-priority")
        self.assertRegex(text, r"by dcb \(process \d+\)\?|writer not known")
        self.assertEqual(self.metric('rdmaready_drift_changes_total{kind="foreign"}'), before + 1)
        self.assertEqual(self.metric("rdmaready_drift_watched"), 1)
        self.assertLess(time.time() - 600, self.metric('rdmaready_drift_last_change_timestamp_seconds{kind="foreign"}'))
        back = self.typed("dcb pfc set dev dcb0 prio-pfc all:off 3:on", r"dcb0: pfc on 4 delay \d+ -> on 3 delay \d+")
        self.assertRegex(back, r"well again: .*pfc\.lossless-priority")

    def test_an_mtu_and_an_address_are_told(self):
        self.typed("ip link set dcb0 mtu 4200", r"dcb0: mtu \d+ -> 4200")
        self.typed("ip address add 10.77.0.1/24 dev dcb0", r"dcb0: addresses .*10\.77\.0\.1 24")

    def test_a_pause_is_announced_by_ethtool(self):
        self.typed("ethtool -A dcb0 rx on tx on", r"dcb0: pause .* -> .*rx on tx on")

    def test_a_vlan_that_comes_and_what_it_maps_are_told(self):
        add = "modprobe 8021q; ip link add link dcb0 name dcb0.77 type vlan id 77; ip link set dcb0.77 up"
        began = self.guest_now()
        # The first coming of a VLAN is not a change. The reading of a check makes it known, and then its going is a change.
        fabric.guest(1, add)
        tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric")
        fabric.guest(1, "ip link del dcb0.77")
        self.wait_for(began, r"dcb0\.77: .*interface there -> gone")
        fabric.guest(1, add)
        self.wait_for(began, r"dcb0\.77: .*interface gone -> there")  # a map that it came with is no change
        self.typed("ip link set dcb0.77 type vlan egress 3:5", r"dcb0\.77: vlan-egress .* -> .*3:5")
        self.typed("ip link del dcb0.77", r"dcb0\.77: .*interface there -> gone")

    def test_what_nobody_announces_is_told_by_the_next_check(self):
        began = self.guest_now()
        fabric.guest(1, "dcb dcbx set dev dcb0 host ieee")
        time.sleep(2)
        self.assertEqual([text for _, text in self.told(began) if "dcbx" in text], [])
        tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric")
        _, text = self.wait_for(began, r"dcb0: dcbx .* -> host ieee")
        self.assertIn("not announced", text)

    def test_ten_thousand_foreign_changes_grow_nothing_and_the_last_state_is_told(self):
        fabric.guest(1, f"cat > /tmp/flood.py <<'EOF'\n{FLOOD_PY.replace('COUNT', str(FLOOD))}\nEOF")
        # Once before: what one reading needs is there then.
        self.typed("dcb pfc set dev dcb0 prio-pfc all:off 4:on", r"-> on 4 delay")
        resident = lambda: int(fabric.guest(1, "grep VmRSS /proc/$(cat /run/rdmaready-agent.pid)/status").split()[1])
        before, began = resident(), self.guest_now()
        fabric.guest(1, f"PYTHONPATH={fabric.word(fabric.LAUNCHER.parent, 'suite')} python3 -B /tmp/flood.py")
        ended = self.guest_now()
        when, _ = self.wait_for(began, r"-> on 6 delay", 20)
        grown = resident() - before
        events = len(self.told(began))
        print(f"{FLOOD} changes in {ended - began:.1f} s: {events} told, the last one {when - ended:+.1f} s after the last write, "
              f"the agent grew by {grown} kB")
        self.assertLess(grown, GROWTH_KB)
        self.assertLess(events, 100)
        newest = max(self.told(began))
        self.assertRegex(newest[1], r"-> on 6 delay")

    def test_our_own_writes_are_never_told_as_foreign(self):
        least = OWN["whole" if slices.chosen("drift", 2) is None else "slice"]
        applying.prepare(1)
        applying.allow(1)  # more than 30 changes an hour
        for script in WRONG:
            fabric.guest(1, script)
        self.wait_until_all_is_told()
        foreign, began, written, changes = self.metric(FOREIGN), self.guest_now(), 0, 0
        while written < least:
            change = applying.apply(self.hosts[1])
            self.assertEqual((change.status, change.state), (0, "awaiting-confirm"), change)
            self.assertEqual(applying.rollback(self.hosts[1], change.id).state, "rolled-back")
            written, changes = written + 2 * len(change.steps), changes + 1
        time.sleep(2)
        own = self.metric('rdmaready_drift_changes_total{kind="own"}')
        print(f"{written} own writes in {changes} changes, there and back: {self.metric(FOREIGN) - foreign:.0f} told as foreign, {own:.0f} as own")
        self.assertEqual(self.metric(FOREIGN), foreign, self.told(began))
        self.assertGreater(own, 0)


load_tests = slices.tests("drift", 2)

if __name__ == "__main__":
    unittest.main()
