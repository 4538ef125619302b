# SPDX-License-Identifier: Apache-2.0
"""What "fabric fault" does to a guest, and that "fabric reset" undoes all of it without a reboot."""
import unittest

import fabric
import slices

RETRANSMISSIONS = "cat /sys/class/infiniband/rxe0/ports/1/hw_counters/completer_retry_err"
# For whoever comes, until it is killed.
SERVE = ("rping -s -P -a 10.0.0.2 > /run/rping.log 2>&1 & "
         "for i in $(seq 600); do rdma resource show cm_id | grep -q 'LISTEN.*:7174 ' && exit; sleep 0.05; done; cat /run/rping.log; false")
NEIGHBOR = "10.0.0.2 lladdr 52:54:00:00:01:02 dev dcb0"
STOP_SERVING = "for pid in $(pidof rping); do kill -KILL $pid; done; while pidof rping; do sleep 0.05; done"


def fault(number, *words, check=True):
    return fabric.launcher("fault", number, *words, check=check)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def ping(self, count):
        return fabric.guest(1, f"ping -q -c {count} -i 0.05 -W 1 10.0.0.2 || true")

    def assert_reached(self):
        for _ in range(60):
            if " 2 received" in (said := self.ping(2)):
                return
        self.fail(said)

    def retransmissions(self):
        return int(fabric.guest(1, RETRANSMISSIONS))

    def test_netem_loses_what_the_guest_sends_roce_too(self):
        self.assert_reached()
        try:
            # What is lost is RoCE: of ARP there are two tries within the two seconds that rping has for it.
            fabric.guest(1, f"ip neigh replace {NEIGHBOR} nud permanent")
            fault(1, "netem", "loss 100%")
            self.assertIn(" 0 received", self.ping(2))
            fault(1, "netem", "loss", "10%", "delay", "1ms")
            before = self.retransmissions()
            fabric.guest(2, SERVE)
            # Which of them is lost is chance, and what is lost costs seconds.
            arrived = False
            for _ in range(20):
                said = fabric.guest(1, "timeout 120 rping -c -v -a 10.0.0.2 -C 5 2>&1; :")
                arrived |= said.count("ping data: rdma-ping-") == 5
                if arrived and self.retransmissions() > before:
                    break
            self.assertTrue(arrived, said + fabric.guest(2, "cat /run/rping.log"))
            self.assertGreater(self.retransmissions(), before, "rxe sends again what was lost")
        finally:
            fault(1, "netem", "off")
            fabric.guest(1, f"ip neigh del {NEIGHBOR} || ip neigh show; :")
            fabric.guest(2, STOP_SERVING)
        fault(1, "netem", "off")
        self.assert_reached()

    def test_a_paused_guest_does_nothing_until_it_goes_on(self):
        fault(2, "pause")
        try:
            self.assertIn(" 0 received", self.ping(2))
        finally:
            fault(2, "resume")
        self.assert_reached()

    def test_what_is_out_of_bounds_is_refused_with_one_line(self):
        for wrong in (("netem", "loss 101%"), ("netem", "loss"), ("netem", "delay 11s"), ("netem", "gap 5"), ("netem", "reorder 5%"),
                      ("netem", "loss 1%; reboot"), ("netem", "limit 0"), ("dcb", "../x", "1"), ("dcb", "fail_next_set_pfc", "EWHAT"),
                      ("carrier", "maybe"), ("link", "up", "--rail", "2"), ("explode",)):
            with self.subTest(wrong=wrong):
                done = fault(1, *wrong, check=False)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)


class Reset(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()

    def test_undoes_everything_without_a_reboot(self):
        look = ("ip -br link | sort; ip -4 -br addr; ip neigh show nud permanent; tc qdisc show | sort; dcb ets show dev dcb0; "
                "dcb pfc show dev dcb0; dcb -N app show dev dcb0; dcb buffer show dev dcb0; dcb dcbx show dev dcb0; ethtool -a dcb0; "
                "ethtool -i dcb0; rdma link; cat /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos; uname -a; "
                "cat /sys/kernel/debug/dcbnic/dcb0/*; cat /proc/sys/net/ipv4/conf/dcb0/arp_ignore; cat /proc/sys/kernel/random/boot_id")
        before = fabric.guest(1, look)
        fabric.guest(1, "modprobe bonding max_bonds=0; modprobe -a 8021q bridge; ip link add link dcb0 name dcb0.711 type vlan id 711; "
                     "ip link add bond0 type bond; ip link add br0 type bridge; ip link set bond0 master br0; ip link set dcb0 down; "
                     "ip link set dcb0 address 52:54:00:aa:aa:aa; ip link set dcb0 master bond0; ip link set dcb0 mtu 1500; "
                     "ip addr add 10.9.9.9/24 dev br0; ip addr add 10.0.0.99/24 dev dcb0; "
                     "ip neigh add 10.0.0.2 lladdr 52:54:00:bb:bb:bb dev dcb0; "
                     "tc qdisc add dev dcb0 clsact; tc qdisc add dev dcb0 root tbf rate 1mbit burst 10k latency 1s; "
                     "echo 0 > /sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos; ethtool -A dcb0 rx on tx on; "
                     "cd /sys/kernel/debug/dcbnic/dcb0; echo mlx5 > personality; echo off > carrier; echo 5 > fail_next_set_ets; "
                     "echo 'rx_pause 3 9' > counters; echo '0x10' > peer_pfc; echo 0 > /proc/sys/net/ipv4/conf/dcb0/arp_ignore")
        fault(1, "netem", "delay 2ms")
        fabric.launcher("agent", 1, "kill")
        fault(1, "link", "down")
        fault(1, "pause")
        fabric.put_right(1)
        self.assertEqual(fabric.guest(1, look), before)
        answer = fabric.check(self.hosts)
        self.assertEqual(answer.status, 0, answer)

    def test_a_server_whose_client_went_unheard_keeps_no_module_in_use(self):
        fabric.guest(2, SERVE)
        with self.assertRaisesRegex(AssertionError, "rdma_ucm is in use"):
            fabric.guest(2, "rmmod rdma_ucm")
        fabric.put_right(2)
        fabric.guest(2, "for i in $(seq 600); do ! rmmod rdma_ucm 2> /dev/null || break; sleep 0.05; done; "
                     "[ ! -d /sys/module/rdma_ucm ] && modprobe rdma_ucm")

    def test_leaves_a_healthy_agent_alone_and_lifts_its_limits(self):
        pid = "cat /run/rdmaready-agent.pid"
        first = fabric.guest(2, pid)
        fabric.put_right(2)
        self.assertEqual(fabric.guest(2, pid), first)
        fabric.launcher("agent", 2, "restart", "--memlock", 65536)
        limited = fabric.guest(2, pid)
        fabric.put_right(2)
        self.assertNotEqual(fabric.guest(2, pid), limited)
        self.assertRegex(fabric.guest(2, "cat /proc/$(cat /run/rdmaready-agent.pid)/limits"), r"Max locked memory +1073741824")


load_tests = slices.tests("harm", 2)

if __name__ == "__main__":
    unittest.main()
