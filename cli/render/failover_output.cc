// SPDX-License-Identifier: Apache-2.0
#include "cli/render/failover_output.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/documents.h"
#include "cli/render/stress_flow_view.h"

namespace rdmaready {

constexpr std::string_view NameOf(FailoverVerdict verdict) {
  switch (verdict) {
    case FailoverVerdict::kUnknown:
      return "unknown";
    case FailoverVerdict::kFailsOver:
      return "fails-over";
    case FailoverVerdict::kTooLong:
      return "too-long";
    case FailoverVerdict::kLosesWrites:
      return "loses-writes";
  }
  return "unknown";
}

namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;

struct FailoverView : StressFlowView {
  using StressFlowView::Fields;
  static void Fields(const PortWithoutPath& one, auto& list) {
    list("host", one.host, "port", one.port, "why", one.why);
  }
  static void Fields(const PathUse& use, auto& list) {
    list("begin_ms", use.begin_ms, "end_ms", use.end_ms);
    list.Derived("writes", [](const PathUse& of) { return of.result.messages; });
    list.Derived("failure", [](const PathUse& of) {
      return of.result.failure.kind == FailureKind::kNone ? std::string() : Printable(of.result.failure.detail);
    });
  }
  static void Fields(const JudgedFailoverPath& path, auto& list) {
    list("path", path.subject, "writes", path.writes, "losses", path.losses, "why_lost", path.why_lost,
         "first_lost_ms", path.first_lost_ms, "used_again_ms", path.used_again_ms, "why_not_again",
         path.why_not_again);
  }
  static void Fields(const FailoverPath& path, auto& list) {
    list("path", path.subject, "uses", path.uses, "attempts", path.attempts);
  }
  static void Fields(const CutProgram& cut, auto& list) {
    list("command", cut.command, "begin_ms", cut.begin_ms, "end_ms", cut.end_ms, "failure", cut.failure);
  }
  static void Fields(const JudgedFailover&, auto& list) {
    constexpr auto kRun = [](const JudgedFailover& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedFailover& one) { return &one.judged; };
    list.Of(kRun, [](const FailoverRun& run, auto& part) {
      part("run_id", run.run_id, "from", run.from, "to", run.to, "case", run.case_name, "duration_ms",
           run.duration_ms);
    });
    list.Of(kJudged, [](const FailoverJudgement& judged, auto& part) {
      part("verdict", judged.verdict, "text", judged.text, "max_outage_ms", judged.bound_ms, "outage_ns",
           judged.outage_ns, "writes", judged.io, "lost", judged.lost, "paths", judged.paths);
    });
    list.Of(kRun, [](const FailoverRun& run, auto& part) {
      part("without_path", run.without, "cut", run.cut, "uses", run.paths);
    });
  }
};

constexpr convert::DocumentOf<JudgedFailover> kFailoverDocument{
    {"rdmaready.v1.Failover", &describe::Described<JudgedFailover, FailoverView>::kType}};

Tone ToneOfFailover(FailoverVerdict verdict) {
  switch (verdict) {
    case FailoverVerdict::kFailsOver:
      return Tone::kGood;
    case FailoverVerdict::kTooLong:
    case FailoverVerdict::kLosesWrites:
      return Tone::kBad;
    case FailoverVerdict::kUnknown:
      break;
  }
  return Tone::kWarning;
}

std::string AtText(const std::optional<std::int64_t>& ms) {
  return ms ? DurationText(*ms * kNsOfMs) : std::string("never");
}

std::vector<std::string> RowOfFailoverPath(const JudgedFailoverPath& path) {
  return {path.subject, std::to_string(path.writes), std::to_string(path.losses), AtText(path.first_lost_ms),
          path.losses > 0 ? AtText(path.used_again_ms) : std::string()};
}

std::string WritesText(const NumberedIo& io, const std::optional<std::uint64_t>& lost) {
  return fmt::format(
      "  writes    {} made, {} answered (the slowest after {}), {} made again on another path, {} not "
      "confirmed\n"
      "  log       {} arrived, {} lost, {} doubled, {} damaged; of {} second looks at memory {} found a late "
      "write\n",
      io.issued, io.answered, DurationText(io.worst_answer_ns), io.reissued, io.unconfirmed, io.log.arrived,
      lost ? std::to_string(*lost) : "?", io.log.doubled, io.log.wrong, io.log.looked, io.log.late);
}

std::string StallsText(const NumberedLogView& log) {
  std::string text;
  for (const LogStall& stall : log.stalls)
    text += fmt::format("  stall     {} long, at {}\n", DurationText(stall.length_ns),
                        DurationText(stall.begin_ns));
  return text;
}

}  // namespace

std::string FailoverJson(const JudgedFailover& failover) { return kFailoverDocument.Text(failover); }

std::span<const convert::Document> FailoverDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kFailoverDocument};
  return kDocuments;
}

std::string FailoverText(const JudgedFailover& failover, const Style& style) {
  const FailoverRun& run = failover.run;
  const FailoverJudgement& judged = failover.judged;
  std::vector<std::vector<std::string>> rows{{"", "writes", "lost", "first lost at", "used again at"}};
  for (const JudgedFailoverPath& path : judged.paths) rows.push_back(RowOfFailoverPath(path));
  std::string text = style.Paint(ToneOfFailover(judged.verdict), judged.text) + "\n\n" +
                     style.Paint(Tone::kStrong, Printable(run.from + " -> " + run.to + ", " + run.case_name)) +
                     "\n" + Table(style, rows, 2);
  for (const JudgedFailoverPath& path : judged.paths) {
    if (!path.why_lost.empty()) text += "  " + path.subject + " was lost: " + path.why_lost + "\n";
    if (!path.why_not_again.empty())
      text += "  " + path.subject + " did not come back: " + path.why_not_again + "\n";
  }
  if (judged.io) text += WritesText(*judged.io, judged.lost) + StallsText(judged.io->log);
  if (run.cut)
    text += fmt::format("  program   {}, from {} to {}\n", Printable(run.cut->command.front()),
                        DurationText(run.cut->begin_ms * kNsOfMs), DurationText(run.cut->end_ms * kNsOfMs));
  for (const PortWithoutPath& one : run.without)
    text += "  " + Printable(one.port + " of " + one.host + " is on no path: " + one.why) + "\n";
  return text;
}

ExitStatus StatusOf(const JudgedFailover& failover) {
  switch (failover.judged.verdict) {
    case FailoverVerdict::kFailsOver:
      return ExitStatus::kOk;
    case FailoverVerdict::kTooLong:
    case FailoverVerdict::kLosesWrites:
      return ExitStatus::kNotReady;
    case FailoverVerdict::kUnknown:
      break;
  }
  return ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
