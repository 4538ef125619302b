// SPDX-License-Identifier: Apache-2.0
#include "cli/render/paths_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/base/text.h"
#include "checks/counted/error_counters.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/documents.h"
#include "cli/render/stress_flow_view.h"

namespace rdmaready {

constexpr std::string_view NameOf(PathsVerdict verdict) {
  switch (verdict) {
    case PathsVerdict::kUnknown:
      return "unknown";
    case PathsVerdict::kAddUp:
      return "add-up";
    case PathsVerdict::kFallShort:
      return "fall-short";
  }
  return "unknown";
}

namespace {

struct MemberShare {
  std::string netdev{};
  std::uint32_t permille = 0;
};

struct PathsView : StressFlowView {
  using StressFlowView::Fields;
  static void Fields(const MemberShare& one, auto& list) {
    list("netdev", one.netdev, "share_permille", one.permille);
  }
  static void Fields(const BondShares& bond, auto& list) {
    list("host", bond.host, "sender", bond.sender, "through_one", bond.through_one);
    list.Derived("members", [](const BondShares& of) {
      std::vector<MemberShare> members;
      for (const auto& [netdev, permille] : of.members) members.push_back({netdev, permille});
      return members;
    });
  }
  static void Fields(const JudgedPath& path, auto& list) {
    list("path", path.subject, "alone_bytes_per_s", path.alone_bytes_per_s, "together_bytes_per_s",
         path.together_bytes_per_s, "share_permille", path.share_permille, "kept_permille", path.kept_permille);
    list.Derived("spread_permille", [](const JudgedPath& of) -> std::optional<std::uint64_t> {
      if (!of.spread) return std::nullopt;
      return static_cast<std::uint64_t>(std::min(*of.spread, 1e12) * 1000);
    });
    list("why_failed", path.why_failed, "bonds", path.bonds);
  }
  static void Fields(const PortWithoutPath& one, auto& list) {
    list("host", one.host, "port", one.port, "why", one.why);
  }
  static void Fields(const TestedPath& path, auto& list) {
    list("path", path.subject, "before", path.before, "together", path.together, "after", path.after);
  }
  static void Fields(const JudgedPaths&, auto& list) {
    constexpr auto kRun = [](const JudgedPaths& one) { return &one.run; };
    constexpr auto kJudged = [](const JudgedPaths& one) { return &one.judged; };
    list.Of(kRun, [](const PathsRun& run, auto& part) {
      part("run_id", run.run_id, "from", run.from, "to", run.to, "case", run.case_name);
    });
    list.Of(kJudged, [](const PathsJudgement& judged, auto& part) {
      part("verdict", judged.verdict, "text", judged.text, "sum_bytes_per_s", judged.sum_bytes_per_s,
           "together_bytes_per_s", judged.together_bytes_per_s, "kept_permille", judged.kept_permille, "paths",
           judged.paths);
    });
    list.Of(kRun,
            [](const PathsRun& run, auto& part) { part("without_path", run.without, "transfers", run.paths); });
  }
};

constexpr convert::DocumentOf<JudgedPaths> kPathsDocument{
    {"rdmaready.v1.Paths", &describe::Described<JudgedPaths, PathsView>::kType}};

Tone ToneOfPaths(PathsVerdict verdict) {
  switch (verdict) {
    case PathsVerdict::kAddUp:
      return Tone::kGood;
    case PathsVerdict::kFallShort:
      return Tone::kBad;
    case PathsVerdict::kUnknown:
      break;
  }
  return Tone::kWarning;
}

std::string KeptText(const std::optional<std::uint32_t>& permille) {
  return permille ? ShareText(*permille) : "?";
}

std::vector<std::string> RowOfPath(const JudgedPath& path) {
  return {path.subject,
          RateText(path.alone_bytes_per_s),
          path.spread ? fmt::format("{:.2f}", std::min(*path.spread, 1e6)) : "?",
          RateText(path.together_bytes_per_s),
          ShareText(path.share_permille),
          KeptText(path.kept_permille)};
}

// "node1 sent 100.0 % through eth0, 0.0 % through eth1".
std::string BondText(const BondShares& bond) {
  std::string text = bond.host + (bond.sender ? " sent" : " received");
  for (std::size_t i = 0; i < bond.members.size(); ++i) {
    const auto& [netdev, permille] = bond.members[i];
    text += (i == 0 ? " " : ", ") + ShareText(permille) + " through " + netdev;
  }
  if (bond.through_one)
    text +=
        ": one member carries all of it, as in a bond with one active member, or since the hash of the "
        "connections says so (try --qps 8)";
  return text;
}

}  // namespace

std::string PathsJson(const JudgedPaths& paths) { return kPathsDocument.Text(paths); }

std::span<const convert::Document> PathsDocuments() {
  static constexpr std::array<convert::Document, 1> kDocuments{kPathsDocument};
  return kDocuments;
}

std::string PathsText(const JudgedPaths& paths, const Style& style) {
  const PathsRun& run = paths.run;
  const PathsJudgement& judged = paths.judged;
  std::vector<std::vector<std::string>> rows{{"", "alone", "spread", "at once", "share", "kept"}};
  for (const JudgedPath& path : judged.paths) rows.push_back(RowOfPath(path));
  rows.push_back({"all", RateText(judged.sum_bytes_per_s), "", RateText(judged.together_bytes_per_s), "",
                  KeptText(judged.kept_permille)});
  std::string text = style.Paint(ToneOfPaths(judged.verdict), judged.text) + "\n\n" +
                     style.Paint(Tone::kStrong, Printable(run.from + " -> " + run.to + ", " + run.case_name)) +
                     "\n" + Table(style, rows, 2);
  for (const JudgedPath& path : judged.paths) {
    if (!path.why_failed.empty()) text += "  " + path.subject + ": " + path.why_failed + "\n";
    for (const BondShares& bond : path.bonds) text += "  " + BondText(bond) + "\n";
  }
  for (const TestedPath& path : run.paths) {
    if (const std::string grown = GrowthText(path.together.counters); !grown.empty())
      text += "  " + Printable(path.subject) + " counted  " + grown + "\n";
  }
  for (const PortWithoutPath& one : run.without)
    text += "  " + Printable(one.port + " of " + one.host + " is on no path: " + one.why) + "\n";
  return text;
}

ExitStatus StatusOf(const JudgedPaths& paths) {
  if (paths.judged.verdict == PathsVerdict::kFallShort || paths.judged.fault()) return ExitStatus::kNotReady;
  return paths.judged.verdict == PathsVerdict::kAddUp ? ExitStatus::kOk : ExitStatus::kOwnFailure;
}

}  // namespace rdmaready
