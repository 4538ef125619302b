// SPDX-License-Identifier: Apache-2.0
#include "checks/live/incast_losses.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "checks/counted/error_counters.h"
#include "checks/live/first_loss.h"
#include "checks/live/incast_samples.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

using Kind = CounterChange::Kind;

// As the initiator counts them: each name is a row of error_counters.cc, which says whose it is.
constexpr std::array<std::string_view, 3> kRefusals{"packet_seq_err", "seq_err_naks_rcvd", "rcvd_seq_err"};
constexpr std::array<std::string_view, 3> kTimeouts{"local_ack_timeout_err", "to_retransmits",
                                                    "completer_retry_err"};

bool IsIwarp(const StressFlow& flow) { return flow.result.transport == "iwarp"; }

bool IsTcp(std::string_view name) {
  return IsAbout(name, CounterFamily::kHardware, ErrorTopic::kTcpRetransmission);
}

bool IsOfLoss(std::string_view name) {
  return IsTcp(name) || IsAbout(name, CounterFamily::kHardware, ErrorTopic::kSequence) ||
         IsAbout(name, CounterFamily::kHardware, ErrorTopic::kRetransmission);
}

bool HasGrown(const CounterChange& change) { return change.kind != Kind::kReset && GrowthOf(change) > 0; }

// One that stands at its maximum says no more.
bool IsCompared(const CounterChange& change) {
  return change.kind == Kind::kUnchanged || change.kind == Kind::kGrew || change.kind == Kind::kWrapped;
}

bool SentSegmentsAgain(const StressFlow& flow) {
  return std::ranges::any_of(flow.counters, [](const EndCounters& end) {
    return end.changes && std::ranges::any_of(*end.changes, [](const CounterChange& one) {
             return IsTcp(one.name) && HasGrown(one);
           });
  });
}

bool HasOneOf(const std::vector<CounterChange>& changes, std::span<const std::string_view> names) {
  return std::ranges::any_of(changes, [&](const CounterChange& change) {
    return std::ranges::find(names, change.name) != names.end();
  });
}

bool CountsLosses(const StressFlow& flow, const std::vector<CounterChange>& changes) {
  if (IsIwarp(flow))
    return std::ranges::any_of(changes, [](const CounterChange& one) { return IsTcp(one.name); });
  return HasOneOf(changes, kRefusals) && HasOneOf(changes, kTimeouts);
}

bool IsDropWithoutPriority(const NicChange& one) {
  return one.counter == NicCounter::kDropReceived && !one.priority && HasGrown(one.change);
}

}  // namespace

Loss LossOf(const StressFlow& flow, const TransferPlace& place) {
  // A transfer that ended with an error may have done so for any reason; the counters have those of the
  // network.
  if (flow.result.failure.kind == FailureKind::kLost) return Loss::kFrames;
  if (LostInClass(flow.result, place, flow.counters) || ShowMissing(flow.counters)) return Loss::kFrames;
  if (IsIwarp(flow)) return SentSegmentsAgain(flow) ? Loss::kFrames : Loss::kNothing;
  if (ShowLoss(flow.counters))
    return std::ranges::any_of(flow.counters, DroppedUnsent) ? Loss::kFrames : Loss::kTimeouts;
  return LostPerhapsInClass(flow.result, place, flow.counters) ? Loss::kPerhaps : Loss::kNothing;
}

std::string DropsWithoutPriority(const StressFlow& flow) {
  for (const EndCounters& end : flow.counters) {
    if (!end.nic) continue;
    const auto found = std::ranges::find_if(*end.nic, IsDropWithoutPriority);
    if (found != end.nic->end())
      return Cat(found->change.name, " +", found->change.by, " of ", end.host, "'s NIC ", found->netdev);
  }
  return {};
}

std::string WhyLossNotCounted(const StressFlow& flow) {
  if (flow.counters.size() != 2) return "an end did not report its counters";
  const EndCounters& initiator = flow.counters[0];
  if (!initiator.changes) {
    const std::string& why = initiator.changes.missing().detail;
    return Cat("the counters of ", initiator.host, "'s NIC are not known", why.empty() ? "" : ": ", why);
  }
  if (!CountsLosses(flow, *initiator.changes))
    return Cat("no known counter of ", initiator.host, "'s NIC counts lost packets");
  for (const EndCounters& end : flow.counters) {
    if (!end.changes) continue;
    for (const CounterChange& change : *end.changes) {
      if (!IsOfLoss(change.name)) continue;
      if (change.kind == Kind::kReset)
        return Cat("counter ", change.name, " of ", end.host, "'s NIC was reset during the test");
      if (&end == &initiator && !IsCompared(change))
        return Cat("counter ", change.name, " of ", end.host, "'s NIC could not be compared");
    }
  }
  return {};
}

bool DropsCounted(const IncastRun& run, const TransferPlace& place) {
  bool without_priority = false;
  for (const StressFlow& flow : run.senders) {
    if (LostInClass(flow.result, place, flow.counters)) return true;
    if (flow.counters.size() == 2 && flow.counters[1].nic)
      without_priority = without_priority || std::ranges::any_of(*flow.counters[1].nic, IsDropWithoutPriority);
  }
  return without_priority && ReceiverDropsAllAlong(run).value_or(true);
}

}  // namespace rdmaready
