# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear line each, and the contract's exit status."""
import socket
import tempfile
import unittest

import tool


def refused_address():
    """A loopback port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


class BadInput(unittest.TestCase):
    def one_line(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.out, "", answer)
        self.assertEqual(len(answer.err.strip().splitlines()), 1, answer)
        for word in words:
            self.assertIn(word, answer.err)

    def test_unknown_flag(self):
        self.one_line(tool.rdmaready("check", "--no-such-flag"), 2, "--no-such-flag")

    def test_unknown_command(self):
        self.one_line(tool.rdmaready("chekc"), 2, "chekc")

    def test_unresolvable_host(self):
        self.one_line(tool.rdmaready("facts", "no-such-host.invalid"), 4, "no-such-host.invalid")

    def test_refused_port(self):
        address = refused_address()
        self.one_line(tool.rdmaready("facts", address), 4, address, "refused")

    def test_malformed_host(self):
        self.one_line(tool.rdmaready("facts", "127.0.0.1:99999"), 2, "127.0.0.1:99999")

    def test_plain_text_off_loopback_needs_the_flag(self):
        self.one_line(tool.rdmaready("facts", "192.0.2.1"), 2, "--insecure")

    def test_profile_with_an_unknown_key(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="a profile ") as file:
            file.write("name: mine\nrdma_prioritie: 3\n")
            file.flush()
            self.one_line(tool.rdmaready("check", "--profile", file.name), 2, f"{file.name}:2", "rdma_prioritie")

    def test_profile_that_does_not_exist(self):
        self.one_line(tool.rdmaready("check", "--profile", "/nowhere/p.yaml"), 2, "/nowhere/p.yaml")
        self.one_line(tool.rdmaready("check", "--profile", "no-such-profile"), 2, "no-such-profile")

    def test_unknown_level(self):
        self.one_line(tool.rdmaready("check", "--level", "moon"), 2, "moon")

    def test_one_host_has_no_peer(self):
        self.one_line(tool.rdmaready("check", refused_address(), "--level", "peer"), 2, "peer")

    def test_unknown_check(self):
        self.one_line(tool.rdmaready("explain", "pfc.losless-priority"), 2, "pfc.lossless-priority")

    def test_unknown_case(self):
        self.one_line(tool.rdmaready("test", "loopback", refused_address(), "--case", "write-3g"), 2, "write-3g")

    def test_errors_are_objects_under_json(self):
        answer = tool.rdmaready("facts", refused_address(), "--output", "json")
        self.assertEqual(answer.status, 4, answer)
        self.assertIn("refused", str(answer.json))

    def test_a_check_names_each_host_that_does_not_answer(self):
        address = refused_address()
        answer = tool.rdmaready("check", address, "--output", "json")
        self.assertEqual(answer.status, 4, answer)
        self.assertEqual(answer.json["hosts"][0]["host"], address)
        self.assertIn("refused", answer.json["hosts"][0]["error"])
        self.assertEqual(answer.json["verdict"], "undetermined")


class Help(unittest.TestCase):
    def test_every_listed_id_is_explained(self):
        ids = tool.rdmaready("explain", "--list").out.split()
        self.assertIn("pfc.lossless-priority", ids)
        self.assertIn("peer.write-512k", ids)
        for check in ids:
            answer = tool.rdmaready("explain", check)
            self.assertEqual(answer.status, 0, answer)
            self.assertIn(check, answer.out)

    def test_cases_are_listed_one_a_line(self):
        answer = tool.rdmaready("test", "--list")
        self.assertEqual(answer.status, 0)
        self.assertEqual(answer.out.split(), answer.out.splitlines())
        self.assertIn("send-1k", answer.out.split())

    def test_version(self):
        self.assertRegex(tool.rdmaready("version").out, r"^rdmaready \d+\.\d+\.\d+\n$")

    def test_help_names_the_commands(self):
        answer = tool.rdmaready("--help")
        self.assertEqual(answer.status, 0)
        for command in ("check", "facts", "test", "explain", "version"):
            self.assertIn(command, answer.out)


if __name__ == "__main__":
    unittest.main()
