// SPDX-License-Identifier: Apache-2.0
#include "cli/render/ets_output.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/documents.h"
#include "cli/render/report/remedy_notes.h"
#include "cli/render/stress_flow_view.h"

namespace rdmaready {

constexpr std::string_view NameOf(EtsVerdict verdict) {
  switch (verdict) {
    case EtsVerdict::kUnknown:
      return "unknown";
    case EtsVerdict::kKept:
      return "kept";
    case EtsVerdict::kBoundedByDemand:
      return "bounded-by-demand";
    case EtsVerdict::kNotKept:
      return "not-kept";
  }
  return "unknown";
}

constexpr std::string_view NameOf(EtsPlace place) {
  switch (place) {
    case EtsPlace::kUnknown:
      return "unknown";
    case EtsPlace::kSenderNic:
      return "sender-nic";
    case EtsPlace::kSwitchPort:
      return "switch-port";
  }
  return "unknown";
}

namespace {

struct EtsView : StressFlowView {
  using StressFlowView::Fields;
  static void Fields(const EtsClass& one, auto& list) {
    list("priority", one.priority, "counted", one.counted, "traffic_class", one.traffic_class);
    list.Derived("selection", [](const EtsClass& of) {
      return of.selection ? std::string(Name(*of.selection)) : std::string();
    });
    list("configured_permille", one.configured_permille, "share_permille", one.share_permille,
         "beside_bytes_per_s", one.beside_bytes_per_s, "alone_bytes_per_s", one.alone_bytes_per_s,
         "bounded_by_demand", one.bounded_by_demand);
  }
  static void Fields(const JudgedEts&, auto& list) {
    constexpr auto kRun = [](const JudgedEts& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedEts& one) { return &one.judged; };
    list.Of(kRun, [](const EtsRun& run, auto& part) { part("run_id", run.run_id); });
    list.Of(kJudged, [](const EtsJudgement& judged, auto& part) {
      part("verdict", judged.verdict, "text", judged.text, "culprit", judged.culprit);
      part.Derived("remedy", [](const EtsJudgement& one) { return one.fix.remedy(); });
      part("place", judged.place, "rdma", judged.rdma, "tcp", judged.tcp);
    });
    list.Of(kRun, [](const EtsRun& run, auto& part) {
      part("tcp_tos", run.tcp_tos, "sender_bytes_per_s", run.sender_bytes_per_s, "receiver_bytes_per_s",
           run.receiver_bytes_per_s, "rdma_alone", run.rdma_alone, "tcp_alone", run.tcp_alone, "rdma_beside",
           run.rdma, "tcp_beside", run.tcp);
    });
  }
};

constexpr convert::DocumentOf<JudgedEts> kEtsDocument{
    {"rdmaready.v1.Ets", &describe::Described<JudgedEts, EtsView>::kType}};

std::string NumberText(const std::optional<std::uint32_t>& number) {
  return number ? std::to_string(*number) : "?";
}

std::string TrafficClassText(const EtsClass& one) {
  std::string text = NumberText(one.traffic_class);
  if (one.selection) text += " (" + std::string(Name(*one.selection)) + ")";
  return text;
}

std::vector<std::string> RowOfClass(std::string_view name, const EtsClass& one) {
  return {std::string(name),
          NumberText(one.priority),
          TrafficClassText(one),
          one.configured_permille ? ShareText(*one.configured_permille) : "?",
          ShareText(one.share_permille),
          RateText(one.beside_bytes_per_s),
          RateText(one.alone_bytes_per_s),
          one.bounded_by_demand ? "bounded by demand" : ""};
}

Tone ToneOfEts(EtsVerdict verdict) {
  switch (verdict) {
    case EtsVerdict::kKept:
      return Tone::kGood;
    case EtsVerdict::kNotKept:
      return Tone::kBad;
    case EtsVerdict::kUnknown:
    case EtsVerdict::kBoundedByDemand:
      break;
  }
  return Tone::kWarning;
}

}  // namespace

std::string EtsJson(const JudgedEts& ets) { return kEtsDocument.Text(ets); }

std::span<const convert::Document> EtsDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kEtsDocument};
  return kDocuments;
}

std::string EtsResultText(const JudgedEts& ets, const Style& style) {
  const EtsRun& run = ets.run;
  const EtsJudgement& judged = ets.judged;
  const std::vector<std::vector<std::string>> rows{
      {"", "priority", "class", "configured", "share", "rate", "alone", ""},
      RowOfClass("RDMA", judged.rdma),
      RowOfClass("TCP", judged.tcp)};
  std::string text = style.Paint(ToneOfEts(judged.verdict), judged.text) + "\n";
  if (!judged.culprit.empty()) {
    text += "  " + judged.culprit + "\n";
    text += RemedyNotes(style, judged.fix.remedy());
  }
  text += "\n" +
          style.Paint(Tone::kStrong, "RDMA and TCP, " + Printable(run.rdma.from + " -> " + run.rdma.to)) +
          "\n" + Table(style, rows, 2);
  if (const std::string grown = GrowthText(run.rdma.counters); !grown.empty())
    text += "  counted  " + grown + "\n";
  return text;
}

ExitStatus StatusOf(const JudgedEts& ets) {
  switch (ets.judged.verdict) {
    case EtsVerdict::kKept:
      return ExitStatus::kOk;
    case EtsVerdict::kNotKept:
      return ExitStatus::kNotReady;
    case EtsVerdict::kUnknown:
    case EtsVerdict::kBoundedByDemand:
      break;
  }
  return ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
