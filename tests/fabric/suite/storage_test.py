# SPDX-License-Identifier: Apache-2.0
"""The ways to NVMe, iSER and NFS servers over RDMA against those of the kernel: to the end of discovery, and proven by data that
moved; and each thing that can be wrong on the way by its own name."""
import time
import unittest

import fabric
import slices
import tool
from eventually import eventually

CLIENT, SERVER = 1, 2
ADDRESS = f"10.0.0.{SERVER}"
NQN = f"nqn.2026-01.test.rdmaready:guest{SERVER}"
IQN = f"iqn.2026-01.test.rdmaready:guest{SERVER}"
MIB = 1 << 20


class Storage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        cls.addClassCleanup(fabric.put_right)

    def role(self, *words):
        fabric.launcher("role", SERVER, *words)

    def probe(self, protocol, *words, target=ADDRESS):
        answer = tool.rdmaready("probe", protocol, target, "--from", self.hosts[CLIENT], "--output", "json", *words)
        self.assertIn(answer.status, (0, 1, 3), answer)
        return answer

    def outcomes(self, answer):
        """Ids of what is not as it should be, red and yellow."""
        return {f["id"]: f["outcome"] for f in answer.json["findings"] if f["outcome"] in ("fail", "unknown", "warn")}

    def observed(self, answer, name):
        return next(f["observed"] for f in answer.json["findings"] if f["id"] == name)

    def expect_proven(self, answer, **values):
        self.assertEqual((answer.status, self.outcomes(answer)), (0, {}), answer)
        probe = answer.json
        self.assertEqual((probe["verdict"], probe["transport"], probe["local_port"]), ("ready", "roce-v2", "rxe0/1"))
        self.assertEqual({step["outcome"] for step in probe["steps"]}, {"done"}, answer)
        told = {name.replace("_", "-"): value for name, value in values.items()}
        self.assertEqual({name: probe["values"].get(name) for name in told}, told)
        fabric.assert_device_is_free(CLIENT)
        return probe

    def test_nvme_is_discovered_and_read_by_the_kernels_own_initiator(self):
        self.role("nvme")
        fabric.guest(CLIENT, "modprobe -a nvme-rdma")
        probe = self.expect_proven(self.probe("nvme", "--prove", "--subsystem", NQN), nvme_rdma_subsystems="1", nvme_subsystems="1", nvme_subsystem_1=NQN,
                                   nvme_subsystem_1_at=f"rdma {ADDRESS}:4420", nvme_proof_subsystem=NQN, nvme_kernel_transport="rdma",
                                   nvme_namespace_bytes=str(64 * MIB))
        self.assertEqual(probe["port_number"], 4420)
        self.assertEqual(fabric.guest(CLIENT, "ls /sys/class/nvme").split(), [], "nothing is left connected")

    def test_an_nvme_subsystem_that_nobody_named_is_not_connected(self):
        self.role("nvme")
        fabric.guest(CLIENT, "modprobe -a nvme-rdma")
        answer = self.probe("nvme", "--prove")
        self.assertEqual(self.outcomes(answer), {"nvme.subsystem-admits": "unknown"}, answer)
        self.assertIn("name the subsystem: --subsystem NQN", self.observed(answer, "nvme.subsystem-admits"))
        self.assertEqual(next(s["outcome"] for s in answer.json["steps"] if s["step"] == "nvme-kernel-connect"), "not-reached", answer)

    def test_a_subsystem_that_this_host_uses_already_is_left_alone(self):
        self.role("nvme")
        fabric.guest(CLIENT, "modprobe -a nvme-rdma")
        # As an administrator connects: without the address of this host, by which the kernel would tell ours from theirs.
        fabric.guest(CLIENT, f"echo 'transport=rdma,traddr={ADDRESS},trsvcid=4420,nqn={NQN}' > /dev/nvme-fabrics")
        connected = fabric.guest(CLIENT, "ls /sys/class/nvme").split()
        self.assertEqual(len(connected), 1, connected)
        self.addCleanup(fabric.guest, CLIENT, f"echo 1 > /sys/class/nvme/{connected[0]}/delete_controller")
        answer = self.probe("nvme", "--prove", "--subsystem", NQN, "--in-production")
        self.assertEqual(self.outcomes(answer), {"nvme.kernel-read": "unknown"}, answer)
        self.assertIn("connected to that subsystem already", self.observed(answer, "nvme.kernel-read"))
        self.assertEqual(answer.json["values"]["nvme-already-connected"], connected[0])
        self.assertEqual(fabric.guest(CLIENT, "ls /sys/class/nvme").split(), connected, "no path more, none less")
        self.assertEqual(fabric.guest(CLIENT, f"cat /sys/class/nvme/{connected[0]}/state").strip(), "live")

    def controllers(self):
        return fabric.guest(CLIENT, "ls /sys/class/nvme 2>/dev/null || :").split()

    def leave_a_controller(self):
        """As a proof whose process is gone leaves it: its mark (agent/probe/nvme/nvme_leftovers.h) names a process that never was."""
        mark = 0x52440000 + (1 << 22)
        fabric.guest(CLIENT, f"echo 'transport=rdma,traddr={ADDRESS},trsvcid=4420,nqn={NQN},nr_io_queues=1,ctrl_loss_tmo=0,"
                             f"reconnect_delay={mark}' > /dev/nvme-fabrics")
        self.assertEqual(len(self.controllers()), 1)

    def log(self):
        return fabric.guest(CLIENT, "cat /run/rdmaready-agent.log /run/rdmaready-prover.log")

    def start_again(self):
        """The agent, and the prover who makes its proofs."""
        fabric.guest(CLIENT, f"{fabric.word(fabric.LAUNCHER.parent, 'guest', 'prover')} kill")
        fabric.launcher("agent", CLIENT, "kill")
        fabric.launcher("agent", CLIENT, "start")

    def test_a_controller_that_a_dead_proof_left_is_taken_down_by_the_next_one(self):
        self.role("nvme")
        fabric.guest(CLIENT, "modprobe -a nvme-rdma")
        self.leave_a_controller()
        self.assertEqual(self.probe("nvme", "--prove", "--subsystem", NQN).status, 3, "the port is in use")
        self.expect_proven(self.probe("nvme", "--prove", "--subsystem", NQN, "--in-production"), nvme_proof_subsystem=NQN)
        self.assertEqual(self.controllers(), [])
        self.assertRegex(self.log(), r"nvme-leftover .*subsystem=\S*" + NQN + r".*disconnected")

    def test_a_controller_that_a_dead_proof_left_is_taken_down_at_the_next_start_and_no_other(self):
        self.role("nvme")
        fabric.guest(CLIENT, "modprobe -a nvme-rdma")
        self.leave_a_controller()
        self.start_again()
        eventually(self.controllers, lambda controllers: controllers == [])
        eventually(self.log, lambda log: "nvme-leftover" in log)  # logged after the controller is gone
        fabric.guest(CLIENT, f"echo 'transport=rdma,traddr={ADDRESS},trsvcid=4420,nqn={NQN},ctrl_loss_tmo=0' > /dev/nvme-fabrics")
        others = self.controllers()
        self.addCleanup(fabric.guest, CLIENT, f"echo 1 > /sys/class/nvme/{others[0]}/delete_controller")
        self.start_again()
        time.sleep(3)
        self.assertEqual(self.controllers(), others, "an administrator's own")
        self.assertNotIn("nvme-leftover", self.log())

    def test_an_nvme_host_that_is_not_allowed_is_named(self):
        self.role("nvme", "--deny")
        answer = self.probe("nvme", "--prove", "--subsystem", NQN)
        self.assertEqual((answer.status, self.outcomes(answer)),
                         (1, {"nvme.subsystem-listed": "warn", "nvme.subsystem-admits": "fail"}), answer)
        said = self.observed(answer, "nvme.subsystem-admits")
        self.assertIn("Connect Invalid Host (0x184), because of its field hostnqn", said)
        self.assertIn(answer.json["values"]["nvme-host-nqn"], said)

    def test_iser_is_discovered_and_read_by_rdma(self):
        self.role("iser")
        self.expect_proven(self.probe("iser", "--prove"), iser_targets="1", iser_target_1=IQN, iser_target_1_at=f"{ADDRESS}:3260,1",
                           iser_rdma_extensions="Yes", iser_unit_product="RAMDISK-MCP", iser_unit_blocks=str(16 * MIB // 512))

    def test_an_iser_target_that_demands_chap_is_named_and_not_blocked(self):
        self.role("iser", "--auth")
        for _ in range(2):  # a login left behind would keep the second one out for 15 s
            answer = self.probe("iser", "--prove", "--target-name", IQN)
            self.assertEqual((answer.status, self.outcomes(answer)), (1, {"iser.session": "fail"}), answer)
            self.assertIn("the target demands authentication by CHAP", self.observed(answer, "iser.session"))
            durations = {step["step"]: step["duration_ns"] for step in answer.json["steps"]}
            self.assertLess(durations["iser-session-login"], 8e9)

    def test_nfs_is_mounted_and_a_file_comes_back_whole(self):
        self.role("nfs")
        export = "/run/fabric/roles/nfs/data"
        old, young = f"{export}/.rdmaready-{'a' * 16}", f"{export}/.rdmaready-{'b' * 16}"
        fabric.guest(SERVER, f"touch {young}; touch -d '1 hour ago' {old}")
        self.addCleanup(fabric.guest, SERVER, f"rm -f {young}")
        probe = self.expect_proven(self.probe("nfs", "--prove", "--export", "/"), nfs_versions="4.0 4.1 4.2", nfs_mount_transport="rdma",
                                   nfs_server_receive="4096")
        # The server has no version 3, and says which it has.
        self.assertEqual(probe["values"]["nfs-3-refused"],
                         "this version of NFS is not served (PROG_MISMATCH): it serves versions 4 to 4")
        for counter in ("nfs-rdma-request-bytes", "nfs-rdma-reply-bytes"):
            self.assertGreaterEqual(int(probe["values"][counter]), 2 * MIB, counter)
        self.assertNotIn(" nfs", fabric.guest(CLIENT, "cat /proc/mounts"), "nothing is left mounted")
        self.assertEqual(fabric.guest(SERVER, f"ls -A {export}").split(), [young.rpartition("/")[2]],
                         "no file is left, and what an hour ago was left by a proof that was ended is swept")

    def test_who_does_not_listen_is_named_at_once(self):
        self.role("none")
        for protocol in ("nvme", "iser", "nfs"):
            with self.subTest(protocol):
                answer = self.probe(protocol)
                self.assertEqual((answer.status, self.outcomes(answer)), (1, {f"{protocol}.rdma-listener": "fail"}), answer)
                self.assertIn("no RDMA listener", self.observed(answer, f"{protocol}.rdma-listener"))

    def test_an_address_without_rdma_is_told_from_a_dead_one(self):
        elsewhere = "10.0.0.78"
        # A guest answers ARP on the NIC that has the address, and on no other.
        arp = "echo {} > /proc/sys/net/ipv4/conf/dcb0/arp_ignore"
        fabric.guest(SERVER, f"ip link add elsewhere type dummy; ip link set elsewhere up; ip addr add {elsewhere}/32 dev elsewhere; "
                     + arp.format(0))
        self.addCleanup(fabric.guest, SERVER, "ip link del elsewhere; " + arp.format(1))
        answer = self.probe("nvme", target=elsewhere)
        self.assertEqual((answer.status, self.outcomes(answer)), (1, {"nvme.rdma-listener": "fail"}), answer)
        self.assertIn("TCP is answered there and RDMA is not", self.observed(answer, "nvme.rdma-listener"))

    def test_options_that_do_not_fit_are_refused(self):
        for words in (("nvme", "--subsystem", NQN), ("nfs", "--prove", "--subsystem", NQN), ("iser", "--prove", "--export", "/")):
            with self.subTest(words):
                answer = tool.rdmaready("probe", words[0], ADDRESS, "--from", self.hosts[CLIENT], *words[1:])
                self.assertEqual(answer.status, 2, answer)


load_tests = slices.tests("storage", 2)

if __name__ == "__main__":
    unittest.main()
