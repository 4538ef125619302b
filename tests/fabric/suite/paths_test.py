# SPDX-License-Identifier: Apache-2.0
"""All paths between two hosts at once, in a fabric of its own with two rails: what they carry together, a rail that two paths share, and the
members of a bond."""
import unittest

import fabric
import schemas
import tool

A, B = 1, 2
RAIL_MBPS = 24  # less than a third of what a rail carries by itself, so that the machine is not the limit
SUBJECTS = ["rxe0/1 -> rxe0/1", "rxe1/1 -> rxe1/1"]
# Both NICs in one bond, whose address and RDMA device are the only ones. The two switches are its two ways.
BOND = """
set -e
modprobe bonding max_bonds=0
rdma link del rxe0; rdma link del rxe1
ip link add bond0 type bond mode {mode} miimon 100
for nic in dcb0 dcb1; do ip addr flush dev $nic; ip link set $nic down; ip link set $nic master bond0; ip link set $nic up; done
ip link set bond0 up mtu 9000
ip addr add 10.9.0.{number}/24 dev bond0
rdma link add rxe0 type rxe netdev bond0
"""


class Paths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-paths")
        cls.name = fabric.bring_up_another("paths", "--hosts", 2, "--rails", 2, "--agent", tool.BIN / "rdmaready-agent")
        cls.hosts = [line.split()[1] for line in fabric.launcher("status", name=cls.name).stdout.splitlines()]

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        fabric.put_right(name=self.name)

    def limit(self, *mbps):
        for rail, rate in enumerate(mbps, 1):
            fabric.launcher("switch", "--rail", rail, "all", "rate_mbps", rate, name=self.name)

    def paths(self, *options):
        answer = tool.rdmaready("test", "peer", *self.hosts, "--all-paths", "--profile", "virtual-fabric", "--case", "write-8k", "--output", "json", *options,
                                timeout=300)
        self.assertIn("paths", answer.json, answer)
        print(f"  {answer.json.get('text')}: {[(one['path'], one['share_permille'], one['bonds']) for one in answer.json['paths']]}", flush=True)
        self.assertEqual(schemas.faults(answer.json), [])
        return answer

    def test_two_rails_carry_the_sum_of_both(self):
        self.limit(RAIL_MBPS, RAIL_MBPS)
        answer = self.paths("--qps", 2)
        self.assertEqual(answer.status, 0, answer)
        seen = answer.json
        self.assertEqual((seen["verdict"], [one["path"] for one in seen["paths"]], seen["without_path"]), ("add-up", SUBJECTS, []))
        self.assertGreaterEqual(seen["kept_permille"], 900)
        for one in seen["paths"]:
            self.assertLess(abs(one["share_permille"] - 500), 50)
            # The limit of the rail counts headers, too.
            self.assertLess(one["alone_bytes_per_s"], RAIL_MBPS * 125_000)
            self.assertGreater(one["alone_bytes_per_s"], RAIL_MBPS * 125_000 * 0.7)
        for path in seen["transfers"]:
            for when in ("before", "together", "after"):
                self.assertEqual((path[when]["failure"], path[when]["bytes_wrong"]), ("", 0))
                self.assertGreater(path[when]["bytes_verified"], 0)

    def test_shares_are_those_of_the_rails(self):
        self.limit(RAIL_MBPS, RAIL_MBPS // 3)
        seen = self.paths().json
        self.assertEqual(seen["verdict"], "add-up", seen)
        self.assertLess(abs(seen["paths"][0]["share_permille"] - 750), 50)

    def test_a_rail_without_a_cable_is_named(self):
        fabric.launcher("fault", B, "link", "down", "--rail", 2, name=self.name)
        # The kernel reports a lost carrier up to a second later (net/core/link_watch.c), and later still where the machine is busy.
        fabric.guest(B, "timeout 30 sh -c 'until rdma link show rxe1/1 | grep -q DOWN; do sleep 0.1; done'", name=self.name)
        self.limit(RAIL_MBPS, RAIL_MBPS)
        answer = self.paths()
        self.assertEqual((answer.status, answer.json["verdict"]), (3, "unknown"), answer)
        self.assertIn("one path", answer.json["text"])
        self.assertIn("rxe1/1", [one["port"] for one in answer.json["without_path"]])

    def bond(self, mode):
        for number in (A, B):
            fabric.guest(number, BOND.format(mode=mode, number=number), name=self.name)
        self.limit(RAIL_MBPS, RAIL_MBPS)

    def test_one_member_carries_all_where_one_is_active(self):
        self.bond("active-backup")
        [path] = self.paths("--qps", 4).json["paths"]
        self.assertEqual([bond["through_one"] for bond in path["bonds"]], [True, True])
        self.assertEqual([sorted(member["share_permille"] > 950 for member in bond["members"]) for bond in path["bonds"]], [[False, True]] * 2)

    def test_both_members_carry_where_the_connections_are_spread(self):
        self.bond("balance-xor xmit_hash_policy layer3+4")
        [path] = self.paths("--qps", 16).json["paths"]
        self.assertEqual([bond["through_one"] for bond in path["bonds"]], [False, False], path)


if __name__ == "__main__":
    unittest.main()
