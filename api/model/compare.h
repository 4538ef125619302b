// SPDX-License-Identifier: Apache-2.0
// Compare: the same cases over RDMA and over TCP from one host to another, in turns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/cases.h"
#include "api/model/stress_flow.h"

namespace rdmaready {

// Each list is in the order in which the transfers were made: over RDMA, over TCP twice, over RDMA, and so on.
struct CompareCase {
  std::string case_name{};
  std::vector<StressFlow> rdma{};
  std::vector<StressFlow> tcp{};

  bool operator==(const CompareCase&) const = default;
};

struct CompareRun {
  std::string run_id{};
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  std::string subject{};  // "mlx5_0/1 -> mlx5_0/1"
  bool software = false;  // either end is a software device: its CPU does the NIC's work
  std::vector<CompareCase> cases{};

  bool operator==(const CompareRun&) const = default;
};

enum class CompareVerdict {
  kUnknown,  // the text says why
  kRdmaAhead,
  kNoDifference,  // no more than two transfers over one transport differ by
  kTcpAhead,
};

// The medians of several transfers over one transport.
struct TransportFigures {
  std::uint32_t transfers = 0;  // that came to their end
  std::uint64_t throughput_bytes_per_s = 0;
  std::uint64_t operations_per_s = 0;
  LatencySummary latency{};
  // The largest by the smallest of the case's main figure; absent: fewer than two transfers.
  std::optional<double> spread{};
  // CPU time of the host, less what it took in an idle time of the same length; 1000 is one CPU. Absent: not
  // known.
  std::optional<std::uint32_t> from_cpu_permille{};
  std::optional<std::uint32_t> to_cpu_permille{};
  // The time of both hosts together.
  std::optional<std::uint64_t> cpu_ns_per_operation{};
  std::optional<std::uint64_t> cpu_ns_per_mib{};

  bool operator==(const TransportFigures&) const = default;
};

}  // namespace rdmaready
