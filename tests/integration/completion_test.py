# SPDX-License-Identifier: Apache-2.0
"""Completion in three shells, run by the shells themselves, and manual pages: all say what --help says."""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tool

CONFIG = tool.ROOT / "packaging" / "config"
# Of a line that is being typed: what completes it.
TYPED = {"rdmaready ch": {"check"}, "rdmaready test l": {"loopback"}, "rdmaready check --lev": {"--level"},
         "rdmaready test peer --bidi": {"--bidirectional"}, "rdmaready check --max-": {"--max-time"},
         "rdmaready check --level pe": {"peer"}, "rdmaready check --output js": {"json", "jsonl"}, "rdmaready fleet ma": {"maintenance"},
         "rdmaready explain pfc.loss": {"pfc.lossless-priority"}, "rdmaready profile show nvidia-lossl": {"nvidia-lossless"},
         "rdmaready context unset lab tls_ca": {"tls_ca"}, "rdmaready context de": {"delete"}}


def shell(name, *arguments, **options):
    path = {**os.environ, "PATH": f"{tool.BIN}:{os.environ['PATH']}", "TERM": "dumb"}
    return subprocess.run([name, *arguments], capture_output=True, text=True, timeout=60, env=path, **options)


class Completion(unittest.TestCase):
    def needs(self, name):
        if shutil.which(name) is None:
            self.skipTest(f"no {name} here; tests/run installs it")

    def test_of_bash_completes_as_help_says(self):
        for line, wanted in TYPED.items():
            words = " ".join(f"'{word}'" for word in line.split())
            script = (f". '{CONFIG / 'completion.bash'}'; COMP_WORDS=({words}); COMP_CWORD={len(line.split()) - 1}; _rdmaready; "
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            self.assertEqual(set(shell("bash", "-c", script).stdout.split()), wanted, line)

    def test_of_fish_completes_as_help_says(self):
        self.needs("fish")
        for line, wanted in TYPED.items():
            done = shell("fish", "--no-config", "-c", f"source '{CONFIG / 'completion.fish'}'; complete -C '{line}'")
            self.assertEqual({found.split("\t")[0] for found in done.stdout.splitlines()}, wanted, done)

    def test_of_zsh_completes_as_help_says(self):
        self.needs("zsh")
        self.assertEqual(shell("zsh", "-n", CONFIG / "completion.zsh").stderr, "")
        # compadd, as the function calls it, with zsh's own matching of what is typed.
        script = ('compdef() { :; }; _files() { :; }; compadd() { shift; for one in "$@"; do [[ $one == $PREFIX* ]] && print -r -- $one; done; }; '
                  f"source '{CONFIG / 'completion.zsh'}'; words=(${{(z)LINE}}); CURRENT=$#words; PREFIX=$words[-1]; _rdmaready")
        for line, wanted in TYPED.items():
            done = shell("zsh", "-f", "-c", f"LINE='{line}'; {script}")
            self.assertEqual(set(done.stdout.split()), wanted, done)


class TheManual(unittest.TestCase):
    def test_is_clean_to_mandoc_and_names_every_option_of_help(self):
        with tempfile.TemporaryDirectory(prefix="manual ") as folder:
            for program, section in (("rdmaready", "1"), ("rdmaready-agent", "8")):
                page = pathlib.Path(folder) / f"{program}.{section}.gz"
                subprocess.run([sys.executable, tool.ROOT / "packaging" / "man" / "make_page.py", tool.BIN / program, section, page],
                               check=True, timeout=120)
                text = gzip.decompress(page.read_bytes()).decode()
                plain = text.replace("\\-", "-")
                for option in re.findall(r"--[a-z][a-z-]+", tool.Answer(subprocess.run(
                        [tool.BIN / program, "--help"], capture_output=True, text=True, timeout=60)).out):
                    self.assertIn(option, plain)
                if shutil.which("mandoc") is None:
                    self.skipTest("no mandoc here; tests/run installs it")
                source = pathlib.Path(folder) / f"{program}.{section}"
                source.write_text(text)
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", source], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done)


    PAGES = {"rdmaready": "1", "rdmaready-agent": "8", "rdmaready-hub": "8"}
    # A variable that a program sets, or a name of a switch's own.
    NOT_READ = {"RDMAREADY_", "RDMAREADY_RDMA", "RDMAREADY_HOST"}

    def pages(self):
        with tempfile.TemporaryDirectory(prefix="manual ") as folder:
            for program, section in self.PAGES.items():
                page = pathlib.Path(folder) / f"{program}.{section}.gz"
                subprocess.run([sys.executable, tool.ROOT / "packaging" / "man" / "make_page.py", tool.BIN / program, section, page],
                               check=True, timeout=120)
                yield program, gzip.decompress(page.read_bytes()).decode().replace("\\-", "-").replace("\\(ti", "~").replace("\\fB", "").replace("\\fR", "")

    def sources(self):
        for folder in ("api", "agent", "cli", "hub", "collectors", "checks"):
            for path in (tool.ROOT / folder).rglob("*"):
                if path.suffix in (".cc", ".h"):
                    yield path.read_text()

    def test_has_the_sections_that_a_reader_looks_for(self):
        for program, text in self.pages():
            for title in ("FILES", "ENVIRONMENT", "SEE ALSO", "EXIT STATUS", "EXAMPLES"):
                self.assertEqual(text.count(f'.SH "{title}"'), 1, f"{program}: {title}")

    def test_names_every_variable_that_is_read_and_every_path_of_the_products_own(self):
        pages = "\n".join(text for _, text in self.pages())
        code = "\n".join(self.sources())
        variables = set(re.findall(r'"(RDMAREADY_[A-Z_]*)"', code)) - self.NOT_READ
        variables |= set(re.findall(r'(?:getenv|Environment\w*|VariableText)\("([A-Z_]+)"\)', code))
        self.assertIn("RDMAREADY_TLS_CA", variables)
        self.assertIn("XDG_CONFIG_HOME", variables)
        own = (tool.ROOT / folder for folder in ("packaging/systemd", "packaging/config"))
        text = code + "\n".join(path.read_text() for folder in own for path in folder.iterdir())
        paths = set(re.findall(r"/(?:etc|var/lib|var/log|run)/rdmaready[\w./-]*[\w]", text))
        self.assertIn("/etc/rdmaready/apply.yaml", paths)
        # A socket is named in the entry of its folder.
        words = {path.rsplit("/", 1)[1] if path.endswith(".sock") else path for path in paths}
        for word in sorted(variables | words):
            self.assertRegex(pages, rf"(?<![\w/]){re.escape(word)}(?![\w-])", "not in packaging/man/*.txt")


class Help(unittest.TestCase):
    """Ends with examples, and they work."""

    def helps(self):
        for line in re.findall(r"^  ([a-z-]+)  ", tool.rdmaready("--help").out.split("Subcommands:")[1], re.M):
            told = tool.rdmaready(line, "--help").out
            yield line, told
            if "Subcommands:" in told:
                for inner in re.findall(r"^  ([a-z-]+)  ", told.split("Subcommands:")[1], re.M):
                    yield f"{line} {inner}", tool.rdmaready(*line.split(), inner, "--help").out

    def test_of_each_command_has_examples_that_the_parser_takes(self):
        seen = 0
        for command, told in self.helps():
            with self.subTest(command):
                self.assertRegex(told, r"\nExamples?:\n")
                examples = re.findall(r"^  (rdmaready .*?)(?:\s{2,}.*)?$", re.split(r"\nExamples?:\n", told)[1], re.M)
                self.assertTrue(examples)
                for example in examples:
                    seen += 1
                    words = re.split(" > | -- ", example)[0].replace("'", "").split()[1:]  # without the arguments of another program
                    answer = tool.rdmaready(*words, "--help")
                    self.assertEqual(answer.status, 0, example)
                    for option in re.findall(r"--[a-z-]+", example):
                        self.assertIn(option, answer.out, example)
        self.assertGreater(seen, 20)

    def test_takes_a_slip_of_the_finger_for_what_was_meant(self):
        for line, meant in (("chekc", "check"), ("check --levle host", "--level"), ("check --level peeer", "peer"),
                            ("explain pfc.losless-priority", "pfc.lossless-priority"), ("test loopback --case write-512", "write-512k"),
                            ("check --output jsno", "json"), ("check --profile nvidia-losless", "nvidia-lossless"),
                            ("history --kind runn", "run")):
            answer = tool.rdmaready(*line.split())
            self.assertEqual((answer.status, len(answer.err.splitlines())), (2, 1), answer)
            self.assertRegex(answer.err, rf"did you mean `?{re.escape(meant)}`?\?")

    def test_of_a_live_test_speaks_of_the_speed_that_a_profile_demands(self):
        self.assertIn("min_throughput_mbps", tool.rdmaready("explain", "peer.write-512k").out)
        self.assertIn("max_latency_us", tool.rdmaready("explain", "peer.send-1k").out)
        self.assertRegex(tool.rdmaready("explain", "loopback.write-512k").out, r"speed +none")


class ThreeCommands(unittest.TestCase):
    """From the bare program to an understanding of one failure, each command being what the one before it said."""

    def test_lead_from_the_name_of_the_program_to_why_and_what_to_do(self):
        first = tool.rdmaready()
        self.assertEqual(first.status, 2, first)
        second_line = re.search(r"to begin: (rdmaready check)", first.err)[1]
        second = tool.rdmaready(*second_line.split()[1:])
        self.assertIn(second.status, (1, 3), second)  # no RDMA here, or not ready
        third_line = re.search(r"^MORE +(rdmaready explain [^\s;]+)", second.out, re.M)[1]
        third = tool.rdmaready(*third_line.split()[1:])
        self.assertEqual(third.status, 0, third)
        for label in ("requires", "why", "fix", "blocking"):
            self.assertRegex(third.out, rf"(?m)^{label} +\S")


if __name__ == "__main__":
    unittest.main()
