// SPDX-License-Identifier: Apache-2.0
#include "cli/expected.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "api/base/name_pattern.h"
#include "checks/waiving.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostSeen = 4;  // lines of one expectation

struct Seen {
  std::string host{};
  const Finding* finding = nullptr;
};

std::vector<Seen> FindingsOf(const Report& report, const std::string& host) {
  std::vector<Seen> seen;
  for (const HostReport& one : report.hosts) {
    if (!host.empty() && one.host != host) continue;
    for (const Finding& finding : one.findings) {
      if (finding.hidden_by.empty()) seen.push_back({one.host, &finding});
    }
  }
  return seen;
}

std::optional<Outcome> OutcomeOf(ExpectedFinding::Outcome outcome) {
  switch (outcome) {
    case ExpectedFinding::Outcome::kSaid:
      return std::nullopt;
    case ExpectedFinding::Outcome::kPass:
      return Outcome::kPass;
    case ExpectedFinding::Outcome::kWarn:
      return Outcome::kWarn;
    case ExpectedFinding::Outcome::kFail:
      return Outcome::kFail;
    case ExpectedFinding::Outcome::kUnknown:
      return Outcome::kUnknown;
    case ExpectedFinding::Outcome::kNotApplicable:
      return Outcome::kNotApplicable;
  }
  return std::nullopt;
}

bool HasOutcome(const Finding& finding, ExpectedFinding::Outcome outcome) {
  const std::optional<Outcome> wanted = OutcomeOf(outcome);
  return wanted ? finding.outcome == *wanted : CallsForAttention(finding);
}

// "mlx5_0/1 ens1f0np0": any of the words, or a device without its port.
bool IsAt(std::string_view subject, std::string_view port) {
  if (port.empty() || MatchesPattern(port, subject)) return true;
  while (!subject.empty()) {
    const std::string_view word = subject.substr(0, subject.find(' '));
    if (MatchesPattern(port, word) || MatchesPattern(port, word.substr(0, word.find('/')))) return true;
    subject.remove_prefix(std::min(subject.size(), word.size() + 1));
  }
  return false;
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

std::string TextsOf(const Finding& finding) {
  std::string text =
      Cat(finding.observed, "\n", finding.expected, "\n", finding.source, "\n", finding.why, "\n", finding.fix);
  if (!finding.remedy) return text;
  text += Cat("\n", finding.remedy->cause, "\n", finding.remedy->check);
  for (const RemedyStep& step : finding.remedy->steps) text += Cat("\n", step.command, "\n", step.action);
  for (const auto* list :
       {&finding.remedy->cautions, &finding.remedy->alternatives, &finding.remedy->ruled_out}) {
    for (const std::string& line : *list) text += Cat("\n", line);
  }
  return text;
}

bool Says(const Finding& finding, const std::string& part) {
  return part.empty() || Lower(TextsOf(finding)).find(Lower(part)) != std::string::npos;
}

bool Fits(const ExpectedFinding& wanted, const Finding& finding) {
  return MatchesPattern(wanted.check, finding.id) && HasOutcome(finding, wanted.outcome) &&
         IsAt(finding.subject, wanted.port) && Says(finding, wanted.says);
}

std::string_view OutcomeWord(ExpectedFinding::Outcome outcome) {
  const std::optional<Outcome> wanted = OutcomeOf(outcome);
  return wanted ? Name(*wanted) : "fail, warn or unknown";
}

std::string WantedLine(const ExpectedFinding& wanted) {
  return Cat(wanted.check, " ", OutcomeWord(wanted.outcome),
             wanted.port.empty() ? "" : Cat(" at ", wanted.port),
             wanted.says.empty() ? "" : Cat(", says \"", wanted.says, "\""));
}

std::string SeenLine(const Seen& seen, bool with_host) {
  const Finding& finding = *seen.finding;
  return Printable(Cat(with_host ? Cat(seen.host, ": ") : "", finding.id, " ", Name(finding.outcome),
                       finding.subject.empty() ? "" : Cat(" at ", finding.subject),
                       finding.observed.empty() ? "" : Cat(": ", finding.observed)));
}

std::vector<std::string> SeenLines(const std::vector<Seen>& seen, bool with_host) {
  std::vector<std::string> lines;
  for (const Seen& one : seen) {
    if (lines.size() == kMostSeen) {
      lines.push_back(Cat("and ", seen.size() - kMostSeen, " more"));
      break;
    }
    lines.push_back(SeenLine(one, with_host));
  }
  return lines;
}

std::string_view VerdictWord(ExpectedOfHosts::Verdict verdict) {
  switch (verdict) {
    case ExpectedOfHosts::Verdict::kAny:
      return "any";
    case ExpectedOfHosts::Verdict::kReady:
      return Name(Readiness::kReady);
    case ExpectedOfHosts::Verdict::kNotReady:
      return Name(Readiness::kNotReady);
    case ExpectedOfHosts::Verdict::kUndetermined:
      return Name(Readiness::kUndetermined);
  }
  return "any";
}

Readiness VerdictIn(const Report& report, const std::string& host) {
  const auto found = std::ranges::find(report.hosts, host, &HostReport::host);
  return host.empty() || found == report.hosts.end() ? report.verdict : found->verdict;
}

class Comparison {
 public:
  Comparison(const ExpectedOfHosts& expected, const Report& report)
      : expected_(expected),
        all_(FindingsOf(report, expected.host)),
        with_host_(expected.host.empty() && report.hosts.size() > 1) {
    CompareVerdict(Name(VerdictIn(report, expected.host)));
    for (const ExpectedFinding& wanted : expected.findings) CompareFinding(wanted);
    for (const std::string& pattern : expected.not_said) CompareUnsaid(pattern);
    if (expected.nothing_else) CompareRest();
  }

  std::vector<Mismatch> Take() { return std::move(differences_); }

 private:
  void CompareVerdict(std::string_view seen) {
    const std::string_view wanted = VerdictWord(expected_.verdict);
    if (expected_.verdict == ExpectedOfHosts::Verdict::kAny || wanted == seen) return;
    differences_.push_back({{Cat("verdict ", wanted)}, {Cat("verdict ", seen)}});
  }

  void CompareFinding(const ExpectedFinding& wanted) {
    const auto fits = [&wanted](const Seen& one) { return Fits(wanted, *one.finding); };
    if (std::ranges::any_of(all_, fits)) return;
    std::vector<Seen> near;
    std::ranges::copy_if(all_, std::back_inserter(near),
                         [&wanted](const Seen& one) { return MatchesPattern(wanted.check, one.finding->id); });
    std::vector<std::string> lines = SeenLines(near, with_host_);
    if (lines.empty()) lines.push_back(Cat("no finding of ", wanted.check));
    differences_.push_back({{WantedLine(wanted)}, std::move(lines)});
  }

  void CompareUnsaid(const std::string& pattern) {
    std::vector<Seen> said;
    std::ranges::copy_if(all_, std::back_inserter(said), [&pattern](const Seen& one) {
      return MatchesPattern(pattern, one.finding->id) && CallsForAttention(*one.finding);
    });
    if (!said.empty()) differences_.push_back({{Cat("nothing of ", pattern)}, SeenLines(said, with_host_)});
  }

  void CompareRest() {
    std::vector<Seen> rest;
    std::ranges::copy_if(all_, std::back_inserter(rest), [this](const Seen& one) {
      const bool wrong = CallsForAttention(*one.finding) && one.finding->outcome != Outcome::kUnknown;
      return wrong && std::ranges::none_of(expected_.findings, [&one](const ExpectedFinding& wanted) {
               return Fits(wanted, *one.finding);
             });
    });
    if (!rest.empty())
      differences_.push_back({{"nothing else that fails or warns"}, SeenLines(rest, with_host_)});
  }

  const ExpectedOfHosts& expected_;
  std::vector<Seen> all_;
  bool with_host_ = false;
  std::vector<Mismatch> differences_{};
};

}  // namespace

std::vector<Mismatch> MismatchesOf(const ExpectedOfHosts& expected, const Report& report) {
  return Comparison(expected, report).Take();
}

}  // namespace rdmaready
