// SPDX-License-Identifier: Apache-2.0
// Meter: the initiator's clock work: elapsed time, latencies, the worst interval, and when to stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "agent/transfer/histogram.h"
#include "agent/transfer/interval_meter.h"
#include "agent/transfer/session.h"

namespace rdmaready {

class Meter {
 public:
  // Starts the clock. At most `depth` messages are under way at once.
  Meter(const TransferCase& test, const RunOptions& options)
      : start_ns_(NowNs()),
        stop_ns_(start_ns_ + std::chrono::duration_cast<std::chrono::nanoseconds>(test.duration).count()),
        max_messages_(std::max<std::uint64_t>(options.max_bytes / std::max(test.message_bytes, 1u), 1)),
        posted_ns_(std::max(test.depth, 2u)),
        intervals_(start_ns_),
        last_ns_(start_ns_) {}

  // Whether another message may begin, after `posted` of them. The first always may.
  bool MayPost(std::uint64_t posted) const {
    return posted == 0 || (posted < max_messages_ && NowNs() < stop_ns_);
  }

  void Posted(std::uint64_t number) { posted_ns_[number % posted_ns_.size()] = NowNs(); }

  // Message `number` is complete after `trips` message times; `bytes` moved since the last call.
  void Completed(std::uint64_t number, std::int64_t now_ns, std::uint64_t bytes, std::int64_t trips = 1) {
    latencies_.Record((now_ns - posted_ns_[number % posted_ns_.size()]) / trips);
    intervals_.Add(now_ns, bytes);
    last_ns_ = now_ns;
  }

  void Report(Phase& phase) {
    phase.elapsed_ns = last_ns_ - start_ns_;
    phase.latency = latencies_.Summary();
    phase.worst_interval_bytes_per_s = intervals_.WorstBytesPerSecond(last_ns_);
  }

 private:
  const std::int64_t start_ns_;
  const std::int64_t stop_ns_;
  const std::uint64_t max_messages_;
  std::vector<std::int64_t> posted_ns_;
  Histogram latencies_{};
  IntervalMeter intervals_;
  std::int64_t last_ns_;
};

}  // namespace rdmaready
