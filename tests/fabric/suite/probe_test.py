# SPDX-License-Identifier: Apache-2.0
"""The way to an SMB Direct server, against the kernel's: ours to ksmbd, the kernel's client to ours, and each thing that can be
wrong on the way by its own name."""
import threading
import time
import unittest

import fabric
import slices
import tool

CLIENT, SERVER = 1, 2
ADDRESS = f"10.0.0.{SERVER}"
MOUNT = f"mount -t cifs //{ADDRESS}/share /mnt -o username=tester,password=secret,vers=3.1.1,rdma"
PEER = fabric.word(tool.BIN, "smbd_peer")
# What ksmbd will not have it hangs up on; but where the request comes before its own side is established, it forgets to
# (smb_direct_disconnect_rdma_work of Linux 6.12 disconnects only what is CONNECTED), and nothing comes.
REFUSED = ("dropped", "silence")
# As ksmbd of Linux 6.12 answers; request, and the beginning of what comes.
NEGOTIATIONS = (
    ("", "response status=0x00000000 version=0x0100 requested=255 granted=254 max_read_write=8388608 send=1364 receive=1364"),
    ("receive=128", REFUSED),
    ("fragmented=131072", REFUSED),
    ("receive=129 fragmented=131073", "response status=0x00000000"),
    ("min=512 max=512", "response status=0xc00000bb version=0x0000"),
    ("max=512", "response status=0x00000000"),
    ("send=8192", "response status=0x00000000"),
    ("port=4450", "refused kind=4 reason=8"),
)


class Probe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def role(self, *words):
        fabric.launcher("role", SERVER, *words)

    def probe(self, target=ADDRESS, *words):
        return tool.rdmaready("probe", "smb", target, "--from", self.hosts[CLIENT], "--output", "json", *words)

    def trouble(self, answer):
        """Ids that a person is told of, the red ones first."""
        found = answer.json["findings"]
        return tuple([f["id"].removeprefix("server.") for f in found if f["outcome"] in outcomes]
                     for outcomes in (("fail", "unknown"), ("warn",)))

    def finding(self, answer, name):
        return next(f for f in answer.json["findings"] if f["id"] == f"server.{name}")

    def test_ksmbd_speaks_smb3_over_rdma(self):
        self.role("smb")
        answer = self.probe()
        self.assertEqual(answer.status, 0, answer)
        # What ksmbd of this kernel is known for.
        self.assertEqual(self.trouble(answer), ([], ["smbd-minimum"]), answer)
        probe = answer.json
        self.assertEqual((probe["schema"], probe["verdict"], probe["transport"], probe["port_number"], probe["local_port"]),
                         ("rdmaready.v1.Probe", "ready", "roce-v2", 445, "rxe0/1"))
        self.assertEqual({step["outcome"] for step in probe["steps"]}, {"done"})
        expected = {"tcp-dialect": "3.1.1", "rdma-ird": "8", "smbd-credits-granted": "254", "smbd-credits-wanted": "255",
                    "smbd-max-read-write": "8388608", "smbd-preferred-send": "1364", "smbd-max-receive": "1364",
                    "smbd-max-fragmented": "173910", "smb2-dialect": "3.1.1", "smb2-signing": "enabled",
                    "smb2-rdma-transform": "no", "smb2-max-transact": "1048576", "smb2-max-read": "4194304",
                    "smb2-max-write": "4194304", "io-size": "4194304"}
        self.assertEqual({name: probe["values"].get(name) for name in expected}, expected)
        # It means to hang up, and forgets it where its own side is not established yet.
        self.assertIn(probe["values"]["smbd-accepts-minimum"], ("no", "silent"))
        kept = tool.rdmaready("history", self.hosts[CLIENT], "--run", probe["run_id"], "--output", "json").json["hosts"][0]["runs"]
        self.assertEqual([(run["level"], run["verdict"]) for run in kept], [("server", "ready")])
        fabric.assert_device_is_free(CLIENT)

    def test_ksmbd_negotiates_as_is_known_of_it(self):
        self.role("smb")
        lines = fabric.guest(CLIENT, "; ".join(f"{PEER} ask {ADDRESS} {words} || :" for words, _ in NEGOTIATIONS)).splitlines()
        self.assertEqual(len(lines), len(NEGOTIATIONS), lines)
        for (words, expected), line in zip(NEGOTIATIONS, lines):
            with self.subTest(words):
                self.assertTrue(line.startswith(expected), line)

    def test_a_host_is_checked_up_to_the_server(self):
        self.role("smb")
        answer = tool.rdmaready("check", self.hosts[CLIENT], "--profile", "virtual-fabric", "--level", "server", "--target", ADDRESS,
                                "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        self.assertEqual(fabric.rungs(answer.json, self.hosts[CLIENT]), {"host": "pass", "loopback": "pass", "server": "pass"})

    def test_what_clients_would_stumble_on_is_named(self):
        self.role("smb", "--no-multichannel", "--signing", "required")
        answer = self.probe()
        self.assertEqual(answer.status, 0, answer)  # of which Linux clients, as this one, need none
        self.assertEqual(self.trouble(answer), ([], ["multichannel", "signing", "smbd-minimum"]), answer)

    def test_a_server_without_smb_direct_has_no_rdma_listener(self):
        self.role("smb", "--no-rdma")
        answer = self.probe()
        self.assertEqual(answer.status, 1, answer)
        self.assertEqual(self.trouble(answer), (["rdma-listener"], []), answer)
        self.assertIn("no RDMA listener", self.finding(answer, "rdma-listener")["observed"])

    def test_an_address_without_rdma_is_told_from_a_dead_one(self):
        """The fabric of RoCE tells nothing of it, so it is concluded from TCP, which is answered."""
        self.role("smb")
        elsewhere = "10.0.0.77"
        # A guest answers ARP on the NIC that has the address, and on no other.
        arp = "echo {} > /proc/sys/net/ipv4/conf/dcb0/arp_ignore"
        fabric.guest(SERVER, f"ip link add elsewhere type dummy; ip link set elsewhere up; ip addr add {elsewhere}/32 dev elsewhere; "
                     + arp.format(0))
        self.addCleanup(fabric.guest, SERVER, "ip link del elsewhere; " + arp.format(1))
        answer = self.probe(elsewhere)
        self.assertEqual((answer.status, *self.trouble(answer)), (1, ["rdma-listener"], []), answer)
        self.assertIn("TCP is answered there and RDMA is not", self.finding(answer, "rdma-listener")["observed"])

    def test_a_silent_address_costs_no_more_time_than_is_given(self):
        """From a NIC whose neighbours do not answer, TCP and RDMA wait long."""
        begin = time.monotonic()
        answer = self.probe("10.0.0.99", "--timeout", "3s")
        self.assertLess(time.monotonic() - begin, 30)  # untold, it waits for 40 s
        self.assertEqual(answer.status, 3, answer)
        self.assertEqual(answer.json["values"]["time-up"], "tcp-connect", answer)
        self.assertIn("the time of the probe was up", self.finding(answer, "tcp-445")["observed"])

    def test_a_host_without_an_smb_server_is_one_red_line(self):
        self.role("none")
        answer = self.probe()
        self.assertEqual((answer.status, *self.trouble(answer)), (1, ["tcp-445"], []), answer)
        self.assertIn("refused", self.finding(answer, "tcp-445")["observed"])

    def test_the_kernels_client_finds_our_server(self):
        self.role("none")
        served = []
        server = threading.Thread(target=lambda: served.append(fabric.guest(SERVER, f"{PEER} serve {ADDRESS} seconds=20")))
        server.start()
        script = f"modprobe cifs; for i in 1 2 3 4 5; do {MOUNT} 2>&1 | tee /tmp/said; grep -q '(13)' /tmp/said && break; sleep 0.5; done"
        said = fabric.guest(CLIENT, script)
        server.join()
        self.assertIn("mount error(13)", said)
        self.assertRegex(served[0], r"negotiated send \d+ receive \d+ .*\n(.*\n)*smb2 command 0, .*\n(.*\n)*smb2 command 1, ")


load_tests = slices.tests("probe", 2)

if __name__ == "__main__":
    unittest.main()
