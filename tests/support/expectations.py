# SPDX-License-Identifier: Apache-2.0
"""Reads an expect.yaml of tests/fixtures/corpus: the part of YAML that such a file needs, without a library for it.

Lines are comments, `key: VALUE`, or `key:` followed by lines `  - VALUE`. A VALUE is a plain word or several, 'quoted',
[a, list] or {a: map}, and may go on over lines that are indented deeper than its first. All else is an error with its line."""
import re

TOKEN = re.compile(r"\s*(?:'((?:[^']|'')*)'|([\[\]{},])|(:)(?=\s|$)"
                   r"|((?:[^\s'\[\]{},:#]|:(?=\S))(?:[^\[\]{},:#]|:(?=\S)|(?<=\S)#)*))")
WORDS = {"true": True, "false": False}


class Value:
    """One VALUE, read from its tokens: pairs of a kind (quoted, mark, word) and the text."""

    def __init__(self, text):
        self.tokens = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"cannot read {text[at:].strip()!r}")
            quoted, mark, colon, word = found.groups()
            if quoted is not None:
                self.tokens.append(("quoted", quoted.replace("''", "'")))
            else:
                self.tokens.append(("mark", mark or colon) if mark or colon else ("word", word.strip()))
            at = found.end()

    def take(self, mark=None):
        kind, text = self.tokens.pop(0) if self.tokens else ("mark", "the end")
        if (kind == "mark") != (mark is not None) or mark and text not in mark:
            raise ValueError(f"{text!r} where {' or '.join(mark) if mark else 'a value'} is due")
        return WORDS.get(text, text) if kind == "word" else text

    def starts(self, mark):
        return self.tokens[:1] == [("mark", mark)]

    def one(self):
        if self.starts("["):
            return self.many("]", self.one)
        if self.starts("{"):
            return dict(self.many("}", self.pair))
        return self.take()

    def pair(self):
        key = self.take()
        self.take(":")
        return key, self.one()

    def many(self, end, each):
        self.take("[{")
        found = []
        while not self.starts(end):
            found.append(each())
            if not self.starts(end):
                self.take(",")
        self.take(end)
        return found

    def whole(self):
        value = self.one()
        if self.tokens:
            raise ValueError(f"{self.tokens[0][1]!r} after the value")
        return value


def pieces(text):
    """Of each key, and of each line of a list: its number, the key or None, and all of its value."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if key := re.match(r"(\w+):(?:\s+|$)(.*)", line):
            found.append([number, key[1], key[2]])
        elif entry := re.match(r"  - (.*)", line):
            found.append([number, None, entry[1]])
        elif line.startswith("   ") and found:
            found[-1][2] += " " + line.strip()
        else:
            raise ValueError(f"line {number}: neither `key: VALUE` nor `  - VALUE`")
    return found


def read(text):
    expected = {}
    entries = None
    for number, key, value in pieces(text):
        try:
            if key in expected:
                raise ValueError(f"{key} again")
            if key is None and entries is None:
                raise ValueError("an entry of no list")
            if key is None:
                entries.append(Value(value).whole())
            elif value.strip():
                entries, expected[key] = None, Value(value).whole()
            else:
                entries = expected[key] = []
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return expected
