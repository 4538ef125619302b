# SPDX-License-Identifier: Apache-2.0
"""The prover of a guest: it proves what root's file names and nothing else, whoever asks and whatever he says; without it, or
without its right, a proof is unknown and says who could; and whoever of the two is killed, nothing stays behind."""
import json
import unittest

import fabric
import slices
import tool
from eventually import eventually

CLIENT, SERVER = 1, 2
ADDRESS = f"10.0.0.{SERVER}"
NQN = f"nqn.2026-01.test.rdmaready:guest{SERVER}"
PROVER = fabric.word(fabric.LAUNCHER.parent, "guest", "prover")
FILE, SOCKET, LOG = "/run/fabric/proofs.yaml", "/run/rdmaready/helpers/prover.sock", "/run/rdmaready-prover.log"
KILLED = "/run/killed-in-a-proof"

# Asks as whoever runs it. What a taken-over agent can send: any frame.
ASK = """
import json, socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[1])
body = json.dumps(json.loads(sys.argv[2])).encode()
try: s.sendall(struct.pack('>I', len(body)) + body)
except BrokenPipeError: pass  # refused without a look at the question
while True:
    head = s.recv(4, socket.MSG_WAITALL)
    if len(head) < 4: break
    text = s.recv(struct.unpack('>I', head)[0], socket.MSG_WAITALL).decode()
    if 'progress' not in json.loads(text): print(text); break
"""


class Prover(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)
        fabric.guest(CLIENT, f"cat > /run/ask.py <<'END'\n{ASK}\nEND\nmodprobe -a nvme-rdma")

    def setUp(self):
        self.prover("as-usual", self.agents_user())

    def prover(self, *words):
        fabric.guest(CLIENT, f"{PROVER} {' '.join(words)}")

    def agents_user(self):
        return fabric.guest(CLIENT, "stat -c %U /proc/$(cat /run/rdmaready-agent.pid)").strip()

    def probe(self, protocol, *words):
        answer = tool.rdmaready("probe", protocol, ADDRESS, "--from", self.hosts[CLIENT], "--prove", "--output", "json", *words)
        self.assertIn(answer.status, (0, 1, 3), answer)
        return answer

    def finding(self, answer, name):
        return next(f for f in answer.json["findings"] if f["id"] == name)

    def assert_not_allowed(self, answer, name, said):
        found = self.finding(answer, name)
        self.assertEqual((answer.status, found["outcome"]), (3, "unknown"), answer)
        self.assertTrue(found["observed"].startswith("not allowed: "), found["observed"])
        self.assertIn(said, found["observed"])
        self.assertIn("rdmaready-prover", fabric.what_to_do(found))
        self.assertEqual(self.finding(answer, f"{name.split('.')[0]}.rdma-listener")["outcome"], "pass", "what needs no right is found out")
        self.assert_nothing_left()

    def assert_nothing_left(self):
        self.assertEqual(fabric.guest(CLIENT, "ls /sys/class/nvme 2>/dev/null; cat /proc/[0-9]*/mounts | grep -E ' (nfs4?|cifs) '; :"), "")

    def say(self, as_user=None, **question):
        """What the prover says to a question as that user, by default the agent's, asks it."""
        words = f"python3 /run/ask.py {SOCKET} '{json.dumps(question)}'"
        if as_user:
            words = f"setpriv --reuid={as_user} --clear-groups {words}"
        else:
            words = f"setpriv --reuid={self.agents_user()} --clear-groups {words}"
        return json.loads(fabric.guest(CLIENT, words))

    def order(self, **other):
        return {"verb": "prove", "protocol": "nfs", "server": ADDRESS, "address": ADDRESS, "port": 20049, "local_address": f"10.0.0.{CLIENT}",
                "device": "rxe0", "device_port": 1, "volume": "/", "version": "4.2", "inquire": False, "limit_ms": 20000, **other}

    def test_what_the_file_does_not_name_is_not_mounted_and_says_so(self):
        fabric.launcher("role", SERVER, "nfs")
        self.assertEqual(self.probe("nfs", "--export", "/").status, 0)
        answer = self.probe("nfs", "--export", "/other")
        self.assert_not_allowed(answer, "nfs.mount", f"{FILE} does not name nfs /other of {ADDRESS}, port 20049, which its root could")

    def test_a_file_that_others_may_write_allows_nothing(self):
        fabric.launcher("role", SERVER, "nfs")
        for change in (f"chmod 666 {FILE}", f"chmod 644 {FILE}; chown nobody {FILE}"):
            fabric.guest(CLIENT, change)
            self.assert_not_allowed(self.probe("nfs", "--export", "/"), "nfs.mount", "must be of user 0")
        fabric.guest(CLIENT, f"chown root {FILE}; echo '  - {{protocol: nfs, server: 10.0.0.9, path: /}}' >> {FILE}")
        self.assert_not_allowed(self.probe("nfs", "--export", "/"), "nfs.mount", "unknown key `path`")

    def test_the_agents_user_can_have_no_other_target_address_option_or_path_mounted(self):
        fabric.launcher("role", SERVER, "nfs")
        refused = {
            "permission-denied": [{"volume": "/etc"}, {"volume": "/../etc"}, {"server": "10.0.0.99", "address": "10.0.0.99"},
                                  {"address": f"10.0.0.{CLIENT}"}, {"port": 2049}],
            "invalid-argument": [{"address": f"{ADDRESS},sec=none"}, {"version": "4.2,nolock"}, {"device": "../../etc"},
                                 {"local_address": "10.0.0.250"}, {"options": "rw"}, {"mount_point": "/etc"}, {"verb": "mount"},
                                 {"limit_ms": 86400000}],
        }
        for code, changes in refused.items():
            for change in changes:
                with self.subTest(change):
                    said = self.say(**self.order(**change))
                    self.assertEqual(said.get("error", {}).get("code", "").lower().replace("_", "-"), code, said)
        self.assertIn("answer", self.say(**self.order()), "unchanged it is made")
        self.assert_nothing_left()

    def test_nobody_but_the_agents_user_is_answered(self):
        said = self.say(as_user="daemon", **self.order())
        self.assertIn("is not answered", said["error"]["text"])
        self.assertIn("refused", fabric.guest(CLIENT, f"cat {LOG}"))

    def test_without_it_a_proof_is_unknown_and_says_how_to_have_it(self):
        fabric.launcher("role", SERVER, "nfs")
        self.prover("stop")
        self.assert_not_allowed(self.probe("nfs", "--export", "/"), "nfs.mount",
                                "rdmaready-prover is not running (systemctl enable --now rdmaready-prover.socket)")

    def test_each_of_its_rights_both_ways(self):
        """Mounts take CAP_SYS_ADMIN, disks only root's files: rows share-proof and disk-proof of api/model/rights.h."""
        self.prover("stop")
        self.prover("start", self.agents_user(), "--no-capability")
        fabric.launcher("role", SERVER, "nvme")
        disk = self.probe("nvme", "--subsystem", NQN)
        self.assertEqual((disk.status, self.finding(disk, "nvme.kernel-read")["outcome"]), (0, "pass"), disk)
        fabric.launcher("role", SERVER, "nfs")
        share = self.probe("nfs", "--export", "/")
        mount = self.finding(share, "nfs.mount")
        self.assertEqual((share.status, mount["outcome"]), (3, "unknown"), share)
        self.assertIn("Operation not permitted", mount["observed"])
        self.prover("as-usual", self.agents_user())
        self.assertEqual(self.probe("nfs", "--export", "/").status, 0)
        self.assert_nothing_left()

    def controllers(self):
        return fabric.guest(CLIENT, "ls /sys/class/nvme 2>/dev/null; :").split()

    def until_nothing_is_connected(self):
        eventually(self.controllers, lambda controllers: not controllers)
        self.assert_nothing_left()

    def kill_in_a_proof(self, program):
        """By SIGKILL, as soon as its disk is there. Who kills it is there before the proof begins: a proof takes less time than a
        command needs to get into a guest on a busy machine."""
        fabric.guest(CLIENT, f"rm -f {KILLED}; (pid=$(cat /run/{program}.pid); i=0; while [ $i -lt 2000000 ]; do set -- /sys/block/nvme*; "
                             f"[ ! -e $1 ] || {{ : > {KILLED}; kill -KILL $pid; exit; }}; i=$((i + 1)); done) > /dev/null 2>&1 &")
        proof = tool.rdmaready("probe", "nvme", ADDRESS, "--from", self.hosts[CLIENT], "--prove", "--subsystem", NQN)
        fabric.guest(CLIENT, f"test -e {KILLED}")
        self.assertNotEqual(proof.status, 0, "the proof was over before")

    def test_a_prover_that_is_killed_leaves_what_its_next_start_sweeps(self):
        fabric.launcher("role", SERVER, "nvme")
        self.kill_in_a_proof("rdmaready-prover")
        self.assertEqual(len(self.controllers()), 1)
        self.prover("as-usual", self.agents_user())
        self.until_nothing_is_connected()
        self.assertRegex(fabric.guest(CLIENT, f"cat {LOG}"), f"nvme-leftover .*subsystem={NQN} disconnected")

    def test_an_agent_that_is_killed_ends_its_proof(self):
        fabric.launcher("role", SERVER, "nvme")
        self.kill_in_a_proof("rdmaready-agent")
        self.until_nothing_is_connected()
        fabric.launcher("agent", CLIENT, "start")
        self.assertEqual(self.probe("nvme", "--subsystem", NQN).status, 0)


load_tests = slices.tests("prover", 2)

if __name__ == "__main__":
    unittest.main()
