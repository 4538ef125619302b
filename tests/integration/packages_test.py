# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, as far as they can be judged without installing them: tests/fabric/suite/service_test.py does that."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import tool

# The figures of `systemd-analyze security` that are held: at most.
WORST_EXPOSURE = {"rdmaready-agent": 2.0, "rdmaready-reader": 4.0, "rdmaready-listener": 4.0, "rdmaready-prover": 4.0,
                  "rdmaready-applier": 4.0}


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


class ThePackages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready packages ")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.root = pathlib.Path(cls.directory.name)
        done = run(tool.ROOT / "packaging" / "build-packages", "--no-build", "--out", cls.root, "--release", "7")
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.packages = done.stdout.splitlines()
        (cls.root / "control").mkdir()
        for path in cls.packages:
            run("dpkg-deb", "-x", path, cls.root / "unpacked", check=True)
            run("dpkg-deb", "-e", path, cls.root / "control" / pathlib.Path(path).name.split("_")[0], check=True)
        cls.unpacked = cls.root / "unpacked"
        cls.units = sorted((cls.unpacked / "lib/systemd/system").iterdir())

    def control(self, package, field):
        return re.search(rf"^{field}: (.*)$", (self.root / "control" / package / "control").read_text(), re.M).group(1)

    def test_lintian_has_nothing_to_say(self):
        # Of the whole of it, also what it says of a package quietly.
        done = run("lintian", "--allow-root", "--fail-on", "error,warning,override", "--no-cfg", *self.packages, timeout=120)
        self.assertEqual(done.stdout.strip(), "")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_both_are_of_one_version_and_name_what_they_need(self):
        self.assertEqual([pathlib.Path(path).name.split("_")[0] for path in self.packages], ["rdmaready-agent", "rdmaready"])
        for package in ("rdmaready", "rdmaready-agent"):
            self.assertRegex(self.control(package, "Version"), r"^\d+\.\d+\.\d+-7$")
            self.assertIn("libibverbs1", self.control(package, "Depends"))
        self.assertIn("systemd", self.control("rdmaready-agent", "Depends"))

    def test_every_file_below_etc_is_a_conffile(self):
        below = sorted(f"/{path.relative_to(self.unpacked)}" for path in (self.unpacked / "etc").rglob("*") if path.is_file())
        self.assertEqual(sorted((self.root / "control/rdmaready-agent/conffiles").read_text().split()), below)
        self.assertIn("/etc/rdmaready/agent.yaml", below)

    def test_maintainer_scripts_are_plain_shell_and_name_every_unit(self):
        scripts = [self.root / "control/rdmaready-agent" / name for name in ("postinst", "prerm", "postrm")]
        for script in scripts:
            self.assertEqual(run("dash", "-n", script).stderr, "")
            self.assertEqual(run("shellcheck", "--shell=sh", script).stdout, "")
            self.assertNotIn("@", re.sub(r"@\{?\w*\}?\.service", "", script.read_text()).replace("$@", ""))
        for unit in self.units:
            for script in scripts[1:]:
                self.assertIn(unit.name, script.read_text())

    def test_units_are_well_formed(self):
        done = run("systemd-analyze", "verify", "--root", self.unpacked, "--man=no", "--recursive-errors=no", *(unit.name for unit in self.units))
        ours = [line for line in done.stderr.splitlines() if "rdmaready" in line and "is not executable" not in line]
        self.assertEqual([line for line in ours if "Unknown" in line or "Failed to parse" in line or "ignoring" in line], [])
        for unit in self.units:
            self.assertNotRegex(unit.read_text(), r"@[A-Z_]+@")

    def test_systemd_finds_little_exposed(self):
        services = [unit for unit in self.units if unit.suffix == ".service"]
        self.assertIn("rdmaready-agent.service", [unit.name for unit in services])
        for unit in services:
            shown = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
            figure = float(re.search(r"Overall exposure level for \S+ ([\d.]+)", shown).group(1))
            self.assertLessEqual(figure, WORST_EXPOSURE[unit.stem], f"{unit.name}\n{shown}")

    def test_the_agent_has_no_capability_and_its_own_user(self):
        lines = (self.unpacked / "lib/systemd/system/rdmaready-agent.service").read_text().splitlines()
        for line in ("CapabilityBoundingSet=", "AmbientCapabilities=", "User=rdmaready", "NoNewPrivileges=yes", "Type=notify"):
            self.assertIn(line, lines)

    def test_apparmor_takes_every_profile(self):
        profiles = sorted((self.unpacked / "etc/apparmor.d").iterdir())
        self.assertEqual([path.name for path in profiles], [unit.stem for unit in self.units if unit.suffix == ".service"])
        for path in profiles:
            done = run("apparmor_parser", "--skip-kernel-load", "--skip-cache", path)
            # Where the kernel has no AppArmor the parser says so.
            said = [line for line in done.stderr.splitlines() if not line.startswith("Cache read/write disabled")]
            self.assertEqual((done.returncode, said), (0, []), path.name)

    def test_users_and_directories_are_what_systemd_understands(self):
        shown = run("systemd-sysusers", "--dry-run", self.unpacked / "usr/lib/sysusers.d/rdmaready.conf")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for name in ("rdmaready", "rdmaready-observe", "rdmaready-test"):
            self.assertRegex((self.unpacked / "usr/lib/sysusers.d/rdmaready.conf").read_text(), rf"(?m)^[ug] {name} ")

    def test_the_programs_say_what_they_are_also_in_their_manual(self):
        for program, page in (("usr/bin/rdmaready", "man1/rdmaready.1.gz"), ("usr/sbin/rdmaready-agent", "man8/rdmaready-agent.8.gz")):
            shown = run(self.unpacked / program, "--help").stdout
            manual = run("zcat", self.unpacked / "usr/share/man" / page).stdout.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
            for option in re.findall(r"^  (--[a-z-]+)", shown, re.M):
                self.assertIn(option, manual)

    def test_an_installation_elsewhere_names_its_own_paths(self):
        done = run("cmake", "--install", tool.BIN.parent, "--prefix", "/opt/rdmaready", env={**tool.environment(), "DESTDIR": str(self.root / "else where")})
        self.assertEqual(done.returncode, 0, done.stderr)
        prefix = self.root / "else where" / "opt/rdmaready"
        unit = (prefix / "lib/systemd/system/rdmaready-agent.service").read_text()
        self.assertIn("ExecStart=/opt/rdmaready/sbin/rdmaready-agent --config /opt/rdmaready/etc/rdmaready/agent.yaml\n", unit)
        self.assertTrue((prefix / "bin/rdmaready").is_file())
        self.assertFalse((self.root / "else where/etc").exists(), "nothing beside the prefix")


if __name__ == "__main__":
    unittest.main()
