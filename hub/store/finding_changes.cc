// SPDX-License-Identifier: Apache-2.0
#include "hub/store/finding_changes.h"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace rdmaready::hub {
namespace {

using FindingName = std::tuple<std::string_view, std::string_view, std::string_view>;

FindingName NameOf(const FleetFinding& finding) { return {finding.check, finding.subject, finding.profile}; }

// What is well has no row: a pass stands for all of that.
Outcome OutcomeNow(const FleetFinding& finding) {
  return finding.over_unix_ns != 0 ? Outcome::kPass : finding.outcome;
}

// A person who acknowledged the lesser evil has not acknowledged this.
bool IsWorse(Outcome before, Outcome after) { return after == Outcome::kFail && before != Outcome::kFail; }

class Comparison {
 public:
  Comparison(std::int64_t now_unix_ns, std::uint64_t last_number, bool first)
      : now_(now_unix_ns), first_(first) {
    result_.last_number = last_number;
  }

  void Begins(const FleetFinding& finding) {
    KeptFinding kept{.finding = finding};
    Renew(kept.finding);
    if (!first_) Tell(Outcome::kPass, kept.finding.outcome, kept.finding.observed, kept);
    result_.put.push_back(std::move(kept));
  }

  void Goes(const KeptFinding& before) {
    if (before.finding.over_unix_ns != 0) return;
    KeptFinding after = before;
    after.finding.over_unix_ns = now_;
    Tell(before.finding.outcome, Outcome::kPass, before.finding.observed, after);
    if (before.finding.acknowledged_unix_ns != 0) {
      result_.removed.push_back(std::move(after.finding));
    } else {
      result_.put.push_back(std::move(after));
    }
  }

  void Stays(const KeptFinding& before, const FleetFinding& finding) {
    KeptFinding after = before;
    FleetFinding& row = after.finding;
    row.outcome = finding.outcome;
    row.blocking = finding.blocking;
    row.observed = finding.observed;
    row.expected = finding.expected;
    row.fix = finding.fix;
    row.switch_port = finding.switch_port;
    row.over_unix_ns = 0;
    const Outcome was = OutcomeNow(before.finding);
    if (was != finding.outcome) {
      row.since_unix_ns = now_;
      if (was == Outcome::kPass || IsWorse(was, finding.outcome)) Renew(row);
      Tell(was, finding.outcome, finding.observed, after);
    }
    if (row != before.finding || after.changes != before.changes) result_.put.push_back(std::move(after));
  }

  FindingChanges Result() { return std::move(result_); }

 private:
  void Renew(FleetFinding& finding) const {
    finding.since_unix_ns = now_;
    finding.over_unix_ns = 0;
    finding.acknowledged_unix_ns = 0;
    finding.acknowledged_by.clear();
    finding.acknowledged_why.clear();
  }

  void Tell(Outcome before, Outcome after, const std::string& observed, KeptFinding& kept) {
    FleetChange change{.number = ++result_.last_number,
                       .unix_ns = now_,
                       .check = kept.finding.check,
                       .subject = kept.finding.subject,
                       .profile = kept.finding.profile,
                       .before = before,
                       .after = after,
                       .observed = observed,
                       .last_unix_ns = now_};
    // A clock that was set back begins a new window.
    const bool in_window =
        kept.changes > 0 && now_ >= kept.window_unix_ns && now_ - kept.window_unix_ns < kDampingWindowNs;
    if (in_window && kept.changes >= kMostChangesInWindow) {
      result_.merged.push_back({.into = kept.last_number, .change = change});
    } else {
      if (!in_window) {
        kept.window_unix_ns = now_;
        kept.changes = 0;
      }
      ++kept.changes;
      result_.told.push_back(change);
    }
    kept.last_number = change.number;
  }

  const std::int64_t now_;
  const bool first_;
  FindingChanges result_{};
};

}  // namespace

FindingChanges CompareFindings(std::span<const KeptFinding> kept, std::span<const FleetFinding> now,
                               std::int64_t now_unix_ns, std::uint64_t last_number, bool first) {
  std::map<FindingName, const KeptFinding*> before;
  for (const KeptFinding& row : kept) before.emplace(NameOf(row.finding), &row);
  Comparison comparison(now_unix_ns, last_number, first);
  for (const FleetFinding& finding : now) {
    const auto found = before.find(NameOf(finding));
    if (found == before.end()) {
      comparison.Begins(finding);
    } else {
      comparison.Stays(*found->second, finding);
      before.erase(found);
    }
  }
  for (const auto& [name, row] : before) comparison.Goes(*row);
  return comparison.Result();
}

}  // namespace rdmaready::hub
