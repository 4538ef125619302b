// SPDX-License-Identifier: Apache-2.0
#include "checks/judge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "checks/begin.h"
#include "checks/check.h"
#include "checks/hiding.h"
#include "checks/placeholders.h"
#include "checks/spare.h"
#include "checks/stopwatch.h"
#include "checks/words/ethernet.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// Of a spare port one thing is said: that it is one.
constexpr std::string_view kSaysSpare = "link.state";

std::string SpareReason(const Facts& host, const Port& port, const Profile& profile) {
  return IsSpare(host, port, profile) ? Cat("a spare port: see ", kSaysSpare) : "";
}

// Why the check is not asked of the view; empty when it is.
template <class AnyRule, class View>
std::string NotApplicable(const Check& check, const AnyRule& rule, const View& view, const std::string& spare) {
  if (check.id != kSaysSpare && !spare.empty()) return spare;
  return rule.not_applicable == nullptr ? std::string() : rule.not_applicable(view);
}

// The answer of the rule for one view; the fix may still hold placeholders.
template <class AnyRule, class View, class Judge>
Finding Ask(const Check& check, const AnyRule& rule, const View& view, const std::string& spare,
            std::string subject, const Judge& judge) {
  Finding finding = Begin(check, view.profile, std::move(subject));
  const std::string reason = NotApplicable(check, rule, view, spare);
  if (!reason.empty()) {
    finding.outcome = Outcome::kNotApplicable;
    finding.observed = Printable(reason);
  } else {
    TakeVerdict(finding, check, judge());
  }
  return finding;
}

// One judging of a host. What is asked of a port again and again is found out once.
class HostJudge {
 public:
  HostJudge(const Facts& host, const Profile& profile, const NowNs& now)
      : host_(host), profile_(profile), now_(now), ports_(host.ports ? *host.ports : kNoPorts) {
    for (const Port& port : ports_)
      places_.push_back({SubjectOf(port), SpareReason(host, port, profile), EthernetPortsOf(port)});
  }

  std::vector<Finding> Judge() && {
    for (const Check& check : AllChecks()) {
      if (const auto* of_host = std::get_if<Rule<HostView>>(&check.rule)) JudgeAlone(check, *of_host);
      if (const auto* of_port = std::get_if<Rule<PortView>>(&check.rule)) JudgeEach(check, *of_port);
      if (const auto* of_ethernet = std::get_if<Rule<EthernetView>>(&check.rule))
        JudgeEach(check, *of_ethernet);
      if (const auto* among = std::get_if<AmongPorts>(&check.rule)) JudgeEach(check, *among);
    }
    return std::move(findings_);
  }

 private:
  static inline const std::vector<Port> kNoPorts{};

  struct Place {
    std::string subject{};
    std::string spare{};  // why it is not asked: it is a spare port
    std::vector<Fact<Netdev>> ethernets{};
    // Findings about it or about the host that can hide another: with many ports they are few among many.
    std::vector<Finding> telling{};
  };

  void JudgeAlone(const Check& check, const Rule<HostView>& rule) {
    const HostView view{host_, profile_};
    const Stopwatch watch(now_);
    Finding finding = Ask(check, rule, view, "", "host", [&] { return rule.judge(view); });
    HideBehind(finding, check, {.findings = telling_, .subject = finding.subject});
    if (IsTelling(finding)) {
      telling_.push_back(finding);
      for (Place& place : places_) place.telling.push_back(finding);
    }
    Take(std::move(finding), nullptr, nullptr, watch);
  }

  void JudgeEach(const Check& check, const Rule<PortView>& rule) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const PortView view{host_, ports_[i], profile_};
      JudgeAt(check, rule, view, i, places_[i].subject, nullptr, [&] { return rule.judge(view); });
    }
  }

  void JudgeEach(const Check& check, const Rule<EthernetView>& rule) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      for (const Fact<Netdev>& netdev : places_[i].ethernets) {
        const EthernetView view{host_, ports_[i], netdev, profile_};
        JudgeAt(check, rule, view, i, SubjectOf(ports_[i], netdev), &netdev, [&] { return rule.judge(view); });
      }
    }
  }

  // The first port that is asked takes the time for all.
  void JudgeEach(const Check& check, const AmongPorts& rule) {
    std::optional<std::vector<Verdict>> verdicts;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      JudgeAt(check, rule, PortView{host_, ports_[i], profile_}, i, places_[i].subject, nullptr, [&] {
        if (!verdicts) verdicts = rule.judge(HostView{host_, profile_});
        return (*verdicts)[i];
      });
    }
  }

  template <class AnyRule, class View, class JudgeOne>
  void JudgeAt(const Check& check, const AnyRule& rule, const View& view, std::size_t i, std::string subject,
               const Fact<Netdev>* ethernet, const JudgeOne& judge) {
    Place& place = places_[i];
    const Stopwatch watch(now_);
    Finding finding = Ask(check, rule, view, place.spare, std::move(subject), judge);
    HideBehind(finding, check, {.findings = place.telling, .subject = finding.subject});
    if (IsTelling(finding)) place.telling.push_back(finding);
    Take(std::move(finding), &ports_[i], ethernet, watch);
  }

  static bool IsTelling(const Finding& finding) {
    return CallsForAction(finding.outcome) || !finding.hidden_by.empty();
  }

  void Take(Finding finding, const Port* port, const Fact<Netdev>* ethernet, const Stopwatch& watch) {
    finding.fix = FillIn(finding.fix, host_, port, profile_, ethernet);
    finding.duration_ns = watch.ElapsedNs();
    findings_.push_back(std::move(finding));
  }

  const Facts& host_;
  const Profile& profile_;
  const NowNs& now_;
  const std::vector<Port>& ports_;
  std::vector<Place> places_{};
  std::vector<Finding> telling_{};  // of the host
  std::vector<Finding> findings_{};
};

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
  return HostJudge(host, profile, now).Judge();
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
  std::string spare = SpareReason(from.host, from.port, profile);
  if (spare.empty()) spare = SpareReason(to.host, to.port, profile);
  std::vector<Finding> findings;
  for (const Check& check : AllChecks()) {
    const auto* rule = std::get_if<Rule<PairView>>(&check.rule);
    if (rule == nullptr) continue;
    const Stopwatch watch(now);
    Finding finding = Ask(check, *rule, view, spare, subject, [&] { return rule->judge(view); });
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
