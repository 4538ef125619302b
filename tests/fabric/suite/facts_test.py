# SPDX-License-Identifier: Apache-2.0
"""What is read of a guest: nothing left out, and stacks of interfaces traced to the port that carries them."""
import unittest

import fabric
import tool

VLAN_AND_BRIDGE = """
set -e
modprobe -a 8021q bridge
ip link add link dcb0 name dcb0.711 type vlan id 711 egress 4:3
ip link set dcb0.711 up
ip addr add 10.7.11.1/24 dev dcb0.711
ip link add br0 type bridge
ip link set dcb0 master br0
ip link set br0 up
ip addr add 10.8.0.1/24 dev br0
"""

# A bond over the port, a VLAN on the bond, a bridge on the VLAN.
BOND = """
set -e
modprobe bonding max_bonds=0
modprobe -a 8021q bridge
ip link add bond0 type bond mode active-backup miimon 100
ip link set dcb0 down
ip link set dcb0 master bond0
ip link set dcb0 up
ip link set bond0 up
ip link add link bond0 name bond0.711 type vlan id 711 egress 4:3
ip link add br0 type bridge
ip link set bond0.711 master br0
ip link set bond0.711 up
ip link set br0 up
ip addr add 10.7.11.1/24 dev br0
"""

# Undone from the top; what went with its base is no error. rxe0 goes from a bond and comes back on the port.
TAKE_DOWN = f"""
for link in br0 dcb0.711 bond0.711; do ip link del $link 2> /dev/null; done
if [ -d /sys/class/net/bond0 ]; then
  rdma link del rxe0
  ip link set dcb0 nomaster
  ip link del bond0
fi
exec {fabric.word(fabric.LAUNCHER.parent, 'guest', 'provision')}
"""


def missing(node, path=""):
    """Every fact that is not known: its path, and why."""
    if isinstance(node, dict):
        if "missing" in node:
            yield path, node["missing"]
        for key, child in node.items():
            yield from missing(child, f"{path}.{key}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from missing(child, f"{path}[{index}]")


def addresses(netdev):
    """IPv4 only: those of IPv6 come by themselves, sooner or later."""
    return [f"{a['address']}/{a['prefix_length']}" for a in netdev["addresses"]["value"]["addresses"]
            if ":" not in a["address"]]


class Facts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right(1)

    def build(self, script):
        """Runs it in the guest, and undoes what it made when the test is over."""
        self.addCleanup(fabric.guest, 1, TAKE_DOWN)
        fabric.guest(1, script)

    def facts(self, *options):
        answer = tool.rdmaready("facts", self.hosts[1], "--output", "json", *options)
        self.assertEqual(answer.status, 0, answer)
        return answer.json["hosts"][0]["facts"]

    def found(self, check_id):
        """Of a check of the host: what was seen, and where."""
        answer = tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric", "--output", "json")
        found = fabric.finding(answer.json, self.hosts[1], check_id)
        return found["subject"], found["outcome"], found["observed"]

    def text(self):
        return tool.rdmaready("check", self.hosts[1], "--profile", "virtual-fabric").out

    def port(self, device="rxe0"):
        ports = [p for p in self.facts()["ports"]["value"]["ports"] if p["device"] == device]
        self.assertEqual(len(ports), 1, ports)
        return ports[0]

    def test_every_fact_is_read_or_has_a_reason(self):
        facts = self.facts("--lldp", 1)
        for path, why in missing(facts):
            if path.endswith(".earlier"):  # only a check that watches looks twice
                continue
            self.assertEqual(why["kind"], "KIND_UNSUPPORTED", f"{path}: {why}")
            self.assertTrue(why["detail"], path)
        port = self.port()
        self.assertEqual(port["pci"]["missing"]["detail"], "a software device has no PCIe")
        self.assertIn("sent_pkts", [c["name"] for c in port["hw_counters"]["value"]["counters"]])
        self.assertGreaterEqual(int(port["resources"]["value"]["qp"]), 1)
        self.assertEqual(port["netdev"]["value"]["duplex"], {"value": "DUPLEX_FULL"})
        self.assertEqual(port["netdev"]["value"]["driver_info"]["value"]["driver"], "dcbnic")
        self.assertEqual((port["lowers"], port["uppers"]), ({"value": {"netdevs": []}}, {"value": {"netdevs": []}}))
        self.assertIn("uverbs0", facts["rdma_nodes"]["value"]["names"])

    def test_vlan_and_bridge_on_the_port(self):
        self.build(VLAN_AND_BRIDGE)
        port = self.port()
        self.assertEqual(port["netdev"]["value"]["name"], "dcb0")
        self.assertEqual(port["netdev"]["value"]["master"], "br0")
        self.assertEqual(port["lowers"], {"value": {"netdevs": []}})
        uppers = {upper["name"]: upper for upper in port["uppers"]["value"]["netdevs"]}
        self.assertEqual(set(uppers), {"dcb0.711", "br0"})
        vlan, bridge = uppers["dcb0.711"], uppers["br0"]
        self.assertEqual((vlan["kind"], vlan["over"], vlan["vlan_id"]), ("vlan", ["dcb0"], {"value": 711}))
        self.assertEqual(vlan["vlan_egress"]["value"]["priorities"], [{"from": 4, "pcp": 3}])
        self.assertEqual(addresses(vlan), ["10.7.11.1/24"])
        self.assertEqual((bridge["kind"], bridge["over"], addresses(bridge)), ("bridge", ["dcb0"], ["10.8.0.1/24"]))
        place = "rxe0/1 active, dcb0 up at 25 Gb/s, under dcb0.711 (vlan 711) and br0 (bridge)"
        self.assertIn(self.found("link.state")[2], (place, "rxe0/1 active, dcb0 up at 25 Gb/s, under br0 (bridge) and dcb0.711 (vlan 711)"))
        self.assertEqual(self.found("inv.bridge"), ("rxe0/1 dcb0", "warn", "dcb0 is a port of the bridge br0"))
        self.assertEqual(self.found("pfc.lossless-priority"), ("rxe0/1 dcb0", "pass", "PFC on 3"))
        self.assertIn("dcb0.711 (vlan 711)", self.text())

    def serve(self, *words):
        """Guest 1 as a storage server, its ksmbd.conf where ksmbd-tools look for it; undone when the test is over."""
        self.addCleanup(fabric.guest, 1, "rm -rf /etc/ksmbd")
        self.addCleanup(fabric.put_right, 1)
        fabric.launcher("role", 1, *words)
        fabric.guest(1, "mkdir -p /etc/ksmbd; ln -sf /run/fabric/roles/smb/ksmbd.conf /etc/ksmbd/ksmbd.conf")

    def module(self, name):
        module, = [m for m in self.facts()["modules"]["value"]["modules"] if m["name"] == name]
        return module["state"]["value"], module["uses_rdma"].get("value")

    def test_an_smb_direct_server_on_its_own_interface_and_on_a_bridge(self):
        self.serve("smb")
        self.assertEqual(self.module("ksmbd"), ("MODULE_STATE_LOADED", True))
        self.assertIn({"port": 445, "kernel_name": "ksmbd", "pid": "0"}, self.port()["listeners"]["value"]["listeners"])
        self.assertIn(445, self.facts()["tcp_listeners"]["value"]["ports"])
        self.assertEqual(self.found("smb.server-built-in"), ("host", "pass", "ksmbd loaded, with SMB Direct"))
        self.assertEqual(self.found("smb.listener"), ("rxe0/1 dcb0", "pass", "ksmbd on 445"))
        self.assertEqual(self.found("smb.server-address"), ("rxe0/1 dcb0", "pass", "10.0.0.1 on dcb0"))
        for check in ("smb.multichannel", "smb.tcp", "smb.signing", "smb.mixed-transports"):
            self.assertEqual(self.found(check)[:2], ("host", "pass"), check)
        subject, outcome, observed = self.found("smb.kernel")
        self.assertEqual((subject, outcome), ("host", "unknown"))
        self.assertIn("the version does not tell", observed)
        self.serve("smb", "--bridge")
        subject, outcome, observed = self.found("smb.server-address")
        self.assertEqual((subject, outcome), ("rxe0/1 dcb0", "warn"))
        self.assertRegex(observed, r"^10\.0\.0\.1 on br0 \(bridge\): not told to clients as RDMA by Linux \d+\.\d+$")

    def test_an_smb_server_as_debian_has_it(self):
        """The module that is loaded counts, and not the other one, which modprobe would find."""
        self.serve("smb", "--no-rdma")
        self.assertEqual(self.module("ksmbd"), ("MODULE_STATE_LOADED", False))
        self.assertEqual(self.module("cifs")[1], True)
        self.assertEqual(self.found("smb.server-built-in")[1], "warn")
        self.assertIn("built without SMB Direct", self.found("smb.server-built-in")[2])
        self.assertEqual(self.found("smb.listener")[1:], ("not-applicable", "not judged: smb.server-built-in warns"))

    def test_an_smb_server_that_keeps_clients_from_rdma(self):
        self.serve("smb", "--no-multichannel", "--signing", "required")
        self.assertEqual(self.found("smb.multichannel")[1:], ("warn", "server multi channel support = no"))
        self.assertEqual(self.found("smb.signing")[1:], ("warn", "server signing = mandatory"))

    def test_an_nvme_target(self):
        self.assertEqual(self.found("nvme.target-listener")[1], "not-applicable")
        self.serve("nvme")
        self.assertEqual(self.found("nvme.target-listener"), ("host", "pass", "nvmet_rdma on 4420 of rxe0"))

    def test_bond_over_the_port_and_then_under_it(self):
        self.build(BOND)
        port = self.port()
        self.assertEqual(port["netdev"]["value"]["name"], "dcb0")
        self.assertEqual(port["netdev"]["value"]["master"], "bond0")
        self.assertEqual([(u["name"], u["over"]) for u in port["uppers"]["value"]["netdevs"]],
                         [("bond0", ["dcb0"]), ("bond0.711", ["bond0"]), ("br0", ["bond0.711"])])
        bond, vlan, bridge = port["uppers"]["value"]["netdevs"]
        self.assertEqual(bond["bond_mode"], {"value": "active-backup"})
        self.assertEqual(vlan["vlan_id"], {"value": 711})
        self.assertEqual(addresses(bridge), ["10.7.11.1/24"])
        self.assertEqual(self.found("inv.bond"),
                         ("rxe0/1 dcb0", "pass", "dcb0 is in bond0 (active-backup); judged here, at dcb0"))
        self.assertIn("under bond0 (bond), bond0.711 (vlan 711) and br0 (bridge)", self.text())

        fabric.guest(1, "rdma link del rxe0 && rdma link add rxe0 type rxe netdev bond0")
        port = self.port()
        self.assertEqual(port["netdev"]["value"]["name"], "bond0")
        self.assertIn("missing", port["netdev"]["value"]["dcb"]["pfc"])
        lower, = port["lowers"]["value"]["netdevs"]
        self.assertEqual((lower["name"], lower["master"], lower["driver"]), ("dcb0", "bond0", "dcbnic"))
        self.assertEqual(lower["dcb"]["pfc"]["value"]["enabled"], 1 << 3)
        self.assertEqual([(u["name"], u["over"]) for u in port["uppers"]["value"]["netdevs"]],
                         [("bond0.711", ["bond0"]), ("br0", ["bond0.711"])])
        self.assertEqual(self.found("pfc.lossless-priority"), ("rxe0/1 bond0 > dcb0", "pass", "PFC on 3"))
        self.assertIn("bond0 up at 25 Gb/s, over dcb0, under bond0.711 (vlan 711) and br0 (bridge)", self.text())
        text = tool.rdmaready("facts", self.hosts[1])
        self.assertEqual(text.status, 0, text)
        self.assertIn("interface dcb0, under bond0", text.out)
        self.assertIn("bond0.711: vlan 711 over bond0", text.out)

        fabric.guest(1, "ip link set dcb0 nomaster")
        self.assertEqual(self.port()["lowers"]["missing"],
                         {"kind": "KIND_FAILED", "detail": "no Ethernet port under bond0"})


if __name__ == "__main__":
    unittest.main()
