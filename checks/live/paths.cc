// SPDX-License-Identifier: Apache-2.0
#include "checks/live/paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "api/base/text.h"
#include "api/model/cases.h"
#include "checks/live/flow_outcome.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::uint64_t kMostRate = 100'000'000'000'000;  // agents may say anything
constexpr std::size_t kMostMembers = 16;
constexpr std::uint32_t kWholePermille = 1'000;

std::uint64_t RateOf(const StressFlow& flow) {
  return Came(flow) ? std::min(flow.result.throughput_bytes_per_s, kMostRate) : 0;
}

std::optional<std::uint32_t> PermilleOf(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  constexpr double kMostPermille = 1e9;
  const double permille = static_cast<double>(part) * 1000 / static_cast<double>(whole);
  return static_cast<std::uint32_t>(std::min(permille + 0.5, kMostPermille));
}

// The bytes that the end sent where it is the `sender` of the data, else those that it received.
std::optional<BondShares> SharesOf(const EndCounters& end, bool sender) {
  if (end.members.size() < 2) return std::nullopt;
  BondShares shares{.host = Printable(end.host), .sender = sender};
  const auto bytes = [sender](const MemberBytes& one) {
    return static_cast<double>(sender ? one.sent : one.received);
  };
  double all = 0;
  for (const MemberBytes& one : end.members) all += bytes(one);
  if (all <= 0) return std::nullopt;
  for (const MemberBytes& one : end.members) {
    const auto permille = static_cast<std::uint32_t>(std::lround(bytes(one) * 1000 / all));
    shares.through_one = shares.through_one || permille >= kAllOfBondPermille;
    if (shares.members.size() < kMostMembers) shares.members.emplace_back(Printable(one.netdev), permille);
  }
  return shares;
}

// The first transfer of the path that failed; null: all came.
const StressFlow* FirstFailed(const TestedPath& path) {
  for (const StressFlow* flow : {&path.before, &path.together, &path.after})
    if (!Came(*flow)) return flow;
  return nullptr;
}

std::string_view When(const TestedPath& path, const StressFlow* failed) {
  return failed == &path.together ? "beside the others: " : "alone: ";
}

// The responder sends what an initiator reads.
bool InitiatorSends(const std::string& case_name) {
  const TransferCase* const row = FindCase(case_name);
  return row == nullptr || row->operation != Operation::kRead;
}

JudgedPath JudgedOf(const TestedPath& path, bool initiator_sends) {
  const std::uint64_t before = RateOf(path.before);
  const std::uint64_t after = RateOf(path.after);
  JudgedPath judged{.subject = Printable(path.subject),
                    .alone_bytes_per_s = (before + after) / 2,
                    .together_bytes_per_s = RateOf(path.together)};
  judged.kept_permille = PermilleOf(judged.together_bytes_per_s, judged.alone_bytes_per_s);
  if (before > 0 && after > 0)
    judged.spread = static_cast<double>(std::max(before, after)) / static_cast<double>(std::min(before, after));
  if (const StressFlow* failed = FirstFailed(path))
    judged.why_failed = Cat(When(path, failed), WhyFailed(*failed));
  judged.fault = ShowsAFault(path.before) || ShowsAFault(path.together) || ShowsAFault(path.after);
  for (const EndCounters& end : path.together.counters) {
    const bool initiator = &end == &path.together.counters.front();
    const bool sender = initiator == initiator_sends;
    if (std::optional<BondShares> shares = SharesOf(end, sender)) judged.bonds.push_back(*std::move(shares));
  }
  return judged;
}

// Empty: nothing keeps the paths from being judged.
std::string WhyNotJudged(const PathsJudgement& judged) {
  for (const JudgedPath& path : judged.paths)
    if (!path.why_failed.empty()) return Cat(path.subject, ": ", path.why_failed);
  if (judged.paths.size() < 2) return "the hosts have one path, so nothing was beside it";
  return {};
}

// The sum that the paths carry alone, by the worse or by the better of their two transfers.
struct Alone {
  std::uint64_t sum = 0;
  std::optional<std::size_t> starved{};  // the first path that keeps too little of it at once
};

Alone AloneBy(const PathsRun& run, bool better) {
  Alone alone;
  for (std::size_t i = 0; i < run.paths.size(); ++i) {
    const auto [least, most] = std::minmax({RateOf(run.paths[i].before), RateOf(run.paths[i].after)});
    const std::uint64_t own = better ? most : least;
    alone.sum += own;
    if (!alone.starved && RateOf(run.paths[i].together) * kWholePermille < own * kLeastOfPathPermille)
      alone.starved = i;
  }
  return alone;
}

bool Reaches(const PathsJudgement& judged, const Alone& alone) {
  return !alone.starved && judged.together_bytes_per_s * kWholePermille >= alone.sum * kLeastOfSumPermille;
}

void SetVerdict(const PathsRun& run, PathsJudgement& judged) {
  judged.why_unknown = WhyNotJudged(judged);
  if (!judged.why_unknown.empty()) return;
  if (judged.sum_bytes_per_s == 0) {
    judged.why_unknown = "nothing was measured";
    return;
  }
  const Alone better = AloneBy(run, true);
  const Alone worse = AloneBy(run, false);
  if (Reaches(judged, better)) {
    judged.verdict = PathsVerdict::kAddUp;
  } else if (!Reaches(judged, worse)) {
    judged.verdict = PathsVerdict::kFallShort;
    judged.starved = worse.starved;
  } else {
    judged.why_unknown =
        Cat("alone the paths carry ", RateText(worse.sum), " at one time and ", RateText(better.sum),
            " at another, and ", RateText(judged.together_bytes_per_s), " at once");
  }
}

// The part of the headline that says how they fall short.
std::string ShortText(const PathsJudgement& judged) {
  if (judged.starved) {
    const JudgedPath& path = judged.paths[*judged.starved];
    return Cat(path.subject, " keeps ", ShareText(path.kept_permille.value_or(0)), " of its own rate, wanted ",
               ShareText(kLeastOfPathPermille));
  }
  return Cat(ShareText(judged.kept_permille.value_or(0)), ", wanted ", ShareText(kLeastOfSumPermille));
}

std::string Headline(const PathsJudgement& judged) {
  const std::string rates = Cat(RateText(judged.together_bytes_per_s), " at once, ",
                                RateText(judged.sum_bytes_per_s), " as the sum of each path alone");
  switch (judged.verdict) {
    case PathsVerdict::kAddUp:
      return Cat(judged.paths.size(), " paths add up: ", rates);
    case PathsVerdict::kFallShort:
      return Cat(judged.paths.size(), " paths fall short together: ", rates, " (", ShortText(judged), ")");
    case PathsVerdict::kUnknown:
      break;
  }
  return Cat("unknown: ", judged.why_unknown);
}

}  // namespace

bool PathsJudgement::fault() const { return std::ranges::any_of(paths, &JudgedPath::fault); }

PathsJudgement JudgePaths(const PathsRun& run) {
  PathsJudgement judged;
  for (const TestedPath& path : run.paths) {
    judged.paths.push_back(JudgedOf(path, InitiatorSends(run.case_name)));
    judged.sum_bytes_per_s += judged.paths.back().alone_bytes_per_s;
    judged.together_bytes_per_s += judged.paths.back().together_bytes_per_s;
  }
  judged.kept_permille = PermilleOf(judged.together_bytes_per_s, judged.sum_bytes_per_s);
  for (JudgedPath& path : judged.paths)
    path.share_permille = PermilleOf(path.together_bytes_per_s, judged.together_bytes_per_s).value_or(0);
  SetVerdict(run, judged);
  judged.text = Headline(judged);
  return judged;
}

}  // namespace rdmaready
