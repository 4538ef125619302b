# SPDX-License-Identifier: Apache-2.0
"""What `rdmaready env` prints is read by a shell: of recorded hosts, of their agents, and of hosts whose names are commands."""
import contextlib
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest

import fixtures
import recorded
import tool

CONSUMERS = ["nccl", "rccl", "ucx", "mori", "spdk", "smb", "nvme", "nfs"]
WELL = fixtures.HOSTS / "two-rails-healthy" / "saved" / "storage1"
SICK = fixtures.HOSTS / "two-rails-sick" / "saved" / "storage2"
PLAIN = re.compile(r"[A-Za-z0-9_.:,/=+-]*")
STRANGE = "a$(id)"


def env(*arguments, **options):
    return tool.rdmaready("env", *arguments, **options)


def of_saved(folder, consumer, *arguments, profile="virtual-fabric", **options):
    return env("--facts", folder, "--for", consumer, "--profile", profile, *arguments, **options)


def in_a_shell(text):
    """The variables that a POSIX shell has after it has read the text, those of its caller left out."""
    done = subprocess.run(["env", "-i", "/bin/sh", "-c", 'eval "$1"; /usr/bin/env', "sh", text], capture_output=True, text=True, timeout=60,
                          check=True)
    values = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return {name: value for name, value in values.items() if name not in ("PWD", "_", "SHLVL", "OLDPWD")}


def of_described(folder, name):
    """A recording of a described host, and its profile."""
    description = name if isinstance(name, pathlib.Path) else fixtures.HOSTS / name / "host.yaml"
    fixtures.make_host(description, folder)
    saved, = pathlib.Path(folder).iterdir()
    return saved, re.search(r"^profile: (\S+)$", description.read_text(), re.M)[1]


@contextlib.contextmanager
def local_socket(folder, address):
    """A socket of this host, by which the agent at that address is reached."""
    host, port = address.rsplit(":", 1)
    place = pathlib.Path(folder) / "agent.sock"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(place))
    server.listen()
    ends = [server]

    def forward(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def serve():
        with contextlib.suppress(OSError):
            while True:
                near, far = server.accept()[0], socket.create_connection((host, int(port)))
                ends.extend((near, far))
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=forward, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield str(place)
    finally:
        for end in ends:
            end.close()


class AHost(unittest.TestCase):
    def test_that_is_well_has_the_same_values_in_a_shell_and_as_json(self):
        with tempfile.TemporaryDirectory(prefix="env ") as folder:
            saved, profile = of_described(folder, "mlx5-lossless")
            for consumer in CONSUMERS:
                with self.subTest(consumer=consumer):
                    text = of_saved(saved, consumer, profile=profile)
                    self.assertEqual((text.status, text.err), (0, ""), text)
                    document = of_saved(saved, consumer, "--output", "json", profile=profile).json
                    values = {one["name"]: one["value"] for one in document["variables"]}
                    self.assertEqual(in_a_shell(text.out), values)
                    self.assertEqual(document["consumer"], consumer)
                    for one in document["variables"]:
                        self.assertTrue(PLAIN.fullmatch(one["value"]) and one["value"] and one["why"], one)

    def test_that_is_well_names_both_rails_to_nccl(self):
        values = in_a_shell(of_saved(WELL, "nccl").out)
        self.assertEqual(values["NCCL_IB_HCA"], "=rxe0:1,rxe1:1")
        self.assertEqual(values["NCCL_IB_TC"], "106")
        one = in_a_shell(of_saved(WELL, "nccl", "--port", "rxe1").out)
        self.assertEqual(one["NCCL_IB_HCA"], "=rxe1:1")

    def test_says_the_same_by_its_agent(self):
        with tempfile.TemporaryDirectory(prefix="env ") as folder, tempfile.TemporaryDirectory(prefix="env ") as programs:
            saved, profile = of_described(folder, "mlx5-lossless")
            with recorded.agent(programs, saved, profile=profile) as agent:
                for consumer in CONSUMERS:
                    live = env(agent.address, "--for", consumer)
                    self.assertEqual(live.status, 0, live)
                    self.assertEqual(in_a_shell(live.out), in_a_shell(of_saved(saved, consumer, profile=profile).out))

    def test_that_is_not_ready_prints_nothing_and_says_why(self):
        for consumer in ("nccl", "rccl", "ucx", "mori", "spdk"):
            answer = of_saved(SICK, consumer, "--port", "rxe1")
            self.assertEqual((answer.status, answer.out), (1, ""), answer)
            self.assertEqual(len(answer.err.splitlines()), 1, answer)
            self.assertRegex(answer.err, rf"not ready for {consumer}: .*\w+\.[\w-]+: ")
        answer = of_saved(SICK, "nccl", "--port", "rxe1", "--output", "json")
        self.assertEqual((answer.status, answer.json["status"]), (1, 1))

    def test_without_an_answer_of_its_kernel_is_not_known_to_be_ready(self):
        """The recording is older than the question that shows which RDMA core runs."""
        answer = of_saved(WELL, "nfs")
        self.assertEqual((answer.status, answer.out), (3, ""), answer)

    def test_without_rdma_has_no_values(self):
        saved, = (fixtures.HOSTS / "no-rdma" / "saved").iterdir()
        answer = of_saved(saved, "nccl")
        self.assertEqual((answer.status, answer.out), (1, ""), answer)

    def test_that_cannot_be_reached_or_named_is_refused(self):
        for arguments, status in ((["127.0.0.1:1", "--for", "nccl"], 4), (["--for", "ncl"], 2), ([], 2), (["a", "b", "--for", "nccl"], 2),
                                  (["a", "--facts", WELL, "--for", "nccl"], 2),
                                  (["--facts", "/nowhere", "--for", "nccl"], 2),
                                  (["--facts", WELL, "--for", "nccl", "--port", "mlx5_9", "--profile", "virtual-fabric"], 2)):
            answer = env(*arguments)
            self.assertEqual((answer.status, answer.out), (status, ""), answer)
        self.assertIn("did you mean nccl", env("--for", "ncl").err)


class AName(unittest.TestCase):
    """That a shell would run, of each thing that gets into a value."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="strange ")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.described = (fixtures.HOSTS / "mlx5-lossless" / "host.yaml").read_text()

    def saved(self, number, *changes):
        text = self.described
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        description = pathlib.Path(self.folder.name) / f"{number}.yaml"
        description.write_text(text)
        fixtures.make_host(description, pathlib.Path(self.folder.name) / str(number))
        folder, = (pathlib.Path(self.folder.name) / str(number)).iterdir()
        return folder

    def assert_nothing_printed(self, answer):
        self.assertEqual((answer.status, answer.out), (3, ""), answer)
        self.assertIn("shell", answer.err)

    def test_of_a_device_or_an_interface_ends_with_3_and_nothing_printed(self):
        route = ("routes:", f"routes:\n  - {{to: 0.0.0.0/0, netdev: '{STRANGE}', via: 192.0.2.1}}")
        changes = [[("name: mlx5_0", f"name: '{STRANGE}'")], [("ens1f0np0", f"'{STRANGE}'")]]
        if "routes:" in self.described:
            changes.append([route])
        for number, change in enumerate(changes):
            saved = self.saved(number, *change)
            for consumer in ("nccl", "ucx", "mori", "spdk", "nvme", "nfs"):
                with self.subTest(change=change, consumer=consumer):
                    answer = of_saved(saved, consumer, profile="nvidia-lossless")
                    if answer.status == 1:  # it says what else is wrong with a host of that name
                        self.assertEqual(answer.out, "", answer)
                        continue
                    self.assert_nothing_printed(answer)

    def test_of_a_lying_agent_is_not_printed_either(self):
        saved = self.saved("lying", ("name: mlx5_0", f"name: '{STRANGE}'"))
        with tempfile.TemporaryDirectory(prefix="env ") as folder, recorded.agent(folder, saved, profile="nvidia-lossless") as agent:
            self.assert_nothing_printed(env(agent.address, "--for", "nccl"))
            document = env(agent.address, "--for", "nccl", "--output", "json")
            self.assertEqual((document.status, document.json["status"]), (3, 3), document)


class KnownHardware(unittest.TestCase):
    def values(self, name):
        with tempfile.TemporaryDirectory(prefix="made ") as folder:
            saved, profile = of_described(folder, fixtures.FIXTURES / "corpus" / name / "host.yaml")
            answer = of_saved(saved, "nccl", profile=profile)
            self.assertEqual(answer.status, 0, answer)
            return in_a_shell(answer.out), answer.out

    def test_names_no_port_that_manages_nvswitches(self):
        values, text = self.values("nvswitch-bridge-beside-the-rails")
        self.assertEqual(values["NCCL_IB_HCA"], "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1")
        self.assertIn("left out: mlx5_8/1", text)

    def test_names_no_plane_of_a_port(self):
        for name in ("xdr-planes-beside-the-port", "xdr-twelve-planes-without-their-type"):
            values, _ = self.values(name)
            self.assertEqual(values["NCCL_IB_HCA"], "=mlx5_0:1,mlx5_1:1,mlx5_2:1,mlx5_3:1")


class ThisHost(unittest.TestCase):
    def test_says_which_variables_of_the_callers_own_differ(self):
        with tempfile.TemporaryDirectory(prefix="env ") as folder, recorded.agent(folder, WELL) as agent, \
                local_socket(folder, agent.address) as place:
            own = {"RDMAREADY_SOCKET": place, "NCCL_IB_HCA": "mlx5_9", "NCCL_IB_TC": "106", "NCCL_IB_DISABLE": "1"}
            answer = env("--for", "nccl", env=own)
            self.assertEqual(answer.status, 0, answer)
            self.assertIn("NCCL_IB_HCA is 'mlx5_9' in this environment", answer.err)
            self.assertIn("NCCL_IB_DISABLE", answer.err)
            self.assertNotIn("NCCL_IB_TC", answer.err)
            notes = env("--for", "nccl", "--output", "json", env=own)
            self.assertEqual(notes.err, "")
            self.assertTrue(any("mlx5_9" in note for note in notes.json["notes"]), notes)
            remote = env(agent.address, "--for", "nccl", env=own)
            self.assertEqual(remote.err, "")


if __name__ == "__main__":
    unittest.main()
