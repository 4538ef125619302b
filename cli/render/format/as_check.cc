// SPDX-License-Identifier: Apache-2.0
#include "cli/render/format/as_check.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "api/base/version.h"
#include "checks/probe/probe.h"

namespace rdmaready {
namespace {

HostReport& HostNamed(const std::string& name, CheckSummary& run) {
  std::vector<HostReport>& hosts = run.report.hosts;
  const auto found = std::ranges::find(hosts, name, &HostReport::host);
  if (found != hosts.end()) return *found;
  run.notes.emplace_back();
  return hosts.emplace_back(HostReport{.host = name, .verdict = Readiness::kReady});
}

PairReport& PairNamed(const TransferRow& row, Report& report) {
  const auto found = std::ranges::find_if(
      report.pairs, [&](const PairReport& pair) { return pair.from == row.from && pair.to == row.to; });
  if (found != report.pairs.end()) return *found;
  return report.pairs.emplace_back(PairReport{.from = row.from, .to = row.to});
}

// The reason alone, from a line of TransferRun::store_errors.
std::string WhyNotStored(const std::string& line) {
  constexpr std::string_view kBefore = "was not stored: ";
  const std::size_t at = line.find(kBefore);
  return at == std::string::npos ? line : line.substr(at + kBefore.size());
}

Readiness ReadinessOf(ExitStatus status) {
  switch (status) {
    case ExitStatus::kOk:
      return Readiness::kReady;
    case ExitStatus::kNotReady:
      return Readiness::kNotReady;
    case ExitStatus::kUsage:
    case ExitStatus::kOwnFailure:
    case ExitStatus::kUnreachable:
    case ExitStatus::kInterrupted:
      break;
  }
  return Readiness::kUndetermined;
}

void Lower(Readiness verdict, HostReport& host) {
  if (host.verdict == Readiness::kNotReady || verdict == Readiness::kReady) return;
  host.verdict = verdict;
}

}  // namespace

CheckSummary AsCheck(const ProbeSummary& run) {
  CheckSummary check;
  check.report.version = kVersion;
  check.report.run_id = run.answer.run_id;
  check.report.level = Rung::kServer;
  check.report.verdict = ReadinessOfProbe(run.answer.findings);
  check.report.hosts.push_back(
      {.host = run.host, .verdict = check.report.verdict, .findings = run.answer.findings});
  check.notes.push_back({.store_error = run.answer.store_error, .store_notice = run.answer.store_notice});
  return check;
}

CheckSummary AsCheck(const TransferRun& run) {
  CheckSummary check;
  Report& report = check.report;
  report.version = kVersion;
  report.run_id = run.run_id;
  report.level = Rung::kLoopback;
  TransferRun kept = run;  // a store that is full changes no verdict: it is a note
  kept.store_errors.clear();
  report.verdict = ReadinessOf(StatusOf(kept));
  for (const TransferRow& row : run.rows) {
    const Readiness verdict = ReadinessOf(StatusOf(TransferRun{.rows = {row}}));
    for (const std::string& name : {row.from, row.to}) Lower(verdict, HostNamed(name, check));
    std::vector<Finding>& findings =
        row.from == row.to ? HostNamed(row.from, check).findings : PairNamed(row, report).findings;
    findings.insert(findings.end(), row.findings.begin(), row.findings.end());
    if (row.from != row.to) report.level = Rung::kPeer;
  }
  if (!run.store_errors.empty() && !check.notes.empty())
    check.notes.front().store_error = WhyNotStored(run.store_errors.front());
  if (!run.error.empty() && !report.hosts.empty()) {
    report.hosts.front().error = run.error;
    Lower(Readiness::kUndetermined, report.hosts.front());
    if (report.verdict == Readiness::kReady) report.verdict = Readiness::kUndetermined;
  }
  return check;
}

}  // namespace rdmaready
