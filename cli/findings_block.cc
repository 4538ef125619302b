// SPDX-License-Identifier: Apache-2.0
#include "cli/findings_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/check.h"
#include "checks/judge.h"
#include "checks/words.h"
#include "cli/layout.h"

namespace rdmaready {
namespace {

// From this many ports on, what is fine on all of them is one line.
constexpr std::size_t kFoldFromPorts = 3;

using Group = std::vector<const Finding*>;

bool IsFine(const Finding& finding) {
  return finding.outcome == Outcome::kPass ||
         (finding.outcome == Outcome::kNotApplicable && finding.hidden_by.empty());
}

bool IsLive(std::string_view group) {
  return group == "loopback" || group == "peer" || group == "smb-direct" || group == "server";
}

// The group's name stands beside it already.
std::string ShortId(const Finding& finding, std::string_view group) {
  const std::size_t dot = finding.id.find('.');
  const bool live = IsLive(group) && dot != std::string::npos && finding.id.substr(0, dot) == group;
  return Printable(live ? finding.id.substr(dot + 1) : finding.id);
}

std::set<std::string> SubjectsOf(std::span<const Finding> findings) {
  std::set<std::string> subjects;
  for (const Finding& finding : findings) {
    if (finding.scope != Scope::kHost) subjects.insert(finding.subject);
  }
  return subjects;
}

// With whom the finding deals, unless it says so itself or there is only one that it could be.
std::string WithSubject(const Finding& finding, bool several) {
  const std::string text = Sentence(finding);
  const bool calm = finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable;
  if (finding.scope == Scope::kHost || finding.subject.empty() || (calm && !several)) return Printable(text);
  const std::string port = finding.subject.substr(0, finding.subject.find(' '));
  if (text.starts_with(port + " ") || text.starts_with(port + ":")) return Printable(text);
  return Printable(finding.subject + ": " + text);
}

class Block {
 public:
  Block(const Style& style, std::span<const Finding> findings, Detail detail)
      : style_(style), detail_(detail), ports_(SubjectsOf(findings).size()) {
    for (const Finding& finding : findings) {
      if (!finding.hidden_by.empty()) {
        ++hidden_[finding.hidden_by];
        continue;
      }
      const std::string_view group = GroupOf(finding.id);
      if (groups_.empty() || groups_.back().first != group) groups_.push_back({group, {}});
      groups_.back().second.push_back(&finding);
    }
  }

  std::string Text() {
    for (const auto& [name, findings] : groups_) {
      label_ = name;
      group_ = name;
      const bool fine = std::ranges::all_of(findings, [](const Finding* f) { return IsFine(*f); });
      if (detail_ == Detail::kGroups && findings.size() > 1 && fine) {
        Folded(findings);
      } else if (detail_ == Detail::kEveryCheck || IsLive(name)) {
        Listed(findings);
      } else {
        ByFamily(findings);
      }
    }
    // What follows from something that is not in this block: another host's finding.
    for (const auto& [id, count] : hidden_) {
      label_ = "";
      Put(Outcome::kNotApplicable, Count(count, "check"), Follows(count, id));
    }
    return text_;
  }

 private:
  static std::string Count(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  }

  static std::string Follows(std::size_t count, const std::string& id) {
    return fmt::format("not judged, {} from {}", count == 1 ? "follows" : "follow", Printable(id));
  }

  void Put(Outcome outcome, std::string_view id, std::string_view text) {
    text_ += Row(style_, std::exchange(label_, ""), outcome, id, text);
  }

  void Folded(const Group& findings) {
    const auto passes =
        std::ranges::count(findings, Outcome::kPass, [](const Finding* f) { return f->outcome; });
    const std::size_t passed = static_cast<std::size_t>(passes);
    const std::size_t skipped = findings.size() - passed;
    std::string text;
    if (IsLive(group_) && passed > 0)
      text = ShortId(*findings.back(), group_) + ": " + Printable(findings.back()->observed);
    if (skipped > 0) text += fmt::format("{}{} not applicable", text.empty() ? "" : ", ", skipped);
    Put(passed > 0 ? Outcome::kPass : Outcome::kNotApplicable,
        Count(findings.size(), IsLive(group_) ? "test" : "check"), text);
  }

  // The families in their order; what applies nowhere comes last, in one line.
  void ByFamily(const Group& findings) {
    Group idle;
    for (std::size_t i = 0; i < findings.size();) {
      const std::string_view family = FamilyOf(findings[i]->id);
      Group passed;
      Group trouble;
      for (; i < findings.size() && FamilyOf(findings[i]->id) == family; ++i) {
        const Finding* finding = findings[i];
        Group& place = !IsFine(*finding) ? trouble : finding->outcome == Outcome::kPass ? passed : idle;
        place.push_back(finding);
      }
      Family(family, passed);
      for (const Finding* finding : trouble) One(*finding);
    }
    Idle(idle);
  }

  void Family(std::string_view family, const Group& passed) {
    if (passed.empty()) return;
    const std::size_t checks = IdsOf(passed).size();
    const std::string text = Telling(family, passed);
    if (checks == 1) return Put(Outcome::kPass, ShortId(*passed.front(), group_), text);
    Put(Outcome::kPass, family, fmt::format("{}: {}", Count(checks, "check"), text));
  }

  void Idle(const Group& idle) {
    const std::set<std::string> ids = IdsOf(idle);
    if (ids.size() < 2) return Listed(idle);
    std::string families;
    for (const Finding* finding : idle) {
      const std::string family(FamilyOf(finding->id));
      const bool said = (", " + families + ",").find(", " + family + ",") != std::string::npos;
      if (!said) families += (families.empty() ? "" : ", ") + family;
    }
    Put(Outcome::kNotApplicable, Count(ids.size(), "check"), Printable(families));
  }

  static std::set<std::string> IdsOf(const Group& findings) {
    std::set<std::string> ids;
    for (const Finding* finding : findings) ids.insert(finding->id);
    return ids;
  }

  // What was seen by the check that says most of its family, on every port as far as it differs.
  static std::string Telling(std::string_view family, const Group& passed) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTelling{
        {{"pfc", "pfc.lossless-priority"},
         {"ets", "ets.rdma-share"},
         {"mtu", "mtu.roce-active"},
         {"drv", "drv.dcb-capable"}}};
    const auto row = std::ranges::find(kTelling, family, &std::pair<std::string_view, std::string_view>::first);
    const auto of = [&passed](std::string_view id) { return std::ranges::find(passed, id, &Finding::id); };
    const bool known = row != kTelling.end() && of(row->second) != passed.end();
    const std::string& id = known ? (*of(row->second))->id : passed.front()->id;
    constexpr std::size_t kShown = 2;
    std::vector<std::string> seen;
    for (const Finding* finding : passed) {
      const bool again = std::ranges::find(seen, finding->observed) != seen.end();
      if (finding->id == id && !again) seen.push_back(finding->observed);
    }
    std::string text;
    for (std::size_t i = 0; i < seen.size() && i < kShown; ++i) text += (i == 0 ? "" : "; ") + seen[i];
    if (seen.size() > kShown) text += fmt::format("; and {} more", seen.size() - kShown);
    return Printable(text);
  }

  void Listed(const Group& findings) {
    for (std::size_t i = 0; i < findings.size();) {
      const Finding& finding = *findings[i];
      std::size_t same = 1;
      if (finding.outcome == Outcome::kPass && ports_ >= kFoldFromPorts) {
        while (i + same < findings.size() && SameOnAnotherPort(finding, *findings[i + same])) ++same;
      } else if (finding.outcome == Outcome::kNotApplicable) {
        while (i + same < findings.size() && SameReason(finding, *findings[i + same])) ++same;
      }
      if (same == 1) {
        One(finding);
      } else if (finding.outcome == Outcome::kPass) {
        Ports(Group(findings.begin() + static_cast<std::ptrdiff_t>(i),
                    findings.begin() + static_cast<std::ptrdiff_t>(i + same)));
      } else {
        Reasons(Group(findings.begin() + static_cast<std::ptrdiff_t>(i),
                      findings.begin() + static_cast<std::ptrdiff_t>(i + same)));
      }
      i += same;
    }
  }

  static bool SameOnAnotherPort(const Finding& a, const Finding& b) {
    return a.id == b.id && b.outcome == Outcome::kPass;
  }

  static bool SameReason(const Finding& a, const Finding& b) {
    return b.outcome == Outcome::kNotApplicable && a.observed == b.observed;
  }

  void Ports(const Group& findings) {
    const bool equal =
        std::ranges::all_of(findings, [&](const Finding* f) { return f->observed == findings[0]->observed; });
    const std::string what = equal ? findings[0]->observed : findings[0]->observed + "; others likewise";
    Put(Outcome::kPass, ShortId(*findings[0], group_),
        Printable(fmt::format("{} ports: {}", findings.size(), what)));
  }

  // One reason for several checks: the first by name, the others by number.
  void Reasons(const Group& findings) {
    std::set<std::string> others;
    for (const Finding* finding : findings) others.insert(finding->id);
    others.erase(findings[0]->id);
    std::string id = ShortId(*findings[0], group_);
    if (!others.empty()) id += fmt::format(" +{}", others.size());
    Put(Outcome::kNotApplicable, id, Printable(findings[0]->observed));
  }

  void One(const Finding& finding) {
    const bool trouble = !IsFine(finding);
    std::string text = WithSubject(finding, ports_ > 1);
    if (trouble && !finding.source.empty()) text += "  (" + Printable(finding.source) + ")";
    Put(finding.outcome, ShortId(finding, group_), text);
    if (!trouble) return;
    // Said once when several in a row have the same reason and remedy.
    if (!finding.why.empty() && finding.why != last_why_) text_ += Note(style_, "why", Printable(finding.why));
    if (!finding.fix.empty() && finding.fix != last_fix_) text_ += FixNote(style_, Printable(finding.fix));
    last_why_ = finding.why;
    last_fix_ = finding.fix;
    if (const auto hidden = hidden_.find(finding.id); hidden != hidden_.end()) {
      text_ += Note(style_, "and",
                    fmt::format("{} {}", Count(hidden->second, "check"), Follows(hidden->second, finding.id)));
      hidden_.erase(hidden);
    }
  }

  const Style& style_;
  Detail detail_;
  std::size_t ports_;
  std::vector<std::pair<std::string_view, Group>> groups_;
  std::map<std::string, std::size_t> hidden_;  // by the id that hides
  std::string_view group_;
  std::string_view label_;
  std::string last_why_;
  std::string last_fix_;
  std::string text_;
};

}  // namespace

std::string FindingsBlock(const Style& style, std::span<const Finding> findings, Detail detail) {
  return Block(style, findings, detail).Text();
}

}  // namespace rdmaready
