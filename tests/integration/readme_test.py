# SPDX-License-Identifier: Apache-2.0
"""The READMEs say what works: every command in them is run here, or, where it takes minutes, is held against its own help; every link
leads somewhere, and code stands in the tree as it is shown."""
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import certificates
import fixtures
import hubs
import tool
from eventually import eventually

READMES = ["README.md", "agent/README.md", "checks/README.md", "cli/README.md", "collectors/README.md", "hub/README.md",
           "packaging/profiles/README.md", "tests/README.md"]

# What takes minutes, or changes the tree: its options stand in its help. The file named runs it whole; tests/fresh a person does.
SCRIPTS = {
    "packaging/quickstart": "tests/integration/quickstart_test.py",
    "tests/run": ".ci/run",
    "tests/fresh": "tests/fresh",
    "tests/fixtures/record": "tests/integration/fixtures_test.py",
}
DAEMONS = ("rdmaready-agent", "rdmaready-hub")
PROGRAMS = ("rdmaready", *DAEMONS, "cmake", "ninja", "ctest", "git")

USAGE, UNREACHED = 2, 4
NODES = 6  # of a stress test: node1 and so on
APPLYING = ("apply", "confirm", "rollback", "forget")

# What stands in a README for something of the reader's own.
STAND_INS = {"fileserver": "127.0.0.1", "10.0.0.9": "127.0.0.1", "//fileserver/data": "//127.0.0.1/data", "0.0.0.0:7471": "127.0.0.1:0",
             "127.0.0.1:7471": "127.0.0.1:0", "35": "1", "/var/lib/rdmaready": "state", "--wait=2m": "--wait=1s"}


def blocks(path):
    """(language, text) of each part of a README: code blocks, and what stands between them as "prose"."""
    language, lines = "prose", []
    for line in (tool.ROOT / path).read_text().splitlines():
        if not line.lstrip().startswith("```"):
            lines.append(line)
            continue
        yield language, "\n".join(lines)
        language, lines = (line.lstrip()[3:] or "sh") if language == "prose" else "prose", []
    yield language, "\n".join(lines)


def commands(path):
    """The command lines in the unmarked and shell blocks of a README, and in `` in its prose, comments left out."""
    for language, text in blocks(path):
        if language == "prose":
            lines = [code for code in re.findall(r"`([^`\n]+)`", text) if " " in code and not re.search(r"\b[A-Z]{4,}\b|/ ", code)]
        else:
            lines = text.replace("\\\n", " ").splitlines() if language == "sh" else []
        for line in lines:
            command = re.split(r"\s+#\s|\s{4,}", line.strip())[0]
            for part in command.split(" && "):
                word = part.split(" ")[0]
                if "/" in word or word in PROGRAMS:
                    yield part


class AReadme(unittest.TestCase):
    def test_leads_somewhere_with_every_link(self):
        for path in READMES:
            text = "\n".join(text for language, text in blocks(path) if language == "prose")
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", text):
                with self.subTest(readme=path, target=target):
                    self.assertTrue((tool.ROOT / path).parent.joinpath(target).exists())


    def test_shows_code_that_stands_in_the_tree(self):
        tree = [without_blanks(path.read_text()) for folder in ("agent", "api", "checks", "cli", "collectors", "hub", "tests/unit")
                for path in (tool.ROOT / folder).rglob("*.cc")]
        shown = [(path, text) for path in READMES for language, text in blocks(path) if language == "cpp"]
        self.assertGreaterEqual(len(shown), 4)
        for path, text in shown:
            with self.subTest(readme=path, code=text):
                self.assertTrue(any(without_blanks(text) in file for file in tree))


def without_blanks(text):
    return re.sub(r"\s+", "", text)


class ACommand(unittest.TestCase):
    """Run on a machine that may have no RDMA: whatever it finds, the command was understood, and the host that it names was reached."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="a reader's ")
        cls.place = pathlib.Path(cls.directory.name)
        authority = certificates.Authority(cls.place, "ca")
        authority.sign("a", "IP:127.0.0.1")
        authority.sign("me", "DNS:me.example")
        roles = cls.place / "roles.yaml"
        roles.write_text("apply: ['DNS:me.example']\nstress: ['DNS:me.example']\n")
        roles.chmod(0o644)
        (cls.place / "my-fabric.yaml").write_text("extends: nvidia-lossless\nname: my-fabric\n")
        shutil.copytree(fixtures.HOSTS / "two-rails-sick" / "saved", cls.place / "known")
        (cls.place / "my-fabric-tests.yaml").write_text("tests: [{name: a, facts: known, profile: my-fabric.yaml, verdict: not-ready}]\n")
        (cls.place / "site.yaml").write_text('groups: [{hosts: ["*"], profiles: [{profile: my-fabric.yaml}]}]\n')
        (cls.place / "agent.yaml").write_text("listen: 127.0.0.1:0\nstate_dir: state\n")
        (cls.place / "hub.yaml").write_text("listen: 127.0.0.1:0\nstore: kept/fleet.db\n")
        (cls.place / ".smb").write_text("username=tester\npassword=secret\n")
        (cls.place / ".smb").chmod(0o600)
        tls = ["--tls-cert", cls.place / "a.pem", "--tls-key", cls.place / "a.key", "--tls-ca", cls.place / "ca.pem", "--roles", roles]
        cls.with_tls = [tool.Agent(*tls, "--allow-stress").__enter__() for _ in range(NODES)]
        cls.hub = hubs.Hub(cls.place).start()
        cls.plain = [tool.Agent("--hub", cls.hub.address).__enter__() for _ in range(2)]
        eventually(lambda: cls.hub.fleet("hosts", "--output", "json").json["hosts"])
        fleet = ", ".join(f'"{agent.address}"' for agent in cls.plain)
        (cls.place / "fleet.yaml").write_text(f"groups: {{storage: {{racks: {{r1: [{fleet}]}}}}}}\n")
        (cls.place / "hosts.txt").write_text("".join(f"{agent.address}\n" for agent in cls.with_tls[:2]))

    @classmethod
    def tearDownClass(cls):
        for agent in cls.with_tls + cls.plain:
            agent.__exit__()
        cls.hub.stop()
        cls.directory.cleanup()

    def words_of(self, command):
        # The examples of contexts call hosts by TLS.
        agents = self.with_tls if "--tls-ca" in command or "--context" in command else self.plain
        hosts = {"a": agents[0].address, "b": agents[1].address}
        if "--tls-ca" in command:  # elsewhere they are names of certificates
            hosts |= {f"node{number}": agent.address for number, agent in enumerate(agents, 1)}
        for word in shlex.split(command):
            yield {**hosts, **STAND_INS}.get(word, word.replace("~", str(self.place)))

    def run_daemon(self, words):
        process = subprocess.Popen(words, cwd=self.place, stderr=subprocess.PIPE, text=True, env=self.environment())
        try:
            for line in process.stderr:
                if "listening" in line:
                    break
        finally:
            process.terminate()
        process.stderr.read()
        process.stderr.close()
        return process.wait(60)

    def environment(self, words=()):
        contexts = {"RDMAREADY_CONFIG": str(self.place / "contexts.yaml")} if "context" in words[:1] or "--context" in words else {}
        return tool.environment({"HOME": str(self.place), "XDG_STATE_HOME": str(self.place / "home state"),
                                 "RDMAREADY_SOCKET": str(self.place / "agent.sock"), "RDMAREADY_HUB": self.hub.address, **contexts})

    def run_script(self, name, words):
        self.assertIn(name.split("/")[-1], (tool.ROOT / SCRIPTS[name]).read_text())
        told = subprocess.run([tool.ROOT / name, "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(told.returncode, 0, told)
        for word in words[:words.index("--")] if "--" in words else words:
            if word.startswith("-") or name == "tests/run":
                self.assertIn(word, told.stdout)

    def run_builder(self, name, words):
        """What a build would take minutes for: that there is such a target, test or option."""
        build = tool.BIN.parent
        if name == "ninja":
            targets = [word for word in words if word not in ("-C", "build")]
            subprocess.run(["ninja", "-C", build, "-t", "query", *targets], check=True, capture_output=True)
        elif name == "ctest":
            found = subprocess.run(["ctest", *(build if word == "build" else word for word in words), "-N"], check=True,
                                   capture_output=True, text=True)
            self.assertNotIn("Total Tests: 0", found.stdout)
        elif name == "cmake":
            known = (tool.ROOT / "CMakeLists.txt").read_text()
            for option in (word for word in words if word.startswith("-D")):
                self.assertIn(f"option({option[2:].split('=')[0]} ", known)
        else:
            self.assertTrue((tool.ROOT / words[-1]).exists())  # git diff PATH

    def run_tests(self, name, words):
        filters = [one for word in words if word.startswith("--gtest_filter=") for one in word.split("=")[1].split(":")]
        for one in filters or ["*"]:
            listed = subprocess.run([tool.BIN / name, f"--gtest_filter={one}", "--gtest_list_tests"], check=True, capture_output=True,
                                    text=True, timeout=60)
            self.assertIn("\n  ", listed.stdout, one)

    def run_product(self, name, words):
        if name in DAEMONS:
            # Its usual port may be another one's here.
            own = ["--listen", "127.0.0.1:0"] if name == "rdmaready-hub" and "--config" not in words else []
            self.assertEqual(self.run_daemon([tool.BIN / name, *words, *own]), 0)
            return
        words = [str(tool.ROOT / word) if word.startswith("tests/") else word for word in words]
        answer = tool.Answer(subprocess.run([tool.BIN / name, *words], cwd=self.place, capture_output=True, text=True,
                                            timeout=60, env=self.environment(words), stdin=subprocess.DEVNULL))
        if words[0] in APPLYING and "no applier" in answer.err:  # no agent here has one
            return
        self.assertNotIn(answer.status, (USAGE, UNREACHED), answer)
        self.assertGreaterEqual(answer.status, 0, answer)

    def test_in_a_readme_works(self):
        seen = 0
        for path in READMES:
            for command in commands(path):
                with self.subTest(readme=path, command=command):
                    seen += 1
                    program, *words = self.words_of(command)
                    name = pathlib.Path(program).name
                    if program in SCRIPTS:
                        self.run_script(program, words)
                    elif name.endswith("_test"):
                        self.run_tests(name, words)
                    elif name == "rdmaready" or name in DAEMONS:
                        self.run_product(name, words)
                    elif program.endswith(".py"):
                        self.assertIn(words[0], (tool.ROOT / program).read_text())
                    else:
                        self.assertIn(name, PROGRAMS, "a command that no test runs")
                        self.run_builder(name, words)
        self.assertGreater(seen, 60)


if __name__ == "__main__":
    unittest.main()
