# SPDX-License-Identifier: Apache-2.0
"""What an operator of forty hosts sees of one check: each different fault once, with its hosts."""
import re
import unittest

import many_hosts
import tool

HOSTS = 40
PAUSES_ANOTHER = ("pfc: {on: [3],", "pfc: {on: [4],")
NO_SHARE = ("percent: [50, 0, 0, 50, 0, 0, 0, 0]", "percent: [98, 0, 0, 2, 0, 0, 0, 0]")
PAUSES_THE_LINK = ("pause: {rx: false, tx: false}", "pause: {rx: true, tx: true}")
FAULTS = {0: (), 1: (PAUSES_ANOTHER,), 2: (NO_SHARE,), 3: (PAUSES_THE_LINK,)}


def check(hosts, *options):
    return tool.rdmaready("check", "--facts", hosts.saved, "--profile", many_hosts.PROFILE, *options)


def listed(names):
    """What "node[001-003,007]" and "node009" stand for."""
    found = set()
    for before, inside, alone in re.findall(r"(\w+?)\[([\d,-]+)\]|(node\d+)", names):
        if alone:
            found.add(alone)
        for part in filter(None, inside.split(",")):
            first, _, last = part.partition("-")
            found |= {f"{before}{number:03}" for number in range(int(first), int(last or first) + 1)}
    return found


def ids_of(answer, outcomes=("fail", "warn", "unknown")):
    """What is not well, by check: its hosts."""
    ids = {}
    for host in answer.json["hosts"]:
        for finding in host["findings"]:
            if finding["outcome"] in outcomes and not finding["hidden_by"]:
                ids.setdefault(finding["id"], set()).add(host["host"])
    return ids


class FortyHosts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mixed = many_hosts.ManyHosts(HOSTS, lambda number: FAULTS[number % 4]).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.mixed.__exit__()

    def rows(self, text):
        """The hosts of each check that is not well, by its block."""
        rows = {}
        for block in text.split("\n\n"):
            head = re.match(r"(WRONG|WARNING|UNKNOWN) .*  \(([a-z0-9-]+\.[a-z0-9-]+)[,)]", block)
            if head:
                self.assertNotIn((head[1], head[2]), rows, "named twice")
                rows[head[1], head[2]] = listed(" ".join(re.findall(r"^ON +(.*)$", block, re.M)))
        return rows

    def told(self, hosts):
        text = check(hosts)
        wanted = ids_of(check(hosts, "--output", "json"))
        rows = {}
        for (_, check_id), names in self.rows(text.out).items():
            rows.setdefault(check_id, set()).update(names)
        self.assertEqual(rows, wanted, text)
        return text

    def test_with_one_fault_fit_on_a_screen(self):
        with many_hosts.ManyHosts(HOSTS, lambda number: (PAUSES_ANOTHER,)) as hosts:
            text = self.told(hosts)
            self.assertLessEqual(len(text.out.splitlines()), 30, text)
            self.assertIn("40 hosts: node[001-040]", text.out)
            self.assertEqual(text.status, 1, text)
            listed_each = check(hosts, "-v")
            self.assertGreater(len(listed_each.out.splitlines()), 40 * 30)
            for number in range(1, HOSTS + 1):
                self.assertRegex(listed_each.out, rf"(?m)^node{number:03} ")

    def test_with_three_faults_are_told_each_with_its_hosts(self):
        text = self.told(self.mixed)
        faulty = ids_of(check(self.mixed, "--output", "json"), ("fail", "warn"))
        for kind in (1, 2, 3):
            wanted = {f"node{number:03}" for number in range(1, HOSTS + 1) if number % 4 == kind}
            self.assertIn(wanted, list(faulty.values()), kind)
        self.assertLessEqual(len(text.out.splitlines()), 60, text)

    def test_are_told_in_as_many_lines_as_four(self):
        with many_hosts.ManyHosts(4, lambda number: FAULTS[number % 4]) as few:
            self.assertLessEqual(abs(len(check(self.mixed).out.splitlines()) - len(check(few).out.splitlines())), 4)

    def test_keep_every_finding_in_json(self):
        with many_hosts.ManyHosts(3) as hosts:
            for host in check(hosts, "--output", "json").json["hosts"]:
                self.assertGreater(len(host["findings"]), 300)

    def test_that_do_not_answer_are_told_once(self):
        with many_hosts.ManyHosts(5) as hosts:
            for number in (2, 3, 4):
                for path in (hosts.saved / f"node{number:03}").iterdir():
                    if path.is_file():
                        path.write_text("{")
            answer = check(hosts)
            self.assertEqual(answer.status, 2, answer)
            self.assertLessEqual(len(answer.err.splitlines()), 3, answer)
            self.assertIn("node[002-004]", answer.out + answer.err)


if __name__ == "__main__":
    unittest.main()
