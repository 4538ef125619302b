# SPDX-License-Identifier: Apache-2.0
"""A hub that has an inventory: which hosts there are, by what each group is judged, and which is the odd one of a group."""
import signal
import sqlite3
import unittest

import schemas
import tool
from eventually import eventually
from hubs import Hub, WithFolder, simulate


class AnInventory(WithFolder):
    def setUp(self):
        super().setUp()
        self.inventory = self.folder / "fleet.yaml"

    def write(self, text):
        self.inventory.write_text(text)
        return "--inventory", self.inventory

    def reload(self, hub, event):
        log = self.folder / "hub.log"
        before = log.read_text().count(event)
        hub.process.send_signal(signal.SIGHUP)
        eventually(lambda: log.read_text().count(event) > before)
        return log.read_text()

    def hosts(self, hub, *arguments):
        return hub.fleet("hosts", *arguments, "--output", "json").json["hosts"]

    def test_says_where_hosts_are_and_which_never_came(self):
        groups = "groups:\n  storage: {hosts: [\"node[00001-00003]\", late1], racks: {r1: [node00001, late1]}}\n"
        with Hub(self.folder, *self.write(groups)) as hub:
            simulate(hub, 5, "--for", "1s")
            status = hub.fleet("status", "--output", "json").json
            self.assertEqual((status["hosts"], status["counts"]["never_reported"], status["counts"]["unlisted"]), (6, 1, 2))
            self.assertEqual([host["name"] for host in self.hosts(hub, "--condition", "never-reported")], ["late1"])
            self.assertEqual([host["name"] for host in self.hosts(hub, "--rack", "r1")], ["late1", "node00001"])
            self.assertEqual(len(self.hosts(hub, "--group", "storage")), 4)
            self.assertEqual([host["name"] for host in self.hosts(hub) if host["unlisted"]], ["node00004", "node00005"])
            late = hub.fleet("status", "late1")
            self.assertEqual(late.status, 3, "a host that was never heard is not ready")
            self.assertIn("nothing was ever heard of it", late.out)
            self.assertIn("not in the inventory", hub.fleet("hosts", "node00005").out)
            self.assertEqual(hub.fleet("maintenance", "late1", "--for", "1h").out.split()[0], "0", "nothing is kept of it")

    def test_is_read_again_and_a_refused_one_changes_nothing(self):
        with Hub(self.folder, *self.write("groups: {one: {hosts: [\"node[00001-00004]\"]}}\n")) as hub:
            simulate(hub, 4, "--for", "1s")
            self.assertEqual(len(self.hosts(hub, "--group", "one")), 4)
            self.write("groups:\n  one: {hosts: [node00001]}\n  two: {host: [node00002]}\n")
            self.assertIn("fleet.yaml:3", self.reload(hub, "reload-refused"))
            self.assertEqual(len(self.hosts(hub, "--group", "one")), 4)
            self.write("groups:\n  one: {hosts: [node00001]}\n  two: {hosts: [\"node[00002-00004]\"], profile: nvidia-lossless}\n")
            self.reload(hub, '"reloaded"')
            two = eventually(lambda: len(found := self.hosts(hub, "--group", "two")) == 3 and found)
            self.assertEqual({tuple(host["profiles"]) for host in two}, {("nvidia-lossless",)})
            self.assertEqual(len(self.hosts(hub, "--group", "one")), 1)


class OddOnes(WithFolder):
    """Hosts that are well by themselves, and differ from most of their group."""

    def groups(self, text):
        inventory = self.folder / "fleet.yaml"
        inventory.write_text(text)
        return "--inventory", inventory

    def odd(self, hub, *arguments):
        return hub.fleet("status", *arguments, "--output", "json").json["odd_ones"]

    def test_come_are_named_and_go(self):
        groups = self.groups("groups:\n  storage: {hosts: [\"node[00001-00006]\"]}\n  spare: {hosts: [\"node[00007-00008]\"]}\n")
        with Hub(self.folder, *groups, period="3s") as hub:
            with_odd_one = self.fleet(hub, 8, script="1s odd 1\n")
            [odd] = eventually(lambda: hub.process.poll() is None and self.odd(hub))
            self.assertEqual((odd["check"], odd["group"], odd["hosts"], odd["names"]), ("agree.speed", "storage", 1, ["node00001"]))
            self.assertIn("5 of 6 hosts of group storage have it", odd["expected"])
            self.assertEqual(self.odd(hub, "--group", "spare"), [])
            status = hub.fleet("status")
            self.assertLess(status.out.index("odd: node00001"), len(status.out) // 2 + 200, "what is odd is told first")
            findings = hub.fleet("findings", "node00001", "--check", "agree.*", "--output", "json").json["findings"]
            self.assertEqual({(finding["outcome"], finding["observed"]) for finding in findings}, {("warn", "10 Gb/s")})
            self.assertEqual(tool.rdmaready("explain", "agree.speed").status, 0)
            for verb in ("status", "baseline", "hosts"):
                self.assertEqual(schemas.faults(hub.fleet(verb, "--output", "json").json), [], verb)
            rows = {row["group"]: row for row in hub.fleet("baseline", "--check", "agree.speed", "--output", "json").json["usual"]}
            self.assertEqual((rows["storage"]["state"], rows["storage"]["hosts"], rows["storage"]["of"]), ("odd-ones", 5, 6))
            self.assertEqual(rows["spare"]["state"], "too-few")
            self.assertEqual(len(hub.fleet("baseline", "node00007", "--check", "agree.speed", "--output", "json").json["usual"]), 2, "two rails")
            self.assertIn("odd ones", hub.fleet("baseline", "--group", "storage").out)
            with_odd_one.terminate()
            with_odd_one.wait()
            self.fleet(hub, 8)
            eventually(lambda: not self.odd(hub))
            changes = hub.fleet("history", "--check", "agree.*", "--output", "json").json["changes"]
            self.assertEqual({(change["host"], change["before"], change["after"]) for change in changes},
                             {("node00001", "pass", "warn"), ("node00001", "warn", "pass")})

    def test_hold_over_a_restart_of_the_hub(self):
        with Hub(self.folder, period="3s") as hub:
            self.fleet(hub, 5, script="500ms odd 1\n")
            eventually(lambda: self.odd(hub))
            before = hub.fleet("history", "--check", "agree.*", "--output", "json").json["changes"]
            hub.stop()
            hub.start()
            # Who met no hub comes again after a second, or after up to a minute.
            eventually(lambda: hub.fleet("baseline", "--output", "json").json["complete"], seconds=90)
            eventually(lambda: self.odd(hub), seconds=90)
            self.assertEqual(hub.fleet("history", "--check", "agree.*", "--output", "json").json["changes"], before)


class Readings(WithFolder):
    def test_of_a_host_that_is_as_it_was_are_asked_for_now_and_then(self):
        with Hub(self.folder, "--facts-every", "2s") as hub:
            for seconds in (7, 45):  # others, if all the time went by before the first ones were there
                status, told = simulate(hub, 3, "--first", f"{seconds * 10}", "--for", f"{seconds}s")
                self.assertEqual(status, 0, told)
                if told["with_facts"] >= 3 + 3:
                    break
            self.assertGreaterEqual(told["with_facts"], 3 + 3, "once each, and again")
            self.assertLessEqual(told["with_facts"], 3 * (seconds // 2 + 3))
        with Hub(self.folder, "--facts-every", "0") as hub:
            self.assertEqual(simulate(hub, 3, "--first", "10", "--for", "4s")[1]["with_facts"], 3)

    def test_of_a_real_agent_are_those_of_now(self):
        def facts():
            with sqlite3.connect(hub.store) as store:
                return store.execute("SELECT digest, checksum FROM host JOIN facts USING (host_id)").fetchall()

        with Hub(self.folder, "--facts-every", "1s") as hub, tool.Agent("--hub", hub.address):
            first = eventually(facts)
            eventually(lambda: facts()[0][1] != first[0][1])
            self.assertEqual(hub.fleet("status", "--output", "json").json["hosts"], 1)


if __name__ == "__main__":
    unittest.main()
