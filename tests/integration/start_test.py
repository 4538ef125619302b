# SPDX-License-Identifier: Apache-2.0
"""packaging/START.md, typed as it stands: two hosts with TLS and a context, then a hub with two enrolled agents. Three machines are three mount
namespaces with an address of loopback each; ssh, scp and systemctl are stand-ins, everything else is what a reader has."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import readme_test
import tool

MACHINES = {"node1": "127.0.1.1", "node2": "127.0.1.2", "hub1": "127.0.1.3"}
OWN = ("etc/rdmaready", "var/lib/rdmaready", "var/lib/rdmaready-hub", "var/log/rdmaready", "run/rdmaready")  # of each machine

# Everything happens below a namespace of its own, over file systems that end with it.
OUTER = """
set -e
lab=$1
ip link set lo up
mkdir "$lab/etc.of.here"
cp -a /etc/. "$lab/etc.of.here/"
mount -t tmpfs none /etc
cp -a "$lab/etc.of.here/." /etc/
for place in /var/lib /var/log /run /root; do mount -t tmpfs none "$place"; done
printf '127.0.0.1 localhost\\n127.0.1.1 node1\\n127.0.1.2 node2\\n127.0.1.3 hub1\\n' > /etc/hosts
printf 'hosts: files\\npasswd: files\\ngroup: files\\n' > /etc/nsswitch.conf
for user in rdmaready rdmaready-hub; do
  getent passwd $user > /dev/null || useradd --system --no-create-home --shell /usr/sbin/nologin --user-group $user 2>/dev/null
done
for place in /etc/rdmaready /var/lib/rdmaready /var/lib/rdmaready-hub /var/log/rdmaready /run/rdmaready; do mkdir -p "$place"; done
for machine in node1 node2 hub1; do
  for place in etc/rdmaready var/lib/rdmaready var/lib/rdmaready-hub var/log/rdmaready run/rdmaready; do mkdir -p "$lab/$machine/$place"; done
  cp "$lab"/config/*.yaml "$lab/$machine/etc/rdmaready/"
  touch "$lab/$machine/var/log/rdmaready/audit.log"
  chown -R rdmaready: "$lab/$machine/var/lib/rdmaready" "$lab/$machine/var/log/rdmaready" "$lab/$machine/run/rdmaready"
  chown rdmaready-hub: "$lab/$machine/var/lib/rdmaready-hub"
done
cd /root
export HOME=/root PATH="$lab/shims:$lab/bin:$PATH"
status=0
bash -e "$lab/typed.sh" || status=$?
for pid in "$lab"/*.pid; do kill "$(cat "$pid")" || true; done
exit $status
"""

ON_MACHINE = """#!/bin/bash
# on-machine NAME COMMAND...: in its mount namespace
lab={lab}
machine=$1
shift
exec unshare --mount sh -e -c '
  lab=$1 machine=$2; shift 2
  for place in {own}; do mount --bind "$lab/$machine/$place" "/$place"; done
  export MACHINE=$machine
  exec "$@"' on-machine "$lab" "$machine" "$@"
"""

SSH = """#!/bin/bash
# As ssh: the words after the host are one line for a shell there.
machine=${1#root@}
shift
exec on-machine "$machine" sh -c "$*"
"""

SCP = """#!/bin/bash
to=${!#}
[[ $to == root@* ]] && machine=${to#root@} && to={lab}/${machine%%:*}${machine#*:}
for from in "${@:1:$#-1}"; do
  [[ $from == root@* ]] && machine=${from#root@} && from={lab}/${machine%%:*}${machine#*:}
  install -m "$(stat -c %a "$from")" "$from" "$to"
done
"""

SYSTEMCTL = """#!/bin/bash
# systemctl restart NAME: the service's own command and user; who listens everywhere does so at the address of the machine.
set -e
name=$2
pid={lab}/$MACHINE.$name.pid
if [ -e "$pid" ]; then kill "$(cat "$pid")"; while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done; fi
config=/etc/rdmaready/${name#rdmaready-}.yaml
sed "s/0\\.0\\.0\\.0/$(getent hosts "$MACHINE" | cut -d' ' -f1)/" "$config" > /run/rdmaready/config.yaml
chmod 644 /run/rdmaready/config.yaml
user=rdmaready
[ "$name" = rdmaready-agent ] || user=$name
log={lab}/$MACHINE.$name.log
RDMAREADY_SOCKET=/run/rdmaready/agent.sock setsid runuser -u $user -- {lab}/bin/$name --config /run/rdmaready/config.yaml --metrics-listen none > "$log" 2>&1 < /dev/null &
for _ in $(seq 200); do
  if grep -q listening "$log"; then pgrep -n -x -f "{lab}/bin/$name --config .*" > "$pid"; exit 0; fi
  sleep 0.05
done
cat "$log" >&2
exit 1
"""


def blocks():
    return [text for language, text in readme_test.blocks("packaging/START.md") if language == "sh"]


@unittest.skipUnless(os.geteuid() == 0, "takes root: it mounts")
class AReader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="rdmaready-start-", dir="/tmp")
        cls.addClassCleanup(cls.directory.cleanup)
        cls.lab = pathlib.Path(cls.directory.name)
        cls.lab.chmod(0o755)
        for folder in ("bin", "shims", "config"):
            (cls.lab / folder).mkdir()
        for name in ("rdmaready", "rdmaready-agent", "rdmaready-hub"):
            shutil.copy2(tool.BIN / name, cls.lab / "bin")
        for name in ("agent.yaml", "hub.yaml"):
            shutil.copy(tool.ROOT / "packaging" / "config" / name, cls.lab / "config")
        for name, text in (("on-machine", ON_MACHINE), ("ssh", SSH), ("scp", SCP), ("systemctl", SYSTEMCTL)):
            shim = cls.lab / "shims" / name
            shim.write_text(text.replace("{lab}", str(cls.lab)).replace("{own}", " ".join(OWN)))
            shim.chmod(0o755)

    def type_it(self, *lines):
        """What a person types, and what is looked at after each block."""
        (self.lab / "typed.sh").write_text("\n".join(lines) + "\n")
        done = subprocess.run(["unshare", "--mount", "--net", "bash", "-c", OUTER, "-", self.lab], capture_output=True, text=True,
                              timeout=300, env={"PATH": os.environ["PATH"], "NO_COLOR": "1"}, stdin=subprocess.DEVNULL)
        logs = "\n".join(f"{path.name}: {path.read_text()[-2000:]}" for path in self.lab.glob("*.log"))
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}\n{logs}")
        return done.stdout

    def test_of_the_start_page_gets_two_hosts_with_tls_and_a_fleet(self):
        first, check, on_hub, enrol = blocks()
        # A machine of the tests may have no RDMA: a check is answered all the same, and says so.
        answered = re.sub(r"(?m)^(rdmaready (?:check|fleet status).*)$", r"status=0; \1 || status=$?; [ $status -le 3 ] && [ $status -ne 2 ]", check)
        after = re.sub(r"(?m)^rdmaready fleet status$", textwrap.dedent("""\
            for _ in $(seq 100); do
              [ "$(rdmaready fleet hosts --output json | grep -c '"host_id": "[^"]')" -ge 2 ] && break
              sleep 0.1
            done
            echo FLEET; rdmaready fleet hosts
            rdmaready facts node1 --output json > /dev/null
            echo WITHOUT; rdmaready fleet status --context none --hub hub1 2>&1 || true"""), enrol)
        out = self.type_it(first, answered, "rdmaready facts node1 node2 --output json > /dev/null",
                           "ssh root@hub1 sh -e -s <<'TYPED_ON_HUB'", on_hub, "TYPED_ON_HUB", after)
        self.assertIn("node1", out)
        listed = out.split("FLEET")[1].split("WITHOUT")[0]
        self.assertEqual(len(listed.strip().splitlines()), 2, out)
        self.assertRegex(out.split("WITHOUT")[1], "refusing to talk in plain text|wants TLS")


if __name__ == "__main__":
    unittest.main()
