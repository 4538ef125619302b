# SPDX-License-Identifier: Apache-2.0
"""The rpm packages, as far as they can be judged on Debian: unpacked into an empty root that has nothing but what they ask for, and started."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import tool

PROGRAMS = ("usr/bin/rdmaready", "usr/sbin/rdmaready-agent", "usr/sbin/rdmaready-hub")
HELPERS = ("usr/libexec/rdmaready/rdmaready-reader", "usr/libexec/rdmaready/rdmaready-listener", "usr/libexec/rdmaready/rdmaready-prover",
           "usr/libexec/rdmaready/rdmaready-applier", "usr/libexec/rdmaready/rdmaready-pauser")
PACKAGES = ("rdmaready", "rdmaready-agent", "rdmaready-hub")
# In the root, on what the kernel shows of this machine: the agent, and a check that is answered by it.
STARTED = """
mount --rbind /proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" || exit 90
chroot "$1" /usr/sbin/rdmaready-agent --listen 127.0.0.1:0 --metrics-listen none --state-dir /var/state 2> "$1/log" &
agent=$!
tries=0
while [ ! -S "$1/run/agent.sock" ] && [ $tries -lt 200 ] && kill -0 $agent; do sleep 0.1; tries=$((tries + 1)); done
chroot "$1" /usr/bin/rdmaready check --output json
status=$?
kill $agent
wait $agent
echo "agent ended with $?" >&2
exit $status
"""


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


class TheRpms(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready rpms ")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.root = pathlib.Path(cls.directory.name)
        done = run(tool.ROOT / "packaging" / "build-packages", "rpm", "--out", cls.root, "--release", "7", timeout=1700)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.packages = [pathlib.Path(line) for line in done.stdout.splitlines()]
        cls.unpacked = cls.root / "root"
        (cls.unpacked / "var/lib/rpm").mkdir(parents=True)
        # Dependencies are looked at below; what is in this root is no rpm's.
        run("rpm", "--root", cls.unpacked, "--dbpath", "/var/lib/rpm", "-i", "--nodeps", "--noscripts", *cls.packages, check=True)

    def query(self, package, *what):
        done = run("rpm", "-qp", *what, next(path for path in self.packages if re.match(rf"{package}-\d", path.name)))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def needed(self):
        return {line for package in PACKAGES for line in self.query(package, "--requires")}

    def test_all_are_made_in_this_release(self):
        self.assertEqual([re.sub(r"\d+\.\d+\.\d+", "V", path.name) for path in self.packages],
                         ["rdmaready-V-7.x86_64.rpm", "rdmaready-agent-V-7.x86_64.rpm", "rdmaready-hub-V-7.x86_64.rpm"])

    def test_rpmlint_has_nothing_to_say(self):
        done = run("rpmlint", "--config", tool.ROOT / "packaging/rpm/rpmlint.toml", *self.packages, timeout=120)
        self.assertIn("3 packages and 0 specfiles checked; 0 errors, 0 warnings", done.stdout, done.stderr)
        for page in ("man1/rdmaready.1.gz", "man8/rdmaready-agent.8.gz", "man8/rdmaready-hub.8.gz"):
            self.assertTrue((self.unpacked / "usr/share/man" / page).is_file(), page)

    def test_the_glibc_that_is_named_is_what_the_programs_ask_for(self):
        versions = {tuple(map(int, found.split("."))) for line in self.needed() for found in re.findall(r"\(GLIBC_([\d.]+)\)", line)}
        newest = ".".join(map(str, max(versions)))
        for package in PACKAGES:
            self.assertIn(f"glibc >= {newest}", self.query(package, "--requires"))
        self.assertIn(f"glibc {newest}", (tool.ROOT / "packaging/README.md").read_text())

    def test_what_others_have_in_other_versions_is_linked_in(self):
        self.assertNotRegex("\n".join(self.needed()), r"lib(grpc|gpr|protobuf|absl|fmt|spdlog|yaml-cpp|prometheus|re2|cares|upb|stdc\+\+)")
        for program in PROGRAMS + HELPERS:
            self.assertNotIn("RUNPATH", run("readelf", "-d", self.unpacked / program).stdout)

    def test_settings_are_kept_and_apparmor_is_left_out(self):
        self.assertEqual(self.query("rdmaready-agent", "-c"), ["/etc/rdmaready/agent.yaml"])
        self.assertEqual(self.query("rdmaready-hub", "-c"), ["/etc/rdmaready/hub.yaml"])
        unit = "/usr/lib/systemd/system/rdmaready-hub.service"
        self.assertIn(unit, self.query("rdmaready-hub", "-l"))
        self.assertNotIn(unit, self.query("rdmaready-agent", "-l"))
        files = [name for package in PACKAGES for name in self.query(package, "-l")]
        self.assertEqual([name for name in files if "apparmor" in name or "lintian" in name or name.startswith("/lib/")], [])
        for name in ("sysusers.d/rdmaready.conf", "tmpfiles.d/rdmaready.conf", "systemd/system/rdmaready-agent.service"):
            self.assertIn(f"/usr/lib/{name}", files)
        for name in ("bash-completion/completions/rdmaready", "fish/vendor_completions.d/rdmaready.fish", "zsh/site-functions/_rdmaready"):
            self.assertIn(f"/usr/share/{name}", files)

    def test_the_licences_of_what_is_linked_in_are_there(self):
        for package in PACKAGES:
            names = " ".join(path.name for path in (self.unpacked / "usr/share/licenses" / package).iterdir())
            for linked in ("LICENSE", "grpc", "protobuf", "absl", "re2", "c-ares", "fmt", "spdlog", "yaml-cpp", "prometheus-cpp", "stdc++"):
                self.assertIn(linked, names)

    def test_scripts_are_plain_shell_and_leave_prover_pauser_and_applier_off(self):
        for kind in ("PREIN", "POSTIN", "PREUN", "POSTUN"):
            for package in ("rdmaready-agent", "rdmaready-hub"):
                script = "\n".join(self.query(package, "--qf", f"%{{{kind}}}"))
                if script == "(none)":
                    continue
                done = subprocess.run(["shellcheck", "-s", "sh", "-"], input=script + "\n", capture_output=True, text=True)
                self.assertEqual(done.stdout, "")
                self.assertNotRegex(script, r"@[A-Z_]+@")
        preset = re.search(r"preset (.*?) \|\|", "\n".join(self.query("rdmaready-agent", "--qf", "%{POSTIN}"))).group(1).split()
        self.assertIn("rdmaready-agent.service", preset)
        self.assertNotIn("rdmaready-prover.socket", preset)
        self.assertNotIn("rdmaready-pauser.socket", preset)
        self.assertFalse([unit for unit in preset if "applier" in unit])

    def libraries(self):
        """The files of the libraries that the packages ask for, and of theirs: what rpm would bring."""
        known = dict(re.findall(r"^\s*(\S+) \(.*x86-64.*\) => (\S+)$", run("ldconfig", "-p").stdout, re.M))
        wanted = {found.group(1) for line in self.needed() if (found := re.match(r"((?:lib|ld-)\S+\.so\.\d+)\(", line))}
        self.assertEqual(wanted - set(known), set())
        files = {known[name] for name in wanted}
        for name in wanted:
            files |= set(re.findall(r"=> (/\S+)", run("ldd", known[name]).stdout))
        return files

    def test_in_an_empty_root_the_agent_answers(self):
        root = self.root / "empty"
        shutil.copytree(self.unpacked, root, symlinks=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (root / "usr" / name).mkdir(exist_ok=True)
            (root / name).symlink_to(f"usr/{name}")
        for name in ("proc", "sys", "dev", "run", "tmp"):
            (root / name).mkdir()
        loader = "/lib64/ld-linux-x86-64.so.2"
        for file in self.libraries() | {loader}:
            (root / file[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, root / file[1:])
        shown = run("chroot", root, "/usr/bin/rdmaready", "version")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("--store", run("chroot", root, "/usr/sbin/rdmaready-hub", "--help").stdout)
        for helper in HELPERS:
            self.assertIn("--user", run("chroot", root, f"/{helper}", "--help").stdout)
        done = run("unshare", "--mount", "sh", "-c", STARTED, "sh", root, env=tool.environment({"RDMAREADY_SOCKET": "/run/agent.sock"}), timeout=60)
        said = f"{done.stderr}\n{(root / 'log').read_text()}"
        self.assertIn("agent ended with 0", done.stderr, said)
        self.assertIn(done.returncode, (0, 1, 3), said)
        self.assertIn('"schema":"rdmaready.v1.Check"', done.stdout.replace(" ", ""), said)
        self.assertIn(shown.stdout.split()[-1], done.stdout, "the version of the agent that answered")


if __name__ == "__main__":
    unittest.main()
