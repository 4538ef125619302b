// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/render/format/judged.h"

namespace rdmaready {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string LabelText(std::string_view raw) {
  std::string text;
  for (const char c : Printable(raw)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

// A family of metrics: its head once, each series once.
class Family {
 public:
  Family(std::string_view name, std::string_view help)
      : name_(name), text_(fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n", name, help)) {}

  void Add(const Labels& labels, const std::string& value) {
    std::string inside;
    for (const auto& [label, text] : labels) {
      inside += fmt::format("{}{}=\"{}\"", inside.empty() ? "" : ",", label, LabelText(text));
    }
    if (seen_.insert(inside).second) text_ += fmt::format("{}{{{}}} {}\n", name_, inside, value);
  }

  std::string Text() const { return seen_.empty() ? std::string() : text_; }

 private:
  std::string_view name_;
  std::string text_;
  std::set<std::string> seen_;
};

std::string Number(bool yes) { return yes ? "1" : "0"; }

std::string PerHost(const Report& report) {
  Family ready("rdmaready_ready",
               "1: the host is ready up to the level that was asked for; 0: not, or not known");
  Family answered("rdmaready_answered", "1: the host was asked and answered");
  Family rung("rdmaready_rung_passed",
              "1: the rung is proven; 0: it failed or is not known. Rungs that were not run have no series");
  Family at("rdmaready_check_last_run_timestamp_seconds", "When the check began");
  for (const HostReport& host : report.hosts) {
    ready.Add({{"host", host.host}}, Number(host.verdict == Readiness::kReady));
    answered.Add({{"host", host.host}}, Number(host.error.empty()));
    at.Add({{"host", host.host}}, fmt::format("{:.3f}", static_cast<double>(report.started_unix_ns) / 1e9));
    for (const RungResult& result : host.ladder) {
      if (result.outcome == RungOutcome::kNotRun) continue;
      rung.Add({{"host", host.host}, {"rung", std::string(Name(result.rung))}},
               Number(result.outcome == RungOutcome::kPass));
    }
  }
  return ready.Text() + answered.Text() + rung.Text() + at.Text();
}

std::string SeverityOf(const Finding& finding) {
  if (finding.waived) return "waived";
  return finding.blocking ? "blocking" : "advisory";
}

std::string PerFinding(const Report& report) {
  Family counts("rdmaready_findings", "Findings of the check by outcome, without the waived ones");
  Family waived("rdmaready_waived_findings", "Findings that are accepted for now");
  Family state("rdmaready_check_state", "1 for each finding that is not well");
  std::map<std::pair<std::string, Outcome>, int> tally;
  std::map<std::string, int> waived_of;
  for (const Judged& judged : JudgedIn(report)) {
    const Finding& finding = *judged.finding;
    ++(finding.waived ? waived_of[judged.Where()] : tally[{judged.Where(), finding.outcome}]);
    if (finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable) continue;
    Labels labels{{"host", judged.host},
                  {"check", finding.id},
                  {"subject", finding.subject},
                  {"outcome", std::string(Name(finding.outcome))},
                  {"severity", SeverityOf(finding)}};
    if (!judged.peer.empty()) labels.emplace_back("peer", judged.peer);
    if (!finding.profile.empty()) labels.emplace_back("profile", finding.profile);
    state.Add(labels, "1");
  }
  for (const auto& [key, count] : tally) {
    counts.Add({{"host", key.first}, {"outcome", std::string(Name(key.second))}}, std::to_string(count));
  }
  for (const auto& [where, count] : waived_of) waived.Add({{"host", where}}, std::to_string(count));
  return counts.Text() + waived.Text() + state.Text();
}

}  // namespace

std::string CheckProm(const CheckSummary& run, const Look&) {
  Family build("rdmaready_build_info", "1; the version that made this");
  build.Add({{"version", run.report.version}}, "1");
  return build.Text() + PerHost(run.report) + PerFinding(run.report);
}

}  // namespace rdmaready
