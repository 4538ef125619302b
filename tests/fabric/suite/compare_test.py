# SPDX-License-Identifier: Apache-2.0
"""RDMA beside TCP between two hosts: each case over both, in turns, with the processor time of both hosts."""
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import fabric
import schemas
import tool
import two_sides

A, B = 1, 2
CASES = ("send-1k", "write-8k", "read-512k")
LISTENERS = "ss -Htln | awk '{print $4}' | sort"


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def compare(self, *options):
        return tool.rdmaready("compare", self.hosts[A], self.hosts[B], "--profile", "virtual-fabric", "--duration", "1s", "--output", "json", *options,
                              timeout=600)

    def test_each_case_is_measured_over_both_with_what_it_costs(self):
        before = [fabric.guest(number, LISTENERS) for number in self.hosts]
        with tempfile.TemporaryDirectory(prefix="rdmaready compare ") as folder:
            file = pathlib.Path(folder) / "compare.svg"
            answer = self.compare("--case", ",".join(CASES), "--svg", file)
            root = xml.etree.ElementTree.parse(file).getroot()
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(schemas.faults(answer.json), [])
        self.assertEqual([one["case"] for one in answer.json["cases"]], list(CASES))
        for one in answer.json["cases"]:
            for transport in ("rdma", "tcp"):
                figures = one[transport]
                print(f"  {one['case']} over {transport}: {figures}", flush=True)
                self.assertEqual(figures["transfers"], 2)
                self.assertGreater(figures["throughput_bytes_per_s"], 0)
                self.assertGreaterEqual(figures["spread_permille"], 1000)
                # The CPUs of both guests do the work of soft RDMA, too.
                self.assertGreater(figures["from_cpu_permille"], 0)
                self.assertGreater(figures["to_cpu_permille"], 0)
                self.assertGreater(figures["cpu_ns_per_operation"], 0)
        for made in answer.json["transfers"]:
            for flow in made["rdma"] + made["tcp"]:
                self.assertEqual(flow["failure"], "")
                self.assertGreater(flow["bytes_verified"], 0)
                self.assertEqual(flow["bytes_wrong"], 0)
        bars = [one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertGreaterEqual(bars.count("rdma"), 2 * len(CASES))
        self.assertEqual([fabric.guest(number, LISTENERS) for number in self.hosts], before, "no TCP port is left open")

    def test_a_peer_that_no_tcp_connection_reaches_makes_the_case_unknown(self):
        fabric.guest(B, two_sides.nft('iifname "dcb0" meta l4proto tcp drop'))
        self.addCleanup(fabric.guest, B, "nft delete table inet t")
        answer = self.compare("--case", "write-8k")
        self.assertEqual(answer.status, 3, answer)
        [one] = answer.json["cases"]
        self.assertEqual(one["verdict"], "unknown")
        self.assertIn("over TCP: ", one["why_unknown"])
        self.assertEqual(one["rdma"]["transfers"], 2)

    def test_a_case_of_smb_direct_is_refused(self):
        answer = self.compare("--case", "smbd-8k")
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("a case of plain RDMA", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
