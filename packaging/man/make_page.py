#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A manual page made from what a program says of itself, so that the two cannot differ, and from NAME.txt beside this file: the paths, the
variables of the environment and the other pages, which no program lists.

make_page.py PROGRAM SECTION OUTPUT    PROGRAM --help, and --help of each of its subcommands; OUTPUT is gzipped
"""
import gzip
import pathlib
import re
import subprocess
import sys


# Of the page's form; what it says is the program's of its version. A date of the build would make each build another.
DATE = "2026-11-23"


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.rstrip("\n").split("\n")


def roff(text):
    """Text as it stands: a backslash, a hyphen, a quote, a tilde, or a dot at the beginning means nothing to the formatter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("~", "\\(ti")
    return "\\&" + text if text[:1] in (".", "'") else text


def verbatim(lines):
    return [".nf", *(roff(line) for line in lines), ".fi"]


def subcommands(lines):
    """The words below "Subcommands:", if the program has any."""
    if "Subcommands:" not in lines:
        return []
    rest = lines[lines.index("Subcommands:") + 1:]
    end = rest.index("") if "" in rest else len(rest)
    return [match.group(1) for line in rest[:end] if (match := re.match(r"  ([a-z-]+) ", line))]


def own_commands(name, lines):
    """What a program without subcommands does besides, as its help says: "NAME one, two (see --help)"."""
    found = [match.group(1) for line in lines if (match := re.search(rf"\b{name} ((?:[a-z]+, )*[a-z]+)\b.*--help\)$", line))]
    return [word for words in found for word in words.split(", ")]


def section(title, lines):
    return [f'.SH "{title.upper()}"', *verbatim(lines)]


def paragraphs(lines):
    """(what is described, its text) of each entry: a line at the margin, and the indented lines below it."""
    entries = []
    for line in lines:
        if line.startswith("  "):
            entries[-1][1].append(line.strip())
        else:
            entries.append((line, []))
    return entries


def described(title, lines):
    out = [f'.SH "{title}"']
    for name, text in paragraphs(lines):
        out += [".TP", f"\\fB{roff(name)}\\fR", roff(" ".join(text))] if text else [roff(name)]
    return out


def written(name):
    """The sections of NAME.txt by their titles: "= FILES" begins one."""
    sections = {}
    for line in (pathlib.Path(__file__).parent / f"{name}.txt").read_text().splitlines():
        if line.startswith("= "):
            sections[line[2:]] = []
        elif not line.startswith("# "):
            list(sections.values())[-1].append(line)
    return sections


def without_end(text):
    """What --help says before its examples, its examples, and its exit statuses."""
    examples = text.index("Examples:") if "Examples:" in text else len(text)
    status = next((i for i, line in enumerate(text) if line.startswith("Exit status:")), len(text))
    trim = "\n".join
    return (trim(text[:min(examples, status)]).rstrip("\n").split("\n"), trim(text[examples + 1:status]).strip("\n").split("\n"),
            trim(text[status:]).removeprefix("Exit status: ").split("\n"))


def page(program, number):
    name = pathlib.Path(program).name
    text = help_of(program)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    usage = next(line for line in text if line.startswith("Usage: "))
    out = [f'.TH {name.upper().replace("-", chr(92) + "-")} {number} "{DATE}" "{name} {version}" "RDMA storage readiness"',
           ".SH NAME", f"{roff(name)} \\- {roff(text[0].rstrip('.'))}",
           ".SH SYNOPSIS", roff(usage.removeprefix("Usage: "))]
    before, examples, statuses = without_end(text)
    more = written(name)
    out += section("Description", before[before.index(usage) + 1:])
    for command in [] if subcommands(text) else own_commands(name, text):
        out += section(f"{name} {command}", help_of(program, command))
    for command in subcommands(text):
        shown = help_of(program, command)
        out += section(f"{name} {command}", shown)
        for inner in subcommands(shown):
            out += section(f"{name} {command} {inner}", help_of(program, command, inner))
    for title, said in (("EXIT STATUS", statuses), ("EXAMPLES", examples)):
        if title not in more:
            out += section(title, said)
    for title, lines in more.items():
        out += described(title, lines)
    return "\n".join(out) + "\n"


def main(program, number, output):
    with open(output, "wb") as file, gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as packed:
        packed.write(page(program, number).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
