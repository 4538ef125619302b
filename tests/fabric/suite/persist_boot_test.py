# SPDX-License-Identifier: Apache-2.0
"""`apply --persist` on a host that boots systemd, with each of four network managers: the settings are there after a reboot with the agent and
the applier disabled, and `forget --persist` leaves /etc as it was. Soak: two reboots for each manager."""
import dataclasses
import json
import unittest

from eventually import eventually
from service import AGENT, Host

PROFILE = "virtual-fabric"
# Checks that a NIC without any setting fails, and that the files bring back.
WRONG = {"mtu.ethernet", "pfc.lossless-priority", "ets.map", "map.dscp", "roce.tos"}
UNITS = f"{AGENT}.service rdmaready-applier.socket rdmaready-applier.service"
# The NIC has no setting yet.
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
run("ip", "link", "set", "dev", "dcb0", "mtu", "1500", "up")
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
# NetworkManager has this NIC alone.
UNMANAGED = "[main]\nno-auto-default=*\n[keyfile]\nunmanaged-devices=except:interface-name:dcb0\n"
INTERFACES = "auto lo\niface lo inet loopback\nauto dcb0\niface dcb0 inet static\n    address 10.0.0.1/24\n"


@dataclasses.dataclass(frozen=True)
class Manager:
    program: str
    unit: str
    files: dict  # of the site: text by path
    ours: tuple  # of the MTU, in its way


MANAGERS = {
    "systemd-networkd": Manager("networkctl", "systemd-networkd", {"/etc/systemd/network/10-storage.network": NETWORK},
                                ("/etc/systemd/network/10-storage.network.d/rdma.conf",)),
    "netplan": Manager("netplan", "systemd-networkd", {"/etc/netplan/50-site.yaml": NETPLAN}, ("/etc/netplan/90-rdmaready-dcb0.yaml",)),
    "NetworkManager": Manager("nmcli", "NetworkManager", {"/etc/NetworkManager/system-connections/storage.nmconnection": CONNECTION},
                              ("/etc/NetworkManager/conf.d/90-rdmaready-dcb0.conf",)),
    "ifupdown": Manager("ifup", "networking", {"/etc/network/interfaces": INTERFACES}, ()),
}
HOST = None


def setUpModule():
    global HOST
    HOST = Host("persist", may_reboot=True, managers=True)
    unittest.addModuleCleanup(HOST.end)
    HOST.install()
    digest = HOST.shell(f"rdmaready profile digest {PROFILE}").split()[0]
    HOST.put("/etc/rdmaready/apply.yaml", f"ports: [\"dcb*\", \"rxe*\", host]\nsettings: [all]\nprofiles: [{{sha256: {digest}, name: {PROFILE}}}]\n"
             "confirm_within: {least: 10, most: 600}\nfiles: true\n")
    HOST.put("/etc/NetworkManager/conf.d/fabric.conf", UNMANAGED)
    HOST.own_execd()
    # No file of the fabric keeps anything, and no unit but the manager's begins with the boot.
    HOST.shell("rm -f /etc/udev/rules.d/90-rdma-tos.rules; systemctl -q --no-reload disable rdmaready-hub networking")
    HOST.nic_at_boot(NIC_SCRIPT)


def etc():
    """What /etc holds but the state of systemd's own enabling, a line each."""
    return HOST.shell("cd /etc && find . \\( -type f -exec sha256sum {} + \\) -o \\( -type l -printf '%p -> %l\\n' \\) -o -printf '%p %m\\n' | "
                      "grep -vE ' ?\\./(machine-id|resolv.conf|adjtime|ld.so.cache|\\.updated|\\.pwd.lock)' | sort").splitlines()


def red():
    """Checks that fail or are unknown."""
    found = HOST.report("--profile", PROFILE)["hosts"][0]["findings"]
    return {one["id"] for one in found if one["outcome"] in ("fail", "unknown")}


def start():
    """The agent and the applier, in their AppArmor profiles: no unit of this disk loads these."""
    HOST.shell(f"apparmor_parser -r -T -W /etc/apparmor.d/rdmaready-* && systemctl start {UNITS}")
    pid = HOST.property("MainPID", "rdmaready-applier")
    profile = HOST.shell(f"cat /proc/{pid}/attr/current").strip()
    if profile != "rdmaready-applier (enforce)":
        raise AssertionError(f"the applier's profile: {profile}")


def denied():
    """What AppArmor refused since the boot."""
    return [line for line in HOST.shell("dmesg").splitlines() if 'apparmor="DENIED"' in line and "rdmaready" in line]


def asked(*words):
    """(exit status, what it says of this host) of a command of the agent's."""
    status, out, errors = HOST.guest.run(["rdmaready", *words, "--output", "json"])
    try:
        return status, json.loads(out)["hosts"][0]
    except (json.JSONDecodeError, KeyError) as error:
        raise AssertionError(f"{words}: exit {status}\n{out}{errors}") from error


class PersistOverABoot(unittest.TestCase):
    maxDiff = None

    def begin(self, name):
        """The manager alone has the NIC, which has no setting yet; the agent and the applier run."""
        manager = MANAGERS[name]
        if HOST.guest.run(["sh", "-c", f"command -v {manager.program}"])[0] != 0:
            self.skipTest(f"not installed: {manager.program}")
        for path, text in manager.files.items():
            HOST.put(path, text, "600" if path.endswith((".nmconnection", ".yaml")) else "644")
        # After a failure, too: what is kept would be set again at the next boot.
        self.addCleanup(HOST.guest.run, ["rdmaready", "forget", "--persist"])
        self.addCleanup(HOST.shell, f"systemctl -q --no-reload disable {manager.unit}; rm -f {' '.join(manager.files)}")
        # Their units start behind the profiles of AppArmor, not with the boot.
        HOST.shell(f"systemctl -q --no-reload enable {manager.unit}; systemctl -q --no-reload disable {UNITS}")
        HOST.reboot()
        start()
        eventually(red, lambda now: WRONG <= now and "ip.address" not in now, seconds=120, every=2)
        return manager

    def try_manager(self, name):
        manager = self.begin(name)
        before = etc()
        status, applied = asked("apply", "--profile", PROFILE, "--persist", "--yes", "--no-proof")
        self.assertEqual(applied["change"]["state"], "awaiting-confirm", applied)
        files = {file["path"]: (file["state"], file["text"]) for file in applied["change"]["files"]}
        print(name, "planned:", files, applied["change"]["unkept"], flush=True)
        self.assertEqual({state for state, _ in files.values()}, {"planned"}, files)
        self.assertEqual(status, 0 if not applied["change"]["unkept"] else 1)
        self.assertLessEqual(set(manager.ours), set(files))
        self.assertEqual(etc(), before, "an unconfirmed change leaves no file")
        status, confirmed = asked("confirm")
        files = {file["path"]: (file["state"], file["text"]) for file in confirmed["change"]["files"]}
        self.assertEqual({state for state, _ in files.values()}, {"written"}, files)
        self.assertEqual(red(), set())
        self.assertEqual(denied(), [])
        HOST.reboot()
        for unit in UNITS.split():
            self.assertEqual(HOST.property("ActiveState", unit), "inactive")
        # A NIC takes its link down for some settings, and a manager brings it up again. An applier that is silent is known by nobody to have
        # ended its changes.
        eventually(red, lambda now: now == {"cfg.rollback-failed"}, seconds=120, every=3,
                   why=lambda: HOST.shell("ip link; dcb pfc show dev dcb0; systemctl --failed --no-legend; journalctl -b -p warning --no-pager | tail -40"))
        start()
        HOST.shell(f"systemctl stop {AGENT}")
        eventually(red, lambda now: not now, seconds=60, every=3)
        HOST.shell(f"systemctl start {AGENT}")
        status, forgotten = asked("forget", "--persist")
        self.assertEqual(status, 0, forgotten)
        self.assertEqual({file["path"]: file["state"] for file in forgotten["files"]}, dict.fromkeys(files, "removed"))
        self.assertEqual(etc(), before)
        self.assertEqual(denied(), [])

    def test_networkd(self):
        self.try_manager("systemd-networkd")

    def test_netplan(self):
        self.try_manager("netplan")

    def test_network_manager(self):
        self.try_manager("NetworkManager")

    def test_ifupdown(self):
        self.try_manager("ifupdown")


if __name__ == "__main__":
    unittest.main()
