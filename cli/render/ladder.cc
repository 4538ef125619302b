// SPDX-License-Identifier: Apache-2.0
#include "cli/render/ladder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "api/inventory/host_list.h"
#include "checks/catalog.h"
#include "checks/live/transfer_hints.h"
#include "checks/readiness.h"
#include "checks/words/names.h"
#include "checks/words/words.h"
#include "cli/layout.h"

namespace rdmaready {
namespace {

constexpr std::size_t kLayerColumn = 14;
constexpr std::size_t kLayerWords = 22;
constexpr std::string_view kPathCheck = "peer.path";

// Findings with the place where they were made: a host, or "a -> b".
struct PlacedFinding {
  std::string where{};
  const Finding* finding = nullptr;
};

std::vector<PlacedFinding> AllFindings(const Report& report) {
  std::vector<PlacedFinding> all;
  for (const HostReport& host : report.hosts) {
    for (const Finding& finding : host.findings) all.push_back({host.host, &finding});
  }
  for (const PairReport& pair : report.pairs) {
    for (const Finding& finding : pair.findings) all.push_back({pair.from + " -> " + pair.to, &finding});
  }
  return all;
}

bool IsAboutAgreement(const Finding& finding) { return GroupOf(finding.id) == "agreement"; }

// The two ends found each other, with or without the bytes.
bool NotConnected(const Finding& finding) {
  if (finding.id == kPathCheck) return finding.outcome == Outcome::kFail;
  return finding.outcome == Outcome::kFail &&
         (finding.observed.starts_with(FailurePhrase(FailureKind::kUnreachable)) ||
          finding.observed.starts_with(FailurePhrase(FailureKind::kRejected)));
}

// "a: link.state (and 2 more)".
std::string FirstOfLayer(const std::vector<PlacedFinding>& trouble) {
  const PlacedFinding& first = trouble.front();
  const std::string more = trouble.size() > 1 ? fmt::format(" (and {} more)", trouble.size() - 1) : "";
  return Printable(fmt::format("{}: {}: {}{}", first.where, first.finding->id, first.finding->observed, more));
}

Layer LayerOf(std::string_view name, const std::vector<PlacedFinding>& all,
              const std::function<bool(const Finding&)>& is_of_layer) {
  std::vector<PlacedFinding> failed;
  std::vector<PlacedFinding> unknown;
  std::size_t passed = 0;
  for (const PlacedFinding& placed : all) {
    const Finding& finding = *placed.finding;
    if (!is_of_layer(finding) || !finding.hidden_by.empty() || finding.waived) continue;
    if (finding.outcome == Outcome::kPass) ++passed;
    if (!finding.blocking) continue;
    if (finding.outcome == Outcome::kFail) failed.push_back(placed);
    if (finding.outcome == Outcome::kUnknown) unknown.push_back(placed);
  }
  if (!failed.empty()) return {name, RungOutcome::kFail, FirstOfLayer(failed)};
  if (!unknown.empty()) return {name, RungOutcome::kUnknown, FirstOfLayer(unknown)};
  if (passed == 0) return {name, RungOutcome::kNotRun, ""};
  return {name, RungOutcome::kPass, CountText(passed, "check") + " passed"};
}

Layer Agents(const Report& report) {
  std::vector<std::string> silent;
  for (const HostReport& host : report.hosts) {
    if (!host.error.empty()) silent.push_back(host.host);
  }
  if (silent.empty())
    return {"agent", RungOutcome::kPass, CountText(report.hosts.size(), "host") + " answered"};
  return {"agent", RungOutcome::kFail, Printable("no answer from " + FoldHosts(silent))};
}

// Most differences are advice, and stop nothing.
Layer Agreements(const std::vector<PlacedFinding>& all) {
  std::vector<PlacedFinding> differ;
  std::size_t equal = 0;
  bool blocked = false;
  for (const PlacedFinding& placed : all) {
    if (!IsAboutAgreement(*placed.finding) || !placed.finding->hidden_by.empty()) continue;
    const Outcome outcome = placed.finding->outcome;
    if (outcome == Outcome::kPass) ++equal;
    if (outcome == Outcome::kFail || outcome == Outcome::kWarn) differ.push_back(placed);
    blocked = blocked || BlocksReadiness(*placed.finding);
  }
  if (!differ.empty())
    return {"agreement", blocked ? RungOutcome::kFail : RungOutcome::kPass, "differs: " + FirstOfLayer(differ)};
  if (equal == 0) return {"agreement", RungOutcome::kNotRun, ""};
  return {"agreement", RungOutcome::kPass, CountText(equal, "check") + " passed"};
}

Layer Connections(const std::vector<PlacedFinding>& all) {
  std::vector<PlacedFinding> failed;
  std::size_t tried = 0;
  for (const PlacedFinding& placed : all) {
    if (placed.finding->rung != Rung::kPeer || !placed.finding->hidden_by.empty() ||
        placed.finding->outcome == Outcome::kUnknown || placed.finding->outcome == Outcome::kNotApplicable)
      continue;
    ++tried;
    if (NotConnected(*placed.finding)) failed.push_back(placed);
  }
  if (!failed.empty()) return {"connection", RungOutcome::kFail, FirstOfLayer(failed)};
  if (tried == 0) return {"connection", RungOutcome::kNotRun, ""};
  return {"connection", RungOutcome::kPass, "the ports reach each other"};
}

std::string_view LayerWord(RungOutcome outcome) {
  switch (outcome) {
    case RungOutcome::kPass:
      return "ok";
    case RungOutcome::kFail:
      return "FAIL";
    case RungOutcome::kUnknown:
      return "??";
    case RungOutcome::kNotRun:
      return "not run";
  }
  return "??";
}

}  // namespace

std::vector<Layer> LayersOf(const Report& report) {
  const std::vector<PlacedFinding> all = AllFindings(report);
  const auto of_rung = [](Rung rung) {
    return [rung](const Finding& finding) { return finding.rung == rung && !IsAboutAgreement(finding); };
  };
  std::vector<Layer> layers{Agents(report), LayerOf("host", all, of_rung(Rung::kHost))};
  if (report.level >= Rung::kLoopback) layers.push_back(LayerOf("loopback", all, of_rung(Rung::kLoopback)));
  const bool several = report.hosts.size() > 1;
  if (several) layers.push_back(Agreements(all));
  if (several && report.level >= Rung::kPeer) {
    layers.push_back(Connections(all));
    layers.push_back(LayerOf("transfer", all, of_rung(Rung::kPeer)));
  }
  if (several && report.level >= Rung::kSmbDirect)
    layers.push_back(LayerOf("smb-direct", all, of_rung(Rung::kSmbDirect)));
  if (report.level >= Rung::kServer) layers.push_back(LayerOf("server", all, of_rung(Rung::kServer)));
  if (report.level >= Rung::kShare) layers.push_back(LayerOf("share", all, of_rung(Rung::kShare)));
  return layers;
}

std::vector<std::string> Ladder::Climbed(const Report& report) {
  std::vector<std::string> lines;
  const std::vector<Layer> layers = LayersOf(report);
  const auto tried = [](const Layer& layer) { return layer.outcome != RungOutcome::kNotRun; };
  while (!stopped_ && std::any_of(layers.begin() + static_cast<std::ptrdiff_t>(std::min(shown_, layers.size())),
                                  layers.end(), tried)) {
    const Layer& layer = layers[shown_++];
    if (!tried(layer)) continue;  // there was nothing to try: a later layer is further
    lines.push_back("  " + Column(layer.name, kLayerColumn - 2) +
                    Column(LayerWord(layer.outcome), kLayerWords - kLayerColumn) + layer.words);
    stopped_ = layer.outcome != RungOutcome::kPass;
  }
  return lines;
}

std::string Ladder::NotRun(const Report& report) {
  std::vector<std::string_view> names;
  for (const Layer& layer : LayersOf(report)) {
    if (layer.outcome == RungOutcome::kNotRun) names.push_back(layer.name);
  }
  return names.empty() ? "" : fmt::format("  not run: {}", fmt::join(names, ", "));
}

}  // namespace rdmaready
