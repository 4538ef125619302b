// SPDX-License-Identifier: Apache-2.0
#include "hub/store/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace rdmaready::hub {
namespace {

// Any number may stand in a damaged row.
template <class Enum>
Enum EnumOf(std::int64_t number, Enum last) {
  return number >= 0 && number <= static_cast<std::int64_t>(last) ? static_cast<Enum>(number) : Enum{};
}

Outcome OutcomeOf(std::int64_t number) { return EnumOf(number, Outcome::kNotApplicable); }
std::uint32_t CountOf(std::int64_t number) { return static_cast<std::uint32_t>(number); }

// Names of profiles have no blank.
std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// Reads columns one after the other.
class Columns {
 public:
  explicit Columns(const Statement& row) : row_(row) {}
  std::string Text() { return row_.Text(next_++); }
  std::int64_t Number() { return row_.Int(next_++); }

 private:
  const Statement& row_;
  int next_ = 0;
};

}  // namespace

HostBefore ReadHostBefore(const Statement& row) {
  Columns columns(row);
  HostBefore before;
  before.mark.run_id = columns.Text();
  before.mark.sequence = static_cast<std::uint64_t>(columns.Number());
  before.last_number = static_cast<std::uint64_t>(columns.Number());
  before.verdict = EnumOf(columns.Number(), Readiness::kNotReady);
  before.since_unix_ns = columns.Number();
  before.digest = columns.Text();
  before.changed_unix_ns = columns.Number();
  before.trouble = columns.Text();
  return before;
}

KnownHost ReadHost(const Statement& row) {
  Columns columns(row);
  KnownHost known;
  FleetHost& host = known.host;
  host.host_id = columns.Text();
  host.name = columns.Text();
  host.group = columns.Text();
  host.rack = columns.Text();
  known.machine_id = columns.Text();
  host.boot_id = columns.Text();
  known.mark.run_id = columns.Text();
  known.mark.sequence = static_cast<std::uint64_t>(columns.Number());
  host.digest = columns.Text();
  host.last_verdict = EnumOf(columns.Number(), Readiness::kNotReady);
  host.since_unix_ns = columns.Number();
  host.seen_unix_ns = columns.Number();
  host.changed_unix_ns = columns.Number();
  for (std::uint32_t* count : {&host.failed, &host.warned, &host.unknown, &host.passed, &host.waived})
    *count = CountOf(columns.Number());
  host.first_check = columns.Text();
  host.first_observed = columns.Text();
  host.profiles = SplitNames(columns.Text());
  host.agent_version = columns.Text();
  host.kernel_release = columns.Text();
  host.clock_ahead_ns = columns.Number();
  host.ports = CountOf(columns.Number());
  host.trouble = columns.Text();
  known.judged_by = columns.Text();
  host.maintenance_until_unix_ns = columns.Number();
  host.maintenance_reason = columns.Text();
  host.unacknowledged = CountOf(columns.Number());
  return known;
}

KeptFinding ReadKeptFinding(const Statement& row) {
  Columns columns(row);
  KeptFinding kept;
  FleetFinding& finding = kept.finding;
  finding.host_id = columns.Text();
  finding.check = columns.Text();
  finding.subject = columns.Text();
  finding.profile = columns.Text();
  finding.outcome = OutcomeOf(columns.Number());
  finding.blocking = columns.Number() != 0;
  finding.observed = columns.Text();
  finding.expected = columns.Text();
  finding.fix = columns.Text();
  finding.switch_port = columns.Text();
  finding.since_unix_ns = columns.Number();
  finding.over_unix_ns = columns.Number();
  finding.acknowledged_by = columns.Text();
  finding.acknowledged_unix_ns = columns.Number();
  finding.acknowledged_why = columns.Text();
  kept.window_unix_ns = columns.Number();
  kept.changes = CountOf(columns.Number());
  kept.last_number = static_cast<std::uint64_t>(columns.Number());
  return kept;
}

FleetChange ReadChange(const Statement& row) {
  Columns columns(row);
  FleetChange change;
  change.host_id = columns.Text();
  change.number = static_cast<std::uint64_t>(columns.Number());
  change.unix_ns = columns.Number();
  change.check = columns.Text();
  change.subject = columns.Text();
  change.profile = columns.Text();
  change.before = OutcomeOf(columns.Number());
  change.after = OutcomeOf(columns.Number());
  change.observed = columns.Text();
  change.times = CountOf(columns.Number());
  change.last_unix_ns = columns.Number();
  return change;
}

void BindHost(const JudgedHost& judged, const FleetHost& host, std::uint64_t last_number, Statement& to) {
  to.Bind(host.host_id)
      .Bind(host.name)
      .Bind(host.group)
      .Bind(host.rack)
      .Bind(judged.machine_id)
      .Bind(host.boot_id);
  to.Bind(judged.mark.run_id).Bind(static_cast<std::int64_t>(judged.mark.sequence)).Bind(host.digest);
  to.Bind(static_cast<std::int64_t>(host.last_verdict)).Bind(host.since_unix_ns).Bind(host.seen_unix_ns);
  to.Bind(host.changed_unix_ns);
  for (const std::uint32_t count : {host.failed, host.warned, host.unknown, host.passed, host.waived})
    to.Bind(std::int64_t{count});
  to.Bind(host.first_check).Bind(host.first_observed).Bind(fmt::format("{}", fmt::join(host.profiles, " ")));
  to.Bind(host.agent_version)
      .Bind(host.kernel_release)
      .Bind(host.clock_ahead_ns)
      .Bind(std::int64_t{host.ports});
  to.Bind(host.trouble).Bind(judged.judged_by).Bind(static_cast<std::int64_t>(last_number));
  to.Bind(std::int64_t{host.unacknowledged});
}

void BindFinding(const std::string& host_id, const KeptFinding& row, Statement& to) {
  const FleetFinding& finding = row.finding;
  to.Bind(host_id).Bind(finding.check).Bind(finding.subject).Bind(finding.profile);
  to.Bind(static_cast<std::int64_t>(finding.outcome)).Bind(std::int64_t{finding.blocking});
  to.Bind(finding.observed).Bind(finding.expected).Bind(finding.fix).Bind(finding.switch_port);
  to.Bind(finding.since_unix_ns).Bind(finding.over_unix_ns).Bind(finding.acknowledged_by);
  to.Bind(finding.acknowledged_unix_ns).Bind(finding.acknowledged_why).Bind(row.window_unix_ns);
  to.Bind(std::int64_t{row.changes}).Bind(static_cast<std::int64_t>(row.last_number));
}

FleetAuditEntry ReadAudit(const Statement& row) {
  Columns columns(row);
  FleetAuditEntry entry;
  entry.hub = columns.Text();
  entry.number = static_cast<std::uint64_t>(columns.Number());
  entry.unix_ns = columns.Number();
  for (std::string* text :
       {&entry.who, &entry.peer, &entry.verb, &entry.detail, &entry.outcome, &entry.previous, &entry.digest})
    *text = columns.Text();
  return entry;
}

absl::Status EachRow(Statement& statement, const std::function<void(const Statement&)>& each) {
  while (true) {
    absl::StatusOr<bool> row = statement.Step();
    if (!row.ok() || !*row) {
      statement.Reset();
      return row.status();
    }
    each(statement);
  }
}

void BindAudit(const FleetAuditEntry& entry, Statement& to) {
  to.Bind(entry.hub).Bind(static_cast<std::int64_t>(entry.number)).Bind(entry.unix_ns);
  for (const std::string* text :
       {&entry.who, &entry.peer, &entry.verb, &entry.detail, &entry.outcome, &entry.previous, &entry.digest})
    to.Bind(*text);
}

void BindChange(const std::string& host_id, const FleetChange& change, Statement& to) {
  to.Bind(host_id).Bind(static_cast<std::int64_t>(change.number)).Bind(change.unix_ns).Bind(change.check);
  to.Bind(change.subject).Bind(change.profile).Bind(static_cast<std::int64_t>(change.before));
  to.Bind(static_cast<std::int64_t>(change.after)).Bind(change.observed).Bind(std::int64_t{change.times});
  to.Bind(change.last_unix_ns);
}

std::uint32_t CountUnacknowledged(std::span<const KeptFinding> kept, const FindingChanges& delta) {
  const auto key = [](const FleetFinding& finding) {
    return std::tuple<std::string_view, std::string_view, std::string_view>(finding.check, finding.subject,
                                                                            finding.profile);
  };
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> replaced;
  std::uint32_t count = 0;
  for (const FleetFinding& gone : delta.removed) replaced.insert(key(gone));
  for (const KeptFinding& row : delta.put) {
    replaced.insert(key(row.finding));
    count += row.finding.acknowledged_unix_ns == 0 ? 1 : 0;
  }
  for (const KeptFinding& row : kept) {
    if (row.finding.acknowledged_unix_ns == 0 && !replaced.contains(key(row.finding))) ++count;
  }
  return count;
}

std::uint64_t RowsChanged(const Database& database) {
  return static_cast<std::uint64_t>(sqlite3_changes64(database.get()));
}

}  // namespace rdmaready::hub
