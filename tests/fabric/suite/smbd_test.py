# SPDX-License-Identifier: Apache-2.0
"""SMB Direct between two agents: every case over real RDMA devices, each byte compared."""
import unittest

import fabric
import slices
import tool


class SmbDirect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def assert_verified(self, result):
        self.assertEqual(result["failure"], "", result)
        self.assertGreater(result["messages"], 0)
        self.assertEqual(result["bytes_verified"], result["bytes"])
        self.assertEqual(result["bytes_wrong"], 0)
        self.assertEqual(result["transport"], "roce-v2")

    def peer(self, *options):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], *options, "--output", "json", timeout=120)
        self.assertEqual(answer.status, 0, answer)
        return {result["case"]: result for result in answer.json["results"]}

    def test_every_case_moves_verified_bytes(self):
        names = fabric.cases(smb_direct=True)
        self.assertTrue(names)
        results = self.peer("--case", ",".join(names), "--duration", "200ms")
        self.assertEqual(list(results), names)
        for result in results.values():
            self.assert_verified(result)
        self.assertEqual(results["smbd-16-connections"]["qps"], 16)
        self.assertEqual(results["smbd-invalidate"]["message_bytes"], 64 << 10)
        self.assertEqual(results["smbd-fragments"]["message_bytes"], 1 << 20)

    def test_the_ladder_climbs_to_smb_direct(self):
        answer = fabric.check_undisturbed(self.hosts, "smb-direct")
        self.assertEqual(answer.status, 0, answer)
        report = answer.json
        self.assertEqual(report["verdict"], "ready")
        for address in self.hosts.values():
            self.assertEqual(fabric.rungs(report, address)["smb-direct"], "pass")
        found = {f["id"]: f["outcome"] for pair in report["pairs"] for f in pair["findings"]
                 if f["id"].startswith("smb-direct.")}
        self.assertEqual(found, {f"smb-direct.{name}": "pass" for name in fabric.cases(smb_direct=True)})

    def test_a_single_host_cannot_climb_there(self):
        answer = tool.rdmaready("check", self.hosts[1], "--level", "smb-direct")
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("needs at least two hosts", answer.err)

    def test_credits_hold_on_a_link_that_loses_packets(self):
        """No send is tried again here for want of a receive: a credit too many ends the connection."""
        self.addCleanup(fabric.put_right)
        for number in self.hosts:
            fabric.launcher("fault", number, "netem", "loss 1%")
        results = self.peer("--case", "smbd-8k,smbd-fragments,smbd-credit-burst", "--duration", "300ms")
        self.assertEqual(len(results), 3)
        for result in results.values():
            self.assert_verified(result)

    def test_results_are_kept_on_both_hosts(self):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--case", "smbd-8k", "--duration", "100ms",
                                "--output", "json")
        kept = tool.rdmaready("history", self.hosts[2], "--run", answer.json["run_id"], "--output", "json")
        self.assertEqual(kept.status, 0, kept)
        self.assertIn("smbd-8k", kept.out)

    def test_no_memory_stays_registered(self):
        self.peer("--case", "smbd-512k-read,smbd-invalidate,smbd-16-connections", "--duration", "100ms")
        for number in self.hosts:
            self.assertEqual(fabric.guest(number, "rdma resource show mr; rdma resource show qp | grep -v '\\['; true"), "")

    def test_both_directions_at_once(self):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--case", "smbd-8k", "--bidirectional", "--duration", "200ms",
                                "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(len(answer.json["results"]), 2)
        for result in answer.json["results"]:
            self.assert_verified(result)


load_tests = slices.tests("smbd", 2)

if __name__ == "__main__":
    unittest.main()
