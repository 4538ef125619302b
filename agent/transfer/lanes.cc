// SPDX-License-Identifier: Apache-2.0
// Several queue pairs, and both directions at once: a lane for each, side by side.
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "agent/link/failure.h"
#include "agent/transfer/lane.h"
#include "agent/transfer/lane_mux.h"
#include "agent/transfer/local_channel.h"
#include "agent/transfer/run.h"
#include "agent/transfer/session.h"

namespace rdmaready {
namespace {

// The lanes of one direction and, behind them in the mux, one for the word about all of them.
struct Direction {
  Role role = Role::kInitiator;
  std::uint32_t first_lane = 0;  // of the mux
  std::uint32_t first_link = 0;  // of the maker
};

struct End {
  const TransferCase& test;
  const LinkMaker& make_link;
  const RunOptions& options;
  LaneMux& mux;
  StartGate& gate;
};

LaneEnd RunLane(const End& end, const Direction& direction, std::uint32_t index) {
  const std::unique_ptr<RdmaLink> link = end.make_link(direction.role, direction.first_link + index);
  PeerChannel& channel = end.mux.lane(direction.first_lane + index);
  const auto run = direction.role == Role::kInitiator ? RunInitiatorLane : RunResponderLane;
  return run(end.test, *link, channel, end.options, &end.gate);
}

// What the initiator made of all its lanes: only it can add up latencies. Empty when it does not come.
std::optional<TransferResult> HearOfAll(PeerChannel& channel, const RunOptions& options) {
  const TimePoint start = std::chrono::steady_clock::now();
  while (true) {
    const TimePoint now = std::chrono::steady_clock::now();
    const TimePoint latest = start + FarewellOf(options);
    const absl::StatusOr<PeerMessage> message = channel.Receive(std::min(latest, now + kSessionLook));
    if (message.ok() && message->kind == PeerMessageKind::kResult) return Sanitized(message->result);
    if (message.ok() || !absl::IsDeadlineExceeded(message.status()) || now >= latest) return std::nullopt;
  }
}

TransferResult RunDirection(const End& end, const Direction& direction) {
  const std::uint32_t qps = end.options.qps;
  std::vector<LaneEnd> ends(qps);
  {
    std::vector<std::jthread> others;
    for (std::uint32_t i = 1; i < qps; ++i) {
      others.emplace_back([&, i] { ends[i] = RunLane(end, direction, i); });
    }
    ends[0] = RunLane(end, direction, 0);
  }
  TransferResult merged = MergeLanes(ends);
  if (qps == 1) return merged;
  PeerChannel& channel = end.mux.lane(direction.first_lane + qps);
  if (direction.role == Role::kInitiator) {
    // Fails only when the other end is gone, and then there is nobody to be told.
    static_cast<void>(channel.Send({.kind = PeerMessageKind::kResult, .result = merged}));
    return merged;
  }
  std::optional<TransferResult> theirs = HearOfAll(channel, end.options);
  if (!theirs) return merged;
  theirs->case_name = merged.case_name;
  theirs->operation = merged.operation;
  theirs->message_bytes = merged.message_bytes;
  theirs->path_mtu_bytes = merged.path_mtu_bytes;
  theirs->failure = MoreTelling(theirs->failure, merged.failure);
  return *std::move(theirs);
}

// From the first beginning to the last end, of those that began.
std::int64_t SpanOf(std::span<const LaneEnd> lanes) {
  std::int64_t begun_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t ended_ns = 0;
  for (const LaneEnd& lane : lanes) {
    if (lane.result.elapsed_ns == 0) continue;
    begun_ns = std::min(begun_ns, lane.begun_ns);
    ended_ns = std::max(ended_ns, lane.begun_ns + lane.result.elapsed_ns);
  }
  return std::max<std::int64_t>(ended_ns - begun_ns, 0);
}

Role Other(Role role) { return role == Role::kInitiator ? Role::kResponder : Role::kInitiator; }

}  // namespace

TransferResult MergeLanes(std::span<const LaneEnd> lanes) {
  TransferResult merged = lanes[0].result;
  Histogram latencies = lanes[0].latencies;
  std::vector<std::uint64_t> intervals = lanes[0].interval_bytes;
  for (const LaneEnd& lane : lanes.subspan(1)) {
    const TransferResult& result = lane.result;
    merged.messages += result.messages;
    merged.bytes += result.bytes;
    merged.bytes_verified += result.bytes_verified;
    merged.bytes_wrong += result.bytes_wrong;
    if (!merged.first_wrong_offset) merged.first_wrong_offset = result.first_wrong_offset;
    merged.cpu_initiator_ns += result.cpu_initiator_ns;
    merged.cpu_responder_ns += result.cpu_responder_ns;
    merged.failure = MoreTelling(merged.failure, result.failure);
    if (merged.path_mtu_bytes != result.path_mtu_bytes) merged.path_mtu_bytes.reset();
    latencies.Add(lane.latencies);
    AddIntervals(intervals, lane.interval_bytes);
  }
  merged.elapsed_ns = SpanOf(lanes);
  merged.qps = static_cast<std::uint32_t>(lanes.size());
  if (lanes.size() == 1) return merged;
  merged.latency = latencies.Summary();
  merged.worst_interval_bytes_per_s = WorstBytesPerSecond(intervals, merged.interval_ms.value_or(kIntervalMs));
  if (!merged.interval_bytes.empty()) merged.interval_bytes = intervals;
  SetRates(merged);
  return merged;
}

BothWays RunEnd(Role role, const TransferCase& test, const LinkMaker& make_link, PeerChannel& peer,
                const RunOptions& options) {
  if (options.qps == 1 && !options.bidirectional) {
    const std::unique_ptr<RdmaLink> link = make_link(role, 0);
    const auto run = role == Role::kInitiator ? RunInitiator : RunResponder;
    return {.forward = run(test, *link, peer, options)};
  }
  const std::uint32_t directions = options.bidirectional ? 2 : 1;
  LaneMux mux(peer, directions * (options.qps + 1));
  StartGate gate(directions * options.qps);
  const End end{test, make_link, options, mux, gate};
  BothWays both;
  {
    std::jthread back;
    if (options.bidirectional) {
      back = std::jthread([&] {
        RunOptions there = options;
        // An answer is as large as its message, so a ping-pong fills both directions: both ends share one
        // limit.
        there.pacer = test.operation == Operation::kSend ? options.pacer : options.reverse_pacer;
        const End other{test, make_link, there, mux, gate};
        both.reverse = RunDirection(other, {Other(role), options.qps + 1, options.qps});
      });
    }
    both.forward = RunDirection(end, {.role = role});
  }
  return both;
}

BothWays RunLoopback(const TransferCase& test, const LinkMaker& make_link, const RunOptions& options) {
  auto [responder_end, initiator_end] = MakeLocalChannel();
  BothWays both;
  {
    const std::jthread other([&] { RunEnd(Role::kResponder, test, make_link, *responder_end, options); });
    both = RunEnd(Role::kInitiator, test, make_link, *initiator_end, options);
  }
  return both;
}

}  // namespace rdmaready
