# SPDX-License-Identifier: Apache-2.0
"""An iWARP host beside a RoCE host in one inventory: told apart, and nothing is tried between them without a word why."""
import pathlib
import tempfile
import unittest

import fabric
import slices
import tool


class RoceAndIwarp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fabric.bring_up()
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-mixed")
        name = fabric.bring_up_another("mixed", "--hosts", 2, "--device", "rxe", "--device", "2=siw", "--roles", "--agent",
                                       tool.BIN / "rdmaready-agent")
        status = fabric.launcher("status", name=name).stdout.splitlines()
        cls.roce, cls.iwarp = (line.split()[1] for line in status)
        directory = tempfile.TemporaryDirectory(prefix="rdmaready mixed ")
        cls.addClassCleanup(directory.cleanup)
        cls.any_transport = pathlib.Path(directory.name) / "any.yaml"
        cls.any_transport.write_text("name: any-transport\nsummary: asks for RDMA and no more\n")
        cls.inventory = pathlib.Path(directory.name) / "hosts"
        cls.inventory.write_text(f"{cls.roce}\n{cls.iwarp}\n")

    def check(self, *arguments):
        return tool.rdmaready("check", "--inventory", self.inventory, "--output", "json", *arguments)

    def test_the_odd_one_is_named_by_its_transport(self):
        report = self.check("--profile", "virtual-fabric").json
        self.assertEqual(fabric.failing(report, self.roce), [])
        self.assertEqual(fabric.failing(report, self.iwarp), ["inv.transport"])
        self.assertEqual(fabric.finding(report, self.iwarp, "inv.transport")["observed"], "iWARP")

    def test_the_iwarp_host_is_ready_by_its_own_profile_without_a_word(self):
        answer = tool.rdmaready("check", self.iwarp, "--profile", "virtual-fabric-iwarp", "--level", "loopback", "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(fabric.said(answer.json, self.iwarp), [])

    # siw tells of a message before the reads that were posted ahead of it.
    def test_smb_direct_reads_over_iwarp_are_there_before_they_are_said_to_be(self):
        answer = tool.rdmaready("test", "loopback", self.iwarp, "--case", "smbd-512k-read,smbd-512k-write,smbd-credit-burst", "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        for result in answer.json["results"]:
            self.assertEqual((result["transport"], result["bytes_verified"]), ("iwarp", result["bytes"]))
            self.assertGreater(result["bytes"], 0)

    def test_an_iwarp_host_without_windows_says_so(self):
        answer = tool.rdmaready("test", "loopback", self.iwarp, "--case", "smbd-invalidate", "--output", "json")
        self.assertEqual(answer.status, 1, answer)
        result, = answer.json["results"]
        self.assertIn("no memory windows of type 2", result["failure"])
        self.assertEqual(result["bytes"], 0)

    def test_an_iwarp_host_finds_ksmbd_on_the_port_of_iwarp(self):
        """Its own: the depths go along in the private data, and come back so."""
        server = 2
        self.addCleanup(fabric.launcher, "role", server, "none", name=f"{fabric.NAME}-mixed")
        fabric.launcher("role", server, "smb", name=f"{fabric.NAME}-mixed")
        answer = tool.rdmaready("probe", "smb", f"10.0.0.{server}", "--from", self.iwarp, "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        probe = answer.json
        self.assertEqual((probe["transport"], probe["port_number"]), ("iwarp", 5445))
        self.assertEqual({name: probe["values"][name] for name in ("rdma-ird", "rdma-ord", "smb2-dialect")},
                         {"rdma-ird": "8", "rdma-ord": "1", "smb2-dialect": "3.1.1"})
        self.assertIn(probe["values"]["smbd-accepts-minimum"], ("no", "silent"))  # see probe_test

    def test_no_pair_test_is_tried_and_the_report_says_why(self):
        answer = self.check("--profile", self.any_transport, "--level", "peer")
        self.assertEqual(answer.status, 1, answer)
        pair, = answer.json["pairs"]
        found = {f["id"]: f for f in pair["findings"]}
        self.assertEqual(set(found), {"iw.peer-protocol", "peer.path", "agree.transport"})
        self.assertEqual((found["iw.peer-protocol"]["outcome"], found["iw.peer-protocol"]["blocking"]), ("fail", True))
        self.assertEqual(found["iw.peer-protocol"]["observed"],
                         f"{self.roce} speaks RoCE, {self.iwarp} iWARP: nothing is tested between them")
        for follows in ("peer.path", "agree.transport"):
            self.assertEqual(found[follows]["hidden_by"], "iw.peer-protocol", follows)
        for host in (self.roce, self.iwarp):
            self.assertEqual(fabric.failing(answer.json, host), [])
            self.assertEqual(fabric.rungs(answer.json, host), {"host": "pass", "loopback": "pass", "peer": "fail"})
        text = tool.rdmaready("check", "--inventory", self.inventory, "--profile", self.any_transport, "--level", "peer")
        self.assertRegex(text.out, r"WRONG .*iWARP: nothing is tested between them.*\(iw\.peer-protocol")

    def test_a_pair_test_that_is_asked_for_says_why_not(self):
        answer = tool.rdmaready("test", "peer", self.roce, self.iwarp)
        self.assertEqual((answer.status, answer.out), (1, ""), answer)
        self.assertIn("different transports", answer.err)


load_tests = slices.turns(2)

if __name__ == "__main__":
    unittest.main()
