// SPDX-License-Identifier: Apache-2.0
#include "checks/live/failover.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsOfMillisecond = 1'000'000;

// Both ends count the whole run, and each path brings what they had when it ended. All counts only grow.
std::optional<NumberedIo> LastOf(const FailoverRun& run) {
  std::optional<NumberedIo> last;
  NumberedLogView log;
  const auto age = [](const NumberedIo& io) { return std::pair(io.complete, io.answered + io.unconfirmed); };
  for (const FailoverPath& path : run.paths) {
    for (const PathUse& use : path.uses) {
      const std::optional<NumberedIo>& io = use.result.numbered;
      if (!io) continue;
      if (!last || age(*last) < age(*io)) last = io;
      log.arrived = std::max(log.arrived, io->log.arrived);
      log.doubled = std::max(log.doubled, io->log.doubled);
      log.late = std::max(log.late, io->log.late);
      log.wrong = std::max(log.wrong, io->log.wrong);
      log.looked = std::max(log.looked, io->log.looked);
      log.worst_stall_ns = std::max(log.worst_stall_ns, io->log.worst_stall_ns);
      if (io->log.stalls.size() > log.stalls.size()) log.stalls = io->log.stalls;
    }
  }
  if (last) last->log = log;
  return last;
}

// The network lost it while it carried writes. One that was stopped, or that an agent ended, was not lost.
bool IsLost(const PathUse& use) {
  switch (use.result.failure.kind) {
    case FailureKind::kCompletion:
    case FailureKind::kDisconnected:
    case FailureKind::kStalled:
    case FailureKind::kLost:
      return use.result.messages > 0;
    default:
      return false;
  }
}

// Empty: the network alone kept writes from being answered.
std::string WhyIncomplete(const FailoverRun& run) {
  for (const FailoverPath& path : run.paths) {
    if (!path.refused.empty()) return Cat(Printable(path.subject), ": ", Printable(path.refused));
    for (const PathUse& use : path.uses)
      if (use.result.failure.kind != FailureKind::kNone && !IsLost(use))
        return Cat(Printable(path.subject), ": ", Printable(use.result.failure.detail));
  }
  return {};
}

JudgedFailoverPath JudgedOfPath(const FailoverPath& path) {
  JudgedFailoverPath judged{.subject = Printable(path.subject)};
  for (const PathUse& use : path.uses) {
    judged.writes += use.result.messages;
    if (judged.first_lost_ms && !judged.used_again_ms && use.result.messages > 0)
      judged.used_again_ms = use.begin_ms;
    if (!IsLost(use)) continue;
    if (judged.losses++ > 0) continue;
    judged.first_lost_ms = use.end_ms;
    judged.why_lost = Printable(use.result.failure.detail);
  }
  if (judged.first_lost_ms && !judged.used_again_ms) judged.why_not_again = Printable(path.last_failure);
  return judged;
}

// Absent while writes are under way: they may arrive still.
std::optional<std::uint64_t> LostOf(const NumberedIo& io) {
  if (!io.complete) return std::nullopt;
  const std::uint64_t accounted = io.log.arrived + io.unconfirmed;
  return io.issued > accounted ? io.issued - accounted : 0;
}

std::string WhyUnknown(const FailoverRun& run, const FailoverJudgement& judged) {
  if (!run.agent_gone.empty()) return Printable(run.agent_gone);
  if (!judged.io) return "no path reported its numbered writes";
  if (run.cut && !run.cut->failure.empty())
    return Cat("the program that cuts failed: ", Printable(run.cut->failure));
  if (!std::ranges::any_of(judged.paths, [](const auto& path) { return path.losses > 0; }))
    return "no path was lost while the test ran";
  if (judged.io->unconfirmed > 0)
    return Cat("nobody confirmed that a lost path can no longer write, so ",
               CountText(judged.io->unconfirmed, "write"), " could not be made again");
  if (!judged.io->complete) return WhyIncomplete(run);
  if (judged.io->log.looked + judged.io->unconfirmed < judged.io->issued)
    return "the responder's log is older than the end of the test";
  return {};
}

FailoverVerdict VerdictOf(FailoverJudgement& judged, const FailoverRun& run) {
  if (judged.io && run.agent_gone.empty()) {
    const NumberedLogView& log = judged.io->log;
    if (log.late > 0 || log.doubled > 0 || log.wrong > 0) return FailoverVerdict::kLosesWrites;
    if (judged.lost.value_or(0) > 0) return FailoverVerdict::kLosesWrites;
  }
  judged.why_unknown = WhyUnknown(run, judged);
  if (!judged.why_unknown.empty()) return FailoverVerdict::kUnknown;
  const bool in_time = judged.outage_ns <= judged.bound_ms * kNsOfMillisecond;
  return judged.io->complete && in_time ? FailoverVerdict::kFailsOver : FailoverVerdict::kTooLong;
}

std::string FailoverHeadline(const FailoverJudgement& judged) {
  const std::string bound = DurationText(judged.bound_ms * kNsOfMillisecond);
  if (judged.verdict == FailoverVerdict::kUnknown) return Cat("unknown: ", judged.why_unknown);
  const NumberedIo& io = *judged.io;
  const std::string outage = DurationText(judged.outage_ns);
  if (judged.verdict == FailoverVerdict::kLosesWrites)
    return Cat("writes are not safe where a path is lost: ", judged.lost.value_or(0), " lost, ", io.log.doubled,
               " doubled, ", io.log.late, " late and ", io.log.wrong, " damaged of ", io.issued);
  if (!io.complete)
    return Cat("takes too long: at the end ", io.issued - std::min(io.issued, io.answered + io.unconfirmed),
               " writes were not answered");
  if (judged.verdict == FailoverVerdict::kTooLong)
    return Cat("takes too long: a write was missing or not answered for ", outage, ", wanted at most ", bound);
  return Cat("fails over: no write was missing or not answered for longer than ", outage, " (wanted ", bound,
             "), and of ", io.issued, " none is lost, doubled or late");
}

}  // namespace

FailoverJudgement JudgeFailover(const FailoverRun& run, std::int64_t bound_ms) {
  FailoverJudgement judged{.bound_ms = bound_ms, .io = LastOf(run)};
  for (const FailoverPath& path : run.paths) judged.paths.push_back(JudgedOfPath(path));
  if (judged.io) {
    judged.lost = LostOf(*judged.io);
    judged.outage_ns = std::max(judged.io->log.worst_stall_ns, judged.io->worst_answer_ns);
  }
  judged.verdict = VerdictOf(judged, run);
  judged.text = FailoverHeadline(judged);
  return judged;
}

}  // namespace rdmaready
