// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/incast_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/render/picture/rate_plot.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBarStyle = ".pauses{fill:#56b4e9}.marks{fill:#e69f00}.drops{fill:#d55e00}";
constexpr int kBarsTop = RatePlot::kBottom + 40;
constexpr int kBarsHeight = 90;
constexpr int kNamesBeneath = 40 + kBarsHeight + 30;

std::vector<RateCurve> CurvesOf(const IncastRun& run) {
  std::vector<RateCurve> curves;
  for (std::size_t i = 0; i < run.senders.size(); ++i) {
    const StressFlow& flow = run.senders[i];
    curves.push_back({CurveClass(i), flow.from + " -> " + flow.to, &flow});
  }
  if (run.victim)
    curves.push_back({"victim", "victim " + run.victim->from + " -> " + run.victim->to, &*run.victim});
  return curves;
}

// Each host once: a receiver has the same counters in each flow. The end that sampled most is taken.
std::vector<const EndCounters*> EndOfEachHost(const IncastRun& run) {
  std::map<std::string_view, const EndCounters*> ends;
  for (const StressFlow& flow : run.senders) {
    for (const EndCounters& end : flow.counters) {
      const EndCounters*& one = ends[end.host];
      if (one == nullptr || one->pressure.size() < end.pressure.size()) one = &end;
    }
  }
  std::vector<const EndCounters*> list;
  for (const auto& [host, end] : ends) list.push_back(end);
  return list;
}

// Adds the numbers of an end to intervals of kPressureIntervalMs, each in proportion to its time. They may be
// of any size. Time that a sample covers again does not count.
void AddBars(const EndCounters& end, std::optional<std::uint64_t> PressureSample::*member, std::int64_t span_ms,
             std::vector<double>& sums) {
  std::int64_t covered_ms = 0;
  for (const PressureSample& sample : end.pressure) {
    std::int64_t at_ms = std::max<std::int64_t>(sample.begin_ms, covered_ms);
    const std::int64_t end_ms = std::min(std::int64_t{sample.begin_ms} + sample.length_ms, span_ms);
    if (at_ms >= end_ms) continue;
    covered_ms = end_ms;
    const double per_ms = static_cast<double>((sample.*member).value_or(0)) / sample.length_ms;
    while (at_ms < end_ms) {
      const std::int64_t interval = at_ms / kPressureIntervalMs;
      const std::int64_t until_ms = std::min((interval + 1) * kPressureIntervalMs, end_ms);
      sums[static_cast<std::size_t>(interval)] += per_ms * static_cast<double>(until_ms - at_ms);
      at_ms = until_ms;
    }
  }
}

// Draws the sums of all hosts, as shares of the largest interval.
void DrawBars(const IncastRun& run, RatePlot& plot) {
  const std::vector<const EndCounters*> ends = EndOfEachHost(run);
  int row = 0;
  for (const auto& [name, member] :
       {std::pair("pauses", &PressureSample::pauses), std::pair("marks", &PressureSample::marks),
        std::pair("drops", &PressureSample::drops)}) {
    std::vector<double> sums(static_cast<std::size_t>(plot.span_ms() / kPressureIntervalMs) + 1);
    for (const EndCounters* end : ends) AddBars(*end, member, plot.span_ms(), sums);
    const double most = *std::ranges::max_element(sums);
    const int height = kBarsHeight / 3;
    const int bottom = kBarsTop + (row + 1) * height;
    plot.svg().Text(RatePlot::kLeft - 6, bottom - 4, fmt::format("{:.0f} {}", most, name), "small",
                    Svg::Anchor::kEnd);
    for (std::size_t i = 0; most > 0 && i < sums.size(); ++i) {
      const int part = static_cast<int>(sums[i] / most * (height - 4));
      const auto begin_ms = static_cast<std::int64_t>(i) * kPressureIntervalMs;
      const int left = plot.X(begin_ms);
      const int right = plot.X(begin_ms + kPressureIntervalMs);
      if (part > 0 && begin_ms < plot.span_ms())
        plot.svg().Rectangle({left, bottom - part, std::max(right - left - 1, 1), part}, name);
    }
    ++row;
  }
}

}  // namespace

std::string IncastPicture(const IncastRun& run, const IncastJudgement& judged) {
  RatePlot plot(CurvesOf(run), judged.text, "an incast over its time", kNamesBeneath, kBarStyle);
  plot.DrawAxes();
  plot.DrawCurves();
  DrawBars(run, plot);
  plot.DrawNames(true);
  return std::move(plot).Finish();
}

}  // namespace rdmaready
