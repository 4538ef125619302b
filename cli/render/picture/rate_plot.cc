// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/rate_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/layout.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCurveStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.page{fill:#fff}"
    ".axis{stroke:#888;stroke-width:1}.s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#"
    "cc79a7}"
    ".s4{stroke:#e69f00}.s5{stroke:#56b4e9}.s6{stroke:#8a6d00}.s7{stroke:#333}.victim{stroke:#b30000;"
    "stroke-dasharray:5 "
    "3}polyline{stroke-width:2}";
constexpr std::size_t kColours = 8;
constexpr int kWide = 900;
constexpr int kRight = kWide - 20;
constexpr int kRowHeight = 18;
constexpr std::size_t kLongestName = 60;
// Bold letters of 15 pixels that fit beside kLeft, in a wide font, too.
constexpr std::size_t kTitleWidth = 84;
constexpr std::size_t kTitleLines = 2;
constexpr int kTitleHeight = 19;
constexpr std::int64_t kMsOfSecond = 1000;
constexpr std::uint32_t kUsualIntervalMs = 100;  // where a transfer does not say its own
constexpr std::uint32_t kMostIntervalMs = 1000;  // an agent may say anything
constexpr double kMostRate = 1e19;               // bytes per second: what text can hold

int HeightOf(int names_top, std::size_t curves) {
  return names_top + kRowHeight * static_cast<int>(curves + 3) - 30;
}

// A title that is longer than the lines is cut.
void DrawTitle(std::string_view title, Svg& svg) {
  std::string rest = SafeLine(title, kTitleWidth * (kTitleLines + 1));
  for (std::size_t line = 0; line < kTitleLines && !rest.empty(); ++line) {
    const std::string first = line + 1 < kTitleLines ? Wrap(rest, kTitleWidth).front() : rest;
    svg.Text(RatePlot::kLeft, 20 + static_cast<int>(line) * kTitleHeight, SafeLine(first, kTitleWidth),
             "title");
    rest.erase(0, rest.find_first_not_of(' ', first.size()));
  }
}

std::int64_t IntervalOf(const RateCurve& curve) {
  return std::clamp(curve.flow->result.interval_ms.value_or(kUsualIntervalMs), 1U, kMostIntervalMs);
}

double RateOf(const RateCurve& curve, std::uint64_t bytes) {
  return static_cast<double>(bytes) * static_cast<double>(kMsOfSecond) / static_cast<double>(IntervalOf(curve));
}

}  // namespace

std::string CurveClass(std::size_t number) { return fmt::format("s{}", number % kColours); }

RatePlot::RatePlot(std::vector<RateCurve> curves, std::string_view title, std::string_view about, int beneath,
                   std::string_view style)
    : curves_(std::move(curves)),
      names_top_(kBottom + beneath),
      svg_(kWide, HeightOf(names_top_, curves_.size()), about, fmt::format("{}{}", kCurveStyle, style)) {
  for (const RateCurve& curve : curves_) {
    const std::vector<std::uint64_t>& bytes = curve.flow->result.interval_bytes;
    if (bytes.empty()) continue;
    most_ = std::max(most_, RateOf(curve, *std::ranges::max_element(bytes)));
    span_ms_ = std::max(span_ms_, static_cast<std::int64_t>(bytes.size()) * IntervalOf(curve));
  }
  svg_.Rectangle({0, 0, kWide, HeightOf(names_top_, curves_.size())}, "page");
  DrawTitle(title, svg_);
}

int RatePlot::X(std::int64_t ms) const {
  const double part =
      static_cast<double>(std::clamp<std::int64_t>(ms, 0, span_ms_)) / static_cast<double>(span_ms_);
  return kLeft + static_cast<int>(part * (kRight - kLeft));
}

int RatePlot::Y(double bytes_per_s) const {
  return kBottom - static_cast<int>(bytes_per_s / most_ * (kBottom - kTop));
}

void RatePlot::DrawAxes() {
  const std::vector<Svg::Point> axes{{kLeft, kTop}, {kLeft, kBottom}, {kRight, kBottom}};
  svg_.Polyline(axes, "axis");
  svg_.Text(kLeft - 6, kTop + 5, RateText(static_cast<std::uint64_t>(std::min(most_, kMostRate))), "small",
            Svg::Anchor::kEnd);
  svg_.Text(kLeft - 6, kBottom, "0", "small", Svg::Anchor::kEnd);
  svg_.Text(kRight, kBottom + 16, fmt::format("{:.1f} s", static_cast<double>(span_ms_) / kMsOfSecond), "small",
            Svg::Anchor::kEnd);
}

void RatePlot::DrawCurves() {
  for (const RateCurve& curve : curves_) {
    std::vector<Svg::Point> points;
    std::int64_t ms = IntervalOf(curve) / 2;
    for (const std::uint64_t bytes : curve.flow->result.interval_bytes) {
      points.push_back({X(ms), Y(RateOf(curve, bytes))});
      ms += IntervalOf(curve);
    }
    svg_.Polyline(points, curve.css_class);
  }
}

void RatePlot::DrawNames(bool with_p99) {
  int y = names_top_;
  for (const RateCurve& curve : curves_) {
    const TransferResult& result = curve.flow->result;
    const std::vector<Svg::Point> line{{kLeft, y - 4}, {kLeft + 30, y - 4}};
    svg_.Polyline(line, curve.css_class);
    std::string text = SafeLine(curve.name, kLongestName) + ", " + RateText(result.throughput_bytes_per_s);
    if (with_p99 && result.latency.p99_ns > 0) text += ", p99 " + DurationText(result.latency.p99_ns);
    svg_.Text(kLeft + 38, y, text, "small");
    y += kRowHeight;
  }
}

}  // namespace rdmaready
