// SPDX-License-Identifier: Apache-2.0
#include "agent/transfer/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "agent/link/failure.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxTextBytes = 512;

// Whether this end looked for messages to its last moment, so that its count of arrivals means something.
bool LookedToTheEnd(const Failure& failure) {
  return failure.kind == FailureKind::kNone || failure.kind == FailureKind::kStalled ||
         failure.kind == FailureKind::kLost || failure.kind == FailureKind::kCorrupt;
}

Failure LostBetween(const char* what, const TransferCounts& sender, const TransferCounts& receiver) {
  const std::uint64_t arrived = receiver.received + receiver.missing;
  if (arrived >= sender.announced) return {};
  return {.kind = FailureKind::kLost,
          .detail = fmt::format("{}: {} sent and acknowledged, {} arrived; the first lost is message {}", what,
                                sender.announced, arrived, arrived)};
}

// The peer's numbers that contradict ours; empty when they can be true.
std::string Contradiction(const EndView& initiator, const EndView& responder) {
  const TransferResult& theirs = responder.result;
  if (theirs.bytes_wrong > theirs.bytes_verified) return "more bytes wrong than compared";
  const std::uint64_t posted_bytes = initiator.counts.posted * initiator.result.message_bytes;
  if (theirs.bytes_verified > posted_bytes) return "more bytes compared than were sent";
  if (responder.counts.received > initiator.counts.posted) return "more messages received than were sent";
  if (responder.counts.missing > initiator.counts.posted) return "more messages missing than were sent";
  if (theirs.first_wrong_offset && theirs.bytes_wrong == 0) return "a wrong byte's offset without wrong bytes";
  return {};
}

void AddView(TransferResult& merged, const TransferResult& theirs) {
  merged.bytes_verified += theirs.bytes_verified;
  merged.bytes_wrong += theirs.bytes_wrong;
  if (theirs.first_wrong_offset) {
    merged.first_wrong_offset =
        std::min(merged.first_wrong_offset.value_or(*theirs.first_wrong_offset), *theirs.first_wrong_offset);
  }
  merged.cpu_responder_ns = theirs.cpu_responder_ns;
  merged.numbered = theirs.numbered;
  merged.failure = MoreTelling(merged.failure, theirs.failure);
}

void SanitizeLog(NumberedLogView& log) {
  constexpr std::int64_t kLongestNs = 3'600'000'000'000;
  log.worst_stall_ns = std::clamp<std::int64_t>(log.worst_stall_ns, 0, kLongestNs);
  log.stalls.resize(std::min(log.stalls.size(), kMostLogStalls));
  for (LogStall& stall : log.stalls) {
    stall.begin_ns = std::clamp<std::int64_t>(stall.begin_ns, 0, kLongestNs);
    stall.length_ns = std::clamp<std::int64_t>(stall.length_ns, 0, kLongestNs);
  }
}

}  // namespace

TransferResult Sanitized(TransferResult result) {
  result.case_name = SafeLine(result.case_name, kMaxTextBytes);
  result.local_gid = SafeLine(result.local_gid, kMaxTextBytes);
  result.remote_gid = SafeLine(result.remote_gid, kMaxTextBytes);
  result.transport = SafeLine(result.transport, kMaxTextBytes);
  result.failure.detail = SafeLine(result.failure.detail, kMaxTextBytes);
  result.error_counters = {};  // of the peer's host, like the next: not ours to tell
  result.priority_packets = result.idle_packets = {};
  result.counted_ns = result.idle_ns = std::nullopt;
  result.path_mtu_bytes.reset();
  result.nic_counters = {};
  result.host_cpu.reset();
  result.members.clear();
  result.interval_bytes.clear();
  result.interval_ms.reset();
  result.pressure.clear();
  result.foreign_permille = result.tester_cpu = result.tester_numa_node = std::nullopt;
  if (result.numbered) SanitizeLog(result.numbered->log);
  result.elapsed_ns = std::max<std::int64_t>(result.elapsed_ns, 0);
  result.cpu_initiator_ns = std::max<std::int64_t>(result.cpu_initiator_ns, 0);
  result.cpu_responder_ns = std::max<std::int64_t>(result.cpu_responder_ns, 0);
  return result;
}

TransferResult Merge(const EndView& initiator, const std::optional<EndView>& responder, bool verify) {
  TransferResult merged = initiator.result;
  if (!responder) {
    merged.failure = MoreTelling(merged.failure, {.kind = FailureKind::kPeerGone,
                                                  .detail = "the responder's view of the transfer never came"});
    return merged;
  }
  if (const std::string why = Contradiction(initiator, *responder); !why.empty()) {
    merged.failure = MoreTelling(
        MoreTelling(merged.failure, responder->result.failure),
        {.kind = FailureKind::kPeerGone, .detail = fmt::format("the responder's view is impossible: {}", why)});
    return merged;
  }
  AddView(merged, responder->result);
  if (LookedToTheEnd(initiator.result.failure) && LookedToTheEnd(responder->result.failure)) {
    merged.failure =
        MoreTelling(merged.failure, LostBetween("to the responder", initiator.counts, responder->counts));
    merged.failure =
        MoreTelling(merged.failure, LostBetween("to the initiator", responder->counts, initiator.counts));
  }
  if (verify && merged.failure.kind == FailureKind::kNone && merged.bytes_verified < merged.bytes) {
    merged.failure = {
        .kind = FailureKind::kPeerGone,
        .detail = fmt::format("only {} of {} bytes were compared", merged.bytes_verified, merged.bytes)};
  }
  return merged;
}

}  // namespace rdmaready
