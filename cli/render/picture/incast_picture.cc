// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/incast_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {
namespace {

constexpr std::string_view kLineStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.page{fill:#fff}"
    ".axis{stroke:#888;stroke-width:1}.s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#"
    "cc79a7}"
    ".s4{stroke:#e69f00}.s5{stroke:#56b4e9}.s6{stroke:#8a6d00}.s7{stroke:#333}.victim{stroke:#b30000;"
    "stroke-dasharray:5 "
    "3}polyline{stroke-width:2}.pauses{fill:#56b4e9}.marks{fill:#e69f00}.drops{fill:#d55e00}";
constexpr std::size_t kColours = 8;
constexpr int kWide = 900;
constexpr int kPlotLeft = 80;
constexpr int kPlotTop = 60;
constexpr int kPlotHeight = 260;
constexpr int kBarsTop = kPlotTop + kPlotHeight + 40;
constexpr int kBarsHeight = 90;
constexpr int kRowHeight = 18;
constexpr int kIntervalMs = 100;  // of TransferResult::interval_bytes
constexpr std::size_t kLongestName = 60;

// A curve of the upper plot.
struct Curve {
  std::string css_class{};
  std::string name{};
  const StressFlow* flow = nullptr;
};

std::vector<Curve> CurvesOf(const IncastRun& run) {
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < run.senders.size(); ++i) {
    const StressFlow& flow = run.senders[i];
    curves.push_back({fmt::format("s{}", i % kColours), flow.from + " -> " + flow.to, &flow});
  }
  if (run.victim)
    curves.push_back({"victim", "victim " + run.victim->from + " -> " + run.victim->to, &*run.victim});
  return curves;
}

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kPerSecond = 1000 / kIntervalMs;

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

class Plot {
 public:
  Plot(const IncastRun& run, const IncastJudgement& judged)
      : run_(run),
        curves_(CurvesOf(run)),
        svg_(kWide, kBarsTop + kBarsHeight + 40 + kRowHeight * static_cast<int>(curves_.size() + 3),
             "an incast over its time", kLineStyle) {
    for (const Curve& curve : curves_) {
      const std::vector<std::uint64_t>& bytes = curve.flow->result.interval_bytes;
      if (bytes.empty()) continue;
      most_bytes_ = std::max(most_bytes_, *std::ranges::max_element(bytes));
      span_ms_ = std::max(span_ms_, static_cast<std::int64_t>(bytes.size()) * kIntervalMs);
    }
    svg_.Rectangle(
        {0, 0, kWide, kBarsTop + kBarsHeight + 40 + kRowHeight * static_cast<int>(curves_.size() + 3)}, "page");
    svg_.Text(kPlotLeft, 24, SafeLine(judged.text, 110), "title");
  }

  std::string Draw() && {
    DrawAxes();
    for (const Curve& curve : curves_) DrawCurve(curve);
    DrawBars();
    DrawNames();
    return std::move(svg_).Finish();
  }

 private:
  // Within the plot.
  int X(std::int64_t ms) const {
    constexpr std::int64_t kPlotWidth = kWide - kPlotLeft - 20;
    return kPlotLeft + static_cast<int>(std::clamp<std::int64_t>(ms, 0, span_ms_) * kPlotWidth / span_ms_);
  }
  int Y(std::uint64_t bytes) const {
    const double part = static_cast<double>(bytes) / static_cast<double>(most_bytes_);
    return kPlotTop + kPlotHeight - static_cast<int>(part * kPlotHeight);
  }

  void DrawAxes() {
    const std::vector<Svg::Point> axes{{kPlotLeft, kPlotTop}, {kPlotLeft, Y(0)}, {kWide - 20, Y(0)}};
    svg_.Polyline(axes, "axis");
    svg_.Text(kPlotLeft - 6, kPlotTop + 5, RateText(std::min(most_bytes_, kMost / kPerSecond) * kPerSecond),
              "small", Svg::Anchor::kEnd);
    svg_.Text(kPlotLeft - 6, Y(0), "0", "small", Svg::Anchor::kEnd);
    svg_.Text(kWide - 20, Y(0) + 16, fmt::format("{:.1f} s", static_cast<double>(span_ms_) / 1000), "small",
              Svg::Anchor::kEnd);
  }

  void DrawCurve(const Curve& curve) {
    std::vector<Svg::Point> points;
    std::int64_t ms = kIntervalMs / 2;
    for (const std::uint64_t bytes : curve.flow->result.interval_bytes) {
      points.push_back({X(ms), Y(bytes)});
      ms += kIntervalMs;
    }
    svg_.Polyline(points, curve.css_class);
  }

  // Draws the sums of all hosts, as shares of the largest interval.
  void DrawBars() {
    const std::vector<const EndCounters*> ends = EndOfEachHost(run_);
    int row = 0;
    for (const auto& [name, member] :
         {std::pair("pauses", &PressureSample::pauses), std::pair("marks", &PressureSample::marks),
          std::pair("drops", &PressureSample::drops)}) {
      std::vector<double> sums(static_cast<std::size_t>(span_ms_ / kPressureIntervalMs) + 1);
      for (const EndCounters* end : ends) AddBars(*end, member, span_ms_, sums);
      const double most = *std::ranges::max_element(sums);
      const int height = kBarsHeight / 3;
      const int bottom = kBarsTop + (row + 1) * height;
      svg_.Text(kPlotLeft - 6, bottom - 4, fmt::format("{:.0f} {}", most, name), "small", Svg::Anchor::kEnd);
      for (std::size_t i = 0; most > 0 && i < sums.size(); ++i) {
        const int part = static_cast<int>(sums[i] / most * (height - 4));
        const auto begin_ms = static_cast<std::int64_t>(i) * kPressureIntervalMs;
        const int left = X(begin_ms);
        const int right = X(begin_ms + kPressureIntervalMs);
        if (part > 0 && begin_ms < span_ms_)
          svg_.Rectangle({left, bottom - part, std::max(right - left - 1, 1), part}, name);
      }
      ++row;
    }
  }

  void DrawNames() {
    int y = kBarsTop + kBarsHeight + 30;
    for (const Curve& curve : curves_) {
      const std::vector<Svg::Point> line{{kPlotLeft, y - 4}, {kPlotLeft + 30, y - 4}};
      svg_.Polyline(line, curve.css_class);
      svg_.Text(kPlotLeft + 38, y,
                SafeLine(curve.name, kLongestName) + ", " +
                    RateText(curve.flow->result.throughput_bytes_per_s) + ", p99 " +
                    DurationText(curve.flow->result.latency.p99_ns),
                "small");
      y += kRowHeight;
    }
  }

  const IncastRun& run_;
  std::vector<Curve> curves_;
  Svg svg_;
  std::uint64_t most_bytes_ = 1;
  std::int64_t span_ms_ = kIntervalMs;
};

}  // namespace

std::string IncastPicture(const IncastRun& run, const IncastJudgement& judged) {
  return Plot(run, judged).Draw();
}

}  // namespace rdmaready
