# SPDX-License-Identifier: Apache-2.0
"""Files of a real share, moved by the kernel's own client: proven over RDMA, each thing that spoils it by its own name, TCP never
taken for RDMA, and nothing left behind."""
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import fabric
import tool
from eventually import eventually

CLIENT, SERVER = 1, 2
ADDRESS = f"10.0.0.{SERVER}"
SHARE = f"//{ADDRESS}/share"
PASSWORD = "secret"
LEFT_AT_CLIENT = "grep cifs /proc/mounts /proc/[0-9]*/mounts; grep ConnectionId /proc/fs/cifs/DebugData; :"
LEFT_AT_SERVER = "ls -A /run/fabric/roles/smb/data"
SHAPES = [f"share-{way}-{size}" for size in ("512k", "8k", "1k") for way in ("write", "read")]


class Share(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)
        folder = tempfile.TemporaryDirectory(prefix="rdmaready share ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.credentials = cls.credentials_file("good", PASSWORD)

    @classmethod
    def credentials_file(cls, name, password, mode=0o600):
        """Here and, by the same name, at the client."""
        path = cls.folder / name
        text = f"username=tester\npassword={password}\n"
        path.write_text(text)
        os.chmod(path, mode)
        there = shlex.quote(str(path))
        fabric.guest(CLIENT, f'mkdir -p "$(dirname {there})" && printf %s {shlex.quote(text)} > {there} && chmod {mode:o} {there}')
        return path

    def at_client(self, *words):
        """A command line of root's on the client itself: a password does not go over plain TCP, not even on loopback."""
        command = shlex.join(map(str, (tool.BIN / "rdmaready", *words)))
        out = fabric.guest(CLIENT, f"{command} 2> /run/share.err; status=$?; echo; echo $status")
        *lines, status = out.rstrip().split("\n")
        errors = fabric.guest(CLIENT, "cat /run/share.err")
        return tool.Answer(subprocess.CompletedProcess(words, int(status), "\n".join(lines), errors))

    def role(self, *words):
        fabric.launcher("role", SERVER, "smb", *words)

    def prove(self, share="share"):
        """By the client's agent, which has no rights, and its prover, which has credentials of root's."""
        return tool.rdmaready("probe", "smb", ADDRESS, "--from", self.hosts[CLIENT], "--prove", "--share", share, "--output", "json",
                              timeout=400)

    def prove_at_client(self, credentials):
        """By root's command line itself."""
        return self.at_client("probe", "smb", ADDRESS, "--prove", "--share", "share", "--credentials", credentials, "--output", "json")

    def trouble(self, answer):
        """Ids of what keeps the host from being ready."""
        return [f["id"] for f in answer.json["findings"] if f["blocking"] and f["outcome"] in ("fail", "unknown")]

    def of_outcome(self, answer, outcome):
        return [f["id"] for f in answer.json["findings"] if f["outcome"] == outcome]

    def finding(self, answer, name):
        return next(f for f in answer.json["findings"] if f["id"] == name)

    def assert_nothing_left(self):
        self.assertEqual(fabric.guest(CLIENT, LEFT_AT_CLIENT), "")
        self.assertEqual(fabric.guest(SERVER, LEFT_AT_SERVER), "")
        fabric.assert_device_is_free(CLIENT)

    def test_a_share_is_proven_over_rdma(self):
        self.role()
        answer = tool.rdmaready("check", self.hosts[CLIENT], "--profile", "virtual-fabric", "--level", "share", "--share", SHARE,
                                "--output", "json", timeout=400)
        self.assertEqual(answer.status, 0, answer)
        host = answer.json["hosts"][0]["host"]
        self.assertEqual(fabric.rungs(answer.json, host), {"host": "pass", "loopback": "pass", "server": "pass", "share": "pass"})
        found = fabric.finding(answer.json, host, "share.over-rdma")
        self.assertRegex(found["observed"], r"moved on an RDMA connection, no new TCP connection .*the port counted packets for all")
        self.assertNotIn(PASSWORD, answer.out + answer.err)
        self.assertEqual(fabric.guest(CLIENT, f"grep -r {PASSWORD} /run/rdmaready-agent.log /run/rdmaready-prover.log /var/lib/rdmaready; :"), "")
        self.assert_nothing_left()

        own = self.prove_at_client(self.credentials)
        self.assertEqual((own.status, self.finding(own, "share.over-rdma")["outcome"]), (0, "pass"), own)
        self.assertNotIn(PASSWORD, own.out + own.err)

        probe = self.prove()
        self.assertEqual(probe.status, 0, probe)
        transfers = {row["case"]: row for row in probe.json["transfers"]}
        self.assertEqual(list(transfers), SHAPES)
        for case, row in transfers.items():
            with self.subTest(case):
                self.assertGreater(row["bytes"], 0)
                self.assertEqual((row["bytes_wrong"], row["failure"]), (0, ""))
        # A client that signs copies all data: still RDMA, and said.
        flags = "/proc/fs/cifs/SecurityFlags"
        before = fabric.guest(CLIENT, f"cat {flags}").strip()
        must_sign = 0x01001
        try:
            fabric.guest(CLIENT, f"echo 0x{int(before, 16) | must_sign:x} > {flags}")
            signed = self.prove()
        finally:
            fabric.guest(CLIENT, f"echo {before} > {flags}")
        self.assertEqual(signed.status, 0, signed)
        self.assertIn("share.direct-placement", self.of_outcome(signed, "warn"))
        self.assertIn("signed", self.finding(signed, "share.direct-placement")["observed"])

    def test_who_may_not_is_told_why_and_tcp_is_not_rdma(self):
        self.role("--no-multichannel")
        wrong = self.prove_at_client(self.credentials_file("wrong", "guessed"))
        self.assertEqual(wrong.status, 1, wrong)
        self.assertIn("Permission denied", self.finding(wrong, "share.mount")["observed"])
        none = self.prove(share="other")
        self.assertIn("No such file", self.finding(none, "share.mount")["observed"])
        # By RDMA at once it works; who comes by TCP first is never told of RDMA.
        alone = self.prove()
        self.assertEqual(self.trouble(alone), [], alone)
        self.assertEqual(self.finding(alone, "server.multichannel")["outcome"], "warn")
        self.assertEqual(self.finding(alone, "share.over-rdma")["outcome"], "pass")

        self.role("--no-rdma")
        deaf = self.prove()
        self.assertEqual(deaf.status, 1, deaf)
        self.assertEqual(self.trouble(deaf)[0], "server.rdma-listener", deaf)
        self.assertIn("no RDMA listener", self.finding(deaf, "server.rdma-listener")["observed"])
        self.assertNotIn("share.over-rdma", self.of_outcome(deaf, "pass"))
        self.assertEqual(deaf.json["values"]["share-connection"], "tcp", "it was asked by TCP what it offers, and that proves nothing")
        self.assert_nothing_left()

    def test_a_client_that_gives_up_its_connection_does_not_keep_the_server(self):
        self.role()
        # The client drops the server's answers when they arrive. The server must not drop what it sends: rxe's queue pair of the connection manager
        # would end in error.
        lost = "add table inet lost\nadd chain inet lost in { type filter hook input priority 0; }\nadd rule inet lost in udp dport 4791 counter drop\n"
        fabric.guest(CLIENT, f"modprobe nf_tables && printf %s {shlex.quote(lost)} | nft -f -")
        try:
            given_up = tool.rdmaready("probe", "smb", ADDRESS, "--from", self.hosts[CLIENT], "--output", "json", timeout=400)
        finally:
            dropped = fabric.guest(CLIENT, "nft list table inet lost; nft delete table inet lost")
        self.assertRegex(dropped, "counter packets [1-9]", "the server answered")
        self.assertIn("no answer in time", self.finding(given_up, "server.rdma-listener")["observed"])
        eventually(lambda: fabric.guest(SERVER, "rdma resource show cm_id").splitlines(), lambda left: all("LISTEN" in one for one in left), every=0.2)
        self.role("--no-multichannel")
        self.assertEqual(self.trouble(self.prove()), [])

    def test_a_server_on_a_bridge(self):
        self.role("--bridge")
        answer = self.prove()
        self.assertEqual(answer.status, 1, answer)
        self.assertIn("TCP is answered there and RDMA is not", self.finding(answer, "server.rdma-listener")["observed"])
        announced = self.finding(answer, "share.announced")
        self.assertEqual(announced["outcome"], "warn")
        self.assertIn("bridge", fabric.what_to_do(announced))
        self.assert_nothing_left()

    def test_credentials_are_not_sent_in_plain_text_and_no_host_is_asked_before(self):
        """An agent's address that is not loopback: one that nobody has."""
        answer = tool.rdmaready("check", "192.0.2.1", "--insecure", "--level", "share", "--share", SHARE, "--credentials",
                                self.credentials)
        self.assertEqual(answer.status, 2, answer)
        self.assertIn("credentials are not sent in plain text", answer.err)

    def test_what_is_asked_for_wrongly_is_refused(self):
        readable = self.credentials_file("readable", PASSWORD, mode=0o644)
        for words, said in (((SHARE, readable), "chmod 600"), (("//x", self.credentials), "is no share"),
                            ((SHARE, self.folder / "none"), "No such file")):
            answer = tool.rdmaready("check", self.hosts[CLIENT], "--level", "share", "--share", words[0], "--credentials", words[1])
            with self.subTest(said):
                self.assertEqual(answer.status, 2, answer)
                self.assertIn(said, answer.err)


if __name__ == "__main__":
    unittest.main()
