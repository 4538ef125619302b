// SPDX-License-Identifier: Apache-2.0
// An incast of two senders in which all is right. Tests break one thing of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/incast.h"
#include "checks/live/incast.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/live/stress_samples.h"

namespace rdmaready {

inline constexpr std::uint32_t kIncastPriority = 3;  // of VirtualFabricProfile()

inline CounterChange IncastChange(std::string name, std::uint64_t by) {
  return {std::move(name), by > 0 ? CounterChange::Kind::kGrew : CounterChange::Kind::kUnchanged, by};
}

inline NicChange IncastNic(NicCounter counter, std::optional<std::uint32_t> priority, std::string name,
                           std::uint64_t by) {
  return {
      .netdev = "dcb0", .counter = counter, .priority = priority, .change = IncastChange(std::move(name), by)};
}

inline void AddTo(EndCounters& end, NicChange change) {
  std::vector<NicChange> changes = *end.nic;
  changes.push_back(std::move(change));
  end.nic = std::move(changes);
}

inline void AddTo(EndCounters& end, CounterChange change) {
  std::vector<CounterChange> changes = *end.changes;
  changes.push_back(std::move(change));
  end.changes = std::move(changes);
}

inline constexpr PressureSample kPausedSample{.pauses = 2, .marks = 0, .drops = 0, .idle_permille = 600};
inline constexpr PressureSample kFreeSample{.pauses = 0, .marks = 0, .drops = 0, .idle_permille = 600};

struct IncastNicCounts {
  std::uint64_t drops = 0;
  std::uint64_t pauses_sent = 0;
  std::uint64_t pauses_received = 0;
};

// `missed`: packets that it missed as a responder.
inline EndCounters IncastEnd(const std::string& host, const IncastNicCounts& nic, std::uint64_t missed = 0) {
  EndCounters end{.host = host, .port = "rxe0/1"};
  end.changes =
      std::vector<CounterChange>{IncastChange("out_of_seq_request", missed), IncastChange("rcvd_seq_err", 0),
                                 IncastChange("completer_retry_err", 0)};
  end.nic = std::vector<NicChange>{
      IncastNic(NicCounter::kDropReceived, kIncastPriority, "rx_prio3_discards", nic.drops),
      IncastNic(NicCounter::kPauseSent, kIncastPriority, "tx_prio3_pause", nic.pauses_sent),
      IncastNic(NicCounter::kPauseReceived, kIncastPriority, "rx_prio3_pause", nic.pauses_received)};
  end.pressure = StressSamples(kPausedSample);
  return end;
}

inline StressFlow FlowBetween(const std::string& from, const std::string& to, std::uint64_t bytes_per_s,
                              std::int64_t p99_ns = 1'000'000) {
  return {.from = from,
          .to = to,
          .result = {.operation = Operation::kWrite,
                     .message_bytes = 8192,
                     .transport = "roce-v2",
                     .messages = 1000,
                     .bytes = 8'192'000,
                     .elapsed_ns = 5'000'000'000,
                     .throughput_bytes_per_s = bytes_per_s,
                     .latency = {.p99_ns = p99_ns}},
          .counters = {IncastEnd(from, {.pauses_received = 9}), IncastEnd(to, {.pauses_sent = 9})},
          .sender_has_pfc = true,
          .from_ethernet = "dcb0",
          .to_ethernet = "dcb0"};
}

// Two senders that share 40 MB/s of the receiver, paused as it should be.
inline IncastRun RightIncast() {
  return {.senders = {FlowBetween("a", "d", 20'000'000), FlowBetween("b", "d", 19'000'000)},
          .victim_alone = FlowBetween("e", "f", 1'000'000),
          .victim_again = FlowBetween("e", "f", 1'000'000, 1'200'000),
          .victim = FlowBetween("e", "f", 1'000'000, 1'800'000),
          .drain_bytes_per_s = 40'000'000};
}

// Packets of both senders are lost somewhere.
inline IncastRun LossyIncast() {
  IncastRun run = RightIncast();
  for (StressFlow& flow : run.senders) flow.counters[1] = IncastEnd("d", {}, 7);
  return run;
}

// No NIC of the senders or of the receiver saw anything.
inline void FreeOfPressure(IncastRun& run) {
  for (StressFlow& flow : run.senders)
    for (EndCounters& end : flow.counters) end.pressure = StressSamples(kFreeSample);
}

inline IncastJudgement JudgeIncastRun(const IncastRun& run) { return JudgeIncast(run, VirtualFabricProfile()); }

}  // namespace rdmaready
