#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the wire: agents and callers of different versions meet, so what a .proto file said once it says for ever.

proto_lock.py ROOT            judge ROOT/api/proto against proto.lock; one line per offence, exit 1 when there is any
proto_lock.py --update ROOT   add to proto.lock what is new, and only that
proto_lock.py --self          prove that each rule can fail

A line of the lock is `field MESSAGE NUMBER LABEL TYPE NAME`, `value ENUM NUMBER NAME`, `rpc SERVICE METHOD REQUEST
RESPONSE` or `reserved MESSAGE NUMBER`. A field may go only when its number is reserved; nothing else may go or change.
"""
import pathlib
import re
import sys

LOCK = pathlib.Path(__file__).with_name("proto.lock")
PROTOS = pathlib.Path("api/proto")
HEADER = "# SPDX-License-Identifier: Apache-2.0\n# Made by proto_lock.py --update. Lines are added, never changed.\n"
SCALARS = set("double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes".split())

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_.][\w.]*|-?\d+|[{}()\[\]<>=;,]')


class Trouble(Exception):
    """A .proto file that this reader does not understand: never passed over in silence."""


def tokens_of(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    rest = TOKEN.sub(" ", text).strip()
    if rest:
        raise Trouble(f"cannot read {rest.split()[0]!r}")
    return TOKEN.findall(text)


class Reader:
    """Lines of the lock from one .proto file."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.package = ""
        self.lines = []
        self.types = set()

    def next(self, *expected):
        if self.at == len(self.tokens):
            raise Trouble("the file ends in the middle")
        token = self.tokens[self.at]
        self.at += 1
        if expected and token not in expected:
            raise Trouble(f"{token!r} where {' or '.join(expected)} is expected")
        return token

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def skip_statement(self):
        while self.next() != ";":
            pass

    def options(self):
        if self.peek() == "[":
            while self.next() != "]":
                pass

    def read(self):
        while self.peek():
            word = self.next()
            if word == "package":
                self.package = self.next()
                self.next(";")
            elif word in ("syntax", "import", "option"):
                self.skip_statement()
            elif word == "message":
                self.message(self.package)
            elif word == "enum":
                self.enum(self.package)
            elif word == "service":
                self.service()
            else:
                raise Trouble(f"{word!r} outside a message")
        return self.lines

    def message(self, outer):
        name = f"{outer}.{self.next()}"
        self.types.add(name)
        self.next("{")
        while (word := self.next()) != "}":
            if word == "message":
                self.message(name)
            elif word == "enum":
                self.enum(name)
            elif word == "oneof":
                self.oneof(name)
            elif word == "reserved":
                self.reserved(name)
            elif word == "option":
                self.skip_statement()
            elif word in ("optional", "repeated"):
                self.field(name, word, self.next())
            else:
                self.field(name, "plain", word)
        if self.peek() == ";":
            self.next()

    def oneof(self, message):
        group = self.next()
        self.next("{")
        while (word := self.next()) != "}":
            if word == "option":
                self.skip_statement()
            else:
                self.field(message, f"oneof:{group}", word)

    def field(self, message, label, kind):
        if kind == "map":
            self.next("<")
            key = self.next()
            self.next(",")
            kind = f"map<{key},{self.next()}>"
            self.next(">")
        name = self.next()
        self.next("=")
        number = int(self.next())
        self.options()
        self.next(";")
        self.lines.append(("field", message, str(number), label, kind, name))

    def reserved(self, owner):
        while True:
            word = self.next()
            if not word.startswith('"'):
                last = word
                if self.peek() == "to":
                    self.next()
                    last = self.next()
                if last == "max" or int(last) - int(word) > 1000:
                    raise Trouble("a reserved range without end")
                self.lines += [("reserved", owner, str(number)) for number in range(int(word), int(last) + 1)]
            if self.next(",", ";") == ";":
                return

    def enum(self, outer):
        name = f"{outer}.{self.next()}"
        self.types.add(name)
        self.next("{")
        while (word := self.next()) != "}":
            if word == "option":
                self.skip_statement()
            elif word == "reserved":
                self.reserved(name)
            else:
                self.next("=")
                number = self.next()
                self.options()
                self.next(";")
                self.lines.append(("value", name, number, word))
        if self.peek() == ";":
            self.next()

    def service(self):
        name = f"{self.package}.{self.next()}"
        self.next("{")
        while (word := self.next()) != "}":
            if word == "option":
                self.skip_statement()
                continue
            if word != "rpc":
                raise Trouble(f"{word!r} in a service")
            method = self.next()
            request = self.message_of_rpc()
            self.next("returns")
            response = self.message_of_rpc()
            self.lines.append(("rpc", name, method, request, response))
            if self.next(";", "{") == "{":
                while self.next() != "}":
                    pass

    def message_of_rpc(self):
        self.next("(")
        words = [self.next()]
        while (word := self.next()) != ")":
            words.append(word)
        return "+".join(words)


def read_all(texts):
    """All lines of {path: text}; the types of fields by their full names, however they were written."""
    readers = []
    for path, text in texts.items():
        try:
            reader = Reader(text)
            reader.read()
            readers.append(reader)
        except Trouble as trouble:
            raise Trouble(f"{path}: {trouble}") from None
    types = set().union(*(reader.types for reader in readers)) if readers else set()
    lines = []
    for reader in readers:
        for line in reader.lines:
            if line[0] == "field":
                line = (*line[:4], full_name(line[4], line[1], types), line[5])
            lines.append(line)
    return sorted(set(lines), key=sort_key)


def full_name(kind, scope, types):
    if kind in SCALARS:
        return kind
    if kind.startswith("map<"):
        key, value = kind[4:-1].split(",")
        return f"map<{key},{full_name(value, scope, types)}>"
    while scope:
        if f"{scope}.{kind}" in types:
            return f"{scope}.{kind}"
        scope = scope.rpartition(".")[0]
    return kind


def sort_key(line):
    return (line[0], line[1], int(line[2]) if line[0] != "rpc" else 0, line[2:])


def offences(locked, current):
    found = []
    now = set(current)
    fields = {line[1:3]: line for line in current if line[0] == "field"}
    values = {line[1:3]: line for line in current if line[0] == "value"}
    reserved = {line[1:3] for line in current if line[0] == "reserved"}
    names = {(line[1], line[-1]): line[2] for line in current if line[0] in ("field", "value")}
    for line in locked:
        if line in now:
            continue
        what, owner, number = line[0], line[1], line[2]
        if what == "rpc":
            found.append(f"rpc {owner}.{number} is gone or takes or gives something else")
        elif what == "reserved":
            found.append(f"{owner}: number {number} is no longer reserved")
        elif names.get((owner, line[-1])) not in (None, number):
            found.append(f"{owner}.{line[-1]} was number {number} and is now {names[(owner, line[-1])]}")
        elif other := (fields if what == "field" else values).get((owner, number)):
            found.append(f"{owner} number {number} was `{' '.join(line[3:])}` and is now `{' '.join(other[3:])}`")
        elif (owner, number) not in reserved:
            found.append(f"{owner}.{line[-1]} is gone and its number {number} is not reserved")
    for line in current:
        if line[0] in ("field", "value") and ("reserved", line[1], line[2]) in set(locked) | now:
            found.append(f"{line[1]}.{line[-1]} takes number {line[2]}, which is reserved")
    twice = {}
    for line in current:
        if line[0] == "field" and twice.setdefault(line[1:3], line) != line:
            found.append(f"{line[1]}: number {line[2]} is given twice")
    return found


def parse_lock(text):
    return [tuple(line.split()) for line in text.splitlines() if line and not line.startswith("#")]


def dump_lock(lines):
    return HEADER + "".join(" ".join(line) + "\n" for line in sorted(set(lines), key=sort_key))


def read_tree(root):
    files = sorted((root / PROTOS).rglob("*.proto"))
    if not files:
        raise Trouble(f"no .proto file under {root / PROTOS}")
    return read_all({str(path.relative_to(root)): path.read_text() for path in files})


def judge(root, update):
    try:
        current = read_tree(root)
    except Trouble as trouble:
        print(trouble)
        return 1
    locked = parse_lock(LOCK.read_text()) if LOCK.exists() else []
    if found := offences(locked, current):
        print("\n".join(found))
        return 1
    new = [line for line in current if line not in set(locked)]
    if update:
        LOCK.write_text(dump_lock(locked + new))
        print(f"proto.lock: {len(new)} lines added")
        return 0
    if new:
        print("\n".join(f"not in proto.lock: {' '.join(line)}" for line in new[:20]))
        print("what is new goes into the lock: python3 tests/lint/proto_lock.py --update .")
        return 1
    print(f"proto.lock: {len(locked)} lines, no offence")
    return 0


SAMPLE = """
syntax = "proto3";
package p.v1;
import "other.proto";
service S { rpc Get(A) returns (stream B); }
message A {
  enum Kind { KIND_NONE = 0; KIND_ONE = 1; }
  Kind kind = 1;  // a comment; with a semicolon
  optional uint32 size = 2 [deprecated = true];
  repeated B items = 3;
  oneof choice { string name = 4; B whole = 5; }
  reserved 7, 9 to 10;
  reserved "old";
}
message B { message Inner { bytes raw = 1; } Inner inner = 1; map<string, A> all = 2; }
"""


def self_test():
    locked = read_all({"a.proto": SAMPLE})
    assert ("field", "p.v1.A", "1", "plain", "p.v1.A.Kind", "kind") in locked, locked
    assert ("field", "p.v1.A", "5", "oneof:choice", "p.v1.B", "whole") in locked, locked
    assert ("field", "p.v1.B", "2", "plain", "map<string,p.v1.A>", "all") in locked, locked
    assert ("reserved", "p.v1.A", "10") in locked and ("rpc", "p.v1.S", "Get", "A", "stream+B") in locked, locked
    cases = [
        ("kind = 1;", "kind = 6;", "p.v1.A.kind was number 1 and is now 6"),
        ("optional uint32 size", "optional uint64 size", "number 2 was `optional uint32 size`"),
        ("optional uint32 size", "uint32 size", "is now `plain uint32 size`"),
        ("repeated B items", "B items", "was `repeated p.v1.B items`"),
        ("string name = 4;", "", "p.v1.A.name is gone and its number 4 is not reserved"),
        ("uint32 size", "uint32 length", "is now `optional uint32 length`"),
        ("KIND_ONE = 1;", "", "p.v1.A.Kind.KIND_ONE is gone"),
        ("KIND_ONE = 1;", "KIND_TWO = 1;", "is now `KIND_TWO`"),
        ("KIND_ONE = 1;", "KIND_ONE = 2;", "was number 1 and is now 2"),
        ("reserved 7,", "reserved", "number 7 is no longer reserved"),
        ("bytes raw = 1;", "bytes raw = 1; bytes more = 1;", "number 1 is given twice"),
        ("repeated B items = 3;", "repeated B items = 3; B back = 9;", "takes number 9, which is reserved"),
        ("returns (stream B)", "returns (B)", "rpc p.v1.S.Get is gone or"),
        ("message B {", "message C {", "is gone"),
    ]
    for old, new, expected in cases:
        assert old in SAMPLE, old
        found = offences(locked, read_all({"a.proto": SAMPLE.replace(old, new)}))
        if not any(expected in line for line in found):
            sys.exit(f"proto_lock --self: '{expected}' was not found after {old!r} -> {new!r}: {found}")
    allowed = [
        ("string name = 4;", "", "reserved 7,", "reserved 4, 7,"),
        ("repeated B items = 3;", "repeated B items = 3; string note = 20;", "", ""),
        ("message B {", "message D { string x = 1; } message B {", "", ""),
    ]
    for old, new, old2, new2 in allowed:
        changed = SAMPLE.replace(old, new).replace(old2, new2) if old2 else SAMPLE.replace(old, new)
        if found := offences(locked, read_all({"a.proto": changed})):
            sys.exit(f"proto_lock --self: an allowed change was blamed: {found}")
    for broken in ("message A { string x = ; }", "message A { group G = 1 { } }", "message A {", "message A { ? }"):
        try:
            read_all({"a.proto": broken})
        except (Trouble, ValueError):
            continue
        sys.exit(f"proto_lock --self: nothing was said of {broken!r}")
    if parse_lock(dump_lock(locked)) != locked:
        sys.exit("proto_lock --self: the lock does not read back")
    print(f"proto_lock: {len(cases)} offences recognised, {len(allowed)} allowed changes are allowed")
    return 0


def main():
    if sys.argv[1:] == ["--self"]:
        return self_test()
    update = sys.argv[1:2] == ["--update"]
    arguments = sys.argv[2:] if update else sys.argv[1:]
    if len(arguments) != 1:
        print(__doc__)
        return 2
    return judge(pathlib.Path(arguments[0]), update)


if __name__ == "__main__":
    sys.exit(main())
