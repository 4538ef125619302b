// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/explained_pairs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "checks/catalog.h"
#include "checks/fleet/between.h"
#include "checks/hiding.h"
#include "checks/live/transfer.h"
#include "checks/words/ethernet.h"
#include "checks/words/fix.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kVlan = "agree.vlan";

bool IsRed(const Finding& finding) {
  return finding.outcome == Outcome::kFail && finding.blocking && finding.hidden_by.empty();
}

bool Fails(const Finding& finding) { return finding.outcome == Outcome::kFail && finding.hidden_by.empty(); }

constexpr std::string_view kArrow = " -> ";

std::string_view FirstWord(std::string_view text) { return text.substr(0, text.find(' ')); }

bool IsSame(const Finding& finding, std::string_view id, std::string_view subject, std::string_view back) {
  return finding.id == id && (finding.subject == subject || finding.subject == back);
}

class Explainer {
 public:
  Explainer(std::span<const TestedWay> ways, Report& report)
      : ways_(ways), report_(report), causes_(ways.size()) {
    for (std::size_t i = 0; i < ways.size(); ++i) places_.emplace(KeyOf(ways[i]), i);
    for (std::size_t i = 0; i < report.pairs.size(); ++i)
      pairs_.emplace(std::pair(report.pairs[i].from, report.pairs[i].to), i);
  }

  void Run() {
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (const KnownCause* cause = CauseOf(i)) causes_[i] = Put(ways_[i], *cause);
    }
    for (std::size_t i = 0; i < ways_.size(); ++i) HideBehindCause(i);
    AcceptVlans();
  }

 private:
  using Key = std::tuple<std::size_t, std::size_t, std::string>;
  static Key KeyOf(const TestedWay& way) { return {way.from, way.to, way.subject}; }

  std::optional<std::size_t> BackOf(std::size_t i) const {
    const auto found = places_.find({ways_[i].to, ways_[i].from, ways_[i].back});
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<Finding>& FindingsOf(const TestedWay& way) { return report_.pairs[way.pair].findings; }
  const std::vector<Finding>& FindingsOf(const TestedWay& way) const {
    return report_.pairs[way.pair].findings;
  }

  bool Passed(const TestedWay& way) const {
    const std::vector<Finding>& findings = FindingsOf(way);
    bool passed = false;
    for (std::size_t k = 0; k < way.failures.size(); ++k) {
      const Outcome outcome = findings[way.first + k].outcome;
      if (outcome == Outcome::kFail || outcome == Outcome::kUnknown) return false;
      if (!findings[way.first + k].hidden_by.empty()) return false;
      passed = passed || outcome == Outcome::kPass || outcome == Outcome::kWarn;
    }
    return passed;
  }

  // The words of a kernel are sure; else the cause that is nearest to the wire.
  const KnownCause* CauseOf(std::size_t i) const {
    const TestedWay& way = ways_[i];
    const std::vector<Finding>& findings = FindingsOf(way);
    const auto back = BackOf(i);
    for (std::size_t k = 0; k < way.failures.size(); ++k) {
      if (!Fails(findings[way.first + k])) continue;
      const Failure& failure = way.failures[k];
      if (way.route) return &*way.route;
      if (back && ways_[*back].route && Explains(CauseKind::kRoute, failure)) return &*ways_[*back].route;
      const auto found = std::ranges::find_if(
          way.causes, [&failure](const KnownCause& cause) { return Explains(cause.kind, failure); });
      if (found != way.causes.end()) return &*found;
      // Where the other direction passes, the two reach each other: the host that rejected has no way back.
      const bool passes = back && Passed(ways_[*back]);
      return passes && way.no_way_back ? &*way.no_way_back : nullptr;
    }
    if (!Fails(findings[way.first + way.failures.size()])) return nullptr;
    const auto mark = std::ranges::find(way.causes, CauseKind::kMark, &KnownCause::kind);
    return mark == way.causes.end() ? nullptr : &*mark;
  }

  struct Cause {
    Finding finding{};
    std::string host{};  // whose it is; empty: of both
  };

  Cause Put(const TestedWay& way, const KnownCause& cause) {
    return cause.host.empty() ? PutBetween(way, cause) : PutAtHost(way, cause);
  }

  // In the place of the host's own finding, unless that keeps the host from being ready already.
  Cause PutAtHost(const TestedWay& way, const KnownCause& cause) {
    HostReport& host = report_.hosts[report_.hosts[way.from].host == cause.host ? way.from : way.to];
    const auto own = std::ranges::find_if(host.findings, [&cause](const Finding& finding) {
      return finding.id == cause.finding.id &&
             (finding.scope == Scope::kHost || SamePlace(finding.subject, cause.finding.subject));
    });
    if (own == host.findings.end()) {
      host.findings.push_back(cause.finding);
      return {cause.finding, host.host};
    }
    if (!(own->outcome == Outcome::kFail && own->blocking)) {
      const std::string profile = own->profile;
      *own = cause.finding;
      own->profile = profile;
    }
    return {*own, host.host};
  }

  Cause PutBetween(const TestedWay& way, const KnownCause& cause) {
    const std::string& from = report_.hosts[way.from].host;
    const std::string& to = report_.hosts[way.to].host;
    for (const auto& key : {std::pair(from, to), std::pair(to, from)}) {
      const auto pair = pairs_.find(key);
      if (pair == pairs_.end()) continue;
      for (Finding& finding : report_.pairs[pair->second].findings) {
        if (!IsSame(finding, cause.finding.id, way.subject, way.back) || !finding.hidden_by.empty()) continue;
        if (!(finding.outcome == Outcome::kFail && finding.blocking)) finding = cause.finding;
        return {finding, ""};
      }
    }
    FindingsOf(way).push_back(cause.finding);
    return {cause.finding, ""};
  }

  // Its own failures, what waited for them, and the same of the other direction.
  void HideBehindCause(std::size_t i) {
    const auto back = BackOf(i);
    const std::optional<Cause>& own = causes_[i];
    const std::optional<Cause>& cause = own || !back ? own : causes_[*back];
    if (!cause) return;
    const TestedWay& way = ways_[i];
    std::vector<Finding>& findings = FindingsOf(way);
    const auto of_way = std::span(findings).subspan(way.first, way.failures.size() + 1);
    if (!own && std::ranges::any_of(of_way, Fails)) return;  // they wait for a failure that nothing explains
    for (std::size_t k = 0; k <= way.failures.size(); ++k) {
      Finding& finding = findings[way.first + k];
      const bool waits = FindTransferCheck(finding.hidden_by) != nullptr;
      const bool failed = own && Fails(finding);
      if (waits || failed) Hide(finding, cause->finding, cause->host);
    }
  }

  static void AcceptVlan(Finding& finding) {
    if (finding.outcome != Outcome::kFail && finding.outcome != Outcome::kWarn) return;
    finding.outcome = Outcome::kPass;
    finding.observed += "; RDMA between them passes all the same";
    SetFix(finding, {});
  }

  // A difference between two hosts is accepted where all their ports on different VLANs reach each other; that
  // of one port where it reaches all others.
  void AcceptVlans() {
    std::map<std::pair<std::size_t, std::size_t>, bool> hosts;
    std::map<std::pair<std::size_t, std::string>, bool> ports;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      const TestedWay& way = ways_[i];
      if (!way.other_vlan) continue;
      const auto back = BackOf(i);
      const bool passed = back && Passed(way) && Passed(ways_[*back]);
      const auto all = [passed](bool& so_far) { so_far = so_far && passed; };
      all(hosts.try_emplace(std::minmax(way.from, way.to), true).first->second);
      all(ports.try_emplace({way.from, way.FromPort()}, true).first->second);
      all(ports.try_emplace({way.to, way.ToPort()}, true).first->second);
    }
    for (const TestedWay& way : ways_) {
      if (!way.other_vlan || !hosts.at(std::minmax(way.from, way.to))) continue;
      for (Finding& finding : FindingsOf(way)) {
        if (finding.id == kVlan && finding.observed.starts_with(way.other_vlan->observed)) AcceptVlan(finding);
      }
    }
    for (const auto& [port, passed] : ports) {
      if (!passed) continue;
      for (Finding& finding : report_.hosts[port.first].findings) {
        if (finding.id == kVlan && FirstWord(finding.subject) == port.second) AcceptVlan(finding);
      }
    }
  }

  std::span<const TestedWay> ways_;
  Report& report_;
  std::vector<std::optional<Cause>> causes_;  // of each way
  std::map<Key, std::size_t> places_{};
  std::map<std::pair<std::string, std::string>, std::size_t> pairs_{};
};

// "b -> a" of "a -> b".
std::string Reversed(std::string_view subject) {
  const std::size_t at = subject.find(kArrow);
  if (at == std::string_view::npos) return std::string(subject);
  return Cat(subject.substr(at + kArrow.size()), kArrow, subject.substr(0, at));
}

// No path was tried because the two have one address.
void FoldPath(std::span<Finding* const> findings) {
  const auto twice = std::ranges::find_if(
      findings, [](const Finding* finding) { return finding->id == "agree.address" && IsRed(*finding); });
  if (twice == findings.end()) return;
  for (Finding* finding : findings) {
    const bool of_it = finding->observed.find("duplicate address") != std::string::npos ||
                       finding->observed.find("has the same address") != std::string::npos;
    if (finding->id == "peer.path" && of_it && finding->hidden_by.empty()) Hide(*finding, **twice, {});
  }
}

// The findings are those of one pair of hosts, in both directions.
void FoldPair(std::span<Finding* const> findings) {
  for (Finding* late : findings) {
    const Check* check = FindCheck(late->id);
    if (check == nullptr || !std::holds_alternative<Judge<PairView>>(check->judge)) continue;
    for (Finding* early : findings) {
      const bool depends = std::ranges::find(check->depends_on, early->id) != check->depends_on.end();
      if (!depends || !IsSame(*early, early->id, late->subject, Reversed(late->subject))) continue;
      if (!late->hidden_by.empty() || !early->hidden_by.empty()) continue;
      if (!CallsForAction(early->outcome) || !CallsForAction(late->outcome)) continue;
      const bool late_blocks = late->blocking && late->outcome != Outcome::kWarn;
      const bool early_blocks = early->blocking && early->outcome != Outcome::kWarn;
      if (late_blocks && !early_blocks) {
        Hide(*early, *late, {});
      } else {
        Hide(*late, *early, {});
      }
    }
  }
}

}  // namespace

void ExplainPairs(std::span<const TestedWay> ways, Report& report) { Explainer(ways, report).Run(); }

void FoldPairs(Report& report) {
  std::map<std::pair<std::string, std::string>, std::vector<Finding*>> by_hosts;
  for (PairReport& pair : report.pairs) {
    std::vector<Finding*>& findings = by_hosts[std::minmax(pair.from, pair.to)];
    for (Finding& finding : pair.findings) findings.push_back(&finding);
  }
  for (const auto& [hosts, findings] : by_hosts) {
    FoldPath(findings);
    FoldPair(findings);
  }
}

Finding WithCause(Finding live, const KnownCause& cause) {
  live.observed += Cat("; ", cause.finding.id, cause.host.empty() ? "" : Cat(" on ", Printable(cause.host)),
                       ": ", cause.finding.observed);
  if (cause.finding.remedy) {
    const Fix fix(*cause.finding.remedy);
    SetFix(live, cause.host.empty() ? fix : OnHost(fix, cause.host));
  }
  live.why = cause.finding.why;
  return live;
}

}  // namespace rdmaready
