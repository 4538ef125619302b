// SPDX-License-Identifier: Apache-2.0
// Meter: the initiator's clock work: elapsed time, latencies, intervals, and when to stop. It reads no clock
// itself: on some machines that costs as much as a message.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "agent/link/pacer.h"
#include "agent/transfer/histogram.h"
#include "agent/transfer/interval_meter.h"
#include "agent/transfer/session.h"

namespace rdmaready {

class Meter {
 public:
  // Starts the clock. At most `depth` messages (2 at least) are under way at once.
  Meter(const TransferCase& test, const RunOptions& options)
      : start_ns_(NowNs()),
        stop_ns_(start_ns_ + std::chrono::duration_cast<std::chrono::nanoseconds>(test.duration).count()),
        max_messages_(std::max<std::uint64_t>(options.max_bytes / std::max(test.message_bytes, 1u), 1)),
        posted_ns_(std::max(test.depth, 2u)),
        turn_ns_(TurnNs(test, options)),
        intervals_(start_ns_, options.interval_ms),
        last_ns_(start_ns_) {}

  // How many of the next `wanted` messages may begin after `posted` of them; none when the time is over. The
  // first always may.
  std::uint64_t MayPost(std::uint64_t posted, std::uint64_t wanted, std::int64_t now_ns) const {
    if (posted >= max_messages_ || (posted > 0 && now_ns >= stop_ns_)) return 0;
    return std::min(wanted, max_messages_ - posted);
  }

  void Posted(std::uint64_t number, std::int64_t now_ns) { posted_ns_[number % posted_ns_.size()] = now_ns; }

  // Message `number` is complete after `trips` message times; `bytes` moved since the last call.
  void Completed(std::uint64_t number, std::int64_t now_ns, std::uint64_t bytes, std::int64_t trips = 1) {
    const std::int64_t latency_ns = (now_ns - posted_ns_[number % posted_ns_.size()]) / trips;
    latencies_.Record(latency_ns);
    if (turn_ns_ > 0) RecordMissedTurns(latency_ns);
    intervals_.Add(now_ns, bytes);
    last_ns_ = now_ns;
  }

  // Once, at the end.
  void Report(Phase& phase) {
    phase.begun_ns = start_ns_;
    phase.elapsed_ns = last_ns_ - start_ns_;
    phase.latencies = latencies_;
    phase.interval_bytes = intervals_.Take(last_ns_);
  }

 private:
  static constexpr std::int64_t kMostMissed = 10'000;

  // From one turn to the next; 0: messages have none, or missed ones do not count.
  static std::int64_t TurnNs(const TransferCase& test, const RunOptions& options) {
    if (!options.counts_missed_turns || !options.pacer) return 0;
    const auto limit = static_cast<double>(std::max<std::uint64_t>(options.pacer->limit_bytes_per_s(), 1));
    const double seconds = static_cast<double>(WireBytesOf(test.message_bytes)) / limit;
    return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(seconds, 1e6) * 1e9), 1);
  }

  void RecordMissedTurns(std::int64_t latency_ns) {
    const std::int64_t step_ns = std::max(turn_ns_, latency_ns / kMostMissed);
    for (std::int64_t late_ns = latency_ns - step_ns; late_ns > 0; late_ns -= step_ns)
      latencies_.Record(late_ns);
  }

  const std::int64_t start_ns_;
  const std::int64_t stop_ns_;
  const std::uint64_t max_messages_;
  std::vector<std::int64_t> posted_ns_;
  const std::int64_t turn_ns_;
  Histogram latencies_{};
  IntervalMeter intervals_;
  std::int64_t last_ns_;
};

}  // namespace rdmaready
