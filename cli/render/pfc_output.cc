// SPDX-License-Identifier: Apache-2.0
#include "cli/render/pfc_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/documents.h"
#include "cli/render/report/remedy_notes.h"
#include "cli/render/stress_flow_view.h"

namespace rdmaready {

constexpr std::string_view NameOf(PfcVerdict verdict) {
  switch (verdict) {
    case PfcVerdict::kUnknown:
      return "unknown";
    case PfcVerdict::kObeys:
      return "obeys";
    case PfcVerdict::kGoesOn:
      return "does-not-obey";
    case PfcVerdict::kStopsAll:
      return "stops-other-classes";
  }
  return "unknown";
}

namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;

struct PfcView : StressFlowView {
  using StressFlowView::Fields;
  static void Fields(const PauseBurst& burst, auto& list) {
    list("frames", burst.frames, "paused_ns", burst.paused_ns, "ended", burst.ended);
  }
  static void Fields(const JudgedPfc&, auto& list) {
    constexpr auto kRun = [](const JudgedPfc& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedPfc& one) { return &one.judged; };
    list.Of(kRun, [](const PfcRun& run, auto& part) {
      part("run_id", run.run_id, "pauser", run.pauser, "judged", run.judged, "priority", run.priority);
    });
    list.Of(kJudged, [](const PfcJudgement& judged, auto& part) {
      part("verdict", judged.verdict, "text", judged.text, "culprit", judged.culprit);
      part.Derived("remedy", [](const PfcJudgement& one) { return one.fix.remedy(); });
      part("stops", judged.stops, "quiet_ns", judged.quiet_ns, "paused_ns", judged.paused_ns, "beside_permille",
           judged.beside_permille, "pauses_counted", judged.pauses_counted);
    });
    list.Of(kRun, [](const PfcRun& run, auto& part) {
      part("link", run.link, "burst_ns", run.burst_ns, "gap_ns", run.gap_ns, "bursts", run.bursts,
           "pause_failure", run.pause_failure, "pauses_from_ns", run.pauses_from_ns, "pauses_until_ns",
           run.pauses_until_ns, "paused", run.paused, "beside", run.beside);
    });
  }
};

constexpr convert::DocumentOf<JudgedPfc> kPfcDocument{
    {"rdmaready.v1.Pfc", &describe::Described<JudgedPfc, PfcView>::kType}};

std::string PfcWord(std::optional<bool> has_pfc) { return !has_pfc ? "not known" : *has_pfc ? "on" : "off"; }

std::string BurstsText(const PfcRun& run) {
  std::int64_t paused_ns = 0;
  std::size_t open = 0;
  for (const PauseBurst& burst : run.bursts) {
    paused_ns += std::clamp<std::int64_t>(burst.paused_ns, 0, run.burst_ns);
    if (!burst.ended) ++open;
  }
  std::string text = fmt::format("{} of {} ms each, {} ms in all", run.bursts.size(), run.burst_ns / kNsOfMs,
                                 paused_ns / kNsOfMs);
  if (open > 0)
    text += fmt::format("; {} not ended by a frame of zero quanta: the partner went on by itself", open);
  return text;
}

std::vector<std::string> RowOfPfc(std::string_view name, const StressFlow& flow) {
  const TransferResult& result = flow.result;
  return {std::string(name), RateText(result.throughput_bytes_per_s),
          result.failure.kind == FailureKind::kNone ? "" : Printable(result.failure.detail)};
}

Tone ToneOfPfc(PfcVerdict verdict) {
  switch (verdict) {
    case PfcVerdict::kObeys:
      return Tone::kGood;
    case PfcVerdict::kGoesOn:
    case PfcVerdict::kStopsAll:
      return Tone::kBad;
    case PfcVerdict::kUnknown:
      break;
  }
  return Tone::kWarning;
}

}  // namespace

std::string PfcJson(const JudgedPfc& pfc) { return kPfcDocument.Text(pfc); }

std::span<const convert::Document> PfcDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kPfcDocument};
  return kDocuments;
}

std::string PfcResultText(const JudgedPfc& pfc, const Style& style) {
  const PfcRun& run = pfc.run;
  const PfcJudgement& judged = pfc.judged;
  const std::vector<std::vector<std::string>> rows{
      {"", "rate", ""}, RowOfPfc("paused transfer", run.paused), RowOfPfc("other transfer", run.beside)};
  std::string text = style.Paint(ToneOfPfc(judged.verdict), judged.text) + "\n";
  if (!judged.culprit.empty()) text += "  " + judged.culprit + "\n";
  if (!judged.fix.empty()) text += RemedyNotes(style, judged.fix.remedy());
  const std::string what = fmt::format("{} pauses priority {} of {}", run.pauser, run.priority, run.judged);
  text += "\n" + style.Paint(Tone::kStrong, Printable(what)) + "\n";
  text += Printable(fmt::format("  link    {}", run.link)) + "\n";
  text += Printable(fmt::format("  PFC     of priority {} at {}: {}", run.priority, run.judged,
                                PfcWord(run.paused.sender_has_pfc))) +
          "\n";
  text += "  pauses  " + BurstsText(run) + "\n" + Table(style, rows, 2);
  if (const std::string grown = GrowthText(run.paused.counters); !grown.empty())
    text += "  counted  " + grown + "\n";
  return text;
}

ExitStatus StatusOf(const JudgedPfc& pfc) {
  switch (pfc.judged.verdict) {
    case PfcVerdict::kObeys:
      return ExitStatus::kOk;
    case PfcVerdict::kGoesOn:
    case PfcVerdict::kStopsAll:
      return ExitStatus::kNotReady;
    case PfcVerdict::kUnknown:
      break;
  }
  return ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
