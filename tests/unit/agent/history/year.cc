// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/history/year.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "agent/run_digest.h"
#include "agent/store/sqlite_store.h"
#include "api/base/status.h"
#include "api/model/cases.h"
#include "api/profile/load.h"
#include "checks/host_parts.h"
#include "checks/judge.h"
#include "checks/live/own_past.h"
#include "checks/readiness.h"
#include "collectors/collect.h"
#include "collectors/recording/folder.h"
#include "collectors/recording/recorded_host.h"
#include "tests/support/source_tree.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kStart = 1'790'000'000'000'000'000;
constexpr std::int64_t kQuarter = 900'000'000'000;
constexpr int kChecksADay = 96;
constexpr int kChecksAWeek = 7 * kChecksADay;

absl::StatusOr<Facts> QuietHost() {
  RR_ASSIGN_OR_RETURN(const std::vector<SavedRecording> saved,
                      LoadRecordings(test::SourceTree() + "/tests/fixtures/hosts/two-rails-healthy/saved"));
  RR_RETURN_IF_ERROR(saved.front().recording.status());
  RecordedHost host(*saved.front().recording);
  return CollectFacts(host);
}

// What moves by itself.
void Move(Facts& facts, int check) {
  const auto now = static_cast<std::uint64_t>(check) * 900;
  facts.uptime_s = now;
  if (facts.memlock) {
    Memlock memlock = *facts.memlock;
    memlock.pid = 1000 + check / 500;
    facts.memlock = memlock;
  }
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) {
    port.hw_counters = std::vector<Counter>{{"sent_pkts", now * 17}, {"rcvd_pkts", now * 19}};
    port.resources = RdmaResources{.qp = 1 + now % 3, .cq = 2};
    port.neighbours = std::vector<Neighbour>(now % 2);
  }
  facts.ports = std::move(ports);
}

// Somebody changed a setting.
void ChangeFacts(Facts& facts, int week) {
  std::vector<Port> ports = *facts.ports;
  if (ports.front().netdev) {
    Netdev netdev = *ports.front().netdev;
    netdev.mtu_bytes = static_cast<std::uint32_t>(week % 2 == 0 ? 4200 : 1500);
    ports.front().netdev = std::move(netdev);
  }
  facts.ports = std::move(ports);
  facts.machine_id = "week " + std::to_string(week);
}

RunRecord CheckOf(const Facts& facts, const std::vector<Profile>& profiles, int check) {
  RunRecord run{.run_id = "20260101T000000Z-" + std::to_string(10'000'000 + check),
                .started_unix_ns = kStart + check * kQuarter,
                .duration_ns = 20'000'000 + check,
                .level = Rung::kHost};
  const HostParts parts = *HostParts::Divide(facts, profiles);
  std::int64_t clock = check;
  run.report.agent_version = "9.9.9";
  run.report.kernel_release = facts.kernel ? facts.kernel->release : "";
  run.report.profiles = parts.profiles();
  run.report.ports = parts.ports();
  run.report.findings = JudgeHost(parts, [&clock] { return clock += 1000; });
  run.report.ladder = MakeLadder(run.report.findings, {}, Rung::kHost);
  run.report.verdict = ReadinessOf(run.report.ladder, Rung::kHost);
  run.kind = KindOfRun({.profiles = profiles}, {.compares = true}, Rung::kHost, run.report);
  run.digest = DigestOfRun(facts, run.report);
  return run;
}

absl::Status TestPorts(const Facts& facts, int check, Store& store) {
  for (const Port& port : *facts.ports) {
    for (const TransferCase& row : CheckedCasesOn(Rung::kLoopback)) {
      TransferRecord record{.run_id = "20260101T000000Z-test" + std::to_string(check),
                            .started_unix_ns = kStart + check * kQuarter + 1,
                            .port = PortName(port),
                            .role = "loopback"};
      record.result.case_name = row.name;
      record.result.depth = row.depth;
      record.result.bytes = record.result.bytes_verified = 1 << 30;
      record.result.messages = 1000;
      record.result.throughput_bytes_per_s = 90'000'000 + static_cast<std::uint64_t>(check * 7919 % 10'000'000);
      record.result.latency.p99_ns = 40'000 + check % 1000;
      RR_RETURN_IF_ERROR(store.PutTransfer(record));
    }
  }
  return absl::OkStatus();
}

absl::Status Live(SqliteStore& store, int weeks, YearResult& result) {
  RR_ASSIGN_OR_RETURN(Facts facts, QuietHost());
  const std::vector<Profile> profiles{*LoadProfile("virtual-fabric")};
  for (int check = 0; check < weeks * kChecksAWeek; ++check) {
    Move(facts, check);
    if (check % kChecksAWeek == 0) ChangeFacts(facts, check / kChecksAWeek);
    RR_RETURN_IF_ERROR(store.PutRun(CheckOf(facts, profiles, check)));
    ++result.checks;
    if (check % kChecksADay == 0) RR_RETURN_IF_ERROR(TestPorts(facts, check, store));
  }
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    RR_ASSIGN_OR_RETURN(const std::vector<BaselineDay> days, store.BaselineDays({}));
    result.baselines = BaselinesOf(days).size();
    result.baseline_time =
        std::max<std::chrono::nanoseconds>(result.baseline_time, std::chrono::steady_clock::now() - begin);
  }
  return absl::OkStatus();
}

}  // namespace

YearResult LiveThrough(const std::string& directory, int weeks) {
  YearResult result;
  {
    SqliteStore store({.directory = directory});
    if (const absl::Status status = Live(store, weeks, result); !status.ok()) {
      result.error = Message(status);
      return result;
    }
  }
  const std::string path = directory + "/rdmaready.db";
  result.file_bytes = std::filesystem::file_size(path);
  const absl::StatusOr<Database> database = Database::Open(path, Database::Access::kReadOnly);
  if (database.ok())
    result.bodies =
        static_cast<std::size_t>(database->Number("SELECT count(*) FROM runs WHERE as_in IS NULL").value_or(0));
  return result;
}

}  // namespace rdmaready
