# SPDX-License-Identifier: Apache-2.0
"""The example of each check that `rdmaready explain` shows: a sentence that is said of a recorded host, one of the corpus first. cli/examples.cc
has them; tests/integration/corpus_test.py --update writes it."""
import concurrent.futures
import json
import pathlib
import re

import fixtures
import tool

FILE = pathlib.Path(__file__).resolve().parents[2] / "cli" / "examples.cc"
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Written by tests/integration/corpus_test.py --update: sentences that are said of recorded hosts.
#include "cli/examples.h"

#include <algorithm>
#include <array>

namespace rdmaready {
namespace {

struct Example {
  std::string_view check{};
  std::string_view text{};
};

// Sorted by check.
// clang-format off
constexpr std::array kExamples{
"""
TAIL = """\
};
// clang-format on

}  // namespace

std::string_view ExampleOf(std::string_view check) {
  const auto found = std::ranges::lower_bound(kExamples, check, {}, &Example::check);
  return found != kExamples.end() && found->check == check ? found->text : std::string_view();
}

}  // namespace rdmaready
"""
MOST = 160  # characters of an example


def recorded(folder):
    """The findings of one case of tests/fixtures/hosts."""
    case = fixtures.Case(folder)
    report = tool.rdmaready("check", "--facts", case.saved, "--profile", case.profile, "--output", "json").json
    return [finding for host in report["hosts"] for finding in host["findings"]]


def said(hosts):
    """By check, the sentences that are said of the hosts of the corpus, then of the other recorded ones; failures first."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        others = list(pool.map(recorded, sorted(fixtures.HOSTS.iterdir())))
    by_check = {}
    for outcome in ("fail", "warn"):
        for findings in [host["findings"] for _, host in hosts] + others:
            for finding in findings:
                text = f"{finding['observed']}, wanted {finding['expected']}"
                if finding["outcome"] == outcome and not finding["hidden_by"] and len(text) <= MOST:
                    by_check.setdefault(finding["id"], []).append(text)
    return by_check


def written():
    """By check, its example."""
    return {check: json.loads(text) for check, text in re.findall(r'^    Example\{"([^"]+)", (".*")\},$', FILE.read_text(), re.M)}


def stale(hosts):
    """Examples that no host has any more, and checks that could have one."""
    now, then = said(hosts), written()
    gone = [f"{check}: no host has the example: {text}" for check, text in then.items() if text not in now.get(check, [])]
    return gone + [f"{check}: no example, and there could be one: {texts[0]}" for check, texts in now.items() if check not in then]


def update(hosts):
    """Writes the file anew. An example stays as long as a host has it."""
    now, then = said(hosts), written() if FILE.exists() else {}
    lines = []
    for check, texts in sorted(now.items()):
        text = then[check] if then.get(check) in texts else texts[0]
        lines.append(f"    Example{{\"{check}\", {json.dumps(text)}}},\n")
    FILE.write_text(HEAD + "".join(lines) + TAIL)
