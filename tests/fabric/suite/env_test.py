# SPDX-License-Identifier: Apache-2.0
"""The values of `rdmaready env` make perftest run between two guests whose GID tables differ."""
import re
import time
import unittest

import fabric
import tool


class TwoTables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = fabric.bring_up()
        fabric.put_right()
        cls.addClassCleanup(fabric.put_right)
        # Its address gets a GID behind that of another, which then goes.
        fabric.guest(1, "ip address del 10.0.0.1/24 dev dcb0; ip address add 10.9.0.1/24 dev dcb0; sleep 0.5; "
                        "ip address add 10.0.0.1/24 dev dcb0; sleep 0.5; ip address del 10.9.0.1/24 dev dcb0; sleep 0.5")

    def values(self, number):
        answer = tool.rdmaready("env", self.hosts[number], "--for", "nccl", "--profile", "virtual-fabric", "--output", "json")
        self.assertEqual(answer.status, 0, answer)
        return {one["name"]: one["value"] for one in answer.json["variables"]}

    def test_move_bytes_between_them(self):
        values = {number: self.values(number) for number in (1, 2)}
        self.assertNotEqual(values[1]["NCCL_IB_GID_INDEX"], values[2]["NCCL_IB_GID_INDEX"])

        def perftest(number, *more):
            own = values[number]
            device, port = re.fullmatch(r"=([\w.]+):(\d+)", own["NCCL_IB_HCA"]).groups()
            return " ".join(["ib_write_bw", "-F", "-d", device, "-i", port, "-x", own["NCCL_IB_GID_INDEX"], "--tclass", own["NCCL_IB_TC"],
                             "-s", "4096", "-n", "500", *more])

        fabric.guest(2, f"{perftest(2)} > /tmp/perftest.out 2>&1 &")
        self.addCleanup(fabric.guest, 2, "pkill -x ib_write_bw; :")
        fabric.guest(2, "for i in $(seq 100); do ss -Htln sport = :18515 | grep -q . && exit; sleep 0.1; done; cat /tmp/perftest.out; exit 1")
        told = fabric.guest(1, f"timeout 60 {perftest(1, '10.0.0.2')}")
        self.assertRegex(told, r"(?m)^ *4096 +500 +[0-9.]+")
        for _ in range(50):
            if re.search(r"(?m)^ *4096 +500 ", fabric.guest(2, "cat /tmp/perftest.out")):
                return
            time.sleep(0.2)
        self.fail(fabric.guest(2, "cat /tmp/perftest.out"))


if __name__ == "__main__":
    unittest.main()
