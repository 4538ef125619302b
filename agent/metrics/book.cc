// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/book.h"

#include <algorithm>
#include <utility>

#include "checks/counted/error_counters.h"
#include "checks/counted/window.h"

namespace rdmaready::metrics {
namespace {

bool IsWell(Outcome outcome) { return outcome == Outcome::kPass || outcome == Outcome::kNotApplicable; }

bool SpeaksForTheHost(const CheckDone& done) {
  return done.order.ports.empty() && done.order.profiles == done.own_profiles;
}

LastRung LastOf(const RungResult& result, const CheckDone& done) {
  LastRung last{.rung = result.rung,
                .outcome = result.outcome,
                .started_unix_ns = done.started_unix_ns,
                .started_steady_ns = done.started_steady_ns,
                .duration_ns = done.duration_ns,
                .ports = done.run.report.ports.size()};
  for (const ProfileRef& profile : done.run.report.profiles) last.profiles.push_back(profile.name);
  for (const Finding& finding : done.run.report.findings) {
    if (finding.rung != result.rung) continue;
    ++(finding.waived ? last.waived : last.findings[static_cast<std::size_t>(finding.outcome)]);
    if (IsWell(finding.outcome)) continue;
    if (last.not_well.size() == kMostNotWell) {
      ++last.left_out;
    } else {
      last.not_well.push_back({finding.id, finding.subject, finding.profile, finding.outcome, finding.blocking,
                               finding.waived.has_value()});
    }
  }
  return last;
}

bool TellsOfLoss(std::string_view name, CounterFamily family) {
  return std::ranges::any_of(AllErrorCounters(), [&](const ErrorCounter& row) {
    return row.name == name && row.family == family && row.warns;
  });
}

void AddGrown(const Fact<std::vector<CounterChange>>& changes, CounterFamily family, PortLosses& losses) {
  if (!changes) return;
  losses.known = true;
  for (const CounterChange& change : *changes) {
    const bool told =
        std::ranges::any_of(losses.grown, [&](const auto& one) { return one.name == change.name; });
    if (!told && GrowthOf(change) > 0 && TellsOfLoss(change.name, family)) losses.grown.push_back(change);
  }
}

// Nothing where no reading came before this one.
std::vector<PortLosses> LossesOf(const Facts& facts) {
  std::vector<PortLosses> all;
  if (!facts.ports) return all;
  for (const Port& port : *facts.ports) {
    if (!port.earlier || all.size() == kMostPorts) continue;
    PortLosses losses{.port = PortName(port), .window_s = static_cast<double>(WindowMs(port)) / 1e3};
    AddGrown(HardwareChanges(port), CounterFamily::kHardware, losses);
    AddGrown(PmaChanges(port), CounterFamily::kPort, losses);
    all.push_back(std::move(losses));
  }
  return all;
}

}  // namespace

void Book::Checked(const CheckDone& done) {
  if (!SpeaksForTheHost(done)) return;
  std::vector<LastRung> rungs;
  for (const RungResult& result : done.run.report.ladder) {
    if (result.rung == Rung::kHost || result.outcome != RungOutcome::kNotRun)
      rungs.push_back(LastOf(result, done));
  }
  std::vector<PortLosses> losses = LossesOf(done.run.facts);
  const std::lock_guard lock(mutex_);
  for (LastRung& rung : rungs) {
    LastRung& last = rungs_[rung.rung];
    if (last.started_steady_ns <= rung.started_steady_ns) last = std::move(rung);
  }
  const std::int64_t end = done.started_unix_ns + done.duration_ns;
  if (done.compares && !losses.empty()) losses_ = {.end_unix_ns = end, .ports = std::move(losses)};
}

void Book::Tested(const LiveTest& test, bool loopback, std::int64_t ended_unix_ns) {
  const TransferResult& result = test.result;
  if (FindCase(result.case_name) == nullptr || result.failure.kind == FailureKind::kCancelled) return;
  const bool shared = result.limit_bytes_per_s || !result.pressure.empty();
  if (shared && result.failure.kind == FailureKind::kNone) return;  // no figure of the path
  const bool reverse_failed = result.failure.kind == FailureKind::kNone && test.reverse.has_value();
  LastTest last{.port = test.port,
                .case_name = result.case_name,
                .loopback = loopback,
                .ended_unix_ns = ended_unix_ns,
                .failure = reverse_failed ? test.reverse->failure.kind : result.failure.kind,
                .figure = FigureOf(result),
                .throughput_bytes_per_s = result.throughput_bytes_per_s,
                .worst_window_bytes_per_s = result.worst_interval_bytes_per_s,
                .latency_p50_ns = result.latency.p50_ns,
                .latency_p99_ns = result.latency.p99_ns};
  const std::lock_guard lock(mutex_);
  if (!tests_.contains(test.port) && tests_.size() == kMostPorts) return;
  std::vector<LastTest>& tests = tests_[test.port];
  std::erase_if(tests, [&](const LastTest& one) {
    return one.case_name == last.case_name && one.loopback == last.loopback;
  });
  if (tests.size() == kMostTestsOfPort) tests.erase(tests.begin());
  tests.push_back(std::move(last));
}

void Book::Stored(const absl::Status& stored) {
  const std::lock_guard lock(mutex_);
  ++(stored.ok() ? results_stored_ : store_errors_);
}

void Book::Drifted(bool own, std::size_t changes, std::int64_t now_unix_ns) {
  const std::lock_guard lock(mutex_);
  DriftCount& count = own ? own_drift_ : foreign_drift_;
  count.changes += changes;
  count.last_unix_ns = now_unix_ns;
}

Kept Book::Now() const {
  const std::lock_guard lock(mutex_);
  Kept kept{.losses = losses_,
            .results_stored = results_stored_,
            .store_errors = store_errors_,
            .own_drift = own_drift_,
            .foreign_drift = foreign_drift_};
  for (const auto& [rung, last] : rungs_) kept.rungs.push_back(last);
  for (const auto& [port, tests] : tests_) kept.tests.insert(kept.tests.end(), tests.begin(), tests.end());
  return kept;
}

}  // namespace rdmaready::metrics
