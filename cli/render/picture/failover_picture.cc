// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/failover_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "cli/layout.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {
namespace {

constexpr std::string_view kFailoverStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.page{fill:#fff}"
    ".used{fill:#0072b2}.waits{fill:#d55e00}.program{fill:#888}.axis{stroke:#bbb}polyline{fill:none}";
constexpr int kPageWidth = 900;
constexpr int kTimeLeft = 230;
constexpr int kTimeWidth = 640;
constexpr int kFirstRow = 84;
constexpr int kRowHeight = 26;
constexpr int kRowBar = 16;
constexpr int kMargins = 20;
constexpr std::int64_t kNsOfMillisecond = 1'000'000;
constexpr std::size_t kNameLetters = 30;
constexpr std::size_t kTitleLetters = 90;  // as many bold ones fit into kPageWidth

// Rows of bars over one time.
class TimeRows {
 public:
  TimeRows(std::size_t rows, std::int64_t span_ms, std::string_view title, std::string_view beneath)
      : span_ms_(std::max<std::int64_t>(span_ms, 1)),
        height_(kFirstRow + kRowHeight * static_cast<int>(rows) + 40),
        svg_(kPageWidth, height_, "a failover over its time", kFailoverStyle) {
    svg_.Rectangle({0, 0, kPageWidth, height_}, "page");
    const std::vector<std::string> lines = Wrap(SafeLine(title, 2 * kTitleLetters), kTitleLetters);
    for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2); ++i)
      svg_.Text(kMargins, 24 + 18 * static_cast<int>(i), lines[i], "title");
    svg_.Text(kMargins, 64, SafeLine(beneath, kTitleLetters), "small");
  }

  void Name(std::string_view name) {
    svg_.Text(kMargins, top_ + kRowBar - 3, SafeLine(name, kNameLetters), "small");
  }
  void Bar(std::int64_t begin_ms, std::int64_t end_ms, std::string_view css_class, std::string_view tip) {
    const int left = X(begin_ms);
    svg_.Rectangle({left, top_, std::max(X(end_ms) - left, 2), kRowBar}, css_class, tip);
  }
  void Next() { top_ += kRowHeight; }

  std::string Finish() && {
    const std::vector<Svg::Point> axis{{kTimeLeft, top_}, {kTimeLeft + kTimeWidth, top_}};
    svg_.Polyline(axis, "axis");
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const std::int64_t at_ms = span_ms_ * quarter / 4;
      svg_.Text(X(at_ms), top_ + 18, fmt::format("{:.1f} s", static_cast<double>(at_ms) / 1000), "small",
                Svg::Anchor::kMiddle);
    }
    return std::move(svg_).Finish();
  }

 private:
  int X(std::int64_t ms) const {
    const double part =
        static_cast<double>(std::clamp<std::int64_t>(ms, 0, span_ms_)) / static_cast<double>(span_ms_);
    return kTimeLeft + static_cast<int>(part * kTimeWidth);
  }

  const std::int64_t span_ms_;
  const int height_;
  int top_ = kFirstRow;
  Svg svg_;
};

std::int64_t SpanOfRun(const FailoverRun& run) {
  std::int64_t span_ms = std::min<std::int64_t>(run.duration_ms, 3'600'000);
  for (const FailoverPath& path : run.paths)
    for (const PathUse& use : path.uses) span_ms = std::max(span_ms, use.end_ms);
  return span_ms;
}

}  // namespace

std::string FailoverPicture(const FailoverRun& run, const FailoverJudgement& judged) {
  const std::size_t rows = run.paths.size() + 1 + (run.cut ? 1 : 0);
  TimeRows picture(rows, SpanOfRun(run), judged.text, run.from + " -> " + run.to + ", " + run.case_name);
  for (const FailoverPath& path : run.paths) {
    picture.Name(path.subject);
    for (const PathUse& use : path.uses)
      picture.Bar(use.begin_ms, use.end_ms, "used", fmt::format("{} writes", use.result.messages));
    picture.Next();
  }
  picture.Name("the log waits");
  if (judged.io)
    for (const LogStall& stall : judged.io->log.stalls)
      picture.Bar(stall.begin_ns / kNsOfMillisecond, (stall.begin_ns + stall.length_ns) / kNsOfMillisecond,
                  "waits", DurationText(stall.length_ns));
  picture.Next();
  if (run.cut) {
    picture.Name(run.cut->command.empty() ? "" : run.cut->command.front());
    picture.Bar(run.cut->begin_ms, run.cut->end_ms, "program", run.cut->failure);
    picture.Next();
  }
  return std::move(picture).Finish();
}

}  // namespace rdmaready
