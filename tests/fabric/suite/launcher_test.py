# SPDX-License-Identifier: Apache-2.0
"""The virtual fabric itself: what its launcher promises. Everything else stands on this."""
import concurrent.futures
import pathlib
import re
import subprocess
import time
import unittest

import fabric
import slices
import cli  # of the launcher
import machine

CLOCK_S = 2


class TheLauncher(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()

    def run_in(self, number, *command, **options):
        return fabric.launcher("exec", *options.get("before", ()), number, "--", *command, check=False)

    def test_exec_passes_status_output_and_errors_on(self):
        done = self.run_in(1, "sh", "-c", "echo out; echo err >&2; exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "out\n", "err\n"))

    def test_exec_takes_arguments_and_no_shell(self):
        self.assertEqual(self.run_in(2, "printf", "%s|", "a b", "$HOME", "").stdout, "a b|$HOME||")

    def test_exec_carries_much_output(self):
        self.assertEqual(len(self.run_in(1, "head", "-c", "3000000", "/dev/zero").stdout), 3000000)

    def test_exec_runs_several_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = pool.map(lambda n: self.run_in(1 + n % 2, "sh", "-c", f"sleep 1; hostname; echo {n}").stdout, range(4))
        self.assertEqual(list(answers), [f"guest{1 + n % 2}\n{n}\n" for n in range(4)])

    def test_exec_ends_a_command_that_takes_too_long(self):
        self.assertEqual(self.run_in(1, "sleep", "987", before=("--timeout", 1)).returncode, 124)
        self.assertNotIn("sleep 987", fabric.guest(1, "ps ax -o args"))

    def test_a_guest_that_is_not_there_is_named(self):
        done = self.run_in(9, "true")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_each_guest_that_there_can_be_has_addresses_of_its_own(self):
        numbers = range(1, cli.MAX_HOSTS + 1)
        macs = [machine.mgmt_mac(number) for number in numbers] + [machine.wire_mac(number, rail) for number in numbers for rail in (1, 2)]
        self.assertEqual(len(set(macs)), 3 * cli.MAX_HOSTS)
        for mac in macs:
            self.assertRegex(mac, "^52(:[0-9a-f]{2}){5}$")

    def test_a_guests_clock_runs_as_fast_as_this_machines(self):
        now = lambda number: (time.monotonic(), float(fabric.guest(number, "cat /proc/uptime").split()[0]), time.monotonic())
        first = {number: now(number) for number in self.hosts}
        for number in self.hosts:
            # A look was at some time between its two ends.
            least, most, passed = 0, 1, 0
            while most > least * 1.2:
                time.sleep(CLOCK_S)
                before, there, after = zip(first[number], now(number))
                least, most, passed = before[1] - after[0], after[1] - before[0], there[1] - there[0]
            self.assertGreater(passed, least * 0.75, fabric.guest(number, "dmesg | grep tsc"))
            self.assertLess(passed, most * 1.25, fabric.guest(number, "dmesg | grep tsc"))

    def test_up_again_is_harmless(self):
        before = fabric.launcher("status").stdout
        self.assertEqual(fabric.bring_up(), self.hosts)
        strip = lambda text: re.sub(r"minutes_left=\d+", "", text)
        self.assertEqual(strip(fabric.launcher("status").stdout), strip(before))

    def test_reset_boots_a_guest_that_it_cannot_reset_and_says_why(self):
        boots = lambda: [fabric.guest(number, "cat /proc/sys/kernel/random/boot_id") for number in (1, 2)]
        before = boots()
        self.assertEqual(self.run_in(2, "sh", "-c", "echo 'exec sleep 987' >> /run/fabric/conf").returncode, 0)
        done = fabric.launcher("reset", "--timeout", 20, 1, 2)
        self.assertRegex(done.stderr, r"guest 2 was not reset\nguest 2: .+/guest/reset takes longer than 20 s\n(.*\n)*.*sysrq: Show Blocked State")
        self.assertIn("guest 2: ready", done.stderr)
        after = boots()
        self.assertEqual((after[0], after[1] == before[1]), (before[0], False))
        fabric.put_right()

    def test_down_leaves_no_process_and_no_file(self):
        name = f"{fabric.NAME}-other"
        command = [fabric.LAUNCHER, "up", "--name", name, "--hosts", "1", "--agent", "/nowhere"]
        up = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(up.returncode, 0, up.stderr)
        pid = int(re.search(r"pid=(\d+)", up.stdout).group(1))
        self.assertIn(name, pathlib.Path(f"/proc/{pid}/cmdline").read_text())
        for _ in range(2):
            subprocess.run([fabric.LAUNCHER, "down", "--name", name], check=True, timeout=60)
        self.assertFalse(self.runs(pid))
        self.assertIn("running", fabric.launcher("status").stdout)

    @staticmethod
    def runs(pid):
        """A zombie, which only its parent can bury, has ended."""
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def test_the_kernel_is_debians_and_the_device_is_soft_roce(self):
        self.assertRegex(fabric.guest(1, "uname -r"), r"^6\.12\.\d+\+deb12-amd64")
        self.assertIn("rxe0/1 state ACTIVE", fabric.guest(1, "rdma link"))


load_tests = slices.turns(1, 4)

if __name__ == "__main__":
    unittest.main()
