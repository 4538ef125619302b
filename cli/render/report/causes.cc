// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/causes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/inventory/host_list.h"
#include "api/model/recorded_gap.h"
#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Whole words only: "mlx5_01" does not contain "mlx5_0".
std::string WithoutWord(std::string text, std::string_view word) {
  if (word.empty()) return text;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !IsPartOfName(text[at - 1])) && (end == text.size() || !IsPartOfName(text[end]));
    if (whole) text.replace(at, word.size(), "@");
  }
  return text;
}

// The text without the names of the port: "mlx5_0/1 ens1f0" names mlx5_0/1, mlx5_0 and ens1f0.
std::string Unnamed(std::string text, const Finding& finding) {
  std::string_view rest = finding.subject;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    text = WithoutWord(std::move(text), word);
    text = WithoutWord(std::move(text), word.substr(0, word.find('/')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return text;
}

std::string PortOf(const Finding& finding) { return finding.subject.substr(0, finding.subject.find(' ')); }

bool IsOfHost(const Finding& finding) { return finding.scope == Scope::kHost || finding.subject.empty(); }

// Two findings with one key are one cause. Live tests that fail alike are one, and so are unknown answers with
// one reason.
using CauseKey = std::tuple<std::string, Outcome, bool, std::string, std::string>;
CauseKey CauseKeyOf(const Finding& finding) {
  const bool unknown = finding.outcome == Outcome::kUnknown;
  if (const std::string_view gap = RecordedGapOf(finding.observed); unknown && !gap.empty())
    return {"", finding.outcome, finding.blocking, finding.profile, std::string(gap)};
  const std::string id = unknown || IsLive(GroupOf(finding.id)) ? "" : finding.id;
  const std::string said = unknown ? finding.observed : Sentence(finding);
  const std::string remedy = id.empty() && finding.remedy ? OneLine(*finding.remedy) : "";
  return {id, finding.outcome, finding.blocking, finding.profile, Unnamed(Cat(said, "\n", remedy), finding)};
}

// Distributions install the modules of every client: "cifs installed" is one that nothing uses.
bool IsAboutUnusedModule(const Finding& finding) {
  constexpr std::string_view kUnused = " installed";
  const std::string_view seen = finding.observed;
  const std::string_view behind_name = seen.substr(std::min(seen.find(' '), seen.size()));
  return GroupOf(finding.id) == "storage" && behind_name.starts_with(kUnused);
}

void AddTo(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

bool HaveOneRepair(const Cause& a, const Cause& b) {
  const bool a_unknown = a.finding->outcome == Outcome::kUnknown;
  const bool b_unknown = b.finding->outcome == Outcome::kUnknown;
  if (a_unknown != b_unknown || (a_unknown && a.finding->blocking != b.finding->blocking)) return false;
  if (!a.finding->remedy || !b.finding->remedy || a.finding->remedy->steps.empty()) return false;
  // Steps name the first port of several.
  const bool one_place = a.ports == b.ports || (a.ports.size() < 2 && b.ports.size() < 2);
  return one_place && a.finding->remedy->steps == b.finding->remedy->steps;
}

}  // namespace

std::string Cause::IdsText() const {
  constexpr std::size_t kNamed = 4;
  const std::span<const std::string> named = std::span(ids).first(std::min(ids.size(), kNamed));
  const std::string more =
      ids.size() > kNamed ? fmt::format(", and {} more", ids.size() - kNamed) : std::string();
  return Printable(fmt::format("{}{}", fmt::join(named, ", "), more));
}

std::string Cause::PortsText() const { return Printable(FoldHosts(ports)); }

std::vector<Cause> Joined(std::vector<Cause> causes) {
  std::vector<Cause> joined;
  for (Cause& cause : causes) {
    const auto same =
        std::ranges::find_if(joined, [&cause](const Cause& known) { return HaveOneRepair(known, cause); });
    if (same == joined.end()) {
      joined.push_back(std::move(cause));
    } else {
      same->follow += cause.follow;
      same->also.push_back(std::move(cause));
    }
  }
  return joined;
}

bool IsOnlyNoted(const Cause& cause, Readiness verdict) {
  if (verdict != Readiness::kReady || IsInTheWay(cause)) return false;
  return cause.finding->outcome == Outcome::kUnknown || IsAboutUnusedModule(*cause.finding);
}

std::vector<Cause> CausesOf(std::span<const Finding> findings) {
  std::vector<Cause> causes;
  std::map<CauseKey, std::size_t> places;
  for (const Finding* finding : WorthSaying(findings)) {
    if (!finding->hidden_by.empty()) continue;
    const auto [place, fresh] = places.emplace(CauseKeyOf(*finding), causes.size());
    if (fresh) causes.push_back({.finding = finding});
    Cause& cause = causes[place->second];
    AddTo(cause.ids, finding->id);
    if (!IsOfHost(*finding)) AddTo(cause.ports, PortOf(*finding));
  }
  for (const Finding& finding : findings) {
    const auto behind = std::ranges::find_if(causes, [&finding](const Cause& cause) {
      const bool here = cause.ports.empty() || IsOfHost(finding) ||
                        std::ranges::find(cause.ports, PortOf(finding)) != cause.ports.end();
      return here && std::ranges::find(cause.ids, finding.hidden_by) != cause.ids.end();
    });
    if (!finding.hidden_by.empty() && behind != causes.end()) ++behind->follow;
  }
  return causes;
}

}  // namespace rdmaready
