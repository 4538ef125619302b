# SPDX-License-Identifier: Apache-2.0
"""Each row of the rights table (api/model/rights.h) holds both ways: with the right it reads, without it says that it may not, and the
agent's facts say who could. Asked of helpers of the test's own, each with the rights of its row or all but those."""
import json
import shlex
import subprocess
import unittest

import fabric
import slices
import tool

GUEST = 1
BIN = tool.BIN
DIRECTORY = "/run/rights"
USER = "rdmaready"

# Starts a helper, asks it as the agent's user, and prints its answer: with which rights is the caller's choice.
ASK = r"""
import json, os, pwd, socket, struct, subprocess, sys, time
program, user, verb, arguments = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
path, rights = sys.argv[5], sys.argv[6:]
if os.path.exists(path): os.unlink(path)
helper = subprocess.Popen(["setpriv", *rights, program, "--user", user, "--listen", path], stderr=subprocess.PIPE)
try:
    for _ in range(400):
        if os.path.exists(path) or helper.poll() is not None: break
        time.sleep(0.05)
    asker = os.fork()
    if asker == 0:
        os.setgroups([]); os.setgid(pwd.getpwnam(user).pw_gid); os.setuid(pwd.getpwnam(user).pw_uid)
        s = socket.socket(socket.AF_UNIX); s.settimeout(20)
        while True:
            try: s.connect(path); break
            except ConnectionRefusedError: time.sleep(0.05)
        body = json.dumps({"verb": verb, **arguments}).encode()
        s.sendall(struct.pack(">I", len(body)) + body)
        if verb == "dcb-writes":
            tasks = "/proc/%d/task" % helper.pid
            for _ in range(60):
                time.sleep(0.1)
                policies = {open("%s/%s/stat" % (tasks, t)).read().rsplit(")", 1)[1].split()[38] for t in os.listdir(tasks)}
                if "1" in policies: break
            print(json.dumps({"policies": sorted(policies)})); sys.stdout.flush(); os._exit(0)
        size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
        print(s.recv(size, socket.MSG_WAITALL).decode()); sys.stdout.flush(); os._exit(0)
    os.waitpid(asker, 0)
finally:
    helper.terminate(); helper.wait()
"""

# Row -> a verb that needs it, its arguments, and what an answer with the right says. {}: filled in from the guest.
ROWS = {
    "packet-filter": ("nft-list", {"list": "tables"}, '"messages"'),
    "legacy-packet-filter": ("legacy-tables", {"family": "ip"}, "filter"),
    # No device has a switch here: that is the kernel's answer to who may ask.
    "devlink-switch": ("devlink-switch", {"family": "FAMILY", "address": "0000:00:00.0"}, "No such device"),
    "pci-configuration": ("pci-configuration", {"address": "PCI", "octets": 256}, "files/sys/bus/pci/devices/"),
    "rdma-cm-defaults": ("rdma-cm-defaults", {"device": "rxe0", "port": 1}, '"default_roce_mode'),
    # rxe has no management agent: again the answer is the kernel's.
    "infiniband-management": ("management-datagram", {"device": "rxe0", "port": 1, "lid": 65535, "attribute": "port-info"}, "MADS"),
    "congestion-control": ("congestion-names", {"address": "0000:00:00.0"}, "No such file"),
    "lldpad": ("lldpad", {"netdev": "dcb0", "about": "mode"}, "adminStatus"),
    "roots-settings": ("settings", {"of": "lldpad"}, "tlvid"),
    "lldp": ("lldp", {"netdevs": ["dcb0"], "longest_ms": 100}, '"listened_ms'),
    "dcb-writers": ("dcb-writes", {"longest_ms": 5000}, '"1"'),
}
ELSEWHERE = {"share-proof": "prover_test", "disk-proof": "prover_test",  # with a server: --no-capability there
             **dict.fromkeys(("dcb-settings", "link-settings", "sysctl-settings", "rdma-cm-settings"), "applier_test"),  # the same
             "boot-files": "persist_boot_test", "partner-pause": "obeys_pfc_test"}
NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"]


def rights(*words):
    return subprocess.run([BIN / "rdmaready-rights", *words], capture_output=True, text=True, check=True).stdout


def table():
    lines = rights("tsv").splitlines()
    return [dict(zip(("feature", "daemon", "needs", "asked", "without", "kernel"), line.split("\t"), strict=True)) for line in lines]


class Rights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)
        # A table of iptables' older kind would leave the next suite's guest with a packet filter that nobody can judge.
        cls.addClassCleanup(fabric.guest, GUEST, "rmmod iptable_filter ip_tables; rmmod ib_umad || true")
        fabric.guest(GUEST, f"mkdir -p {DIRECTORY}; chmod 777 {DIRECTORY}; cat > {DIRECTORY}/ask.py <<'END'\n{ASK}\nEND\n"
                            "modprobe -a nf_tables iptable_filter ib_umad; iptables-legacy -L -n > /dev/null;"
                            "rmdir /sys/kernel/config/rdma_cm/rxe0 2> /dev/null || true; mkdir -p /var/lib/lldpad;"
                            "lldpad -d; for i in $(seq 100); do lldptool -L -i dcb0 adminStatus=rxtx > /dev/null 2>&1 && break; sleep 0.1; done;"
                            "chmod 600 /var/lib/lldpad/lldpad.conf")

    def arguments(self, arguments):
        """Of a row, with what is this guest's own."""
        family = fabric.guest(GUEST, "genl ctrl list | grep -A1 'Name: devlink' | sed -n 's/.*ID: \\(0x[0-9a-f]*\\) .*/\\1/p'")
        pci = fabric.guest(GUEST, "ls /sys/bus/pci/devices | head -1").strip()
        named = {"FAMILY": int(family, 16), "PCI": pci}
        return {name: named.get(value, value) if isinstance(value, str) else value for name, value in arguments.items()}

    def ask(self, row, held):
        verb, arguments, _ = ROWS[row["feature"]]
        words = ["python3", f"{DIRECTORY}/ask.py", str(BIN / f"rdmaready-{row['daemon']}"), USER, verb, json.dumps(self.arguments(arguments)),
                 f"{DIRECTORY}/{row['daemon']}.sock", *held]
        return fabric.guest(GUEST, shlex.join(words))

    def rights_of(self, daemon):
        return rights("setpriv", daemon).split()

    def without(self, row):
        """The helper's rights but for the one of the row."""
        held = self.rights_of(row["daemon"])
        if row["needs"] == "root":
            return NOBODY + held
        name = ",+" + row["needs"].removeprefix("CAP_").lower()
        self.assertTrue(any(name in word for word in held), (name, held))
        return [word.replace(name, "") for word in held]

    def test_each_row_reads_with_its_right_and_says_that_it_may_not_without(self):
        rows = table()
        self.assertEqual({row["feature"] for row in rows}, ROWS.keys() | ELSEWHERE.keys())
        for row in slices.dealt("rights", 3, [row for row in rows if row["feature"] not in ELSEWHERE]):
            with self.subTest(row["feature"]):
                said = ROWS[row["feature"]][2]
                have = self.ask(row, self.rights_of(row["daemon"]))
                lack = self.ask(row, self.without(row))
                if row["feature"] == "dcb-writers":  # listening itself takes no right: what is missing is to be in time
                    self.assertIn(said, have)
                    self.assertNotIn(said, lack)
                elif row["feature"] == "pci-configuration":
                    self.assertEqual((self.octets(have), self.octets(lack)), (256, 64))
                elif row["feature"] == "lldpad":
                    self.assertIn(said, have)
                    self.assertIn("R0a", lack)
                elif row["feature"] == "infiniband-management":
                    self.assertNotIn("permission-denied", have)
                    self.assertIn("permission-denied", lack)
                else:
                    self.assertIn(said, have.replace('\\"', '"'))
                    self.assertIn("permission-denied", lack)

    def octets(self, answer):
        files = {name: text for name, text in json.loads(answer)["answer"].items() if name.startswith("files/")}
        (text,) = files.values()
        return len(text["hex"]) // 2 if isinstance(text, dict) else len(text)

    def facts(self):
        """Of the guest's agent; which of them are missing, and why."""
        return tool.rdmaready("facts", self.hosts[GUEST], "--output", "json").json

    def test_the_agent_has_no_right_and_reads_all_the_same(self):
        fabric.launcher("agent", GUEST, "restart")
        status = fabric.guest(GUEST, "cat /proc/$(cat /run/rdmaready-agent.pid)/status")
        self.assertRegex(status, r"CapEff:\s+0000000000000000\n")
        self.assertRegex(status, r"CapBnd:\s+0000000000000000\n")
        self.assertRegex(status, r"NoNewPrivs:\s+1\n")
        self.assertNotRegex(status, r"\nUid:\s+0\s")
        told = json.dumps(self.facts())
        for helper in ("reader", "listener"):
            self.assertNotIn(f"rdmaready-{helper} is not running", told)
        self.assertNotIn("Operation not permitted", told)
        self.assertNotIn("nonsense", told)

    def test_without_its_reader_the_agent_says_who_could_read(self):
        fabric.guest(GUEST, "kill $(cat /run/rdmaready-reader.pid); rm -f /run/rdmaready-reader.pid")
        try:
            told = json.dumps(self.facts())
        finally:
            fabric.launcher("agent", GUEST, "restart")
        self.assertIn("rdmaready-reader is not running (systemctl enable --now rdmaready-reader.socket)", told)
        self.assertIn("list by nf_tables netlink command 1: Operation not permitted; rdmaready-reader", told)
        self.assertNotIn("is not running", json.dumps(self.facts()))

    def test_without_its_listener_the_agent_says_who_could_hear(self):
        fabric.guest(GUEST, "kill $(cat /run/rdmaready-listener.pid); rm -f /run/rdmaready-listener.pid")
        try:
            told = json.dumps(tool.rdmaready("facts", self.hosts[GUEST], "--lldp", "1", "--output", "json").json)
        finally:
            fabric.launcher("agent", GUEST, "restart")
        self.assertIn("listen for LLDP on dcb0: Operation not permitted; rdmaready-listener is not running", told)

    def test_a_helper_answers_nobody_but_the_agents_user(self):
        for daemon, verb in (("reader", {"verb": "nft-list", "list": "tables"}), ("listener", {"verb": "dcb-writes", "longest_ms": 1})):
            for user in ("root", "nobody"):
                answer = fabric.guest(GUEST, f"""setpriv --reuid={user} --clear-groups python3 -c '
import json, socket, struct, sys
s = socket.socket(socket.AF_UNIX); s.connect("/run/rdmaready/helpers/{daemon}.sock")
body = json.dumps(json.loads(sys.argv[1])).encode()
try: s.sendall(struct.pack(">I", len(body)) + body)
except BrokenPipeError: pass  # who refuses does not read the question
size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]; print(s.recv(size, socket.MSG_WAITALL).decode())' '{json.dumps(verb)}'""")
                self.assertIn("permission-denied", answer)
                self.assertIn("is not answered", answer)


if __name__ == "__main__":
    unittest.main()
