# SPDX-License-Identifier: Apache-2.0
"""What is judged of a saved host is what was judged of it live: every finding, whatever is wrong with it."""
import pathlib
import tempfile
import unittest

import fabric
import tool

# Guest 1 stays as it is; guest 2 has one of these.
STATES = [
    "true",
    "dcb pfc set dev dcb0 prio-pfc all:off 4:on",
    "ip link set dcb0 down",
    "rdma link delete rxe0",
]


def judged(report):
    """Of each host all but what no two runs share: how long it took, when it was recorded, what its agent remembers, and who was named
    first."""
    hosts = []
    for host in report["hosts"]:
        findings = [{**found, "duration_ns": 0} for found in host["findings"]]
        hosts.append({**host, "findings": findings, "recorded": None, "standing": None, "seen_before": None})
    return sorted(hosts, key=lambda host: host["host"])


class Replay(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        for number in cls.hosts:
            fabric.put_right(number)

    def save(self, directory):
        answer = tool.rdmaready("facts", *self.hosts.values(), "--save", directory, "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual([host["host"] for host in answer.json["hosts"]], list(self.hosts.values()))
        return answer.json["hosts"]

    def test_a_saved_host_is_judged_as_it_was_live(self):
        for state in STATES:
            with self.subTest(state=state), tempfile.TemporaryDirectory(prefix="rdmaready saved ") as directory:
                try:
                    fabric.guest(2, state)
                    live = fabric.check(self.hosts)
                    self.save(directory)
                    again = tool.rdmaready("check", "--facts", directory, "--profile", "virtual-fabric", "--output", "json")
                    self.assertEqual(again.status, live.status, again)
                    self.assertEqual(judged(again.json), judged(live.json))
                    for field in ("verdict", "profiles", "level", "pairs", "version", "schema"):
                        self.assertEqual(again.json[field], live.json[field])
                finally:
                    fabric.put_right(2)

    def test_a_bundle_of_two_guests_is_judged_as_they_were_live(self):
        # Each stands beside what an agent looks for in that file.
        plant = ("mkdir -p /etc/nvme; printf '%s\\n' '-t rdma --tos=106 --dhchap-secret=DHHC-1:00:PLANTED01:' >/etc/nvme/discovery.conf; "
                 "echo 'NCCL_IB_TC=106 AWS_SECRET_ACCESS_KEY=PLANTED02' >/etc/nccl.conf; "
                 "echo '//s/x /m cifs rdma,password=PLANTED03 0 0' >/etc/fstab")
        try:
            for number in self.hosts:
                fabric.guest(number, plant)
            for state in STATES[:2]:
                with self.subTest(state=state), tempfile.TemporaryDirectory(prefix="rdmaready bundle ") as directory:
                    fabric.guest(2, state)
                    live = fabric.check(self.hosts)
                    for name, options in (("b.tar", ()), ("p.tar", ("--pseudonyms",))):
                        file = pathlib.Path(directory) / name
                        made = tool.rdmaready("bundle", *self.hosts.values(), "--out", file, *options, "--output", "json")
                        self.assertEqual(made.status, 0, made)
                        self.assertNotIn(b"PLANTED", file.read_bytes())
                        again = tool.rdmaready("check", "--bundle", file, "--profile", "virtual-fabric", "--output", "json")
                        self.assertEqual(again.status, live.status, again)
                        if options:
                            self.assert_same_under_pseudonyms(made.json, again.json, live.json, file.read_bytes())
                        else:
                            self.assertEqual(judged(again.json), judged(live.json))
        finally:
            for number in self.hosts:
                fabric.guest(number, "rm -f /etc/nvme/discovery.conf /etc/nccl.conf /etc/fstab")
            fabric.put_right(2)

    def assert_same_under_pseudonyms(self, made, again, live, data):
        def of(report, names):
            return {names.get(host["host"], host["host"]): [(found["id"], found["subject"], found["outcome"], found["blocking"])
                                                            for found in host["findings"]] for host in report["hosts"]}

        names = {host["host"]: host["pseudonym"] for host in made["hosts"]}
        self.assertEqual(of(again, {}), of(live, names))
        for address in names:
            self.assertNotIn(address.encode(), data)

    def test_text_is_that_of_the_live_check(self):
        def stable(text):
            of_the_live_one = ("ready", "not ready", "JUDGED ", "BEFORE ", "SINCE ")  # how long it took, and what its agent remembers
            lines, dropped = [], False
            for line in filter(None, text.splitlines()):
                dropped = line.startswith(of_the_live_one) or (dropped and line.startswith("ON "))  # ON: at which host that is
                if not dropped:
                    lines.append(line)
            return lines

        with tempfile.TemporaryDirectory(prefix="rdmaready saved ") as directory:
            # A folder's hosts are judged in the order of their names.
            live = tool.rdmaready("check", *sorted(self.hosts.values()), "--profile", "virtual-fabric")
            self.save(directory)
            again = tool.rdmaready("check", "--facts", directory, "--profile", "virtual-fabric")
            self.assertEqual(stable(again.out), stable(live.out))
            self.assertIn("recorded 20", again.out)

    def test_a_recording_holds_the_raw_answers_and_no_user_data(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready saved ") as directory:
            for host in self.save(directory):
                folder = pathlib.Path(host["folder"])
                self.assertEqual((folder / "files/sys/class/net/dcb0/speed").read_text(), "25000\n")
                self.assertIn('"what":"dcbnl"', (folder / "netlink.jsonl").read_text())
                self.assertIn('"device":"rxe0"', (folder / "verbs.jsonl").read_text())
                self.assertIn('"default_roce_tos":"106\\n"', (folder / "rdma_cm.jsonl").read_text())
                for top in (folder / "files").iterdir():
                    self.assertIn(top.name, ("sys", "proc", "etc", "lib", "boot"))
                # A minimal machine has no id.
                self.assertLessEqual({path.name for path in folder.glob("files/etc/*")}, {"machine-id", "os-release"})


if __name__ == "__main__":
    unittest.main()
