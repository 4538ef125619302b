// SPDX-License-Identifier: Apache-2.0
// Remedies of one host. None is kept: they follow from the facts that are.
#include <algorithm>
#include <utility>

#include "api/base/status.h"
#include "checks/live/own_past.h"
#include "hub/fleet/fleet_view.h"
#include "hub/ingest/unpack.h"
#include "hub/judge/host_judge.h"

namespace rdmaready::hub {

absl::Status FleetView::AddRemedies(std::vector<FleetFinding>& rows, std::int64_t now_unix_ns) const {
  if (rows.empty()) return absl::OkStatus();
  const std::string host_id = rows.front().host_id;
  if (!std::ranges::all_of(rows, [&](const FleetFinding& row) { return row.host_id == host_id; }))
    return absl::OkStatus();
  const std::lock_guard lock(judging_);
  const absl::StatusOr<StoredFacts> stored = store_.FactsOf(host_id);
  if (absl::IsNotFound(stored.status()) || absl::IsDataLoss(stored.status())) return absl::OkStatus();
  RR_RETURN_IF_ERROR(stored.status());
  const absl::StatusOr<Facts> facts = ReadFacts(stored->facts_zlib, stored->facts_bytes);
  if (!facts.ok()) return absl::OkStatus();  // they are asked for again when the host is judged
  KnownPast past;
  RR_RETURN_IF_ERROR(store_.Tests(host_id, [&](KeptTest&& test) { past.tests.push_back(std::move(test)); }));
  for (const FleetFinding& row : rows) {
    if (row.check == kOwnPastId && row.over_unix_ns == 0) past.told.insert(row.subject);
  }
  const std::string& name = stored->known.host.name;
  PutRemedies(*facts, rules_()->RulesOf(name, now_unix_ns), name, now_unix_ns, agreement_.OddOf(host_id), past,
              rows);
  return absl::OkStatus();
}

}  // namespace rdmaready::hub
