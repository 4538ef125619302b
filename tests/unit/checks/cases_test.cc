// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"

#include <gtest/gtest.h>

#include <set>

#include "checks/check.h"
#include "checks/fleet/agreement.h"
#include "checks/placeholders.h"
#include "checks/words/ethernet.h"
#include "checks/words/names.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

template <class View>
Verdict Ask(const Rule<View>& rule, const View& view) {
  const std::string reason = rule.not_applicable == nullptr ? std::string() : rule.not_applicable(view);
  if (!reason.empty()) return {.outcome = Outcome::kNotApplicable, .observed = reason};
  return rule.judge(view);
}

// The rule alone, without the hiding around it.
Verdict AskAlone(const Check& check, const CheckCase& row) {
  const Facts other = row.other == nullptr ? GoodHost() : row.other();
  const Port port = row.host.ports && row.port < row.host.ports->size() ? (*row.host.ports)[row.port] : Port{};
  Verdict verdict;
  if (const auto* host_rule = std::get_if<Rule<HostView>>(&check.rule)) {
    verdict = Ask(*host_rule, HostView{row.host, row.profile});
  } else if (const auto* port_rule = std::get_if<Rule<PortView>>(&check.rule)) {
    verdict = Ask(*port_rule, PortView{row.host, port, row.profile});
  } else if (const auto* among = std::get_if<AmongPorts>(&check.rule)) {
    const std::string reason = among->not_applicable(PortView{row.host, port, row.profile});
    verdict = {.outcome = Outcome::kNotApplicable, .observed = reason};
    if (reason.empty()) verdict = among->judge(HostView{row.host, row.profile}).at(row.port);
  } else if (const auto* ethernet_rule = std::get_if<Rule<EthernetView>>(&check.rule)) {
    verdict = Ask(*ethernet_rule, EthernetView{row.host, port, EthernetPortsOf(port).front(), row.profile});
  } else if (const auto* agreement = std::get_if<Agreement>(&check.rule)) {
    const std::vector<Voter> voters{{"a", &row.host, &port}, {"b", &other, &other.ports->front()}};
    verdict = Compare(*agreement, voters, row.profile).front();
  } else {
    verdict = Ask(std::get<Rule<PairView>>(check.rule),
                  PairView{"a", row.host, port, "b", other, other.ports->front(), row.profile});
  }
  if (verdict.fix.empty()) verdict.fix = check.fix;
  verdict.fix = FillIn(verdict.fix, row.host, &port, row.profile);
  return verdict;
}

TEST(CheckCases, SayWhatTheTableSays) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const Check* check = FindCheck(row.id);
    ASSERT_NE(check, nullptr);
    const Verdict verdict = AskAlone(*check, row);
    EXPECT_EQ(Name(verdict.outcome), Name(row.expected)) << verdict.observed;
    EXPECT_NE(verdict.observed.find(row.observed), std::string::npos) << verdict.observed;
    EXPECT_NE(verdict.fix.find(row.fix), std::string::npos) << verdict.fix;
  }
}

TEST(CheckCases, GiveEveryJudgedAnswerItsSourceAndExpectation) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const Verdict verdict = AskAlone(*FindCheck(row.id), row);
    EXPECT_FALSE(verdict.observed.empty());
    if (verdict.outcome == Outcome::kNotApplicable) continue;
    EXPECT_FALSE(verdict.source.empty());
    EXPECT_FALSE(verdict.expected.empty());
  }
}

TEST(CheckCases, LeaveNoPlaceholderInAFixAndKeepItOnOneLine) {
  for (const CheckCase& row : AllCheckCases()) {
    SCOPED_TRACE(std::string(row.id) + ": " + std::string(row.name));
    const std::string fix = AskAlone(*FindCheck(row.id), row).fix;
    EXPECT_FALSE(fix.empty());
    EXPECT_EQ(fix.find_first_of("{}\n\r"), std::string::npos) << fix;
  }
}

TEST(CheckCases, ShowEveryCheckPassingFailingAndUnknown) {
  std::set<std::pair<std::string_view, Outcome>> shown;
  for (const CheckCase& row : AllCheckCases()) shown.emplace(row.id, row.expected);
  for (const Check& check : AllChecks()) {
    for (const Outcome outcome : {Outcome::kPass, Outcome::kFail, Outcome::kUnknown}) {
      EXPECT_TRUE(shown.contains({check.id, outcome})) << check.id << " has no case that is " << Name(outcome);
    }
  }
}

}  // namespace
}  // namespace rdmaready
