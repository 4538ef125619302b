# SPDX-License-Identifier: Apache-2.0
"""What calls the command elsewhere: Slurm's prolog, NHC, Ansible, Nagios and Icinga, each with a check that ends as the test wants."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

import monitoring
import tool

PACKAGING = tool.ROOT / "packaging"
# Ends as FAKE_STATUS says, and keeps its arguments.
FAKE = '#!/bin/sh\necho "$@" >> "$FAKE_CALLS"\nsleep "${FAKE_SECONDS:-0}"\necho "words of the check | figures=1"\nexit "$FAKE_STATUS"\n'


class Caller(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready where ")
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)
        self.calls = self.place / "calls"
        program = self.place / "bin" / "rdmaready"
        program.parent.mkdir()
        program.write_text(FAKE)
        program.chmod(0o755)

    def run_with(self, status, *command, seconds=0, path=True, timeout=60, **extra):
        self.calls.write_text("")
        environment = {"PATH": f"{self.place}/bin:/usr/sbin:/usr/bin:/sbin:/bin" if path else "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.place),
                       "LC_ALL": "C.UTF-8", "FAKE_STATUS": str(status), "FAKE_SECONDS": str(seconds), "FAKE_CALLS": str(self.calls), **extra}
        return subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, timeout=timeout, stdin=subprocess.DEVNULL,
                              cwd=self.place)


class SlurmsProlog(Caller):
    def prolog(self, status, settings=None, **options):
        file = self.place / "settings"
        if settings is not None:
            file.write_text(settings)
        return self.run_with(status, PACKAGING / "slurm/prolog", RDMAREADY_SLURM_SETTINGS=str(file), SLURM_JOB_ID="42", SLURM_JOB_PARTITION="storage",
                             SLURMD_NODENAME="node1", **options)

    def test_lets_the_job_start_on_a_ready_node_and_says_nothing(self):
        done = self.prolog(0)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.calls.read_text(), "check --output short --max-time 20s\n")

    def test_drains_a_node_that_is_not_ready_and_says_why(self):
        done = self.prolog(1)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("job 42: this node is not ready, so it is drained: words of the check", done.stderr)

    def test_drains_no_node_of_which_it_cannot_be_told(self):
        for status, words in ((2, "wrong way"), (3, "could not be told"), (4, "not reached"), (139, "ended with 139")):
            done = self.prolog(status)
            self.assertEqual((done.returncode, done.stdout), (0, ""), status)
            self.assertIn(words, done.stderr)

    def test_drains_such_a_node_where_the_site_wants_it(self):
        self.assertEqual([self.prolog(status, "unknown=drain\n").returncode for status in (0, 1, 3, 4)], [0, 1, 1, 1])

    def test_does_not_wait_for_a_check_that_hangs(self):
        begun = time.monotonic()
        done = self.prolog(1, "max_time=-9\n", seconds=30)  # and 10 more
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(done.returncode, 0)
        self.assertIn("did not end in 1 s", done.stderr)

    def test_lets_jobs_start_where_nothing_is_installed(self):
        # Where this machine has it installed, that one is asked.
        if shutil.which("rdmaready", path="/usr/sbin:/usr/bin:/sbin:/bin"):
            self.skipTest("rdmaready is installed here")
        done = self.prolog(1, path=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("not installed", done.stderr)

    def test_asks_for_the_partitions_and_with_the_options_that_the_site_names(self):
        self.assertEqual(self.prolog(1, 'partitions="gpu debug"\n').returncode, 0)
        self.assertEqual(self.calls.read_text(), "")
        self.assertEqual(self.prolog(1, 'partitions="gpu storage"\noptions="--profile nvme-roce"\nmax_time=5\n').returncode, 1)
        self.assertEqual(self.calls.read_text(), "check --output short --max-time 5s --profile nvme-roce\n")

    def test_names_options_that_the_command_has(self):
        self.assertEqual(tool.rdmaready("check", "--output", "short", "--max-time", "20s", "--profile", "nvme-roce", "--help").status, 0)


class NodeHealthCheck(Caller):
    """With NHC's die and log, which it calls: what they print is NHC's business."""

    def check(self, status, *arguments, **options):
        script = 'die() { echo "die $*"; }; log() { echo "log $*"; }; . "$1"; shift; check_rdmaready "$@"'
        return self.run_with(status, "bash", "-uc", script, "nhc", PACKAGING / "slurm/rdmaready.nhc", *arguments, **options)

    def test_fails_for_a_node_that_is_not_ready_alone(self):
        for status, returned, said in ((0, 0, ""), (1, 0, ""), (2, 1, "die 1 check_rdmaready: words of the check \n"),
                                       (3, 0, "log check_rdmaready: not told whether this node is ready (status 3): words of the check \n")):
            done = self.check(status)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (returned, said, ""), status)

    def test_takes_no_slip_in_its_own_options_for_a_sick_node(self):
        program = self.place / "path"
        program.mkdir()
        (program / "rdmaready").symlink_to(tool.BIN / "rdmaready")
        script = 'die() { echo "die $*"; }; log() { echo "log $*"; }; . "$1"; shift; check_rdmaready "$@"'
        done = subprocess.run(["bash", "-uc", script, "nhc", PACKAGING / "slurm/rdmaready.nhc", "20", "--profile"], capture_output=True, text=True,
                              env=tool.environment({"PATH": f"{program}:/usr/bin:/bin"}))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("log check_rdmaready: not told whether", done.stdout)

    def test_hands_on_its_options_and_ends_in_time(self):
        self.check(0, 5, "--profile", "nvme-roce")
        self.assertEqual(self.calls.read_text(), "check --output nagios --exit-style nagios --max-time 5s --profile nvme-roce\n")
        begun = time.monotonic()
        done = self.check(2, "-2", seconds=30)
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(done.returncode, 0)
        self.assertIn("status 124", done.stdout)

    def test_is_clean_shell(self):
        # By its name no shell script, so that lint_shell does not see it.
        done = subprocess.run(["shellcheck", PACKAGING / "slurm/rdmaready.nhc"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


class Ansible(Caller):
    def setUp(self):
        super().setUp()
        if shutil.which("ansible-playbook") is None:
            self.skipTest("no ansible here (package ansible-core); tests/run installs it")

    def play(self, status, *options):
        return self.run_with(status, "ansible-playbook", "-i", "localhost,", "-c", "local", "-e", "ansible_become=false", *options, self.playbook(),
                             ANSIBLE_LOCAL_TEMP=str(self.place / "local"), ANSIBLE_REMOTE_TEMP=str(self.place / "remote"), ANSIBLE_NOCOLOR="1",
                             ANSIBLE_ROLES_PATH=str(PACKAGING / "ansible/roles"))

    def playbook(self):
        """The shipped one, for this machine."""
        text = (PACKAGING / "ansible/check.yml").read_text()
        self.assertIn("hosts: storage\n", text)
        made = self.place / "check.yml"
        made.write_text(text.replace("hosts: storage\n", "hosts: all\n"))
        return made

    def test_the_playbook_is_well_formed(self):
        folder = PACKAGING / "ansible"
        done = self.run_with(0, "ansible-playbook", "--syntax-check", "-i", folder / "hosts.ini", folder / "check.yml",
                             ANSIBLE_LOCAL_TEMP=str(self.place / "local"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_inventory_is_that_of_the_command_too(self):
        listed = self.run_with(0, "ansible", "-i", PACKAGING / "ansible/hosts.ini", "storage", "--list-hosts", ANSIBLE_LOCAL_TEMP=str(self.place / "local"))
        hosts = listed.stdout.split()[2:]
        self.assertEqual(len(hosts), 4, listed)
        asked = tool.rdmaready("check", "--inventory", PACKAGING / "ansible/hosts.ini", "--group", "storage", "--timeout", "1", "--output", "jsonl", "--max-time", "2")
        for host in hosts:
            self.assertIn(host, asked.out + asked.err)

    def test_a_ready_host_passes(self):
        done = self.play(0)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.calls.read_text(), "check --output short --max-time 30s\n")

    def test_a_host_that_is_not_ready_fails_with_the_words_of_the_check(self):
        done = self.play(1)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("words of the check", done.stdout)

    def test_a_host_of_which_it_cannot_be_told_fails_unless_that_is_meant(self):
        done = self.play(3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not told whether this host is ready (status 3)", done.stdout)
        self.assertEqual(self.play(3, "-e", '{"rdmaready_unknown_fails": false, "rdmaready_options": ["--level", "loopback"]}').returncode, 0)
        self.assertIn("--level loopback\n", self.calls.read_text())


NAGIOS = """cfg_file={place}/objects.cfg
cfg_file={shipped}
log_file={place}/log
object_cache_file={place}/cache
status_file={place}/status
check_result_path={place}
temp_path={place}
command_file={place}/command
lock_file={place}/lock
state_retention_file={place}/retention
nagios_user=root
nagios_group=root
illegal_macro_output_chars=`~$&|'"<>
"""
# What every installation has, and a host of the group.
OBJECTS = """define timeperiod {
  timeperiod_name 24x7
  alias always
  monday 00:00-24:00
}
define contact {
  contact_name admin
  host_notification_period 24x7
  service_notification_period 24x7
  host_notification_commands check_rdmaready_local
  service_notification_commands check_rdmaready_local
}
define contactgroup {
  contactgroup_name admins
  alias admins
  members admin
}
define host {
  host_name storage1
  address 192.0.2.1
  hostgroups rdma-hosts
  max_check_attempts 1
  check_period 24x7
  notification_period 24x7
  contact_groups admins
}
"""


class Monitoring(Caller):
    def test_nagios_takes_the_definitions(self):
        root, nagios = monitoring.root_with("nagios4")
        libraries = {"LD_LIBRARY_PATH": str(root / monitoring.LIBRARIES)}
        (self.place / "objects.cfg").write_text(OBJECTS)
        (self.place / "nagios.cfg").write_text(NAGIOS.format(place=self.place, shipped=PACKAGING / "nagios/rdmaready.cfg"))
        done = self.run_with(0, nagios, "-v", self.place / "nagios.cfg", **libraries)
        self.assertIn("Total Warnings: 0\nTotal Errors:   0\n", done.stdout)
        self.assertIn("Checked 1 services", done.stdout)
        (self.place / "objects.cfg").write_text(OBJECTS.replace("hostgroups rdma-hosts", "hostgroups others"))
        self.assertNotEqual(self.run_with(0, nagios, "-v", self.place / "nagios.cfg", **libraries).returncode, 0)

    def test_icinga_takes_the_definitions(self):
        root, icinga = monitoring.root_with("icinga2")
        config = self.place / "icinga2.conf"
        text = f'include <itl>\nobject Host "storage1" {{ check_command = "dummy"\n vars.rdma = true }}\ninclude "{PACKAGING}/nagios/icinga2.conf"\n'
        for written, accepted in ((text, True), (text.replace("vars.rdma =", "vars.rdma +"), False)):
            config.write_text(written)
            done = self.run_with(0, icinga, "daemon", "-C", "-c", config, f"-DIncludeConfDir={root}/usr/share/icinga2/include", "-DRunAsUser=root",
                                 "-DRunAsGroup=root", *(f"-D{name}={self.place}" for name in ("DataDir", "LogDir", "CacheDir", "InitRunDir")),
                                 LD_LIBRARY_PATH=str(root / monitoring.LIBRARIES))
            self.assertEqual(done.returncode == 0, accepted, done.stdout)
            self.assertEqual("Instantiated 1 Service" in done.stdout, accepted, done.stdout)

    def test_every_option_that_they_name_is_one(self):
        text = (PACKAGING / "nagios/rdmaready.cfg").read_text() + (PACKAGING / "nagios/icinga2.conf").read_text()
        told = tool.rdmaready("check", "--help").out
        options = set(re.findall(r"--[a-z-]+", text))
        self.assertGreaterEqual(options, {"--output", "--exit-style", "--max-time", "--tls-ca"})
        for option in options:
            self.assertIn(f"{option} ", told)


if __name__ == "__main__":
    unittest.main()
