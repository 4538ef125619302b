# SPDX-License-Identifier: Apache-2.0
"""The store of an older hub, opened by the hub of today, and the remedies that a hub makes of the facts that it keeps."""
import sqlite3
import unittest

import fixtures
import schemas
import tool
from eventually import eventually
from hubs import Hub, WithFolder, simulate

# Made by a hub and an agent of revision cc48e584, which know no remedy: a fix is "COMMAND  # COMMENT".
OLD_STORE = fixtures.HOSTS.parent / "versions" / "hub-cc48e584.sql"
COMMENT = "  # "


def findings(hub, *hosts):
    answer = hub.fleet("findings", *hosts, "--output", "json")
    if answer.status != 0:
        raise AssertionError(answer)
    return answer.json


class AnOldStore(WithFolder):
    def setUp(self):
        super().setUp()
        self.hub = Hub(self.folder)
        self.hub.store.parent.mkdir()
        with sqlite3.connect(self.hub.store) as store:
            store.executescript(OLD_STORE.read_text())
        store.close()

    def rows(self, statement):
        store = sqlite3.connect(self.hub.store)
        try:
            return store.execute(statement).fetchall()
        finally:
            store.close()

    def commented(self):
        return self.rows(f"SELECT check_id FROM finding WHERE over_unix_ns = 0 AND fix LIKE '%{COMMENT}%'")

    def test_is_judged_again_and_then_has_a_fix_without_its_comment(self):
        self.assertTrue(self.commented())
        with self.hub:
            eventually(lambda: not self.commented(), why=self.commented)
            self.assertEqual([row["fix"] for row in findings(self.hub)["findings"] if COMMENT in row["fix"]], [])

    def test_has_the_remedies_of_today_for_one_host(self):
        with self.hub:
            eventually(lambda: not self.commented(), why=self.commented)
            answer = findings(self.hub, "node00001")
            self.assertEqual(schemas.faults(answer), [])
            remedies = {row["check"]: row.get("remedy") for row in answer["findings"] if row["outcome"] == "fail" and not row["over_unix_ns"]}
            self.assertIn("mtu.ethernet", remedies)
            for check, remedy in remedies.items():
                self.assertTrue(remedy and remedy["steps"], check)
            self.assertTrue(any(remedy.get("check") for remedy in remedies.values()), remedies)

    def test_keeps_its_hosts_and_what_happened(self):
        hosts = self.rows("SELECT name FROM host ORDER BY name")
        before = self.rows("SELECT host_id, number, check_id FROM transition")
        with self.hub:
            self.assertEqual([(host["name"],) for host in self.hub.fleet("hosts", "--output", "json").json["hosts"]], hosts)
            self.assertIn("reported for the first time", self.hub.fleet("history").out)
            self.assertIn(self.hub.fleet("status").status, (1, 4))
        self.assertLessEqual(set(before), set(self.rows("SELECT host_id, number, check_id FROM transition")))


class OneHost(WithFolder):
    HOST = "two-rails-sick"

    def test_has_the_remedies_of_a_check(self):
        check = tool.rdmaready("check", "--facts", fixtures.HOSTS / self.HOST / "saved", "--output", "json").json
        checked = {(found["id"], found["subject"]): found.get("remedy") for found in check["hosts"][0]["findings"]}
        with Hub(self.folder) as hub:
            simulate(hub, 2, "--for", "1s", hosts=self.HOST)
            answer = findings(hub, "node00001")
            self.assertEqual(schemas.faults(answer), [])
            rows = answer["findings"]
            self.assertEqual([row.get("remedy") for row in rows], [checked[row["check"], row["subject"]] for row in rows])
            self.assertGreater(sum("remedy" in row for row in rows), 3)
            text = hub.fleet("findings", "node00001").out
            for row in rows:
                for step in row.get("remedy", {}).get("steps", []):
                    self.assertIn(step.get("command", ""), text)
            self.assertEqual({row.get("remedy") for row in findings(hub)["findings"]}, {None}, "of several hosts")


if __name__ == "__main__":
    unittest.main()
