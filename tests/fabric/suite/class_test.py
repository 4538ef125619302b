# SPDX-License-Identifier: Apache-2.0
"""Whether a transfer is in the class of RDMA, by the counters of both NICs, beside the switch that spoils it and counts for itself."""
import re
import unittest

import fabric
import tool

POINTS = 20  # of a thousand


class ClassProof(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def setUp(self):
        self.addCleanup(fabric.put_right)

    def set(self, port, *settings):
        for setting in settings:
            fabric.launcher("switch", port, *setting.split())

    def counted(self, port, name):
        """Of the priority that DSCP 26 has in the switch."""
        text = fabric.launcher("switch", port, "counters").stdout
        found = re.search(rf"^port={port} priority=3 (?:.* )?{name}=(\d+)", text, re.MULTILINE)
        return int(found[1]) if found else 0

    def proof(self, status, *words):
        """The class of a transfer from guest 1 to guest 2: its result, the finding, and the shares by counter."""
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--profile", "virtual-fabric", *words, "--output", "json")
        self.assertEqual(answer.status, status, answer)
        result = answer.json["results"][0]
        self.assertEqual(result["failure"], "", result)
        found = next(one for one in result["findings"] if one["id"] == "tx.effective-class")
        return result, found, {share["counter"]: share for share in found["class_proof"]["shares"]}

    def assert_mtu(self, result, path_mtu):
        for end in result["error_counters"]:
            self.assertEqual(end["path_mtu_bytes"], path_mtu)
            self.assertGreater(end["idle_ns"], 400_000_000)
            self.assertEqual(len(end["idle_packets"]["sent"]), 8)
        packets = result["messages"] * -(-result["message_bytes"] // path_mtu)
        self.assertEqual(next(one for one in result["findings"] if "class_proof" in one)["class_proof"]["shares"][0]["expected"], packets)

    def half(self, netdev_mtu, path_mtu):
        """Half of four queue pairs are in another class from the switch on."""
        for number in self.hosts:
            fabric.guest(number, f"ip link set dcb0 mtu {netdev_mtu}")
        whole = ("--case", "write-8k", "--qps", 4)
        result, found, shares = self.proof(0, *whole)
        self.assertEqual(found["outcome"], "pass", found)
        self.assert_mtu(result, path_mtu)
        self.set(1, "remark 26:0", "remark_of odd-qp")
        before = self.counted(1, "in"), self.counted(1, "remarked")
        result, found, shares = self.proof(1, *whole)
        came, changed = (now - then for now, then in zip((self.counted(1, "in"), self.counted(1, "remarked")), before))
        self.assert_mtu(result, path_mtu)
        right = 1000 - changed * 1000 // came
        self.assertAlmostEqual(right, 500, delta=350, msg="half of the queue pairs have an odd number; some are faster")
        self.assertEqual(found["outcome"], "fail", found)
        self.assertAlmostEqual(shares["received"]["permille"], right, delta=POINTS, msg=f"{shares}, by the switch {right}")
        self.assertGreaterEqual(shares["sent"]["permille"], 990, shares)
        self.assertIn(f"{self.hosts[2]} received {shares['received']['packets']} of {shares['received']['all']} packets on priority 3 "
                      f"({shares['received']['permille'] / 10:.1f} %) and ", found["observed"])
        self.assertIn(f"run it on {self.hosts[2]}", fabric.what_to_do(found))
        print(f"  MTU {path_mtu}: {shares['received']['permille']} of 1000 received in the class, by the switch {right}", flush=True)

    def test_half_of_the_queue_pairs_in_another_class_fail_at_mtu_1024(self):
        self.half(1500, 1024)

    def test_half_of_the_queue_pairs_in_another_class_fail_at_mtu_4096(self):
        self.half(9000, 4096)

    def test_a_switch_that_changes_marks_on_the_way_back_is_placed_there(self):
        self.set(2, "remark 26:0")
        _, found, shares = self.proof(1, "--case", "write-8k")
        self.assertEqual((found["outcome"], found["blocking"]), ("fail", True), found)
        self.assertEqual(list(shares), ["sent", "received", "sent back", "received back"])
        self.assertGreaterEqual(min(shares[counter]["permille"] for counter in ("sent", "received", "sent back")), 990, shares)
        self.assertLess(shares["received back"]["permille"], 10, shares)
        self.assertRegex(found["observed"], rf"; {self.hosts[1]} received back \d+ of \d+ packets on priority 3 \(0\.\d %\) and \d+ on priority 0$")
        self.assertEqual(fabric.what_to_do(found), f"run it on {self.hosts[1]}\ndcb app replace dev dcb0 dscp-prio 26:3\n"
                                                   "see that no switch on the way back changes the DSCP")

    def test_both_kinds_of_connection_are_in_the_class(self):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--profile", "virtual-fabric", "--connect", "both",
                                "--case", "write-8k,read-8k", "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        results = answer.json["results"]
        self.assertEqual([(one["case"], one["connection"]) for one in results],
                         [(case, kind) for case in ("write-8k", "read-8k") for kind in ("rdma-cm", "verbs")])
        for result in results:
            self.assertEqual((result["failure"], result["bytes_wrong"], result["local_gid"], result["remote_gid"]),
                             ("", 0, "::ffff:10.0.0.1", "::ffff:10.0.0.2"), result)
            self.assertEqual(result["bytes_verified"], result["bytes"])
            self.assertEqual({one["id"]: one["outcome"] for one in result["findings"]}["tx.effective-class"], "pass", result)
        for number in self.hosts:
            self.assertEqual(fabric.guest(number, "rdma resource show qp | grep -v '\\['; :"), "")
            fabric.assert_device_is_free(number)

    def test_a_plain_connection_without_a_traffic_class_fails(self):
        """RDMA-CM marks by the configuration of the host, which is right; nobody marks a plain connection."""
        words = ("--case", "write-8k", "--tos", "system")
        _, found, _ = self.proof(0, *words)
        self.assertEqual(found["outcome"], "pass", found)
        result, found, shares = self.proof(1, *words, "--connect", "verbs")
        self.assertEqual(result["marking"]["traffic_class"], 0)
        self.assertEqual(found["outcome"], "fail", found)
        self.assertLess(shares["sent"]["permille"], 10)
        self.assertIn("NCCL_IB_TC", fabric.what_to_do(found))


if __name__ == "__main__":
    unittest.main()
