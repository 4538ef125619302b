// SPDX-License-Identifier: Apache-2.0
#include "agent/probe/proof.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "agent/link/failure.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

std::int64_t Quantile(const std::vector<std::int64_t>& sorted, double fraction) {
  const auto at = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(sorted.size() - 1)));
  return sorted[at];
}

}  // namespace

ProofMeter::ProofMeter(TransferResult& result, std::string case_name, Operation operation,
                       std::uint32_t block_bytes, Clock& clock,
                       std::function<absl::Status(std::uint64_t bytes)> pace)
    : result_(result), clock_(clock), pace_(std::move(pace)) {
  result_.case_name = std::move(case_name);
  result_.operation = operation;
  result_.message_bytes = block_bytes;
  result_.depth = 1;
}

absl::Status ProofMeter::Time(const std::function<absl::Status()>& operation) {
  if (pace_) RR_RETURN_IF_ERROR(pace_(result_.message_bytes));
  const auto begin = clock_.Now();
  RR_RETURN_IF_ERROR(operation());
  const auto took = clock_.Now() - begin;
  latencies_ns_.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  ++result_.messages;
  result_.bytes += result_.message_bytes;
  return absl::OkStatus();
}

void ProofMeter::Compared(std::span<const std::byte> expected, std::span<const std::byte> found) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i < expected.size() && expected[i] == found[i]) {
      ++result_.bytes_verified;
      continue;
    }
    if (!result_.first_wrong_offset) result_.first_wrong_offset = result_.bytes_verified;
    ++result_.bytes_wrong;
  }
}

void ProofMeter::Finish(const absl::Status& status) {
  result_.failure = FailureOf(status);
  if (latencies_ns_.empty()) return;
  std::ranges::sort(latencies_ns_);
  result_.elapsed_ns = std::accumulate(latencies_ns_.begin(), latencies_ns_.end(), std::int64_t{0});
  result_.latency = {.p50_ns = Quantile(latencies_ns_, 0.5),
                     .p99_ns = Quantile(latencies_ns_, 0.99),
                     .p999_ns = Quantile(latencies_ns_, 0.999),
                     .max_ns = latencies_ns_.back()};
  const double seconds = static_cast<double>(std::max<std::int64_t>(result_.elapsed_ns, 1)) / 1e9;
  result_.throughput_bytes_per_s = static_cast<std::uint64_t>(static_cast<double>(result_.bytes) / seconds);
  result_.operations_per_s = static_cast<std::uint64_t>(static_cast<double>(result_.messages) / seconds);
}

void FillPattern(std::span<std::byte> bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 8 == 0) word = random();
    bytes[i] = static_cast<std::byte>((word >> (8 * (i % 8))) & 0xff);
  }
}

std::uint64_t RandomNumber() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

absl::Status ReadTwice(const TwoBuffers& buffers, const ReadInto& read, ProofMeter& meter) {
  constexpr int kMostReadings = 5;
  FillPattern(buffers.first, RandomNumber());
  RR_RETURN_IF_ERROR(meter.Time([&] { return read(0); }));
  for (int reading = 1; reading < kMostReadings; ++reading) {
    const bool odd = reading % 2 == 1;
    FillPattern(odd ? buffers.second : buffers.first, RandomNumber());
    RR_RETURN_IF_ERROR(meter.Time([&] { return read(odd ? 1 : 0); }));
    if (std::ranges::equal(buffers.first, buffers.second)) {
      // Both: each proves the other.
      meter.Compared(buffers.first, buffers.second);
      meter.Compared(buffers.second, buffers.first);
      return absl::OkStatus();
    }
  }
  meter.Compared(buffers.first, buffers.second);
  return MakeFailure(FailureKind::kCorrupt, "two readings of the same blocks differ, and differ again");
}

}  // namespace rdmaready
