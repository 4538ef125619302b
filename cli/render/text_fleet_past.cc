// SPDX-License-Identifier: Apache-2.0
#include "cli/render/text_fleet_past.h"

#include <fmt/format.h>

#include <utility>

#include "api/base/text.h"
#include "cli/layout.h"
#include "cli/render/baseline.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNameBytes = 200;

std::string PastWord(PastState state, const Style& style) {
  switch (state) {
    case PastState::kSlower:
      return style.Paint(Tone::kWarning, "slower");
    case PastState::kAsBefore:
      return style.Paint(Tone::kGood, "as before");
    case PastState::kOld:
      return "old";
    case PastState::kSoftware:
      return "software";
    case PastState::kUnknown:
      break;
  }
  return "too new";
}

}  // namespace

std::string FleetPastText(const std::vector<FleetPastTest>& tests, std::uint64_t of, bool slower,
                          const Style& style) {
  if (tests.empty()) {
    return slower ? "no test is slower than before\n"
                  : "no live test is remembered (rdmaready-agent --test-interval makes some)\n";
  }
  std::vector<std::vector<std::string>> rows{{"", "host"}};
  for (std::string& title : BaselineTitles()) rows.front().push_back(std::move(title));
  for (const FleetPastTest& test : tests) {
    rows.push_back({PastWord(test.state, style), SafeLine(test.host, kMostNameBytes)});
    for (std::string& cell : BaselineCells(test.test)) rows.back().push_back(std::move(cell));
  }
  std::string text = Table(style, rows, 0);
  if (of > tests.size()) text += fmt::format("and {} more: --limit\n", of - tests.size());
  return text;
}

}  // namespace rdmaready
