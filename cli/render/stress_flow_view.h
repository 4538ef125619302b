// SPDX-License-Identifier: Apache-2.0
// StressFlowView: one transfer of a stress test in JSON, in every view that has one. Only for the .cc file of a
// view.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/model/stress_flow.h"
#include "checks/counted/error_counters.h"
#include "checks/words/words.h"
#include "cli/render/remedy_view.h"

namespace rdmaready {

// An end's counters that grew, in words, and what held it back.
struct EndGrowth {
  std::string host{};
  std::string grown{};
  std::vector<PressureSample> pressure{};
};

struct StressFlowView : RemedyView {
  using RemedyView::Fields;
  static void Fields(const PressureSample& one, auto& list) {
    list("begin_ms", one.begin_ms, "length_ms", one.length_ms, "pauses", one.pauses, "marks", one.marks,
         "drops", one.drops, "idle_permille", one.idle_permille);
  }
  static void Fields(const EndGrowth& end, auto& list) {
    list("host", end.host, "grown", end.grown, "pressure", end.pressure);
  }
  static void Fields(const StressFlow& flow, auto& list) {
    list("from", flow.from, "to", flow.to, "sender_has_pfc", flow.sender_has_pfc);
    constexpr auto kResult = [](const StressFlow& of) { return &of.result; };
    list.Of(kResult, [](const TransferResult& result, auto& part) {
      part("case", result.case_name, "throughput_bytes_per_s", result.throughput_bytes_per_s,
           "worst_interval_bytes_per_s", result.worst_interval_bytes_per_s, "bytes_verified",
           result.bytes_verified, "bytes_wrong", result.bytes_wrong);
      part.Derived("latency_p99_ns", [](const TransferResult& of) {
        return of.latency.p99_ns == 0 ? std::nullopt
                                      : std::optional(of.latency.p99_ns);  // nothing was completed
      });
      part.Derived("failure", [](const TransferResult& of) {
        return of.failure.kind == FailureKind::kNone ? std::string() : Printable(of.failure.detail);
      });
      part("interval_ms", result.interval_ms, "interval_bytes", result.interval_bytes);
    });
    list.Derived("ends", [](const StressFlow& of) {
      std::vector<EndGrowth> ends;
      for (const EndCounters& end : of.counters)
        ends.push_back({end.host, GrowthText({&end, 1}), end.pressure});
      return ends;
    });
  }
};

}  // namespace rdmaready
