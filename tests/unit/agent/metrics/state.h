// SPDX-License-Identifier: Apache-2.0
// What an agent has done, for tests: checks of a host with ports, and live tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/metrics/book.h"
#include "agent/metrics/exposition.h"

namespace rdmaready::metrics {

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline Finding Found(const std::string& id, Outcome outcome, const std::string& subject = "mlx5_0/1 ens1f0") {
  return {.id = id,
          .scope = Scope::kPort,
          .rung = Rung::kHost,
          .subject = subject,
          .outcome = outcome,
          .blocking = true};
}

// One check of the host by its own profile, from `started_s` on.
struct MadeCheck {
  std::vector<Profile> own{{.name = "smb-direct-roce", .digest = "d1"}};
  CheckOrder order{.profiles = own};
  CheckRun run{};
  std::int64_t started_s = 1'000;

  explicit MadeCheck(std::vector<Finding> findings, RungOutcome outcome = RungOutcome::kPass) {
    run.report.findings = std::move(findings);
    run.report.ladder = {{Rung::kHost, outcome}};
    run.report.profiles = {{"smb-direct-roce", "d1"}};
    run.report.ports = {{"mlx5_0/1 ens1f0", ""}, {"mlx5_1/1 ens1f1", ""}};
  }

  CheckDone Done() const {
    return {order, own, run, started_s * kSecond, kSecond / 2, started_s * kSecond, /*compares=*/true};
  }
};

// A port that was read twice, a minute apart.
inline Port ReadTwice(const std::string& device, std::uint64_t before, std::uint64_t after) {
  Port port;
  port.device = device;
  port.number = 1;
  port.hw_counters = std::vector<Counter>{{"out_of_sequence", after}, {"np_cnp_sent", after}};
  EarlierReading earlier{.before_ms = 60'000};
  earlier.hw_counters = std::vector<Counter>{{"out_of_sequence", before}, {"np_cnp_sent", before}};
  port.earlier = earlier;
  return port;
}

inline LiveTest Moved(const std::string& port, std::string_view name,
                      FailureKind failure = FailureKind::kNone) {
  LiveTest test{.port = port};
  test.result.case_name = name;
  test.result.throughput_bytes_per_s = 12'000'000'000;
  test.result.worst_interval_bytes_per_s = 11'000'000'000;
  test.result.latency = {.p50_ns = 2'500, .p99_ns = 9'000};
  test.result.failure.kind = failure;
  return test;
}

inline std::string TextOf(const Book& book, const AgentNow& now = {.version = "9.9.9"}) {
  return Exposition(now, book.Now(),
                    {.cpu_s = 1.5, .resident_bytes = 20 << 20, .open_fds = 30, .most_fds = 4096});
}

// Lines of series: no comments.
inline std::vector<std::string> Series(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

inline std::ptrdiff_t CountOf(const std::string& text, std::string_view part) {
  return std::ranges::count_if(Series(text),
                               [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace rdmaready::metrics
