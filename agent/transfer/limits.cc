// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/transfer/data.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

// Twice kStressAckTimeout and more: what is sent again after it may be lost again.
constexpr std::chrono::milliseconds kStressStall{10'000};

// 100 ms, in which the worst rate is measured, are a multiple of each.
constexpr std::array<std::uint32_t, 4> kIntervalsMs{10, 20, 50, 100};

absl::Status TooMuch(const std::string& what) { return absl::InvalidArgumentError(what); }

absl::Status CheckTcp(const TransferCase& test, const TransferOptions& options) {
  if (test.wrapping != Wrapping::kNone)
    return TooMuch(fmt::format("{} over TCP: it speaks SMB Direct", test.name));
  if (options.connection == ConnectionKind::kUnknown) return absl::OkStatus();
  return TooMuch(fmt::format("{} over TCP: a connection of RDMA was asked for too", test.name));
}

absl::Status CheckNumbered(const TransferCase& test, const TransferOptions& options) {
  constexpr std::uint32_t kMostTimeoutMs = 10'000;
  const bool plain = test.operation == Operation::kWrite && test.wrapping == Wrapping::kNone &&
                     test.message_bytes <= kMostNumberedBytes && !options.over_tcp;
  if (!plain)
    return TooMuch(fmt::format("{} as numbered writes: plain RDMA writes of at most 64 KB", test.name));
  if (!options.verify || options.bidirectional || options.stress || options.in_production ||
      options.measure_cpu || options.busy_poll || options.max_bytes > 0 || options.max_bytes_per_s > 0 ||
      QpsOf(test, options) != 1)
    return TooMuch(
        "numbered writes: they are verified, go one way on one queue pair, and have no other option");
  if (options.depth > kMostNumberedDepth)
    return TooMuch(
        fmt::format("{} numbered writes under way: up to {} are allowed", options.depth, kMostNumberedDepth));
  if (options.path_timeout_ms > kMostTimeoutMs)
    return TooMuch(fmt::format("a path that is lost after {} ms: up to {} are allowed", options.path_timeout_ms,
                               kMostTimeoutMs));
  return absl::OkStatus();
}

// Below 8 a packet is sent again before it can be answered; above 21 (8.6 s) a test is over sooner.
absl::Status CheckRetries(const TransferOptions& options) {
  constexpr std::uint32_t kLeastTimeout = 8;
  constexpr std::uint32_t kMostTimeout = 21;
  const std::uint32_t timeout = options.ack_timeout.value_or(kAckTimeout);
  if (timeout < kLeastTimeout || timeout > kMostTimeout)
    return TooMuch(fmt::format("an acknowledge timeout of {}: {} to {} are allowed", timeout, kLeastTimeout,
                               kMostTimeout));
  if (options.retries.value_or(kRetries) > kRetries)
    return TooMuch(fmt::format("{} retries: up to {} are allowed", *options.retries, kRetries));
  return absl::OkStatus();
}

// Whether the options go together and with the case.
absl::Status CheckKind(const TransferCase& test, const TransferOptions& options) {
  if (options.over_tcp) RR_RETURN_IF_ERROR(CheckTcp(test, options));
  RR_RETURN_IF_ERROR(CheckRetries(options));
  if (options.numbered) RR_RETURN_IF_ERROR(CheckNumbered(test, options));
  if (options.stress && options.measure_cpu)
    return TooMuch("a stress test with an idle time before it: it says how busy the CPUs are by itself");
  return absl::OkStatus();
}

std::uint64_t PinnedBytes(const TransferCase& test, const TransferOptions& options) {
  const std::uint64_t directions = options.bidirectional ? 2 : 1;
  return directions * QpsOf(test, options) * PinnedBytesOf(test);
}

}  // namespace

std::uint32_t QpsOf(const TransferCase& test, const TransferOptions& options) {
  return options.qps == 1 ? test.connections : options.qps;
}

std::uint8_t StressAckTimeout(const Fact<std::uint32_t>& rate_mbps) {
  constexpr std::uint32_t kFastMbps = 1'000;
  return rate_mbps && *rate_mbps >= kFastMbps ? kAckTimeout : kStressAckTimeout;
}

absl::StatusOr<TransferCase> Customized(const TransferCase& test, const TransferOptions& options,
                                        const TransferLimits& limits) {
  TransferCase custom = test;
  if (options.qps < 1 || options.qps > kMaxQps) {
    return TooMuch(fmt::format("{} queue pairs: 1 to {} are allowed", options.qps, kMaxQps));
  }
  if (options.connection == ConnectionKind::kVerbs && test.wrapping != Wrapping::kNone) {
    return TooMuch(
        fmt::format("{} over a plain verbs connection: SMB Direct connects by RDMA-CM alone", test.name));
  }
  RR_RETURN_IF_ERROR(CheckKind(test, options));
  if (options.numbered) {
    custom.depth = std::min(custom.depth, kMostNumberedDepth);
    custom.deadline += kNumberedDrain;
  }
  if (options.depth > kMaxDepth) {
    return TooMuch(fmt::format("{} messages in flight: up to {} are allowed", options.depth, kMaxDepth));
  }
  if (options.duration < std::chrono::milliseconds::zero() || options.duration > limits.duration) {
    return TooMuch(fmt::format("a test of {} ms: up to {} s are allowed by the agent's --test-max-time",
                               options.duration.count(), limits.duration.count() / 1000));
  }
  if (options.max_bytes > limits.moved_bytes / QpsOf(test, options)) {
    return TooMuch(
        fmt::format("{} on each of {} queue pairs: up to {} in all are allowed by the agent's "
                    "--test-max-bytes",
                    BytesText(options.max_bytes), QpsOf(test, options), BytesText(limits.moved_bytes)));
  }
  if (options.interval_ms != 0 &&
      (!options.stress || std::ranges::find(kIntervalsMs, options.interval_ms) == kIntervalsMs.end())) {
    return TooMuch(fmt::format("intervals of {} ms: a stress test may have those of 10, 20, 50 and 100 ms",
                               options.interval_ms));
  }
  // One ping-pong at a time is what its latency means.
  if (options.depth > 0 && test.operation != Operation::kSend) custom.depth = options.depth;
  if (options.duration.count() > 0) {
    custom.duration = options.duration;
    custom.deadline += std::max(options.duration - test.duration, std::chrono::milliseconds::zero());
  }
  if (options.stress) custom.deadline = custom.duration + kStressDrain;
  if (const std::uint64_t pinned = PinnedBytes(custom, options); pinned > kMaxPinnedBytes) {
    return TooMuch(fmt::format(
        "{} with {} messages in flight on {} queue pairs{}: that is {} of memory, up to {} is allowed",
        test.name, custom.depth, QpsOf(test, options), options.bidirectional ? " in each direction" : "",
        BytesText(pinned), BytesText(kMaxPinnedBytes)));
  }
  return custom;
}

void Apply(const TransferOptions& options, std::uint32_t qps, const TransferLimits& limits, RunOptions& run) {
  run.verify = options.verify;
  run.busy_poll = options.busy_poll;
  run.qps = qps;
  run.bidirectional = options.bidirectional;
  if (options.connection == ConnectionKind::kVerbs) run.connection = ConnectionKind::kVerbs;
  run.max_bytes = limits.moved_bytes / qps;
  if (options.max_bytes > 0) run.max_bytes = std::min(run.max_bytes, options.max_bytes);
  if (options.ack_timeout) run.ack_timeout = static_cast<std::uint8_t>(*options.ack_timeout);
  if (options.retries) run.retries = static_cast<std::uint8_t>(*options.retries);
  if (options.numbered)
    run.stall_limit =
        options.path_timeout_ms > 0 ? std::chrono::milliseconds(options.path_timeout_ms) : kPathTimeout;
  if (!options.stress) return;
  run.set_up_limit = kStressSetUp;
  run.stall_limit = kStressStall;
  run.keep_intervals = true;
  run.says_began = true;
  if (options.interval_ms > 0) run.interval_ms = options.interval_ms;
  run.counts_missed_turns = true;
}

}  // namespace rdmaready
