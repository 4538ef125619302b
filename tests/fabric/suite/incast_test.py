# SPDX-License-Identifier: Apache-2.0
"""An incast over the switch with queues: senders, one receiver, and a victim pair beside them. The table of set-ups says which verdict and which
culprit each has, and why. A commit makes two runs; soak makes each set-up ten times, in parts that CMakeLists.txt names."""
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor

import fabric
import schemas
import tool
from eventually import eventually
from state import RunDirectory

SENDERS, RECEIVER, VICTIM = (1, 2), 3, (4, 5)
KNOBS = "/sys/kernel/debug/dcbnic/dcb0"
# rxe has at most 128 packets of 4 KB under way on a queue pair, 0.54 MB. Four queue pairs have 2.1 MB, which the receiver takes in 3.4 s at 5 Mb/s:
# less than the 4.3 s after which a packet is sent again. An incast of more senders has fewer queue pairs each. An agent waits so long where the port
# is slower than 1 Gb/s: so the NICs report 100 Mb/s.
QUEUE_PAIRS = 4
RATE_MBPS, DRAIN_MBPS = 15, 5
# The receiver's NIC holds 32 KB and this headroom. The switch holds the shared memory, and of each port 16 KB and a headroom of 256 KB. That is less
# than the senders have under way, so that frames are lost where a pause is not obeyed. Where it is obeyed, each hop has room for 0.2 s at 15 Mb/s.
HEADROOM_KB, SHARED_KB = 512, 256
# The victim's way is long. A guest waits up to 30 ms for a processor of this machine, which does not double 80 ms.
VICTIM_DELAY, VICTIM_MBPS = "40ms", 1
SECONDS = 5
# As guest/provision has it: DSCP 26 in priority 3, which is lossless.
SWITCH = ("dscp 0,26:3", "class 0,3:3", "pfc 3", f"shared_kb {SHARED_KB}")
WHOLE = os.environ.get("RDMAREADY_SLICE") == "all"
RUNS = 10 if WHOLE else 1
BURNED_RUNS = 20
# A sender has 1,500 packets in 20 s, so that half of the runs lose none of them. A lost one costs at most 128 others, 0.9 s of what the receiver takes.
RARE_LOSS, RARE_SECONDS, RARE_RUNS = "0.05%", 20, 10
# A turn of two callers takes six seconds.
CYCLES = int(os.environ.get("RDMAREADY_CYCLES", "500" if WHOLE else "20"))
GROUPS = (((1, 2), 3), ((4, 5), 6))  # senders and receiver, of two incasts at once
EACH = 5  # turns: the devices are looked at
MOST_SECONDS = 4
MOST_GROWTH_MB = 16
DEVICE = "rxe0/1"
OFF = "dcb pfc set dev dcb0 prio-pfc all:off; dcb pfc show dev dcb0 | grep '3:off'"
LOSSLESS, CONTROLLED, COLLAPSING = "lossless-works", "lossy-but-controlled", "collapsing"
IN_NIC = "^first lost in HOST3's NIC dcb0"

# Written before the first run. Set-up -> what is done, the verdict, what the culprit says. Their losses are never "lossy but controlled": rxe sends all
# packets from the lost one on again, and waits 4.3 s where the first of them is lost again. So most of what the receiver takes is thrown away, and
# less than half of its rate is goodput.
TABLE = {
    # The receiver's NIC stops the switch at 16 KB and the switch stops the senders at 128 KB. Nothing overflows and nothing is sent again.
    "right": ([], LOSSLESS, "^$"),
    # The senders go on when the switch stops them. 2.1 MB are under way, and their two ports of the switch have room for 0.8 MB: it drops the rest.
    # No NIC counts these drops, so that the loss is between, and the PFC that is off at the sender is what lets it happen.
    "PFC wrong at the sender": ([("guest", one, OFF) for one in SENDERS], COLLAPSING, "^PFC of priority 3 is off at the sender HOST1$"),
    # The receiver's NIC stops nobody and has no headroom: it drops what does not fit into 32 KB, as the class counts.
    "PFC wrong at the receiver": ([("guest", RECEIVER, OFF)], COLLAPSING, IN_NIC),
    # The receiver's NIC stops its switch port, which goes on at three times the rate that the NIC takes: 0.54 MB of room, 2.1 MB under way. The
    # switch itself stops the senders, since two of them fill one port.
    "PFC wrong at the switch port": ([("switch", RECEIVER, "pfc none")], COLLAPSING, IN_NIC + "(?!.*no sender was paused)"),
    # No frame has a tag, so the switch has all of them in priority 0, which is lossy: it stops no sender, and obeys the receiver's stop in a priority
    # that has no frame. It drops what does not fit into 0.3 MB, and the NIC, which goes by the DSCP, what does not fit into 0.54 MB of priority 3.
    "trust wrong": ([("switch", "all", "trust pcp")], COLLAPSING, IN_NIC + ".*no sender was paused"),
    # The receiver's NIC stops the whole link instead, which the switch counts and ignores. It drops as without PFC.
    "global pause": ([("guest", RECEIVER, OFF), ("guest", RECEIVER, "ethtool -A dcb0 rx on tx on")], COLLAPSING,
                     "^the whole link of HOST3's NIC dcb0 was paused"),
    # Frames are marked, and nobody sends slower: rxe has no rate control, and the NIC no reaction point. The receiver's NIC drops beyond 32 KB.
    "ECN alone": ([("switch", "all", "pfc none"), ("switch", "all", "ecn_kb 8"), ("guest", RECEIVER, OFF),
                   ("guest", RECEIVER, f"echo 8 > {KNOBS}/ecn_kb")], COLLAPSING, IN_NIC),
}


class Incast(unittest.TestCase):
    """A fabric of its own. The subclasses' tests share it by class."""
    HOSTS = 6
    victims = VICTIM
    rate_mbps, drain_mbps = RATE_MBPS, DRAIN_MBPS

    @classmethod
    def setUpClass(cls):
        cls.name = f"{fabric.NAME}-incast"
        cls.addClassCleanup(fabric.launcher, "down", name=cls.name)
        fabric.launcher("up", "--hosts", cls.HOSTS, "--tls", "--deadline", 120, "--agent", tool.BIN / "rdmaready-agent", name=cls.name)
        status = fabric.launcher("status", name=cls.name).stdout
        cls.hosts = {int(line.split()[0]): line.split()[1] for line in status.splitlines()}
        cls.pki = pathlib.Path(RunDirectory(cls.name).pki())

    def setUp(self):
        self.addCleanup(fabric.put_right, name=self.name)
        self.begin()

    def begin(self):
        """Of guests as after a boot."""
        for setting in SWITCH:
            self.do("switch", "all", setting)
        for number in self.hosts:
            self.do("guest", number, f"echo {self.rate_mbps} > {KNOBS}/wire_mbps; ethtool -s dcb0 speed 100 duplex full autoneg off")
            self.do("switch", number, f"rate_mbps {self.rate_mbps}")
        self.let_victims_wait("delay", VICTIM_DELAY)
        self.do("guest", RECEIVER, "dcb buffer set dev dcb0 prio-buffer all:0 3:1 buffer-size all:0 0:128K 1:32K; "
                                   f"dcb buffer show dev dcb0 | grep 1:32Kb; echo {HEADROOM_KB} > {KNOBS}/headroom_kb; "
                                   f"echo {self.drain_mbps} > {KNOBS}/drain_mbps")

    def let_victims_wait(self, *how):
        for number in self.victims:
            fabric.launcher("fault", number, "netem", *how, name=self.name)

    def do(self, where, which, what):
        if where == "guest":
            fabric.guest(which, what, name=self.name)
        else:
            fabric.launcher("switch", which, *what.split(), name=self.name)

    def words(self, *options, senders=SENDERS, receiver=RECEIVER, caller="client", seconds=SECONDS):
        victim = ["--victim", *(self.hosts[one] for one in self.victims), "--victim-mbps", VICTIM_MBPS] if self.victims else []
        return ["incast", *(self.hosts[one] for one in senders), "--to", self.hosts[receiver], *victim, "--drain-mbps", self.drain_mbps,
                "--duration", f"{seconds}s", "--case", "write-8k", "--qps", max(QUEUE_PAIRS // len(senders), 1), "--profile", "virtual-fabric",
                "--tls-cert", self.pki / f"{caller}.pem", "--tls-key", self.pki / f"{caller}.key", "--tls-ca", self.pki / "ca.pem", "--output", "json", *options]

    def incast(self, *options, **how):
        return tool.rdmaready(*self.words(*options, **how))

    def judged(self, answer):
        """The verdict; an answer without one is none of the four."""
        try:
            return answer.json["verdict"], answer.json["text"], answer.json["culprit"]
        except (ValueError, KeyError):
            return "", str(answer), ""

    def lossless(self, *options, tries=3, **how):
        """The answer of the right set-up, whose verdict is unknown where this machine is too slow at the moment, and no other one. Soak has the
        machine for itself."""
        for _ in range(tries if WHOLE else 1):
            answer = self.incast(*options, **how)
            verdict, text, _culprit = self.judged(answer)
            self.assertIn(verdict, (LOSSLESS, "unknown"), answer)
            print(f"  {text}", flush=True)
            if verdict == LOSSLESS:
                return answer
        self.assertFalse(WHOLE, f"unknown in each of {tries} runs: {answer}")
        return answer

    def once(self, name):
        """Whether the verdict and the culprit are those of the table: empty, or the text. Unknown is a miss."""
        _steps, verdict, wanted = TABLE[name]
        for number, host in self.hosts.items():
            wanted = wanted.replace(f"HOST{number}", re.escape(host))
        seen, text, named = self.judged(self.incast())
        return "" if seen == verdict and re.search(wanted, named) else f"{seen}: {text}: {named}"

    def rows(self, *names):
        """Soak: ten right runs of each, in a seventh more at most: of all seven together 70 in less than 80. A commit: one run, whose machine
        may be too busy."""
        made = 0
        for name in names:
            if made:
                fabric.put_right(name=self.name)
                self.begin()
            for step in TABLE[name][0]:
                self.do(*step)
            right = 0
            while right < RUNS:
                made += 1
                self.assertLessEqual(made, RUNS * len(names) * 8 // 7, f"{name}: right in {right} runs")
                wrong = self.once(name)
                print(f"  {name}: {wrong or 'right'}", flush=True)
                self.assertTrue(WHOLE or not wrong or wrong.startswith("unknown:"), f"{name}: {wrong}")
                right += not WHOLE or not wrong

    def lost_callers(self, cycles, sign):
        """Callers of two incasts at once get the signal: nothing is left, and nothing has grown since the first of them. The command is the caller
        in one turn. The others leave out its look at the hosts, which takes most of its time."""
        self.let_victims_wait("off")
        self.victims = ()
        lost, ended, slowest, before = 0, 0, 0, None
        turns = -(-cycles // len(GROUPS))
        for turn in range(turns):
            start, is_loaded = (self.caller, self.has_begun) if turn else (self.command, self.has_queue_pairs)
            callers = [start(senders, receiver) for senders, receiver in GROUPS]
            loaded = [is_loaded(caller, *senders) for (senders, _receiver), caller in zip(GROUPS, callers)]
            for caller in callers:
                caller.send_signal(sign)
            gone = time.monotonic()
            if turn % EACH == 0 or turn == turns - 1:
                slowest = max(slowest, self.seconds_until_free(gone))
            for caller in callers:
                caller.communicate()
            before = before or self.on_each(self.held_by_agent)
            lost += sum(loaded)
            ended += len(loaded) - sum(loaded)
        as_before = lambda after: [seen[0] for seen in after] == [seen[0] for seen in before]
        after = eventually(lambda: self.on_each(self.held_by_agent), as_before, why=lambda: f"descriptors and MB of agents were {before}")
        print(f"  {lost} callers lost, {ended} given up by the agents before; the slowest end after {slowest:.2f} s, less the time to look; agents' "
              f"descriptors and MB: {before}, {after}", flush=True)
        self.assertGreaterEqual(lost * 2, cycles)
        # The agents end within 1 s, in guests without a processor of their own.
        self.assertLess(slowest, MOST_SECONDS)
        for (_, resident), (_, resident_after) in zip(before, after):
            self.assertLess(resident_after, resident + MOST_GROWTH_MB)

    def command(self, senders, receiver):
        process = tool.start(*self.words(seconds=30, senders=senders, receiver=receiver))
        self.addCleanup(process.kill)
        return process

    def caller(self, senders, receiver):
        process = subprocess.Popen([tool.BIN / "rdmaready-stress-caller", self.pki / "client.pem", self.pki / "client.key", self.pki / "ca.pem",
                                    DEVICE, str(QUEUE_PAIRS // len(senders)), *(self.hosts[one] for one in (receiver, *senders))],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        return process

    def has_queue_pairs(self, caller, *senders):
        eventually(lambda: caller.poll() is not None or self.queue_pairs(*senders) >= QUEUE_PAIRS, every=0.02)
        return caller.poll() is None

    def has_begun(self, caller, *_senders):
        """False where an agent gave its test up, since this machine let it not hear its caller for 0.8 s."""
        said = caller.stdout.readline()
        if said != "begun\n":
            self.assertIn("did not hear its caller", said)
        return caller.poll() is None

    def seconds_until_free(self, since):
        """Less what a look itself takes: the shorter of two right after."""
        look = lambda: self.on_each(lambda number: fabric.assert_device_is_free(number, name=self.name))
        look()
        times = [time.monotonic()]
        for _ in range(2):
            look()
            times.append(time.monotonic())
        return times[0] - since - min(times[1] - times[0], times[2] - times[1])

    def on_each(self, look):
        with ThreadPoolExecutor(len(self.hosts)) as pool:
            return list(pool.map(look, self.hosts))

    def held_by_agent(self, number):
        """Its descriptors and resident MB."""
        look = "pid=$(cat /run/rdmaready-agent.pid); ls /proc/$pid/fd | wc -l; grep VmRSS /proc/$pid/status"
        descriptors, _name, resident, _unit = fabric.guest(number, look, name=self.name).split()
        return int(descriptors), int(resident) // 1024

    def queue_pairs(self, *senders):
        """Those of processes."""
        return sum(fabric.guest(number, "rdma resource show qp", name=self.name).count(" pid ") for number in senders or SENDERS)


class SetUps(Incast):
    """The table, in two halves."""

    @unittest.skipUnless(WHOLE, "soak's")
    def test_pfc(self):
        self.rows(*list(TABLE)[:4])

    def test_the_receiver_and_the_switch(self):
        self.rows(*list(TABLE)[4:] if WHOLE else ["PFC wrong at the receiver"])

    def test_three_senders_with_two_victims_and_a_picture(self):
        with tempfile.TemporaryDirectory(prefix="rdmaready incast ") as folder:
            file = pathlib.Path(folder) / "incast.svg"
            answer = self.lossless("--svg", file, "--second-victim", self.hosts[1], self.hosts[6], senders=(1, 2, 6))
            root = xml.etree.ElementTree.parse(file).getroot()
        curves = {one.get("class") for one in root.iter("{http://www.w3.org/2000/svg}polyline")}
        self.assertLessEqual({"s0", "s1", "s2"}, curves)
        self.assertEqual(schemas.faults(answer.json), [])
        self.assertEqual(len(answer.json["senders"]), 3)
        self.assertIn("second_victim", answer.json)
        if self.judged(answer)[0] == LOSSLESS:
            self.assertIn("(it shares a sender: not judged)", answer.json["text"])

    def test_a_longer_test_than_the_agent_allows_is_refused(self):
        refused = self.incast(seconds=40)
        self.assertEqual(refused.status, 2, refused)
        self.assertIn("too long (limit 30000 ms", refused.out + refused.err)

    def test_a_caller_without_the_role_is_refused(self):
        refused = self.incast(caller="tester")
        self.assertEqual(refused.status, 4, refused)
        self.assertIn("stress", refused.out + refused.err)
        self.assertEqual(self.queue_pairs(), 0)

    def test_an_agent_that_does_not_allow_it_takes_no_part(self):
        self.addCleanup(fabric.launcher, "agent", RECEIVER, "restart", name=self.name)
        fabric.launcher("agent", RECEIVER, "restart", "--no-stress", name=self.name)
        refused = self.incast()
        self.assertNotEqual(refused.status, 0, refused)
        self.assertIn("--allow-stress", refused.out + refused.err)
        self.assertEqual(self.queue_pairs(), 0)

    def test_killed_callers_leave_nothing(self):
        self.lost_callers(CYCLES, signal.SIGKILL)

    @unittest.skipUnless(WHOLE, "soak's")
    def test_interrupted_callers_leave_nothing(self):
        self.lost_callers(CYCLES, signal.SIGINT)


@unittest.skipUnless(WHOLE, "soak's")
class Limits(Incast):
    """More senders, and no processor left."""
    victims = ()

    def test_four_senders(self):
        self.lossless(senders=(1, 2, 4, 5))
        self.do("guest", RECEIVER, OFF)
        verdict, text, culprit = self.judged(self.incast(senders=(1, 2, 4, 5)))
        self.assertIn(verdict, (COLLAPSING, "unknown"), text)
        if verdict == COLLAPSING:
            self.assertIn("'s NIC dcb0", culprit)

    def test_a_rare_loss_is_controlled(self):
        fabric.launcher("fault", SENDERS[0], "netem", f"loss {RARE_LOSS}", name=self.name)
        with tempfile.TemporaryDirectory(prefix="rdmaready incast ") as folder:
            file = pathlib.Path(folder) / "incast.svg"
            for _ in range(RARE_RUNS):
                answer = self.incast("--svg", file, seconds=RARE_SECONDS)
                verdict, text, culprit = self.judged(answer)
                print(f"  {text}: {culprit}", flush=True)
                self.assertIn(verdict, (CONTROLLED, LOSSLESS, "unknown"), text)
                if verdict == CONTROLLED:
                    break
            self.assertEqual(verdict, CONTROLLED)
            self.assertIn("lossy but controlled", file.read_text(encoding="utf-8"))
        self.assertEqual(answer.status, 1, "the profile wants a lossless class")
        self.assertRegex(culprit, rf"^first lost between {re.escape(self.hosts[1])}'s NIC dcb0 and {re.escape(self.hosts[RECEIVER])}'s NIC dcb0")

    def test_a_burned_processor_is_the_limit(self):
        self.do("guest", RECEIVER, "(while :; do :; done) > /dev/null 2>&1 & echo $! > /tmp/burner")
        self.addCleanup(self.do, "guest", RECEIVER, "kill -KILL $(cat /tmp/burner)")
        for _ in range(BURNED_RUNS):
            verdict, text, _culprit = self.judged(self.incast())
            self.assertEqual(verdict, "unknown", text)
            self.assertIn("the machine limits: CPUs of", text)


@unittest.skipUnless(WHOLE, "soak's")
class EightSenders(Incast):
    """More guests than this machine may have processors for: the verdict is right, or unknown."""
    HOSTS = 9
    victims = ()
    rate_mbps, drain_mbps = 2 * RATE_MBPS, 2 * DRAIN_MBPS  # eight queue pairs

    def test_eight_senders(self):
        senders = tuple(number for number in self.hosts if number != RECEIVER)
        verdict, text, _culprit = self.judged(self.incast(senders=senders))
        print(f"  {text}", flush=True)
        self.assertIn(verdict, (LOSSLESS, "unknown"), text)
        self.do("guest", RECEIVER, OFF)
        verdict, text, _culprit = self.judged(self.incast(senders=senders))
        print(f"  {text}", flush=True)
        self.assertIn(verdict, (COLLAPSING, "unknown"), text)


if __name__ == "__main__":
    unittest.main()
