# SPDX-License-Identifier: Apache-2.0
"""Microsoft's profile on the guests: the tool's own fixes bring a guest there, and each wrong thing after that is named and healed."""
import unittest

import fabric
import tool

PROFILE = "smb-direct-roce"
ADDRESS = "10.7.11.{}/24"

# What is done to a guest that is as Microsoft asks for it, and the one check that must name it.
FAULTS = [
    ("ip link set dev dcb0.711 type vlan egress-qos-map 2:0", "vlan.egress-map"),
    ("dcb pfc set dev dcb0 prio-pfc all:off 3:on 7:on", "pfc.not-heartbeat"),
    ("dcb ets set dev dcb0 prio-tc 7:0", "ets.three-classes"),
    ("dcb ets set dev dcb0 tc-bw all:0 0:30 3:50 7:20", "ets.cluster-share"),
    ("dcb app add dev dcb0 dscp-prio 26:3", "trust.mode"),
    ("ip addr flush dev dcb0.711 scope global; ip addr add 10.9.9.9/24 dev dcb0", "vlan.present"),
]


class MicrosoftsProfile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.host = fabric.bring_up()[1]
        fabric.put_right(1)
        cls.addClassCleanup(fabric.put_right, 1)

    def check(self):
        return tool.rdmaready("check", self.host, "--profile", PROFILE, "--output", "json")

    def red(self, report):
        return [f for f in report["hosts"][0]["findings"] if f["blocking"] and f["outcome"] in ("fail", "unknown")]

    def heal(self, finding):
        """What a person types, with what only a person knows put in."""
        fix = fabric.commands(finding).replace("ADDRESS", ADDRESS.format(1)).replace("VLAN", "711")
        fabric.guest(1, "ip link del dcb0.711 2> /dev/null; " + fix if "type vlan id" in fix else fix)
        return fix

    def test_the_fixes_lead_there_and_each_fault_is_named(self):
        fabric.guest(1, "modprobe 8021q")
        typed = []
        for _ in range(12):
            answer = self.check()
            if answer.status == 0:
                break
            self.assertEqual(answer.status, 1, answer)
            typed.append(self.heal(self.red(answer.json)[0]))
        self.assertEqual(answer.status, 0, f"not ready after {typed}: {answer}")
        self.assertTrue(any("type vlan id 711" in fix for fix in typed), typed)
        for fix in typed:
            print(f"  {fix}", flush=True)
        for fault, check_id in FAULTS:
            with self.subTest(fault=fault):
                fabric.guest(1, fault)
                red = self.red(self.check().json)
                self.assertEqual([f["id"] for f in red], [check_id], red)
                self.heal(red[0])
                answer = self.check()
                self.assertEqual(answer.status, 0, answer)


if __name__ == "__main__":
    unittest.main()
