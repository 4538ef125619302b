// SPDX-License-Identifier: Apache-2.0
#include "cli/render/report/findings_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/catalog.h"
#include "checks/judge.h"
#include "checks/words/words.h"
#include "cli/layout.h"
#include "cli/render/report/check_parts.h"
#include "cli/render/report/remedy_notes.h"

namespace rdmaready {
namespace {

// From this many ports on, what is fine on all of them is one line.
constexpr std::size_t kFoldFromPorts = 3;

using Group = std::vector<const Finding*>;

bool IsFine(const Finding& finding) {
  return finding.outcome == Outcome::kPass ||
         (finding.outcome == Outcome::kNotApplicable && finding.hidden_by.empty());
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
  const std::string text =
      (finding.profile.empty() || finding.scope != Scope::kHost ? "" : finding.profile + ": ") +
      Sentence(finding);
  const bool calm = finding.outcome == Outcome::kPass || finding.outcome == Outcome::kNotApplicable;
  if (finding.scope == Scope::kHost || finding.subject.empty() || (calm && !several)) return Printable(text);
  const std::string port = finding.subject.substr(0, finding.subject.find(' '));
  if (text.starts_with(port + " ") || text.starts_with(port + ":")) return Printable(text);
  return Printable(finding.subject + ": " + text);
}

class Block {
 public:
  Block(const Style& style, std::span<const Finding> findings)
      : style_(style), ports_(SubjectsOf(findings).size()) {
    for (const Finding& finding : findings) {
      if (!finding.hidden_by.empty()) {
        ++hidden_[finding.hidden_by];
        continue;
      }
      GroupNamed(GroupOf(finding.id)).push_back(&finding);
    }
  }

  std::string Text() {
    for (const auto& [name, findings] : groups_) {
      label_ = name;
      group_ = name;
      Listed(findings);
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

  // Checks run in the order that their dependencies want; a person finds a group in one place, where it began.
  Group& GroupNamed(std::string_view name) {
    const auto found = std::ranges::find(groups_, name, &std::pair<std::string_view, Group>::first);
    if (found != groups_.end()) return found->second;
    return groups_.emplace_back(name, Group{}).second;
  }

  static std::string Follows(std::size_t count, const std::string& id) {
    return fmt::format("not judged, {} from {}", count == 1 ? "follows" : "follow", Printable(id));
  }

  void Put(Outcome outcome, std::string_view id, std::string_view text) {
    text_ += Row(style_, std::exchange(label_, ""), outcome, id, text);
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
    if (finding.waived) {
      text_ += Note(style_, "waived", WaivedText(*finding.waived));
    } else {
      WhatToDo(finding);
    }
    if (const auto hidden = hidden_.find(finding.id); hidden != hidden_.end()) {
      text_ += Note(style_, "and",
                    fmt::format("{} {}", Count(hidden->second, "check"), Follows(hidden->second, finding.id)));
      hidden_.erase(hidden);
    }
  }

  void WhatToDo(const Finding& finding) {
    // Said once when several in a row have the same reason and remedy.
    if (!finding.why.empty() && finding.why != last_why_) text_ += Note(style_, "why", Printable(finding.why));
    if (finding.remedy && finding.remedy != last_remedy_) text_ += RemedyNotes(style_, *finding.remedy);
    last_why_ = finding.why;
    last_remedy_ = finding.remedy;
  }

  const Style& style_;
  std::size_t ports_;
  std::vector<std::pair<std::string_view, Group>> groups_;
  std::map<std::string, std::size_t> hidden_;  // by the id that hides
  std::string_view group_;
  std::string_view label_;
  std::string last_why_;
  std::optional<Remedy> last_remedy_;
  std::string text_;
};

}  // namespace

std::string FindingsBlock(const Style& style, std::span<const Finding> findings) {
  return Block(style, findings).Text();
}

}  // namespace rdmaready
