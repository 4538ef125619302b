# SPDX-License-Identifier: Apache-2.0
"""Real bytes over real RDMA devices: inside a host, between hosts, and when one end goes away."""
import re
import unittest

import fabric
import slices
import tool
from eventually import eventually


# A switch that takes the mark of RDMA away from what the guest sends, below its NIC, which has counted by then.
UNMARK = ('nft "add table netdev unmark; add chain netdev unmark out { type filter hook egress device wire0 priority 0; }; '
          'add rule netdev unmark out ip dscp 26 ip dscp set 0"')


class LiveTransfers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def assert_verified(self, result):
        self.assertEqual(result["failure"], "", result)
        self.assertGreater(result["messages"], 0)
        self.assertEqual(result["bytes"], result["messages"] * result["message_bytes"])
        self.assertEqual(result["bytes_wrong"], 0)
        self.assertIsNone(result["first_wrong_offset"])
        self.assertEqual(result["transport"], "roce-v2")
        latency = result["latency_ns"]
        self.assertTrue(0 < latency["p50"] <= latency["p99"] <= latency["p999"] <= latency["max"], latency)
        self.assertGreater(result["cpu_ns_initiator"], 0)
        self.assertGreater(result["cpu_ns_responder"], 0)

    def test_both_hosts_are_ready_up_to_peer(self):
        answer = fabric.check_undisturbed(self.hosts, "peer")
        self.assertEqual(answer.status, 0, answer)
        report = answer.json
        self.assertEqual(report["verdict"], "ready")
        for address in self.hosts.values():
            self.assertEqual(fabric.rungs(report, address), {"host": "pass", "loopback": "pass", "peer": "pass"})
        pairs = {(pair["from"], pair["to"]): pair["findings"] for pair in report["pairs"]}
        first, second = self.hosts.values()
        self.assertEqual(set(pairs), {(first, second), (second, first)})
        for findings in pairs.values():
            outcomes = {f["id"]: f["outcome"] for f in findings}
            self.assertEqual(outcomes["peer.write-512k"], "pass")
            self.assertEqual(outcomes["tx.effective-class"], "pass")
            # What does not apply is about iWARP and about firmware.
            doubtful = {check for check, outcome in outcomes.items() if outcome != "pass"}
            self.assertLessEqual(doubtful, {"iw.peer-protocol", "drv.fw-uniform"}, findings)
            self.assertLessEqual({outcomes[check] for check in doubtful}, {"not-applicable"}, findings)
        # What holds both ways is judged once for the two.
        judged = [f["id"] for findings in pairs.values() for f in findings]
        self.assertEqual([judged.count(check) for check in ("mtu.pair", "pfc.both-directions")], [1, 1])

    def test_loopback_moves_verified_bytes(self):
        answer = tool.rdmaready("test", "loopback", self.hosts[1], "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        results = answer.json["results"]
        self.assertEqual([r["case"] for r in results], fabric.cases(smb_direct=False))
        for result in results:
            self.assert_verified(result)

    def test_peer_moves_verified_bytes_in_the_lossless_class(self):
        before = self.priority_packets(2)
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        for result in answer.json["results"]:
            self.assert_verified(result)
            self.assertIn("10.0.0.1", result["local_gid"])
            self.assertIn("10.0.0.2", result["remote_gid"])
        grown = [after - b for after, b in zip(self.priority_packets(2), before)]
        self.assertGreater(grown[3], 1000, grown)
        self.assertLess(sum(grown) - grown[3], 100, grown)

    def test_the_device_can_be_removed_when_a_test_is_over(self):
        """By an administrator, or by bonding, while the agents run."""
        answer = tool.rdmaready("test", "peer", self.hosts[1], self.hosts[2], "--case", "send-1k", "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.addCleanup(fabric.put_right)
        for number in self.hosts:
            fabric.assert_device_is_free(number)
            left = fabric.guest(number, "timeout 20 rdma link del rxe0; ls /sys/class/infiniband")
            self.assertEqual(left.split(), [], f"guest {number}")

    def effective_class(self, report, sender, receiver):
        for pair in report["pairs"]:
            if (pair["from"], pair["to"]) == (self.hosts[sender], self.hosts[receiver]):
                return next(found for found in pair["findings"] if found["id"] == "tx.effective-class")
        raise AssertionError(report["pairs"])

    def test_a_switch_that_takes_the_mark_away_is_found_by_the_transfer_alone(self):
        """Every setting of both hosts is right."""
        fabric.guest(1, UNMARK)
        self.addCleanup(fabric.guest, 1, "nft delete table netdev unmark")
        answer = fabric.check(self.hosts, "peer", timeout=600)
        self.assertEqual(answer.status, 1, answer)
        for address in self.hosts.values():
            self.assertEqual(fabric.failing(answer.json, address), [])
        found = self.effective_class(answer.json, 1, 2)
        self.assertEqual((found["outcome"], found["blocking"], found["subject"]), ("fail", True, "rxe0/1 -> rxe0/1"), found)
        self.assertRegex(found["observed"], rf"^{self.hosts[1]} sent \d+ of \d+ packets on priority 3 \(\d+\.\d %\); "
                                            rf"{self.hosts[2]} received \d+ of \d+ packets on priority 3 \(0\.\d %\) and \d+ on priority 0; ")
        self.assertEqual(fabric.what_to_do(found), f"run it on {self.hosts[2]}\ndcb app replace dev dcb0 dscp-prio 26:3\n"
                                                   "see that no switch on the way changes the DSCP")
        back = self.effective_class(answer.json, 2, 1)  # what guest 1 answers goes the same way
        self.assertEqual(back["outcome"], "fail", back)
        self.assertRegex(back["observed"], rf"; {self.hosts[1]} sent back \d+ of \d+ packets on priority 3 \(\d+\.\d %\); "
                                           rf"{self.hosts[2]} received back \d+ of \d+ packets on priority 3 \(0\.\d %\) and \d+ on priority 0$")

    def test_a_map_that_is_wrong_at_one_end_is_found_there(self):
        fabric.guest(2, "dcb app del dev dcb0 dscp-prio 26:3; dcb app add dev dcb0 dscp-prio 26:0; :")
        self.addCleanup(fabric.put_right)
        report = fabric.check(self.hosts, "peer", timeout=600).json
        self.assertEqual(fabric.failing(report, self.hosts[1]), [])
        self.assertIn("map.dscp", fabric.failing(report, self.hosts[2]))
        self.assertEqual(fabric.what_to_do(fabric.finding(report, self.hosts[2], "map.dscp")), "dcb app replace dev dcb0 dscp-prio 26:3")
        for ends in ((1, 2), (2, 1)):  # what it sends goes through its own map too
            follows = self.effective_class(report, *ends)
            self.assertEqual(follows["hidden_by"], "map.dscp", follows)
            self.assertEqual(follows["observed"], f"not judged: map.dscp fails on {self.hosts[2]}")

    @staticmethod
    def priority_packets(number):
        text = fabric.guest(number, "ethtool -S dcb0")
        return [int(re.search(rf"rx_prio{prio}_packets: (\d+)", text).group(1)) for prio in range(8)]

    def test_results_are_kept_on_both_hosts(self):
        run_id = tool.rdmaready("test", "peer", self.hosts[2], self.hosts[1], "--case", "send-1k", "--output",
                                "json").json["run_id"]
        for number, role in ((1, "responder"), (2, "initiator")):
            kept = fabric.guest(number, "python3 -c \"import sqlite3; print(sqlite3.connect("
                                f"'file:/var/lib/rdmaready/rdmaready.db?mode=ro', uri=True).execute('SELECT role, "
                                f"case_name, failure FROM transfers WHERE run_id = ?', ['{run_id}']).fetchall())\"")
            self.assertEqual(kept.strip(), f"[('{role}', 'send-1k', 0)]")

    def test_no_memory_stays_registered_and_no_port_stays_open(self):
        # Of user processes: the kernel's own are named in brackets.
        show = "rdma resource show mr; rdma resource show cm_id; rdma resource show qp | grep -v '\\['"
        running = tool.start("test", "loopback", self.hosts[1], "--duration", "1s")  # a look takes long on a machine under load
        seen = ""
        while running.poll() is None and not ("mrlen" in seen and "cm-idn" in seen and "lqpn" in seen):
            seen += fabric.guest(1, f"{show}; true")
        self.assertEqual(tool.finish(running).status, 0)
        for kind in ("mrlen", "cm-idn", "lqpn"):
            self.assertIn(kind, seen, "what is looked for can be seen while a test runs")
        self.assertEqual(fabric.guest(1, f"{show}; true"), "")

    def test_what_a_lossy_path_costs_shows_in_the_error_counters_of_both_ends(self):
        """The frames are made good, so the bytes arrive: only the counters tell, which is a warning."""
        def counted(result):
            return {end["host"]: {change["name"]: change["by"] for change in end["changes"] if change["kind"] == "grew"}
                    for end in result["error_counters"]}

        transfer = ("test", "peer", self.hosts[1], self.hosts[2], "--case", "write-8k", "--duration", "2s")
        try:
            fabric.launcher("fault", 1, "netem", "loss 1%")
            lossy = tool.rdmaready(*transfer, "--output", "json")
            text = tool.rdmaready(*transfer).out
        finally:
            fabric.launcher("fault", 1, "netem", "off")
        result = lossy.json["results"][0]
        self.assertEqual((result["failure"], result["bytes_wrong"]), ("", 0), result)
        self.assertEqual({found["outcome"] for found in result["findings"]}, {"warn"}, result)
        grown = counted(result)
        self.assertGreater(grown[self.hosts[2]].get("out_of_seq_request", 0), 0, "guest 2 misses what guest 1 sent")
        self.assertGreater(grown[self.hosts[1]].get("rcvd_seq_err", 0), 0, "guest 1 is told so")
        self.assertRegex(text, rf"(?m)^ +warn +peer\.write-8k .*out_of_seq_request \+\d+.* on {self.hosts[2]} rxe0/1")
        past = tool.rdmaready("history", self.hosts[2], "--run", lossy.json["run_id"])
        self.assertRegex(past.out, r"write-8k, from \S+: .*out_of_seq_request \+\d+")
        quiet = tool.rdmaready(*transfer, "--output", "json").json["results"][0]
        for end in quiet["error_counters"]:
            self.assertEqual((end["port"], end["unknown"]), ("rxe0/1", ""))
            self.assertGreater(end["watched"], 5)
        print("  loss 1%:", grown, "without:", counted(quiet), flush=True)

    def test_a_second_caller_is_told_who_holds_the_port(self):
        first = tool.start("test", "loopback", self.hosts[1])
        try:
            fabric.guest(1, "for i in $(seq 600); do rdma resource show qp | grep -qv '\\[' && exit; sleep 0.1; done; exit 1")
            second = tool.rdmaready("test", "loopback", self.hosts[1], "--case", "send-1k")
            self.assertEqual(second.status, 3, second)
            self.assertIn("rxe0/1 is busy", second.err)
            self.assertIn(str(first.pid), second.err)
        finally:
            self.assertEqual(tool.finish(first).status, 0)

    def test_an_agent_killed_in_mid_transfer_is_named(self):
        try:
            running = tool.start("check", *self.hosts.values(), "--profile", "virtual-fabric", "--level", "peer",
                                 "--output", "json")
            self.wait_for_peer_traffic(2)
            fabric.launcher("agent", 2, "kill")
            answer = tool.finish(running)
            self.assertIn(answer.status, (1, 4), answer)
            report = answer.json
            dead = next(h for h in report["hosts"] if h["host"] == self.hosts[2])
            self.assertIn(self.hosts[2], dead["error"])
            self.assertNotEqual(dead["verdict"], "ready")
            broken = [f for pair in report["pairs"] for f in pair["findings"] if f["outcome"] == "fail"]
            self.assertTrue(broken, report["pairs"])
            for found in broken:
                self.assertTrue(found["observed"] and fabric.what_to_do(found), found)
            fabric.launcher("agent", 2, "start")
            self.assertEqual(fabric.check(self.hosts, "peer", timeout=600).status, 0)
        finally:
            fabric.put_right(2)

    def wait_for_peer_traffic(self, number):
        """Until RDMA frames from the other host arrive."""
        before = self.priority_packets(number)[3]
        eventually(lambda: self.priority_packets(number)[3], lambda now: now > before + 50, why=lambda: f"{before} at first")

    def test_a_cable_pulled_in_mid_transfer_ends_as_a_failure_with_its_cause(self):
        try:
            running = tool.start("test", "peer", self.hosts[1], self.hosts[2], "--output", "json")
            self.wait_for_peer_traffic(2)
            fabric.launcher("fault", 1, "link", "down")
            answer = tool.finish(running)
            self.assertEqual(answer.status, 1, answer)
            failed = [r for r in answer.json["results"] if r["failure"]]
            self.assertTrue(failed, answer)
            self.assertRegex(failed[0]["failure"], "retry counter exceeded|disconnected|unreachable|resolve|nothing for|not finished by")
            print("  cable pulled:", failed[0]["case"], failed[0]["failure"], flush=True)
        finally:
            fabric.put_right(1)


load_tests = slices.tests("transfer", 3)

if __name__ == "__main__":
    unittest.main()
