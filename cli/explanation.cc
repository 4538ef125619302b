// SPDX-License-Identifier: Apache-2.0
#include "cli/explanation.h"

#include <algorithm>

#include "api/base/edit_distance.h"
#include "api/model/cases.h"
#include "checks/catalog.h"
#include "checks/live/transfer.h"
#include "checks/placeholders.h"
#include "checks/probe/probe.h"
#include "checks/words/fix.h"
#include "checks/words/names.h"
#include "cli/examples.h"

namespace rdmaready {
namespace {

std::string BlocksWhen(const Demand* demand) {
  if (demand == nullptr || demand == &kDemandsRdma) return {};
  return "under a profile that " + std::string(demand->words);
}

Explanation From(const Check& check) {
  return {.id = std::string(check.id),
          .family = std::string(FamilyOf(check.id)),
          .title = std::string(check.title),
          .why = std::string(check.why),
          .example = std::string(ExampleOf(check.id)),
          .fix = FillIn(OneLine(check.fix.remedy()), {}, nullptr, {}),
          .remedy = WithTexts(check.fix.remedy(),
                              [](const std::string& text) { return FillIn(text, {}, nullptr, {}); }),
          .blocking = check.blocks_for != nullptr,
          .blocks_when = BlocksWhen(check.blocks_for),
          .scope = std::string(Name(ScopeOf(check))),
          .depends_on = {check.depends_on.begin(), check.depends_on.end()}};
}

// As checks/live/transfer.cc judges it.
std::string SpeedDemand(const TransferCase* made, Rung rung) {
  if (made == nullptr) return {};
  if (rung == Rung::kPeer && made->figure == Figure::kRate) {
    return "on hardware at least min_throughput_mbps of the profile, else it fails; where the profile does not "
           "say, a warning "
           "below a quarter of the slower link (40 Gb/s at most). Each 100 ms at least min_worst_mbps, "
           "where the profile says it";
  }
  if (rung == Rung::kPeer && made->figure == Figure::kLatency)
    return "on hardware 99 of 100 within max_latency_us of the profile, else it fails; nothing where the "
           "profile does not say";
  return "none: the figures are told and not judged";
}

Explanation From(const TransferCheck& check) {
  const TransferCase* made = FindCase(check.case_name);
  const bool checked = made == nullptr || made->checked;
  return {.id = check.id,
          .family = std::string(FamilyOf(check.id)),
          .title = check.title,
          .why = std::string(check.why) + (checked ? "" : " (`check` does not make it, only `test` does)"),
          .fix = OneLine(check.fix.remedy()),
          .blocking = checked && check.blocks_for != nullptr,
          .blocks_when = checked ? BlocksWhen(check.blocks_for) : "",
          .scope = std::string(Name(IsPairRung(check.rung) ? Scope::kPair : Scope::kPort)),
          .speed = SpeedDemand(made, check.rung)};
}

Explanation From(const ProbeCheck& check) {
  return {.id = std::string(check.id),
          .family = std::string(FamilyOf(check.id)),
          .title = std::string(check.title),
          .why = std::string(check.why),
          .fix = GeneralFix(check),
          .blocking = check.blocking,
          .scope = std::string(Name(Scope::kTarget)),
          .depends_on = {check.depends_on.begin(), check.depends_on.end()}};
}

}  // namespace

std::string_view SeverityOf(const Explanation& explanation) {
  return explanation.blocking ? "blocking" : "advice";
}

std::string_view BlocksText(const Explanation& explanation) {
  if (!explanation.blocking) return "no";
  return explanation.blocks_when.empty() ? std::string_view("always") : explanation.blocks_when;
}

std::vector<Explanation> Catalogue() {
  std::vector<Explanation> all;
  for (const Check& check : AllChecks()) all.push_back(From(check));
  for (const TransferCheck& check : AllTransferChecks()) all.push_back(From(check));
  for (const ProbeCheck& check : AllProbeChecks()) all.push_back(From(check));
  return all;
}

std::vector<Explanation> Explain(std::string_view id) {
  if (const Check* check = FindCheck(id); check != nullptr) return {From(*check)};
  if (const ProbeCheck* check = FindProbeCheck(id); check != nullptr) return {From(*check)};
  std::vector<Explanation> found;
  for (const TransferCheck& check : AllTransferChecks()) {
    if (check.id == id || (check.case_name == id && !id.empty())) found.push_back(From(check));
  }
  return found;
}

std::vector<Explanation> ExplainFamily(std::string_view family) {
  std::vector<Explanation> found = Catalogue();
  std::erase_if(found, [&](const Explanation& entry) { return entry.family != family; });
  return found;
}

std::string NearestId(std::string_view id) {
  std::vector<std::string> ids = CaseNames();
  for (const Explanation& entry : Catalogue()) ids.push_back(entry.id);
  // "lossless-priority": the end of an id is what people remember.
  const std::string tail = "." + std::string(id);
  const auto found = std::ranges::find_if(ids, [&](const std::string& known) { return known.ends_with(tail); });
  if (found != ids.end()) return *found;
  // Ids are long: what has half of the letters of one is another word, and no slip of the finger.
  std::string nearest = Nearest(id, ids);
  const bool is_near = nearest.starts_with(id) || EditDistance(id, nearest) <= 1 + id.size() / 6;
  return is_near ? nearest : std::string();
}

std::string Nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t fewest = word.size() / 2 + 1;
  for (const std::string& name : names) {
    // A word that stops early is like a name that goes on, but less than like one that does not.
    const std::size_t edits =
        std::min(EditDistance(word, name), EditDistance(word, name.substr(0, word.size())) + 1);
    if (edits >= fewest || edits > MistakesAllowed(word, name, edits)) continue;
    fewest = edits;
    best = name;
  }
  return best;
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const TransferCase& test : kTransferCases) names.emplace_back(test.name);
  return names;
}

}  // namespace rdmaready
