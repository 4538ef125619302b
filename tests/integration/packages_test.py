# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, as far as they can be judged without installing them: tests/fabric/suite/service_test.py does that."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import tool

# The figures of `systemd-analyze security` that are held: at most.
WORST_EXPOSURE = {"rdmaready-agent": 2.0, "rdmaready-reader": 4.0, "rdmaready-listener": 4.0, "rdmaready-prover": 4.0,
                  "rdmaready-applier": 4.0, "rdmaready-pauser": 4.0, "rdmaready-hub": 2.0}
HUB_UNIT = "rdmaready-hub.service"
# Of each package with maintainer scripts: its own file below /etc/rdmaready.
SETTINGS = {"rdmaready-agent": "agent.yaml", "rdmaready-hub": "hub.yaml"}


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

    def test_all_are_of_one_version_and_name_what_they_need(self):
        self.assertEqual([pathlib.Path(path).name.split("_")[0] for path in self.packages], ["rdmaready-agent", "rdmaready-hub", "rdmaready"])
        for package in ("rdmaready", "rdmaready-agent"):
            self.assertRegex(self.control(package, "Version"), r"^\d+\.\d+\.\d+-7$")
            self.assertIn("libibverbs1", self.control(package, "Depends"))
        for package in SETTINGS:
            self.assertIn("systemd", self.control(package, "Depends"))
        self.assertEqual(self.control("rdmaready-hub", "Version"), self.control("rdmaready-agent", "Version"))
        # It reads no host.
        self.assertNotIn("ibverbs", self.control("rdmaready-hub", "Depends"))

    def test_every_file_below_etc_is_a_conffile(self):
        below = sorted(f"/{path.relative_to(self.unpacked)}" for path in (self.unpacked / "etc").rglob("*") if path.is_file())
        named = {package: (self.root / "control" / package / "conffiles").read_text().split() for package in SETTINGS}
        self.assertEqual(sorted(path for paths in named.values() for path in paths), below)
        for package, settings in SETTINGS.items():
            self.assertIn(f"/etc/rdmaready/{settings}", named[package])

    def test_maintainer_scripts_are_plain_shell_and_name_every_unit(self):
        scripts = {package: [self.root / "control" / package / name for name in ("postinst", "prerm", "postrm")] for package in SETTINGS}
        for script in sum(scripts.values(), []):
            self.assertEqual(run("dash", "-n", script).stderr, "")
            self.assertEqual(run("shellcheck", "--shell=sh", script).stdout, "")
            self.assertNotIn("@", re.sub(r"@\{?\w*\}?\.service", "", script.read_text()).replace("$@", ""))
        for unit in self.units:
            own, other = ("rdmaready-hub", "rdmaready-agent") if unit.name == HUB_UNIT else ("rdmaready-agent", "rdmaready-hub")
            for script in scripts[own][1:]:
                self.assertIn(unit.name, script.read_text())
            for script in scripts[other]:
                self.assertNotIn(unit.name, script.read_text())

    def purge(self, package, *there):
        """What is left of these files after this package's purge, which dpkg begins by removing its settings. Over a file system of its own."""
        script = self.root / "control" / package / "postrm"
        steps = """for place in /etc /var /run; do mount -t tmpfs none "$place" || exit 90; done
script=$1; shift
for file; do mkdir -p "${file%/*}" && touch "$file" || exit 91; done
sh "$script" purge && find /etc /var /run -type f | sort"""
        done = run("unshare", "--mount", "sh", "-c", steps, "-", script, *there, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split()

    @unittest.skipUnless(os.geteuid() == 0, "takes root: it mounts")
    def test_a_purge_takes_what_is_the_packages_own(self):
        etc = "/etc/rdmaready/"
        self.assertEqual(self.purge("rdmaready-agent", f"{etc}apply.yaml", f"{etc}a.key", "/var/lib/rdmaready/x", "/var/log/rdmaready/audit.log"), [])
        self.assertEqual(self.purge("rdmaready-hub", f"{etc}hub.key", "/var/lib/rdmaready-hub/fleet.db", "/etc/apparmor.d/local/rdmaready-hub"), [])
        # On a machine that has both, each leaves the other's; and neither ends a CA.
        of_hub = ["/etc/apparmor.d/local/rdmaready-hub", f"{etc}hub.key", f"{etc}hub.yaml", "/var/lib/rdmaready-hub/fleet.db"]
        self.assertEqual(self.purge("rdmaready-agent", f"{etc}apply.yaml", "/var/lib/rdmaready/x", *of_hub), of_hub)
        of_agent = ["/etc/apparmor.d/local/rdmaready-agent", f"{etc}agent.yaml", f"{etc}ca.pem", "/var/lib/rdmaready/x"]
        self.assertEqual(self.purge("rdmaready-hub", "/var/lib/rdmaready-hub/fleet.db", *of_agent), of_agent)
        for package in SETTINGS:
            self.assertEqual(self.purge(package, f"{etc}pki/ca.key"), [f"{etc}pki/ca.key"])

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

    def test_the_hub_has_no_right_its_own_user_and_nothing_of_rdma(self):
        lines = (self.unpacked / "lib/systemd/system" / HUB_UNIT).read_text().splitlines()
        for line in ("CapabilityBoundingSet=", "AmbientCapabilities=", "User=rdmaready-hub", "NoNewPrivileges=yes", "Type=notify", "WatchdogSec=3min",
                     "StateDirectory=rdmaready-hub", "LimitNOFILE=65536", "PrivateDevices=yes", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX"):
            self.assertIn(line, lines)
        self.assertEqual([line for line in lines if line.startswith(("DeviceAllow", "ReadWritePaths", "Sockets"))], [])
        # The same sandbox as the agent's, but for what belongs to RDMA, and more of it.
        agent = (self.unpacked / "lib/systemd/system/rdmaready-agent.service").read_text().splitlines()
        held = {line for line in agent if re.match(r"(Protect|Private|Restrict|Lock|Memory(Deny)|Remove|Keyring|DevicePolicy|SystemCall|Inaccess|NoNew|UMask)", line)}
        self.assertEqual(held - set(lines), {line for line in agent if line.startswith("RestrictAddressFamilies") or line.endswith("=sched_setaffinity")})

    def test_the_hubs_settings_are_what_it_understands(self):
        text = (self.unpacked / "etc/rdmaready/hub.yaml").read_text()
        known = run(self.unpacked / "usr/sbin/rdmaready-hub", "--help").stdout
        keys = re.findall(r"^#?([a-z_]+):", text, re.M)
        self.assertEqual({f"--{key.replace('_', '-')}" for key in keys},
                         set(re.findall(r"^  (--[a-z-]+)", known, re.M)) - {"--config", "--insecure", "--version"})
        every = self.root / "every.yaml"
        # Each line without its #, to be refused for what is not there and not for a key or a value.
        every.write_text(re.sub(r"^#([a-z_]+:)", r"\1", text, flags=re.M).replace("listen: 127.0.0.1:7473\n", "").replace("/var/lib/rdmaready-hub", str(self.root / "state")))
        refused = run(self.unpacked / "usr/sbin/rdmaready-hub", "--config", every)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("/etc/rdmaready/", refused.stderr)
        self.assertNotIn("every.yaml", refused.stderr)

    def test_apparmor_takes_every_profile(self):
        profiles = sorted((self.unpacked / "etc/apparmor.d").iterdir())
        self.assertEqual([path.name for path in profiles], [unit.stem for unit in self.units if unit.suffix == ".service"])
        for path in profiles:
            done = run("apparmor_parser", "--skip-kernel-load", "--skip-cache", path)
            # Where the kernel has no AppArmor the parser says so.
            said = [line for line in done.stderr.splitlines() if not line.startswith("Cache read/write disabled")]
            self.assertEqual((done.returncode, said), (0, []), path.name)

    def test_apparmor_lets_every_unit_of_type_notify_say_that_it_is_ready(self):
        notifying = [unit for unit in self.units if re.search(r"(?m)^Type=notify", unit.read_text())]
        self.assertGreaterEqual({unit.stem for unit in notifying}, {"rdmaready-agent", "rdmaready-applier", "rdmaready-hub"})
        for unit in notifying:
            # Without the rule systemd kills the process at the end of TimeoutStartSec, again and again.
            self.assertRegex((self.unpacked / "etc/apparmor.d" / unit.stem).read_text(), r"(?m)^  /run/systemd/notify w,$", unit.name)

    def test_opens_no_tcp_port_by_default(self):
        settings = (self.unpacked / "etc/rdmaready/agent.yaml").read_text()
        self.assertEqual(re.findall(r"(?m)^(?:listen|metrics_listen|plain_role):.*", settings), [])
        help_text = run(self.unpacked / "usr/sbin/rdmaready-agent", "--help").stdout
        for option in ("--listen", "--metrics-listen"):
            self.assertRegex(help_text, rf"{option} ADDR:PORT[^-]*none\s+\(default\)")

    def test_users_and_directories_are_what_systemd_understands(self):
        shown = run("systemd-sysusers", "--dry-run", self.unpacked / "usr/lib/sysusers.d/rdmaready.conf")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for name in ("rdmaready", "rdmaready-observe", "rdmaready-test"):
            self.assertRegex((self.unpacked / "usr/lib/sysusers.d/rdmaready.conf").read_text(), rf"(?m)^[ug] {name} ")
        shown = run("systemd-sysusers", "--dry-run", self.unpacked / "usr/lib/sysusers.d/rdmaready-hub.conf")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex((self.unpacked / "usr/lib/sysusers.d/rdmaready-hub.conf").read_text(), r"(?m)^u rdmaready-hub ")

    def test_the_programs_say_what_they_are_also_in_their_manual(self):
        for program, page in (("usr/bin/rdmaready", "man1/rdmaready.1.gz"), ("usr/sbin/rdmaready-agent", "man8/rdmaready-agent.8.gz"),
                              ("usr/sbin/rdmaready-hub", "man8/rdmaready-hub.8.gz")):
            shown = run(self.unpacked / program, "--help").stdout
            manual = run("zcat", self.unpacked / "usr/share/man" / page).stdout.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
            for option in re.findall(r"^  (--[a-z-]+)", shown, re.M):
                self.assertIn(option, manual)

    def test_each_has_the_readme_of_what_it_is(self):
        for path in ("rdmaready/README.md", "rdmaready/START.md", "rdmaready/profiles.md", "rdmaready-agent/README.md", "rdmaready-hub/README.md"):
            self.assertTrue((self.unpacked / "usr/share/doc" / path).is_file(), path)

    def test_an_installation_elsewhere_names_its_own_paths(self):
        done = run("cmake", "--install", tool.BIN.parent, "--prefix", "/opt/rdmaready", env={**tool.environment(), "DESTDIR": str(self.root / "else where")})
        self.assertEqual(done.returncode, 0, done.stderr)
        prefix = self.root / "else where" / "opt/rdmaready"
        unit = (prefix / "lib/systemd/system/rdmaready-agent.service").read_text()
        self.assertIn("ExecStart=/opt/rdmaready/sbin/rdmaready-agent --config /opt/rdmaready/etc/rdmaready/agent.yaml\n", unit)
        unit = (prefix / "lib/systemd/system" / HUB_UNIT).read_text()
        self.assertIn("ExecStart=/opt/rdmaready/sbin/rdmaready-hub --config /opt/rdmaready/etc/rdmaready/hub.yaml\n", unit)
        self.assertTrue((prefix / "bin/rdmaready").is_file())
        self.assertFalse((self.root / "else where/etc").exists(), "nothing beside the prefix")


if __name__ == "__main__":
    unittest.main()
