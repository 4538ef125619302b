// SPDX-License-Identifier: Apache-2.0
// Limits: what a caller may ask of a live test. Each end holds them by itself, whatever the other one allowed.
#pragma once

#include <chrono>
#include <cstdint>

#include "absl/status/statusor.h"
#include "agent/transfer/run.h"
#include "api/model/cases.h"
#include "api/model/fact.h"

namespace rdmaready {

inline constexpr std::uint32_t kMaxQps = 16;
inline constexpr std::uint32_t kMaxDepth = 1024;
inline constexpr std::uint64_t kMaxPinnedBytes = 64ull << 20;  // for messages, at one end, all queue pairs

// What an agent's own settings say, and no caller can raise: --test-max-time and --test-max-bytes.
struct TransferLimits {
  std::chrono::milliseconds duration{60'000};
  std::uint64_t moved_bytes = 64ull << 30;  // by one direction of a test: half a second at 1 Tb/s
};

// The parts of a stress test connect in so long. The caller lets all of them connect before the first begins,
// and gives up sooner than this.
inline constexpr std::chrono::milliseconds kStressSetUp{30'000};
// A stress test is over so long after its time at the latest: what is under way fills the queues of the
// network.
inline constexpr std::chrono::milliseconds kStressDrain{5'000};

// Numbered writes of a path under way, and how long they go on after the last number was given out: what is
// under way is answered, and all memory is looked at again.
inline constexpr std::uint32_t kMostNumberedDepth = 16;
inline constexpr std::chrono::milliseconds kNumberedDrain{15'000};
// A path that answers nothing for so long is lost.
inline constexpr std::chrono::milliseconds kPathTimeout{500};

// LinkSettings::ack_timeout of a part of a stress test: that of every test where the own port moves 1 Gb/s or
// more; kStressAckTimeout where it is slower or its rate is not known.
std::uint8_t StressAckTimeout(const Fact<std::uint32_t>& rate_mbps);

// `test` as `options` want it: depth, duration, and a deadline later by as much as it lasts longer. The
// deadline of a part of a stress test counts from the start of its measured part (RunOptions::set_up_limit).
// kInvalidArgument, with the limit, and the setting that it is of, when they want too much.
absl::StatusOr<TransferCase> Customized(const TransferCase& test, const TransferOptions& options,
                                        const TransferLimits& limits = {});

// Queue pairs in each direction: the caller's word, else the case's.
std::uint32_t QpsOf(const TransferCase& test, const TransferOptions& options);

// What of `options` is not the case's: for options that Customized() took. `qps` is QpsOf().
void Apply(const TransferOptions& options, std::uint32_t qps, const TransferLimits& limits, RunOptions& run);

}  // namespace rdmaready
