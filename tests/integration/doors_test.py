# SPDX-License-Identifier: Apache-2.0
"""Doors that are shut by default: the agent with the settings, users, groups and sockets of its package, in namespaces of its own. A user in no
group, a process that has only the host's network, and a host that relied on a listener that nobody configured."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import tool
from eventually import eventually

ACTIVATE = pathlib.Path(tool.__file__).with_name("activate.py")
# The package's users, groups, directories and settings, below file systems that end with the namespace. The user anna may look.
HOST = """
set -e
ip link set lo up
mkdir "$1/etc.of.here"
cp -a /etc/. "$1/etc.of.here/"
mount -t tmpfs none /etc
cp -a "$1/etc.of.here/." /etc/
printf '127.0.0.1 localhost\\n' > /etc/hosts
printf 'hosts: files\\npasswd: files\\ngroup: files\\n' > /etc/nsswitch.conf
for place in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 none "$place"; done
for group in rdmaready-observe rdmaready-test; do getent group $group > /dev/null || groupadd --system $group; done
getent passwd rdmaready > /dev/null || useradd --system --no-create-home --shell /usr/sbin/nologin --user-group rdmaready
getent passwd anna > /dev/null || useradd --no-create-home --groups rdmaready-observe anna 2> /dev/null
mkdir -p /etc/rdmaready /run/rdmaready/helpers /var/lib/rdmaready /var/log/rdmaready
install -d -m 3770 -g rdmaready /run/rdmaready/locks
install -m 644 "$2" /etc/rdmaready/agent.yaml
install -m 600 -o rdmaready /dev/null /var/log/rdmaready/audit.log
chown rdmaready: /var/lib/rdmaready
echo ready
exec sleep 600
"""
# The host's network and nothing of its files in /run: a container.
NETWORK_ONLY = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && exec "$@"', "sh"]
REFUSED = "/run/rdmaready/observe.sock is for the group rdmaready-observe, /run/rdmaready/test.sock is for the group rdmaready-test"
# Each that is about this host where no host is named; WHERE is a place of the caller's own.
COMMANDS = ("check", "check --level loopback", "check --output json", "facts", "facts --save WHERE/saved", "history", "plan", "env --for nccl",
            "test loopback", "probe smb 127.0.0.1", "bundle --out WHERE/case.tar.gz", "status", "apply --yes", "confirm", "rollback", "forget --list")


@unittest.skipUnless(os.geteuid() == 0, "takes root: it mounts, and is several users")
class Doors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = tool.bin_for_everybody(cls.addClassCleanup, "rdmaready", "rdmaready-agent", "rdmaready-ask")
        folder = tempfile.TemporaryDirectory(prefix="rdmaready doors ", dir="/tmp")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        cls.place.chmod(0o755)
        shutil.copy(ACTIVATE, cls.place)
        cls.settings = (tool.ROOT / "packaging" / "config" / "agent.yaml").read_text()
        cls.host = subprocess.Popen(["unshare", "--mount", "--net", "sh", "-c", HOST, "sh", cls.place, tool.ROOT / "packaging/config/agent.yaml"],
                                    stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.host.stdout.close)
        cls.addClassCleanup(cls.host.wait)
        cls.addClassCleanup(cls.host.kill)
        if cls.host.stdout.readline() != "ready\n":
            raise AssertionError("the namespace was not made")

    def setUp(self):
        self.home = self.place / "home"
        self.home.mkdir()
        self.home.chmod(0o777)
        self.addCleanup(shutil.rmtree, self.home)
        self.inside("sh", "-c", "rm -f /run/rdmaready/*.sock /run/rdmaready/agent.lock")

    def environment(self, **more):
        return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.home), "NO_COLOR": "1", "RDMAREADY_CONFIG": tool.NO_CONTEXTS, **more}

    def enter(self, *spaces):
        return ["nsenter", f"--target={self.host.pid}", *spaces, "--"]

    def inside(self, *words, check=True, under=("--mount", "--net"), **environment):
        done = subprocess.run([*self.enter(*under), *map(str, words)], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env=self.environment(**environment))
        if check:
            self.assertEqual(done.returncode, 0, done)
        return tool.Answer(done)

    def as_user(self, user, command, **environment):
        words = [word.replace("WHERE", str(self.home)) for word in command.split()]
        become = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}" if user != "nobody" else "--regid=nogroup", "--init-groups"]
        return self.inside(*become, self.programs / "rdmaready", *words, check=False, **environment)

    def over_the_network(self, command):
        return self.inside(*NETWORK_ONLY, self.programs / "rdmaready", *command.split(), check=False, under=("--net",))

    def started(self, words, log):
        with open(log, "w", encoding="utf-8") as kept:
            process = subprocess.Popen(words, stderr=kept, stdin=subprocess.DEVNULL, env=self.environment())
        self.addCleanup(lambda: process.poll() is not None or (process.kill(), process.wait()))
        eventually(log.read_text, lambda text: "listening" in text or process.poll() is not None, seconds=60)
        self.assertIsNone(process.poll(), log.read_text())
        return process

    @contextlib.contextmanager
    def agent(self, *lines):
        """As its units start it, with these lines at the end of the package's agent.yaml."""
        (self.place / "agent.yaml").write_text(self.settings + "".join(f"{line}\n" for line in lines))
        self.inside("install", "-m", "644", self.place / "agent.yaml", "/etc/rdmaready/agent.yaml")
        ids = self.inside("sh", "-c", "id -u rdmaready; getent group rdmaready-observe rdmaready-test | cut -d: -f3").out.split()
        process = self.started([*self.enter("--mount", "--net"), sys.executable, self.place / "activate.py", "/run/rdmaready", ids[0],
                                f"observe:{ids[1]}:660", f"test:{ids[2]}:660", "prove:0:600", "apply:0:600", "--", self.programs / "rdmaready-agent",
                                "--config", "/etc/rdmaready/agent.yaml"], self.place / "agent.log")
        try:
            yield
        finally:
            process.terminate()
            process.wait(60)
            self.inside("sh", "-c", "rm -f /run/rdmaready/*.sock")

    def own_agent(self):
        """Root's, which makes its sockets by itself."""
        return self.started([*self.enter("--mount", "--net"), self.programs / "rdmaready-agent", "--state-dir", "/var/lib/of-root"], self.place / "own.log")

    def shows_nothing(self, answer):
        self.assertEqual(answer.status, 4, answer)
        self.assertNotIn(os.uname().release, answer.out + answer.err)
        self.assertNotRegex(answer.out, "READY: |\"findings\": \\[\\s*\\{")
        self.assertEqual([str(path) for path in self.home.rglob("*.db")], [], "no agent of its own, which has a store")


class ALocalUser(Doors):
    def test_in_no_group_gets_no_facts_and_no_test_and_learns_of_the_groups(self):
        with self.agent():
            for command in COMMANDS:
                with self.subTest(command):
                    answer = self.as_user("nobody", command)
                    self.shows_nothing(answer)
                    self.assertIn(REFUSED, answer.out + answer.err)
                    self.assertIn("usermod -aG rdmaready-observe nobody", answer.out + answer.err)
            answer = self.as_user("nobody", "facts unix:/run/rdmaready/test.sock")
            self.shows_nothing(answer)
            self.assertIn("Join the group rdmaready-test", answer.err)

    def test_of_a_group_has_its_role_and_root_has_all(self):
        with self.agent():
            self.assertIn(self.as_user("anna", "check").status, (0, 1, 3))
            answer = self.as_user("anna", "test loopback")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn("needs the role test", answer.err)
            self.assertNotEqual(self.as_user("root", "test loopback").status, 4)

    def test_judges_a_host_without_an_agent_with_its_own_rights(self):
        self.assertIn(self.as_user("nobody", "check").status, (0, 1, 3))
        self.assertEqual(self.as_user("nobody", "facts").status, 0)

    def test_hears_that_the_agent_ended_and_how_to_start_it(self):
        agent = self.own_agent()
        self.assertIn(self.as_user("root", "check").status, (0, 1, 3))
        agent.send_signal(signal.SIGKILL)
        agent.wait(60)
        for user, socket in (("root", "apply"), ("anna", "observe")):
            answer = self.as_user(user, "check")
            self.shows_nothing(answer)
            self.assertIn(f"no process listens on /run/rdmaready/{socket}.sock: the agent of this host ended", answer.out + answer.err)
            self.assertIn("systemctl restart rdmaready-agent", answer.out + answer.err)
        self.assertIn(REFUSED, self.as_user("nobody", "check").out + self.as_user("nobody", "facts").err, "the groups do not end with the agent")
        self.assertIn(self.as_user("root", "check", RDMAREADY_SOCKET="none").status, (0, 1, 3), "by its own rights, because the caller said so")
        self.own_agent()
        self.assertEqual(self.as_user("root", "facts").status, 0, "the file that was left is replaced")


class AProcessWithTheHostsNetworkOnly(Doors):
    def test_finds_no_listener_gets_no_facts_and_no_test(self):
        with self.agent():
            listening = self.inside("cat", "/proc/net/tcp", "/proc/net/tcp6").out
            self.assertNotRegex(listening, r"(?m)^ *\d+: [0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:0000 0A ")
            for command in ("check localhost", "check 127.0.0.1 --level loopback", "facts 127.0.0.1", "history localhost", "test loopback 127.0.0.1"):
                with self.subTest(command):
                    answer = self.over_the_network(command)
                    self.shows_nothing(answer)
                    self.assertIn("`listen: 127.0.0.1:7471`", answer.out + answer.err)
            asked = self.inside(*NETWORK_ONLY, self.programs / "rdmaready-ask", "127.0.0.1:7471", check=False, under=("--net",)).out
            self.assertGreater(len(asked.splitlines()), 10)
            self.assertEqual({line.split("\t")[1] for line in asked.splitlines()}, {"14"}, "unavailable")

    def test_may_look_and_no_more_where_a_listener_was_configured(self):
        with self.agent("listen: 127.0.0.1:7471"):
            self.assertEqual(self.over_the_network("facts 127.0.0.1").status, 0)
            answer = self.over_the_network("test loopback 127.0.0.1")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn("needs the role test, and address 127.0.0.1 by plain TCP has the role observe", answer.err)


class AHostThatReliedOnTheListener(Doors):
    """Its agent.yaml is the package's, as it was before; what the command says is what is written, each time."""

    def test_reads_what_to_write_and_works_then(self):
        with self.agent():
            answer = self.as_user("root", "check localhost")
            self.assertEqual(answer.status, 4, answer)
            text = answer.out + answer.err
            listen, role = re.search(r"`(listen: \S+)`", text).group(1), re.search(r"`(plain_role: \w+)`", text).group(1)
            self.assertIn("unix:/run/rdmaready/test.sock", text)
            self.assertIn("/etc/rdmaready/agent.yaml, then type: systemctl restart rdmaready-agent", text)
            # The same host by its socket, as the sentence says.
            self.assertEqual(self.as_user("root", "facts").status, 0)
            self.assertEqual(self.as_user("root", "facts unix:/run/rdmaready/test.sock").status, 0)
        with self.agent(listen):
            self.assertIn(self.as_user("nobody", "check localhost").status, (0, 1, 3))
            answer = self.as_user("nobody", "test loopback localhost")
            self.assertEqual(answer.status, 4, answer)
            self.assertIn(f"`{role}` in its agent.yaml", answer.err)
        with self.agent(listen, role):
            self.assertNotEqual(self.as_user("nobody", "test loopback localhost").status, 4)


if __name__ == "__main__":
    unittest.main()
