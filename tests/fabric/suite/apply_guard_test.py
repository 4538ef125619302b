# SPDX-License-Identifier: Apache-2.0
"""An agent that was taken over can ask the applier for anything: nothing changes but what root's file and the applier's own plan have."""
import hashlib
import json
import subprocess
import unittest

import applying
import fabric
import slices
import tool

HOST = 1
USER = "rdmaready"
# Sends frames as whoever runs it and prints what comes back. What a taken-over agent can send: any octets.
ASK = """
import json, socket, struct, sys
for line in sys.stdin:
    question = json.loads(line)
    s = socket.socket(socket.AF_UNIX); s.settimeout(30); s.connect(sys.argv[1])
    body = bytes.fromhex(question['raw']) + bytes(question.get('zeros', 0)) if 'raw' in question else json.dumps(question).encode()
    try: s.sendall(body if 'raw' in question else struct.pack('>I', len(body)) + body); s.shutdown(socket.SHUT_WR) if 'raw' in question else None
    except (BrokenPipeError, ConnectionResetError): pass
    said = None
    try:
        while True:
            head = s.recv(4, socket.MSG_WAITALL)
            if len(head) < 4: break
            said = json.loads(s.recv(struct.unpack('>I', head)[0], socket.MSG_WAITALL))
            if 'progress' not in said: break
    except (ConnectionResetError, ValueError): pass
    print(json.dumps(said)); sys.stdout.flush()
    s.close()
"""
PROTO = tool.ROOT / "api" / "proto"
# What packaging/profiles/virtual-fabric.yaml says, as a message.
CONTENT = """name: "virtual-fabric" transport: TRANSPORT_ROCE_V2 rdma_priority: 3 trust: TRUST_DSCP dscp: 26 tos: 106 pfc { priorities: 3 }
ets { rdma_percent: 50 tolerance_percent: 5 } dcbx: DCBX_STATIC mtu_bytes: 9000 roce_mtu_bytes: 4096 min_speed_mbps: 25000
min_memlock_bytes: 67108864"""
WRONG = ("dcb ets set dev dcb0 tc-bw all:0 0:90 3:10", "dcb pfc set dev dcb0 prio-pfc all:off 4:on")


def message(text):
    """The octets of a profile, in hexadecimal, made by protoc."""
    done = subprocess.run(["protoc", "-I.", "--deterministic_output", "--encode=rdmaready.v1.Profile", "rdmaready/v1/profile.proto"],
                          cwd=PROTO, input=text.encode(), capture_output=True, check=True)
    return done.stdout


def order(content=CONTENT, **other):
    return {"verb": "apply", "profiles": [{"content": message(content).hex()}], "ports": [], "confirm_within_ms": 30_000, "allow_one_way": False,
            "proof": False, "peer_proof": False, "requester": "whoever", **other}


class Guard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = applying.bring_up()
        cls.addClassCleanup(fabric.put_right)
        applying.put(HOST, "/run/ask.py", ASK)

    def setUp(self):
        fabric.put_right(HOST)
        for script in WRONG:
            fabric.guest(HOST, script)
        self.old = applying.settings(HOST), applying.fingerprint(HOST)

    def say(self, *questions, user=USER):
        lines = "\n".join(map(json.dumps, questions))
        said = fabric.guest(HOST, f"setpriv --reuid={user} --clear-groups python3 /run/ask.py {applying.SOCKET} <<'END'\n{lines}\nEND")
        return [json.loads(line) for line in said.splitlines()]

    def code(self, said):
        return ((said or {}).get("error") or {}).get("code", "")

    def assert_untouched(self):
        self.assertEqual((applying.settings(HOST), applying.fingerprint(HOST)), self.old)

    def assert_refused(self, code, *questions):
        for question, said in zip(questions, self.say(*questions), strict=True):
            with self.subTest(str(question)[:100]):
                self.assertEqual(self.code(said), code, said)
        self.assert_untouched()

    def test_a_profile_is_its_content_and_not_its_name(self):
        self.assertEqual(hashlib.sha256(message(CONTENT)).hexdigest(), applying.digest(applying.PROFILE), "the digest is that of the octets")
        for other in (CONTENT.replace("mtu_bytes: 9000", "mtu_bytes: 4300"), CONTENT.replace("tos: 106", "tos: 104"), CONTENT + ' digest: "x" rdma_max_rate_mbps: 9'):
            self.assert_refused("permission-denied", order(other))
        self.assertIn("answer", self.say(order())[0], "unchanged it is made")

    def test_what_the_file_does_not_allow_is_not_written(self):
        for allowed in ({"kinds": ("pfc",)}, {"ports": ("dcb7",)}, {"listed": ()}, {"kinds": ()}, {"ports": ()}):
            with self.subTest(allowed):
                applying.allow(HOST, **allowed)
                self.assert_refused("permission-denied", order())
        applying.allow(HOST, least_s=20)
        self.assert_refused("invalid-argument", order(confirm_within_ms=1000), order(confirm_within_ms=3_600_000), order(confirm_within_ms=0))

    def test_a_file_that_is_not_roots_alone_allows_nothing(self):
        text = applying.permission()
        applying.put(HOST, "/run/theirs.yaml", text)
        fabric.guest(HOST, f"chown {USER} /run/theirs.yaml; chmod 644 /run/theirs.yaml")
        for change in (f"ln -s /run/theirs.yaml {applying.FILE}", f"cp /run/theirs.yaml {applying.FILE}; chown {USER} {applying.FILE}",
                       f"cp /run/theirs.yaml {applying.FILE}; chgrp {USER} {applying.FILE}; chmod 664 {applying.FILE}",
                       f"cp /run/theirs.yaml {applying.FILE}; chmod 646 {applying.FILE}", f"mkfifo -m 644 {applying.FILE}",
                       f"(cat /run/theirs.yaml; echo 'anything: true') > {applying.FILE}", "true"):
            with self.subTest(change):
                fabric.guest(HOST, f"rm -f {applying.FILE}; {change}")
                self.assert_refused("permission-denied", order())
                said = applying.apply(self.hosts[HOST])
                self.assertEqual(said.status, 2, said)

    def test_nothing_but_an_order_is_understood(self):
        change = "0" * 32
        self.assert_refused(
            "invalid-argument", {"verb": "write", "object": {"kind": "pfc", "where": "dcb0"}, "to": "on 5 delay 0"}, {"verb": "confirm", "change": "../x"},
            {"verb": "apply"}, order(profiles=[]), order(profiles=[{"content": "zz"}]), order(ports=["dcb0\n"]), order(steps=[{"kind": "pfc"}]),
            order(profiles=[{"content": message(CONTENT).hex(), "path": "/etc/shadow"}]), order(requester="x" * 5000))
        self.assert_refused("not-found", {"verb": "confirm", "change": change, "requester": "x"}, {"verb": "rollback", "change": change, "requester": "x"},
                            {"verb": "proved", "change": change, "proof": "0801"})
        big = (200 << 20).to_bytes(4, "big").hex()
        self.say({"raw": big, "zeros": 4_000_000}, *({"raw": raw} for raw in (big, "00000000", "ffffffff", "0000", "00000005" + b"{\"a\":".hex(), "00000002ffff")))
        self.assert_untouched()
        self.assertIn("answer", self.say({"verb": "status"})[0], "and it still serves")

    def test_nobody_but_the_agents_user_and_root_is_heard(self):
        for user in ("nobody", "daemon"):
            self.assertEqual(self.code(self.say(order(), user=user)[0]), "permission-denied")
        self.assert_untouched()

    def test_a_confirmation_counts_once_and_a_change_that_went_back_stays_so(self):
        done = self.say(order(confirm_within_ms=10_000))[0]
        self.assertIn("answer", done)
        change = applying.status(self.hosts[HOST])["changes"][0]
        self.assertEqual(change["state"], "awaiting-confirm")
        self.assert_goes_back(change["id"])
        self.assert_refused("not-found", {"verb": "confirm", "change": change["id"], "requester": "x"})

    def assert_goes_back(self, change_id):
        applying.until_nothing_is_open(self.hosts[HOST])
        self.assertEqual([(change["id"], change["state"]) for change in applying.status(self.hosts[HOST])["changes"]], [(change_id, "rolled-back")])
        self.assertEqual(applying.settings(HOST), self.old[0])

    def test_its_own_state_is_out_of_the_agents_reach(self):
        said = fabric.guest(HOST, f"setpriv --reuid={USER} --regid={USER} --clear-groups sh -c 'ls {applying.STATE}; rm -rf {applying.STATE}; touch {applying.STATE}/x; "
                                  f"kill -9 $(cat {applying.APPLIER_PID}); echo > {applying.FILE}' 2>&1; true")
        self.assertEqual(len([line for line in said.splitlines() if "ermitted" in line or "denied" in line]), 5, said)
        self.assertIn("answer", self.say({"verb": "status"})[0])


load_tests = slices.tests("apply guard", 4)

if __name__ == "__main__":
    unittest.main()
