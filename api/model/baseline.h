// SPDX-License-Identifier: Apache-2.0
// Baseline: what live tests of a port used to show, day by day, for a year.
//
// Counted are tests that came to their end and ran as their case says (no other depth, no other number of queue
// pairs, both ways, unverified or spinning ones), while the port carried little else. The rate of a case that
// is looked at for its latency or its operations stands for them: it is the same figure, higher is better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rdmaready {

// The tests of one case through one port with one peer, on one day (UTC).
struct BaselineDay {
  std::string port{};  // "rxe0/1"
  std::string case_name{};
  std::string role{};  // as TransferRecord has it
  std::string peer{};
  std::int64_t day_unix_ns = 0;  // when it began
  std::uint64_t tests = 0;
  std::uint64_t p10_bytes_per_s = 0;
  std::uint64_t p50_bytes_per_s = 0;
  std::uint64_t p90_bytes_per_s = 0;
  std::uint64_t worst_bytes_per_s = 0;
  std::int64_t latency_p99_ns = 0;  // the median of what the tests showed as their p99
  std::uint64_t last_bytes_per_s = 0;
  std::int64_t last_unix_ns = 0;

  bool operator==(const BaselineDay&) const = default;
};

// The last test of a case beside those of the days before it.
struct CaseBaseline {
  std::string port{};
  std::string case_name{};
  std::string role{};
  std::string peer{};
  std::uint64_t last_bytes_per_s = 0;
  std::int64_t last_unix_ns = 0;

  // Of the 30 days before the last one; each day counts alike, however many tests it had. Zero without any.
  std::uint32_t days = 0;  // of them that have tests
  std::uint64_t p10_bytes_per_s = 0;
  std::uint64_t p50_bytes_per_s = 0;
  std::int64_t latency_p99_ns = 0;  // the median of those days

  std::uint32_t days_kept = 0;     // that have tests, the last one among them
  std::int64_t first_unix_ns = 0;  // the first of them

  // The day since which tests show what the last one did; 0: no day before was another.
  std::int64_t changed_unix_ns = 0;
  std::uint64_t before_bytes_per_s = 0;  // the median of the days before the change that were alike
  std::uint32_t before_days = 0;         // from the first of those to the change

  bool operator==(const CaseBaseline&) const = default;
  void Fields(auto& list) const {
    list("port", port, "case_name", case_name, "role", role, "peer", peer, "last_bytes_per_s", last_bytes_per_s,
         "last_unix_ns", last_unix_ns, "days", days, "p10_bytes_per_s", p10_bytes_per_s, "p50_bytes_per_s",
         p50_bytes_per_s, "latency_p99_ns", latency_p99_ns, "days_kept", days_kept, "first_unix_ns",
         first_unix_ns, "changed_unix_ns", changed_unix_ns, "before_bytes_per_s", before_bytes_per_s,
         "before_days", before_days);
  }
};

// What of a host's past travels to a hub, and is kept there, at most.
inline constexpr std::size_t kMostPastTests = 256;
inline constexpr std::size_t kMostPastTextBytes = 255;
inline constexpr std::size_t kMostPastBytes = std::size_t{128} * 1024;  // as a message
inline constexpr std::size_t kMostPackedPastBytes = std::size_t{64} * 1024;

// Whether a test can be like this: texts and numbers within what any port can have.
bool IsPlausible(const CaseBaseline& baseline);

// What of the past is asked for; what is empty: all.
struct BaselineQuery {
  std::string port{};
  std::string case_name{};
};

}  // namespace rdmaready
