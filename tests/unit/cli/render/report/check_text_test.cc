// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "checks/readiness.h"
#include "checks/remembered.h"
#include "cli/render/format/judged.h"
#include "cli/render/report/check_parts.h"
#include "cli/render/text.h"
#include "tests/unit/cli/golden.h"
#include "tests/unit/cli/reports.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Style Pipe() { return {.color = false, .unicode = true, .width = 0}; }

std::ptrdiff_t Lines(const std::string& text) { return std::ranges::count(text, '\n'); }

std::size_t Widest(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

TEST(CheckText, ShowsAHealthyHostOnOneScreen) {
  const std::string text = CheckText(HealthyCheck(), Pipe());
  EXPECT_EQ(text, Golden("healthy_host.txt", text));
  EXPECT_LE(Lines(text), 15);
}

TEST(CheckText, TellsWhatWasFoundBefore) {
  CheckSummary check = SickCheck();
  constexpr std::int64_t kMinute = 60'000'000'000;
  const std::int64_t now = check.report.started_unix_ns = 1'795'200'000'000'000'000;  // 2026-11-20 18:40:00 UTC
  check.notes[0].remembered = {
      .standing = {{"link.state", "rxe0/1 dcb0", now - 30 * kMinute, 3},
                   {"ets.map", "rxe0/1 dcb0", now - 30 * kMinute, 2},
                   {"inv.bond", "rxe0/1 dcb0", now - 180 * kMinute,
                    kRunsRemembered + 1},                               // as far as was asked
                   {"map.dscp", "rxe0/1 dcb0", now - 9 * kMinute, 2}},  // of who is at it
      .seen = {{"cnt.sequence", "rxe0/1 dcb0", "out_of_sequence +7 in 15 min", now - 45 * kMinute, 3}}};
  const std::string text = CheckText(check, Pipe());
  EXPECT_THAT(text, HasSubstr("\nSINCE     2026-11-20 18:10:00 UTC, in 3 checks: link.state, ets.map\n"));
  EXPECT_THAT(text, HasSubstr("\nSINCE     2026-11-20 15:40:00 UTC or before, in 13 checks: inv.bond\n"));
  EXPECT_THAT(text, HasSubstr("\nBEFORE    2026-11-20 17:55:00 UTC, and in 2 checks before: cnt.sequence on "
                              "rxe0/1 dcb0: out_of_sequence +7 in 15 min\n"));
  EXPECT_EQ(text.find("map.dscp:"), std::string::npos);
  EXPECT_EQ(CheckText(SickCheck(), Pipe()).find("\nSINCE "), std::string::npos);
}

TEST(CheckText, ListsEveryCheckWhenAskedTo) {
  const std::string text = CheckText(HealthyCheck(), Pipe(), true);
  EXPECT_EQ(text, Golden("healthy_host_verbose.txt", text));
  for (const Finding& finding : HealthyHost("node1", false).findings) EXPECT_THAT(text, HasSubstr(finding.id));
}

TEST(CheckText, SaysWhatIsWrongFirstAndInFull) {
  CheckSummary check = HealthyCheck();
  std::vector<Finding>& findings = check.report.hosts[0].findings;
  for (Finding& finding : findings) {
    if (finding.id == "pfc.only-one")
      finding = Fail("pfc.only-one", "PFC on all", "on 3 only", "dcb pfc set dev dcb0");
  }
  Conclude(check.report);
  const std::string text = CheckText(check, Pipe());
  EXPECT_THAT(
      text,
      HasSubstr(
          "node1  NOT READY: the RDMA port does not meet virtual-fabric: rxe0/1: PFC on all (pfc.only-one)\n"
          "\n"
          "WRONG     rxe0/1: PFC on all, wanted on 3 only  (pfc.only-one, read from dcbnl)\n"));
  EXPECT_THAT(text, HasSubstr("\nDO        dcb pfc set dev dcb0\n"));
  EXPECT_THAT(text, HasSubstr("dcb 6, host 1\n          rxe0/1 active, dcb0 up at 25 Gb/s; 4096 B; "));
}

CheckSummary WithTwoFailures(const std::string& first_fix, const std::string& second_fix) {
  CheckSummary check = HealthyCheck();
  for (Finding& finding : check.report.hosts[0].findings) {
    if (finding.id == "pfc.only-one") finding = Fail("pfc.only-one", "PFC on all", "on 3 only", first_fix);
    if (finding.id == "ets.map") finding = Fail("ets.map", "priority 3 in TC 0", "in TC 3", second_fix);
  }
  Conclude(check.report);
  return check;
}

TEST(CheckText, SaysOneRepairOfSeveralFindingsOnce) {
  const std::string text = CheckText(WithTwoFailures("set dcb0", "set dcb0"), Pipe());
  EXPECT_EQ(text.find("DO        set dcb0"), text.rfind("DO        set dcb0")) << text;
  EXPECT_THAT(text, HasSubstr("\nAND       "));
  const std::string apart = CheckText(WithTwoFailures("set dcb0", "set dcb0 otherwise"), Pipe());
  EXPECT_EQ(apart.find("\nAND       "), std::string::npos) << apart;
}

TEST(CheckText, SaysOnceWhatARecordingLacks) {
  CheckSummary check = HealthyCheck();
  std::vector<Finding>& findings = check.report.hosts[0].findings;
  int lacking = 0;
  for (Finding& finding : findings) {
    if (finding.id.starts_with("link.")) continue;
    finding.outcome = Outcome::kUnknown;
    finding.blocking = false;
    finding.observed = "read " + finding.id + ": not in the recording (made by rdmaready 0.0.9)";
    finding.remedy =
        RemedyOfFix("rdmaready " + std::string(finding.id == "pfc.only-one" ? "version" : "facts"));
    ++lacking;
  }
  ASSERT_GT(lacking, 4);
  Conclude(check.report);
  const std::string text = CheckText(check, Pipe());
  EXPECT_THAT(text, HasSubstr("UNKNOWN   " + std::to_string(lacking) +
                              " checks: not in the recording (made by rdmaready 0.0.9)  ("));
  EXPECT_THAT(text, HasSubstr(", and " + std::to_string(lacking - 4) + " more)"));
  EXPECT_EQ(text.find("UNKNOWN", text.find("UNKNOWN") + 1), std::string::npos);
}

// Advice about SMB Direct, as every host with Debian's kernel has it.
void AddAdvice(HostReport& host) {
  Finding kernel = Pass("smb.kernel", "Linux 6.12: connections may run out of credits");
  kernel.outcome = Outcome::kUnknown;
  Finding client = Pass("smb.client-built-in", "cifs installed, built without SMB Direct");
  client.outcome = Outcome::kWarn;
  for (Finding* finding : {&kernel, &client}) {
    finding->scope = Scope::kHost;
    finding->subject = "host";
    finding->blocking = false;
    finding->remedy = RemedyOfFix("uname -r");
    host.findings.push_back(*finding);
  }
}

TEST(CheckText, NotesWhatNobodyHasToActOnBelowWhatIsWell) {
  CheckSummary check = HealthyCheck();
  AddAdvice(check.report.hosts[0]);
  Conclude(check.report);
  const std::string text = CheckText(check, Pipe());
  EXPECT_LT(text.find("\nFINE "), text.find("\nUNKNOWN   Linux 6.12")) << text;
  EXPECT_LT(text.find("\nFINE "), text.find("\nWARNING   cifs installed")) << text;
  EXPECT_THAT(text, Not(HasSubstr("uname -r")));
  EXPECT_THAT(CheckText(check, Pipe(), true), HasSubstr("uname -r")) << "-v has all of it";
}

TEST(CheckText, ShowsAWarningOfAReadyHostThatUsesTheModuleAboveWhatIsWell) {
  CheckSummary check = HealthyCheck();
  AddAdvice(check.report.hosts[0]);
  check.report.hosts[0].findings.back().observed = "cifs loaded, built without SMB Direct";
  Conclude(check.report);
  const std::string text = CheckText(check, Pipe());
  EXPECT_LT(text.find("\nWARNING   cifs loaded"), text.find("\nFINE ")) << text;
}

TEST(CheckText, ShowsOnceWhatTwoReadyHostsHaveInCommon) {
  CheckSummary check = PeerCheck();
  for (HostReport& host : check.report.hosts) AddAdvice(host);
  check.report.hosts[1].findings.back().observed = "cifs installed, built with SMB Direct, and 1 more";
  Conclude(check.report);
  ASSERT_EQ(check.report.verdict, Readiness::kReady);
  const std::string text = CheckText(check, Pipe());
  EXPECT_EQ(text.find("smb.kernel"), text.rfind("smb.kernel")) << text;
  EXPECT_EQ(text.find("FINE "), text.rfind("FINE ")) << text;
  EXPECT_THAT(text, HasSubstr("and 1 more")) << text;
  EXPECT_THAT(text, HasSubstr("\nON        127.0.0.1:9002\n")) << text;
  EXPECT_LE(Lines(text), 20) << text;
}

TEST(CheckText, FoldsTwoReadyHostsThatWereRecordedAtDifferentTimes) {
  CheckSummary check = PeerCheck();
  check.notes.resize(check.report.hosts.size());
  for (std::size_t i = 0; i < check.notes.size(); ++i) {
    check.notes[i].recorded_by = "0.1.0";
    check.notes[i].recorded_unix_ns = std::int64_t{1} + static_cast<std::int64_t>(i) * 1'000'000'000;
  }
  ASSERT_EQ(check.report.verdict, Readiness::kReady);
  const std::string text = CheckText(check, Pipe());
  EXPECT_EQ(text.find("FINE "), text.rfind("FINE ")) << text;
  EXPECT_THAT(text, HasSubstr("recorded 1970-01-01 00:00:00 UTC")) << text;
  EXPECT_THAT(text, HasSubstr("recorded 1970-01-01 00:00:01 UTC")) << text;
}

TEST(CheckText, SaysOnceWhyAHostDidNotAnswer) {
  const std::string text = CheckText(UnreachableCheck(), Pipe());
  EXPECT_EQ(text.find("Connection refused"), text.rfind("Connection refused")) << text;
  EXPECT_EQ(Complaints(UnreachableCheck(), true), std::vector<std::string>{"no answer from b"});
}

TEST(CheckText, SaysHowLongItWaited) {
  CheckSummary check = HealthyCheck();
  check.waited = Waited{.ns = 12'000'000'000, .tries = 5};
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("\nWAITED    12.0 s, 5 checks\n"));
  check.waited->tries = 1;
  EXPECT_THAT(CheckText(check, Pipe()), Not(HasSubstr("WAITED")));
}

TEST(CheckText, ShowsOfAGroupWhatDiffersBetweenPorts) {
  CheckSummary check = HealthyCheck();
  std::vector<Finding> findings;
  for (const char* port : {"rxe0/1 dcb0", "rxe1/1 dcb1"}) {
    for (const char* id : {"link.state", "link.duplex"}) {
      findings.push_back(Pass(id, std::string(port) + " is well"));
      findings.back().subject = port;
    }
  }
  findings.push_back(NotApplicable("pcie.width", "a software device has no PCIe"));
  findings.push_back(NotApplicable("cnt.saturated", "no counters"));
  check.report.hosts[0].findings = findings;
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("FINE      2 checks: device 2\n"
                                                  "          rxe0/1 dcb0 is well; rxe1/1 dcb1 is well\n"));
}

TEST(CheckText, ShowsWhyAndWhatToDoUnderWhatIsWrong) {
  const std::string text = CheckText(SickCheck(), Pipe());
  EXPECT_EQ(text, Golden("sick_host.txt", text));
  EXPECT_LE(Lines(text), 24);
}

TEST(CheckText, ShowsTwoHostsAndWhatIsBetweenThem) {
  const std::string text = CheckText(PeerCheck(), Pipe());
  EXPECT_EQ(text, Golden("two_hosts_peer.txt", text));
  EXPECT_LE(Lines(text), 15);
}

TEST(CheckText, ShowsAHostThatDidNotAnswerBesideOneThatDid) {
  const std::string text = CheckText(UnreachableCheck(), Pipe());
  EXPECT_EQ(text, Golden("unreachable_host.txt", text));
}

TEST(CheckText, FitsEightyColumns) {
  const std::string text = CheckText(SickCheck(), {.color = false, .unicode = false, .width = 80});
  EXPECT_EQ(text, Golden("sick_host_80_columns.txt", text));
  EXPECT_LE(Widest(CheckText(HealthyCheck(), {.color = false, .unicode = false, .width = 80})), 80U);
}

TEST(CheckText, FoldsWhatIsWellWhenThereAreManyHosts) {
  CheckSummary check = HealthyCheck();
  for (const char* name : {"node2", "node3", "node4"}) {
    check.report.hosts.push_back(HealthyHost(name, true));
    check.notes.push_back(check.notes.front());
  }
  Conclude(check.report);
  EXPECT_LE(Lines(CheckText(check, Pipe())), 4 * 8 + 5);
}

// Five hosts, of which node2 is not ready and node4 did not answer.
CheckSummary FiveHosts() {
  CheckSummary check = HealthyCheck();
  check.report.hosts.clear();
  check.notes.clear();
  for (int number = 1; number <= 5; ++number) {
    check.report.hosts.push_back(HealthyHost("node" + std::to_string(number), false));
    check.notes.push_back({.group = number < 3 ? "east" : "west", .rack = number < 3 ? "r1" : "r2"});
  }
  check.report.hosts[1].findings.push_back(
      Fail("pfc.lossless-priority", "PFC on 4", "PFC on 3", "dcb pfc set"));
  check.report.hosts[1].findings.back().blocking = true;
  HostReport& silent = check.report.hosts[3];
  silent.findings.clear();
  silent.error = "host node4: connect to node4: Connection refused";
  check.notes[3].failure = ExitStatus::kUnreachable;
  Conclude(check.report);
  return check;
}

TEST(CheckText, ShowsTheOddOnesFirst) {
  const CheckSummary check = FiveHosts();
  EXPECT_THAT(OddFirst(check.report), testing::ElementsAre(1U, 3U, 0U, 2U, 4U));
  const std::string all = CheckText(check, Pipe(), true);
  const auto at = [](const std::string& text, const std::string& word) {
    const std::size_t place = text.find(word);
    EXPECT_NE(place, std::string::npos) << word << " in " << text;
    return place;
  };
  EXPECT_LT(at(all, "\nnode2  "), at(all, "\nnode4  "));
  EXPECT_LT(at(all, "\nnode4  "), at(all, "\nnode1  "));
  EXPECT_LT(at(all, "\nnode1  "), at(all, "\nnode3  "));
  const std::string brief = CheckText(check, Pipe());
  EXPECT_LT(at(brief, "pfc.lossless-priority"), at(brief, "connect to node4"));
  EXPECT_LT(at(brief, "connect to node4"), at(brief, "\nFINE "));
  EXPECT_LT(at(brief, "LEVELS    node2"), at(brief, "          3 hosts: node[1,3,5]"));
  EXPECT_LT(at(brief, "group east: 2 hosts: node[1-2]"), at(brief, "group west: 3 hosts: node[3-5]"));
}

TEST(CheckText, InALineForEachHostShowsTheOddOnesFirstToo) {
  const std::string text = CheckShort(FiveHosts(), {.style = Pipe()});
  EXPECT_TRUE(text.starts_with("node2  not-ready")) << text;
  EXPECT_LT(text.find("node4  undetermined"), text.find("node1  ready"));
}

TEST(CheckText, SaysThatATroubleIsOfOneRack) {
  CheckSummary check = FiveHosts();
  check.report.hosts[0].findings = check.report.hosts[1].findings;
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("2 hosts: node[1-2], all in rack r1"));
  check.report.hosts[2].findings = check.report.hosts[1].findings;
  EXPECT_EQ(CheckText(check, Pipe()).find("all in rack"), std::string::npos);
  for (HostNotes& notes : check.notes) notes.rack = "r1";
  EXPECT_EQ(CheckText(check, Pipe()).find("all in rack"), std::string::npos) << "there is no other";
}

TEST(CheckText, FoldsWhatIsWellOnManyPorts) {
  CheckSummary check = HealthyCheck();
  std::vector<Finding> findings;
  for (int port = 0; port < 8; ++port) {
    findings.push_back(Pass("pfc.lossless-priority", "PFC on 3"));
    findings.back().subject = "mlx5_" + std::to_string(port) + "/1 eth" + std::to_string(port);
  }
  check.report.hosts[0].findings = findings;
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("\nFINE      1 check: dcb 1\n          PFC on 3\n"));
  EXPECT_THAT(CheckText(check, Pipe(), true), HasSubstr("8 ports: PFC on 3"));
}

TEST(CheckText, KeepsACommandWholeWhateverItSays) {
  CheckSummary check = HealthyCheck();
  check.report.hosts[0].host = "a. First, b: c";
  check.report.hosts[0].findings[0] =
      Fail("inv.rdma-present", "none", "one", "echo '. First, x: y'  # and: so on. First, z");
  Conclude(check.report);
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("\nDO        1  echo '. First, x: y'\n"
                                                  "          2  and: so on. First, z\n"));
}

TEST(CheckText, NamesThePortOfAFailure) {
  CheckSummary check = HealthyCheck();
  check.report.hosts[0].findings = {Fail("pfc.lossless-priority", "PFC on 4", "on 3 only", "dcb pfc")};
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("WRONG     rxe0/1: PFC on 4, wanted on 3 only  (pfc."));
}

TEST(CheckText, SaysOnceThatSeveralLiveTestsFailAlike) {
  CheckSummary check = HealthyCheck();
  Finding first = Fail("loopback.write-8k", "stalled", "", "look");
  Finding second = Fail("loopback.read-8k", "stalled", "", "look");
  second.why = first.why;
  check.report.hosts[0].findings = {first, second};
  EXPECT_THAT(CheckText(check, Pipe()),
              HasSubstr("WRONG     rxe0/1: stalled  (loopback.write-8k, loopback.read-8k, read from dcbnl)\n"));
}

TEST(CheckText, HasNoEscapesWithoutColour) {
  for (const CheckSummary& check : {HealthyCheck(), SickCheck(), PeerCheck(), UnreachableCheck()}) {
    EXPECT_THAT(CheckText(check, Pipe()), Not(HasSubstr("\x1b")));
  }
  EXPECT_THAT(CheckText(SickCheck(), {.color = true, .unicode = true, .width = 0}), HasSubstr("\x1b["));
}

TEST(CheckText, ShowsTheSmallestShareOfEachCounterInTheClass) {
  CheckSummary check = PeerCheck();
  const auto share = [](const char* counter, std::uint32_t permille) {
    return ClassShare{.host = "a", .counter = counter, .priority = 3, .permille = permille};
  };
  Finding of_class{.id = "tx.effective-class", .rung = Rung::kPeer, .outcome = Outcome::kPass};
  of_class.class_proof = ClassProof{{share("sent", 1000), share("received", 999), share("sent", 995)}};
  check.report.pairs[0].findings.push_back(of_class);
  EXPECT_THAT(CheckText(check, Pipe()), HasSubstr("; priority 3: 99.5 % sent, 99.9 % received\n"));
  check.report.pairs[0].findings.back().outcome = Outcome::kUnknown;
  EXPECT_THAT(CheckText(check, Pipe()), Not(HasSubstr("priority 3: ")));
}

TEST(CheckText, LetsNoHostWriteToTheTerminal) {
  CheckSummary check = SickCheck();
  check.report.hosts[0].host = "a\x1b[2J";
  check.report.hosts[0].kernel_release = "6\x1b[2J";
  check.report.hosts[0].error = "b\x1b[2J\nready";
  for (Finding& finding : check.report.hosts[0].findings) {
    finding.id += "\x1b[2J";
    finding.observed = "x\x1b[2J\r";
    finding.why = finding.fix = finding.source = finding.subject = "\x1b[2J";
  }
  Conclude(check.report);
  EXPECT_THAT(CheckText(check, Pipe()), Not(HasSubstr("\x1b")));
}

TEST(CheckText, IsAsciiWhereTheLocaleIsNot) {
  const std::string text = CheckText(PeerCheck(), {.color = false, .unicode = false, .width = 0});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

}  // namespace
}  // namespace rdmaready
