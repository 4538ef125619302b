// SPDX-License-Identifier: Apache-2.0
// Histogram: latencies in a fixed amount of memory (about 19 KB, no allocation after construction).
//
// Error bound: a quantile is reported as the middle of its bucket, which is at most 1/128 (0.8 %) away from the
// true value; below 128 ns it is exact. The maximum is exact. Values from 2^42 ns (73 minutes) on count
// as that.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "api/model/transfer.h"

namespace rdmaready {

class Histogram {
 public:
  // A negative value counts as 0.
  void Record(std::int64_t value_ns) {
    const std::uint64_t value =
        std::min<std::uint64_t>(value_ns < 0 ? 0 : static_cast<std::uint64_t>(value_ns), kLargest);
    ++buckets_[Index(value)];
    ++count_;
    max_ = std::max(max_, value);
  }

  void Add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }

  // The value that the fraction `q` (0 to 1) of all recorded values does not exceed; 0 when nothing
  // was recorded.
  std::int64_t Quantile(double q) const {
    if (count_ == 0) return 0;
    const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
    const std::uint64_t rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      seen += buckets_[i];
      if (seen >= rank) return static_cast<std::int64_t>(std::min(Middle(i), max_));
    }
    return static_cast<std::int64_t>(max_);
  }

  LatencySummary Summary() const {
    return {.p50_ns = Quantile(0.5),
            .p99_ns = Quantile(0.99),
            .p999_ns = Quantile(0.999),
            .max_ns = static_cast<std::int64_t>(max_)};
  }

 private:
  static constexpr unsigned kSubBits = 6;                       // 64 buckets to each power of two
  static constexpr std::uint64_t kExactBelow = 2u << kSubBits;  // one bucket for each value below this
  static constexpr unsigned kLargestBits = 42;
  static constexpr std::uint64_t kLargest = (std::uint64_t{1} << kLargestBits) - 1;
  static constexpr std::size_t kBuckets = kExactBelow + (std::size_t{kLargestBits - kSubBits - 1} << kSubBits);

  // A value with its highest bit at `kSubBits + shift` falls into the bucket named by its top kSubBits +
  // 1 bits.
  static std::size_t Index(std::uint64_t value) {
    if (value < kExactBelow) return value;
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
    return (std::size_t{shift} << kSubBits) + (value >> shift);
  }

  static std::uint64_t Middle(std::size_t index) {
    if (index < kExactBelow) return index;
    const std::uint64_t shift = (index >> kSubBits) - 1;
    const std::uint64_t top = index - (shift << kSubBits);
    return (top << shift) + (std::uint64_t{1} << shift) / 2;
  }

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace rdmaready
