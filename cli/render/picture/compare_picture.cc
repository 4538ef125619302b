// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/compare_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "api/base/text.h"
#include "checks/words/words.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {
namespace {

constexpr std::string_view kCompareStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.page{fill:#fff}"
    ".rdma{fill:#0072b2}.tcp{fill:#e69f00}";
constexpr int kWide = 900;
constexpr int kTop = 84;
constexpr int kCaseHeight = 58;
constexpr int kBarHeight = 16;
constexpr int kNames = 20;
constexpr int kFigures = 150;  // left edge of the bars of the main figure
constexpr int kCosts = 560;    // and of the processor time
constexpr int kLongestBar = 200;
constexpr std::size_t kLongestText = 100;

struct Bar {
  double value = 0;
  std::string text{};
};

Bar FigureBar(Figure figure, const TransportFigures& figures) {
  if (figures.transfers == 0) return {0, "-"};
  switch (figure) {
    case Figure::kOperations:
      return {static_cast<double>(figures.operations_per_s),
              fmt::format("{} operations/s", figures.operations_per_s)};
    case Figure::kLatency:
      return {static_cast<double>(figures.latency.p50_ns), "p50 " + DurationText(figures.latency.p50_ns)};
    case Figure::kRate:
    case Figure::kUnknown:
      break;
  }
  return {static_cast<double>(figures.throughput_bytes_per_s), RateText(figures.throughput_bytes_per_s)};
}

Bar CostBar(const TransportFigures& figures) {
  if (!figures.cpu_ns_per_operation) return {0, "not known"};
  const std::uint64_t ns = *figures.cpu_ns_per_operation;
  return {static_cast<double>(ns), DurationText(static_cast<std::int64_t>(ns))};
}

// Both bars, as shares of the longer one.
void DrawBars(const Bar& rdma, const Bar& tcp, int left, int top, Svg& svg) {
  const double most = std::max(rdma.value, tcp.value);
  int y = top;
  for (const auto& [bar, css_class] : {std::pair(&rdma, "rdma"), std::pair(&tcp, "tcp")}) {
    const int width = most > 0 ? static_cast<int>(bar->value / most * kLongestBar) : 0;
    if (width > 0) svg.Rectangle({left, y, width, kBarHeight}, css_class);
    svg.Text(left + width + 6, y + kBarHeight - 4, bar->text, "small");
    y += kBarHeight + 2;
  }
}

}  // namespace

std::string ComparePicture(const CompareRun& run, const CompareJudgement& judged) {
  const int height = kTop + kCaseHeight * static_cast<int>(judged.cases.size()) + 10;
  Svg svg(kWide, height, "RDMA beside TCP", kCompareStyle);
  svg.Rectangle({0, 0, kWide, height}, "page");
  svg.Text(kNames, 24, SafeLine(judged.text, kLongestText), "title");
  svg.Text(kNames, 44, SafeLine(run.from + " -> " + run.to + ", " + run.subject, kLongestText), "small");
  if (run.software) svg.Text(kCosts, 44, "a software device: the CPU does the work of the NIC", "small");
  svg.Rectangle({kFigures, kTop - 28, 12, 12}, "rdma");
  svg.Text(kFigures + 18, kTop - 18, "RDMA", "small");
  svg.Rectangle({kFigures + 70, kTop - 28, 12, 12}, "tcp");
  svg.Text(kFigures + 88, kTop - 18, "TCP", "small");
  svg.Text(kCosts, kTop - 18, "processor time of both hosts per operation", "small");
  int top = kTop;
  for (const ComparedCase& one : judged.cases) {
    const TransferCase* row = FindCase(one.case_name);
    const Figure figure = row != nullptr ? row->figure : Figure::kRate;
    svg.Text(kNames, top + kBarHeight - 4, SafeLine(one.case_name, kLongestText), "small");
    if (one.ratio)
      svg.Text(kNames, top + 2 * kBarHeight - 2, fmt::format("ratio {:.2f}", std::min(*one.ratio, 1e6)),
               "small");
    DrawBars(FigureBar(figure, one.rdma), FigureBar(figure, one.tcp), kFigures, top, svg);
    DrawBars(CostBar(one.rdma), CostBar(one.tcp), kCosts, top, svg);
    top += kCaseHeight;
  }
  return std::move(svg).Finish();
}

}  // namespace rdmaready
