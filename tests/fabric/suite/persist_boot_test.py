# SPDX-License-Identifier: Apache-2.0
"""`apply --persist` on a host that boots systemd, with each of four network managers: the settings are there after a reboot with the agent and
the applier disabled, and `forget --persist` leaves /etc as it was. Soak: two reboots for each manager."""
import json
import unittest

from eventually import eventually
from service import AGENT, Host

PROFILE = "virtual-fabric"
# Checks that a NIC without any setting fails, and that the files bring back.
SET = {"mtu.ethernet", "pfc.lossless-priority", "ets.rdma-share", "map.dscp", "roce.tos"}
UNITS = f"{AGENT}.service rdmaready-applier.socket rdmaready-applier.service"
# The NIC of the fabric as the drivers of other hosts make theirs, with no setting: before what sets it.
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
# No shell script: the agent would take its commands for what the site sets.
NIC_SCRIPT = """#!/usr/bin/python3
import pathlib, subprocess
def run(*argv):
    subprocess.run(argv, check=True)
conf = dict(line.split("=", 1) for line in pathlib.Path("/mnt/share/conf").read_text().splitlines())
mac = conf["wire_macs"].strip("'").split()[0]
run("modprobe", "-a", "crc32_generic", "configfs", "ib_uverbs", "rdma_ucm", "rdma_rxe")
run("insmod", "/mnt/share/dcbnic.ko")
[wire] = [nic.name for nic in pathlib.Path("/sys/class/net").iterdir() if (nic / "address").read_text().strip() == mac]
for line in (f"ip link set dev {wire} down", f"ip link set dev {wire} name wire0", "ip link set dev wire0 mtu 9000 up",
             f"ip link add link wire0 name dcb0 address {mac} type dcbnic"):
    run(*line.split())
pathlib.Path("/sys/kernel/debug/dcbnic/dcb0/link_kind").write_text("off")
run("ethtool", "-s", "dcb0", "speed", "25000", "duplex", "full", "autoneg", "off")
run("ip", "link", "set", "dev", "dcb0", "up")
run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "dcb0")
"""
NETWORK = """[Match]
Name=dcb0
[Network]
Address=10.0.0.1/24
LinkLocalAddressing=no
IPv6AcceptRA=no
"""
NETPLAN = """network:
  version: 2
  renderer: networkd
  ethernets:
    stor0:
      match: {name: dcb0}
      link-local: []
      addresses: [10.0.0.1/24]
"""
CONNECTION = """[connection]
id=storage
type=ethernet
interface-name=dcb0
[ipv4]
method=manual
address1=10.0.0.1/24
[ipv6]
method=disabled
"""
UNMANAGED = "[main]\nno-auto-default=*\n[keyfile]\nunmanaged-devices=except:interface-name:dcb0\n"
INTERFACES = "auto lo\niface lo inet loopback\nauto dcb0\niface dcb0 inet static\n    address 10.0.0.1/24\n"
# Manager -> its program, its files by path, its units, and the file that keeps the MTU.
MANAGERS = {
    "systemd-networkd": ("networkctl", {"/etc/systemd/network/10-storage.network": NETWORK}, "systemd-networkd",
                         "/etc/systemd/network/10-storage.network.d/rdma.conf"),
    "netplan": ("netplan", {"/etc/netplan/50-site.yaml": NETPLAN}, "systemd-networkd", "/etc/netplan/90-rdmaready-dcb0.yaml"),
    "NetworkManager": ("nmcli", {"/etc/NetworkManager/system-connections/storage.nmconnection": CONNECTION,
                                 "/etc/NetworkManager/conf.d/fabric.conf": UNMANAGED}, "NetworkManager",
                       "/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf"),
    "ifupdown": ("ifup", {"/etc/network/interfaces": INTERFACES}, "networking", None),
}
HOST = None


def setUpModule():
    global HOST
    HOST = Host("persist", may_reboot=True, managers=True)
    unittest.addModuleCleanup(HOST.end)
    HOST.install()
    digest = HOST.shell(f"rdmaready profile digest {PROFILE}").split()[0]
    put("/etc/rdmaready/apply.yaml", f"ports: [\"dcb*\", \"rxe*\", host]\nsettings: [all]\nprofiles:\n  - {{sha256: {digest}, name: {PROFILE}}}\n"
        "confirm_within: {least: 10, most: 600}\nfiles: true\n")
    # The agent does not read a program that a boot starts from such a place. No file of the fabric keeps anything.
    HOST.shell("cp /mnt/share/execd /usr/local/sbin/fabric-execd && "
               "sed -i s,/mnt/share/execd,/usr/local/sbin/fabric-execd, /etc/systemd/system/fabric-execd.service && "
               "rm -f /etc/udev/rules.d/90-rdma-tos.rules")
    put("/etc/systemd/system/fabric-nic.service", NIC_UNIT)
    put("/usr/local/sbin/fabric-nic", NIC_SCRIPT)
    HOST.shell("chmod 755 /usr/local/sbin/fabric-nic && systemctl daemon-reload && systemctl -q enable fabric-nic")


def put(path, text, mode="600"):
    HOST.shell(f"mkdir -p $(dirname {path}) && cat > {path} <<'END'\n{text}END\nchmod {mode} {path}")


def reboot():
    boot = HOST.shell("cat /proc/sys/kernel/random/boot_id")
    HOST.guest.run(["systemctl", "reboot"], 30)

    def booted():
        try:
            return HOST.shell("cat /proc/sys/kernel/random/boot_id", 10)
        except Exception:  # pylint: disable=broad-except  # it is on its way
            return boot

    eventually(booted, lambda now: now != boot, seconds=200, every=2)
    eventually(lambda: HOST.shell("systemctl is-system-running || :").strip(), lambda state: state in ("running", "degraded"), seconds=120, every=2)


def etc():
    """What /etc holds but the state of systemd's own enabling, a line each."""
    return HOST.shell("cd /etc && find . \\( -type f -exec sha256sum {} + \\) -o \\( -type l -printf '%p -> %l\\n' \\) -o -printf '%p %m\\n' | "
                      "grep -vE ' ?\\./(machine-id|resolv.conf|adjtime|ld.so.cache|\\.updated|\\.pwd.lock)' | sort").splitlines()


def red():
    """Checks that fail or are unknown."""
    found = HOST.report("--profile", PROFILE)["hosts"][0]["findings"]
    return {one["id"] for one in found if one["outcome"] in ("fail", "unknown")}


def asked(*words):
    """(exit status, what it says of this host) of a command of the agent's."""
    status, out, errors = HOST.guest.run(["rdmaready", *words, "--output", "json"])
    try:
        return status, json.loads(out)["hosts"][0]
    except (json.JSONDecodeError, KeyError) as error:
        raise AssertionError(f"{words}: exit {status}\n{out}{errors}") from error


class PersistOverABoot(unittest.TestCase):
    maxDiff = None

    def begin(self, manager):
        """The manager alone has the NIC, which has no setting yet; the agent and the applier run."""
        program, files, units, _ = MANAGERS[manager]
        if HOST.guest.run(["sh", "-c", f"command -v {program}"])[0] != 0:
            self.skipTest(f"not installed: {program}")
        for path, text in files.items():
            put(path, text)
        self.addCleanup(HOST.shell, f"systemctl -q disable {units}; rm -f {' '.join(files)}")
        HOST.shell(f"systemctl -q enable {units}; systemctl -q enable {UNITS} 2> /dev/null")
        reboot()
        HOST.shell(f"systemctl start rdmaready-applier.socket {AGENT}")
        eventually(red, lambda now: SET <= now and "ip.address" not in now, seconds=60, every=2, why=lambda: sorted(red()))

    def try_manager(self, manager):
        mtu_file = MANAGERS[manager][3]
        self.begin(manager)
        before = etc()
        status, applied = asked("apply", "--profile", PROFILE, "--persist", "--yes", "--no-proof")
        self.assertEqual(applied["change"]["state"], "awaiting-confirm", applied)
        files = {file["path"]: (file["state"], file["text"]) for file in applied["change"]["files"]}
        print(manager, "planned:", files, applied["change"]["unkept"], flush=True)
        self.assertEqual({state for state, _ in files.values()}, {"planned"}, files)
        self.assertEqual(status, 0 if not applied["change"]["unkept"] else 1)
        if mtu_file:
            self.assertIn(mtu_file, files)
        self.assertEqual(etc(), before, "an unconfirmed change leaves no file")
        status, confirmed = asked("confirm")
        files = {file["path"]: (file["state"], file["text"]) for file in confirmed["change"]["files"]}
        self.assertEqual({state for state, _ in files.values()}, {"written"}, files)
        kept = red()
        self.assertFalse(SET & kept, kept)
        HOST.shell(f"systemctl -q disable --now {UNITS}; :")
        reboot()
        for unit in UNITS.split():
            self.assertEqual(HOST.property("ActiveState", unit), "inactive")
        # A NIC takes its link down for some settings, and a manager brings it up again.
        eventually(red, lambda now: not SET & now and now <= kept, seconds=90, every=3,
                   why=lambda: f"{sorted(red() - kept)}\n" + HOST.shell("ip link show dcb0; dcb pfc show dev dcb0; systemctl --failed --no-legend; "
                                                                      "journalctl -b -p warning --no-pager | tail -40"))
        HOST.shell(f"systemctl -q enable {UNITS} 2> /dev/null; systemctl start rdmaready-applier.socket {AGENT}")
        status, forgotten = asked("forget", "--persist")
        self.assertEqual(status, 0, forgotten)
        self.assertEqual({file["path"]: file["state"] for file in forgotten["files"]}, dict.fromkeys(files, "removed"))
        self.assertEqual(etc(), before)

    def test_networkd(self):
        self.try_manager("systemd-networkd")

    def test_netplan(self):
        self.try_manager("netplan")

    def test_network_manager(self):
        self.try_manager("NetworkManager")

    def test_ifupdown(self):
        self.try_manager("ifupdown")

    def test_z_apparmor_denied_the_applier_nothing_that_it_needs(self):
        denied = [line for line in HOST.shell("dmesg").splitlines() if 'apparmor="DENIED"' in line and "rdmaready" in line]
        self.assertEqual(denied, [])


if __name__ == "__main__":
    unittest.main()
