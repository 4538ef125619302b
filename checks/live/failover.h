// SPDX-License-Identifier: Apache-2.0
// FailoverJudgement: what the loss of a path cost the numbered writes between two hosts. Pure.
//
// The outage is the longer of two times: in which the responder's log did not grow in order, and until the
// initiator had the answer to a write. Writes are lost that were answered and are not in the log. Nothing is
// said where no path was lost, or where nobody confirmed that a lost path can no longer write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/model/failover.h"
#include "api/model/numbered.h"

namespace rdmaready {

inline constexpr std::int64_t kMaxOutageMs = 1'000;  // where no profile names another

struct JudgedFailoverPath {
  std::string subject{};     // printable
  std::uint64_t writes = 0;  // that were answered on it
  std::size_t losses = 0;    // times that it was lost
  std::string why_lost{};    // the first time; printable
  std::optional<std::int64_t> first_lost_ms{};
  std::optional<std::int64_t> used_again_ms{};  // after it was lost first; absent: never
  std::string why_not_again{};                  // printable
};

struct FailoverJudgement {
  std::string text{};  // one line; printable
  FailoverVerdict verdict = FailoverVerdict::kUnknown;
  std::string why_unknown{};  // printable
  std::int64_t bound_ms = 0;
  std::optional<NumberedIo> io{};       // as of the end of the run; absent: no path gave it
  std::int64_t outage_ns = 0;           // of `io`
  std::optional<std::uint64_t> lost{};  // writes; absent: not all were answered
  std::vector<JudgedFailoverPath> paths{};
};

FailoverJudgement JudgeFailover(const FailoverRun& run, std::int64_t bound_ms);

}  // namespace rdmaready
