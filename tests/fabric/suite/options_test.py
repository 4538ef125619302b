# SPDX-License-Identifier: Apache-2.0
"""Live transfers as the caller wants them: queue pairs, directions, busy polling, raw speed, marking."""
import unittest

import fabric
import tool


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def run_peer(self, *flags):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--output", "json", *flags)
        self.assertEqual(answer.status, 0, answer)
        return answer.json["results"]

    def test_several_queue_pairs_in_both_directions(self):
        for flags in ([], ["--busy-poll"]):
            there, back = self.run_peer("--case", "write-8k", "--qps", "2", "--bidirectional", *flags)
            self.assertEqual((there["from"], back["from"]), (self.hosts[1], self.hosts[2]))
            self.assertNotEqual(there["local_gid"], back["local_gid"])
            for result in (there, back):
                self.assertEqual(result["failure"], "", result)
                self.assertGreater(result["bytes"], 0)
                self.assertEqual(result["bytes_verified"], result["bytes"])
                self.assertEqual((result["qps"], result["bidirectional"], result["busy_poll"]), (2, True, bool(flags)))

    def test_busy_polling_without_verifying_says_so(self):
        results = self.run_peer("--busy-poll", "--no-verify", "--duration", "200ms", "--depth", "8")
        self.assertEqual([r["case"] for r in results], fabric.cases(smb_direct=False))
        for result in results:
            self.assertEqual((result["verified"], result["bytes_verified"]), (False, 0))
            self.assertGreater(result["bytes"], 0)
            self.assertIn("unverified", result["findings"][0]["observed"])

    def test_the_mark_is_what_the_wire_carries(self):
        def priorities():
            text = fabric.guest(2, "ethtool -S dcb0")
            return [int(text.split(f"rx_prio{priority}_packets: ")[1].split()[0]) for priority in range(8)]

        before = priorities()
        marked = self.run_peer("--case", "write-8k")[0]["marking"]
        self.assertEqual((marked["tos"], marked["traffic_class"]), (106, 106))
        by_profile = priorities()
        unmarked = self.run_peer("--case", "write-8k", "--tos", "0")[0]["marking"]
        self.assertEqual((unmarked["tos"], unmarked["traffic_class"]), (0, 0))
        by_caller = priorities()
        self.assertGreater(by_profile[3] - before[3], 100)
        self.assertGreater(by_caller[0] - by_profile[0], 100)
        self.assertLess(by_caller[3] - by_profile[3], 50)

    def test_too_much_is_refused_before_anything_moves(self):
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--case", "write-512k", "--qps", "16", "--output", "json")
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("of memory, up to", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
