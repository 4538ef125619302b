# SPDX-License-Identifier: Apache-2.0
"""Notices of a hub: who is told what, over real HTTPS and real syslog, and that nobody who does not listen holds anything up."""
import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

import certificates
import hubs
import notice_receivers
import schemas
import tool
from eventually import eventually
from notice_receivers import Syslog, Webhook

SECRET = "0123456789abcdef-of-the-fleet"
SOON = "gather: 500ms\napart: 1s\nallow_private: [127.0.0.0/8, '::1']\n"


def settings(*receivers, more=SOON):
    return more + "receivers:\n" + "".join("  - {" + one + "}\n" for one in receivers)


class WithReceivers(hubs.WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.pki = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="rdmaready pki "))
        cls.ca = certificates.Authority(cls.pki, "ca")
        cls.pair = cls.ca.sign("receiver", "DNS:localhost,IP:127.0.0.1")

    def setUp(self):
        super().setUp()
        self.clock = self.moved_clock()

    def webhook(self, **options):
        """Who waits for its notices moves the clock."""
        receiver = Webhook(self.pair, secret=SECRET, until=self.clock.until, **options)
        self.addCleanup(receiver.close)
        return receiver

    def entry(self, receiver, name="hook", path="/services/T0/SECRET-PATH"):
        return f"name: {name}, webhook: 'https://localhost:{receiver.port}{path}', secret: '{SECRET}', ca: '{self.ca.cert}'"

    def syslog(self, way):
        receiver = Syslog(way, self.folder, self.pair, until=self.clock.until)
        self.addCleanup(receiver.close)
        return receiver

    def write(self, *receivers, more=SOON):
        return notice_receivers.write(self.folder / "notices.yaml", settings(*receivers, more=more))

    def hub(self, *receivers, more=SOON, period="30s"):
        """Of no period that a host misses because the machine is busy."""
        self.ask_for(9000)
        hub = hubs.Hub(self.folder, "--notices", self.write(*receivers, more=more), "--name", "hub-one", "--profile", self.folder / "p.yaml",
                           period=period).start()
        self.addCleanup(lambda: hub.process.poll() is None and hub.stop())
        return hub

    def ask_for(self, mtu, hub=None):
        """Hosts whose driver allows 9000 are ready, or are not."""
        (self.folder / "p.yaml").write_text(f"name: p\nextends: virtual-fabric\nmtu_bytes: {mtu}\n")
        if hub:
            hub.process.send_signal(signal.SIGHUP)

    def until(self, holds):
        eventually(holds, why=self.log)

    def passing(self, holds):
        self.clock.until(holds, why=self.log)

    def await_hosts(self, hub, count, condition, seconds=60):
        counted = condition.replace("-", "_")
        eventually(lambda: hub.fleet("status", "--output", "json").json["counts"][counted] == count, seconds=seconds, why=self.log)

    def log(self):
        return (self.folder / "hub.log").read_text()

    def in_time(self, attempt, *gather):
        """With so many seconds in which notices gather."""
        super().in_time(attempt, *(gather or (20, 100)))


LOOK_S = 3  # a hub that has changes looks each two seconds for what is to be told


def gathering(gather, apart=1):
    return SOON.replace("500ms", f"{gather}s").replace("apart: 1s", f"apart: {apart}s")


def try_out(case, *receivers, more=SOON, once=False):
    """The last one of up to three: a connection with its TLS has five seconds, which a busy machine may take. `tries`: how many there were."""
    words = [tool.BIN / "rdmaready-hub", "notice-test", "--notices", case.write(*receivers, more=more), "--name", "hub-one"]
    for tries in (1,) if once else (1, 2, 3):
        tried = subprocess.run(words, capture_output=True, text=True, timeout=60)
        tried.tries = tries
        if "Timeout was reached" not in tried.stdout:
            break
    return tried


class AFleet(WithReceivers):
    def test_a_group_that_fails_at_once_is_one_notice_and_so_is_its_end(self):
        self.in_time(self.a_group_fails_and_is_well_again)

    def a_group_fails_and_is_well_again(self, gather):
        hook, log = self.webhook(), self.syslog("udp")
        hub = self.hub(self.entry(hook), f"name: log, syslog: '{log.target}', sd_id: rdmaready@32473", more=gathering(gather, apart=gather))
        self.fleet(hub, 320)
        self.await_hosts(hub, 320, "ready")
        # They are judged in several batches, which may lie seconds apart on a busy machine: nobody moves the clock before the last.
        if not self.judged(hub, 9100, "not-ready", gather - LOOK_S):
            return False
        [opened] = hook.wait()
        if not self.judged(hub, 9000, "ready", gather - LOOK_S):
            return False
        hook.wait(of=lambda one: one["state"] == "over")
        ends = hook.notices[1:]
        self.assertEqual((opened["kind"], opened["state"], opened["hosts"], opened["left"]), ("not-ready", "open", 320, 320))
        self.assertEqual([(one["state"], one["hosts"], one["left"]) for one in ends], [("over", 320, 0)])
        self.assertEqual({one["incident"] for one in ends}, {opened["incident"]})
        self.assertEqual([host["name"] for host in opened["named"]], [f"node{i:05}" for i in range(1, 21)])
        self.assertEqual(opened["checks"], [{"check": "mtu.max", "hosts": 320}])
        self.assertEqual(opened["text"], "320 hosts are not ready: mtu.max (320); node00001, node00002, node00003, node00004, node00005, ...")
        read = [notice_receivers.parse(message) for message in log.wait(1 + len(ends))]
        self.assertEqual([(one["severity"], one["msgid"], one["data"]["hosts"], one["data"]["state"]) for one in read],
                         [(3, "not-ready", "320", "open")] + [(5, "not-ready", str(one["hosts"]), one["state"]) for one in ends])
        self.assertEqual((hook.unsigned, len(hook.notices)), (0, 1 + len(ends)))
        for notice in hook.notices:
            self.assertEqual(schemas.faults(notice), [])
        return True

    def judged(self, hub, mtu, condition, seconds):
        """Whether all 320 hosts are `condition` within `seconds` after the profile asks for this MTU."""
        self.ask_for(mtu, hub)
        with contextlib.suppress(AssertionError):
            self.await_hosts(hub, 320, condition, seconds)
            return True
        return False

    def test_a_host_that_comes_back_before_it_was_told_is_not_told(self):
        self.in_time(self.hosts_come_back)

    def hosts_come_back(self, gather):
        hook = self.webhook()
        hub = self.hub(self.entry(hook), more=gathering(gather))
        self.fleet(hub, 2)
        self.await_hosts(hub, 2, "ready")
        begun = time.monotonic()
        self.ask_for(9100, hub)
        self.await_hosts(hub, 2, "not-ready")
        self.clock.go_on(LOOK_S)
        self.ask_for(9000, hub)
        self.await_hosts(hub, 2, "ready")
        if time.monotonic() - begun > gather - 2 * LOOK_S:
            return False
        self.clock.go_on(gather + 2 * LOOK_S)
        self.assertEqual([one["text"] for one in hook.notices], [])
        return True

    def test_what_holds_is_told_again_after_a_while(self):
        hook = self.webhook()
        hub = self.hub(self.entry(hook), more=SOON + "repeat: 3s\n")
        self.ask_for(9100, hub)
        self.fleet(hub, 1)
        first, again = hook.wait(2)[:2]
        self.assertEqual([(one["state"], one["incident"]) for one in (first, again)], [("open", first["incident"]), ("again", first["incident"])])
        self.assertEqual(first["named"][0]["check"], "mtu.max")
        self.assertEqual(first["text"], "node00001 is not ready: mtu.max on rxe0/1 dcb0: the driver allows 9000 at most")

    def waiting(self, hub):
        """How many notices the store of a hub has that did not arrive yet, as far as is kept."""
        with contextlib.closing(sqlite3.connect(f"{hub.store.as_uri()}?mode=ro", uri=True)) as store:
            return store.execute("SELECT count(*) FROM note WHERE kind = 'parcel'").fetchone()[0]

    def test_silence_is_told_and_that_it_is_over_and_nothing_again_after_a_restart(self):
        hook = self.webhook()
        # Silence is noted each five seconds: two hosts may be a turn apart, and the clock goes on while the hub works.
        hub = self.hub(self.entry(hook), more=gathering(30), period="10s")
        hubs.simulate(hub, 3, "--for", "2s")
        [silent] = hook.wait(of=lambda one: one["kind"] == "silent")
        self.assertEqual((silent["hosts"], silent["state"], silent["text"][:20]), (3, "open", "3 hosts are silent: "))
        self.until(lambda: self.waiting(hub) == 0)  # it is kept that it arrived
        hub.stop(signal.SIGKILL)
        self.write(self.entry(hook), more=SOON.replace("apart: 1s", "apart: 30s"))
        hub.start()
        self.clock.go_on(5 + LOOK_S)
        self.assertEqual(len([one for one in hook.notices if one["kind"] == "silent"]), 1, hook.notices)
        self.fleet(hub, 3)
        self.await_hosts(hub, 3, "ready")
        [over] = hook.wait(of=lambda one: one["kind"] == "silent" and one["state"] == "over")
        self.assertEqual((over["incident"], over["hosts"], over["left"]), (silent["incident"], 3, 0))

    def test_who_is_in_maintenance_makes_none_and_neither_does_what_is_acknowledged(self):
        self.in_time(self.only_one_of_three_is_told)

    def only_one_of_three_is_told(self, gather):
        hook = self.webhook()
        hub = self.hub(self.entry(hook), more=gathering(gather))
        self.fleet(hub, 3)
        self.await_hosts(hub, 3, "ready")
        self.assertEqual(hub.fleet("maintenance", "node00001", "--for", "1h", "--why", "moved").status, 0)
        begun = time.monotonic()
        self.ask_for(9100, hub)
        self.until(lambda: len(hub.fleet("hosts", "--condition", "not-ready", "--output", "json").json["hosts"]) == 3)
        self.clock.go_on(LOOK_S)  # it is seen, and gathers; acknowledging is no change that is looked at
        self.assertEqual(hub.fleet("ack", "node00002", "--check", "*", "--why", "known").status, 0)
        if time.monotonic() - begun > gather - 2 * LOOK_S:
            return False
        [told] = hook.wait()
        self.assertEqual([host["name"] for host in told["named"]], ["node00003"])
        self.clock.go_on(2 * LOOK_S)
        self.assertEqual(len(hook.notices), 1)
        return True

    def test_a_report_is_acknowledged_as_soon_when_receivers_are_dead(self):
        hanging = self.webhook(answers=[lambda handler: time.sleep(30)])
        alive = self.syslog("unix")
        self.ask_for(9100)  # all are not ready, and there is something to tell
        listening = [f"name: log, syslog: '{alive.target}'"]
        dead = [self.entry(hanging), "name: closed, webhook: 'https://127.0.0.1:1/', ca: /dev/null"]
        tries = []
        for _ in range(4):  # what else the machine does holds up one or the other
            tries.append([self.slowest_of_most(alive, receivers) for receivers in (listening, listening + dead)])
            if tries[-1][1] < tries[-1][0] * 2 + 500_000:
                break
        self.assertTrue(hanging.requests, "it was tried")
        self.assertLess(tries[-1][1], tries[-1][0] * 2 + 500_000, tries)

    def slowest_of_most(self, alive, receivers):
        """Microseconds in which 99 of a hundred reports are acknowledged."""
        told = len(alive.messages)
        with tempfile.TemporaryDirectory(prefix="rdmaready hub ") as place, \
                hubs.Hub(place, "--notices", self.write(*receivers), "--profile", self.folder / "p.yaml", period="30s") as hub:
            status, tally = hubs.simulate(hub, 500, "--for", "3s", script="1s change all\n")
            self.assertEqual((status, tally["put_off"]), (0, 0), tally)
            self.assertGreater(len(alive.wait(told + 1)), told, "who listens is told")
            begun = time.monotonic()
            hub.stop()
            self.assertLess(time.monotonic() - begun, 10, "a receiver that hangs does not hold up the end")
        return tally["ack_p99_us"]

    def test_what_a_dead_receiver_was_not_told_is_told_when_it_is_back_also_after_a_restart(self):
        hook = self.webhook(answers=[(500, {}, b"")] * 3 + [(204, {}, b"")])
        hub = self.hub(self.entry(hook), period="1s")
        hubs.simulate(hub, 1, "--for", "1s")
        self.passing(lambda: hook.requests)
        hub.stop(signal.SIGKILL)
        hub.start()
        told = hook.wait(1)
        self.assertEqual(len(told), 1, (told, self.log()))
        self.assertEqual(len({body for *_, body in hook.requests}), 1, "the same notice each time")
        self.assertIn("notices-fail", self.log())

    def test_nothing_secret_is_in_the_log_or_the_answers(self):
        hook = self.webhook(answers=[(500, {}, b"")])
        hub = self.hub(self.entry(hook), period="1s")
        hubs.simulate(hub, 1, "--for", "1s")
        self.passing(lambda: "notices-fail" in self.log())
        everything = self.log() + hub.fleet("status", "--output", "json").out
        self.assertIn("notices-fail", everything)
        for word in ("SECRET-PATH", SECRET, "localhost:"):
            self.assertNotIn(word, everything)


class AFileThatIsReadAgain(WithReceivers):
    def reload(self, hub, said):
        before = self.log().count(said)
        hub.process.send_signal(signal.SIGHUP)
        self.until(lambda: self.log().count(said) > before)

    def test_by_sighup_what_waits_goes_on_and_what_is_refused_changes_nothing(self):
        hook, second = self.webhook(), self.webhook()
        # Who asks to be left alone for ten minutes: what is told before that is told because of what is read.
        busy = self.webhook(answers=[(503, {"Retry-After": "600"}, b"")])
        away = f"webhook: 'https://localhost:{busy.port}/', ca: '{self.ca.cert}'"
        hub = self.hub(f"name: hook, {away}", f"name: gone, {away}")
        self.fleet(hub, 2)
        self.await_hosts(hub, 2, "ready")
        self.ask_for(9100, hub)
        self.passing(lambda: self.log().count("notices-fail") >= 2)
        self.write(f"name: hook, nonsense: 1, {away}")
        self.reload(hub, "reload-refused")
        self.assertIn("a key that is not known", self.log())
        self.write(self.entry(hook), self.entry(second, name="second"))
        self.reload(hub, '"reloaded"')
        [waited] = hook.wait()
        self.assertEqual((waited["kind"], waited["state"], waited["hosts"]), ("not-ready", "open", 2), "it waited, and is tried at once")
        self.assertEqual(second.notices, [], "it was told before")
        self.write(self.entry(second, name="second"))
        self.ask_for(9000)
        self.reload(hub, '"reloaded"')
        [over] = second.wait()
        self.assertEqual((over["state"], over["incident"], len(hook.notices)), ("over", waited["incident"], 1))


class TheOddOnes(WithReceivers):
    def ask_for(self, mtu, hub=None):
        (self.folder / "p.yaml").write_text("name: p\nextends: smb-direct-roce\n")  # any speed will do

    def test_are_one_notice_for_their_group_and_check_and_so_is_their_end(self):
        hook = self.webhook()
        # They are compared once in a period: two hosts may be a turn apart, and the clock goes on while the hub works.
        hub = self.hub(self.entry(hook), more=gathering(30), period="10s")
        with_odd_ones = self.fleet(hub, 8, script="1s odd 2\n")
        [opened] = hook.wait(of=lambda one: one["kind"] == "odd")
        self.assertEqual((opened["state"], opened["hosts"], opened["checks"]), ("open", 2, [{"check": "agree.speed", "hosts": 2}]))
        self.assertEqual(opened["text"], "2 hosts are the odd ones: agree.speed (2); node00001, node00002")
        with_odd_ones.terminate()
        self.fleet(hub, 8)
        [over] = hook.wait(of=lambda one: one["kind"] == "odd" and one["state"] == "over")
        self.assertEqual((over["incident"], over["hosts"], over["text"]), (opened["incident"], 2, "2 hosts are the odd ones no more: agree.speed (2); node00001, node00002"))
        self.assertEqual(len([one for one in hook.notices if one["kind"] == "odd"]), 2)
        for notice in hook.notices:
            self.assertEqual(schemas.faults(notice), [])


class AReceiver(WithReceivers):
    def test_that_takes_it_is_said_to(self):
        hook, logs = self.webhook(), {way: self.syslog(way) for way in ("unix", "udp", "tcp", "tls")}
        entries = [f"name: {way}, syslog: '{log.target}', facility: local3, sd_id: rdmaready@32473" + (f", ca: '{self.ca.cert}'" if way == "tls" else "")
                   for way, log in logs.items()]
        tried = try_out(self, self.entry(hook), *entries)
        self.assertEqual(tried.returncode, 0, tried.stdout + tried.stderr)
        self.assertEqual(len(re.findall(r"(?m)^\w+: taken: (HTTP 204|sent), \d+ ms$", tried.stdout)), 5, tried.stdout)
        self.assertIn(len(hook.notices), range(1, tried.tries + 1))
        notice = hook.notices[-1]
        self.assertEqual((notice["schema"], notice["kind"], notice["hub"], hook.unsigned), ("rdmaready.v1.Notice", "test", "hub-one", 0))
        for way, log in logs.items():
            messages = log.wait()
            self.assertIn(len(messages), range(1, tried.tries + 1))
            read = notice_receivers.parse(messages[-1])
            self.assertEqual((way, read["facility"], read["severity"], read["host"], read["app"], read["msgid"]), (way, 19, 5, "hub-one", "rdmaready-hub", "test"))
            self.assertEqual((read["data"]["id"], read["data"]["kind"]), ("rdmaready@32473", "test"))

    def test_that_redirects_is_not_followed(self):
        other = self.webhook()
        hook = self.webhook(answers=[(307, {"Location": f"https://localhost:{other.port}/"}, b"")])
        tried = try_out(self, self.entry(hook))
        self.assertEqual((tried.returncode, other.requests), (4, []), tried.stdout)
        self.assertIn("redirect", tried.stdout)

    def test_at_an_address_that_is_not_public_is_refused_unless_it_is_listed(self):
        hook, log = self.webhook(), self.syslog("tcp")
        for listed in ("", "allow_private: [10.0.0.0/8, 'fd00::/8']\n"):
            tried = try_out(self, self.entry(hook), f"name: log, syslog: '{log.target}'", f"name: mapped, webhook: 'https://[::ffff:127.0.0.1]:{hook.port}/'",
                            f"name: datagram, syslog: 'udp:127.0.0.1:{hook.port}'", more=listed)
            self.assertEqual(tried.returncode, 4, tried.stdout)
            self.assertEqual(tried.stdout.count("not taken: its address is not public, and allow_private does not have it"), 4, tried.stdout)
        self.assertEqual((hook.requests, log.messages), ([], []))

    def test_with_another_ca_or_name_is_refused(self):
        hook = self.webhook()
        stranger = certificates.Authority(self.folder, "stranger")
        foreign = f"name: hook, webhook: 'https://localhost:{hook.port}/', ca: '{stranger.cert}'"
        named = f"name: named, webhook: 'https://127.0.0.2:{hook.port}/', ca: '{self.ca.cert}'"
        tried = try_out(self, foreign, named)
        self.assertEqual((tried.returncode, hook.requests), (4, []), tried.stdout)

    def test_that_answers_without_end_is_cut_off(self):
        def endless(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(1 << 40))
            handler.end_headers()
            sent = 0
            try:
                while sent < 1 << 30:
                    sent += handler.wfile.write(b"x" * 65536)
            except OSError:
                pass
            taken.append(sent)

        taken = []
        hook = self.webhook(answers=[endless])
        for _ in range(4):  # which a busy machine may hold up
            begun = time.monotonic()
            tried = try_out(self, self.entry(hook), once=True)
            took = time.monotonic() - begun
            if tried.returncode == 0 and took < 5:
                break
        self.assertEqual(tried.returncode, 0, tried.stdout)
        self.assertLess(took, 5)
        self.until(lambda: taken)
        self.assertLess(taken[0], 8 << 20)

    def test_that_hangs_is_left_after_a_while(self):
        hook = self.webhook(answers=[lambda handler: time.sleep(120)])
        with subprocess.Popen([tool.BIN / "rdmaready-hub", "notice-test", "--notices", self.write(self.entry(hook)), "--name", "hub-one"],
                              stdout=subprocess.PIPE, text=True) as tried:
            self.until(lambda: hook.requests)
            begun = self.clock.passed_s
            self.clock.until(lambda: tried.poll() is not None)
            said = tried.stdout.read()
        self.assertEqual(tried.returncode, 4, said)
        self.assertLess(self.clock.passed_s - begun, 35, "after 15 s, and long before it would have answered")


class ItsFile(WithReceivers):
    def wrong(self, text, mode=0o600):
        path = self.folder / "n.yaml"
        path.write_text(text)
        os.chmod(path, mode)
        ended = subprocess.run([tool.BIN / "rdmaready-hub", "--store", self.folder / "x.db", "--listen", "127.0.0.1:0", "--notices", path],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual((ended.returncode, len(ended.stderr.splitlines())), (2, 1), ended.stderr)
        return ended.stderr

    def test_that_others_read_or_write_is_refused(self):
        good = settings("name: a, webhook: 'https://example.org/HIDDEN'")
        for mode in (0o644, 0o660, 0o602):
            self.assertIn("n.yaml", self.wrong(good, mode))

    def test_what_is_wrong_is_named_and_never_repeated(self):
        for entry, words in (("name: a, webhook: 'http://example.org/HIDDEN'", "loopback"), ("name: a, webhook: 'ftp://example.org/HIDDEN'", "https"),
                             ("name: a, webhook: 'https://u:HIDDEN@example.org/'", "without a user"), ("name: a, webhook: [HIDDEN]", "wants text"),
                             ("name: a, webhook: 'https://example.org/', secret: HIDDEN", "from 16"), ("name: a, HIDDEN: x", "not known"),
                             ("name: a, syslog: 'udp:HIDDEN'", "is expected"), ("name: a, syslog: 'unix:/dev/log', sd_id: rdmaready", "ENTERPRISE"),
                             ("name: 'HID DEN', syslog: 'unix:/dev/log'", "name:"), ("name: a", "either webhook or syslog"),
                             ("name: a, webhook: 'https://example.org/', webhook: HIDDEN", "twice")):
            with self.subTest(entry):
                said = self.wrong(settings(entry))
                self.assertIn(words, said)
                self.assertNotIn("HIDDEN", said)
                self.assertNotIn("HID DEN", said)
        self.assertIn("allow_private", self.wrong(settings("name: a, syslog: 'unix:/dev/log'", more="allow_private: [10/8]\n")))
        self.assertIn("its name is taken", self.wrong(settings(*["name: a, syslog: 'unix:/dev/log'"] * 2)))


if __name__ == "__main__":
    unittest.main()
