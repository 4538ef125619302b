// SPDX-License-Identifier: Apache-2.0
// RatePlot: the goodput of several transfers over their common time, as curves in one SVG document. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/stress_flow.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {

// `css_class`: s0 to s7, or victim.
struct RateCurve {
  std::string css_class{};
  std::string name{};
  const StressFlow* flow = nullptr;  // not null; outlives the plot
};

class RatePlot {
 public:
  static constexpr int kTop = 60;
  static constexpr int kBottom = kTop + 260;
  static constexpr int kLeft = 80;

  // `title` is the first two lines of the picture, of any content; `about` is ours. The names of the curves
  // come `beneath` pixels below the plot. `style`: CSS of the caller's own classes; it is ours.
  RatePlot(std::vector<RateCurve> curves, std::string_view title, std::string_view about, int beneath,
           std::string_view style);

  // Within the plot, whatever the number is.
  int X(std::int64_t ms) const;
  std::int64_t span_ms() const { return span_ms_; }
  // For the shapes of the caller. A shape that is drawn first is below the others.
  Svg& svg() { return svg_; }

  void DrawAxes();
  void DrawCurves();
  // `with_p99`: the latency, too.
  void DrawNames(bool with_p99);
  // The document. Call it once.
  std::string Finish() && { return std::move(svg_).Finish(); }

 private:
  int Y(double bytes_per_s) const;

  std::vector<RateCurve> curves_;
  const int names_top_;
  Svg svg_;
  double most_ = 1;  // bytes per second
  std::int64_t span_ms_ = 1;
};

// s0, s1, ... for the curve of that number.
std::string CurveClass(std::size_t number);

}  // namespace rdmaready
