// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/pair_class.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "checks/live/effective_class.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool ShowsTrouble(const Finding& finding) {
  return finding.outcome == Outcome::kFail || finding.outcome == Outcome::kWarn;
}

// Compares the class proofs of two transfers. A counter that one of them shows to be wrong is wrong, and one
// whole proof is enough.
bool ShowsMore(const Finding& one, const Finding& than) {
  if (ShowsTrouble(than)) return false;
  return ShowsTrouble(one) || (one.outcome == Outcome::kPass && than.outcome != Outcome::kPass);
}

// The number in the counter that saw the fewest; 0 where one was not read.
std::uint64_t FewestPackets(const Finding& finding) {
  constexpr std::size_t kCounters = 4;
  if (!finding.class_proof || finding.class_proof->shares.size() != kCounters) return 0;
  return std::ranges::min_element(finding.class_proof->shares, {}, &ClassShare::all)->all;
}

// Where in the order from bad to good.
std::ptrdiff_t Goodness(Outcome outcome) {
  constexpr std::array kOrder{Outcome::kFail, Outcome::kUnknown, Outcome::kWarn, Outcome::kPass,
                              Outcome::kNotApplicable};
  return std::ranges::find(kOrder, outcome) - kOrder.begin();
}

std::string KindText(const KindFinding& one) {
  if (one.connection != ConnectionKind::kVerbs) return "RDMA-CM: ";
  return one.gids.empty() ? "plain verbs connection: " : Cat("plain verbs connection of GID ", one.gids, ": ");
}

}  // namespace

std::string GidsOf(const TransferResult& result) {
  if (result.local_gid.empty() || result.remote_gid.empty()) return {};
  return Printable(Cat(result.local_gid, " with ", result.remote_gid));
}

Finding OfAllKinds(std::span<const KindFinding> findings) {
  const auto worst = std::ranges::min_element(
      findings, {}, [](const KindFinding& one) { return Goodness(one.finding.outcome); });
  Finding finding = worst->finding;
  if (findings.size() == 1 && worst->connection != ConnectionKind::kVerbs) return finding;
  finding.observed.clear();
  ClassProof shares;
  for (const KindFinding& one : findings) {
    finding.observed += Cat(finding.observed.empty() ? "" : "; ", KindText(one), one.finding.observed);
    if (one.finding.class_proof)
      std::ranges::copy(one.finding.class_proof->shares, std::back_inserter(shares.shares));
  }
  if (!shares.shares.empty()) finding.class_proof = std::move(shares);
  return finding;
}

PairClass::PairClass(const TransferPlace& place, const Profile& profile, std::span<const ConnectionKind> kinds)
    : place_(place), profile_(profile) {
  for (const ConnectionKind kind : kinds)
    best_.push_back({{kind, ClassNotJudged(place, "no RDMA write went through")}});
}

void PairClass::Add(const TransferCase& test, ConnectionKind connection, const CaseOutcome& outcome) {
  const auto best =
      std::ranges::find(best_, connection, [](const Best& one) { return one.of_kind.connection; });
  if (best == best_.end() || test.wrapping != Wrapping::kNone || !ShowsClass(outcome.result)) return;
  Finding judged = JudgeEffectiveClass(outcome.result, place_, outcome.counters, profile_);
  const Finding& so_far = best->of_kind.finding;
  const std::uint64_t packets = FewestPackets(judged);
  const bool larger = packets > best->packets && !ShowsTrouble(so_far) && !ShowsMore(so_far, judged);
  if (best->made && !ShowsMore(judged, so_far) && !larger) return;
  best->made = true;
  best->packets = packets;
  best->of_kind.finding = std::move(judged);
  best->of_kind.gids = GidsOf(outcome.result);
}

Finding PairClass::Finish(const std::optional<Finding>& obstacle) const {
  std::vector<KindFinding> findings;
  for (const Best& one : best_) {
    findings.push_back(one.of_kind);
    if (obstacle && !one.made) findings.back().finding = Explained(one.of_kind.finding, *obstacle);
  }
  return OfAllKinds(findings);
}

}  // namespace rdmaready
