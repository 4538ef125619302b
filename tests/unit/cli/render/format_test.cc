// SPDX-License-Identifier: Apache-2.0
#include "cli/render/format/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/base/status.h"
#include "cli/render/format/objects.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A host whose words want to break out of every format.
CheckSummary HostileCheck() {
  CheckSummary check = SickCheck();
  for (Finding& finding : check.report.hosts.front().findings) {
    finding.observed = "a|b\n\"c\",<d>&\x1b[2J\\ ]]> 'e'\r{}: #\xff";
    finding.subject = "x\ny\"z";
  }
  check.report.hosts.front().error = "line\nbreak|bar";
  return check;
}

TEST(Formats, LetNoHostBreakALineOrATerminal) {
  for (const Format& format : AllFormats()) {
    const std::string text = format.check(HostileCheck(), Look{});
    EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << format.name;
    EXPECT_THAT(text, Not(HasSubstr("\xff"))) << format.name;
    EXPECT_THAT(text, Not(HasSubstr("a|b\n"))) << format.name;
    EXPECT_TRUE(text.ends_with("\n")) << format.name;
  }
  const std::string nagios = FindFormat("nagios")->check(HostileCheck(), Look{});
  EXPECT_EQ(std::ranges::count(nagios, '\n'), 1);
  EXPECT_EQ(std::ranges::count(nagios, '|'), 1);
}

CheckSummary CheckWithRemedy(Remedy remedy) {
  CheckSummary check = SickCheck();
  for (Finding& finding : check.report.hosts.front().findings) {
    if (finding.id != "link.state") continue;
    finding.fix = FirstCommand(remedy);
    finding.remedy = remedy;
  }
  return check;
}

TEST(Formats, CarryTheWholeRemedyOfAFinding) {
  const CheckSummary check =
      CheckWithRemedy({.cause = "a cable",
                       .cautions = {"traffic stops"},
                       .steps = {{.command = "ip link set dev 'a b' up"}, {.action = "reseat it"}},
                       .alternatives = {"move the host"},
                       .check = "ip link show dev 'a b'"});
  const std::string one_line = "ip link set dev 'a b' up  # traffic stops; reseat it; or move the host";
  for (const char* name : {"csv", "junit", "nagios", "sarif", "wide"})
    EXPECT_THAT(FindFormat(name)->check(check, Look{}), HasSubstr(one_line)) << name;
  EXPECT_THAT(FindFormat("csv")->check(check, Look{}), HasSubstr(",ip link set dev 'a b' up,"));
  for (const char* name : {"json", "jsonl", "yaml"}) {
    const std::string text = FindFormat(name)->check(check, Look{});
    for (const char* part :
         {"a cable", "traffic stops", "reseat it", "move the host", "ip link show dev 'a b'"})
      EXPECT_THAT(text, HasSubstr(part)) << name;
  }
}

// A reader of Nagios takes what is behind a bar for figures, and cuts a long line.
TEST(Formats, LeaveAFixOutOfALineOfNagiosThatCannotHoldItWhole) {
  const auto line = [](const std::string& command) {
    return FindFormat("nagios")->check(CheckWithRemedy({.steps = {{.command = command}}}), Look{});
  };
  EXPECT_THAT(line("true"), HasSubstr("; fix on host node1: true | hosts=1"));
  EXPECT_THAT(line("echo a | tee b"), Not(HasSubstr("; fix")));
  EXPECT_THAT(line(std::string(1024, 'a')), Not(HasSubstr("; fix")));
}

TEST(Formats, WarnAMonitorOfAResultThatWasNotKept) {
  CheckSummary check = HealthyCheck();
  check.notes[0].store_error = "disk full";
  const std::string ready = FindFormat("nagios")->check(check, Look{});
  EXPECT_THAT(ready, HasSubstr("RDMAREADY WARNING - ready up to loopback"));
  EXPECT_THAT(ready, HasSubstr("; the result of node1 was not stored: disk full |"));
  CheckSummary sick = SickCheck();
  sick.notes[0].store_error = "disk full";
  EXPECT_THAT(FindFormat("nagios")->check(sick, Look{}), HasSubstr("RDMAREADY CRITICAL - not ready"));
  TransferRun run{.run_id = "r",
                  .rows = {GoodTransfer()},
                  .store_errors = {"host a: the result was not stored: disk full"}};
  EXPECT_THAT(FindFormat("nagios")->transfers(run, Look{}),
              testing::AllOf(HasSubstr("RDMAREADY WARNING - "), HasSubstr("was not stored: disk full |")));
}

TEST(Formats, AreToldApartByCommand) {
  EXPECT_TRUE(CheckFormat("sarif", "check").ok());
  EXPECT_THAT(Message(CheckFormat("sarif", "facts")),
              HasSubstr("--output sarif is not for facts, which writes text, json, jsonl, yaml"));
  EXPECT_THAT(Message(CheckFormat("jsn", "facts")), HasSubstr("did you mean json?"));
  EXPECT_EQ(TextFormat().name, "text");
}

TEST(Formats, OfFindingsTakeTransfersToo) {
  TransferRun run{.run_id = "r", .rows = {GoodTransfer(), CorruptTransfer()}};
  for (const char* name : {"junit", "csv", "nagios", "wide"}) {
    const std::string text = FindFormat(name)->transfers(run, Look{});
    EXPECT_THAT(text, HasSubstr("write-512k")) << name;
  }
  EXPECT_THAT(FindFormat("nagios")->transfers(run, Look{}), HasSubstr("RDMAREADY CRITICAL - "));
}

TEST(Yaml, QuotesWhatAReaderWouldTakeForSomethingElse) {
  EXPECT_EQ(YamlOfJson(R"({"a":"no","b":[1,{"c":null,"d":"x: \"y\" \ud83d\ude00"}],"e":[],"yes":{"f":true}})"),
            "---\na: \"no\"\nb:\n  - 1\n  - c: null\n    d: \"x: \\\"y\\\" \\U0001f600\"\ne: []\n\"yes\":\n  "
            "f: true\n");
}

TEST(JsonLines, CarryWhatTheyBelongTo) {
  EXPECT_EQ(JsonLines(R"({"schema":"s","run_id":"1","hosts":[{"host":"a","findings":[{"id":"x"}]}]})"),
            "{\"kind\":\"run\",\"schema\":\"s\",\"run_id\":\"1\"}\n"
            "{\"schema\":\"s\",\"run_id\":\"1\",\"kind\":\"host\",\"host\":\"a\"}\n"
            "{\"schema\":\"s\",\"run_id\":\"1\",\"host\":\"a\",\"kind\":\"finding\",\"id\":\"x\"}\n");
}

}  // namespace
}  // namespace rdmaready
