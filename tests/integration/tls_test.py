# SPDX-License-Identifier: Apache-2.0
"""Mutual TLS: the right certificate is let in; none, a foreign one and an expired one are not, and both sides say why."""
import concurrent.futures
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest

import certificates
import tool
from eventually import eventually

REREAD_SECONDS = 5  # api/daemon/server_tls.cc


def greet(address, pair=None, tls13=True):
    """A caller that is not rdmaready's: the handshake, then the greeting of HTTP/2. What it gets back: bytes, or what went wrong."""
    host, port = address.rsplit(":", 1)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_3 if tls13 else ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["h2"])
    if pair:
        context.load_cert_chain(pair.cert, pair.key)
    try:
        with socket.create_connection((host, int(port)), timeout=10) as plain, context.wrap_socket(plain) as stream:
            stream.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
            return stream.recv(9)
    except OSError as error:
        return str(error)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready pki ")
        path = pathlib.Path(cls.directory.name)
        cls.path = path
        cls.ca = certificates.Authority(path, "site-ca")
        cls.foreign_ca = certificates.Authority(path, "foreign-ca")
        cls.server = cls.ca.sign("storage1", "DNS:localhost,IP:127.0.0.1")
        cls.nameless = cls.ca.sign("nameless", "DNS:storage1.example")
        cls.admin = cls.ca.sign("admin")
        cls.expired = cls.ca.sign("expired", "IP:127.0.0.1", days=-1)
        cls.foreign = cls.foreign_ca.sign("stranger", "IP:127.0.0.1")

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def agent(self, *more, server=None, ca=None, listen="127.0.0.1:0"):
        server = server or self.server
        return tool.Agent("--tls-cert", server.cert, "--tls-key", server.key, "--tls-ca", (ca or self.ca).cert, *more,
                          listen=listen)

    def ask(self, address, pair=None, ca=None, *more):
        own = ["--tls-cert", pair.cert, "--tls-key", pair.key] if pair else []
        return tool.rdmaready("facts", address, *own, *(["--tls-ca", (ca or self.ca).cert]), *more)

    def refused(self, answer, *words, status=4):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.out, "", answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        for word in words:
            self.assertIn(word, answer.err)


class ACaller(Tls):
    def test_with_a_certificate_of_the_ca_is_let_in(self):
        with self.agent() as agent:
            self.assertEqual(self.ask(agent.address, self.admin).status, 0)
            self.assertIn("tls=yes", agent.logged("listening"))
            check = tool.rdmaready("check", agent.address, "--tls-cert", self.admin.cert, "--tls-key", self.admin.key, "--tls-ca",
                                   self.ca.cert, "--output", "json")
            self.assertEqual(check.json["hosts"][0]["error"], "", check)
            # Who asked is named by the certificate, whatever the caller calls itself.
            self.assertRegex(agent.logged("check run_id"), r'origin="ipv4:127\.0\.0\.1:\d+ admin"')

    def test_by_name_and_over_ipv6(self):
        try:
            socket.getaddrinfo("localhost", None)
        except socket.gaierror:
            self.skipTest("this machine has no name for itself")  # a bare chroot has no /etc/hosts
        with self.agent(listen="localhost:0") as agent:
            port = agent.address.rsplit(":", 1)[1]
            self.assertEqual(self.ask(f"localhost:{port}", self.admin).status, 0)
        v6 = self.ca.sign("six", "IP:::1")
        with self.agent(server=v6, listen="[::1]:0") as agent:
            if agent.address is None:
                self.skipTest("no IPv6 here")
            self.assertEqual(self.ask(agent.address, self.admin).status, 0)

    def test_with_a_certificate_by_way_of_an_intermediate_ca_is_let_in(self):
        between = self.ca.intermediate("department-ca")
        pair = between.sign("clerk")
        alone = pair.cert.read_text()
        with self.agent() as agent:
            self.refused(self.ask(agent.address, pair), "refused our certificate CN=clerk")
            pair.cert.write_text(alone + between.cert.read_text())
            self.assertEqual(self.ask(agent.address, pair).status, 0)

    def test_without_a_certificate_is_not(self):
        with self.agent() as agent:
            self.refused(self.ask(agent.address), "the agent asked for a certificate and --tls-cert was not given")
            self.assertIn("the caller showed no certificate", agent.logged("tls-refused"))

    def test_with_a_foreign_certificate_is_not(self):
        with self.agent() as agent:
            self.refused(self.ask(agent.address, self.foreign), "the agent refused our certificate CN=stranger", "CN=foreign-ca")
            line = agent.logged("tls-refused")
            self.assertIn("CN=stranger", line)
            self.assertIn("not signed by a CA that is trusted here (issuer CN=foreign-ca)", line)

    def test_with_a_certificate_whose_ca_only_has_the_right_name_is_not(self):
        elsewhere = self.path / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        forged = certificates.Authority(elsewhere, "site-ca").sign("admin")
        with self.agent() as agent:
            self.refused(self.ask(agent.address, forged), "the agent refused our certificate CN=admin", "log says why")
            self.assertTrue(agent.logged("tls-refused"))

    def test_with_an_expired_certificate_is_not_even_if_it_does_not_look(self):
        # rdmaready would not show one (below); others might.
        with self.agent() as agent:
            for tls13 in (True, False):
                answer = greet(agent.address, self.expired, tls13)
                self.assertFalse(isinstance(answer, bytes) and answer, answer)
            self.assertRegex(agent.logged("tls-refused"), r"CN=expired.*expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC")
            self.assertTrue(isinstance(greet(agent.address, self.admin), bytes), "the same way is open to the right one")

    def test_with_a_certificate_for_servers_only_is_not(self):
        pair = self.ca.sign("webserver", usage="serverAuth")
        with self.agent() as agent:
            self.refused(self.ask(agent.address, pair), "refused our certificate CN=webserver")
            self.assertIn("extended key usage", agent.logged("tls-refused"))

    def test_in_plain_text_is_not_and_learns_what_is_missing(self):
        with self.agent() as agent:
            for more in ([], ["--insecure"]):
                self.refused(tool.rdmaready("facts", agent.address, *more), "wants TLS", "--tls-ca, --tls-cert and --tls-key")

    def test_is_told_in_json_too(self):
        with self.agent() as agent:
            answer = tool.rdmaready("check", agent.address, "--tls-ca", self.ca.cert, "--output", "json")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn("--tls-cert was not given", answer.json["hosts"][0]["error"])
            self.assertEqual(answer.err, "")

    def test_a_thousand_who_knock_do_not_fill_the_log(self):
        with self.agent() as agent:
            begun = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(lambda _: greet(agent.address), range(400)))
            time.sleep(1.1)
            greet(agent.address)
            took = time.monotonic() - begun
            self.assertTrue(agent.logged("not_shown_before="))
            lines = len([line for line in agent.log if "tls-refused" in line])
            self.assertLess(lines, 11 * (took + 2))  # ten in a second, and then how many more there were


class AnAgent(Tls):
    def test_of_a_foreign_ca_is_not_trusted(self):
        with self.agent(server=self.foreign) as agent:
            self.refused(self.ask(agent.address, self.admin), "the agent's certificate is not signed by a CA that is trusted here",
                         "CN=foreign-ca")

    def test_with_another_name_is_not_trusted_unless_that_is_expected(self):
        with self.agent(server=self.nameless) as agent:
            self.refused(self.ask(agent.address, self.admin), "is for storage1.example, not for 127.0.0.1", "--tls-name")
            self.assertEqual(self.ask(agent.address, self.admin, None, "--tls-name", "storage1.example").status, 0)
            self.refused(self.ask(agent.address, self.admin, None, "--tls-name", "storage2.example"), "not for storage2.example")

    def test_whose_certificate_expired_is_not_trusted_and_the_day_is_said(self):
        # An agent does not start with one (below), but it may outlive it: any TLS server will do here.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.expired.cert, self.expired.key)
        context.set_alpn_protocols(["h2"])
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                while True:
                    try:
                        context.wrap_socket(server.accept()[0], server_side=True).close()
                    except ssl.SSLError:
                        pass
                    except OSError:
                        return

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            answer = self.ask(f"127.0.0.1:{server.getsockname()[1]}", self.admin)
            self.assertRegex(answer.err, r"the agent's certificate expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC")
            self.refused(answer)
            server.shutdown(socket.SHUT_RDWR)
            thread.join(10)

    def test_that_speaks_plain_text_is_not_taken_for_one_that_speaks_tls(self):
        with tool.Agent() as agent:
            self.refused(self.ask(agent.address, self.admin), agent.address, "TLS")

    def test_needs_no_insecure_off_loopback_with_tls(self):
        with self.agent(listen="0.0.0.0:0") as agent:
            port = agent.address.rsplit(":", 1)[1]
            self.assertEqual(self.ask(f"127.0.0.1:{port}", self.admin).status, 0)
            self.assertFalse(any("insecure" in line for line in agent.log), agent.log)

    def test_says_nothing_in_plain_text_while_its_certificate_is_being_changed_and_then_shows_the_new_one(self):
        cert, key = self.path / "live.pem", self.path / "live.key"
        shutil.copy(self.server.cert, cert)
        shutil.copy(self.server.key, key)
        live = certificates.Pair(self.path, "live")
        fresh = self.ca.sign("renewed", "IP:127.0.0.1")
        with self.agent(server=live) as agent:
            self.assertEqual(self.ask(agent.address, self.admin).status, 0)
            shutil.copy(fresh.cert, cert)  # certificate and key do not match for a while
            self.assertTrue(agent.logged("Update handshaker factory failed", seconds=3 * REREAD_SECONDS))
            self.assertEqual(tool.rdmaready("facts", agent.address).status, 4)
            self.assertEqual(self.ask(agent.address, self.admin).status, 4)
            shutil.copy(fresh.key, key)
            eventually(lambda: self.ask(agent.address, self.admin).status == 0, seconds=3 * REREAD_SECONDS)
            shown = ssl.get_server_certificate(tuple(agent.address.split(":")))
            self.assertEqual(shown.strip(), fresh.cert.read_text().strip())

    def test_trusts_a_new_ca_without_a_restart(self):
        bundle = certificates.Pair(self.path, "bundle")
        shutil.copy(self.ca.cert, bundle.cert)
        with self.agent(ca=bundle) as agent:
            self.assertEqual(self.ask(agent.address, self.foreign).status, 4)
            bundle.cert.write_text(self.ca.cert.read_text() + self.foreign_ca.cert.read_text())
            self.assertEqual(self.ask(agent.address, self.foreign).status, 0)
            shutil.copy(self.foreign_ca.cert, bundle.cert)
            self.assertEqual(self.ask(agent.address, self.admin).status, 4, "and no longer trusts what was taken out")
            bundle.cert.unlink()
            self.assertEqual(self.ask(agent.address, self.foreign).status, 4, "nobody, when it cannot know whom")


class Files(Tls):
    """What is wrong with our own files is said before anybody is called: status 2, one line."""

    def bad(self):
        """What to give instead, and what is said of it. The keys are those of the options."""
        garbage = self.path / "garbage.pem"
        garbage.write_text("this is no certificate\n")
        broken = self.path / "broken.pem"
        broken.write_text(self.admin.cert.read_text().replace("M", "?", 3))
        encrypted = self.path / "encrypted.key"
        subprocess.run(["openssl", "ec", "-aes128", "-passout", "pass:x", "-in", self.admin.key, "-out", encrypted], check=True,
                       capture_output=True)
        absent = self.path / "absent.pem"
        yield {"cert": absent}, f"read {absent}: No such file or directory"
        yield {"key": absent}, f"read {absent}: No such file or directory"
        yield {"ca": absent}, f"read {absent}: No such file or directory"
        yield {"ca": self.path}, f"read {self.path}: not a regular file"
        yield {"cert": garbage}, f"--tls-cert {garbage}: no PEM certificate"
        yield {"cert": broken}, f"--tls-cert {broken}: a damaged certificate"
        yield {"key": garbage}, f"--tls-key {garbage}: no PEM private key"
        yield {"ca": garbage}, f"--tls-ca {garbage}: no PEM certificate"
        yield {"key": encrypted}, f"--tls-key {encrypted}: is encrypted"
        yield {"key": self.server.key}, f"--tls-key {self.server.key}: is not the key of --tls-cert {self.admin.cert}"
        yield {"cert": self.expired.cert, "key": self.expired.key}, f"--tls-cert {self.expired.cert}: expired on "
        yield {"key": ""}, "--tls-key"
        yield {"cert": ""}, "--tls-cert"
        yield {"ca": ""}, "--tls-ca"

    def arguments(self, change):
        files = {"cert": self.admin.cert, "key": self.admin.key, "ca": self.ca.cert, **change}
        return [word for name, path in files.items() if path for word in (f"--tls-{name}", path)]

    def test_of_the_command_line(self):
        for change, words in self.bad():
            with self.subTest(change):
                self.refused(tool.rdmaready("facts", "127.0.0.1:9", *self.arguments(change)), words, status=2)
        answer = tool.rdmaready("facts", "127.0.0.1:9", "--output", "json", *self.arguments({"ca": "/nowhere/ca"}))
        self.assertEqual((answer.status, answer.json["status"], answer.err), (2, 2, ""), answer)

    def test_of_the_agent(self):
        for change, words in self.bad():
            with self.subTest(change):
                with tool.Agent(*self.arguments(change)) as agent:
                    self.assertEqual(agent.process.wait(60), 2, agent.log)
                    agent.reader.join()
                    self.assertEqual(len(agent.log), 1, agent.log)
                    self.assertIn(words, agent.log[0])

    def test_that_make_no_sense_together(self):
        both = self.arguments({}) + ["--insecure"]
        self.refused(tool.rdmaready("facts", "127.0.0.1:9", *both), "--insecure and --tls-* exclude each other", status=2)
        self.refused(tool.rdmaready("facts", "127.0.0.1:9", "--tls-name", "a"), "--tls-ca", status=2)
        with tool.Agent(*both) as agent:
            self.assertEqual(agent.process.wait(60), 2, agent.log)


if __name__ == "__main__":
    unittest.main()
