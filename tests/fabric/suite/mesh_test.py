# SPDX-License-Identifier: Apache-2.0
"""All pairs of four guests: an interrupted mesh goes on where it was, a port behind a bad switch port is named, and the matrix is drawn. A fabric
of its own."""
import json
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

import fabric
import tool

HOSTS = 4
BAD = 3


class Mesh(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-mesh"
        fabric.launcher("up", "--agent", tool.BIN / "rdmaready-agent", "--deadline", 40, "--hosts", HOSTS, name=cls.name)
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        lines = fabric.launcher("status", name=cls.name).stdout.splitlines()
        cls.hosts = [line.split()[1] for line in lines]

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready mesh ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def mesh(self, *options, **how):
        return tool.rdmaready("check", *self.hosts, "--level", "peer", "--mesh", "--output", "json", *options, **how)

    def made(self, answer):
        return [found for pair in answer.json["pairs"] for found in pair["findings"] if found["id"] == "peer.send-1k"]

    def test_all_pairs_pass_and_are_not_repeated(self):
        record, matrix = self.folder / "mesh.jsonl", self.folder / "mesh.svg"
        short = self.mesh("--resume", record, "--max-time", "45s")
        kept = len(record.read_text().splitlines()) - 1
        self.assertGreater(kept, 0, short)
        self.assertLess(kept, HOSTS * (HOSTS - 1), "it was interrupted")
        runs_before = self.transfers()
        whole = self.mesh("--resume", record, "--matrix", matrix)
        self.assertEqual(whole.status, 0, whole)
        self.assertEqual(len(self.made(whole)), HOSTS * (HOSTS - 1))
        self.assertEqual(len(record.read_text().splitlines()) - 1, HOSTS * (HOSTS - 1))
        between = self.transfers()
        self.assertGreater(between, runs_before)
        self.assertEqual(self.mesh("--resume", record).status, 0)
        self.assertEqual(self.transfers(), between, "nothing is repeated")
        picture = xml.etree.ElementTree.parse(matrix).getroot()
        passed = [one for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") == "pass"]
        self.assertEqual(len(passed), HOSTS * (HOSTS - 1) + 1, "and the legend")

    def transfers(self):
        """How many tests between hosts the agents have kept."""
        answer = tool.rdmaready("history", *self.hosts, "--kind", "transfer", "--limit", "1000", "--output", "json")
        return json.dumps(answer.json).count('"initiator"')

    def test_a_port_that_fails_with_every_partner_is_named(self):
        fabric.launcher("switch", BAD, "cut", "on", name=self.name)
        self.addCleanup(fabric.launcher, "switch", BAD, "cut", "off", name=self.name)
        answer = self.mesh()
        self.assertEqual(answer.status, 1, answer)
        named = {host["host"] for host in answer.json["hosts"] for found in host["findings"] if found["id"] == "peer.outlier"}
        self.assertEqual(named, {self.hosts[BAD - 1]})


if __name__ == "__main__":
    unittest.main()
