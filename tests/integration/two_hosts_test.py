# SPDX-License-Identifier: Apache-2.0
"""What differs between two hosts, of recordings: one finding between the two, and no host that has nothing to do with it."""
import unittest

import many_hosts
import tool

NETDEV = """    addresses: [10.0.1.{host}/24]
"""
ON_A_VLAN = """  - {{name: ens1f0np0.{vlan}, ifindex: 9, kind: vlan, link: ens1f0np0, vlan: {{id: {vlan}}}, mtu: 9000, addresses: [10.0.1.{host}/24]}}
devices:
"""


def on_vlan(host, vlan):
    """The first port's address on a VLAN instead of on the port."""
    return [(NETDEV.format(host=host), ""), ("devices:\n", ON_A_VLAN.format(host=host, vlan=vlan))]


def changes(of_hosts):
    return lambda number: of_hosts.get(number, ())


class TwoHosts(unittest.TestCase):
    def judged(self, of_hosts, count=2):
        """The answer for hosts with these changes, by number."""
        with many_hosts.ManyHosts(count, changes(of_hosts)) as hosts:
            self.text = tool.rdmaready("check", "--facts", hosts.saved, "--profile", many_hosts.PROFILE).out
            return tool.rdmaready("check", "--facts", hosts.saved, "--profile", many_hosts.PROFILE, "--output", "json").json

    def red(self, answer):
        """Ids that keep a host from being ready, with their host, or both hosts."""
        found = []
        for where, findings in [(host["host"], host["findings"]) for host in answer["hosts"]] + [
                (f"{pair['from']} {pair['to']}", pair["findings"]) for pair in answer["pairs"]]:
            found += [(finding["id"], where) for finding in findings if finding["blocking"] and finding["outcome"] in ("fail", "unknown")]
        return found

    def between(self, answer):
        return {finding["id"]: finding for pair in answer["pairs"] for finding in pair["findings"] if finding["outcome"] != "pass"}

    def test_two_that_are_alike_are_ready(self):
        answer = self.judged({})
        self.assertEqual((answer["verdict"], self.red(answer), answer["pairs"]), ("ready", [], []))

    def test_two_vlans_of_one_subnet_are_one_finding_between_the_two(self):
        answer = self.judged({1: on_vlan(1, 711), 2: on_vlan(2, 712)})
        self.assertEqual(self.red(answer), [("agree.vlan", "node001 node002")])
        self.assertEqual(self.between(answer)["agree.vlan"]["observed"],
                         "VLAN 711 at node001 mlx5_0/1 (10.0.1.1), VLAN 712 at node002 mlx5_0/1 (10.0.1.2)")
        self.assertEqual(answer["verdict"], "not-ready")
        self.assertEqual(self.text.count("WRONG"), 1, self.text)

    def test_a_third_host_says_which_of_two_vlans_is_right(self):
        answer = self.judged({1: on_vlan(1, 711), 2: on_vlan(2, 712), 3: on_vlan(3, 711)}, count=3)
        self.assertEqual(self.red(answer), [("agree.vlan", "node002")])

    def test_one_vlan_for_both_says_nothing(self):
        answer = self.judged({1: on_vlan(1, 711), 2: on_vlan(2, 711)})
        self.assertEqual(self.red(answer), [])
        self.assertNotIn("agree.vlan", self.between(answer))

    def test_a_tagged_and_an_untagged_host_are_a_warning(self):
        answer = self.judged({2: on_vlan(2, 711)})
        self.assertEqual(self.red(answer), [])
        self.assertEqual(self.between(answer)["agree.vlan"]["outcome"], "warn")

    def test_one_address_on_two_hosts_is_one_finding_between_the_two(self):
        answer = self.judged({2: [("10.0.1.2/24", "10.0.1.1/24")]})
        self.assertEqual(self.red(answer), [("agree.address", "node001 node002")])
        self.assertEqual(self.between(answer)["agree.address"]["observed"],
                         "10.0.1.1 is on ens1f0np0 at node001 and on ens1f0np0 at node002")

    def test_one_address_on_two_vlans_says_nothing(self):
        answer = self.judged({1: on_vlan(1, 711), 2: [(NETDEV.format(host=2), ""), ("devices:\n", ON_A_VLAN.format(host=1, vlan=712))]})
        self.assertNotIn("agree.address", self.between(answer))

    def test_two_subnets_say_nothing(self):
        answer = self.judged({2: [("10.0.1.2/24", "10.0.7.2/24")]})
        self.assertEqual(self.red(answer), [])


if __name__ == "__main__":
    unittest.main()
