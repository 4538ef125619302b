// SPDX-License-Identifier: Apache-2.0
// cnt.rdma-retrans, cnt.sequence, cnt.rnr, cnt.retry-exceeded, cnt.remote-access, cnt.icrc, cnt.cm-retries,
// cnt.cqe, iw.retrans: what RDMA's own counters did while the port was watched.
#include <algorithm>

#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kHwCountersSource = "sysfs hw_counters, two readings";

template <ErrorTopic kTopic>
Verdict JudgeNoGrowth(const PortView& view) {
  if (std::string reason = NotCounted(view.port, {kTopic}); !reason.empty()) return NotApplicable(reason);
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kHwCountersSource);
  const std::vector<CounterChange> changes = ChangesAbout(*all, kTopic);
  return Judged(TotalGrowth(changes) == 0, GrownInWindow(view.port, changes), kNoGrowth, kHwCountersSource);
}

Verdict JudgeCntRnr(const PortView& view) {
  if (std::string reason =
          NotCounted(view.port, {ErrorTopic::kReceiverNotReady, ErrorTopic::kReceiverNeverReady});
      !reason.empty())
    return NotApplicable(reason);
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kHwCountersSource);
  std::vector<CounterChange> changes = ChangesAbout(*all, ErrorTopic::kReceiverNotReady);
  const std::vector<CounterChange> never = ChangesAbout(*all, ErrorTopic::kReceiverNeverReady);
  changes.insert(changes.end(), never.begin(), never.end());
  const std::string observed = GrownInWindow(view.port, changes);
  if (TotalGrowth(changes) > 0 && TotalGrowth(never) == 0)
    return Warned(observed, kNoGrowth, kHwCountersSource);
  return Judged(TotalGrowth(changes) == 0, observed, kNoGrowth, kHwCountersSource);
}

// ---- cnt.cm-retries ----

bool IsCmRetry(std::string_view name) { return name.starts_with("cm_tx_retries/"); }

Verdict JudgeCntCmRetries(const PortView& view) {
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return NotApplicable(counters.missing().detail);
  const bool any = !counters || std::ranges::any_of(
                                    *counters, [](const Counter& counter) { return IsCmRetry(counter.name); });
  if (!any) return NotApplicable("the kernel does not count them");
  constexpr std::string_view kCmSource = "sysfs cm_tx_retries, two readings";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kCmSource);
  std::vector<CounterChange> changes = *all;
  std::erase_if(changes, [](const CounterChange& change) { return !IsCmRetry(change.name); });
  return Judged(TotalGrowth(changes) == 0, GrownInWindow(view.port, changes), kNoGrowth, kCmSource);
}

// ---- cnt.cqe ----

bool IsFlushed(std::string_view name) { return name.ends_with("_cqe_flush_error"); }
bool IsCqeError(std::string_view name) { return name.ends_with("_cqe_error"); }

// A queue pair that is taken down ends what it had under way as flushed: those are no errors, and are counted
// in both.
Verdict JudgeCntCqe(const PortView& view) {
  if (std::string reason = NotWatched(view.port); !reason.empty()) return NotApplicable(reason);
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return NotApplicable(counters.missing().detail);
  const bool any = !counters || std::ranges::any_of(
                                    *counters, [](const Counter& counter) { return IsCqeError(counter.name); });
  if (!any) return NotApplicable("the driver does not count them");
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kNoGrowth, kHwCountersSource);
  std::vector<CounterChange> errors = *all;
  std::vector<CounterChange> flushed = *all;
  std::erase_if(errors, [](const CounterChange& change) { return !IsCqeError(change.name); });
  std::erase_if(flushed, [](const CounterChange& change) { return !IsFlushed(change.name); });
  std::string observed = GrownInWindow(view.port, errors);
  const std::uint64_t of_teardown = TotalGrowth(flushed);
  if (of_teardown > 0) observed += Cat(", ", of_teardown, " of them as a queue pair was taken down");
  return Judged(TotalGrowth(errors) <= of_teardown, observed, kNoGrowth, kHwCountersSource);
}

// ---- iw.retrans ----

bool IsSegmentsSent(std::string_view name) { return name.ends_with("OutSegs"); }

std::string PerMilleText(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t per_100k = whole == 0 ? 0 : part * 100'000 / whole;
  const std::uint64_t fraction = per_100k % 1000;
  return Cat(per_100k / 1000, ".", fraction / 100, fraction / 10 % 10, "%");
}

// By experience; no standard has a number.
Verdict JudgeIwRetrans(const PortView& view) {
  const bool other = view.port.transport && *view.port.transport != Transport::kIwarp &&
                     *view.port.transport != Transport::kUnknown;
  if (other) return NotApplicable("not iWARP");
  if (std::string reason = NotCounted(view.port, {ErrorTopic::kTcpRetransmission}); !reason.empty())
    return NotApplicable(reason);
  constexpr std::string_view kExpected = "at most 0.1% of the segments sent again";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), kExpected, kHwCountersSource);
  std::vector<CounterChange> sent = *all;
  std::erase_if(sent, [](const CounterChange& change) { return !IsSegmentsSent(change.name); });
  const std::uint64_t again = TotalGrowth(ChangesAbout(*all, ErrorTopic::kTcpRetransmission));
  const std::uint64_t segments = std::max(TotalGrowth(sent), again);
  const std::string observed = Cat(again, " of ", segments, " segments sent again", InWindow(view.port),
                                   segments == 0 ? "" : ", " + PerMilleText(again, segments));
  if (again * 1000 <= segments) return Judged(true, observed, kExpected, kHwCountersSource);
  if (again * 100 <= segments) return Warned(observed, kExpected, kHwCountersSource);
  return Judged(false, observed, kExpected, kHwCountersSource);
}

}  // namespace

std::vector<Check> RdmaCountedChecks() {
  return {
      {.id = "cnt.rdma-retrans",
       .title = "Nothing was sent again while the port was watched",
       .why = "What is sent again was lost, itself or its acknowledgement, and each time costs a timeout",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("frames are lost on the way, or a receiver answers too late")
                  .Do("compare the drops of both ends and of the switch ports between them", StepSite::kSwitch)
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeNoGrowth<ErrorTopic::kRetransmission>},
      {.id = "cnt.sequence",
       .title = "No packet was missing while the port was watched",
       .why = "A gap in the sequence is a lost frame, or one that overtook another on a second path",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("frames are lost on the way, or overtake each other on two paths")
                  .Do("compare the drops of both ends and of the switch ports between them", StepSite::kSwitch)
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeNoGrowth<ErrorTopic::kSequence>},
      {.id = "cnt.rnr",
       .title = "Receivers had a buffer posted for whatever came",
       .why = "The sender waits when a receiver has none; that is its software, and not the network",
       .fix = Fix("rdma resource show qp link {device}/{port}")
                  .Because("a program posts too few receives, or too late")
                  .Do("let the program that owns the queue pairs post more receives")
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeCntRnr},
      {.id = "cnt.retry-exceeded",
       .title = "No connection broke because its retries were used up",
       .why = "The queue pair is lost with all that it carried: storage sessions are set up anew",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("the other end was not reached for seconds")
                  .Do("look at links, routes and PFC on the way to it", StepSite::kSwitch)
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .blocks_for = &kDemandsLossless,
       .depends_on = {"link.state"},
       .judge = JudgeNoGrowth<ErrorTopic::kRetriesUsedUp>},
      {.id = "cnt.remote-access",
       .title = "Nobody was refused access to memory",
       .why = "A wrong key or a right that was not given is a program's fault, or somebody's attempt",
       .fix = Fix("rdma resource show qp link {device}/{port}")
                  .Because("a program used a wrong key, or a peer asked for what it was not given")
                  .Do("find the peer by its queue pair, and read the log of that program")
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeNoGrowth<ErrorTopic::kRemoteAccess>},
      {.id = "cnt.icrc",
       .title = "No RoCE packet arrived damaged",
       .why = "RoCE's own checksum is right where the link's was too: something in between changed the packet",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("a device on the way rewrites packets, or a faulty one damages them")
                  .Do("look for what changes packets between the two: NAT, a tunnel, a faulty switch",
                      StepSite::kSwitch)
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeNoGrowth<ErrorTopic::kDamaged>},
      {.id = "cnt.cm-retries",
       .title = "Connections are made and ended without a message being sent again",
       .why = "Each message that has to be sent again makes somebody wait for a second and more",
       .fix = Fix("grep -r . /sys/class/infiniband/{device}/ports/{port}/cm_tx_retries")
                  .Because("the peer is slow, or messages are lost on the way")
                  .Do("look at links and VLANs on the way, and at the load of the peer")
                  .CheckBy("grep -r . /sys/class/infiniband/{device}/ports/{port}/cm_tx_retries"),
       .depends_on = {"link.state"},
       .judge = JudgeCntCmRetries},
      {.id = "cnt.cqe",
       .title = "No work ended in an error",
       .why = "Each one is a request of storage that failed, and mostly the end of its connection",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("retries were used up, access was refused, or a receiver was not ready")
                  .Do("see which of those counters grew; the log of the program has the rest")
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeCntCqe},
      {.id = "iw.retrans",
       .title = "iWARP sends few segments again",
       .why = "TCP makes good what is lost, but slows down for each loss",
       .fix = Fix("rdma statistic show link {device}/{port}")
                  .Because("segments are lost on the way")
                  .Do("look at links, switch ports and MTU on the way", StepSite::kSwitch)
                  .CheckBy("rdma statistic show link {device}/{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeIwRetrans},
  };
}

}  // namespace rdmaready
