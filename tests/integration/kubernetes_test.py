# SPDX-License-Identifier: Apache-2.0
"""The DaemonSet: as Kubernetes' API has it, with the rights of the table, and started as far as a machine without Kubernetes can: the same
commands, users, capabilities and mounts, without container engine and device plugin."""
import copy
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
import unittest

import yaml

import kubernetes_models
import tool

FOLDER = tool.ROOT / "packaging" / "kubernetes"
PLUGIN = FOLDER / "check_rdmaready"
KEYS = ("mountPath", "name")  # what members of a list are told apart by, in a patch


def documents(name):
    return list(yaml.safe_load_all((FOLDER / name).read_text()))


def patched(document, patch):
    """As `kubectl patch` does it, by strategic merge: members of a list with the same name are merged."""
    if isinstance(document, dict) and isinstance(patch, dict):
        return {**document, **{key: patched(document[key], value) if key in document else value for key, value in patch.items()}}
    if isinstance(document, list) and all(isinstance(one, dict) for one in document + patch):
        key = next(key for key in KEYS if all(key in one for one in document + patch))
        merged = {one[key]: one for one in document}
        for one in patch:
            merged[one[key]] = patched(merged[one[key]], one) if one[key] in merged else one
        return list(merged.values())
    return patch


def daemon_set(*patches):
    found = next(one for one in documents("rdmaready.yaml") if one["kind"] == "DaemonSet")
    for patch in patches:
        found = patched(found, documents(patch)[0])
    return found


def containers(document):
    return {one["name"]: one for one in document["spec"]["template"]["spec"]["containers"]}


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)([KMG]?)", text).groups()
    return int(number) * {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}[unit]


class TheManifest(unittest.TestCase):
    def test_is_as_the_api_has_it(self):
        try:
            kubernetes_models.models()
        except ImportError:
            self.skipTest("no client of Kubernetes here (package python3-kubernetes); tests/run installs it")
        patches = sorted(path.name for path in FOLDER.glob("*-patch.yaml"))
        self.assertGreaterEqual(len(patches), 3)
        for document in [*documents("rdmaready.yaml"), *(daemon_set(patch) for patch in patches), daemon_set(*patches)]:
            self.assertEqual(kubernetes_models.faults_in(document), [])
        broken = copy.deepcopy(daemon_set())
        pod = broken["spec"]["template"]["spec"]
        pod["hostNetworks"] = True
        pod["containers"][0]["securityContext"]["runAsUser"] = "7471"
        del pod["volumes"][0]["name"]
        told = "\n".join(kubernetes_models.faults_in(broken))
        for fault in ("hostNetworks: V1PodSpec has no such field", "runAsUser: '7471' is no int", "volumes[0]: Invalid value for `name`"):
            self.assertIn(fault, told)

    def test_gives_each_container_the_capabilities_of_the_table_and_no_more(self):
        table = {}
        for line in subprocess.run([tool.BIN / "rdmaready-rights", "tsv"], capture_output=True, text=True, check=True).stdout.splitlines():
            _, daemon, capability, *_ = line.split("\t")
            table.setdefault(daemon, set())
            if capability != "root":
                table[daemon].add(capability.removeprefix("CAP_"))
        found = containers(daemon_set("prover-patch.yaml", "pauser-patch.yaml"))
        # What takes a change back must not be evicted: it is the node's own (packaging/README.md).
        self.assertEqual(set(found), {"agent", "condition", *table} - {"applier"})
        for name, container in found.items():
            context = container["securityContext"]
            self.assertEqual(context["capabilities"]["drop"], ["ALL"], name)
            self.assertEqual(set(context["capabilities"].get("add", [])), table.get(name, set()), name)
            self.assertTrue(context["readOnlyRootFilesystem"], name)
            self.assertNotIn("privileged", context)
            self.assertEqual(context["runAsUser"], 0 if name in table else 7471, name)
            # With SYS_ADMIN Kubernetes has it always on.
            self.assertEqual(context.get("allowPrivilegeEscalation", True), "SYS_ADMIN" in table.get(name, ()), name)
        self.assertFalse({"prover", "pauser"} & set(containers(daemon_set())), "off unless somebody asks for it")

    def test_has_no_token_and_opens_no_port_by_default(self):
        pod = daemon_set()["spec"]["template"]["spec"]
        self.assertIs(pod["automountServiceAccountToken"], False)
        config = yaml.safe_load(next(one for one in documents("rdmaready.yaml") if one["kind"] == "ConfigMap")["data"]["agent.yaml"])
        self.assertEqual([config.get(key) for key in ("listen", "metrics_listen", "plain_role")], [None, None, None])

    def test_limits_memory_as_the_units_do(self):
        sandbox = (tool.ROOT / "packaging/sandbox.cmake").read_text()
        for name, container in containers(daemon_set("prover-patch.yaml", "pauser-patch.yaml")).items():
            if name == "condition":
                continue
            unit = (tool.ROOT / f"packaging/systemd/rdmaready-{name}.service.in").read_text()
            limit = re.search(r"MemoryMax=(\S+)", unit).group(1)
            if limit == "@AGENT_MEMORY@":
                limit = re.search(r"AGENT_MEMORY (\S+)\)", sandbox).group(1)
            self.assertEqual(bytes_of(container["resources"]["limits"]["memory"]), bytes_of(limit), name)

    def test_every_mount_is_of_a_volume_and_every_volume_is_mounted(self):
        for document in (daemon_set(), daemon_set("prover-patch.yaml", "pauser-patch.yaml", "tls-patch.yaml")):
            pod = document["spec"]["template"]["spec"]
            mounted = {mount["name"] for one in pod["containers"] + pod["initContainers"] for mount in one["volumeMounts"]}
            self.assertEqual(mounted, {volume["name"] for volume in pod["volumes"]})

    def test_one_image_in_all_of_it(self):
        named = re.findall(r"image: (\S+)", "".join((FOLDER / name).read_text() for name in ("rdmaready.yaml", "prover-patch.yaml", "pauser-patch.yaml")))
        self.assertEqual(len(set(named)), 1)
        version = re.search(r"project\(rdmaready VERSION ([\d.]+)", (tool.ROOT / "CMakeLists.txt").read_text()).group(1)
        self.assertTrue(named[0].endswith(f":{version}"))
        self.assertIn(f"--tag {named[0]} ", (FOLDER / "Containerfile").read_text())
        self.assertIn("USER 7471:7471", (FOLDER / "Containerfile").read_text())


class TheNodesCondition(unittest.TestCase):
    def plugin(self, text, oldest=900):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "condition"
            if text is not None:
                file.write_text(text)
            done = subprocess.run([PLUGIN, file, str(oldest)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.strip()

    def test_says_what_the_check_said(self):
        now = int(time.time())
        self.assertEqual(self.plugin(f"0 {now}\nRDMA OK - storage1\n"), (0, "RDMA OK - storage1"))
        self.assertEqual(self.plugin(f"1 {now}\nRDMA WARNING - storage1\n"), (0, "RDMA WARNING - storage1"), "ready, with warnings")
        self.assertEqual(self.plugin(f"2 {now}\nRDMA CRITICAL - storage1\n"), (1, "RDMA CRITICAL - storage1"))

    def test_is_unknown_where_nothing_is_known(self):
        now = int(time.time())
        for text in (None, "", "2", f"3 {now}\nRDMA UNKNOWN\n", f"4 {now}\nnobody answers\n", f"2 {now - 1000}\nRDMA CRITICAL\n", "2 x\nCRITICAL\n"):
            self.assertEqual(self.plugin(text)[0], 2, text)

    def test_is_what_node_problem_detector_takes(self):
        config = json.loads((FOLDER / "node-problem-detector.json").read_text())
        self.assertEqual(set(config), {"__comment", "plugin", "pluginConfig", "source", "metricsReporting", "conditions", "rules"})
        self.assertEqual(config["plugin"], "custom")
        (condition,), (rule,) = config["conditions"], config["rules"]
        self.assertEqual((rule["type"], rule["condition"]), ("permanent", condition["type"]))
        self.assertNotEqual(rule["reason"], condition["reason"])
        self.assertEqual(pathlib.Path(rule["path"]).name, PLUGIN.name)


# The node as each container sees it, all of them in one root: their mounts do not contradict each other.
POD = """
set -eu
root=$1 image=$2
ip link set lo up
mount -t tmpfs pod "$root"
cd "$root"
mkdir usr etc proc sys dev run tmp var var/lib host
mount -t overlay image -o "lowerdir=$image/usr:/usr" usr
mount -t overlay image -o "lowerdir=$image/etc:/etc" etc
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
for name in proc sys dev; do mount --rbind "/$name" "$name"; done
{mounts}
mount -o remount,ro "$root"
{init}
started=''
{start}
tries=0
while ! grep -qs '^[012] ' condition/condition && [ $tries -lt 900 ]; do sleep 0.1; tries=$((tries + 1)); done
{ask}
kill $started
wait
cat condition/condition
"""


@unittest.skipUnless(os.geteuid() == 0, "only root can be several users")
class ThePod(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rdmaready-pod-")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        cls.place.chmod(0o755)
        tried = subprocess.run(["unshare", "--mount", "--net", "sh", "-c", 'mkdir "$1/try" && mount -t overlay try -o lowerdir=/usr:/etc "$1/try"', "sh",
                                cls.place], capture_output=True, text=True)
        if tried.returncode != 0:
            raise unittest.SkipTest(f"this machine cannot mount what a pod sees: {tried.stderr.strip()}")
        subprocess.run(["cmake", "--install", tool.BIN.parent, "--prefix", "/usr", "--strip"], check=True, capture_output=True,
                       env={**os.environ, "DESTDIR": str(cls.place / "image")})
        (cls.place / "image/etc/os-release").write_text("ID=image\n")
        (cls.place / "image/etc/passwd").write_text("root:x:0:0::/root:/bin/sh\nrdmaready:x:7471:7471::/var/lib/rdmaready:/usr/sbin/nologin\n")

    def command(self, container, arguments=None):
        context = container["securityContext"]
        kept = "".join(f",+{name.lower()}" for name in context["capabilities"].get("add", []))
        environment = [f"{one['name']}={one['value']}" for one in container.get("env", [])]
        return shlex.join(["chroot", ".", "setpriv", f"--reuid={context['runAsUser']}", f"--regid={context['runAsGroup']}", "--clear-groups",
                           f"--bounding-set=-all{kept}", "--inh-caps=-all", "--ambient-caps=-all",
                           *(["--no-new-privs"] if context.get("allowPrivilegeEscalation") is False else []),
                           "env", "-i", "PATH=/usr/sbin:/usr/bin", *environment, *(arguments or container["command"])])

    def mounts(self, pod):
        volumes = {one["name"]: one for one in pod["volumes"]}
        wanted = {mount["mountPath"]: volumes[mount["name"]] for one in pod["containers"] for mount in one["volumeMounts"]}
        for path, volume in sorted(wanted.items()):
            there = f".{path}"
            host = volume.get("hostPath", {})
            if path.startswith("/sys/"):
                continue
            yield f"mkdir -p {there}"
            if host.get("type") == "Directory":
                yield f"mount --rbind {host['path']} {there} && mount -o remount,bind,ro {there}"
            elif "emptyDir" in volume or host:
                yield f"mount -t tmpfs -o mode={'0755' if host else '0777'} pod {there}"
            elif "configMap" in volume:
                yield f"mount --bind {self.place}/config {there}"

    def test_answers_from_the_agents_socket_with_what_the_helpers_read(self):
        document = copy.deepcopy(daemon_set())
        pod = document["spec"]["template"]["spec"]
        (self.place / "config").mkdir()
        (self.place / "config/agent.yaml").write_text(next(one for one in documents("rdmaready.yaml") if one["kind"] == "ConfigMap")["data"]["agent.yaml"])
        (self.place / "root").mkdir()
        found = containers(document)
        found["condition"]["command"][-1] = "1"  # seconds
        script = POD.replace("{mounts}", "\n".join(self.mounts(pod)))
        script = script.replace("{init}", "\n".join(self.command(one) for one in pod["initContainers"]))
        script = script.replace("{start}", "\n".join(f'{self.command(one)} 2> {self.place}/{name}.log & started="$started $!"' for name, one in found.items()))
        script = script.replace("{ask}", self.command(found["agent"], ["rdmaready", "facts", "--output", "json"]))
        done = subprocess.run(["unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", script, "sh", self.place / "root", self.place / "image"],
                              capture_output=True, text=True, timeout=170)
        said = done.stdout + done.stderr + "".join(f"\n--- {path.name}\n{path.read_text()}" for path in sorted(self.place.glob("*.log")))
        self.assertEqual(done.returncode, 0, said)
        facts, end = json.JSONDecoder().raw_decode(done.stdout)
        (host,) = facts["hosts"]
        self.assertEqual(host["error"] if "error" in host else "", "", said)
        # Of the host, and not of the image, whose file says ID=image.
        names = re.search(r"^ID=\"?(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M).group(1)
        self.assertEqual(host["facts"]["distribution"]["value"]["id"], names)
        # What takes the reader's capability, or a kernel without packet filter.
        self.assertNotEqual(host["facts"]["firewall"].get("missing", {}).get("kind"), "KIND_DENIED", host["facts"]["firewall"])
        self.assertRegex(done.stdout[end:], r"\A\s*[12] \d+\nRDMAREADY (WARNING|CRITICAL) ")

    def test_without_its_reader_says_what_is_not_allowed(self):
        """Proves that the test before can fail."""
        asked = [self.place / "image/usr/bin/rdmaready", "facts", "--output", "json"]
        tried = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", *asked], capture_output=True, text=True,
                               env=tool.environment({"HOME": "/nonexistent", "XDG_STATE_HOME": "/nonexistent"}))
        (host,) = json.loads(tried.stdout)["hosts"]
        self.assertEqual(host["facts"]["firewall"]["missing"]["kind"], "KIND_DENIED", host["facts"]["firewall"])


if __name__ == "__main__":
    unittest.main()
