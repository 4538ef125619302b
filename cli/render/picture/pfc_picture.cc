// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/pfc_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "cli/render/picture/rate_plot.h"

namespace rdmaready {
namespace {

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr int kPfcNamesBeneath = 50;

// From the caller's call until its answer: the pauser does not say when each burst began.
void DrawPauses(const PfcRun& run, RatePlot& plot) {
  if (run.bursts.empty()) return;
  const int left = plot.X(run.pauses_from_ns / kNsOfMs);
  const int width = std::max(plot.X(run.pauses_until_ns / kNsOfMs) - left, 1);
  const std::string what = fmt::format("{} pauses of {} ms, {} ms between two of them", run.bursts.size(),
                                       run.burst_ns / kNsOfMs, run.gap_ns / kNsOfMs);
  plot.svg().Rectangle({left, RatePlot::kTop, width, RatePlot::kBottom - RatePlot::kTop}, "paused", what);
  plot.svg().Text(left, RatePlot::kTop - 6, what, "small");
}

}  // namespace

std::string PfcPicture(const PfcRun& run, const PfcJudgement& judged) {
  const std::string way = run.judged + " -> " + run.pauser;
  RatePlot plot({{CurveClass(0), fmt::format("priority {}, paused: {}", run.priority, way), &run.paused},
                 {CurveClass(1), "another priority: " + way, &run.beside}},
                judged.text, "a test of PFC over its time", kPfcNamesBeneath, ".paused{fill:#eee}");
  DrawPauses(run, plot);
  plot.DrawAxes();
  plot.DrawCurves();
  plot.DrawNames(false);
  return std::move(plot).Finish();
}

}  // namespace rdmaready
