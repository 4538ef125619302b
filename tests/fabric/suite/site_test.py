# SPDX-License-Identifier: Apache-2.0
"""Unequal hosts under one site file: a management port with RDMA, two storage rails and a port without cable, beside a host of the
rails alone. What is under no profile is listed, judged by none and needs no partner."""
import pathlib
import tempfile
import unittest

import fabric
import slices
import tool

MANAGEMENT, SPARE = "rxe_mgmt/1 mgmt0", "rxe_spare/1 dcb_spare"
RAILS = ["rxe0/1 dcb0", "rxe1/1 dcb1"]

SITE = """groups:
  - hosts: ["*"]
    profiles:
      - profile: virtual-fabric
        ports: [{netdev: "dcb*"}]
"""


class OneSiteFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fabric.bring_up()
        cls.addClassCleanup(fabric.launcher, "down", name=f"{fabric.NAME}-site")
        name = fabric.bring_up_another("site", "--hosts", 2, "--rails", 2, "--agent", tool.BIN / "rdmaready-agent")
        cls.unequal, cls.plain = (line.split()[1] for line in fabric.launcher("status", name=name).stdout.splitlines())
        # The spare is of the rails' kind by its name: a cable that nobody plugged in yet.
        fabric.guest(1, "rdma link add rxe_mgmt type rxe netdev mgmt0; ip link add dcb_spare type veth peer name nobody; "
                        "ip link set dcb_spare mtu 9000 up; rdma link add rxe_spare type rxe netdev dcb_spare", name=name)
        directory = tempfile.TemporaryDirectory(prefix="rdmaready site ")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.site = cls.directory / "site.yaml"
        cls.site.write_text(SITE)

    def check(self, *arguments, profile=None):
        return tool.rdmaready("check", self.unequal, self.plain, "--profile", profile or self.site, "--output", "json", *arguments, timeout=600)

    def ports(self, report, host):
        return {port["subject"]: port["profile"] for entry in report["hosts"] if entry["host"] == host for port in entry["ports"]}

    def test_both_hosts_are_ready_up_to_each_other(self):
        answer = self.check("--level", "peer")
        self.assertEqual(answer.status, 0, answer)
        for host in (self.unequal, self.plain):
            self.assertEqual(fabric.failing(answer.json, host), [])
            self.assertEqual(fabric.rungs(answer.json, host), {"host": "pass", "loopback": "pass", "peer": "pass"})
        self.assertEqual(self.ports(answer.json, self.unequal),
                         {**dict.fromkeys(RAILS, "virtual-fabric"), MANAGEMENT: "", SPARE: "virtual-fabric"})
        named = {f["subject"] for entry in answer.json["hosts"] for f in entry["findings"]}
        self.assertNotIn(MANAGEMENT, named)
        self.assertIn(RAILS[1], named)
        self.assertIn("rxe1", str(answer.json["pairs"]))
        for untried in (MANAGEMENT, SPARE):
            self.assertNotIn(untried.split("/")[0], str(answer.json["pairs"]))

    def test_without_the_site_file_the_management_port_is_judged_and_condemned(self):
        answer = self.check(profile="virtual-fabric")
        self.assertEqual(answer.status, 1, answer)
        blamed = {f["subject"] for entry in answer.json["hosts"] for f in entry["findings"] if f["blocking"] and f["outcome"] in ("fail", "unknown")}
        self.assertIn(MANAGEMENT, blamed)
        self.assertFalse(blamed & set(RAILS))

    def test_a_person_reads_which_port_nobody_judges(self):
        text = tool.rdmaready("check", self.unequal, "--profile", self.site)
        self.assertEqual(text.status, 0, text)
        self.assertRegex(text.out, rf"judged by no profile: {MANAGEMENT}")

    def test_one_port_is_asked_about_by_name(self):
        answer = self.check("--port", "dcb1")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(self.ports(answer.json, self.plain), {RAILS[0]: "", RAILS[1]: "virtual-fabric"})
        for port in ("dcb7", "mgmt0"):  # none has it; no profile is for it
            refused = self.check("--port", port)
            self.assertEqual(refused.status, 2, refused)
            for entry in refused.json["hosts"]:
                self.assertEqual((entry["verdict"], entry["findings"]), ("undetermined", []))
                self.assertIn(port, entry["error"])

    def test_two_entries_for_one_port_are_named(self):
        both = self.directory / "both.yaml"
        both.write_text(SITE + '      - {profile: infiniband, ports: [{device: "rxe1"}]}\n')
        refused = self.check(profile=both)
        self.assertEqual(refused.status, 2, refused)
        for entry in refused.json["hosts"]:
            self.assertEqual((entry["verdict"], entry["findings"]), ("undetermined", []))
            for name in ("virtual-fabric", "infiniband", RAILS[1]):
                self.assertIn(name, entry["error"])

    def test_an_entry_that_selects_nothing_where_ports_are_expected_blocks(self):
        nothing = self.directory / "nothing.yaml"
        nothing.write_text(SITE + '      - {profile: infiniband, ports: [{transport: infiniband}]}\n')
        answer = self.check(profile=nothing)
        self.assertEqual(answer.status, 1, answer)
        for host in (self.unequal, self.plain):
            self.assertEqual(fabric.failing(answer.json, host), ["inv.ports-selected"])
        nothing.write_text(nothing.read_text().replace("}]}", "}], expected: false}"))
        self.assertEqual(self.check(profile=nothing).status, 0)


load_tests = slices.turns(1, 4)

if __name__ == "__main__":
    unittest.main()
