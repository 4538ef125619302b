# SPDX-License-Identifier: Apache-2.0
"""A described host is made, or make_host says what is wrong and in which line: see tests/fixtures/README.md, "Described hosts"."""
import pathlib
import subprocess
import tempfile
import unittest

import fixtures
import tool

HOST = """\
hostname: a
netdevs:
  - {name: eth0, ifindex: 2, addresses: [10.0.0.1/24]}
  - {name: eth0.7, ifindex: 3, kind: vlan, link: eth0, vlan: {id: 7}}
devices:
  - {name: mlx5_0, protocol: roce, ports: [{netdev: eth0}]}
neighbours:
  - {address: 10.0.0.2, netdev: eth0, mac: '02:00:00:00:00:02'}
routes:
  - {to: 10.9.0.0/16, netdev: eth0, via: 10.0.0.9}
"""
PORT = "ports: [{netdev: eth0}]"


def made(text):
    """Its exit status, and what it says; the recording is thrown away."""
    with tempfile.TemporaryDirectory(prefix="made-host-") as folder:
        file = pathlib.Path(folder) / "host.yaml"
        file.write_text(text)
        done = subprocess.run([tool.BIN / "make_host", fixtures.DRIVERS, file, pathlib.Path(folder) / "saved"], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=60)
        return done.returncode, done.stderr.replace(f"{folder}/", "")


class Described(unittest.TestCase):
    def rejects(self, old, new, line, why):
        """`new` in place of `old` in HOST is refused at a line, in words that have `why`."""
        self.assertIn(old, HOST)
        with self.subTest(new=new):
            status, said = made(HOST.replace(old, new))
            self.assertEqual(status, 2, said)
            self.assertIn(f"host.yaml: {line}", said)
            self.assertIn(why, said)

    def test_the_host_of_these_tests_is_made(self):
        self.assertEqual(made(HOST), (0, ""))

    def test_a_name_of_no_netdev_is_an_error_with_its_line(self):
        missing = 'no netdev "eth9"'
        self.rejects("link: eth0", "link: eth9", "line 4: ", missing)
        self.rejects("ifindex: 2", "ifindex: 2, master: eth9", "line 3: ", missing)
        self.rejects(PORT, "ports: [{netdev: eth9}]", "line 6: ", missing)
        self.rejects(PORT, "ports: [{netdev: eth0, gid_table: [[0, v2, '::ffff:10.0.0.1', eth9]]}]", "line 6: ", missing)
        self.rejects("10.0.0.2, netdev: eth0", "10.0.0.2, netdev: eth9", "line 8: ", missing)
        self.rejects("10.9.0.0/16, netdev: eth0", "10.9.0.0/16, netdev: eth9", "line 10: ", missing)

    def test_a_name_in_what_a_driver_fills_in_has_its_line_too(self):
        self.rejects("{name: eth0, ", "{like: mlx5, name: eth0, master: eth9, ", "line 3: ", 'no netdev "eth9"')
        self.rejects("{name: eth0, ", "{like: mlx99, name: eth0, ", "line 3: ", 'no driver "mlx99"')

    def test_netdevs_in_a_circle_are_an_error(self):
        self.rejects("ifindex: 2", "ifindex: 2, link: eth0.7", "line ", "above itself")
        self.rejects("ifindex: 2", "ifindex: 2, master: eth0", "line 3: ", "above itself")

    def test_an_mtu_in_bytes_is_an_error_that_gives_the_code(self):
        for key in ("active_mtu", "max_mtu"):
            self.rejects(PORT, f"ports: [{{netdev: eth0, {key}: 1024}}]", "line 6: ", f"{key} is a code of enum ibv_mtu, not a number of bytes")
        self.rejects(PORT, "ports: [{netdev: eth0, active_mtu: 4096}]", "line 6: ", "4096 bytes are 5")
        self.rejects(PORT, "ports: [{netdev: eth0, active_mtu: 0}]", "line 6: ", "enum ibv_mtu")

    def test_a_value_that_is_missing_or_of_another_form_is_an_error(self):
        self.rejects(", mac: '02:00:00:00:00:02'", "", "line 8: ", '"mac" is missing')
        self.rejects("mac: '02:00:00:00:00:02'", "mac: [2]", "line 8: ", "not a MAC address")
        self.rejects("address: 10.0.0.2", "address: 10.0.0.x", "line 8: ", '"10.0.0.x" is no address')
        self.rejects("10.0.0.1/24", "10.0.0.1/33", "line 3: ", '"10.0.0.1/33" is no address')
        self.rejects("netdev: eth0, via: 10.0.0.9", "via: 10.0.0.9", "line 10: ", '"netdev" is missing')
        self.rejects("via: 10.0.0.9", "gateway: 10.0.0.9", "line 10: ", 'a route has no "gateway"')
        self.rejects("name: eth0, ", "", "line 3: ", '"name" is missing')
        self.rejects("vlan: {id: 7}", "vlan: {}", "line 4: ", '"id" is missing')
        self.rejects(PORT, "ports: 1", "line 6: ", '"ports" is no list')
        self.rejects(PORT, "ports: [{netdev: eth0, gid_table: [[0, v2]]}]", "line 6: ", "a row of gid_table is")
        self.rejects("hostname: a", "open_files: [1024]", "line 1: ", "open_files is [soft, hard]")
        self.rejects("hostname: a", "capabilities: all", "line 1: ", "capabilities are hexadecimal")

    def test_no_cut_of_a_description_ends_it_by_a_signal(self):
        """Whatever is left of it: made, or refused with exit status 2."""
        for end in range(0, len(HOST), 16):
            with self.subTest(end=end):
                self.assertIn(made(HOST[:end])[0], (0, 2))


class Routes(unittest.TestCase):
    def goes(self, routes):
        """Netdev and gateway of the route to the neighbours of eth0, 10.0.0.1/24."""
        with tempfile.TemporaryDirectory(prefix="made-host-") as folder:
            file = pathlib.Path(folder) / "host.yaml"
            file.write_text(HOST[:HOST.index("routes:")] + f"routes: {routes}\n")
            fixtures.make_host(file, pathlib.Path(folder) / "saved")
            facts = tool.rdmaready("facts", "--facts", pathlib.Path(folder) / "saved", "--output", "json").json["hosts"][0]["facts"]
        route = facts["ports"]["value"]["ports"][0]["subnets"]["value"]["subnets"][0]["route"]["value"]
        return route["netdev"], route["gateway"]

    def test_the_longest_prefix_has_the_route(self):
        wide, narrow = "{to: 10.0.0.0/16, netdev: eth0.7, via: 10.0.0.7}", "{to: 10.0.0.0/28, netdev: eth0.7, via: 10.0.0.8}"
        self.assertEqual(self.goes("[]"), ("eth0", ""))
        self.assertEqual(self.goes(f"[{wide}]"), ("eth0", ""), "the connected one is longer")
        for order in (f"[{wide}, {narrow}]", f"[{narrow}, {wide}]"):
            self.assertEqual(self.goes(order), ("eth0.7", "10.0.0.8"), order)

    def test_of_equal_prefixes_the_described_one_has_the_route(self):
        self.assertEqual(self.goes("[{to: 10.0.0.0/24, netdev: eth0.7}]"), ("eth0.7", ""))


if __name__ == "__main__":
    unittest.main()
