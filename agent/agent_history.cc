// SPDX-License-Identifier: Apache-2.0
// What an agent remembers, told record by record.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agent/agent.h"
#include "agent/store/baseline_rows.h"
#include "api/base/clock.h"
#include "checks/live/own_past.h"

namespace rdmaready {
namespace {

constexpr int kPageRecords = 16;  // in memory at a time: a run with its texts may be 200 kB

void LeaveTextsOut(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    for (std::string* text : {&finding.title, &finding.expected, &finding.source, &finding.why, &finding.fix}) {
      text->clear();
    }
    finding.remedy.reset();
  }
}

// Nobody holds the store while a caller reads: each page begins where the last one ended, at the instant of its
// last record, of which `told` are behind us.
template <class Record, class Fetch>
absl::Status InPages(HistoryQuery query, std::int64_t Record::*instant, const Fetch& fetch,
                     const std::function<bool(Record&)>& tell) {
  std::size_t told = 0;
  for (int left = query.limit; left > 0;) {
    HistoryQuery page = query;
    page.limit = std::min(left, kPageRecords) + static_cast<int>(told);
    absl::StatusOr<std::vector<Record>> records = fetch(page);
    // Whatever the store says, it is our own failure.
    if (!records.ok()) return absl::InternalError(records.status().message());
    const bool more = records->size() == static_cast<std::size_t>(page.limit);
    for (Record& record : std::span(*records).subspan(std::min(told, records->size()))) {
      if (left-- == 0 || !tell(record)) return absl::OkStatus();
      told = record.*instant + 1 == query.before_unix_ns ? told + 1 : 1;
      query.before_unix_ns = record.*instant + 1;
    }
    if (!more) break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Agent::Remember(const HistoryQuery& query, const HistoryListener& listener) {
  using Kind = HistoryQuery::Kind;
  absl::Status status;
  if (query.kind != Kind::kTransfers) {
    status = InPages<RunRecord>(
        query, &RunRecord::started_unix_ns, [this](const HistoryQuery& page) { return store_.Runs(page); },
        [&](RunRecord& run) {
          if (!query.with_texts) LeaveTextsOut(run.report.findings);
          return listener.run(run);
        });
  }
  if (status.ok() && query.kind != Kind::kRuns) {
    status = InPages<TransferRecord>(
        query, &TransferRecord::started_unix_ns,
        [this](const HistoryQuery& page) { return store_.Transfers(page); },
        [&](TransferRecord& transfer) { return listener.transfer(transfer); });
  }
  if (status.ok() && query.kind == Kind::kAll) {
    status = InPages<StoreEvent>(
        query, &StoreEvent::unix_ns, [this](const HistoryQuery& page) { return store_.Events(page); },
        [&](StoreEvent& event) { return listener.event(event); });
  }
  return status;
}

absl::StatusOr<std::vector<CaseBaseline>> Agent::Baselines(const BaselineQuery& query) {
  const absl::StatusOr<std::vector<BaselineDay>> days = store_.BaselineDays(query);
  if (!days.ok()) return absl::InternalError(days.status().message());
  return BaselinesOf(*days);
}

std::optional<CaseBaseline> Agent::PastOf(const TransferRecord& kept) {
  if (!CountsInBaseline(kept.result)) return std::nullopt;
  absl::StatusOr<std::vector<CaseBaseline>> all =
      Baselines({.port = kept.port, .case_name = kept.result.case_name});
  if (!all.ok()) return std::nullopt;
  for (CaseBaseline& baseline : *all) {
    const bool same = baseline.role == kept.role && baseline.peer == kept.peer;
    if (same && baseline.last_unix_ns == kept.started_unix_ns) return std::move(baseline);
  }
  return std::nullopt;
}

void Agent::KeepOnce(const std::string& text) {
  constexpr int kLookedAt = 200;
  const absl::StatusOr<std::vector<StoreEvent>> events = store_.Events({.limit = kLookedAt});
  if (!events.ok() || std::ranges::find(*events, text, &StoreEvent::text) == events->end()) KeepEvent(text);
}

void Agent::KeepEvent(const std::string& text) {
  static_cast<void>(Kept(store_.PutEvent({.unix_ns = UnixNs(clock()), .text = text})));
}

}  // namespace rdmaready
