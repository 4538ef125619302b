// SPDX-License-Identifier: Apache-2.0
#include "checks/fleet/agreement.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "checks/begin.h"
#include "checks/catalog.h"
#include "checks/fleet/between.h"
#include "checks/fleet/votes.h"
#include "checks/hiding.h"
#include "checks/placeholders.h"
#include "checks/spare.h"
#include "checks/stopwatch.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

// An unknown answer is explained by a failure or another unknown answer, and never by a warning.
bool Hides(const Finding& explanation, const Finding& finding) {
  if (!CallsForAction(finding.outcome)) return false;
  return finding.outcome != Outcome::kUnknown || explanation.outcome != Outcome::kWarn;
}

// One comparison of hosts, check by check.
class HostComparison {
 public:
  HostComparison(std::span<const ComparedHost> hosts, const Profile& profile, const NowNs& now)
      : hosts_(hosts),
        profile_(profile),
        now_(now),
        agreed_{.of_hosts = decltype(Agreed::of_hosts)(hosts.size())} {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (hosts[i].facts == nullptr || !hosts[i].facts->ports) continue;
      for (const Port& port : *hosts[i].facts->ports) {
        if (IsSpare(*hosts[i].facts, port, profile)) continue;
        voters_.push_back({hosts[i].name, hosts[i].facts, &port});
        host_of_.push_back(i);
        with_ports_.insert(i);
      }
    }
    between_of_.resize(voters_.size());
  }

  Agreed Run() && {
    if (with_ports_.size() < 2) return std::move(agreed_);
    for (const Check& check : AllChecks()) {
      if (const auto* rule = std::get_if<Agreement>(&check.judge)) {
        Judge(check, [&] { return Compare(*rule, voters_, profile_); });
      } else if (const auto* judge = std::get_if<JudgeAmongHosts>(&check.judge)) {
        Judge(check, [&] { return (*judge)(voters_, profile_); });
      }
    }
    return std::move(agreed_);
  }

 private:
  // Why a voter is not asked: a finding of its own host, or one between its host and another.
  struct Explanation {
    const Finding* of_host = nullptr;
    bool of_pair = false;

    explicit operator bool() const { return of_host != nullptr || of_pair; }
  };

  Explanation ExplanationFor(const Check& check, const Finding& begun, std::size_t voter) const {
    for (const std::size_t place : between_of_[voter]) {
      if (std::ranges::find(check.depends_on, agreed_.between[place].finding.id) != check.depends_on.end())
        return {.of_pair = true};
    }
    const std::size_t host = host_of_[voter];
    if (const Finding* own = ExplanationOf(check, begun, hosts_[host].findings)) return {.of_host = own};
    const auto compared = [](std::string_view id) { return id.starts_with("agree."); };
    if (std::ranges::none_of(check.depends_on, compared)) return {};
    return {.of_host = ExplanationOf(check, begun, agreed_.of_hosts[host])};
  }

  template <class Answer>
  void Judge(const Check& check, const Answer& answer) {
    const Stopwatch watch(now_);
    std::vector<Finding> begun;
    std::vector<Explanation> explanations;
    for (std::size_t v = 0; v < voters_.size(); ++v) {
      begun.push_back(Begin(check, profile_, SubjectOf(*voters_[v].port)));
      explanations.push_back(ExplanationFor(check, begun.back(), v));
      voters_[v].votes = !explanations.back();
    }
    Compared compared = answer();
    const std::int64_t share_ns = watch.ElapsedNs() / static_cast<std::int64_t>(voters_.size());
    // A finding of the host may point into those that grow here: first all are made, then they are put there.
    std::vector<bool> said(voters_.size(), false);
    for (const Between& between : compared.between) {
      for (const std::size_t v : between.about) said[v] = true;
    }
    for (std::size_t v = 0; v < voters_.size(); ++v) {
      Finding& finding = begun[v];
      TakeVerdict(finding, check, std::move(compared.verdicts[v]));
      const Explanation& why = explanations[v];
      said[v] = said[v] || (why.of_pair && CallsForAction(finding.outcome));
      if (why.of_host != nullptr && Hides(*why.of_host, finding)) Hide(finding, *why.of_host, {});
      FillIn(finding, *voters_[v].facts, voters_[v].port, profile_);
      finding.duration_ns = share_ns;
    }
    for (std::size_t v = 0; v < voters_.size(); ++v) {
      if (!said[v]) agreed_.of_hosts[host_of_[v]].push_back(std::move(begun[v]));
    }
    for (Between& between : compared.between) Add(check, std::move(between));
  }

  void Add(const Check& check, Between between) {
    const Voter& first = voters_[between.first];
    const Voter& second = voters_[between.second];
    Finding finding =
        Begin(check, profile_, Printable(Cat(PortName(*first.port), " -> ", PortName(*second.port))));
    finding.scope = Scope::kPair;
    if (between.verdict.fix.empty()) between.verdict.fix = OnHost(check.fix, second.host);
    TakeVerdict(finding, check, std::move(between.verdict));
    FillIn(finding, *second.facts, second.port, profile_);
    for (const std::size_t v : between.about) between_of_[v].push_back(agreed_.between.size());
    agreed_.between.push_back({host_of_[between.first], host_of_[between.second], std::move(finding)});
  }

  std::span<const ComparedHost> hosts_;
  const Profile& profile_;
  const NowNs& now_;
  std::vector<Voter> voters_{};
  std::vector<std::size_t> host_of_{};                  // by voter
  std::set<std::size_t> with_ports_{};                  // hosts
  std::vector<std::vector<std::size_t>> between_of_{};  // by voter: of agreed_.between, those about it
  Agreed agreed_;
};

}  // namespace

Agreed JudgeAgreement(std::span<const ComparedHost> hosts, const Profile& profile, const NowNs& now) {
  return HostComparison(hosts, profile, now).Run();
}

void AppendAgreement(Agreed agreed, Report& report) {
  for (std::size_t i = 0; i < agreed.of_hosts.size() && i < report.hosts.size(); ++i) {
    std::vector<Finding>& of_host = report.hosts[i].findings;
    std::ranges::move(agreed.of_hosts[i], std::back_inserter(of_host));
  }
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < report.pairs.size(); ++i)
    places.emplace(std::pair(report.pairs[i].from, report.pairs[i].to), i);
  for (PairFinding& one : agreed.between) {
    if (one.from >= report.hosts.size() || one.to >= report.hosts.size()) continue;
    const std::string& from = report.hosts[one.from].host;
    const std::string& to = report.hosts[one.to].host;
    const auto back = places.find({to, from});
    const auto [place, fresh] = back != places.end() ? std::pair(back, false)
                                                     : places.emplace(std::pair(from, to), report.pairs.size());
    if (fresh) report.pairs.push_back({.from = from, .to = to});
    report.pairs[place->second].findings.push_back(std::move(one.finding));
  }
}

}  // namespace rdmaready
