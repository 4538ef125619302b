// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/fine_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/catalog.h"
#include "checks/words/words.h"
#include "cli/render/report/cause_text.h"

namespace rdmaready {
namespace {

using Passed = std::vector<const Finding*>;

// In the order in which the groups come first.
using Groups = std::vector<std::pair<std::string_view, Passed>>;

Groups GroupsOf(std::span<const Finding> findings) {
  Groups groups;
  for (const Finding& finding : findings) {
    if (finding.outcome != Outcome::kPass) continue;
    const std::string_view name = GroupOf(finding.id);
    auto group = std::ranges::find(groups, name, &Groups::value_type::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(&finding);
  }
  return groups;
}

std::set<std::string_view> IdsOf(const Passed& passed) {
  std::set<std::string_view> ids;
  for (const Finding* finding : passed) ids.insert(finding->id);
  return ids;
}

// On every port as far as it differs.
std::string SeenBy(std::string_view id, const Passed& passed) {
  constexpr std::size_t kShown = 2;
  std::vector<std::string_view> seen;
  for (const Finding* finding : passed) {
    if (finding->id == id && std::ranges::find(seen, finding->observed) == seen.end())
      seen.push_back(finding->observed);
  }
  const std::size_t more = seen.size() > kShown ? seen.size() - kShown : 0;
  seen.resize(seen.size() - more);
  return Printable(
      fmt::format("{}{}", fmt::join(seen, "; "), more > 0 ? fmt::format("; and {} more", more) : ""));
}

// Adds what the checks with the most to say of a group saw.
void AddSeen(const Passed& passed, std::vector<std::string>& seen) {
  std::map<int, std::string_view> in_order;
  for (const Finding* finding : passed) {
    const Check* check = FindCheck(finding->id);
    if (check != nullptr && check->in_summary > 0) in_order.emplace(check->in_summary, check->id);
  }
  for (const auto& [place, id] : in_order) seen.push_back(SeenBy(id, passed));
}

// "write-512k 61.2 MB/s": the figure that a test says first.
std::string FigureText(const Finding& finding) {
  const std::string_view id = finding.id;
  const std::string_view seen = finding.observed;
  return Printable(Cat(id.substr(id.find('.') + 1), " ", seen.substr(0, seen.find(','))));
}

std::string LiveText(std::string_view group, const Passed& passed) {
  constexpr std::size_t kShown = 5;
  std::set<std::string_view> known;
  std::vector<std::string> figures;
  for (const Finding* finding : passed) {
    if (known.insert(finding->id).second && figures.size() < kShown) figures.push_back(FigureText(*finding));
  }
  const std::string more = known.size() > kShown ? fmt::format(" and {} more", known.size() - kShown) : "";
  return fmt::format("{}: {} passed: {}{}", group, CountText(passed.size(), "test"), fmt::join(figures, ", "),
                     more);
}

// "priority 3: 99.9 % sent, 100.0 % received": of each counter the smallest share of all connections. Empty
// where no class was proven.
std::string SharesText(std::span<const Finding> findings) {
  std::vector<const ClassShare*> least;
  for (const Finding& finding : findings) {
    if (finding.outcome != Outcome::kPass || !finding.class_proof) continue;
    for (const ClassShare& share : finding.class_proof->shares) {
      const auto same = std::ranges::find_if(
          least, [&share](const ClassShare* known) { return known->counter == share.counter; });
      if (same == least.end())
        least.push_back(&share);
      else if (share.permille < (*same)->permille)
        *same = &share;
    }
  }
  std::vector<std::string> shares;
  for (const ClassShare* share : least)
    shares.push_back(fmt::format("{}.{} % {}", share->permille / 10, share->permille % 10, share->counter));
  if (least.empty()) return {};
  return Printable(fmt::format("priority {}: {}", least.front()->priority, fmt::join(shares, ", ")));
}

}  // namespace

std::vector<std::string> FineLines(std::span<const Finding> findings) {
  std::vector<std::string> counts;
  std::vector<std::string> seen;
  std::vector<std::string> live;
  std::size_t checks = 0;
  for (const auto& [name, passed] : GroupsOf(findings)) {
    if (IsLive(name)) {
      live.push_back(LiveText(name, passed));
      continue;
    }
    checks += IdsOf(passed).size();
    counts.push_back(fmt::format("{} {}", name, IdsOf(passed).size()));
    AddSeen(passed, seen);
  }
  std::vector<std::string> lines;
  if (checks > 0) lines.push_back(fmt::format("{}: {}", CountText(checks, "check"), fmt::join(counts, ", ")));
  if (!seen.empty()) lines.push_back(fmt::format("{}", fmt::join(seen, "; ")));
  const std::string shares = SharesText(findings);
  if (!shares.empty() && !live.empty()) live.back() += "; " + shares;
  lines.insert(lines.end(), live.begin(), live.end());
  return lines;
}

std::string FineText(const Style& style, std::span<const Finding> findings) {
  std::string text;
  for (const std::string& line : FineLines(findings))
    text += LabelledLine(style, Tone::kGood, text.empty() ? "FINE" : "", line);
  return text;
}

}  // namespace rdmaready
