#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds that no path of the tree is pasted into a shell line of a suite of the fabric: fabric.word() makes it one word, whatever it holds.

words.py ROOT      one line per complaint, exit 1 when there is any
words.py --self    prove that it can fail
"""
import ast
import pathlib
import re
import sys

ROOTS = {"BIN", "ROOT", "LAUNCHER", "FABRIC", "HERE"}  # the names that the tests have for folders and programs of the tree
BARE = re.compile(r"""(?<!")\$(fabric_dir|agent)\b""")  # paths in the guest's /run/fabric/conf


def names_in(node):
    """Those of an expression that may be a path: of a call nothing, since fabric.word() and shlex.quote() are calls."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):
        return {node.attr} | names_in(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return names_in(node.left)
    return set()


def complaints(path, text):
    tree = ast.parse(text, str(path))
    paths = set(ROOTS)
    for node in tree.body:
        if isinstance(node, ast.Assign) and names_in(node.value) & paths:
            paths |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    pasted = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and names_in(node.value) & paths]
    bare = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str) and BARE.search(node.value)]
    return [f"{path}:{node.lineno}: {ast.unparse(node.value)} is pasted into a text; as a word of a shell it is fabric.word(...)" for node in pasted] + [
        f"{path}:{node.lineno}: {BARE.search(node.value)[0]} without quotes" for node in bare]


def prove():
    bad = ('guest(1, f"{tool.BIN}/rdmaready check")', 'guest(1, f"{fabric.LAUNCHER.parent}/guest/agent")', 'W = tool.BIN / "w"\nguest(1, f"\'{W}\' x")',
           "guest(1, '. /run/fabric/conf; $fabric_dir/guest/prover stop')")
    good = ('guest(1, f"{fabric.word(tool.BIN, \'w\')} check")', 'W = fabric.word(tool.BIN, "w")\nguest(1, f"{W} x")', 'run([tool.BIN / "w", f"-{n}"])',
            "guest(1, '. /run/fabric/conf; \"$agent\" --version')")
    for text in bad:
        if len(complaints("a.py", text)) != 1:
            sys.exit(f"words: not seen: {text}")
    for text in good:
        if found := complaints("a.py", text):
            sys.exit(f"words: blamed: {found}")
    print("can fail")
    return 0


def main(argument):
    if argument == "--self":
        return prove()
    suites = sorted((pathlib.Path(argument) / "tests" / "fabric" / "suite").glob("*.py"))
    found = [line for path in suites for line in complaints(path, path.read_text())]
    print("\n".join(found) if found else f"words: {len(suites)} files, no complaint")
    return 1 if found or not suites else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
