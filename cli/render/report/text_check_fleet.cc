// SPDX-License-Identifier: Apache-2.0
// The report of a check of many hosts: each different finding once, with the hosts that have it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "api/base/text.h"
#include "api/inventory/host_list.h"
#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/fix.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/format/judged.h"
#include "cli/render/report/cause_text.h"
#include "cli/render/report/check_parts.h"
#include "cli/render/text.h"

namespace rdmaready {
namespace {

std::string HostsText(const std::vector<std::string>& names) {
  const std::string folded = FoldHosts(names);
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() == 1 ? folded : fmt::format("{} hosts: {}", different.size(), folded);
}

// The first few; how many more there are.
std::string FewOf(const std::set<std::string>& words) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (const std::string& word : words) {
    if (shown.size() < kShown) shown.push_back(word);
  }
  const std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return words.size() > kShown ? fmt::format("{} and {} more", text, words.size() - kShown) : text;
}

// Findings that say the same, of several hosts or pairs.
struct Same {
  const Finding* finding = nullptr;  // the first
  std::vector<std::string> hosts{};
  std::set<std::string> pairs{};
  std::set<std::string> subjects{};
  std::set<std::string> racks{};  // of the hosts; "": not known

  // `racks_matter`: there are others.
  std::string Where(bool racks_matter) const {
    std::string text = pairs.empty() ? HostsText(hosts) : FewOf(pairs);
    if (racks_matter && racks.size() == 1 && !racks.begin()->empty() &&
        std::set(hosts.begin(), hosts.end()).size() > 1)
      text += ", all in rack " + *racks.begin();
    if (finding->scope != Scope::kHost && !subjects.empty()) text += "; " + FewOf(subjects);
    return text;
  }
};

// What one check found on any of the hosts, with one outcome.
struct Trouble {
  std::vector<Same> ways{};
  std::set<std::string> remedies{};
};

class Troubles {
 public:
  Troubles(const CheckSummary& run, const std::vector<Judged>& all) : verdict_(run.report.verdict) {
    for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
      racks_.emplace(run.report.hosts[i].host, Printable(run.notes[i].rack));
      racks_matter_ = racks_matter_ || run.notes[i].rack != run.notes.front().rack;
    }
    for (const Judged& judged : all) {
      const Finding& finding = *judged.finding;
      if (!finding.hidden_by.empty()) {
        ++hidden_[finding.hidden_by];
      } else if (finding.outcome != Outcome::kPass && finding.outcome != Outcome::kNotApplicable) {
        Add(judged);
      }
    }
  }

  // The worst first. `noted`: only what nobody has to act on; else all but that.
  std::string Text(const Style& style, bool noted) const {
    std::vector<Finding> firsts;
    for (const auto& [key, trouble] : troubles_) firsts.push_back(*trouble.ways.front().finding);
    std::string text;
    for (const Finding* finding : WorthSaying(firsts)) {
      const Trouble& trouble = troubles_.at(KeyOf(*finding));
      if (IsOnlyNoted(CauseOf(trouble.ways.front()), verdict_) == noted) text += One(style, *finding, trouble);
    }
    for (const Finding& finding : firsts) {
      if (finding.waived && !noted) text += One(style, finding, troubles_.at(KeyOf(finding)));
    }
    return text;
  }

 private:
  using Key = std::tuple<std::string, Outcome, bool, std::string>;
  static Key KeyOf(const Finding& finding) {
    return {finding.id, finding.outcome, finding.blocking, finding.waived ? WaivedText(*finding.waived) : ""};
  }

  void Add(const Judged& judged) {
    const Finding& finding = *judged.finding;
    Trouble& trouble = troubles_[KeyOf(finding)];
    const std::string said = Sentence(finding);
    auto same =
        std::ranges::find_if(trouble.ways, [&](const Same& other) { return Sentence(*other.finding) == said; });
    if (same == trouble.ways.end()) same = trouble.ways.insert(trouble.ways.end(), Same{.finding = &finding});
    if (judged.peer.empty()) {
      same->hosts.push_back(judged.host);
      same->racks.insert(racks_[judged.host]);
    } else {
      same->pairs.insert(judged.Where());
    }
    same->subjects.insert(Printable(finding.subject));
    if (finding.remedy) trouble.remedies.insert(OneLine(*finding.remedy));
  }

  // The way of most hosts in full; the others with their hosts.
  std::string One(const Style& style, const Finding& first, Trouble trouble) const {
    constexpr std::size_t kShown = 6;
    std::ranges::stable_sort(trouble.ways, std::ranges::greater(),
                             [](const Same& same) { return same.hosts.size() + same.pairs.size(); });
    const Cause cause = CauseOf(trouble.ways.front());
    const std::string where = trouble.ways.front().Where(racks_matter_);
    if (first.waived) return WaivedLine(style, first, where);
    if (IsOnlyNoted(cause, verdict_)) return CauseInALine(style, cause, where);
    std::string text = IsInTheWay(cause) ? CauseText(style, cause, where) : CauseInBrief(style, cause, where);
    for (std::size_t i = 1; i < std::min(kShown, trouble.ways.size()); ++i) {
      text += LabelledLine(style, Tone::kPlain, "ALSO", Printable(Sentence(*trouble.ways[i].finding)));
      text += LabelledLine(style, Tone::kPlain, "ON", trouble.ways[i].Where(racks_matter_));
    }
    if (trouble.ways.size() > kShown) text += OtherWays(style, std::span(trouble.ways).subspan(kShown));
    if (trouble.remedies.size() > 1)
      text += LabelledLine(style, Tone::kFaint, "", "elsewhere with other names: -v shows them");
    return text + "\n";
  }

  Cause CauseOf(const Same& same) const {
    const auto hidden = hidden_.find(same.finding->id);
    return {.finding = same.finding,
            .ids = {same.finding->id},
            .follow = hidden == hidden_.end() ? 0 : static_cast<std::size_t>(hidden->second)};
  }

  static std::string WaivedLine(const Style& style, const Finding& finding, const std::string& where) {
    return LabelledLine(style, Tone::kFaint, "WAIVED",
                        fmt::format("{}  ({}, {})", Printable(Sentence(finding)), Printable(finding.id),
                                    WaivedText(*finding.waived))) +
           LabelledLine(style, Tone::kPlain, "ON", where) + "\n";
  }

  static std::string OtherWays(const Style& style, std::span<const Same> ways) {
    std::vector<std::string> others;
    for (const Same& same : ways) others.insert(others.end(), same.hosts.begin(), same.hosts.end());
    return LabelledLine(style, Tone::kPlain, "ALSO",
                        fmt::format("{} other ways{} (-v lists them)", ways.size(),
                                    others.empty() ? "" : ", on " + HostsText(others)));
  }

  const Readiness verdict_;                   // of all hosts
  std::map<std::string, std::string> racks_;  // by host
  bool racks_matter_ = false;
  std::map<Key, Trouble> troubles_;
  std::map<std::string, std::uint64_t> hidden_;  // by the id that hides
};

// What is well, in a line: of each group how many checks passed somewhere.
std::string WellText(const std::vector<Judged>& all, const Style& style) {
  std::vector<std::pair<std::string, std::set<std::string>>> groups;
  std::set<std::string> ids;
  std::set<std::string> places;
  for (const Judged& judged : all) {
    const Finding& finding = *judged.finding;
    if (finding.outcome != Outcome::kPass) continue;
    const std::string name(GroupOf(finding.id));
    auto group = std::ranges::find_if(groups, [&](const auto& one) { return one.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.insert(finding.id);
    ids.insert(finding.id);
    places.insert(judged.host);
  }
  if (ids.empty()) return {};
  std::string said;
  for (const auto& [name, checks] : groups)
    said += fmt::format("{}{} {}", said.empty() ? "" : ", ", name, checks.size());
  return LabelledLine(
      style, Tone::kGood, "FINE",
      fmt::format("{}: {}: on {}", CountText(ids.size(), "check"), said, CountText(places.size(), "host")));
}

// Hosts by what `text_of` says of them, the odd ones first; those of which it says nothing are left out.
using HostTextOf = std::function<std::string(std::size_t)>;
using HostsByText = std::vector<std::pair<std::string, std::vector<std::string>>>;
HostsByText HostsBy(const Report& report, const HostTextOf& text_of) {
  HostsByText groups;
  for (const std::size_t i : OddFirst(report)) {
    const std::string text = text_of(i);
    if (text.empty()) continue;
    auto group = std::ranges::find(groups, text, [](const auto& one) { return one.first; });
    if (group == groups.end()) group = groups.insert(groups.end(), {text, {}});
    group->second.push_back(Printable(report.hosts[i].host));
  }
  return groups;
}

// The few before the many: the odd ones are looked for.
void SortOddFirst(HostsByText& groups) {
  std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.second.size(); });
}

// What differs between hosts is told of each kind; where it is the same on all, once in the heading.
std::string HeadingText(const CheckSummary& run, const Style& style) {
  const Report& report = run.report;
  const std::pair<std::string, HostTextOf> aspects[] = {
      {"",
       [&](std::size_t i) {
         const std::string& release = report.hosts[i].kernel_release;
         return release.empty() ? "" : "Linux " + Printable(release);
       }},
      {"group ", [&](std::size_t i) { return i < run.notes.size() ? Printable(run.notes[i].group) : ""; }},
      {"profile ", [&](std::size_t i) { return Printable(NamesOf(report.hosts[i].profiles)); }},
      {"",
       [&](std::size_t i) -> std::string {
         if (i >= run.notes.size() || run.notes[i].recorded_by.empty()) return {};
         return "recorded " + UtcText(run.notes[i].recorded_unix_ns).substr(0, 10);
       }},
      {"", [&](std::size_t i) -> std::string {
         return i < run.notes.size() && run.notes[i].software ? "software devices: functional verdict only"
                                                              : "";
       }}};
  std::string heading = style.Paint(Tone::kStrong, CountText(report.hosts.size(), "host"));
  std::string below;
  for (const auto& [label, text_of] : aspects) {
    HostsByText groups = HostsBy(report, text_of);
    SortOddFirst(groups);
    if (groups.size() == 1 && groups[0].second.size() == report.hosts.size()) {
      heading += fmt::format(" {} {}{}", style.Dot(), label, groups[0].first);
      continue;
    }
    for (const auto& [text, hosts] : groups)
      below += Labelled(style, Tone::kFaint, "", 2, fmt::format("{}{}: {}", label, text, HostsText(hosts)));
  }
  return heading + "\n" + below;
}

std::string FleetLadder(const Report& report, const Style& style) {
  const auto groups = HostsBy(report, [&](std::size_t i) {
    std::string text;
    for (const RungResult& rung : report.hosts[i].ladder)
      text += (text.empty() ? "" : ", ") + RungText(rung, style);
    return text;
  });
  std::string text;
  for (const auto& [ladder, hosts] : groups) {
    text += LabelledLine(style, Tone::kFaint, text.empty() ? "LEVELS" : "", HostsText(hosts) + ": " + ladder);
  }
  return text;
}

// Since when, and what earlier checks found: by check, the earliest of any host.
std::string RememberedOfMany(const CheckSummary& run, const Style& style) {
  struct Past {
    std::int64_t unix_ns = 0;
    std::vector<std::string> hosts{};
    std::string observed{};
  };
  constexpr std::int64_t kWorthSayingNs = 600'000'000'000;  // ten minutes
  std::map<std::string, Past> standing;
  std::map<std::string, Past> seen;
  for (std::size_t i = 0; i < run.notes.size() && i < run.report.hosts.size(); ++i) {
    const std::string host = Printable(run.report.hosts[i].host);
    for (const Standing& one : run.notes[i].remembered.standing) {
      if (run.report.started_unix_ns - one.since_unix_ns < kWorthSayingNs) continue;
      Past& past = standing[one.id];
      past.unix_ns = past.hosts.empty() ? one.since_unix_ns : std::min(past.unix_ns, one.since_unix_ns);
      past.hosts.push_back(host);
    }
    for (const SeenBefore& one : run.notes[i].remembered.seen) {
      Past& past = seen[one.id];
      if (past.hosts.empty() || one.last_unix_ns > past.unix_ns) {
        past.unix_ns = one.last_unix_ns;
        past.observed = one.observed;
      }
      past.hosts.push_back(host);
    }
  }
  std::string text;
  for (const auto& [id, past] : standing) {
    text +=
        LabelledLine(style, Tone::kFaint, "SINCE",
                     Printable(fmt::format("{}: {} on {}", UtcText(past.unix_ns), id, HostsText(past.hosts))));
  }
  for (const auto& [id, past] : seen) {
    text += LabelledLine(style, Tone::kWarning, "BEFORE",
                         Printable(fmt::format("{}: {} on {}: {}", UtcText(past.unix_ns), id,
                                               HostsText(past.hosts), past.observed)));
  }
  return text;
}

std::string UnjudgedPorts(const Report& report, const Style& style) {
  std::vector<std::string> hosts;
  for (const HostReport& host : report.hosts) {
    if (std::ranges::any_of(host.ports, [](const JudgedPort& port) { return port.profile.empty(); }))
      hosts.push_back(Printable(host.host));
  }
  if (hosts.empty()) return {};
  return LabelledLine(style, Tone::kFaint, "PORTS",
                      "some are judged by no profile on " + HostsText(hosts) + " (-v names them)");
}

}  // namespace

std::string FleetText(const CheckSummary& run, const Style& style) {
  const Report& report = run.report;
  const std::vector<Judged> all = JudgedIn(report);
  const Troubles troubles(run, all);
  std::string text = VerdictText(report, style) + HeadingText(run, style) + "\n" + troubles.Text(style, false);
  for (const SharedError& error : SharedErrors(report))
    text += LabelledLine(style, Tone::kBad, "ERROR", Printable(error.text) + ": " + HostsText(error.hosts));
  text += WellText(all, style) + troubles.Text(style, true) + UnjudgedPorts(report, style) +
          RememberedOfMany(run, style);
  return text + FleetLadder(report, style) + WaitedText(run, style) +
         LabelledLine(style, Tone::kFaint, "", "check -v lists each host with every check");
}

}  // namespace rdmaready
