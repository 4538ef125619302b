// SPDX-License-Identifier: Apache-2.0
// cnt.rdma-retrans, cnt.sequence, cnt.rnr, cnt.retry-exceeded, cnt.remote-access, cnt.icrc, cnt.cm-retries,
// cnt.cqe, ecn.loop-closed, iw.retrans: what RDMA's own counters did while the port was watched.
#include <algorithm>
#include <span>

#include "checks/counted/window.h"
#include "checks/families.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kSource = "sysfs hw_counters, two readings";
constexpr std::string_view kNoGrowth = "no growth";

bool HasAny(const Port& port, std::span<const ErrorTopic> topics) {
  return std::ranges::any_of(*port.hw_counters, [&topics](const Counter& counter) {
    return std::ranges::any_of(topics, [&counter](ErrorTopic topic) {
      return IsAbout(counter.name, CounterFamily::kHardware, topic);
    });
  });
}

std::string NotCounted(const Port& port, std::span<const ErrorTopic> topics) {
  if (std::string reason = NotWatched(port); !reason.empty()) return reason;
  if (NotOffered(port.hw_counters)) return port.hw_counters.missing().detail;
  return port.hw_counters && !HasAny(port, topics) ? "the driver does not count them" : "";
}

template <ErrorTopic... kTopics>
std::string NotApplicable(const PortView& view) {
  constexpr ErrorTopic kAll[] = {kTopics...};
  return NotCounted(view.port, kAll);
}

std::string Observed(const Port& port, const std::vector<CounterChange>& changes) {
  const std::string grown = GrownText(changes);
  return Cat(grown.empty() ? std::string(kNoGrowth) : grown, InWindow(port));
}

template <ErrorTopic kTopic>
Verdict JudgeNoGrowth(const PortView& view) {
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kSource);
  const std::vector<CounterChange> changes = ChangesAbout(*all, kTopic);
  return Judged(TotalGrowth(changes) == 0, Observed(view.port, changes), std::string(kNoGrowth), kSource);
}

Verdict JudgeNotReady(const PortView& view) {
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kSource);
  std::vector<CounterChange> changes = ChangesAbout(*all, ErrorTopic::kReceiverNotReady);
  const std::vector<CounterChange> never = ChangesAbout(*all, ErrorTopic::kReceiverNeverReady);
  changes.insert(changes.end(), never.begin(), never.end());
  const std::string observed = Observed(view.port, changes);
  if (TotalGrowth(changes) > 0 && TotalGrowth(never) == 0)
    return Warned(observed, std::string(kNoGrowth), kSource);
  return Judged(TotalGrowth(changes) == 0, observed, std::string(kNoGrowth), kSource);
}

// ---- cnt.cm-retries ----

bool IsCmRetry(std::string_view name) { return name.starts_with("cm_tx_retries/"); }

std::string CmNotApplicable(const PortView& view) {
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return counters.missing().detail;
  const bool any = !counters || std::ranges::any_of(
                                    *counters, [](const Counter& counter) { return IsCmRetry(counter.name); });
  return any ? "" : "the kernel does not count them";
}

Verdict JudgeCmRetries(const PortView& view) {
  constexpr std::string_view kCmSource = "sysfs cm_tx_retries, two readings";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kCmSource);
  std::vector<CounterChange> changes = *all;
  std::erase_if(changes, [](const CounterChange& change) { return !IsCmRetry(change.name); });
  return Judged(TotalGrowth(changes) == 0, Observed(view.port, changes), std::string(kNoGrowth), kCmSource);
}

// ---- cnt.cqe ----

bool IsFlushed(std::string_view name) { return name.ends_with("_cqe_flush_error"); }
bool IsCqeError(std::string_view name) { return name.ends_with("_cqe_error"); }

std::string CqeNotApplicable(const PortView& view) {
  if (std::string reason = NotWatched(view.port); !reason.empty()) return reason;
  const Fact<std::vector<Counter>>& counters = view.port.hw_counters;
  if (NotOffered(counters)) return counters.missing().detail;
  const bool any = !counters || std::ranges::any_of(
                                    *counters, [](const Counter& counter) { return IsCqeError(counter.name); });
  return any ? "" : "the driver does not count them";
}

// A queue pair that is taken down ends what it had under way as flushed: those are no errors, and are counted
// in both.
Verdict JudgeCqe(const PortView& view) {
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kNoGrowth), kSource);
  std::vector<CounterChange> errors = *all;
  std::vector<CounterChange> flushed = *all;
  std::erase_if(errors, [](const CounterChange& change) { return !IsCqeError(change.name); });
  std::erase_if(flushed, [](const CounterChange& change) { return !IsFlushed(change.name); });
  std::string observed = Observed(view.port, errors);
  const std::uint64_t of_teardown = TotalGrowth(flushed);
  if (of_teardown > 0) observed += Cat(", ", of_teardown, " of them as a queue pair was taken down");
  return Judged(TotalGrowth(errors) <= of_teardown, observed, std::string(kNoGrowth), kSource);
}

// ---- ecn.loop-closed ----

Verdict JudgeLoop(const PortView& view) {
  constexpr std::string_view kExpected = "marks are answered by notifications, and none of those is ignored";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kExpected), kSource);
  const auto grown = [&all](ErrorTopic topic) { return TotalGrowth(ChangesAbout(*all, topic)); };
  const std::uint64_t marked = grown(ErrorTopic::kEcnMarked);
  const std::uint64_t sent = grown(ErrorTopic::kCnpSent);
  const std::uint64_t handled = grown(ErrorTopic::kCnpHandled);
  const std::uint64_t ignored = grown(ErrorTopic::kCnpIgnored);
  const std::string observed = Cat(marked, " packets marked, ", sent, " notifications sent, ", handled,
                                   " received and handled, ", ignored, " ignored", InWindow(view.port));
  if (ignored > 0 && (marked == 0 || sent > 0)) return Warned(observed, std::string(kExpected), kSource);
  return Judged(marked == 0 || sent > 0, observed, std::string(kExpected), kSource);
}

// ---- iw.retrans ----

std::string RetransNotApplicable(const PortView& view) {
  const bool other = view.port.transport && *view.port.transport != Transport::kIwarp &&
                     *view.port.transport != Transport::kUnknown;
  return other ? "not iWARP" : NotApplicable<ErrorTopic::kTcpRetransmission>(view);
}

bool IsSegmentsSent(std::string_view name) { return name.ends_with("OutSegs"); }

std::string PerMilleText(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t per_100k = whole == 0 ? 0 : part * 100'000 / whole;
  const std::uint64_t fraction = per_100k % 1000;
  return Cat(per_100k / 1000, ".", fraction / 100, fraction / 10 % 10, "%");
}

// By experience; no standard has a number.
Verdict JudgeRetrans(const PortView& view) {
  constexpr std::string_view kExpected = "at most 0.1% of the segments sent again";
  const Fact<std::vector<CounterChange>> all = HardwareChanges(view.port);
  if (!all) return NoAnswer(all.missing(), std::string(kExpected), kSource);
  std::vector<CounterChange> sent = *all;
  std::erase_if(sent, [](const CounterChange& change) { return !IsSegmentsSent(change.name); });
  const std::uint64_t again = TotalGrowth(ChangesAbout(*all, ErrorTopic::kTcpRetransmission));
  const std::uint64_t segments = std::max(TotalGrowth(sent), again);
  const std::string observed = Cat(again, " of ", segments, " segments sent again", InWindow(view.port),
                                   segments == 0 ? "" : ", " + PerMilleText(again, segments));
  if (again * 1000 <= segments) return Judged(true, observed, std::string(kExpected), kSource);
  if (again * 100 <= segments) return Warned(observed, std::string(kExpected), kSource);
  return Judged(false, observed, std::string(kExpected), kSource);
}

}  // namespace

Check CntRdmaRetrans() {
  return {.id = "cnt.rdma-retrans",
          .title = "Nothing was sent again while the port was watched",
          .why = "What is sent again was lost, itself or its acknowledgement, and each time costs a timeout",
          .fix =
              "rdma statistic show link {device}/{port}  # compare both ends, and the switch port between "
              "them: where are frames dropped?",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kRetransmission>,
                                 JudgeNoGrowth<ErrorTopic::kRetransmission>}};
}

Check CntSequence() {
  return {.id = "cnt.sequence",
          .title = "No packet was missing while the port was watched",
          .why = "A gap in the sequence is a lost frame, or one that overtook another on a second path",
          .fix =
              "rdma statistic show link {device}/{port}  # compare both ends, and the switch port between "
              "them: where are frames dropped?",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kSequence>, JudgeNoGrowth<ErrorTopic::kSequence>}};
}

Check CntRnr() {
  return {.id = "cnt.rnr",
          .title = "Receivers had a buffer posted for whatever came",
          .why = "The sender waits when a receiver has none; that is its software, and not the network",
          .fix =
              "rdma resource show qp link {device}/{port}  # whose queue pairs: let that program post more "
              "receives",
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kReceiverNotReady, ErrorTopic::kReceiverNeverReady>,
                                 JudgeNotReady}};
}

Check CntRetryExceeded() {
  return {.id = "cnt.retry-exceeded",
          .title = "No connection broke because its retries were used up",
          .why = "The queue pair is lost with all that it carried: storage sessions are set up anew",
          .fix =
              "rdma statistic show link {device}/{port}  # the other end was not reached for seconds: links, "
              "routes and PFC on the way",
          .blocks_for = &kDemandsLossless,
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kRetriesUsedUp>,
                                 JudgeNoGrowth<ErrorTopic::kRetriesUsedUp>}};
}

Check CntRemoteAccess() {
  return {.id = "cnt.remote-access",
          .title = "Nobody was refused access to memory",
          .why = "A wrong key or a right that was not given is a program's fault, or somebody's attempt",
          .fix = "rdma resource show qp link {device}/{port}  # who is connected, with which process here",
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kRemoteAccess>,
                                 JudgeNoGrowth<ErrorTopic::kRemoteAccess>}};
}

Check CntIcrc() {
  return {
      .id = "cnt.icrc",
      .title = "No RoCE packet arrived damaged",
      .why = "RoCE's own checksum is right where the link's was too: something in between changed the packet",
      .fix =
          "rdma statistic show link {device}/{port}  # devices on the way that rewrite packets, and faulty "
          "ones",
      .depends_on = {"link.state"},
      .rule = Rule<PortView>{NotApplicable<ErrorTopic::kDamaged>, JudgeNoGrowth<ErrorTopic::kDamaged>}};
}

Check CntCmRetries() {
  return {.id = "cnt.cm-retries",
          .title = "Connections are made and ended without a message being sent again",
          .why = "Each message that has to be sent again makes somebody wait for a second and more",
          .fix =
              "grep -r . /sys/class/infiniband/{device}/ports/{port}/cm_tx_retries  # the peer is slow, or "
              "messages are lost on the way: links, VLANs, its RDMA-CM",
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{CmNotApplicable, JudgeCmRetries}};
}

Check CntCqe() {
  return {
      .id = "cnt.cqe",
      .title = "No work ended in an error",
      .why = "Each one is a request of storage that failed, and mostly the end of its connection",
      .fix =
          "rdma statistic show link {device}/{port}  # which error: retries, access and RNR have counters of "
          "their own; the program's log has the rest",
      .depends_on = {"link.state"},
      .rule = Rule<PortView>{CqeNotApplicable, JudgeCqe}};
}

Check EcnLoopClosed() {
  return {.id = "ecn.loop-closed",
          .title = "Marks of congestion are answered, and answers heeded",
          .why = "Where a mark does not slow its sender down, queues grow until PFC stops everybody",
          .fix =
              "rdma statistic show link {device}/{port}  # switch the NIC's congestion control on for priority "
              "{priority}: notification point here, reaction point at the senders",
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{NotApplicable<ErrorTopic::kEcnMarked, ErrorTopic::kCnpIgnored>, JudgeLoop}};
}

Check IwRetrans() {
  return {.id = "iw.retrans",
          .title = "iWARP sends few segments again",
          .why = "TCP makes good what is lost, but slows down for each loss",
          .fix = "rdma statistic show link {device}/{port}  # links, switch ports and MTU on the way",
          .depends_on = {"link.state"},
          .rule = Rule<PortView>{RetransNotApplicable, JudgeRetrans}};
}

}  // namespace rdmaready
