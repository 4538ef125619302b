#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the rules that a compiler cannot: who may include whom, what is never called, how a file begins.

lint.py ROOT       judge the tree; one line per offence, exit 1 when there is any
lint.py --self     prove that each rule can fail
"""
import pathlib
import re
import sys

# Folder -> folders it may include from, the longest matching row counts. Its own folder is always allowed.
MAY_INCLUDE = {
    "api/model": [],
    "api/base": ["api/model"],
    "api/convert": ["api/model", "api/base", "rdmaready/v1"],
    "api/profile": ["api/model", "api/base", "api/convert/message.h", "rdmaready/v1"],
    # Which hosts there are: read by the command line and by the hub.
    "api/inventory": ["api/model", "api/base", "api/profile"],
    "api/sqlite": ["api/base"],
    # What every server process has: log, service manager, watchdog, the TLS of its callers.
    "api/daemon": ["api/base", "api/client"],
    # Nobody else knows Prometheus, HTTP or GnuTLS: a daemon gives it what it tells and who may ask.
    "api/metrics": ["api/base", "api/client"],
    "api/client": ["api/model", "api/base", "api/convert", "api/profile", "rdmaready/v1"],
    # Keys and certificates: files and libcrypto.
    "api/pki": ["api/model", "api/base", "api/client/certificate.h", "api/client/revocation.h"],
    "collectors": ["api/model", "api/base"],
    "checks": ["api/model", "api/base/date.h", "api/base/edit_distance.h", "api/base/name_pattern.h", "api/base/number.h", "api/base/prefix_index.h", "api/base/status.h",
               "api/base/text.h", "absl/status"],
    "agent/access": ["api/model", "api/base", "api/client", "api/profile"],
    "agent/apply": ["api/model", "api/base", "api/convert/model_json.h", "checks/plan", "checks/setting"],
    "agent/apply/real": ["api/model", "api/base", "checks/setting", "collectors", "agent/apply/foreign.h", "agent/apply/host_writer.h",
                         "agent/apply/setting_values.h"],
    "agent/helper": ["api/model", "api/base", "collectors"],
    "agent/link": ["api/model", "api/base"],
    "agent/tcp": ["api/model", "api/base", "agent/link"],
    "agent/transfer": ["api/model", "api/base", "agent/link", "agent/smbdirect", "agent/smbdirect_link"],
    "agent/smbdirect": ["api/base/octets.h"],
    "agent/smbdirect_link": ["api/model", "api/base", "agent/link", "agent/smbdirect"],
    "agent/metrics": ["api/model", "api/base", "api/metrics", "agent/access/role.h", "agent/runs.h", "checks/counted", "checks/words"],
    "agent/probe": ["api/model", "api/base", "agent/link", "agent/smbdirect", "agent/smbdirect_link"],
    "agent/share": ["api/model", "api/base", "collectors", "agent/link", "agent/probe", "agent/transfer"],
    "agent/trust": ["api/model", "api/base", "api/client", "api/convert/records.h", "agent/access", "agent/link/failure.h",
                    "agent/transfer/peer_channel.h", "rdmaready/v1"],
    "agent/proof": ["api/model", "api/base", "agent/probe", "agent/share", "agent/transfer"],
    "agent/helper/prover": ["api/model", "api/base", "api/convert", "api/profile", "rdmaready/v1", "collectors", "agent/helper",
                            "agent/link/failure.h", "agent/probe", "agent/proof"],
    "agent/helper/pauser": ["api/model", "api/base", "api/profile", "rdmaready/v1", "collectors", "agent/helper", "agent/apply/disk.h"],
    "agent/helper/applier": ["api/model", "api/base", "api/convert", "api/profile", "rdmaready/v1", "collectors", "checks", "agent/helper",
                             "agent/apply"],
    # Also by what stands for thousands of agents: it knows no agent.
    "agent/enrol": ["api/model", "api/base", "api/client", "api/pki", "rdmaready/v1"],
    "agent/report": ["api/model", "api/base", "api/client", "api/convert", "api/pki/identity.h", "rdmaready/v1"],
    "agent/store": ["api/model", "api/base", "api/convert", "api/sqlite"],
    "agent/port": ["api/model", "api/base", "collectors", "checks/counted", "checks/words", "agent/link/failure.h", "agent/probe"],
    "agent/worker": ["api/model", "api/base/clock.h", "collectors"],
    "agent/drift": ["api/model", "api/base", "collectors", "checks", "agent/apply/configurer.h"],
    "agent": ["api", "collectors", "checks", "rdmaready/v1"],
    # Its store is a seam: nobody else of the hub knows which engine it is.
    "hub/store": ["api/model", "api/base", "api/convert/fleet_audit.h", "api/sqlite"],
    "hub/judge": ["api/model", "api/base", "api/inventory", "api/profile", "checks", "hub/store/fleet_store.h"],
    "hub/metrics": ["api/model", "api/base", "api/metrics", "checks/words", "hub/fleet", "hub/ingest", "hub/notice/courier.h", "hub/store/fleet_store.h"],
    # Only it connects to anybody by itself.
    "hub/notice": ["api/base", "api/convert/document.h", "api/model", "api/profile", "rdmaready/v1", "hub/fleet", "hub/store/fleet_store.h"],
    "hub": ["api", "checks", "rdmaready/v1"],
    "cli": ["api", "checks", "rdmaready/v1"],
    # An engine without a renderer: what asks many hosts and pairs them.
    "cli/fleet": ["api", "checks", "rdmaready/v1", "cli/exit_status.h", "cli/interrupt.h"],
    "cli/switch": ["api/model", "api/base", "checks/plan/profile_classes.h"],
    # One file of some hosts: its format is pure; what it holds are recordings.
    "cli/bundle": ["api/model", "api/base", "api/convert", "rdmaready/v1", "collectors/recording/json.h", "collectors/recording/paths.h",
                   "cli/fleet/saved_hosts.h"],
    "packaging": ["api/model"],
}

# The one place where the command line hosts an agent in its own process, and the one where it reads recordings.
MAY_ALSO = {"cli/fleet/local_agent.cc": ["agent/access/caller_sockets.h", "agent/access/socket_file.h", "agent/helper/applier/helped_applier.h", "agent/helper/directory.h",
                                       "agent/server/server.h"], "cli/fleet/local_agent.h": ["agent/server/server.h"],
            "cli/fleet/saved_hosts.cc": ["collectors"]}

# What changes a host: folder -> the folders that may include it, whatever their own rows say.
ONLY_BY = {"agent/apply/real": ("agent/apply", "agent/helper/applier")}

# Folder -> foreign headers it must not see: what would give a pure part hands and eyes, or a renderer a database.
FOREIGN_BANS = {
    "api/model": r"(absl|grpc|google|sqlite|infiniband|rdma|netlink|fmt|spdlog|unistd|fcntl|fstream|sys)[/.>]",
    "api/pki": r"(grpc|grpcpp|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI|netdb|sys/socket)[/.>]",
    "checks": r"(grpc|google|sqlite|infiniband|rdma|netlink|spdlog|unistd|fcntl|fstream|filesystem|sys|yaml-cpp)[/.>]",
    "collectors": r"(grpc|google|sqlite|yaml-cpp|CLI)[/.>]",
    "agent": r"(prometheus|microhttpd|gnutls)[/.>]",
    "agent/metrics": r"(grpc|grpcpp|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI|microhttpd|gnutls)[/.>]",
    "api/metrics": r"(grpc|grpcpp|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "agent/access": r"(google|sqlite|infiniband|rdma|netlink|CLI|prometheus|microhttpd|gnutls)[/.>]",
    "agent/apply": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI|spdlog)[/.>]",
    # What runs with rights has neither a network server nor a database.
    "agent/helper": r"(grpc|google|sqlite|yaml-cpp)[/.>]",
    "agent/link": r"(grpc|google|sqlite|netlink|yaml-cpp|CLI)[/.>]",
    "agent/tcp": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "agent/transfer": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    # The protocol is bytes and events in, bytes and actions out; a new edge gets a folder and a row.
    "agent/smbdirect": r"(grpc|google|sqlite|infiniband|rdma|netlink|spdlog|unistd|fcntl|fstream|sys|thread|mutex)[/.>]",
    "agent/smbdirect_link": r"(grpc|google|sqlite|infiniband|rdma|netlink|spdlog|thread|mutex)[/.>]",
    "agent/probe": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "agent/share": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "agent/proof": r"(grpc|google|sqlite|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "hub": r"(sqlite|infiniband|rdma|netlink|curl)[/.>0-9]",
    "hub/notice": r"(sqlite|infiniband|rdma|netlink|grpc|grpcpp|CLI)[/.>0-9]",
    "hub/store": r"(grpc|google|infiniband|rdma|netlink|yaml-cpp|CLI)[/.>]",
    "cli": r"(sqlite|infiniband|netlink)[/.>0-9]",
}

# Each costs a source half a second to six to read, and a header passes that on to all who include it.
COSTLY_HEADERS = re.compile(r"grpcpp/|.*\.grpc\.pb\.h$|nlohmann/json\.hpp$|CLI/CLI\.hpp$")

# Headers of few sources, all of which need it. Elsewhere: a forward declaration, <nlohmann/json_fwd.hpp>, or the definition in the .cc.
MAY_COST = {
    "agent/apply/model_json.h": "a template that returns JSON, for the files of the applier",
    "agent/helper/frame.h": "the helpers hand JSON on by value",
    "agent/report/report_stream.h": "is a reactor of gRPC",
    "agent/server/call_watch.h": "a template over the contexts of gRPC",
    "agent/server/call_writer.h": "a template over the writers of gRPC",
    "agent/server/service.h": "implements a generated service",
    "agent/server/stream_channel.h": "holds a stream of a generated service",
    "api/client/agent_wire.h": "holds the generated stub, for the sources of AgentClient",
    "api/client/fleet_wire.h": "holds the generated stubs, for the sources of FleetClient",
    "api/daemon/settings_flags.h": "a template over a message of settings, for the command lines of the daemons",
    "hub/enrol/access_service.h": "implements a generated service",
    "hub/enrol/enrolment_service.h": "implements a generated service",
    "hub/fleet/fleet_service.h": "implements a generated service",
    "hub/ingest/ingest_service.h": "implements a generated service",
}

RUNS_A_TOOL = "runs a tool: read netlink, sysfs or verbs instead"
# The one file that starts a program: what the caller of `failover` names, where the caller is.
MAY_RUN_A_TOOL = ("cli/fleet/cut_runner.cc",)
BANNED_CALLS = [
    (re.compile(r"(?<![\w.>:])(?:std::|::)?(system|popen|vfork|fork|execv\w*|execl\w*|posix_spawn\w*)\s*\("),
     RUNS_A_TOOL),
    (re.compile(r"(?<![\w.>])(?:std::)?(sprintf|strcpy|strcat|gets)\s*\("), "an unbounded write"),
    (re.compile(r"\b(__(?:DATE|TIME|TIMESTAMP)__)"), "the compiler cache would give back an older one"),
]

# Where product code reads the machine's time itself; all else has a Clock (api/base/clock.h), which a test moves by hand.
OWN_TIME = ("api/base/clock.cc", "api/base/clock.h", "cli", "agent/link", "agent/tcp", "agent/transfer", "agent/smbdirect_link")
TIME_CALLS = [
    (re.compile(r"(::now\s*\(|\bclock_gettime\s*\(|\bgettimeofday\s*\()"), "reads the machine's time: take a Clock"),
    (re.compile(r"\b(sleep_for|sleep_until|u?sleep|nanosleep)\s*\("), "sleeps: Clock::SleepUntil"),
    (re.compile(r"(?:\.|->)(wait_for|wait_until)\s*\("), "waits by the machine's time: Clock::WaitUntil"),
]
# A sleep in a unit test whose length is a number beyond 50 ms, or is not to be seen.
TEST_SLEEP = re.compile(r"(?:sleep_for\s*\(\s*(?:std::chrono::)?(?:(milliseconds|microseconds)\s*\(([\d']+)\)|([\d']+)(ms|us)\b)?"
                        r"|(?<![\w:.])(sleep)\s*\(|(sleep_until)\s*\()")
MOST_TEST_SLEEP_MS = 50

# Files that need not keep the rules of time, each with its reason; at most 15.
TIME_EXEMPT = {
    "agent/server/proofs_of_life.cc": "waits for a std::future, for which there is no wait by a Clock",
}
assert len(TIME_EXEMPT) <= 15

MAX_LINES = 450
SOURCES = (".cc", ".h", ".c")


def longest_row(table, path):
    rows = [folder for folder in table if path == folder or path.startswith(folder + "/")]
    return max(rows, key=len, default=None)


def strip_comments_and_strings(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def include_offence(path, included):
    row = longest_row(MAY_INCLUDE, path)
    if row is None:
        return None
    users = ONLY_BY.get(longest_row(ONLY_BY, included), (path,))
    if longest_row(users, path) is None:
        return f"only {' and '.join(users)} may include {included}"
    allowed = [row] + MAY_INCLUDE[row] + MAY_ALSO.get(path, [])
    if row not in ("api/model", "checks"):
        allowed.append("absl")  # Status at the edges; the pure middle knows Fact and Verdict only
    if any(included == entry or included.startswith(entry + "/") for entry in allowed):
        return None
    return f"{row} may not include {included}"


def cost_offences(path, lines):
    if not path.endswith(".h") or path.startswith("tests/") or path in MAY_COST:
        return
    for number, line in enumerate(lines, 1):
        if (match := re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)) and COSTLY_HEADERS.match(match.group(1)):
            yield f"{path}:{number}: a header includes {match.group(1)}: forward declare, or move the code that needs it into the .cc"


def too_long(sleep):
    if sleep.group(5) or sleep.group(6):
        return True
    number, unit = (sleep.group(2), sleep.group(1)) if sleep.group(1) else (sleep.group(3), sleep.group(4))
    if number is None:
        return True
    return int(number.replace("'", "")) > MOST_TEST_SLEEP_MS * (1000 if unit in ("us", "microseconds") else 1)


def time_offences(path, text):
    """The same, of who reads the time, or waits by it."""
    if path in TIME_EXEMPT or not path.endswith(SOURCES):
        return []
    found = []
    product = not path.startswith(("tests/", "packaging/")) and longest_row(OWN_TIME, path) is None
    for number, line in enumerate(strip_comments_and_strings(text).split("\n"), 1):
        if product:
            for pattern, why in TIME_CALLS:
                if match := pattern.search(line):
                    found.append(f"{path}:{number}: calls {match.group(1).strip('( ')}: {why}")
        elif path.startswith("tests/unit/"):
            if any(too_long(sleep) for sleep in TEST_SLEEP.finditer(line)):
                found.append(f"{path}:{number}: sleeps for more than {MOST_TEST_SLEEP_MS} ms, or for how long is not to be seen: move a FakeClock")
    return found


def offences(path, text):
    """Lines "path:line: what", for one file named relative to the root."""
    found = []
    lines = text.split("\n")
    head = "\n".join(lines[:2])
    licence = "GPL-2.0" if "/dcbnic/" in path else "Apache-2.0"
    if f"SPDX-License-Identifier: {licence}" not in head:
        found.append(f"{path}:1: no SPDX line of {licence}")
    if not path.endswith(SOURCES):
        return found
    if len(lines) > MAX_LINES:
        found.append(f"{path}:{MAX_LINES}: {len(lines)} lines: one idea a file")
    found += cost_offences(path, lines)
    foreign_row = longest_row(FOREIGN_BANS, path)
    for number, line in enumerate(lines, 1):
        if match := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            if not path.startswith("tests/") and (what := include_offence(path, match.group(1))):
                found.append(f"{path}:{number}: {what}")
        elif foreign_row and (match := re.match(r"\s*#\s*include\s+<([^>]+>)", line)):
            if re.match(FOREIGN_BANS[foreign_row], match.group(1)):
                found.append(f"{path}:{number}: {foreign_row} may not include <{match.group(1)}")
    if not path.startswith("tests/"):
        for number, line in enumerate(strip_comments_and_strings(text).split("\n"), 1):
            for pattern, why in BANNED_CALLS:
                if why == RUNS_A_TOOL and path in MAY_RUN_A_TOOL:
                    continue
                if match := pattern.search(line):
                    found.append(f"{path}:{number}: calls {match.group(1)}: {why}")
    return found + time_offences(path, text)


def types_of(text):
    """Line and name of each type that a header defines in our namespace itself: not in a class, not in an inner namespace."""
    inner = False
    for number, line in enumerate(strip_comments_and_strings(text).split("\n"), 1):
        if match := re.match(r"namespace\s+([\w:]*)\s*\{", line):
            inner = match.group(1) != "rdmaready"
        elif not inner and (match := re.match(r"(?:struct|class|enum class)\s+(\w+)\b(?!::)[^;()]*\{", line)):
            yield number, match.group(1)


def namesakes(texts):
    """Types of one name in two headers: the linker takes either's functions for both (the one definition rule)."""
    seen, found = {}, []
    for path, text in texts:
        if not path.endswith(".h") or path.startswith("tests/"):
            continue
        for number, name in types_of(text):
            first = seen.setdefault(name, path)
            if first != path:
                found.append(f"{path}:{number}: a second {name}, beside that of {first}")
    return found


# A definition at the margin: what a namespace holds. Not `using enum`, a forward declaration, or a member that is defined outside its class.
DEFINED = re.compile(r"(?:struct|class|union|enum(?: class)?) (?P<type>\w+)\b(?!::)[^;()]*\{"
                     r"|using (?P<alias>\w+) ="
                     r"|(?! |struct |class |union |enum |using |template |extern |return )(?:[\w:<>,*& ]+[ *&>])(?P<value>\w+)\s*[(={;\[]")


def hidden_types(texts):
    """Names of a source's own that are a type of the model: in a unit of the build they hide it from the sources behind them."""
    model = {name for path, text in texts if re.fullmatch(r"api/model/\w+\.h", path) for _, name in types_of(text)}
    found = []
    for path, text in texts:
        if not path.endswith(".cc"):
            continue
        for number, line in enumerate(strip_comments_and_strings(text).split("\n"), 1):
            if (match := DEFINED.match(line)) and (name := match[match.lastgroup]) in model:
                found.append(f"{path}:{number}: {name} hides the type of the model in the other sources of its unit: another name")
    return found


def files(root):
    """Every file of ours. Expected outputs are compared byte by byte, and recordings sealed, so they carry no licence line."""
    skip = {".git", ".cache", "__pycache__", "golden"}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[:3] == ("tests", "fixtures", "hosts") and path.name != "case.sh":
            continue
        if path.is_file() and path.name != "LICENSE" and not skip & set(relative.parts) and not relative.parts[0].startswith("build"):
            yield path, str(relative)


def self_test():
    header = "// SPDX-License-Identifier: Apache-2.0\n"
    cases = [
        ("checks/a.cc", header + '#include "collectors/collect.h"\n', "may not include collectors"),
        ("checks/a.cc", header + "#include <fstream>\n", "may not include <fstream"),
        ("cli/a.cc", header + '#include "agent/server/server.h"\n', "may not include agent"),
        ("cli/a.cc", header + "#include <sqlite3.h>\n", "may not include <sqlite3.h"),
        ("agent/a.cc", header + '#include "agent/apply/real/real_writer.h"\n', "only agent/apply and agent/helper/applier may include"),
        ("collectors/a.cc", header + "int x = system(\"ip link\");\n", "calls system"),
        ("cli/fleet/other_runner.cc", header + "int x = posix_spawn(1);\n", "calls posix_spawn"),
        ("cli/fleet/cut_runner.cc", header + "char x = sprintf(y);\n", "calls sprintf"),
        ("agent/smbdirect/a.cc", header + "#include <infiniband/verbs.h>\n", "may not include <infiniband"),
        ("agent/a.cc", header + "auto* f = ::popen(text, mode);\n", "calls popen"),
        ("agent/a.cc", header + "\n" * MAX_LINES, "one idea a file"),
        ("cli/a.h", header + "#include <CLI/CLI.hpp>\n", "a header includes CLI/CLI.hpp"),
        ("cli/a.h", header + "#include <nlohmann/json.hpp>\n", "a header includes nlohmann/json.hpp"),
        ("hub/a.h", header + "#include <grpcpp/channel.h>\n", "a header includes grpcpp/channel.h"),
        ("api/client/a.h", header + '#include "rdmaready/v1/fleet.grpc.pb.h"\n', "a header includes rdmaready/v1/fleet.grpc.pb.h"),
        ("api/a.h", "#pragma once\n", "no SPDX line"),
        ("tests/fabric/dcbnic/a.c", header, "no SPDX line of GPL-2.0"),
        ("agent/a.cc", header + "const auto t = std::chrono::steady_clock::now();\n", "reads the machine's time"),
        ("agent/a.cc", header + "const char* const kBuilt = __TIME__;\n", "the compiler cache"),
        ("hub/a.cc", header + "::clock_gettime(CLOCK_REALTIME, &now);\n", "reads the machine's time"),
        ("collectors/a.cc", header + "std::this_thread::sleep_for(kLook);\n", "Clock::SleepUntil"),
        ("api/a.h", header + "changed_.wait_for(lock, patience, over);\n", "Clock::WaitUntil"),
        ("api/a.h", header + "state->changed.wait_until(lock, end);\n", "Clock::WaitUntil"),
        ("tests/unit/a.cc", header + "std::this_thread::sleep_for(std::chrono::milliseconds(51));\n", "sleeps for more than"),
        ("tests/unit/a.cc", header + "std::this_thread::sleep_for(std::chrono::seconds(1));\n", "sleeps for more than"),
        ("tests/unit/a.cc", header + "std::this_thread::sleep_for(60ms);\n", "sleeps for more than"),
        ("tests/unit/a.cc", header + "std::this_thread::sleep_until(end);\n", "sleeps for more than"),
        ("tests/unit/a.cc", header + "sleep(1);\n", "sleeps for more than"),
    ]
    for path, text, expected in cases:
        found = offences(path, text)
        if not any(expected in line for line in found):
            sys.exit(f"lint --self: '{expected}' was not found in {path}: {found}")
    clean = header + '#include "api/model/facts.h"\n// system( in a comment\nconst char* s = "popen(";\n'
    if found := offences("checks/a.cc", clean):
        sys.exit(f"lint --self: a clean file was blamed: {found}")
    brief = header + "std::this_thread::sleep_for(milliseconds(50));\nstd::this_thread::sleep_for(1ms);\n"
    if found := offences("tests/unit/a.cc", brief) + offences("agent/link/a.cc", brief + "x = steady_clock::now();\n"):
        sys.exit(f"lint --self: a file that keeps the rules of time was blamed: {found}")
    twin = header + "namespace rdmaready {\nstruct Twin {\n};\n}\n"
    if len(namesakes([("agent/a.h", twin), ("cli/a.h", twin), ("cli/b.h", twin.replace("rdmaready", "rdmaready::x"))])) != 1:
        sys.exit("lint --self: a type with a namesake was not found, or one that has none")
    model = ("api/model/a.h", header + "namespace rdmaready {\nstruct Setting {\n};\n}\n")
    hides = ["Row Setting(int value) {", "static const Row& Setting() {", "struct Setting {", "class Setting final : public Row {",
             "enum class Setting { kOn };", "using Setting = int;", "constexpr int Setting = 1;", "std::map<Row, int> Setting{};"]
    for line in hides:
        if len(hidden_types([model, ("tests/unit/a.cc", f"namespace {{\n{line}\n}}\n")])) != 1:
            sys.exit(f"lint --self: a name that hides a type of the model was not found: {line}")
    uses = ["Setting Of(int value) {", "Setting::Setting(int value) {", "std::string Setting::Name() const {", "  Row Setting(1);", "struct Setting;",
            "extern template class Fact<Setting>;", "using enum Setting;", "// Row Setting(int value) {", "TEST(Setting, IsOn) {"]
    if found := hidden_types([model, ("checks/a.cc", "\n".join(uses))]):
        sys.exit(f"lint --self: a use of a type of the model was blamed: {found}")
    print(f"lint: {len(cases) + 1 + len(hides)} offences recognised, a clean file is clean")


def main():
    if sys.argv[1:] == ["--self"]:
        return self_test()
    root = pathlib.Path(sys.argv[1])
    found, texts = [], []
    for path, relative in files(root):
        texts.append((relative, path.read_text(errors="replace")))
        found += offences(*texts[-1])
    found += namesakes(texts) + hidden_types(texts)
    print("\n".join(found) if found else f"lint: {len(texts)} files, no offence")
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
