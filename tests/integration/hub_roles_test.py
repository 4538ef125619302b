# SPDX-License-Identifier: Apache-2.0
"""Who may do what with hosts of which groups, by the hub's file of roles; and the audit, which shows what was changed in it."""
import signal
import sqlite3
import unittest

from eventually import eventually
from hubs import EnrollingHub, WithFolder

FLEET = "groups:\n  storage: {hosts: [s1, s2]}\n  gpu: {hosts: [g1]}\n"
BERT = "  - who: ['URI:rdmaready:operator/bert']\n    may: admit\n"


class Roles(WithFolder):
    def setUp(self):
        super().setUp()
        self.roles = self.folder / "roles.yaml"
        inventory = self.folder / "fleet.yaml"
        inventory.write_text(FLEET)
        self.write("  - who: ['URI:rdmaready:operator/anna']\n    groups: [storage]\n")
        self.hub = EnrollingHub(self.folder / "hub", "--roles", self.roles, "--inventory", inventory)
        self.hub.pki("issue", "operator", "bert", "--out", self.hub.certificates)
        self.hub.pki("issue", "operator", "carl", "--out", self.hub.certificates)
        self.hub.start()
        self.addCleanup(lambda: self.hub.process.poll() is None and self.hub.stop())

    def write(self, rows):
        self.roles.write_text("roles:\n" + rows + BERT)
        self.roles.chmod(0o600)

    def ask(self, who, *words):
        return self.hub.ask(*words, who=who)

    def names(self, who):
        return [host["name"] for host in self.ask(who, "hosts", "--output", "json").json["hosts"]]

    def reload(self, event):
        count = lambda: [one["event"] for one in self.hub.events()].count(event)
        before = count()
        self.hub.process.send_signal(signal.SIGHUP)
        eventually(count, lambda now: now > before, why=self.hub.events)

    def test_a_group_is_all_that_there_is_for_who_may_see_only_that(self):
        self.assertEqual((self.names("anna"), self.names("bert")), (["s1", "s2"], ["g1", "s1", "s2"]))
        self.assertEqual(self.ask("anna", "status", "--output", "json").json["hosts"], 2)
        self.assertEqual(self.ask("anna", "hosts", "g1", "--output", "json").json["hosts"], [])
        nobody = self.ask("carl", "status")
        self.assertIn("carl may not observe, by the file of roles of this hub", nobody.err)
        self.assertNotEqual(nobody.status, 0)
        for line in (["ack", "s1"], ["maintenance", "s1", "--for", "1h"], ["token"], ["revoke", "s1", "--why", "x"], ["audit"]):
            refused = self.ask("anna", *line)
            self.assertNotEqual(refused.status, 0, line)
            self.assertIn("by the file of roles", refused.err, line)
        self.write("  - who: ['URI:rdmaready:operator/anna']\n    may: operate\n    groups: ['*u']\n")
        self.reload("reloaded")
        self.assertEqual(self.names("anna"), ["g1"])
        self.assertEqual(self.ask("anna", "maintenance", "g1", "--for", "1h").status, 0)
        self.assertIn("no such host", self.ask("anna", "maintenance", "s1", "--for", "1h").err)
        self.roles.write_text("roles: [{may: rule}]\n")
        self.reload("reload-refused")
        self.assertEqual(self.names("anna"), ["g1"], "what is refused changes nothing")

    def test_what_was_done_and_refused_is_written_down_in_a_chain(self):
        self.ask("anna", "revoke", "s1", "--why", "mine")
        self.assertEqual(self.ask("bert", "token", "--note", "row 7").status, 0)
        self.assertEqual(self.ask("bert", "maintenance", "g1", "--for", "1h", "--why", "new firmware").status, 0)
        audit = self.ask("bert", "audit", "--output", "json")
        self.assertEqual((audit.status, audit.json["broken"]), (0, ""))
        self.assertEqual([(entry["who"], entry["verb"], entry["outcome"][:8]) for entry in audit.json["entries"]],
                         [("", "revoke", "refused:"), ("bert", "token", "asked"), ("bert", "maintenance", "asked")])
        self.assertIn("row 7", audit.json["entries"][1]["detail"])
        self.assertIn("new firmware", audit.json["entries"][2]["detail"])
        self.assertEqual([event["digest"] for event in self.hub.events() if event["event"] == "audit"],
                         [entry["digest"] for entry in audit.json["entries"]], "the log has the same")
        self.hub.stop()
        with sqlite3.connect(self.hub.store) as store:
            store.execute("UPDATE audit SET who = 'anna' WHERE number = 2")
        store.close()
        self.hub.start()
        broken = self.ask("bert", "audit")
        self.assertEqual(broken.status, 3, broken)
        self.assertIn("the chain is broken: entry 2 was changed", broken.out)


if __name__ == "__main__":
    unittest.main()
