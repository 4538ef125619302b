# SPDX-License-Identifier: Apache-2.0
"""Peer tests between agents with TLS: they sign what they tell each other, so that the caller who relays it can end a test and do nothing
else with it. The attacker is rdmaready-test-relay (tests/fabric/relay), which has a certificate that may start tests."""
import pathlib
import shlex
import subprocess
import time
import unittest

import fabric
import slices
import tool
from eventually import eventually
from state import RunDirectory

import certificates  # noqa: E402

AGENT = fabric.word(fabric.LAUNCHER.parent, "guest", "agent")
DOMAIN = "spiffe://fabric.example"
CHANGED = "signature is not over what was said"
NO_KEY = "has not the key of the certificate"
# Memory of any process: the name beside it is that of the thread that registered it, which gRPC gives; the kernel's own has no pid.
REGISTERED = "rdma resource show mr | grep ' pid '"


class TlsPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-tls"
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        fabric.launcher("up", "--hosts", 2, "--tls", "--deadline", 20, "--agent", tool.BIN / "rdmaready-agent", name=cls.name)
        status = fabric.launcher("status", name=cls.name).stdout
        cls.hosts = {int(line.split()[0]): line.split()[1] for line in status.splitlines()}
        cls.pki = pathlib.Path(RunDirectory(cls.name).pki())
        cls.tls = ["--tls-cert", cls.pki / "client.pem", "--tls-key", cls.pki / "client.key", "--tls-ca", cls.pki / "ca.pem"]

    def guest(self, number, script):
        return fabric.guest(number, script, name=self.name)

    def relay(self, attack):
        """What the initiator and the responder said in the end."""
        words = [tool.BIN / "rdmaready-test-relay", attack, *self.hosts.values(), self.pki / "client.pem", self.pki / "client.key", self.pki / "ca.pem"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
        return [line.split(": ", 1)[1] for line in done.stdout.splitlines()]

    def moved(self):
        """Packets that the RDMA device of the first guest sent."""
        return int(self.guest(1, "cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts"))

    def agent(self, *options):
        """The second guest's agent with other files, until the test is over."""
        self.addCleanup(self.guest, 2, f"{AGENT} restart")
        self.guest(2, f"{AGENT} stop; . /run/fabric/conf; mkdir -p /tmp/state; "
                      f"setsid \"$agent\" --listen 0.0.0.0:7471 --state-dir /tmp/state {shlex.join(map(str, options))} > /tmp/agent.log 2>&1 < /dev/null & "
                      "echo $! > /run/rdmaready-agent.pid; for i in $(seq 600); do grep -q listening /tmp/agent.log && exit; sleep 0.1; done; "
                      "cat /tmp/agent.log; exit 1")

    def test_two_agents_move_verified_bytes(self):
        for more in (["--case", "write-8k"], ["--case", "read-8k"], ["--case", "send-1k"], ["--case", "smbd-8k"],
                     ["--case", "write-8k", "--qps", "2", "--bidirectional"]):
            answer = tool.rdmaready("test", "peer", *self.hosts.values(), *self.tls, *more, "--output", "json")
            self.assertEqual(answer.status, 0, answer)
            for result in answer.json["results"]:
                self.assertEqual((result["failure"], result["bytes_wrong"]), ("", 0), result)
                self.assertGreater(result["messages"], 0)

    def test_they_climb_to_peer_in_a_check(self):
        answer = tool.rdmaready("check", *self.hosts.values(), *self.tls, "--profile", "virtual-fabric", "--level", "peer", "--output", "json",
                                timeout=600)
        self.assertEqual(answer.status, 0, answer)

    def test_a_relay_that_only_relays_passes(self):
        before = self.moved()
        self.assertEqual(self.relay("none"), ["passed", "passed"])
        self.assertGreater(self.moved() - before, 200, "packets, of some thousand where the guests have processors")

    def test_a_relay_cannot_change_an_offer_or_the_memory_in_it(self):
        for attack in ("address", "port", "case", "lane", "rkey", "memory", "length"):
            with self.subTest(attack):
                before = self.moved()
                initiator, responder = self.relay(attack)
                self.assertIn(CHANGED, initiator)
                self.assertNotEqual(responder, "passed")
                # No more than what it takes to connect.
                self.assertLess(self.moved() - before, 60)
                held = self.guest(2, f"for i in $(seq 600); do {REGISTERED} > /dev/null || exit 0; sleep 0.1; done; {REGISTERED}")
                self.assertEqual(held, "")

    def test_a_relay_cannot_leave_out_repeat_or_turn_back(self):
        self.assertIn("not to be believed", self.relay("twice")[0])
        self.assertIn("one is not signed", self.relay("bare")[0])
        self.assertIn(NO_KEY, self.relay("reorder")[0])
        for attack in ("mirror", "responders", "key"):
            # Who sees it first says so and hangs up; the other may see only that.
            said = self.relay(attack)
            self.assertTrue(any(NO_KEY in one for one in said), said)
            for one in said:
                self.assertRegex(one, f"{NO_KEY}|the control channel to the peer was closed")

    def identity(self, name, names, days=10, authority=None):
        """Files of a certificate, as options of an agent, in a place that the guest sees."""
        ca = authority
        if ca is None:
            ca = certificates.Authority.__new__(certificates.Authority)
            ca.cert, ca.key, ca.directory = self.pki / "ca.pem", self.pki / "ca.key", self.pki
        pair = ca.sign(name, names, days)
        for file in (pair.cert, pair.key):
            text = file.read_text()
            self.guest(2, f"cat > /tmp/{file.name} << 'END'\n{text}END\n")
        return ["--tls-cert", f"/tmp/{pair.cert.name}", "--tls-key", f"/tmp/{pair.key.name}", "--tls-ca", self.pki / "ca.pem", "--roles",
                self.pki / "roles.yaml"]

    def refused(self, words):
        before = self.moved()
        answer = tool.rdmaready("test", "peer", *self.hosts.values(), *self.tls, "--case", "write-8k")
        self.assertNotEqual(answer.status, 0, answer)
        self.assertIn(words, answer.out + answer.err)
        self.assertLess(self.moved() - before, 20)
        self.assertIn("peer-refused", self.guest(1, "grep peer-refused /run/rdmaready-agent.log | tail -n 1"))

    def test_a_certificate_of_another_role_offers_nothing(self):
        self.agent(*self.identity("mallory", f"IP:127.0.0.1,URI:{DOMAIN}/user/mallory"))
        self.refused("has not the role agent")


class PlainPeer(unittest.TestCase):
    """Without TLS an offer is only as good as the address in it."""

    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def test_an_offer_of_an_address_elsewhere_is_refused_and_the_setting_named(self):
        done = subprocess.run([tool.BIN / "rdmaready-test-relay", "address", *self.hosts.values()], capture_output=True, text=True, timeout=120,
                              check=True)
        initiator = done.stdout.splitlines()[0]
        self.assertIn("192.168.77.1, which is in no subnet of this host's RDMA ports", initiator)
        self.assertIn("--peers SUBNET", initiator)

    def test_memory_is_gone_at_once_when_a_test_is_cancelled(self):
        process = tool.start("test", "peer", *self.hosts.values(), "--case", "write-512k", "--duration", "20s")
        try:
            registered = lambda: fabric.guest(2, f"{REGISTERED}; :")
            eventually(registered, why=lambda: "the test never began")
            # From here on the initiator's agent says nothing more, and holds the connection.
            fabric.guest(1, "kill -STOP $(cat /run/rdmaready-agent.pid)")
            process.terminate()
            asked = time.monotonic()
            eventually(registered, lambda memory: not memory, seconds=12, why=lambda: "memory that can be written from elsewhere")
            print(f"memory gone after {time.monotonic() - asked:.2f} s")
        finally:
            fabric.guest(1, "kill -CONT $(cat /run/rdmaready-agent.pid)")
            process.kill()
            process.communicate()


load_tests = slices.tests("tls_peer", 3)

if __name__ == "__main__":
    unittest.main()
