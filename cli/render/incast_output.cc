// SPDX-License-Identifier: Apache-2.0
#include "cli/render/incast_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr std::string_view NameOf(IncastVerdict verdict) {
  switch (verdict) {
    case IncastVerdict::kUnknown:
      return "unknown";
    case IncastVerdict::kLossless:
      return "lossless-works";
    case IncastVerdict::kControlled:
      return "lossy-but-controlled";
    case IncastVerdict::kCollapsing:
      return "collapsing";
  }
  return "unknown";
}

namespace {

// Ratios of numbers that come from agents, of any size.
std::optional<std::uint32_t> PercentOf(const std::optional<double>& ratio) {
  constexpr double kMost = 1'000'000'000;
  if (!ratio) return std::nullopt;
  return static_cast<std::uint32_t>(std::clamp(*ratio * 100, 0.0, kMost));
}

struct IncastView : StressFlowView {
  using StressFlowView::Fields;
  static void Fields(const JudgedIncast&, auto& list) {
    constexpr auto kRun = [](const JudgedIncast& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedIncast& one) { return &one.judged; };
    list.Of(kRun, [](const IncastRun& run, auto& part) { part("run_id", run.run_id); });
    list.Of(kJudged, [](const IncastJudgement& judged, auto& part) {
      part("verdict", judged.verdict, "text", judged.text, "culprit", judged.culprit);
      part.Derived("remedy", [](const IncastJudgement& one) { return one.fix.remedy(); });
      part("goodput_bytes_per_s", judged.goodput_bytes_per_s);
      part.Derived("fairness_permille",
                   [](const IncastJudgement& one) { return static_cast<std::uint32_t>(one.fairness * 1000); });
      part("pressure_permille", judged.pressure_permille, "lost", judged.lost, "profile_wants_lossless",
           judged.wants_lossless);
      part.Derived("victim_growth_percent",
                   [](const IncastJudgement& one) { return PercentOf(one.victim_growth); });
      part.Derived("victim_noise_percent",
                   [](const IncastJudgement& one) { return PercentOf(one.victim_noise); });
    });
    list.Of(kRun, [](const IncastRun& run, auto& part) {
      part("drain_bytes_per_s", run.drain_bytes_per_s, "drain_is_given", run.drain_is_given,
           "offered_bytes_per_s", run.offered_bytes_per_s, "victim_shares_a_sender", run.victim_shares_a_sender,
           "victim_elsewhere", run.victim_elsewhere, "senders", run.senders, "victim_alone", run.victim_alone,
           "victim_again", run.victim_again, "victim", run.victim, "second_victim_alone",
           run.second_victim_alone, "second_victim", run.second_victim);
    });
  }
};

constexpr convert::DocumentOf<JudgedIncast> kIncastDocument{
    {"rdmaready.v1.Incast", &describe::Described<JudgedIncast, IncastView>::kType}};

std::vector<std::string> RowOf(std::string_view name, const StressFlow& flow) {
  const TransferResult& result = flow.result;
  return {std::string(name),
          Printable(flow.from + " -> " + flow.to),
          RateText(result.throughput_bytes_per_s),
          RateText(result.worst_interval_bytes_per_s),
          result.latency.p99_ns == 0 ? "" : DurationText(result.latency.p99_ns),
          result.failure.kind == FailureKind::kNone ? "" : Printable(result.failure.detail)};
}

}  // namespace

std::string IncastJson(const JudgedIncast& incast) { return kIncastDocument.Text(incast); }

std::span<const convert::Document> IncastDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kIncastDocument};
  return kDocuments;
}

namespace {

Tone ToneOf(const JudgedIncast& incast) {
  switch (StatusOf(incast)) {
    case ExitStatus::kOk:
      return Tone::kGood;
    case ExitStatus::kNotReady:
      return incast.judged.verdict == IncastVerdict::kControlled ? Tone::kWarning : Tone::kBad;
    default:
      return Tone::kWarning;
  }
}

}  // namespace

std::string IncastText(const JudgedIncast& incast, const Style& style) {
  const IncastRun& run = incast.run;
  const IncastJudgement& judged = incast.judged;
  std::string text = style.Paint(ToneOf(incast), judged.text) + "\n";
  if (judged.verdict == IncastVerdict::kControlled && judged.wants_lossless)
    text += "  the profile wants a lossless class\n";
  if (!judged.culprit.empty()) {
    text += "  " + judged.culprit + "\n";
    text += RemedyNotes(style, judged.fix.remedy());
  }
  std::vector<std::vector<std::string>> rows{{"", "way", "rate", "worst 100 ms", "p99", ""}};
  for (const StressFlow& flow : run.senders) rows.push_back(RowOf("sender", flow));
  if (run.victim_alone) rows.push_back(RowOf("victim alone", *run.victim_alone));
  if (run.victim_again) rows.push_back(RowOf("again", *run.victim_again));
  if (run.victim) rows.push_back(RowOf("victim", *run.victim));
  if (run.second_victim_alone) rows.push_back(RowOf("second victim alone", *run.second_victim_alone));
  if (run.second_victim) rows.push_back(RowOf("second victim", *run.second_victim));
  const std::string receiver = run.senders.empty() ? "" : run.senders[0].to;
  text += "\n" + style.Paint(Tone::kStrong, "incast to " + Printable(receiver)) + "\n" + Table(style, rows, 2);
  for (const StressFlow& flow : run.senders)
    if (const std::string grown = GrowthText(flow.counters); !grown.empty())
      text += "  counted  " + grown + "\n";
  return text;
}

ExitStatus StatusOf(const JudgedIncast& incast) {
  switch (incast.judged.verdict) {
    case IncastVerdict::kLossless:
      return ExitStatus::kOk;
    case IncastVerdict::kControlled:
      return incast.judged.wants_lossless ? ExitStatus::kNotReady : ExitStatus::kOk;
    case IncastVerdict::kCollapsing:
      return ExitStatus::kNotReady;
    case IncastVerdict::kUnknown:
      break;
  }
  return ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
