# SPDX-License-Identifier: Apache-2.0
"""A guest that boots systemd, with RDMA as the profile virtual-fabric wants it, and rdmaready's packages at hand."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import tool
from eventually import eventually

sys.path.append(str(tool.ROOT / "tests" / "fabric" / "lib"))
import bring_up  # noqa: E402
from system_guest import SystemGuest  # noqa: E402

PUPPET = tool.ROOT / "tests" / "fabric" / "guest" / "puppet.py"
AGENT = "rdmaready-agent"
# The NIC of the fabric is there when the drivers of other hosts have made theirs: before what sets it.
NIC_UNIT = """[Unit]
Description=The NIC of the fabric
DefaultDependencies=no
After=local-fs.target systemd-udevd.service sys-kernel-config.mount
Requires=sys-kernel-config.mount
Before=sysinit.target systemd-sysctl.service network-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/fabric-nic

[Install]
WantedBy=sysinit.target
"""


def build_packages(directory, release):
    """{name: path}"""
    done = subprocess.run([tool.ROOT / "packaging" / "build-packages", "--no-build", "--out", directory, "--release", str(release)],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return {pathlib.Path(path).name.split("_")[0]: path for path in done.stdout.split()}


class Host:
    """Boots when it is made; the packages of each release are /mnt/share/RELEASE-NAME.deb, and not installed."""

    def __init__(self, name, releases=(1,), may_reboot=False, managers=False):
        dummy = next(pathlib.Path(bring_up.prepare(["rxe"], False, system=True, managers=managers)["modules_dir"]).rglob("dummy.ko"))
        with tempfile.TemporaryDirectory(prefix="rdmaready-packages.") as directory:
            files = {"puppet.py": PUPPET, "dummy.ko": dummy}
            for release in releases:
                files |= {f"{release}-{package}.deb": path for package, path in build_packages(directory, release).items()}
            self.guest = SystemGuest(f"{name}-{os.getpid()}", files, may_reboot=may_reboot, managers=managers)
            self.guest.__enter__()
        self.provision()

    def processor_s(self):
        """Seconds of a processor that its QEMU took so far: below `timeout`, which is its parent."""
        [qemu] = (pathlib.Path("/proc") / str(self.guest.process.pid) / "task" / str(self.guest.process.pid) / "children").read_text().split()
        user, system = (pathlib.Path("/proc") / qemu / "stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.guest.__exit__()

    def provision(self):
        self.shell("mkdir -p /run/fabric && cp /mnt/share/conf /run/fabric/conf && bash /mnt/share/provision")

    def shell(self, script, timeout_s=300):
        return self.guest.shell(script, timeout_s)

    def put(self, path, text, mode="644"):
        self.shell(f"mkdir -p $(dirname {path}) && cat > {path} <<'END'\n{text}END\nchmod {mode} {path}")

    def install(self, release=1):
        return self.shell(f"dpkg -i /mnt/share/{release}-*.deb && systemctl start {AGENT}")

    def own_execd(self):
        """Starts execd from the disk: the agent does not read a program of a share, and would not know all that the boot sets."""
        self.shell("cp /mnt/share/execd /usr/local/sbin/fabric-execd && "
                   "sed -i s,/mnt/share/execd,/usr/local/sbin/fabric-execd, /etc/systemd/system/fabric-execd.service && systemctl daemon-reload")

    def nic_at_boot(self, script):
        """Runs this Python program early in each boot: it makes the NIC. A shell script would count as one that sets the site's values."""
        self.put("/etc/systemd/system/fabric-nic.service", NIC_UNIT)
        self.put("/usr/local/sbin/fabric-nic", script, "755")
        self.shell("systemctl -q --no-reload enable fabric-nic")

    def reboot(self):
        """Returns when the units of the new boot have started."""
        boot = self.shell("cat /proc/sys/kernel/random/boot_id")
        self.guest.run(["systemctl", "reboot"], 30)

        def booted():
            try:
                return self.shell("cat /proc/sys/kernel/random/boot_id", 10)
            except Exception:  # pylint: disable=broad-except  # it is on its way
                return boot

        eventually(booted, lambda now: now != boot, seconds=600, every=1)
        eventually(lambda: self.shell("systemctl is-system-running || :").strip(), lambda state: state in ("running", "degraded"), seconds=300, every=2)

    def report(self, *options):
        """What `rdmaready check` says of the host, asked without an address."""
        _, out, errors = self.guest.run(["rdmaready", "check", "--output", "json", *options])
        try:
            return json.loads(out)
        except json.JSONDecodeError as error:
            raise AssertionError(out + errors) from error

    def property(self, name, unit=AGENT):
        return self.shell(f"systemctl show -P {name} {unit}").strip()

    def entries(self, *matches):
        """Of the journal, oldest first."""
        return [json.loads(line) for line in self.shell(f"journalctl -o json --no-pager {' '.join(matches)}").splitlines()]

    def drop_in(self, name, *lines):
        folder = f"/run/systemd/system/{AGENT}.service.d"
        text = "\\n".join(["[Service]", *lines])
        self.shell(f"mkdir -p {folder} && printf '{text}\\n' > {folder}/{name}.conf && systemctl daemon-reload")

    def no_drop_ins(self):
        self.shell(f"rm -rf /run/systemd/system/{AGENT}.service.d && systemctl daemon-reload && systemctl restart {AGENT}")
