// SPDX-License-Identifier: Apache-2.0
// FailoverRun: numbered writes over all paths between two hosts, while a path is cut (api/model/numbered.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/paths.h"
#include "api/model/transfer.h"

namespace rdmaready {

// Times of a run are from the moment at which all paths begin.

// A connection of a path, from its first write until it was lost or the run was over.
struct PathUse {
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;
  TransferResult result{};

  bool operator==(const PathUse&) const = default;
};

inline constexpr std::size_t kMostPathUses = 64;

struct FailoverPath {
  std::string subject{};        // "mlx5_0/1 -> mlx5_0/1"
  std::vector<PathUse> uses{};  // in their order: the first ones and the last one, kMostPathUses in all
  std::uint64_t attempts = 0;   // to connect it again that failed
  std::string last_failure{};   // of those
  std::string refused{};        // why an agent refused the last one; empty: it did not

  bool operator==(const FailoverPath&) const = default;
};

// The program of the caller that cuts a path.
struct CutProgram {
  std::vector<std::string> command{};
  std::int64_t begin_ms = 0;
  std::int64_t end_ms = 0;
  std::string failure{};  // empty: it ended with status 0

  bool operator==(const CutProgram&) const = default;
};

struct FailoverRun {
  std::string run_id{};
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  std::string case_name{};
  std::int64_t duration_ms = 0;       // in which new writes are made
  std::vector<FailoverPath> paths{};  // not empty
  std::vector<PortWithoutPath> without{};
  std::optional<CutProgram> cut{};  // absent: somebody else cuts
  // An agent that went away, or began anew, and with it what it knew of the writes: why. Empty: none did.
  std::string agent_gone{};

  bool operator==(const FailoverRun&) const = default;
};

enum class FailoverVerdict {
  kUnknown,      // the text says why
  kFailsOver,    // a path was lost, no write was, and none was missing for longer than the bound
  kTooLong,      // a write was missing for longer
  kLosesWrites,  // writes were lost, doubled, damaged or late
};

}  // namespace rdmaready
