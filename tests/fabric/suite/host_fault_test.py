# SPDX-License-Identifier: Apache-2.0
"""Faults of the host around RDMA: the packet filter, what is lost at the next boot, who may do what. All is advice."""
import unittest

import fault_test


def filtering(rules, policy="accept", before=""):
    """A chain at the input hook of a table of our own."""
    lines = ["table inet t {", before, f"chain in {{ type filter hook input priority 0; policy {policy}", rules, "}", "}"]
    return f"modprobe nf_tables && printf '%s\\n' {' '.join(repr(line) for line in lines)} | nft -f -"


KEPT = "ct state established,related accept; tcp dport 7471 accept"

# What is done to the guest, and the one check that must name it.
WARNINGS = [
    (filtering("udp dport 4791 drop"), "ip.firewall"),
    (filtering(KEPT, "drop"), "ip.firewall"),
    (filtering("udp dport @s drop", before="set s { type inet_service; flags interval; elements = { 4000-5000 }; }"),
     "ip.firewall"),
    (filtering("iifname \"dcb*\" jump roce", before="chain roce { udp dport 4791 reject; }"), "ip.firewall"),
    (filtering("udp dport vmap { 53 : accept, 4791 : drop }"), "ip.firewall"),
    ("iptables-nft -A INPUT -p udp -m multiport --dports 53,4791 -j DROP", "ip.firewall"),
    ("rm -f /etc/udev/rules.d/90-rdma-tos.rules", "roce.tos-persistent"),
    ("modprobe ib_umad && sleep 0.2 && chmod 0666 /dev/infiniband/umad*", "sec.device-nodes"),
]

# These look like faults and are none.
CONTROLS = [
    filtering("udp dport 4791 accept; udp dport 4000-5000 drop"),
    filtering(KEPT + "; udp dport 4791 accept", "drop"),
    filtering("iifname \"mgmt0\" udp dport 4791 drop; ct state invalid drop; fib daddr type broadcast drop"),
    filtering("jump roce; ip saddr 192.0.2.1 udp dport 53 drop", before="chain roce { return; }"),
    "iptables-nft -A INPUT -m conntrack --ctstate INVALID -j DROP && iptables-nft -A INPUT -i lo -p udp -j DROP",
    "modprobe ib_umad && sleep 0.2 && chmod 0660 /dev/infiniband/umad*",
]


class HostFaults(fault_test.OneWrongThing):
    test_each_fault_is_named_and_its_fix_heals_it = None  # it is fault_test's

    def test_advice_is_said_heals_and_keeps_nobody_from_being_ready(self):
        self.advise(WARNINGS)

    def test_what_only_looks_like_a_fault_is_not_spoken_of(self):
        self.stay_silent(CONTROLS)


def load_tests(loader, _tests, _pattern):
    return loader.loadTestsFromTestCase(HostFaults)  # and not the imported ones


if __name__ == "__main__":
    unittest.main()
