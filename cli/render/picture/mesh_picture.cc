// SPDX-License-Identifier: Apache-2.0
#include "cli/render/picture/mesh_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/text.h"
#include "checks/live/transfer.h"
#include "cli/render/picture/svg.h"

namespace rdmaready {
namespace {

constexpr std::string_view kStyle =
    "text{font:12px "
    "sans-serif;fill:#222}.title{font-size:15px;font-weight:bold}.sign{font-weight:bold;fill:#fff}"
    ".outlier{font-weight:bold;fill:#b30000}.page{fill:#fff}.self{fill:#ddd}.none{fill:#fff;stroke:#ccc}"
    ".pass{fill:#009e73}.warn{fill:#e69f00}.fail{fill:#d55e00}.unknown{fill:#888}";
constexpr std::string_view kArrow = " -> ";
constexpr int kMargin = 12;
constexpr int kLetter = 7;  // the mean width of one of 12 px
constexpr std::size_t kMostLetters = 40;
constexpr std::size_t kMostWithSigns = 64;  // ports; of more, cells are too small for a sign
constexpr int kLargeCell = 20;
constexpr int kSmallCell = 8;

// "a mlx5_0/1"
using MeshPort = std::pair<std::string, std::string>;

struct Cell {
  Outcome outcome = Outcome::kNotApplicable;
  std::string tip{};
};

// From good to bad.
int Badness(Outcome outcome) {
  constexpr std::array kOrder{Outcome::kNotApplicable, Outcome::kPass, Outcome::kWarn, Outcome::kUnknown,
                              Outcome::kFail};
  return static_cast<int>(std::ranges::find(kOrder, outcome) - kOrder.begin());
}

struct Sign {
  std::string_view css_class;
  std::string_view letter;
  std::string_view meaning;
};
Sign SignOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return {"pass", "", "passed"};
    case Outcome::kWarn:
      return {"warn", "!", "warning"};
    case Outcome::kFail:
      return {"fail", "x", "failed"};
    case Outcome::kUnknown:
      return {"unknown", "?", "not known"};
    case Outcome::kNotApplicable:
      break;
  }
  return {"none", "", "not tested"};
}

class Matrix {
 public:
  explicit Matrix(const Report& report) {
    for (const HostReport& host : report.hosts)
      for (const Finding& finding : host.findings)
        if (finding.id == kOutlierId) outliers_.insert({host.host, finding.subject});
    for (const PairReport& pair : report.pairs)
      for (const Finding& finding : pair.findings) Take(pair, finding);
    ports_.assign(known_.begin(), known_.end());
    cell_ = ports_.size() > kMostWithSigns ? kSmallCell : kLargeCell;
    for (const MeshPort& port : ports_)
      letters_ = std::max(letters_, static_cast<int>(std::min(Label(port).size(), kMostLetters)));
  }

  std::string Draw(const Report& report) const {
    const int count = static_cast<int>(ports_.size());
    const int left = kMargin + letters_ * kLetter;
    const int top = 2 * kMargin + kHeading + letters_ * kLetter;
    const int width = std::max(left + count * cell_ + kMargin, kLeastWidth);
    const int height = top + count * cell_ + kMargin + kLegend;
    Svg svg(width, height, fmt::format("tests between {} ports", count), kStyle);
    svg.Rectangle({0, 0, width, height}, "page");
    svg.Text(kMargin, kMargin + kLetter, fmt::format("RDMA between {} ports, run {}", count, report.run_id),
             "title");
    svg.Text(kMargin, kMargin + kHeading, "a row sends to a column", "small");
    for (int i = 0; i < count; ++i) DrawPort(svg, i, left, top);
    DrawLegend(svg, top + count * cell_ + kMargin);
    return std::move(svg).Finish();
  }

 private:
  static constexpr int kHeading = 26;
  static constexpr int kLegend = 24;
  static constexpr int kLeastWidth = 420;

  static std::string Label(const MeshPort& port) { return port.first + " " + port.second; }

  void Take(const PairReport& pair, const Finding& finding) {
    const std::size_t arrow = finding.subject.find(kArrow);
    if (finding.scope != Scope::kPair || finding.rung < Rung::kPeer || arrow == std::string::npos) return;
    const MeshPort from{pair.from, finding.subject.substr(0, arrow)};
    const MeshPort to{pair.to, finding.subject.substr(arrow + kArrow.size())};
    known_.insert({from, to});
    Cell& cell = cells_[{from, to}];
    // A test behind a failure failed, or was not made because of it.
    const Outcome outcome = finding.hidden_by.empty() ? finding.outcome : Outcome::kFail;
    if (Badness(outcome) <= Badness(cell.outcome)) return;
    cell.outcome = outcome;
    cell.tip = outcome == Outcome::kPass ? "" : finding.id + ": " + finding.observed;
  }

  void DrawPort(Svg& svg, int i, int left, int top) const {
    const MeshPort& port = ports_[static_cast<std::size_t>(i)];
    const std::string label = SafeLine(Label(port), kMostLetters);
    const std::string_view css_class = outliers_.contains(port) ? "outlier" : "port";
    const int middle = cell_ / 2 + kLetter / 2;
    if (cell_ == kLargeCell) {
      svg.Text(left - kLetter / 2, top + i * cell_ + middle, label, css_class, Svg::Anchor::kEnd);
      svg.Text(left + i * cell_ + middle, top - kLetter / 2, label, css_class, Svg::Anchor::kStart, -90);
    }
    for (int j = 0; j < static_cast<int>(ports_.size()); ++j) {
      const MeshPort& to = ports_[static_cast<std::size_t>(j)];
      const Svg::Box box{left + j * cell_, top + i * cell_, cell_ - 1, cell_ - 1};
      const auto found = cells_.find({port, to});
      const Cell cell = found == cells_.end() ? Cell{} : found->second;
      const Sign sign = SignOf(cell.outcome);
      svg.Rectangle(box, i == j ? "self" : sign.css_class,
                    i == j ? std::string()
                           : fmt::format("{} -> {}: {}{}{}", Label(port), Label(to), sign.meaning,
                                         cell.tip.empty() ? "" : ", ", cell.tip));
      if (i != j && cell_ == kLargeCell && !sign.letter.empty())
        svg.Text(box.x + cell_ / 2, box.y + middle, sign.letter, "sign", Svg::Anchor::kMiddle);
    }
  }

  static void DrawLegend(Svg& svg, int y) {
    constexpr int kStep = 80;
    int x = kMargin;
    for (const Outcome outcome :
         {Outcome::kPass, Outcome::kWarn, Outcome::kFail, Outcome::kUnknown, Outcome::kNotApplicable}) {
      const Sign sign = SignOf(outcome);
      svg.Rectangle({x, y, kMargin, kMargin}, sign.css_class);
      svg.Text(x + kMargin + kLetter / 2, y + kMargin - 2, sign.meaning, "small");
      x += kStep;
    }
  }

  std::set<MeshPort> known_{};
  std::vector<MeshPort> ports_{};
  std::map<std::pair<MeshPort, MeshPort>, Cell> cells_{};
  std::set<MeshPort> outliers_{};
  int cell_ = kLargeCell;
  int letters_ = 0;
};

}  // namespace

std::string MeshPicture(const Report& report) { return Matrix(report).Draw(report); }

}  // namespace rdmaready
