# SPDX-License-Identifier: Apache-2.0
"""Two hosts in two subnets with a router between them, as in a fabric of routed links: they climb to peer; without a route they do not, and
what is said is that."""
import unittest

import fabric
import slices
import tool

ROUTER = 3
ADDRESSES = {1: "10.1.0.2", 2: "10.2.0.2"}
ROUTES = {1: "10.2.0.0/24 via 10.1.0.1", 2: "10.1.0.0/24 via 10.2.0.1"}
# Both subnets are on one wire: without this the router would tell the hosts of each other.
FORWARD = "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.dcb0.send_redirects=0"


class Routed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-routed"
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        fabric.launcher("up", "--hosts", 3, "--deadline", 15, "--agent", tool.BIN / "rdmaready-agent", name=cls.name)
        status = fabric.launcher("status", name=cls.name).stdout
        cls.hosts = {int(line.split()[0]): line.split()[1] for line in status.splitlines() if int(line.split()[0]) != ROUTER}
        cls.guest(ROUTER, f"ip addr flush dev dcb0 scope global; ip addr add 10.1.0.1/24 dev dcb0; ip addr add 10.2.0.1/24 dev dcb0; {FORWARD}")
        for number, address in ADDRESSES.items():
            cls.guest(number, f"ip addr flush dev dcb0 scope global; ip addr add {address}/24 dev dcb0")

    @classmethod
    def guest(cls, number, script):
        return fabric.guest(number, script, name=cls.name)

    def route(self, verb):
        for number, route in ROUTES.items():
            self.guest(number, f"ip route {verb} {route} dev dcb0 2> /dev/null; :")

    def pair(self, answer):
        return [finding for pair in answer.json["pairs"] for finding in pair["findings"]]

    def test_with_a_route_they_climb_to_peer(self):
        self.route("add")
        answer = fabric.check(self.hosts, "peer", timeout=600)
        for host in self.hosts.values():
            self.assertEqual(fabric.rungs(answer.json, host), {"host": "pass", "loopback": "pass", "peer": "pass"}, answer)
        self.assertNotIn("peer.path", [finding["id"] for finding in self.pair(answer)])
        named = tool.rdmaready("test", "peer", *self.hosts.values(), "--port", "rxe0/1", "--case", "write-8k", "--output", "json")
        self.assertEqual(named.status, 0, named)
        self.assertTrue(named.json["results"][0]["remote_gid"].endswith(ADDRESSES[2]), named)

    def test_without_one_that_is_said_once(self):
        self.route("del")
        answer = fabric.check(self.hosts, "peer", timeout=600)
        self.assertEqual(answer.status, 1, answer)
        failed = [finding for finding in self.pair(answer) if finding["outcome"] == "fail" and not finding["hidden_by"]]
        self.assertTrue(1 <= len(failed) <= 2, failed)  # one for each direction
        for finding in failed:
            self.assertRegex(finding["observed"], "no subnet in common, and no connection by a router")
            self.assertIn("ip route get", fabric.what_to_do(finding))


load_tests = slices.turns(5)

if __name__ == "__main__":
    unittest.main()
