// SPDX-License-Identifier: Apache-2.0
#include "agent/store/baseline_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "api/base/octets.h"
#include "api/base/status.h"
#include "api/model/cases.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kDayNs = 86'400'000'000'000;
constexpr std::int64_t kDaysKept = 366;
constexpr std::int64_t kMostRows = 100'000;  // callers name the peers: 10 MiB, and the oldest days go
constexpr std::size_t kMostSamples = 128;    // of a day; of more tests a fair choice
constexpr std::uint32_t kMostForeignPermille = 100;

struct TestSample {
  std::uint64_t bytes_per_s = 0;
  std::int64_t latency_p99_ns = 0;
};

constexpr std::size_t kSampleBytes = 16;

std::string EncodeSamples(std::span<const TestSample> samples) {
  std::string bytes(samples.size() * kSampleBytes, '\0');
  const auto octets = std::as_writable_bytes(std::span(bytes));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    PutLittle(octets, i * kSampleBytes, samples[i].bytes_per_s);
    PutLittle(octets, i * kSampleBytes + kSampleBytes / 2,
              static_cast<std::uint64_t>(samples[i].latency_p99_ns));
  }
  return bytes;
}

std::vector<TestSample> DecodeSamples(const std::string& bytes) {
  const auto octets = std::as_bytes(std::span(bytes));
  std::vector<TestSample> samples(std::min(bytes.size() / kSampleBytes, kMostSamples));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].bytes_per_s = GetLittle<std::uint64_t>(octets, i * kSampleBytes);
    samples[i].latency_p99_ns =
        static_cast<std::int64_t>(GetLittle<std::uint64_t>(octets, i * kSampleBytes + kSampleBytes / 2));
  }
  return samples;
}

// The nearest rank: of one value always that one.
template <class Value>
Value PercentileOf(std::vector<Value> values, std::size_t percent) {
  if (values.empty()) return {};
  const std::size_t rank = (values.size() * percent + 99) / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::ranges::nth_element(values, at);
  return *at;
}

// Where the `tests`th of a day goes: with as good a chance as all others among those that are kept. Nothing
// random: the same tests give the same row.
std::size_t SamplePlace(std::uint64_t tests) {
  std::uint64_t mixed = tests * 0x9E3779B97F4A7C15;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return static_cast<std::size_t>((mixed ^ (mixed >> 31)) % tests);
}

void AddSample(const TransferRecord& record, BaselineDay& day, std::vector<TestSample>& samples) {
  const TransferResult& result = record.result;
  const TestSample sample{result.throughput_bytes_per_s, result.latency.p99_ns};
  ++day.tests;
  if (samples.size() < kMostSamples) {
    samples.push_back(sample);
  } else if (const std::size_t place = SamplePlace(day.tests); place < samples.size()) {
    samples[place] = sample;
  }
  std::vector<std::uint64_t> rates;
  std::vector<std::int64_t> latencies;
  for (const TestSample& each : samples) {
    rates.push_back(each.bytes_per_s);
    latencies.push_back(each.latency_p99_ns);
  }
  day.p10_bytes_per_s = PercentileOf(rates, 10);
  day.p50_bytes_per_s = PercentileOf(rates, 50);
  day.p90_bytes_per_s = PercentileOf(rates, 90);
  day.latency_p99_ns = PercentileOf(latencies, 50);
  day.worst_bytes_per_s =
      day.tests == 1 ? sample.bytes_per_s : std::min(day.worst_bytes_per_s, sample.bytes_per_s);
  if (record.started_unix_ns >= day.last_unix_ns) {
    day.last_unix_ns = record.started_unix_ns;
    day.last_bytes_per_s = sample.bytes_per_s;
  }
}

constexpr char kDayColumns[] =
    "port, case_name, role, peer, day, tests, p10_bytes_per_s, p50_bytes_per_s, p90_bytes_per_s, "
    "worst_bytes_per_s, latency_p99_ns, last_bytes_per_s, last_unix_ns";

BaselineDay ReadDay(const Statement& row) {
  const auto number = [&row](int column) { return static_cast<std::uint64_t>(row.Int(column)); };
  return {.port = row.Text(0),
          .case_name = row.Text(1),
          .role = row.Text(2),
          .peer = row.Text(3),
          .day_unix_ns = row.Int(4) * kDayNs,
          .tests = number(5),
          .p10_bytes_per_s = number(6),
          .p50_bytes_per_s = number(7),
          .p90_bytes_per_s = number(8),
          .worst_bytes_per_s = number(9),
          .latency_p99_ns = row.Int(10),
          .last_bytes_per_s = number(11),
          .last_unix_ns = row.Int(12)};
}

absl::Status PutDay(Database& database, const BaselineDay& day, std::span<const TestSample> samples) {
  RR_ASSIGN_OR_RETURN(
      Statement put,
      Statement::Prepare(database, fmt::format("INSERT OR REPLACE INTO baselines ({}, samples) VALUES "
                                               "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                               kDayColumns)));
  put.Bind(day.port).Bind(day.case_name).Bind(day.role).Bind(day.peer).Bind(day.day_unix_ns / kDayNs);
  for (const std::uint64_t number : {day.tests, day.p10_bytes_per_s, day.p50_bytes_per_s, day.p90_bytes_per_s,
                                     day.worst_bytes_per_s, static_cast<std::uint64_t>(day.latency_p99_ns),
                                     day.last_bytes_per_s, static_cast<std::uint64_t>(day.last_unix_ns)})
    put.Bind(static_cast<std::int64_t>(number));
  return put.BindBlob(EncodeSamples(samples)).Run();
}

// A clock that is years ahead takes at most so many days with it.
constexpr std::int64_t kLongestLeapDays = 60;

// What a new day brings about: the days before it need their samples no more, those of a year ago go.
absl::Status BeginDay(Database& database, const BaselineDay& day) {
  const std::int64_t number = day.day_unix_ns / kDayNs;
  RR_ASSIGN_OR_RETURN(
      Statement closed,
      Statement::Prepare(database,
                         "UPDATE baselines SET samples = NULL WHERE port = ?1 AND case_name = ?2 AND "
                         "role = ?3 AND peer = ?4 AND day < ?5 AND samples IS NOT NULL"));
  RR_RETURN_IF_ERROR(
      closed.Bind(day.port).Bind(day.case_name).Bind(day.role).Bind(day.peer).Bind(number).Run());
  RR_ASSIGN_OR_RETURN(
      Statement old,
      Statement::Prepare(database,
                         "DELETE FROM baselines WHERE day < -?2 + min(?1, ?3 + coalesce((SELECT max(day) FROM "
                         "baselines WHERE day < ?1), ?1))"));
  RR_RETURN_IF_ERROR(old.Bind(number).Bind(kDaysKept).Bind(kLongestLeapDays).Run());
  RR_ASSIGN_OR_RETURN(const std::int64_t rows, database.Number("SELECT count(*) FROM baselines"));
  if (rows < kMostRows) return absl::OkStatus();
  return database.Execute("DELETE FROM baselines WHERE day = (SELECT min(day) FROM baselines)");
}

}  // namespace

bool CountsInBaseline(const TransferResult& result) {
  const TransferCase* row = FindCase(result.case_name);
  const bool whole = result.failure.kind == FailureKind::kNone && result.throughput_bytes_per_s > 0;
  const bool plain = !result.unverified && !result.busy_poll && !result.bidirectional &&
                     !result.limit_bytes_per_s && result.pressure.empty() && !result.numbered &&
                     result.transport != kTcpTransport;
  if (row == nullptr || !whole || !plain) return false;
  if (result.depth != row->depth || result.qps != row->connections) return false;
  return result.foreign_permille.value_or(0) <= kMostForeignPermille;
}

absl::Status CountInBaseline(Database& database, const TransferRecord& record) {
  if (!CountsInBaseline(record.result)) return absl::OkStatus();
  BaselineDay day{.port = record.port,
                  .case_name = record.result.case_name,
                  .role = record.role,
                  .peer = record.peer,
                  .day_unix_ns = record.started_unix_ns - record.started_unix_ns % kDayNs};
  RR_ASSIGN_OR_RETURN(
      Statement found,
      Statement::Prepare(database,
                         fmt::format("SELECT {}, samples FROM baselines WHERE port = ?1 AND case_name = ?2 "
                                     "AND role = ?3 AND peer = ?4 AND day = ?5",
                                     kDayColumns)));
  found.Bind(day.port).Bind(day.case_name).Bind(day.role).Bind(day.peer).Bind(day.day_unix_ns / kDayNs);
  RR_ASSIGN_OR_RETURN(const bool known, found.Step());
  std::vector<TestSample> samples;
  if (known) {
    day = ReadDay(found);
    samples = DecodeSamples(found.Text(13));
    if (samples.empty()) return absl::OkStatus();  // a day that is over: the clock was set back
  } else {
    RR_RETURN_IF_ERROR(BeginDay(database, day));
  }
  AddSample(record, day, samples);
  return PutDay(database, day, samples);
}

absl::StatusOr<std::vector<BaselineDay>> ReadBaselineDays(const Database& database,
                                                          const BaselineQuery& query) {
  // Only what is asked for stands in the statement: then the key's index finds it.
  std::string where;
  if (!query.port.empty()) where = "WHERE port = ? ";
  if (!query.case_name.empty()) where += where.empty() ? "WHERE case_name = ? " : "AND case_name = ? ";
  RR_ASSIGN_OR_RETURN(
      Statement rows,
      Statement::Prepare(database,
                         fmt::format("SELECT {} FROM baselines {} ORDER BY port, case_name, role, peer, day",
                                     kDayColumns, where)));
  if (!query.port.empty()) rows.Bind(query.port);
  if (!query.case_name.empty()) rows.Bind(query.case_name);
  std::vector<BaselineDay> days;
  while (true) {
    RR_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return days;
    days.push_back(ReadDay(rows));
  }
}

}  // namespace rdmaready
