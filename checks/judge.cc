// SPDX-License-Identifier: Apache-2.0
#include "checks/judge.h"

#include <algorithm>
#include <optional>

#include "checks/begin.h"
#include "checks/check.h"
#include "checks/ethernet.h"
#include "checks/hiding.h"
#include "checks/placeholders.h"
#include "checks/spare.h"
#include "checks/stopwatch.h"
#include "checks/verdicts.h"
#include "checks/words.h"

namespace rdmaready {
namespace {

// Of a spare port one thing is said: that it is one.
constexpr std::string_view kSaysSpare = "link.state";

std::string SpareReason(const Facts& host, const Port& port, const Profile& profile) {
  return IsSpare(host, port, profile) ? Cat("a spare port: see ", kSaysSpare) : "";
}

std::string SpareReason(const HostView&) { return {}; }
template <class View>
std::string SpareReason(const View& view) {
  return SpareReason(view.host, view.port, view.profile);
}
std::string SpareReason(const PairView& view) {
  std::string from = SpareReason(view.from, view.from_port, view.profile);
  return from.empty() ? SpareReason(view.to, view.to_port, view.profile) : from;
}

// Why the check is not asked of the view; empty when it is.
template <class View>
std::string NotApplicable(const Check& check, const Rule<View>& rule, const View& view) {
  if (check.id != kSaysSpare) {
    if (std::string reason = SpareReason(view); !reason.empty()) return reason;
  }
  return rule.not_applicable == nullptr ? std::string() : rule.not_applicable(view);
}

// The answer of the rule for one view; the fix may still hold placeholders.
template <class View>
Finding Ask(const Check& check, const Rule<View>& rule, const View& view, std::string subject) {
  Finding finding = Begin(check, view.profile, std::move(subject));
  const std::string reason = NotApplicable(check, rule, view);
  if (!reason.empty()) {
    finding.outcome = Outcome::kNotApplicable;
    finding.observed = Printable(reason);
  } else {
    TakeVerdict(finding, check, rule.judge(view));
  }
  return finding;
}

int Severity(const Finding& finding) {
  switch (finding.outcome) {
    case Outcome::kFail:
      return finding.blocking ? 5 : 3;
    case Outcome::kUnknown:
      return finding.blocking ? 4 : 1;
    case Outcome::kWarn:
      return 2;
    case Outcome::kPass:
    case Outcome::kNotApplicable:
      return 0;
  }
  return 0;
}

}  // namespace

std::vector<Finding> JudgeHost(const Facts& host, const Profile& profile, const NowNs& now) {
  static const std::vector<Port> kNoPorts;
  const std::vector<Port>& ports = host.ports ? *host.ports : kNoPorts;
  std::vector<std::vector<Fact<Netdev>>> ethernets;
  for (const Port& port : ports) ethernets.push_back(EthernetPortsOf(port));
  std::vector<Finding> findings;
  // Those of them that can hide another: with many ports they are few among many.
  std::vector<Finding> telling;
  const auto add = [&](const Check& check, const auto& rule, const auto& view, std::string subject,
                       const Port* port, const Fact<Netdev>* ethernet) {
    const Stopwatch watch(now);
    Finding finding = Ask(check, rule, view, std::move(subject));
    HideBehind(finding, check, {.findings = telling, .subject = finding.subject});
    finding.fix = FillIn(finding.fix, host, port, profile, ethernet);
    finding.duration_ns = watch.ElapsedNs();
    if (CallsForAction(finding.outcome) || !finding.hidden_by.empty()) telling.push_back(finding);
    findings.push_back(std::move(finding));
  };
  for (const Check& check : AllChecks()) {
    if (const auto* of_host = std::get_if<Rule<HostView>>(&check.rule)) {
      add(check, *of_host, HostView{host, profile}, "host", nullptr, nullptr);
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const Port& port = ports[i];
      if (const auto* of_port = std::get_if<Rule<PortView>>(&check.rule)) {
        add(check, *of_port, PortView{host, port, profile}, SubjectOf(port), &port, nullptr);
      }
      const auto* of_ethernet = std::get_if<Rule<EthernetView>>(&check.rule);
      if (of_ethernet == nullptr) continue;
      for (const Fact<Netdev>& netdev : ethernets[i]) {
        add(check, *of_ethernet, EthernetView{host, port, netdev, profile}, SubjectOf(port, netdev), &port,
            &netdev);
      }
    }
  }
  return findings;
}

std::vector<Finding> JudgePair(const PairSide& from, const PairSide& to, const Profile& profile,
                               const NowNs& now) {
  const PairView view{.from_name = from.name,
                      .from = from.host,
                      .from_port = from.port,
                      .to_name = to.name,
                      .to = to.host,
                      .to_port = to.port,
                      .profile = profile};
  const std::string subject = Printable(PortName(from.port) + " -> " + PortName(to.port));
  std::vector<Finding> findings;
  for (const Check& check : AllChecks()) {
    const auto* rule = std::get_if<Rule<PairView>>(&check.rule);
    if (rule == nullptr) continue;
    const Stopwatch watch(now);
    Finding finding = Ask(check, *rule, view, subject);
    for (const PairSide* side : {&from, &to}) {
      HideBehind(finding, check,
                 {.findings = side->findings, .subject = SubjectOf(side->port), .host = side->name});
    }
    finding.fix = FillIn(finding.fix, from.host, &from.port, profile);
    finding.duration_ns = watch.ElapsedNs();
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::string Sentence(const Finding& finding) {
  const bool says_more = CallsForAction(finding.outcome) && !finding.expected.empty();
  return says_more ? Cat(finding.observed, ", wanted ", finding.expected) : finding.observed;
}

std::vector<const Finding*> WorthSaying(std::span<const Finding> findings) {
  std::vector<const Finding*> worth;
  for (const Finding& finding : findings) {
    if (Severity(finding) > 0) worth.push_back(&finding);
  }
  std::ranges::stable_sort(worth,
                           [](const Finding* a, const Finding* b) { return Severity(*a) > Severity(*b); });
  return worth;
}

}  // namespace rdmaready
