// SPDX-License-Identifier: Apache-2.0
// Book: what an agent did last, as far as metrics tell of it. It only listens: nothing here reads the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/runs.h"
#include "api/model/cases.h"
#include "api/model/report.h"

namespace rdmaready::metrics {

// Of one port. More tests than a port has on loopback and as one end of a pair are not kept: the oldest go.
inline constexpr std::size_t kMostTestsOfPort = 18;
inline constexpr std::size_t kMostPorts = 64;
inline constexpr std::size_t kMostNotWell = 512;

struct NotWell {  // a finding that warns, fails or is unknown, waived or not
  std::string check{};
  std::string subject{};
  std::string profile{};
  Outcome outcome = Outcome::kUnknown;
  bool blocking = false;
  bool waived = false;
};

// The newest answer about one rung.
struct LastRung {
  Rung rung = Rung::kUnknown;
  RungOutcome outcome = RungOutcome::kUnknown;
  std::int64_t started_unix_ns = 0;
  std::int64_t started_steady_ns = 0;
  std::int64_t duration_ns = 0;
  std::size_t ports = 0;
  std::array<std::uint64_t, 5> findings{};  // by Outcome, without the waived ones
  std::uint64_t waived = 0;
  std::vector<NotWell> not_well{};
  std::size_t left_out = 0;  // beyond kMostNotWell
  std::vector<std::string> profiles{};
};

// What the error counters of one port did between two readings of the agent's own checks.
struct PortLosses {
  std::string port{};  // "mlx5_0/1"
  double window_s = 0;
  bool known = false;                  // RDMA's own counters were compared
  std::vector<CounterChange> grown{};  // those that tell of loss
};

struct LossWindow {
  std::int64_t end_unix_ns = 0;  // 0: there was none yet
  std::vector<PortLosses> ports{};
};

// The newest live test of a case through a port.
struct LastTest {
  std::string port{};
  std::string case_name{};
  bool loopback = false;  // else one end of a pair
  std::int64_t ended_unix_ns = 0;
  FailureKind failure = FailureKind::kUnknown;
  Figure figure = Figure::kUnknown;
  std::uint64_t throughput_bytes_per_s = 0;
  std::uint64_t worst_window_bytes_per_s = 0;  // 0: not known
  std::int64_t latency_p50_ns = 0;
  std::int64_t latency_p99_ns = 0;
};

// Settings that became others: agent/drift.
struct DriftCount {
  std::uint64_t changes = 0;  // since the agent's start
  std::int64_t last_unix_ns = 0;  // 0: none yet
};

struct Kept {
  std::vector<LastRung> rungs{};  // from the host up; none before the first check
  LossWindow losses{};
  std::vector<LastTest> tests{};  // by port and case
  std::uint64_t results_stored = 0;
  std::uint64_t store_errors = 0;
  DriftCount own_drift{};      // by rdmaready-applier
  DriftCount foreign_drift{};  // by others
};

// Threads: every method may be called from any thread.
class Book {
 public:
  // Only checks that speak for the host: of all its ports, by the profiles that the agent itself was given. A
  // caller's own profile or choice of ports says nothing of it.
  void Checked(const CheckDone& done);
  void Tested(const LiveTest& test, bool loopback, std::int64_t ended_unix_ns);
  void Stored(const absl::Status& stored);
  void Drifted(bool own, std::size_t changes, std::int64_t now_unix_ns);

  Kept Now() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<Rung, LastRung> rungs_{};
  LossWindow losses_{};
  std::map<std::string, std::vector<LastTest>> tests_{};  // by port
  std::uint64_t results_stored_ = 0;
  std::uint64_t store_errors_ = 0;
  DriftCount own_drift_{};
  DriftCount foreign_drift_{};
};

}  // namespace rdmaready::metrics
