# SPDX-License-Identifier: Apache-2.0
"""InfiniBand against ibsim: a port without and with a real subnet manager, and what smpquery and perfquery say of it."""
import json
import re
import unittest

import ibsim
import tool

LANES = {"1X": 1, "2X": 2, "4X": 4, "8X": 8, "12X": 12}
COUNTERS = {"SymbolErrorCounter": "symbol_error", "LinkErrorRecoveryCounter": "link_error_recovery",
            "LinkDownedCounter": "link_downed", "PortRcvErrors": "port_rcv_errors",
            "PortRcvRemotePhysicalErrors": "port_rcv_remote_physical_errors",
            "PortRcvSwitchRelayErrors": "port_rcv_switch_relay_errors", "PortXmitDiscards": "port_xmit_discards",
            "PortXmitConstraintErrors": "port_xmit_constraint_errors",
            "PortRcvConstraintErrors": "port_rcv_constraint_errors",
            "LocalLinkIntegrityErrors": "local_link_integrity_errors",
            "ExcessiveBufferOverrunErrors": "excessive_buffer_overrun_errors", "VL15Dropped": "VL15_dropped",
            "PortXmitWait": "port_xmit_wait"}
WIDE = {"PortUnicastXmitPkts": "unicast_xmit_packets", "PortMulticastRcvPkts": "multicast_rcv_packets"}
SPOILT = {"SymbolErrorCounter": 12, "LinkErrorRecoveryCounter": 3, "LinkDownedCounter": 4, "PortRcvErrors": 5,
          "LocalLinkIntegrityErrors": 6, "ExcessiveBufferOverrunErrors": 7, "VL15Dropped": 8, "PortXmitWait": 9}


def table(text):
    """`Name:......value` of infiniband-diags, by name."""
    return dict(re.findall(r"^(\w+):\.*(.*)$", text, re.M))


def most_lanes(text):
    return max(LANES[word] for word in re.findall(r"\d+X", text))


def fastest_mbps(text):
    return max((int(float(word) * 1000) for word in re.findall(r"([\d.]+) Gbps", text)), default=0)


class Simulated(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.fabric = self.enterContext(ibsim.Fabric())

    def host(self, name="node1"):
        return json.loads(self.fabric.run(tool.BIN / "ibsim_host", "judge", "infiniband", host=name))

    def finding(self, told, name):
        return next(one for one in told["findings"] if one["id"] == name)

    def portinfo(self):
        return table(self.fabric.run("smpquery", "-D", "portinfo", "0", "1"))

    def with_subnet_manager(self):
        self.fabric.start_subnet_manager()
        self.fabric.wait_until(lambda: self.fabric.port_is("Active"), "opensm has configured the port")


class WithoutASubnetManager(Simulated):
    def test_the_port_fails_for_that_reason_and_for_no_other(self):
        told = self.host()
        failing = [one["id"] for one in told["findings"] if one["outcome"] == "fail"]
        self.assertEqual(failing, ["ib.sm"])
        self.assertIn("no subnet manager has configured the port", self.finding(told, "ib.sm")["observed"])
        for behind in ("ib.lid", "ib.state-init", "link.state"):
            self.assertEqual(self.finding(told, behind)["hidden_by"], "ib.sm", behind)
        self.assertEqual((told["lid"], told["sm_lid"]), (0, 0))
        self.assertIn("no LID", told["counters"]["why"])

    def test_port_info_is_read_without_a_lid(self):
        self.assertEqual(self.host()["link"]["lanes"], most_lanes(self.portinfo()["LinkWidthActive"]))


class WithASubnetManager(Simulated):
    def setUp(self):
        super().setUp()
        self.with_subnet_manager()

    def test_the_port_passes_and_its_facts_are_those_of_smpquery(self):
        for name in ("node1", "node2"):
            told = self.host(name)
            self.assertEqual([one for one in told["findings"] if one["outcome"] in ("fail", "warn", "unknown")
                              and one["id"].startswith(("ib.", "link.state"))], [], name)
            for passing in ("ib.sm", "ib.lid", "ib.state-init", "ib.width", "ib.speed", "ib.mtu", "ib.pkey",
                            "link.state", "inv.transport"):
                self.assertEqual(self.finding(told, passing)["outcome"], "pass", passing)
            info = table(self.fabric.run("smpquery", "-D", "portinfo", "0", "1", host=name))
            self.assertEqual(told["lid"], int(info["Lid"]))
            self.assertEqual(told["sm_lid"], int(info["SMLid"]))
            self.assertNotEqual(told["lid"], 0)
            self.assertEqual(told["pkeys"], [0xffff])
            speeds = {of: max(fastest_mbps(info[f"LinkSpeed{of}"]), fastest_mbps(info[f"LinkSpeedExt{of}"]))
                      for of in ("Active", "Supported", "Enabled")}
            self.assertEqual(told["link"], {
                "lanes": most_lanes(info["LinkWidthActive"]), "lanes_supported": most_lanes(info["LinkWidthSupported"]),
                "lanes_enabled": most_lanes(info["LinkWidthEnabled"]), "lane_mbps": speeds["Active"],
                "lane_mbps_supported": speeds["Supported"], "lane_mbps_enabled": speeds["Enabled"],
                "mtu_bytes": int(info["NeighborMTU"]), "mtu_bytes_supported": int(info["MtuCap"])})
            self.assertEqual(told["link"]["lane_mbps"], 53125)

    def test_the_counters_are_those_of_perfquery(self):
        for name, value in SPOILT.items():
            self.fabric.command(f'PerformanceSet "node1"[1] PortCounters.{name}={value}')
        spoilt = SPOILT["SymbolErrorCounter"]
        self.fabric.wait_until(lambda: table(self.fabric.run("perfquery"))["SymbolErrorCounter"] == str(spoilt), "counters")
        told = self.host()
        counted = table(self.fabric.run("perfquery")) | table(self.fabric.run("perfquery", "-x"))
        for theirs, ours in {**COUNTERS, **WIDE}.items():
            self.assertEqual(told["counters"][ours], int(counted[theirs]), theirs)
        for theirs, value in SPOILT.items():
            self.assertEqual(told["counters"][COUNTERS[theirs]], value, theirs)
        # Each question is itself counted: ours came before perfquery's.
        for theirs, ours in {"PortXmitPkts": "port_xmit_packets", "PortRcvPkts": "port_rcv_packets",
                             "PortXmitData": "port_xmit_data", "PortRcvData": "port_rcv_data"}.items():
            self.assertGreater(told["counters"][ours], 0, theirs)
            self.assertLessEqual(told["counters"][ours], int(counted[theirs]), theirs)


if __name__ == "__main__":
    unittest.main()
