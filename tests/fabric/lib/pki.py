# SPDX-License-Identifier: Apache-2.0
"""The certificates of a fabric with TLS, in its run directory: a CA, one for each guest's agent, one for who asks them, and the map of
their roles that every agent goes by."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "support"))
import certificates  # noqa: E402

DOMAIN = "spiffe://fabric.example"
ROLES = f"""\
agent: ["URI:{DOMAIN}/agent/*"]
apply: ["URI:{DOMAIN}/user/*"]
stress: ["URI:{DOMAIN}/user/*"]
test: ["URI:{DOMAIN}/tester/*"]
observe: ["URI:{DOMAIN}/visitor/*"]
"""


def make(directory, hosts):
    os.mkdir(directory, 0o755)
    authority = certificates.Authority(directory, "ca")
    for number in range(1, hosts + 1):
        # The agents are reached at forwarded ports of loopback.
        authority.sign(f"guest{number}", f"DNS:guest{number},IP:127.0.0.1,URI:{DOMAIN}/agent/guest{number}")
    authority.sign("client", f"URI:{DOMAIN}/user/client")
    authority.sign("tester", f"URI:{DOMAIN}/tester/tester")
    with open(os.path.join(directory, "roles.yaml"), "w", encoding="utf-8") as file:
        file.write(ROLES)
    for name in os.listdir(directory):
        os.chmod(os.path.join(directory, name), 0o644)  # an agent need not be root; nothing here is a secret
