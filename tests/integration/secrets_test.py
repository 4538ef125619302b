# SPDX-License-Identifier: Apache-2.0
"""Secrets that stand beside what an agent looks for, in every file of people's and programs' that it reads: none is in a recording, in the
facts, in a report, in what it remembers or in its log."""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

import tool

MARK = "PLANTED"
# %s is where what is looked for stands.
KINDS = (
    "-t rdma -a 10.0.0.9 --dhchap-secret=DHHC-1:00:PLANTED01: %s --dhchap-ctrl-secret=DHHC-1:00:PLANTED01b:",
    '{"hostnqn":"n","dhchap_key":"DHHC-1:01:PLANTED02:",%s,"dhchap_ctrl_key":"PLANTED02b"}',
    "NVMeTLSkey-1:01:PLANTED03: %s",
    "node.session.auth.password = PLANTED04 %s",
    "mount -t cifs -o user=u,password=PLANTED05,rdma //s/x /m; %s",
    "password=PLANTED06 %s domain=PLANTED06b",
    'psk="PLANTED07" %s',
    "*/5 * * * * root curl https://u:PLANTED08@example.org/ ; %s",
    "AWS_SECRET_ACCESS_KEY=PLANTED09 %s",
    "%s -----BEGIN OPENSSH PRIVATE KEY----- PLANTED10",
    "Authorization: Bearer PLANTED11 %s",
    "%s --keytab-password PLANTED12",
    "Cookie: session=PLANTED13; %s",
    "rocommunity PLANTED14 %s",
    "bindpw PLANTED15 %s",
    "Environment=PGPASSWORD=PLANTED16 %s Environment=X=PLANTED16b",
    "ipmitool -U admin -P PLANTED17 ; %s",
    "PrivateKey = PLANTED18 %s",
    "GITHUB_TOKEN=ghp_PLANTED19 %s",
    "# commented out: secret PLANTED20 %s PLANTED20b",
)
# Found by listing a folder, where this machine has none.
OTHERS = ("/etc/systemd/system/a.service", "/etc/modprobe.d/a.conf", "/etc/udev/rules.d/a.rules", "/etc/profile.d/a.sh", "/etc/cron.d/a",
          "/etc/fstab", "/etc/wpa_supplicant/wpa_supplicant.conf", "/etc/NetworkManager/system-connections/a.nmconnection",
          "/etc/ksmbd/ksmbdpwd.db", "/etc/samba/credentials", "/etc/systemd/system/b.service.d/override.conf")
# Their values are looked for, and hold no secret.
PLAIN = ("/etc/ksmbd/", "/etc/security/limits.")
# A mount of its own over /etc, for the agent alone.
OVER_ETC = ("unshare", "--map-root-user", "--mount", "sh", "-c",
            'mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/etc,workdir=$0/work" /etc && exec "$@"')


class Secrets(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("etc", "work"):
            (self.place / name).mkdir()
        tried = subprocess.run([*OVER_ETC, self.place, "true"], capture_output=True, text=True)
        if tried.returncode != 0:
            self.skipTest(f"this machine cannot mount over /etc for one process: {tried.stderr.strip()}")

    def save(self, agent, name):
        saved = tool.rdmaready("facts", agent.address, "--save", self.place / name)
        self.assertEqual(saved.status, 0, saved)
        found = list((self.place / name).rglob("lines.jsonl"))
        self.assertEqual(len(found), 1)
        return [json.loads(line) for line in found[0].read_text().splitlines()]

    def plant(self, questions):
        words = sorted({word for question in questions for word in question["words"] if not word.startswith("CONFIG_")})
        paths = {question["find"] for question in questions if question["find"].startswith("/etc/")} | set(OTHERS)
        for path in paths:
            file = self.place / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            kinds = [kind for kind in KINDS if not path.startswith(PLAIN) or not kind.startswith("%s")]
            file.write_text("".join(kind.replace("%s", word + value) + "\n" for kind in kinds for word in words for value in ("", "=106")))
        return paths

    def look_into_bundles(self, agent):
        for name, options in (("b.tar", ()), ("b.tar.gz", ()), ("p.tar", ("--pseudonyms",))):
            made = tool.rdmaready("bundle", agent.address, "--out", self.place / name, *options)
            self.assertEqual(made.status, 0, made)
            data = (self.place / name).read_bytes()
            self.assertNotIn(MARK.encode(), data)
            with tarfile.open(self.place / name) as tar:
                contents = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
            self.assertGreater(len(contents), 1)
            for path, text in contents.items():
                self.assertNotIn(MARK.encode(), text, path)
                self.assertNotIn(MARK.encode().hex().encode(), text, path)  # as recordings hold what is no text
            if not options:  # what is looked for is there
                lines = next(text for path, text in contents.items() if path.endswith("/lines.jsonl"))
                self.assertIn(b'"lines"', lines)

    def test_no_secret_leaves_the_files_that_hold_it(self):
        with tool.Agent("--log-level", "debug") as agent:
            paths = self.plant(self.save(agent, "before"))
        self.assertGreater(len(paths), 12)
        # And in the command line and the environment of a process.
        process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()", "--password=PLANTED21"],
                                   stdin=subprocess.PIPE, env={"SECRET": "PLANTED22"})
        self.addCleanup(process.communicate)
        with tool.Agent("--log-level", "debug", under=(*OVER_ETC, self.place)) as agent:
            answers = {answer["find"]: answer.get("lines", []) for answer in self.save(agent, "after")}
            found = {path for path in paths if answers.get(path)}
            self.assertGreater(len(found), 10, answers.keys())  # what is looked for is found beside them
            for command in (("facts", agent.address), ("facts", agent.address, "--output", "json"), ("check", agent.address, "-v"),
                            ("check", agent.address, "--output", "json"), ("history", agent.address, "--output", "json")):
                answer = tool.rdmaready(*command)
                self.assertNotIn(MARK, answer.out + answer.err, command)
            self.look_into_bundles(agent)
            for run in answer.json["hosts"][0]["runs"]:
                self.assertNotIn(MARK, tool.rdmaready("history", agent.address, "--run", run["run_id"], "--output", "json").out)
            agent.stop()
            self.assertNotIn(MARK, "".join(agent.log))
            files = [file for folder in (self.place / "after", agent.state) for file in folder.rglob("*") if file.is_file()]
            self.assertGreater(len(files), 10)
            for file in files:
                self.assertNotIn(MARK.encode(), file.read_bytes(), file)
                self.assertEqual(file.stat().st_mode & 0o077, 0, file)
        print(f"  {len(KINDS)} kinds in {len(paths)} files, {len(found)} of them with what was looked for", flush=True)


if __name__ == "__main__":
    unittest.main()
